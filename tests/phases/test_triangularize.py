"""Assembly, rank, independent coordinates and blocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fmugen.builder import ModelBuilder
from fmugen.errors import AssemblyError, ClosureError
from fmugen.formulas import parse
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.model import Start, SystemModel, default_parameters
from fmugen.ir.options import ExportOptions
from fmugen.phases.triangularize import solution_flow
from fmugen.phases.triangularize.assemble import Assembly, assemble
from fmugen.phases.triangularize.measures import measures_of
from fmugen.phases.triangularize.motion import reachable_positions
from fmugen.pipeline import Compilation
from tests.models.overconstrained import bennett, sarrus
from tests.support import NumericDae, example


def flow_of(model: SystemModel, trees: str = "aac") -> SolutionFlow:
    return solution_flow(model, Compilation(model, ExportOptions(trees)).formulated, Closure.NEWTON)


def four_bar(third: float = 1.8, **starts: float) -> ModelBuilder:
    builder = ModelBuilder("FourBar").ground_point("D", 2.0, 0)
    for name, length in (("b1", 1.0), ("b2", 2.0), ("b3", third)):
        builder.body(name, mass=1, inertia=1, points={"a": [-length / 2, 0], "b": [length / 2, 0]})
    builder.revolute("h1", "ground", "b1.a").revolute("h2", "b1.b", "b2.a").revolute("h3", "b2.b", "b3.a")
    builder.revolute("h4", "b3.b", "ground.D")
    for name, value in starts.items():
        builder.start(f"{name}.angle", value, fixed=name == "b1")
    return builder


@pytest.mark.parametrize(
    ("name", "freedom"),
    [
        ("pendulum", 1),
        ("double_pendulum", 2),
        ("four_bar", 1),
        ("five_bar", 2),
        ("slider_crank", 1),
        ("quick_return", 0),
        ("three_rrr", 3),
        ("three_rpr", 3),
        ("peaucellier_lipkin", 1),
        ("andrews", 1),
        ("n_four_bar", 1),
        ("stephenson_iii", 0),
        ("landing_gear", 0),
    ],
)
def test_degrees_of_freedom_and_closure_of_the_start(name: str, freedom: int) -> None:
    model = example(name)
    flow = flow_of(model)
    assert flow.degrees_of_freedom == freedom
    assert not flow.redundant
    numeric = NumericDae(model, "aac")
    q, v = np.array(flow.positions), np.array(flow.velocities)
    _, jacobian, _, _, nu, phi = numeric.terms(q, v)
    assert np.abs(phi).max(initial=0.0) < 1e-12
    assert np.abs(jacobian @ v - nu).max(initial=0.0) < 1e-9


def test_assembly_mode_follows_the_guesses() -> None:
    up = flow_of(four_bar(b1=1.0, b2=0.4, b3=-1.3).build())
    down = flow_of(four_bar(b1=1.0, b2=-1.5, b3=0.3).build())
    assert up.positions[0] == pytest.approx(1.0, abs=1e-12)
    assert down.positions[0] == pytest.approx(1.0, abs=1e-12)
    assert abs(up.positions[1] - down.positions[1]) > 1.0


def test_moves_tell_how_far_guesses_were_off() -> None:
    flow = flow_of(four_bar(b1=1.0, b2=0.4, b3=-1.3).build())
    moves = {move.quantity: move.distance for move in flow.moves}
    names = ["b2.angle", "b3.angle"]
    assert list(moves) == names
    values = dict(zip(names, flow.positions[1:], strict=True))
    assert moves["b2.angle"] == pytest.approx(values["b2.angle"] - 0.4)


def test_a_mechanism_that_cannot_close_names_its_loop() -> None:
    with pytest.raises(AssemblyError, match=r"loop h[1-4] .* stays open"):
        flow_of(four_bar(third=0.5, b1=3.1).build())


def test_contradicting_fixed_values_are_refused() -> None:
    builder = four_bar(b1=1.0)
    builder.start("b2.angle", 0.1).start("b3.angle", 0.1)
    with pytest.raises(AssemblyError, match="too many start values may be fixed"):
        flow_of(builder.build())


def test_contradicting_velocities_are_refused() -> None:
    builder = four_bar(b1=1.0, b2=0.4, b3=-1.3).start("b1.omega", 1.0).start("b2.omega", 1.0)
    with pytest.raises(AssemblyError, match="start velocities contradict"):
        flow_of(builder.build())


def redundant_pair() -> SystemModel:
    """A slider guided twice: the second guide says nothing new."""
    builder = ModelBuilder("TwoGuides").body("b1", mass=1, inertia=1, points={"p": [0.5, 0]})
    builder.ground_point("A", 0.5, 0)
    builder.prismatic("guide", "ground", "b1").prismatic("second", "ground.A", "b1.p")
    return builder.build()


def test_redundant_constraints_are_found_and_named() -> None:
    model = redundant_pair()
    dae = Compilation(model, ExportOptions("ac")).formulated
    flow = solution_flow(model, dae, Closure.NEWTON)
    assert flow.degrees_of_freedom == 1
    assert [dae.constraints[row].origin.edge for row in flow.redundant] == ["second", "second"]


def test_a_driver_that_holds_a_singular_start_is_not_redundancy() -> None:
    """A rocker guides a block that the driver starts in the rocker's own centre: only there it may turn."""
    builder = ModelBuilder("Centred").ground_point("B", 0.3, 0)
    builder.body("crank", mass=1, inertia=1, points={"end": [0.3, 0]})
    builder.body("rocker", mass=1, inertia=1).body("block", mass=1, inertia=1)
    builder.revolute("a", "ground", "crank").revolute("b", "ground.B", "rocker")
    builder.revolute("c", "crank.end", "block").prismatic("guide", "rocker", "block", axis=[1, 0])
    builder.rotation_driver("motor", "ground", "crank", "time").start("rocker.angle", np.pi / 2)
    with pytest.raises(AssemblyError, match="the start position is singular"):
        flow_of(builder.build())


def test_a_constraint_of_rounding_is_redundant() -> None:
    """Derivatives of rows that vanish in every position of Bennett's linkage are rounding, not rank."""
    flow = flow_of(bennett().model)
    assert (flow.degrees_of_freedom, len(flow.redundant)) == (1, 3)


def test_guesses_with_huge_derivatives_are_followed() -> None:
    """An angle between bodies that turn freely changes as fast as one likes where their axes are crossed."""
    flow = flow_of(sarrus().model, "ac")
    assert (flow.degrees_of_freedom, len(flow.redundant)) == (1, 1)


def test_drivers_that_contradict_each_other_are_refused() -> None:
    """Also where they determine all motion, so that no coordinate is left."""
    builder = ModelBuilder("Torn").body("shaft", mass=1, inertia=1).revolute("bearing", "ground", "shaft")
    builder.rotation_driver("first", "ground", "shaft", "time")
    builder.rotation_driver("second", "ground", "shaft", "time + 0.1")
    model = builder.build()
    with pytest.raises(AssemblyError, match=r"loop second .* stays open by 0\.1"):
        flow_of(model)


def test_blocks_are_the_strongly_connected_parts() -> None:
    """The quick-return mechanism solves its two loops one after the other (McPhee, after (119))."""
    model = example("quick_return")
    flow = flow_of(model)
    assert [len(block.rows) for block in flow.blocks] == [1, 1]
    dae = Compilation(model, ExportOptions("aac")).formulated
    first, second = flow.blocks
    assert set(dae.constraints[first.rows[0]].jacobian) == set(first.unknowns)
    assert set(second.unknowns) < set(dae.constraints[second.rows[0]].jacobian)


def test_each_block_needs_only_earlier_ones() -> None:
    for name in ("andrews", "peaucellier_lipkin", "n_four_bar"):
        model = example(name)
        dae = Compilation(model, ExportOptions("ac")).formulated
        flow = solution_flow(model, dae, Closure.NEWTON)
        known = set(flow.independent)
        for block in flow.blocks:
            known |= set(block.unknowns)
            for row in block.rows:
                assert set(dae.constraints[row].jacobian) <= known
        assert known == set(range(len(dae.coordinates)))


def test_a_fixed_start_coordinate_is_kept_independent() -> None:
    model = four_bar(b1=1.0, b2=0.4, b3=-1.3).build()
    dae = Compilation(model, ExportOptions("aac")).formulated
    flow = solution_flow(model, dae, Closure.NEWTON)
    assert [dae.coordinates[i].name for i in flow.independent] == ["b1.angle"]


# --- independent coordinates by name, positions along the motion ------------------------------------------


def test_the_coordinates_named_are_independent() -> None:
    model = four_bar(b1=1.0, b2=0.4, b3=-1.3).independent("b3.angle").build()
    dae = Compilation(model, ExportOptions("aac")).formulated
    for closure in (Closure.TRIANGULAR, Closure.NEWTON):
        flow = solution_flow(model, dae, closure)
        assert [dae.coordinates[number].name for number in flow.independent] == ["b3.angle"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("h1.angle",), "these trees have no such coordinate"),
        (
            ("b1.angle", "b2.angle"),
            "1 degree of freedom besides its drivers, but 2 independent coordinates named; name exactly 1",
        ),
    ],
)
def test_coordinates_that_cannot_be_independent(names: tuple[str, ...], message: str) -> None:
    model = four_bar(b1=1.0, b2=0.4, b3=-1.3).independent(*names).build()
    with pytest.raises(ClosureError, match=message):
        flow_of(model)


def test_a_coordinate_that_determines_nothing_at_the_start() -> None:
    """At a dead centre of the slider-crank the slide does not tell where the crank goes."""
    dead = Start("h9.angle", parse("0"), fixed=True)
    model = replace(example("slider_crank_uchida"), independent=("s12.s",), starts=(dead,))
    with pytest.raises(ClosureError, match=r"s12.s cannot be independent: at the start"):
        flow_of(model, "joint")


@pytest.mark.parametrize("name", ["four_bar", "quick_return", "three_rrr"])
def test_positions_along_the_motion_are_closed_and_different(name: str) -> None:
    model = example(name)
    dae = Compilation(model, ExportOptions("aac")).formulated
    defaults = default_parameters(model)
    parameters = [defaults[parameter] for parameter in dae.symbols.parameters]
    assembly, q, *_ = assemble(dae, parameters, measures_of(model), planar=True)
    found = reachable_positions(assembly, q, model.experiment.stop)
    assert len(found) >= 8
    for position in found:
        residual, _ = assembly.constraints(position.q, time=position.time)
        assert np.abs(residual).max() < 1e-11
    assert max(np.abs(position.q - q).max() for position in found) > 0.5


@pytest.mark.parametrize(("kind", "turns"), [("revolute", 0), ("screw", 2)])
def test_an_angle_in_space_starts_in_the_turn_nearest_to_zero(kind: str, turns: int) -> None:
    made = ModelBuilder("Part", space="spatial").body("part", mass=1, inertia=[0.1, 0.1, 0.1])
    if kind == "screw":
        made.screw("pin", "ground", "part", lead=0.5).start("pin.s", 0.5 * (2 + 0.3 / (2 * np.pi)))
    else:
        made.revolute("pin", "ground", "part")
    model = made.build()
    dae = Compilation(model, ExportOptions("aac")).formulated
    defaults = default_parameters(model)
    assembly = Assembly(dae, [defaults[parameter] for parameter in dae.symbols.parameters])
    place = next(number for number, c in enumerate(dae.coordinates) if c.name == "pin.angle")
    q = np.array([0.5 * (2 + 0.3 / (2 * np.pi))] * len(dae.coordinates))
    q[place] = 0.3 + 4 * np.pi
    assert assembly.fewest_turns(q)[place] == pytest.approx(0.3 + 2 * np.pi * turns)
