"""Blocks of loop constraints solved exactly, as the formulation writes them."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from fmugen.algebra import BlockSolution, Budget, Meter, Unsolved, solve_block, stage
from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure
from fmugen.ir.model import default_parameters
from fmugen.ir.options import ExportOptions
from fmugen.ir.steps import GoniometricStep
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation
from tests.algebra.stepping import close, evaluate, every_mode, follow
from tests.support import example

_STATES = 4


@dataclass(frozen=True)
class Mechanism:
    """Equations with a start that satisfies them."""

    dae: Dae
    start: dict[Expr, float]
    blocks: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

    @property
    def angles(self) -> set[int]:
        return {i for i, coordinate in enumerate(self.dae.coordinates) if coordinate.unit == "rad"}

    def numbers(self, names: Sequence[str]) -> list[int]:
        known = [coordinate.name for coordinate in self.dae.coordinates]
        return [known.index(name) for name in names]

    def rows_of(self, unknowns: Sequence[int]) -> list[int]:
        """The constraints in which the unknowns occur."""
        rows = enumerate(self.dae.constraints)
        return [index for index, row in rows if any(number in row.jacobian for number in unknowns)]

    def states(self, rows: Sequence[Expr]) -> list[dict[Expr, float]]:
        """Consistent states near the start, with parameters up to five percent off."""
        source = random.Random(7)
        found: list[dict[Expr, float]] = []
        positions = [coordinate.position for coordinate in self.dae.coordinates]
        for _ in range(_STATES):
            state = {
                symbol: value + source.gauss(0, 0.03)
                if symbol in positions
                else value * source.gauss(1, 0.02)
                for symbol, value in self.start.items()
            }
            closed = close(list(rows), positions, state)
            if closed is not None:
                found.append(closed)
        assert found
        return found


@cache
def mechanism(name: str, trees: str) -> Mechanism:
    model = example(name)
    dae = Compilation(model, ExportOptions(trees)).formulated
    flow = solution_flow(model, dae, Closure.NEWTON)
    defaults = default_parameters(model)
    start = {symbol: defaults[text] for text, symbol in dae.symbols.parameters.items()}
    start |= {c.position: q for c, q in zip(dae.coordinates, flow.positions, strict=True)}
    start |= dict.fromkeys(dae.symbols.inputs.values(), 0.0)
    start[dae.symbols.time] = 0.0
    blocks = ((tuple(sorted(block.unknowns)), tuple(sorted(block.rows))) for block in flow.blocks)
    return Mechanism(dae, start, tuple(blocks))


def kinds(solution: BlockSolution) -> str:
    return " ".join(type(step).__name__.removesuffix("Step") for step in solution.steps)


def solved(
    case: Mechanism,
    unknowns: Sequence[int],
    rows: Sequence[int],
    tolerance: float = 1e-12,
    seconds: float = 5.0,
) -> BlockSolution:
    """The solution of a block, found in ``seconds``, after its steps gave the unknowns of several states."""
    symbols = {number: case.dae.coordinates[number].position for number in unknowns}
    found = [case.dae.constraints[row] for row in rows]
    phi = [expression for row in found for expression in (row.phi, *row.closed)]
    begin = time.process_time()
    solution = solve_block(phi, symbols, case.angles, Meter(Budget()))
    assert time.process_time() - begin < seconds
    assert isinstance(solution, BlockSolution)
    for state in case.states(phi):
        assert follow(solution.steps, symbols, case.angles, state) < tolerance
    return solution


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ("h9.angle", "Goniometric Linear"),
        ("h11.angle", "Goniometric Linear"),
        ("s12.s", "Goniometric LinearAngle"),
    ],
)
def test_slider_crank_with_any_coordinate_known(known: str, expected: str) -> None:
    case = mechanism("slider_crank_uchida", "joint")
    unknowns = [i for i, c in enumerate(case.dae.coordinates) if c.name != known]
    assert kinds(solved(case, unknowns, case.rows_of(unknowns))) == expected


DYAD = "Goniometric LinearAngle"


@pytest.mark.parametrize(
    ("name", "trees", "expected"),
    [
        ("four_bar", "jc", [DYAD]),
        ("four_bar", "aac", [DYAD]),
        ("five_bar", "jc", [DYAD]),
        ("five_bar", "aac", [DYAD]),
        ("andrews", "joint_angles", [DYAD, DYAD, DYAD]),
        ("n_four_bar", "jc", [DYAD, DYAD]),
        ("peaucellier_lipkin", "jc", [DYAD, DYAD, DYAD]),
        ("quick_return", "jc", ["Linear", "Goniometric", "Linear", "Goniometric", "Linear"]),
        ("quick_return", "mcphee", ["Goniometric", "Goniometric"]),
        ("three_rpr", "jc", [DYAD, "Quadratic LinearAngle"]),
        ("slider_crank", "jc", ["Goniometric", "Linear"]),
    ],
)
def test_planar_loops(name: str, trees: str, expected: list[str]) -> None:
    case = mechanism(name, trees)
    assert [kinds(solved(case, *block)) for block in case.blocks] == expected


@pytest.mark.parametrize("trees", ["jc", "aac"])
def test_coupled_loops_end_in_one_sextic(trees: str) -> None:
    """The landing gear with its piston driven: Uchida 4.2.3."""
    case = mechanism("landing_gear", trees)
    block = next(block for block in case.blocks if len(block[0]) == 4)
    solution = solved(case, *block, tolerance=1e-9)
    assert kinds(solution) == "Polynomial Goniometric LinearAngle LinearAngle"
    assert solution.report.stages[0].degree == 6


@pytest.mark.parametrize("name", ["spatial_four_bar", "spatial_four_bar_skew"])
def test_spatial_four_bar(name: str) -> None:
    case = mechanism(name, "jc")
    unknowns, rows = (sorted(number for block in case.blocks for number in block[i]) for i in range(2))
    solution = solved(case, unknowns, rows, seconds=1.0)
    assert kinds(solution).endswith("Goniometric Goniometric LinearAngle")


def test_leg_of_a_gough_stewart_platform() -> None:
    case = mechanism("stewart_gough_uchida", "mixed")
    unknowns = case.numbers(["universal_1.angle1", "universal_1.angle2", "actuator_1.s"])
    solution = solved(case, unknowns, case.rows_of(unknowns))
    assert kinds(solution) == "Quadratic Goniometric LinearAngle"


@pytest.mark.parametrize(
    ("name", "trees", "unknowns", "expected"),
    [
        ("spatial_four_bar", "jc", "bearing hinge joint2 joint1", "Goniometric Goniometric " + DYAD),
        ("spatial_four_bar_skew", "jc", "hinge joint2 joint1", "Goniometric " + DYAD),
        ("five_link_suspension", "mixed", "universal_12 universal_11", DYAD),
    ],
)
def test_every_mode_of_a_link_closes_its_whole_loop(
    name: str, trees: str, unknowns: str, expected: str
) -> None:
    """Its length among the rows, and none with a link that points the other way."""
    case = mechanism(name, trees)
    shown = {c.name.replace(".angle", ""): number for number, c in enumerate(case.dae.coordinates)}
    order = [shown[text] for text in unknowns.split()]
    own = [case.dae.constraints[row] for row in case.rows_of(order)]
    solution = solved(case, order, case.rows_of(order))
    assert [step.unknown for step in solution.steps] == order
    assert kinds(solution) == expected
    balls = {row.origin.edge for row in own}
    loop = [row for row in case.dae.constraints if row.origin.edge in balls]
    assert {row.name.split(", ")[1] for row in loop} >= {"length", "axis", "normal"}
    phi = [expression for row in loop for expression in (row.phi, *row.closed)]
    symbols = {number: case.dae.coordinates[number].position for number in order}
    for state in case.states(phi):
        found = list(every_mode(solution.steps, symbols, state))
        assert 2 <= len(found) <= 2 ** kinds(solution).count("Goniometric")
        for each in found:
            assert max(map(abs, evaluate(phi, each))) < 1e-12


def test_leg_of_a_planar_parallel_robot_from_its_pose() -> None:
    case = mechanism("three_rrr_uchida", "platform_pose")
    knees = case.numbers(["knee_1.angle"])
    rows = case.rows_of(knees)
    pose = set(case.numbers(["pose.x", "pose.y", "pose.angle"]))
    unknowns = sorted({number for row in rows for number in case.dae.constraints[row].jacobian} - pose)
    assert kinds(solved(case, unknowns, rows)) == DYAD


@pytest.mark.parametrize(("name", "trees"), [("four_bar", "aac"), ("five_bar", "aac"), ("four_bar", "jc")])
def test_basis_and_theorem_give_the_same_steps(
    name: str, trees: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = mechanism(name, trees)
    ((unknowns, rows),) = case.blocks
    by_theorem = solved(case, unknowns, rows)
    monkeypatch.setattr(stage, "consequences", lambda ring, rows, samples: [])
    by_basis = solved(case, unknowns, rows)
    assert by_basis.report.stages[0].method == "degrevlex"
    assert kinds(by_basis) == kinds(by_theorem)


def test_double_wishbone() -> None:
    """A carrier on two ball joints, held by an upper arm and a tie rod: no iteration, no approximation.

    The last of the carrier's three angles turns it about the line of its ball joints.
    """
    dag = Dag()
    names = ["arm", "yaw", "pitch", "spin", "rod1", "rod2"]
    unknowns = dict(enumerate(_coordinates(dag, *names)))
    arm, yaw, pitch, spin, rod1, rod2 = unknowns.values()
    known = _coordinates(dag, "x", "y", "z", "rack")
    lengths = [dag.symbol(f"l{i}", SymbolRole.PARAMETER) for i in range(12)]

    def sin(angle: Expr) -> Expr:
        return dag.call("sin", angle)

    def cos(angle: Expr) -> Expr:
        return dag.call("cos", angle)

    def carried(x: Expr, y: Expr, z: Expr) -> list[Expr]:
        """A point of the carrier, from its lower ball joint."""
        y, z = cos(spin) * y - sin(spin) * z, sin(spin) * y + cos(spin) * z
        x, z = cos(pitch) * x + sin(pitch) * z, cos(pitch) * z - sin(pitch) * x
        x, y = cos(yaw) * x - sin(yaw) * y, sin(yaw) * x + cos(yaw) * y
        return [known[0] + x, known[1] + y, known[2] + z]

    upper = carried(lengths[0], dag.zero, dag.zero)
    steering = carried(*lengths[1:4])
    hinge = [lengths[4], lengths[5] + lengths[6] * cos(arm), lengths[7] + lengths[6] * sin(arm)]
    rod = [
        lengths[8] + lengths[9] * sin(rod2),
        known[3] + lengths[9] * cos(rod1) * cos(rod2),
        lengths[10] + lengths[9] * sin(rod1) * cos(rod2),
    ]
    rows = [a - b for a, b in zip([*upper, *steering], [*hinge, *rod], strict=True)]
    begin = time.process_time()
    solution = solve_block(rows, unknowns, set(unknowns), Meter(Budget()))
    assert time.process_time() - begin < 5.0
    assert isinstance(solution, BlockSolution)
    order = [names[step.unknown] for step in solution.steps]
    assert order[0] == "arm"
    assert "Polynomial" not in kinds(solution)
    source = random.Random(3)
    closed = 0
    for _ in range(20):
        state = {symbol: source.uniform(0.3, 1.2) for symbol in [*unknowns.values(), *known, *lengths]}
        found = close(rows, [*unknowns.values(), *known, *lengths], state)
        if found is not None:
            closed += 1
            assert follow(solution.steps, unknowns, set(unknowns), found) < 1e-10
    assert closed > 10


# --- what cannot be solved ---------------------------------------------------------------------------


def _coordinates(dag: Dag, *names: str) -> list[Expr]:
    return [dag.symbol(name, SymbolRole.COORDINATE) for name in names]


def test_a_block_that_is_not_polynomial() -> None:
    dag = Dag()
    x, y = _coordinates(dag, "x", "y")
    for row in (dag.call("sqrt", x) - y, dag.call("sin", x) + x - y):
        answer = solve_block([row], {0: x}, {0}, Meter(Budget()))
        assert isinstance(answer, Unsolved)
        assert "not polynomials" in answer.reason


def test_a_power_of_the_unknown_in_all_terms_is_left_out() -> None:
    """a cos x sin x = b cos x: its cosine is zero in no position of the motion."""
    dag = Dag()
    x = dag.symbol("x", SymbolRole.COORDINATE)
    a, b = (dag.symbol(name, SymbolRole.PARAMETER) for name in ("a", "b"))
    row = dag.call("cos", x) * (a * dag.call("sin", x) - b)
    solution = solve_block([row], {0: x}, [0], Meter(Budget()))
    assert isinstance(solution, BlockSolution)
    assert solution.steps == (GoniometricStep(0, a, dag.zero, b),)


def test_a_block_with_too_few_equations() -> None:
    dag = Dag()
    x, y, z = _coordinates(dag, "x", "y", "z")
    answer = solve_block([dag.call("sin", x) + y - z], {0: x, 1: y}, {0}, Meter(Budget()))
    assert isinstance(answer, Unsolved)
    assert "an equation in one unknown" in answer.reason


def test_a_spent_budget() -> None:
    dag = Dag()
    x, y = _coordinates(dag, "x", "y")
    answer = solve_block([dag.call("sin", x) - y], {0: x}, {0}, Meter(Budget(work=0)))
    assert isinstance(answer, Unsolved)
    assert answer.reason == "0 units of algebra were not enough"


def test_a_cache_changes_neither_the_work_nor_what_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever the budget: a search that is repeated ends where the first one did."""
    monkeypatch.setattr("fmugen.algebra.cache._WORTH_KEEPING", 0)
    case = mechanism("landing_gear", "jc")
    block = max(case.blocks, key=lambda block: len(block[0]))
    symbols = {number: case.dae.coordinates[number].position for number in block[0]}
    rows = [case.dae.constraints[row].phi for row in block[1]]
    outcomes = set()
    for work in (1000, 4000, 300_000):
        monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path / str(work)))
        meters = [Meter(Budget(work)) for _ in range(2)]
        first, again = (solve_block(rows, symbols, case.angles, meter) for meter in meters)
        assert first == again
        assert meters[0].spent == meters[1].spent
        outcomes.add(type(first))
    assert outcomes == {BlockSolution, Unsolved}


def test_a_step_that_the_judge_refuses_is_not_taken() -> None:
    dag = Dag()
    x, y = _coordinates(dag, "x", "y")
    rows = [dag.call("sin", x) - y]
    assert isinstance(solve_block(rows, {0: x}, {0}, Meter(Budget())), BlockSolution)
    assert isinstance(solve_block(rows, {0: x}, {0}, Meter(Budget()), lambda step: math.inf), Unsolved)
