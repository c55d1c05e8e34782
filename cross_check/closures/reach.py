"""How far exact closure reaches: what is measured of a mechanism of the corpus, and the table of all."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
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

__all__ = ["Reach", "Run", "measured", "page"]

_RESIDUAL, _ITERATIONS = "closure.residual", "closure.iterations"
#: By this the length changes in the second verification.
_CHANGE = 1.1


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
    before = process_time()
    try:
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
    closed = [row for row in rows if not row.problem and row.unknowns]
    exact = [row for row in closed if not row.iterated]
    times = [row.seconds for row in closed]
    lines = [
        "# Reach of the exact closure",
        "",
        "Mechanisms by topology (`cross_check/closures/`), with their lengths as parameters. Iterated are",
        "the unknowns of blocks that are left to Newton iteration. The degree is the largest of any step;",
        "roots of degree 3 and more are found by bounded iteration in one unknown. CPU seconds lead from the",
        "description to closed loops. FMUs are verified over their motion, with all lengths as they are and",
        "with one that is 10 % longer. Newton iterations of the motion stand behind the verdict.",
        "",
        f"- without a Newton block: {len(exact)} of {len(closed)} mechanisms ({_share(exact, closed)})",
        f"- closed without any iteration in one unknown, too: {sum(row.degree <= 2 for row in exact)}",
        f"- CPU time: median {statistics.median(times):.1f} s, at most {max(times):.1f} s",
        "",
    ]
    for family in dict.fromkeys(row.family for row in rows):
        lines += [f"## {family.capitalize()}", "", _HEAD]
        lines += [_row(row) for row in rows if row.family == family]
        lines.append("")
    return "\n".join(lines)


def _share(part: Sequence[Reach], whole: Sequence[Reach]) -> str:
    return f"{100 * len(part) / max(len(whole), 1):.0f} %"


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
