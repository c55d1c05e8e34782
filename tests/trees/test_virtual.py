"""Virtual joints that the program proposes: where axes are parallel for certain, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from element_views import Joint, JointType, joints_of, with_views
from typer.testing import CliRunner

import fmugen.trees.search
from fmugen.cli import app
from fmugen.errors import TreeError
from fmugen.formulas import parse
from fmugen.ir.flow import Closure
from fmugen.ir.formula import ZERO, constant
from fmugen.ir.graph import Role
from fmugen.ir.model import GROUND, Attachment, NamedTrees, Output, Parameter, SystemModel, Vector
from fmugen.ir.options import ExportOptions
from fmugen.phases.graph import build_graph
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation
from fmugen.trees import select_trees
from fmugen.trees.search import search_trees, tree_cost
from fmugen.trees.store import apply_result
from fmugen.trees.virtual import propose_virtual_joints
from tests.support import EXAMPLES, NumericDae, example

ALONG_Y: Vector = (ZERO, constant(1), ZERO)
ALONG_Z: Vector = (ZERO, ZERO, constant(1))


def without_virtual_joints(name: str) -> SystemModel:
    model = example(name)
    virtual = {joint.name for joint in joints_of(model) if joint.type is JointType.VIRTUAL}
    return with_views(
        model,
        joints=tuple(joint for joint in joints_of(model) if joint.name not in virtual),
        starts=tuple(start for start in model.starts if start.quantity.split(".")[0] not in virtual),
        trees=(),
    )


def serial(**changes: Mapping[str, object]) -> SystemModel:
    """The serial manipulator without its virtual joint, some of its joints changed."""
    model = without_virtual_joints("spatial_serial")
    joints = tuple(replace(joint, **changes.get(joint.name, {})) for joint in joints_of(model))  # type: ignore[arg-type]
    return with_views(model, joints=joints)


def proposed(model: SystemModel) -> list[Joint]:
    return list(joints_of(propose_virtual_joints(model))[len(joints_of(model)) :])


# --- what is proposed -----------------------------------------------------------------------------


def test_the_joint_that_leger_added_by_hand_is_proposed() -> None:
    (joint,) = proposed(serial())
    by_hand = next(joint for joint in joints_of(example("spatial_serial")) if joint.name == "vp16")
    assert joint.name == "virtual_m1_m3"
    assert (joint.tail, joint.head, joint.like) == (by_hand.tail, by_hand.head, by_hand.like)
    assert [component.number for component in joint.axis] == [1, 0, 0]


@pytest.mark.parametrize("name", ["spatial_serial", "pendulum", "tumbling_body", "bricard", "stewart_gough"])
def test_a_model_that_needs_none_is_itself(name: str) -> None:
    model = example(name)
    assert propose_virtual_joints(model) is model


def test_bodies_of_the_plane_are_joined_along_chains() -> None:
    assert [(j.tail.node, j.head.node, j.like) for j in proposed(example("four_bar"))] == [
        ("m1", "m3", JointType.FREE)
    ]


@pytest.mark.parametrize("name", ["andrews", "three_rrr", "three_rpr", "landing_gear"])
def test_proposals_are_bounded_in_number(name: str) -> None:
    assert 0 < len(proposed(example(name))) <= 8


def test_names_do_not_clash() -> None:
    model = example("four_bar")
    taken = replace(model, parameters=(*model.parameters, Parameter("virtual_m1_m3", 1.0)))
    assert [joint.name for joint in proposed(taken)] == ["virtual_m1_m3_2"]


def test_coaxial_joints_are_a_cylinder() -> None:
    model = serial(h13={"type": JointType.CYLINDRICAL, "axis": ALONG_Z})
    (joint,) = proposed(model)
    assert (joint.tail, joint.head.body, joint.like) == (Attachment(GROUND), "m2", JointType.CYLINDRICAL)


def test_coaxial_revolutes_are_a_revolute_between_points_of_one_place() -> None:
    model = serial(h13={"axis": ALONG_Z, "head": Attachment("m2")}, h12={"head": Attachment("m1", "head")})
    joint = proposed(model)[0]
    assert (joint.tail.node, joint.head.node, joint.like) == (GROUND, "m2", JointType.REVOLUTE)


def test_equal_formulas_are_parallel_whatever_their_values() -> None:
    tilted = (parse("cos(tilt)"), parse("sin(tilt)"), ZERO)
    model = serial(h13={"axis": tilted}, h14={"axis": tilted})
    model = replace(model, parameters=(*model.parameters, Parameter("tilt", 0.0)))
    assert [joint.name for joint in proposed(model)] == ["virtual_m1_m3"]
    opposite = tuple(parse(f"-({component.text})") for component in tilted)
    turned = [joint if joint.name != "h14" else replace(joint, axis=opposite) for joint in joints_of(model)]
    assert [joint.name for joint in proposed(with_views(model, joints=tuple(turned)))] == ["virtual_m1_m3"]


# --- what is not --------------------------------------------------------------------------------------


def test_skew_axes_get_none() -> None:
    assert proposed(serial(h14={"axis": ALONG_Y})) == []


def test_axes_that_are_parallel_for_one_value_only_get_none() -> None:
    model = serial(h14={"axis": (constant(1), parse("tilt"), ZERO)})
    assert proposed(replace(model, parameters=(*model.parameters, Parameter("tilt", 0.0)))) == []


def test_an_offset_along_the_axis_leaves_no_plane() -> None:
    """The points where the plane is kept are joined; there are none if the arm is offset by a parameter."""
    model = serial()
    m2 = next(body for body in model.bodies if body.name == "m2")
    foot, head = m2.points
    _, y, z = head.position
    offset = replace(m2, points=(foot, replace(head, position=(parse("offset"), y, z))))
    bodies = tuple(offset if body.name == "m2" else body for body in model.bodies)
    parameters = (*model.parameters, Parameter("offset", 0.0))
    assert proposed(with_views(model, bodies=bodies, parameters=parameters)) == []


def test_a_wrong_proposal_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A joint about the wrong axis makes a mechanism of another motion: it is refused when measured."""
    model = serial()
    wrong = Joint(
        "wrong", JointType.VIRTUAL, Attachment("m1"), Attachment("m3"), ALONG_Y, like=JointType.PLANAR
    )
    monkeypatch.setattr(
        fmugen.trees.search,
        "propose_virtual_joints",
        lambda model: with_views(model, joints=(*joints_of(model), wrong)),
    )
    graph = build_graph(model)
    measurement = search_trees(model, graph, Closure.NEWTON)
    using = [c for c in measurement.candidates if "wrong" in c.trees.rotation.branches]
    assert using
    assert all(candidate.cost is None for candidate in using)
    assert apply_result(model, graph, measurement)[0] is model


# --- what they are good for -------------------------------------------------------------------------


def in_trees(model: SystemModel, virtual: str) -> SystemModel:
    rotation, translation = ("h12", "h13", virtual, "b15"), ("h12", "h13", "h14", "b15")
    return replace(model, trees=(NamedTrees("indirect", translation, rotation),))


def test_equations_and_costs_are_those_of_the_joint_by_hand() -> None:
    by_hand = in_trees(example("spatial_serial"), "vp16")
    by_program = in_trees(propose_virtual_joints(serial()), "virtual_m1_m3")
    first, second = (
        tree_cost(model, select_trees(model, build_graph(model), "indirect"), Closure.NEWTON)
        for model in (by_hand, by_program)
    )
    assert first == second


@pytest.mark.slow
def test_measured_trees_use_the_proposal_where_it_pays() -> None:
    by_hand, model = example("spatial_serial"), serial()
    with_it = search_trees(by_hand, build_graph(by_hand), Closure.NEWTON).best
    measurement = search_trees(model, build_graph(model), Closure.NEWTON)
    assert measurement.best.price <= with_it.price
    formulation = Compilation(model, ExportOptions("cheapest"))
    assert "virtual_m1_m3" in formulation.trees.rotation.branches
    assert [joint.name for joint in joints_of(formulation.model)] == [
        *(joint.name for joint in joints_of(model)),
        "virtual_m1_m3",
    ]
    again = Compilation(model, ExportOptions("cheapest"))
    assert (again.model, again.trees) == (formulation.model, formulation.trees)
    assert len(formulation.formulated.coordinates) == 6


@pytest.mark.parametrize(("reaction", "hidden"), [("h13.ty", True), ("h14.tz", True), ("h12.tx", False)])
def test_reactions_that_outputs_ask_for_are_not_hidden(reaction: str, hidden: bool) -> None:
    """With the virtual joint as a branch, nothing is left of the torques that keep its chain in the plane."""
    model = replace(serial(), outputs=(Output("reaction", parse(reaction)),))
    chosen = Compilation(model, ExportOptions("thorough")).trees
    assert not hidden or "virtual_m1_m3" not in chosen.rotation.branches
    named = Compilation(in_trees(propose_virtual_joints(model), "virtual_m1_m3"), ExportOptions("indirect"))
    with pytest.raises(TreeError, match="virtual_m1_m3") if hidden else nullcontext():
        assert named.flow.independent


def test_a_model_that_gains_nothing_is_left_as_it_is() -> None:
    model = example("slider_crank")
    assert Compilation(model, ExportOptions("cheapest")).model == model


def test_other_methods_know_of_no_proposals() -> None:
    model = serial()
    for trees in ("jc", "variable", "formulation"):
        assert Compilation(model, ExportOptions(trees)).model == model


def test_accelerations_do_not_depend_on_the_proposal() -> None:
    kinds = ("ax", "ay", "az", "alphax", "alphay", "alphaz")
    names = [f"{body}.{kind}" for body in ("m1", "m2", "m3", "m4") for kind in kinds]
    names += ["virtual_m1_m3.angle", "virtual_m1_m3.omega", "h14.fx", "h12.ty", "b15.fz"]
    outputs = tuple(Output(name.replace(".", "__"), parse(name)) for name in names)
    model = replace(in_trees(propose_virtual_joints(serial()), "virtual_m1_m3"), outputs=outputs)
    plain, indirect = NumericDae(model, "jc"), NumericDae(model, "indirect")
    rng = np.random.default_rng(4)
    for _ in range(5):
        q, v = plain.close(rng.uniform(-1.2, 1.2, plain.n), rng.uniform(-1, 1, plain.n))
        wanted = plain.quantities(q, v)
        state = {c.name: (q[i], v[i]) for i, c in enumerate(plain.dae.coordinates)}
        state["virtual_m1_m3.angle"] = wanted["virtual_m1_m3.angle"], wanted["virtual_m1_m3.omega"]
        there = np.array([state[c.name] for c in indirect.dae.coordinates])
        got = indirect.quantities(there[:, 0], there[:, 1])
        for name in names:
            assert got[name] == pytest.approx(wanted[name], rel=1e-9, abs=1e-9), name


@pytest.mark.parametrize(
    ("name", "virtual"),
    [
        ("double_pendulum_modelica", "virtual_ground_box2"),
        ("engine1a", "virtual_ground_rod"),
        ("four_bar", "virtual_m1_m3"),
        ("quick_return", "virtual_m9_m13"),
    ],
)
def test_degrees_of_freedom_are_those_of_the_mechanism(name: str, virtual: str) -> None:
    """By the rank of the Jacobian of all constraints, in trees that do and do not use a proposal."""
    model = example(name)
    wider = propose_virtual_joints(model)
    graph = build_graph(wider)
    tree = select_trees(wider, graph, "jc")
    arms = {edge.name for edge in graph.translation.edges if edge.role is Role.ARM}
    translation = tuple(branch for branch in tree.translation.branches if branch not in arms)
    found = set()
    for left_out, _ in tree.rotation.circuits[virtual]:
        rotation = (*(branch for branch in tree.rotation.branches if branch != left_out), virtual)
        named = NamedTrees("indirect", translation, rotation)
        found.add(degrees_of_freedom(replace(wider, trees=(named,)), named.name))
    assert found == {degrees_of_freedom(model, "jc")}


def degrees_of_freedom(model: SystemModel, trees: str) -> int:
    equations = NumericDae(model, trees)
    start = np.array(solution_flow(model, equations.dae, Closure.NEWTON).positions)
    _, jacobian, _, _, _, phi = equations.terms(start, np.zeros(equations.n))
    assert np.abs(phi).max(initial=0.0) < 1e-9
    rank = int(np.linalg.matrix_rank(jacobian, tol=1e-8)) if equations.m else 0
    return equations.n - rank


def test_the_command_line_tells_what_is_proposed() -> None:
    result = CliRunner().invoke(app, ["trees", str(EXAMPLES / "four_bar" / "model.toml")])
    assert result.exit_code == 0
    assert (
        "virtual_m1_m3: a virtual joint that the model does not have, from m1 to m3, like free"
        in result.stdout
    )


def test_trees_that_hide_a_reaction_are_refused() -> None:
    """The serial manipulator in its indirect coordinates does not know the torques of the bridged joints."""
    model = example("spatial_serial")
    asking = replace(model, outputs=(*model.outputs, Output("hidden", parse("h14.ty"))))
    named = next(trees.name for trees in model.trees if "vp16" in trees.rotation)
    assert Compilation(model, ExportOptions(trees=named)).sources
    with pytest.raises(TreeError, match="virtual joint vp16"):
        assert Compilation(asking, ExportOptions(trees=named)).sources
    assert "vp16" not in Compilation(asking, ExportOptions("cheapest")).trees.rotation.branches
