"""Write the references of examples: a folder of the FMI cross-check for each.

    python cross_check/references.py [NAME ...]

Without names, it writes those of all examples that have none. FMUs and their results are written beside the
references, but not kept in the repository. The exit code is 3 if an FMU and its reference differ.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REFERENCES = HERE / "references"
EXAMPLES = HERE.parent / "examples"
#: Seconds a reference may take.
TIME_LIMIT = 1800
#: The reference does not depend on the trees of the FMU that is judged by it; these are found fastest.
TREES = "aac"


def main() -> int:
    examples = sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))
    parser = argparse.ArgumentParser(prog="cross_check/references.py")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all without a reference")
    names = parser.parse_args().names
    if unknown := [name for name in names if name not in examples]:
        parser.error(f"unknown example {', '.join(unknown)}: see examples/")
    wanted = names or [name for name in examples if not list((REFERENCES / name).glob("*_ref.csv"))]
    failures = [name for name in wanted if not written(name)]
    print(f"{len(wanted) - len(failures)} written" + (f"; FAILED: {', '.join(failures)}" if failures else ""))
    return 3 if failures else 0


def written(name: str) -> bool:
    """Whether the folder of an example could be written, by the command a user would give."""
    model = EXAMPLES / name / "model.toml"
    command = [sys.executable, "-m", "fmugen", "cross-check", str(model), "-o", str(REFERENCES / name)]
    done = subprocess.run([*command, "--trees", TREES], timeout=TIME_LIMIT, check=False)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
