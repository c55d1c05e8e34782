"""What the first export of a model takes: CPU seconds with those of the C compiler, by stage.

    cd cross_check
    python -m bench.exports [--only PATTERN] [--cold PATTERN] [--base REVISION] [--output FILE]

Each export is a process of its own. It runs with a cache in which there is only the export of another model,
so that what all models share is compiled already; those that ``--cold`` names (all by default) run with an
empty cache, too. With ``--base`` another revision exports the same model files in the same run; its seconds,
and the ratios, stand beside. A second table compares these times, and those of the commands ``check`` and
``verify``, with goals; ``--only`` leaves it out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from statistics import median

from pages import kept_page

from bench.goals import print_goals
from bench.sizes import MODELS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
STAGES = ("import", "trees", "formulate", "closure", "lower", "emit", "compile", "trial run", "pack")
#: The export of one of them, not the model itself, fills the cache with what all models share.
OTHERS = ("double_pendulum", "pendulum")
TIME_LIMIT_S = 1800

#: Exports argv[1], and prints the CPU seconds up to the end of each stage.
CHILD = """
import json, resource, sys
from pathlib import Path

def seconds():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)

marks = []
def told(phase, ended):
    if ended is not None:
        marks.append((phase, seconds()))

from fmugen.cli import export
marks.append(("import", seconds()))
from fmugen.ir.options import ExportOptions
export.export_fmu(export.read_model(Path(sys.argv[1])), Path(sys.argv[2]), ExportOptions(), told)
marks.append(("pack", seconds()))
print(json.dumps(marks))
"""


@dataclass(frozen=True)
class Revision:
    """A source tree, with the folders of its own that its exports use."""

    tree: Path
    folder: Path

    def export(self, model: Path, cache: Path) -> dict[str, float]:
        """The CPU seconds of each stage; nothing where the export fails."""
        names = {"PYTHONPATH": self.tree, "PYTHONPYCACHEPREFIX": self.folder / "pyc", "FMUGEN_CACHE": cache}
        environment = {**os.environ, **{name: str(path) for name, path in names.items()}}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", CHILD, str(model), str(self.folder / "model.fmu")]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=True
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return {}
        spent, last = dict.fromkeys(STAGES, 0.0), 0.0
        for stage, now in json.loads(done.stdout):
            spent[stage] = spent.get(stage, 0.0) + now - last
            last = now
        return spent

    def first_exports(self, model: Path, *, empty: bool) -> tuple[dict[str, float], dict[str, float]]:
        """With an empty cache, if that is wanted, and with one of another model."""
        cold, warm = self.folder / "cold", self.folder / "warm"
        other = next(name for name in OTHERS if name != model.parent.name)
        shared = self.folder / f"shared_{other}"
        if not shared.exists():
            self.export(EXAMPLES / other / "model.toml", shared)
        for cache in (cold, warm):
            shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(shared, warm)
        return self.export(model, cold) if empty else {}, self.export(model, warm)


@contextmanager
def _checked_out(revision: str) -> Iterator[Path]:
    """A temporary work tree of another revision."""
    with tempfile.TemporaryDirectory(prefix="fmugen-base-") as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), revision], cwd=ROOT, check=True)
        try:
            yield tree
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=True)


def _files(folder: Path) -> dict[str, Path]:
    """The model files by name: all examples, and those made here."""
    files = {path.parent.name: path for path in sorted(EXAMPLES.glob("*/model.toml"))}
    for name, text in MODELS.items():
        files[name] = folder / f"{name}.toml"
        files[name].write_text(text(), encoding="utf-8")
    return files


def _cell(seconds: float | None, *, measured: bool = True) -> str:
    if not measured:
        return ""
    return "fails" if seconds is None else f"{seconds:.1f}"


def _is_one(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _total(spent: dict[str, float]) -> float | None:
    return sum(spent.values()) if spent else None


def print_table(
    files: dict[str, Path], revisions: Sequence[Revision], cold: Sequence[str]
) -> dict[str, float]:
    """A row for each model: stages and sum with a warm cache, the sum with an empty one, sums of the base.

    Returns the sums with a warm cache.
    """
    base = ["base", "base, empty cache", "ratio"] if len(revisions) > 1 else []
    head = ["model", *STAGES, "all", "all, empty cache", *base]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    sums: dict[str, float] = {}
    ratios: list[float] = []
    for name, file in files.items():
        empty = _is_one(name, cold)
        (first, warm), *others = [revision.first_exports(file, empty=empty) for revision in revisions]
        row = [name, *(f"{warm[stage]:.2f}" if warm else "" for stage in STAGES)]
        total = _total(warm)
        row += [_cell(total), _cell(_total(first), measured=empty)]
        sums |= {} if total is None else {name: total}
        for old_first, old_warm in others:
            before = _total(old_warm)
            row += [_cell(before), _cell(_total(old_first), measured=empty)]
            row.append(f"{total / before:.2f}" if total and before else "")
            ratios += [total / before] if total and before else []
        print(f"| {' | '.join(row)} |", flush=True)
    if ratios:
        print(f"\nTo the base: median {median(ratios):.2f}, largest {max(ratios):.2f}.")
    return sums


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.exports")
    parser.add_argument(
        "--only", metavar="PATTERN", action="append", help="names, with * for any letters; may be repeated"
    )
    parser.add_argument(
        "--cold",
        metavar="PATTERN",
        action="append",
        help="names to export with an empty cache, too; all by default",
    )
    parser.add_argument("--base", metavar="REVISION", help="revision of git to compare with")
    parser.add_argument("--output", type=Path, help="page to write, too")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fmugen-"))) for _ in "ab"]
        files = _files(folders[0])
        if options.only:
            files = {name: file for name, file in files.items() if _is_one(name, options.only)}
        revisions = [Revision(ROOT, folders[0])]
        if options.base:
            revisions.append(Revision(stack.enter_context(_checked_out(options.base)), folders[1]))
        stack.enter_context(kept_page(options.output))
        print("CPU seconds of the first export, those of the C compiler included.\n")
        sums = print_table(files, revisions, options.cold or ["*"])
        if not options.only:
            print_goals(sums, set(sums).difference(MODELS), ROOT, folders[0])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
