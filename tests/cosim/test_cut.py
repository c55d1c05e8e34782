"""Parts of models: what goes where, what is cut, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from element_views import joints_of, loads_of

from fmugen.cosim.auto import find_partition
from fmugen.cosim.cut import CutKind, cut_model
from fmugen.cosim.partition import read_partition
from fmugen.errors import ModelError
from fmugen.formulas import evaluate, parse
from fmugen.ir.model import Output
from fmugen.ir.split import Members, Method, Partition
from tests.cosim.models import LEGS, LINKS, ROD_AND_BEAD, THIRDS, bead, double_pendulum
from tests.support import example


def test_the_hips_of_a_manipulator_are_cut_at_points() -> None:
    pieces = cut_model(example("three_rrr_driven"), LEGS)
    assert pieces.hub == "platform"
    assert [(cut.joint, cut.kind) for cut in pieces.cuts] == [
        (f"hip_{leg}", CutKind.POINT) for leg in (1, 2, 3)
    ]
    leg = pieces.models["leg_2"]
    assert [body.name for body in leg.bodies] == ["shank_2", "thigh_2"]
    assert [joint.name for joint in joints_of(leg)] == ["ankle_2", "knee_2"]
    assert [load.name for load in loads_of(leg)] == ["motor_2"]
    assert [variable.name for variable in leg.inputs] == ["tau_2"]
    assert [point.name for point in leg.ground] == ["base_2"]
    assert "platform_mass" not in {parameter.name for parameter in leg.parameters}


def test_the_shares_of_a_cut_body_add_up_to_it() -> None:
    model = example("three_rrr_driven")
    pieces = cut_model(model, THIRDS)
    assert {cut.kind for cut in pieces.cuts if cut.joint == ""} == {CutKind.FRAME}
    values = {parameter.name: parameter.value for parameter in model.parameters}
    shares = [body for part in pieces.models.values() for body in part.bodies if body.name == "platform"]
    assert len(shares) == 3
    assert sum(evaluate(body.mass, values) or 0 for body in shares) == pytest.approx(8.0)
    assert sum(evaluate(body.inertia.zz, values) or 0 for body in shares) == pytest.approx(0.0817)


def test_a_joint_that_is_no_pin_stays_whole_beside_a_share_of_the_far_body() -> None:
    pieces = cut_model(bead(), ROD_AND_BEAD)
    assert [body.name for body in pieces.models["rider"].bodies] == ["rod", "bead"]
    assert [joint.name for joint in joints_of(pieces.models["rider"])] == ["guide"]
    assert [cut.kind for cut in pieces.cuts] == [CutKind.FRAME]


def test_names_of_cuts_do_not_clash_with_outputs() -> None:
    [cut] = cut_model(double_pendulum(), LINKS).cuts
    assert cut.name == "knee_cut"


def test_what_uses_two_parts_is_refused_by_name() -> None:
    model = double_pendulum()
    outputs = (Output("bend", parse("knee.angle")), Output("both", parse("upper.angle + lower.angle")))
    with pytest.raises(ModelError) as caught:
        cut_model(replace(model, outputs=outputs), LINKS)
    bend, both = (str(problem) for problem in caught.value.problems)
    assert bend.startswith("outputs.bend: 'knee.angle' is not known where the joint is cut")
    assert both.startswith("outputs.both: uses elements of different parts: lower in bottom, upper in top")


def test_a_partition_must_cover_the_bodies() -> None:
    parts = Partition((Members("top", ("upper", "middle")),))
    with pytest.raises(ModelError) as caught:
        cut_model(double_pendulum(), parts)
    assert [problem.message for problem in caught.value.problems] == [
        "there is no body 'middle'",
        "no part has the body 'lower'",
        "there is only one part",
    ]


def test_a_file_of_parts(tmp_path: Path) -> None:
    path = tmp_path / "parts.toml"
    path.write_text(
        'method = "denoc"\nhub = "a"\n[parts.a]\nbodies = ["x"]\n[parts.b]\nbodies = ["y", "z"]\n'
    )
    assert read_partition(path) == Partition(
        (Members("a", ("x",)), Members("b", ("y", "z"))), Method.DENOC, "a", str(path)
    )


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "parts.toml"
    path.write_text('method = "glue"\nhub = "c"\nmass = 1\n[parts.a]\nbody = ["x"]\n')
    with pytest.raises(ModelError) as caught:
        read_partition(path)
    assert [problem.place for problem in caught.value.problems] == ["parts.a.bodies", "method", "hub", "mass"]


@pytest.mark.parametrize(
    ("name", "hub", "sizes"),
    [
        ("three_rrr_driven", ("platform",), [2, 2, 2]),
        ("stewart_gough", ("m3",), [2, 2, 2, 2, 2, 2]),
        ("five_bar", ("m1", "m2"), [2]),
    ],
)
def test_parts_are_found(name: str, hub: tuple[str, ...], sizes: list[int]) -> None:
    partition = find_partition(example(name))
    assert partition.parts[0].bodies == hub
    assert [len(part.bodies) for part in partition.parts[1:]] == sizes


def test_a_model_that_cannot_be_cut_at_points_is_refused() -> None:
    with pytest.raises(ModelError, match="no joint between bodies that can be cut at its point"):
        find_partition(example("pendulum"))


@pytest.mark.parametrize("name", ["pipe_network", "motor_slider_crank"])
def test_a_model_with_a_network_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="a model with a network is not split"):
        find_partition(example(name))
