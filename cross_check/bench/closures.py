"""Exact closure against iteration and stabilization, timed from C, with the ratios of Uchida's thesis beside.

    cd cross_check; python -m bench.closures [NAME ...] [--output FILE]

Every mechanism runs once with its exact closure; all closures then follow that motion in one process, in
turns, with the same coordinates, the same independent ones and the same order of loops. Iteration starts from
the position found last, as in the thesis. Kinematic is the time for the dependent coordinates, dynamic that
for one right-hand side of the equations of motion; both are CPU nanoseconds, low quantiles of many rounds.
Iterations are those of all blocks that a position takes, with the time of each.

The rivals of the thesis eliminate full systems, so do those here that its ratios stand beside. Our own
elimination passes over zeros, which is several times faster where all loops are one system; what it makes
of iteration is in the columns ``sparse``. How good a rival iteration over all is, is told by its time over
that of iteration by loops.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from element_views import drivers_of, with_views
from pages import kept_page, names_and_page

from bench import vehicle
from bench.timing import Times, closure_stopwatch, times_of_closures
from fmugen.ir.flow import EMBEDDED, Closure, SolutionFlow
from fmugen.ir.fmu import SolverSettings
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.phases.compile import compile_library
from fmugen.phases.describe import describe
from fmugen.phases.embedding import embed
from fmugen.phases.emit import emit_sources
from fmugen.phases.lower import lower_program
from fmugen.phases.read import read_model
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation
from fmugen.resources import runtime_sources

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
PROBE = (HERE / "closure_probe.c").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Rival:
    """A closure to compare the exact one with; a tolerance belongs to iteration alone."""

    closure: Closure
    tolerance: float | None = None
    sparse: bool = False

    def __str__(self) -> str:
        tolerance = f" {self.tolerance:g}" if self.tolerance else ""
        return self.closure.value + tolerance + (", sparse" if self.sparse else "")


RIVALS = (
    Rival(Closure.NEWTON, 1e-3),
    Rival(Closure.NEWTON, 1e-6),
    Rival(Closure.NEWTON_ALL, 1e-3),
    Rival(Closure.NEWTON_ALL, 1e-6),
    Rival(Closure.BAUMGARTE),
    Rival(Closure.PENALTY),
    Rival(Closure.NEWTON_ALL, 1e-3, sparse=True),
    Rival(Closure.NEWTON_ALL, 1e-6, sparse=True),
)
#: What makes the elimination of the runtime pass over zeros.
PASSES_OVER_ZEROS = "factor != 0.0 && "
#: What an exact closure must iterate it iterates to the tolerance of the thesis.
ITERATED = 1e-6
STEPS = 1000
ROUNDS = 60

Ratios = tuple[float | None, ...]


@dataclass(frozen=True)
class Case:
    """A mechanism, the table of the thesis, and its ratios (MS compiler) in the order of RIVALS."""

    name: str
    trees: str
    table: str = ""
    kinematic: Ratios = ()
    dynamic: Ratios = ()
    independent: tuple[str, ...] = ()
    driven: str = ""
    step: float = 1e-3

    @property
    def title(self) -> str:
        by = f", {self.driven} driven" if self.driven else ""
        return f"{self.name}, {self.trees}{by}" + (f" (table {self.table})" if self.table else "")

    def model(self) -> SystemModel:
        model = replace(read_model(EXAMPLES / self.name / "model.toml"), outputs=())
        if self.driven:
            model = driven_elsewhere(model, self.driven)
        return replace(model, independent=self.independent or model.independent)


def driven_elsewhere(model: SystemModel, body: str) -> SystemModel:
    """The six-bar with its motor on another leg, whose swing is about that of the motion of the thesis."""
    (motor,) = drivers_of(model)
    swing = {"swing_middle": 2.98, "swing_amplitude": 0.55}
    parameters = tuple(replace(p, value=swing.get(p.name, p.value)) for p in model.parameters)
    return with_views(
        model,
        drivers=(replace(motor, head=replace(motor.head, body=body)),),
        parameters=parameters,
    )


#: Where the thesis has one Newton procedure only, it is that over all constraints.
CASES = (
    Case(
        "three_rrr_uchida",
        "platform_pose",
        "4.9",
        (None, None, 2.8, 5.1),
        (None, None, 1.8, 2.4),
        ("pose.x", "pose.y", "pose.angle"),
    ),
    Case(
        "stewart_gough_uchida",
        "mixed",
        "4.10",
        (2.1, 3.4, 14.0, 27.3),
        (1.3, 1.6, 4.4, 7.8, 4.2, 8.3),
        tuple(f"platform.{part}" for part in ("x", "y", "z", "angle1", "angle2", "angle3")),
    ),
    Case(
        "five_link_suspension",
        "mixed",
        "5.2",
        (None, 1.8, None, 8.7),
        (None, 1.2, None, 3.6, 1.8, 1.9),
        ("carrier.z",),
    ),
    Case("double_wishbone", "kingpin", "5.4", (None, None, 1.25)),
    # Tyres at standstill are stiff. The thesis iterates over approximated equations.
    Case("rear_suspension", "kingpin", "5.5", (None, None, 1.25), step=1e-4),
    Case("stephenson_iii", "aac", "4.4", (None, None, 1.8, 1.6)),
    Case("stephenson_iii", "aac", "4.5", (None, None, 3.2, 4.4), driven="leg_3"),
    Case("slider_crank_uchida", "aac"),
    Case("spatial_four_bar", "jc"),
    Case("landing_gear", "aac"),
    Case("andrews", "aac", step=1e-5),
)


def variants(formulation: Compilation, flow: SolutionFlow) -> Iterator[tuple[dict[str, str], str]]:
    """Sources and guid of the exact closure, then of each rival."""
    yield sources(formulation, flow, ITERATED if flow.iterated else None)
    iterated = replace(flow, blocks=tuple(replace(block, steps=()) for block in flow.blocks), alternatives=())
    for rival in RIVALS:
        made, guid = sources(formulation, replace(iterated, closure=rival.closure), rival.tolerance)
        yield made if rival.sparse else made | full_elimination(), guid


def full_elimination() -> dict[str, str]:
    """The file of the runtime that eliminates, without regard to zeros."""
    name = "linear.c"
    text = next(path.read_text(encoding="utf-8") for path in runtime_sources() if path.name == name)
    if PASSES_OVER_ZEROS not in text:
        raise ValueError(f"{name} has no place where it passes over zeros: {PASSES_OVER_ZEROS}")
    return {name: text.replace(PASSES_OVER_ZEROS, "")}


def sources(
    formulation: Compilation, flow: SolutionFlow, tolerance: float | None
) -> tuple[dict[str, str], str]:
    model, dae = formulation.model, formulation.formulated
    motions = [embed(dae, each) for each in flow.sets] if flow.closure in EMBEDDED else []
    program = lower_program(model, dae, flow, motions)
    guid = f"{model.name} {flow.closure.value} {tolerance}"
    settings = SolverSettings(method=Solver.RK4)
    made = emit_sources(program, describe(model, program.calculated, guid, settings=settings))
    if tolerance is not None:
        made["model.h"] = f"#define MODEL_NEWTON_TOLERANCE {tolerance!r}\n{made['model.h']}"
    return made | {"closure_probe.c": PROBE}, guid


def measure(program: Path, case: Case) -> tuple[SolutionFlow, list[Times]]:
    formulation = Compilation(case.model(), ExportOptions(case.trees))
    flow = solution_flow(formulation.model, formulation.formulated, Closure.TRIANGULAR)
    libraries = []
    for number, (made, guid) in enumerate(variants(formulation, flow)):
        library = program.with_name(f"closure_{number}.so")
        library.write_bytes(compile_library(made))
        libraries.append((library, guid))
    return flow, times_of_closures(program, libraries, case.step, STEPS, ROUNDS)


def cells(own: float, others: Sequence[float | None], thesis: Sequence[float | None]) -> list[str]:
    """Ratios to the exact closure, those of the thesis in brackets; nothing where a rival has no time."""
    padded = [*thesis, *([None] * (len(others) - len(thesis)))]
    return [cell(own, other, printed) for other, printed in zip(others, padded, strict=True)]


def cell(own: float, other: float | None, printed: float | None) -> str:
    if other is None:
        return ""
    ratio = "stops" if math.isnan(other) else f"{other / own:.1f}"
    return f"{ratio} ({printed})" if printed else ratio


def rows(program: Path, case: Case) -> Iterator[list[str]]:
    flow, (exact, *others) = measure(program, case)
    timed = list(zip(others, RIVALS, strict=True))
    positions = [time.positions if rival.tolerance else None for time, rival in timed]
    kinematic = cells(exact.positions, positions, case.kinematic)
    yield [
        case.title,
        "kinematic",
        f"{exact.positions:.0f}",
        *kinematic,
        str(flow.iterated),
        f"{exact.residual:.0e}",
    ]
    dynamic = cells(exact.motion, [time.motion for time in others], case.dynamic)
    yield ["", "dynamic", f"{exact.motion:.0f}", *dynamic, "", ""]
    effort = [iteration(time) if rival.tolerance else "" for time, rival in timed]
    yield ["", "iterations", f"{exact.iterations:.2f}", *effort, "", ""]
    yield ["", "over all / by loops", "", *over_loops(others, case.kinematic), "", ""]


def over_loops(others: Sequence[Times], thesis: Ratios) -> list[str]:
    """How many times longer than by loops iteration over all takes, which tells how good a rival it is."""
    found = []
    for number, rival in enumerate(RIVALS):
        loops = RIVALS.index(Rival(Closure.NEWTON, rival.tolerance)) if rival.tolerance else 0
        if rival.closure is not Closure.NEWTON_ALL:
            found.append("")
            continue
        upper, lower = (thesis[k] if k < len(thesis) else None for k in (number, loops))
        printed = round(upper / lower, 1) if upper and lower else None
        found.append(cell(others[loops].positions, others[number].positions, printed))
    return found


def iteration(time: Times) -> str:
    """Iterations that close the loops of a position, and the nanoseconds that each takes."""
    if math.isnan(time.positions):
        return "stops"
    return f"{time.iterations:.2f} of {time.positions / max(time.iterations, 1.0):.0f} ns"


def main(arguments: list[str]) -> int:
    names, page = names_and_page(
        "bench.closures", arguments, [*dict.fromkeys(case.name for case in CASES), vehicle.NAME]
    )
    with kept_page(page):
        print_tables(names)
        if not names or vehicle.NAME in names:
            print()
            vehicle.print_tables()
    return 0


def print_tables(names: list[str]) -> None:
    print("Exact closure in nanoseconds; the others as multiples of it (the thesis's in brackets).\n")
    print(f"| model | | exact | {' | '.join(map(str, RIVALS))} | iterated unknowns | residual |")
    print("|---|---|---|" + "---|" * (len(RIVALS) + 2))
    with tempfile.TemporaryDirectory() as folder:
        program = closure_stopwatch(Path(folder))
        for case in CASES:
            if not names or case.name in names:
                for row in rows(program, case):
                    print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
