"""How long the way from the model of an N-four-bar to C is, and how long that C.

    python -m bench.peers.generation WINDOWS TREES

prints CPU seconds and characters.
"""

from __future__ import annotations

import sys
from time import process_time

from bench.peers.cases import n_four_bar
from bench.peers.skeleton import falling
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation


def main(windows: int, trees: str) -> None:
    model = falling(n_four_bar(windows))
    begin = process_time()
    sources = Compilation(model, ExportOptions(trees)).sources
    print(process_time() - begin, sum(map(len, sources.values())))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
