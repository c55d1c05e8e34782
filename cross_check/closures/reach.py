"""How far exact closure reaches: what is measured of a mechanism of the corpus, and the table of all."""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from closures.description import Mechanism
from fmugen.errors import FmugenError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, InterfaceType
from fmugen.ir.steps import ExactStep, GoniometricStep, PolynomialStep, QuadraticStep
from fmugen.pipeline import Compilation, export_fmu
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu

__all__ = ["SMALL", "Reach", "Run", "measured", "page"]

_RESIDUAL, _ITERATIONS = "closure.residual", "closure.iterations"
#: By this the length changes in the second verification.
_CHANGE = 1.1
#: The largest residual that counts as closed (m or rad).
SMALL = 1e-13


@dataclass(frozen=True)
class Run:
    """A verification: its verdict, the largest closure residual, and the Newton iterations of the motion."""

    verdict: str
    residual: float
    iterations: int


@dataclass(frozen=True)
class Reach:
    """A row of the table. ``iterated`` of the ``unknowns`` are left to Newton iteration.

    ``degree`` is the largest of any step. ``runs`` are the verifications, with the lengths as they are and
    with one of them changed. ``problem`` says why there is no closure.
    """

    name: str
    family: str
    trees: str
    freedoms: int = 0
    unknowns: int = 0
    iterated: int = 0
    degree: int = 0
    operations: int = 0
    seconds: float = 0.0
    runs: tuple[Run, ...] = ()
    problem: str = ""

    @property
    def exact(self) -> int:
        return self.unknowns - self.iterated


def measured(mechanism: Mechanism, trees: str, *, verify: bool) -> Reach:
    """Close the loops of a mechanism, and verify its FMU where that is asked for."""
    row = Reach(mechanism.name, mechanism.family, trees)
    options = ExportOptions(trees, interfaces=(InterfaceType.CO_SIMULATION,))
    try:
        with _empty_cache():
            before = process_time()
            made = Compilation(mechanism.model(), options)
            flow = made.flow
            seconds = process_time() - before
        steps = [step for block in flow.blocks for step in block.steps]
        row = Reach(
            mechanism.name,
            mechanism.family,
            trees,
            len(flow.independent),
            len(flow.dependent) - len(flow.carried),
            flow.iterated,
            max(map(_degree, steps), default=0),
            made.closure.operations.total,
            seconds,
        )
        runs = tuple(_verified(mechanism, options)) if verify else ()
    except FmugenError as error:
        return Reach(mechanism.name, mechanism.family, trees, problem=" ".join(str(error).split()))
    return Reach(**{**vars(row), "runs": runs})


@contextmanager
def _empty_cache() -> Iterator[None]:
    """A cache of its own, so that no basis is known from an earlier closure."""
    before = os.environ.get("FMUGEN_CACHE")
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        os.environ["FMUGEN_CACHE"] = folder
        try:
            yield
        finally:
            del os.environ["FMUGEN_CACHE"]
            if before is not None:
                os.environ["FMUGEN_CACHE"] = before


def _degree(step: ExactStep) -> int:
    match step:
        case PolynomialStep():
            return len(step.coefficients) - 1
        case GoniometricStep() | QuadraticStep():
            return 2
    return 1


def _verified(mechanism: Mechanism, options: ExportOptions) -> Iterator[Run]:
    """The FMU with all lengths as they are, and with one changed."""
    model = mechanism.model()
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        path = export_fmu(model, Path(folder) / f"{model.name}.fmu", options).path
        for parameters in ({}, {mechanism.parameter: _CHANGE}):
            try:
                yield _run(model, path, parameters)
            except FmugenError as error:
                yield Run(" ".join(str(error).split()), float("nan"), 0)


def _run(model: SystemModel, path: Path, parameters: Mapping[str, float]) -> Run:
    experiment = model.experiment
    followed = simulate_fmu(
        path,
        stop=experiment.stop,
        step=experiment.step,
        parameters=parameters,
        outputs=[_RESIDUAL, _ITERATIONS],
    ).values
    verdict = verify_fmu(model, path, parameters=parameters, loose=())
    residual, iterations = float(followed[_RESIDUAL].max()), int(followed[_ITERATIONS].sum())
    return Run("passed" if verdict.passed else verdict.sentence, residual, iterations)


# --- the table ------------------------------------------------------------------------------------

_COLUMNS = (
    "mechanism",
    "freedoms",
    "unknowns",
    "exact",
    "degree",
    "iterated",
    "operations",
    "CPU s",
    "residual",
    "verified",
    "length changed",
    "trees",
)
_HEAD = f"| {' | '.join(_COLUMNS)} |\n|---|{'---:|' * 8}---|---|---|"


def page(rows: Sequence[Reach]) -> str:
    """The page: figures over all mechanisms, and a table for each family."""
    lines = [
        "# Reach of the exact closure",
        "",
        "Mechanisms by topology (`cross_check/closures/`), with their lengths as parameters. Iterated are",
        "the unknowns of blocks that are left to Newton iteration. The degree is the largest of any step;",
        "roots of degree 3 and more are found by bounded iteration in one unknown. CPU seconds lead from the",
        "description to closed loops, with an empty cache. FMUs are verified over their motion, with all",
        "lengths as they are and with one that is 10 % longer. The residual is the largest of both motions.",
        "Newton iterations of a motion stand behind its verdict.",
        "",
        *_summary(rows),
        "",
    ]
    for family in dict.fromkeys(row.family for row in rows):
        lines += [f"## {family.capitalize()}", "", _HEAD]
        lines += [_row(row) for row in rows if row.family == family]
        lines.append("")
    return "\n".join(lines)


def _summary(rows: Sequence[Reach]) -> Iterator[str]:
    """The figures that the goals name; a row without closure counts as one that iterates."""
    closed = [row for row in rows if not row.problem]
    exact = [row for row in closed if not row.iterated]
    yield f"- without a Newton block: {_share(exact, rows)}"
    yield f"- without iteration in one unknown, too: {_share([r for r in exact if r.degree <= 2], rows)}"
    if closed:
        times = [row.seconds for row in closed]
        median = statistics.median(times)
        yield f"- CPU time of the closure: median {median:.1f} s, at most {max(times):.1f} s"
    followed = [row for row in rows if row.runs]
    if followed:
        passed = [row for row in followed if all(run.verdict == "passed" for run in row.runs)]
        small = [row for row in followed if all(run.residual <= SMALL for run in row.runs)]
        kept = [row for row in exact if row.runs and not any(run.iterations for run in row.runs)]
        yield f"- verified, with lengths as they are and with one changed: {_share(passed, rows)}"
        yield f"- residual of at most {SMALL:.0e} along both motions: {_share(small, rows)}"
        yield f"- no Newton iteration in either motion: {_share(kept, exact)} without a Newton block"


def _share(part: Sequence[Reach], whole: Sequence[Reach]) -> str:
    return f"{len(part)} of {len(whole)} ({100 * len(part) / max(len(whole), 1):.0f} %)"


def _row(row: Reach) -> str:
    if row.problem:
        return f"| {row.name} | | | | | | | | | {row.problem} | | {row.trees} |"
    residual = f"{max(run.residual for run in row.runs):.0e}" if row.runs else ""
    verdicts = [_verdict(run) for run in row.runs] or ["", ""]
    cells: list[object] = [row.name, row.freedoms, row.unknowns, row.exact, row.degree, row.iterated]
    cells += [row.operations, f"{row.seconds:.1f}", residual, *verdicts, row.trees]
    return f"| {' | '.join(map(str, cells))} |"


def _verdict(run: Run) -> str:
    return run.verdict + (f", {run.iterations} iterations" if run.iterations else "")
