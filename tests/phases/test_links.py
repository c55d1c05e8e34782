"""Links that end in a ball, and angles that do not matter to a constraint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fmugen.builder import ModelBuilder
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.model import SystemModel, default_parameters
from fmugen.ir.options import ExportOptions
from fmugen.ir.steps import PolynomialStep
from fmugen.phases.formulate import formulate
from fmugen.phases.formulate.links import BALL, FREE, PIN
from fmugen.phases.graph import build_graph
from fmugen.phases.triangularize import solution_flow
from fmugen.phases.triangularize.assemble import assemble
from fmugen.phases.triangularize.measures import measures_of
from fmugen.pipeline import Compilation
from fmugen.trees import select_trees
from tests.support import NumericDae, example


def hung(*, aimed: bool, balls: bool = False) -> SystemModel:
    """A plate on a ball, whose other two corners a crank and a link hold.

    The link has a cross and a ball, or two ``balls``, about whose line its attitude spins last.
    """
    corner: object = [0.1, 0.05, 0.6]
    foot: object = {"position": [0, 0, 0], "toward": "top"} if aimed else [0, 0, 0]
    own: object = {"position": [0, 0, 0], "toward": "end"} if balls else [0, 0, 0]
    builder = (
        ModelBuilder("Hung", space="spatial", gravity=[0, 0, -9.81])
        .ground_point("hinge", -0.3, 0.1, 0.7)
        .ground_point("cross", 0.2, 0.9, 0.3)
        .body(
            "plate",
            mass=1,
            inertia=[0.1, 0.1, 0.1],
            points={"foot": foot, "top": corner, "side": [0.1, 0.4, 0.3]},
        )
        .body("crank", mass=1, inertia=[0.1, 0.1, 0.1], points={"end": [0.35, 0.02, -0.1]})
        .body("link", mass=1, inertia=[0.1, 0.1, 0.1], points={"own": own, "end": [0.02, -0.5, 0.01]})
        .spherical("ball", "ground", "plate.foot", attitude="xyz")
        .revolute("pin", "ground.hinge", "crank", axis=[0, 1, 0])
        .spherical("top", "crank.end", "plate.top", attitude="zyx")
        .spherical("side", "link.end", "plate.side", attitude="zyx")
        .start("pin.angle", 0.1, fixed=False)
    )
    if balls:
        builder.spherical("cross", "ground.cross", "link.own", attitude="xyz")
    else:
        builder.universal("cross", "ground.cross", "link", axis=[0, 0, 1], second_axis=[1, 0, 0])
    return builder.trees("chain", ["ball", "pin", "cross"], ["ball", "pin", "cross"]).build()


def strut() -> SystemModel:
    """A McPherson strut: its upper ball is beside its axis, and an arm with a skew axis carries the wheel."""
    return (
        ModelBuilder("Strut", space="spatial", gravity=[0, 0, -9.81])
        .ground_point("hinge", 0, 0.3, 0.2)
        .ground_point("top", -0.03, 0.55, 0.95)
        .body("arm", mass=1, inertia=[0.1, 0.1, 0.1], points={"in": [0, -0.2, 0], "out": [0.02, 0.25, -0.02]})
        .body(
            "wheel", mass=1, inertia=[0.1, 0.1, 0.1], points={"ball": [0.02, 0, -0.2], "on": [0, -0.1, 0.2]}
        )
        .body("strut", mass=1, inertia=[0.1, 0.1, 0.1], points={"in": [0, 0, -0.2], "end": [-0.02, 0, 0.2]})
        .revolute("pin", "ground.hinge", "arm.in", axis=[1, 0.05, 0.03])
        .spherical("ball", "arm.out", "wheel.ball")
        .add("joints", "sleeve", "cylindrical", "wheel.on", "strut.in", axis=[0.03, -0.2, 1])
        .spherical("mount", "strut.end", "ground.top")
        .trees("chain", ["pin", "ball", "sleeve"], ["pin", "ball", "sleeve"])
        .build()
    )


def linked(model: SystemModel, *kinds: int) -> Dae:
    graph = build_graph(model)
    return formulate(model, graph, select_trees(model, graph, "chain"), linked_by=kinds)


def chosen(model: SystemModel) -> tuple[Dae, SolutionFlow]:
    formulation = Compilation(model, ExportOptions("chain"))
    return formulation.dae, formulation.flow


def rows_of(dae: Dae) -> dict[str, set[str]]:
    names = [coordinate.name for coordinate in dae.coordinates]
    return {row.name: {names[number] for number in row.jacobian} for row in dae.constraints}


def test_the_length_of_a_link_is_free_of_its_cross() -> None:
    rows = rows_of(Compilation(hung(aimed=False), ExportOptions("chain")).formulated)
    plate = {"ball.angle1", "ball.angle2", "ball.angle3"}
    assert rows["side, length"] == plate
    assert rows["side, axis"] == {*plate, "cross.angle1"}
    assert rows["side, normal"] == {*plate, "cross.angle1", "cross.angle2"}


def test_length_and_axis_of_a_link_are_free_of_its_pin() -> None:
    rows = rows_of(linked(hung(aimed=False), PIN))
    plate = {"ball.angle1", "ball.angle2", "ball.angle3"}
    assert rows["top, length"] == rows["top, axis"] == plate
    assert rows["top, normal"] == {*plate, "pin.angle"}


def test_the_length_of_a_link_is_free_of_its_ball_and_its_spin_matters_nowhere() -> None:
    rows = rows_of(linked(hung(aimed=True, balls=True), BALL))
    plate = {"ball.angle1", "ball.angle2", "ball.angle3"}
    assert rows["side, length"] == plate
    assert rows["side, axis"] == rows["side, normal"] == {*plate, "cross.angle1", "cross.angle2"}


def test_a_loop_seen_from_the_neighbour_of_a_free_body_has_its_turn_alone() -> None:
    """No step is left to iteration: the arm's angle first, then the attitude on it."""
    dae = linked(strut(), FREE)
    assert [row.name for row in dae.constraints][1:] == [f"mount, {axis} of arm" for axis in "xyz"]
    flow = solution_flow(strut(), dae, Closure.TRIANGULAR, alternatives=False)
    assert left(flow) == (0, 0)
    assert len(flow.dependent) == 4


@pytest.mark.parametrize("kind", [PIN, BALL, FREE])
def test_rows_in_other_axes_give_the_same_motion(kind: int) -> None:
    """Positions of the one close the loops of the other, and accelerations are the same."""
    model = strut() if kind == FREE else hung(aimed=True, balls=True)
    plain = NumericDae(model, "chain")
    by_length = NumericDae(model, "chain", dae=linked(model, kind))
    assert rows_of(plain.dae).keys() != rows_of(by_length.dae).keys()
    start = solution_flow(model, plain.dae, Closure.NEWTON)
    random = np.random.default_rng(5)
    for _ in range(3):
        away = np.array(start.positions) + 0.1 * random.standard_normal(plain.n)
        q, v = plain.close(away, random.standard_normal(plain.n))
        _, _, _, _, nu, phi = by_length.terms(q, v)
        assert np.abs(phi).max() < 1e-13
        assert np.abs(by_length.terms(q, v)[1] @ v - nu).max() < 1e-12
        assert np.allclose(by_length.solve(q, v)[0], plain.solve(q, v)[0], rtol=1e-9, atol=1e-9)


def test_links_are_written_by_their_length_where_that_leaves_less_to_iteration() -> None:
    """A pin saves one of four iterated unknowns, a ball the root of a polynomial; the rest is exact."""
    for model, before, after, row in (
        (hung(aimed=False), (4, 0), (3, 0), "top, length"),
        (hung(aimed=True, balls=True), (0, 1), (0, 0), "side, length"),
    ):
        plain = Compilation(model, ExportOptions("chain")).formulated
        assert left(solution_flow(model, plain, Closure.TRIANGULAR)) == before
        dae, flow = chosen(model)
        assert left(flow) == after
        assert row in rows_of(dae)
        assert row not in rows_of(plain)
    assert "top, length" not in rows_of(chosen(hung(aimed=True))[0])


def left(flow: SolutionFlow) -> tuple[int, int]:
    """How many unknowns are iterated, and how many are roots of polynomials."""
    steps = [step for block in flow.blocks for step in block.steps or ()]
    return flow.iterated, sum(isinstance(step, PolynomialStep) for step in steps)


@pytest.mark.parametrize(("aimed", "free"), [(False, set()), (True, {"ball.angle3"})])
def test_the_spin_about_the_line_of_two_balls_moves_neither(aimed: bool, free: set[str]) -> None:
    dae = Compilation(hung(aimed=aimed), ExportOptions("chain")).formulated
    rows = rows_of(dae)
    plate = {"ball.angle1", "ball.angle2", "ball.angle3"}
    present = set().union(*(rows[f"top, {axis}"] for axis in "xyz"))
    assert plate - present == free
    assert "ball.angle3" in rows["side, length"]


def test_a_body_on_two_balls_and_a_link_closes_without_iteration() -> None:
    model = hung(aimed=True)
    flow = solution_flow(model, Compilation(model, ExportOptions("chain")).formulated, Closure.TRIANGULAR)
    assert flow.iterated == 0
    assert max(len(block.rows) for block in flow.blocks) <= 3


@pytest.mark.parametrize(("name", "trees"), [("double_wishbone", "kingpin"), ("spatial_four_bar_skew", "jc")])
def test_rows_of_links_are_differentiated_right(name: str, trees: str) -> None:
    """Where the loops are closed, the Jacobian is that of the rows, and gamma goes with it."""
    model = example(name)
    numeric = NumericDae(model, trees)
    flow = solution_flow(model, numeric.dae, Closure.NEWTON)
    q, v = np.array(flow.positions), np.array(flow.velocities)
    _, jacobian, _, gamma, nu, _ = numeric.terms(q, v)
    step = 1e-6
    columns = []
    for direction in step * np.eye(q.size):
        columns.append((numeric.terms(q + direction, v)[5] - numeric.terms(q - direction, v)[5]) / (2 * step))
    assert np.allclose(np.array(columns).T, jacobian, rtol=0, atol=1e-8)
    assert np.all(np.isfinite(gamma)) and np.all(np.isfinite(nu))


def test_a_reversed_link_is_not_taken_for_a_closed_loop() -> None:
    """From a guess that points the link the other way, where its rows are met, the assembly goes on."""
    model = hung(aimed=True)
    dae = Compilation(model, ExportOptions("chain")).formulated
    defaults = default_parameters(model)
    parameters = [defaults[name] for name in dae.symbols.parameters]
    assembly, q, *_ = assemble(dae, parameters, measures_of(model), planar=False)
    number = [coordinate.name for coordinate in dae.coordinates].index("cross.angle2")
    reversed_guess = float(q[number]) + np.pi
    coordinates = tuple(
        replace(c, guess=reversed_guess if c.name == "cross.angle2" else float(at))
        for c, at in zip(dae.coordinates, q, strict=True)
    )
    _, found, *_ = assemble(
        replace(dae, coordinates=coordinates), parameters, measures_of(model), planar=False
    )
    open_by, _ = assembly.closed(found)
    assert np.abs(open_by).max() < 1e-10
    wrong = q.copy()
    wrong[number] = reversed_guess
    assert np.abs(assembly.closed(wrong)[0]).max() > 0.5
