"""The table: rows that are there already, rows that are run, and the page of all of them.

A row is kept under a digest of all that it is made from: this program, its example and that of the companion,
the programs of this folder, and the importers of this machine. One with a failure is not kept: what failed is
tried again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from importers import IMPORTERS
from rows import EXAMPLES
from subjects import FAILED

from fmugen.cache import keep, kept_text, place_of

__all__ = ["COMPANION", "Cells", "failures", "finished_rows", "page", "place_of_row"]

#: A row: the name of an example, a result an importer, and the seconds it took.
Cells = list[str]

#: The other FMU of the master in C.
COMPANION = "slider_crank"
_SUFFIXES = {".c", ".h", ".py"}
_WIDTH = len(IMPORTERS) + 2


def place_of_row(name: str, steps: int, folder: Path = EXAMPLES) -> Path:
    """Where the row of an example is kept that lies in ``folder``."""
    models = (folder / each / "model.toml" for each in (name, COMPANION))
    programs = sorted(path for path in Path(__file__).parent.iterdir() if path.suffix in _SUFFIXES)
    texts = (path.read_text(encoding="utf-8") for path in (*models, *programs))
    return place_of("importers", (name, str(steps), _machine(), *texts), ".json")


def finished_rows(
    places: Mapping[str, Path],
    run: Callable[[Sequence[str]], Iterable[Cells]],
    tell: Callable[[str], None],
) -> list[Cells]:
    """The rows of examples by name, in their order; ``run`` gives those that are not kept, as they end."""
    rows = {name: cells for name, place in places.items() if (cells := _kept_cells(place, name))}
    if rows:
        tell(f"{len(rows)} of {len(places)} rows are kept from before")
    missing = [name for name in places if name not in rows]
    for cells in run(missing) if missing else ():
        failed = failures(cells)
        if not failed:
            keep(places[cells[0]], json.dumps(cells).encode())
        rows[cells[0]] = cells
        verdict = f"FAILED in {', '.join(failed)}" if failed else "passed"
        tell(f"{len(rows)} of {len(places)}: {cells[0]} {verdict}, {cells[-1]} s")
    return [rows[name] for name in places]


def failures(cells: Cells) -> list[str]:
    """The importers that an example failed in."""
    results = zip(IMPORTERS, cells[1:-1], strict=True)
    return [importer.title for importer, result in results if result.startswith(FAILED)]


def page(rows: Sequence[Cells], steps: int) -> str:
    return "\n".join(_lines(rows, steps)) + "\n"


def _lines(rows: Sequence[Cells], steps: int) -> Iterator[str]:
    count = len(rows)
    failed = sum(bool(failures(cells)) for cells in rows)
    yield "# Importers"
    yield ""
    yield "Written by `make importers`; `cross_check/README.md` says what the figures are."
    yield f"The first {steps} communication steps of every example, or all where there are fewer."
    yield f"{count - failed} of {count} examples pass in every importer that can run them. With {_machine()}."
    yield ""
    yield _line(["example", *(importer.title for importer in IMPORTERS), "seconds"])
    yield _line(["---"] * _WIDTH)
    yield _line(["*passes up to*", *(f"{importer.tolerance:.0e}" for importer in IMPORTERS), ""])
    yield from map(_line, rows)


def _line(cells: Cells) -> str:
    return f"| {' | '.join(cells)} |"


def _kept_cells(place: Path, name: str) -> Cells | None:
    """The row that is kept at ``place``; one that somebody damaged is none."""
    try:
        cells = json.loads(kept_text(place) or "null")
    except json.JSONDecodeError:
        return None
    return cells if isinstance(cells, list) and len(cells) == _WIDTH and cells[0] == name else None


def _machine() -> str:
    """The importers of this machine with their versions, and what it lacks."""
    packages = ("fmpy", "casadi", "ecospy", "libcosimpy", "pythonfmu")
    lacking = [f"{each.title}: {reason}" for each in IMPORTERS if (reason := each.missing())]
    return ", ".join([*map(_versioned, packages), *lacking])


def _versioned(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"
