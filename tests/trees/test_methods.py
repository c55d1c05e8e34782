"""The weights that Léger prints, and what his two algorithms choose with them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from element_views import loads_of, with_views

from fmugen.builder import ModelBuilder
from fmugen.errors import TreeError
from fmugen.ir.graph import Domain, DomainGraph, Edge, LinearGraph
from fmugen.ir.model import NamedTrees, SystemModel
from fmugen.ir.tree import SpanningTree
from fmugen.phases.graph import build_graph
from fmugen.trees import METHODS, neighbours, promising_trees, select_trees, tied_trees
from fmugen.trees.formulation import Weighting, rotational_weighting, translational_weighting
from fmugen.trees.freedoms import freedoms, gruebler_freedoms
from fmugen.trees.growth import FixedWeights, GrownTree, grow_all
from fmugen.trees.topology import span
from fmugen.trees.variable import edge_factors
from tests.support import example


def serial_mechanism() -> SystemModel:
    """Léger's figure 4.11: three bodies in a row on a universal joint and two revolutes."""
    builder = ModelBuilder("Serial", space="spatial")
    for name in ("m1", "m2", "m3"):
        points = {"back": [-1, 0, 0], "front": [1, 0, 0]}
        builder.body(name, mass=1, inertia=[1, 1, 1], points=points)
    builder.universal("u10", "ground", "m1.back")
    builder.revolute("h11", "m1.front", "m2.back")
    return builder.revolute("h12", "m2.front", "m3.back").build()


def grown(graph: DomainGraph, *branches: str) -> GrownTree:
    tree = GrownTree.rooted(graph)
    for branch in branches:
        tree = longer(tree, graph.edge(branch))
    return tree


def longer(tree: GrownTree, branch: Edge) -> GrownTree:
    inner = tree.inner(branch)
    assert inner is not None
    outer = branch.head if inner == branch.tail else branch.tail
    return GrownTree({**tree.arrivals, outer: (branch.name, inner)}, {**tree.weights, branch.name: 0})


def estimates(weighting: Weighting, tree: GrownTree, *names: str) -> list[int]:
    """Weights before similarity is added as a last digit."""
    totals, loads = weighting.totals(tree), tree.loads(weighting.uses)

    def weight(edge: Edge) -> int:
        inner = tree.inner(edge)
        assert inner is not None
        return weighting.common(weighting.group(edge), totals) + weighting.part(edge, loads[inner])

    return [weight(weighting.edges[name]) // 10 for name in names]


def rotational_tree(graph: LinearGraph, *branches: str) -> SpanningTree:
    return span(graph.rotation, branches)


def arms(graph: LinearGraph) -> tuple[str, ...]:
    return tuple(edge.name for edge in graph.translation.edges if edge.label == "arm")


# --- numbers of Table C.1 and equation (4.14) ---------------------------------------------------------


def test_bodies_of_planar_models_count_as_in_space() -> None:
    graph = build_graph(example("three_rpr"))
    counted = {
        name: (freedoms(graph.translation.edge(name)), freedoms(graph.rotation.edge(name)))
        for name in ("m1", "h26", "s29", "vp38")
    }
    assert counted == {"m1": (3, 3), "h26": (0, 1), "s29": (1, 0), "vp38": (2, 1)}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("spatial_parallel_3dof", 3),
        ("spatial_slider_crank", 1),
        ("spatial_serial", 6),
        ("three_bodies", 8),
        ("stewart_gough", 6),
        ("four_bar", 0),  # -2 in space, which is set to zero
    ],
)
def test_grueblers_count(name: str, expected: int) -> None:
    assert gruebler_freedoms(build_graph(example(name))) == expected


# --- weights of chapter 3 -----------------------------------------------------------------------------


def test_factors_of_the_serial_manipulator() -> None:
    """(3.3) in rotation: the virtual joint is nearer to the ground than the revolute beside it."""
    factors = edge_factors(build_graph(example("spatial_serial")).rotation)
    weights = {name: factors[name].weight for name in ("h12", "h13", "h14", "vp16", "m4", "b15")}
    assert weights == {
        "h12": 1_100_001,
        "h13": 1_101_011,
        "h14": 1_102_021,
        "vp16": 1_101_011,
        "m4": 1_300_001,
        "b15": 1_302_021,
    }


def test_factors_of_known_across_and_through_variables() -> None:
    factors = edge_factors(build_graph(example("three_rpr")).translation, first_tree={"h26"})
    assert factors["ground.foot_1"].absolute == 0
    assert factors["fd35"].absolute == 2
    assert (factors["h26"].similarity, factors["h27"].similarity) == (0, 1)


# --- weights of chapter 4 -----------------------------------------------------------------------------


def test_body_torques_of_a_serial_mechanism() -> None:
    """(4.12) and (4.13): the sums of NumEQs x CutsetWeight for two ways to reach the third body."""
    graph = build_graph(serial_mechanism())
    weighting = rotational_weighting(graph)
    tree = grown(graph.rotation, "u10", "h11")
    with_body, with_joint = (longer(tree, graph.rotation.edge(name)) for name in ("m3", "h12"))
    assert (weighting.totals(with_body).dynamic, weighting.totals(with_joint).dynamic) == (77, 90)


def test_rotational_weights_of_the_parallel_manipulator() -> None:
    """Section 4.3: first 0 against 27, then 27 against 30, then (4.15) to (4.17)."""
    graph = build_graph(example("spatial_parallel_3dof"))
    weighting = rotational_weighting(graph)
    assert estimates(weighting, grown(graph.rotation), "s25", "m1") == [0, 27]
    slid = grown(graph.rotation, "s25", "s28", "s31")
    assert estimates(weighting, slid, "b26", "m2", "m7") == [30, 27, 27]
    with_platform = longer(slid, graph.rotation.edge("m7"))
    assert estimates(weighting, with_platform, "m2", "b26", "h27") == [63, 66, 70]


def test_complexity_of_kinematic_equations() -> None:
    """Sections 4.2.4 and 4.3: ten for each rotation of the longest rotational circuit."""
    slider_crank = build_graph(example("spatial_slider_crank"))
    tree = rotational_tree(slider_crank, "h9", "u11", "s12")
    assert translational_weighting(slider_crank, tree).complexity == 30
    manipulator = build_graph(example("spatial_parallel_3dof"))
    tree = rotational_tree(manipulator, "s25", "s28", "s31", "m2", "m4", "m6", "m7")
    assert translational_weighting(manipulator, tree).complexity == 60


@pytest.mark.parametrize(("branches", "forces"), [(("h9", "b10", "u11"), 11), (("h9", "s12", "u11"), 5)])
def test_chord_body_forces_of_the_spatial_slider_crank(branches: tuple[str, ...], forces: int) -> None:
    """Tables 4.3 and 4.4 with (4.11): eleven body forces in one translational tree, five in the other."""
    graph = build_graph(example("spatial_slider_crank"))
    weighting = translational_weighting(graph, rotational_tree(graph, "h9", "u11", "s12"))
    tree = GrownTree.of(span(graph.translation, (*arms(graph), *branches)))
    assert weighting.totals(tree).dynamic == 10 * forces


def test_arm_forces_are_handed_on_to_the_edges_at_their_ends() -> None:
    """Figure 4.12, for the spatial slider-crank: a joint serves the arms on both of its sides."""
    graph = build_graph(example("spatial_slider_crank"))
    uses = translational_weighting(graph, rotational_tree(graph, "h9", "u11", "s12")).uses
    assert {name: uses[name] for name in ("h9", "b10", "u11", "s12", "m2")} == {
        "h9": 1,
        "b10": 3,
        "u11": 2,
        "s12": 1,
        "m2": 3,
    }


# --- growth -----------------------------------------------------------------------------------------


def test_growth_offers_every_tie_once() -> None:
    """Equal weights on the ring of joints of a four-bar: each joint may be the chord."""
    graph = build_graph(example("four_bar")).rotation
    ring = [edge for edge in graph.edges if edge.label == "revolute"]
    trees = grow_all(graph, ring, FixedWeights({edge.name: 1 for edge in ring}), limit=100)
    joints = {edge.name for edge in ring}
    assert [joints - set(tree.branches) for tree in trees] == [{"h14"}, {"h13"}, {"h12"}, {"h11"}]


def test_growth_stops_at_the_limit() -> None:
    graph = build_graph(example("stewart_gough"))
    assert len(tied_trees(example("stewart_gough"), graph, "formulation", limit=2)) == 2


# --- methods ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["andrews", "landing_gear", "spatial_serial", "stewart_gough"])
def test_every_method_gives_a_reason_for_every_branch(name: str, method: str) -> None:
    model = example(name)
    graph = build_graph(model)
    trees = select_trees(model, graph, method)
    for domain in Domain:
        assert {branch for at, branch in trees.reasons if at is domain} == set(trees.domain(domain).branches)


def test_unknown_methods_are_refused_with_the_choices() -> None:
    model = example("four_bar")
    with pytest.raises(TreeError, match="variable, formulation, row1"):
        select_trees(model, build_graph(model), "shortest")


def test_selection_does_not_depend_on_the_order_of_loads_and_outputs() -> None:
    model = example("three_rpr")
    first = select_trees(model, build_graph(model), "formulation")
    turned = with_views(model, loads=loads_of(model)[::-1], outputs=())
    second = select_trees(turned, build_graph(turned), "formulation")
    assert set(first.translation.branches) == set(second.translation.branches)
    assert set(first.rotation.branches) == set(second.rotation.branches)


# --- edges that the user requires, and flexible arms ------------------------------------------------


def required(name: str, rotation: tuple[str, ...], translation: tuple[str, ...]) -> SystemModel:
    return replace(example(name), trees=(NamedTrees("mine", translation, rotation, complete=True),))


def test_required_edges_are_branches_and_the_rest_is_added() -> None:
    """Section 4.2.5: the formulation-based algorithm would take neither of the two."""
    model = required("slider_crank", ("m2",), ("m3",))
    graph = build_graph(model)
    free = select_trees(model, graph, "formulation")
    assert "m2" not in free.rotation.branches and "m3" not in free.translation.branches
    trees = select_trees(model, graph, "mine")
    assert "m2" in trees.rotation.branches and "m3" in trees.translation.branches
    assert trees.reasons[Domain.ROTATION, "m2"].endswith("named in trees.mine")
    assert [note.partition(":")[0] for note in trees.notes] == [
        "added to the translation tree of trees.mine",
        "added to the rotation tree of trees.mine",
    ]


def test_required_edges_that_close_a_loop_are_left_out() -> None:
    model = required("four_bar", ("h11", "h12", "h13", "h14"), ())
    trees = select_trees(model, build_graph(model), "mine")
    (note,) = [note for note in trees.notes if note.startswith("left out")]
    assert note == "left out of the rotation tree of trees.mine: h13; each closes a loop with other branches"


def test_partial_trees_are_refused_unless_they_may_be_completed() -> None:
    model = replace(example("four_bar"), trees=(NamedTrees("mine", (), ("h11",)),))
    with pytest.raises(TreeError, match="complete = true"):
        select_trees(model, build_graph(model), "mine")
    unknown = required("four_bar", ("h99",), ())
    with pytest.raises(TreeError, match="the rotation tree names h99"):
        select_trees(unknown, build_graph(unknown), "mine")


@pytest.mark.parametrize("method", ["variable", "formulation"])
def test_flexible_arms_are_leaves_of_the_rotational_tree(method: str) -> None:
    """Léger, 4.1.5, for the beam whose end is at the crank (table A.9, rows 5 and 6)."""
    model = example("flexible_slider_crank")
    trees = select_trees(model, build_graph(model), method)
    assert {step.parent for step in trees.rotation.steps}.isdisjoint({"fm2.end", "fm2.middle"})
    assert set(trees.rotation.branches) >= {"md7", "h9", "s10"}


# --- candidates -------------------------------------------------------------------------------------


def test_promising_trees_are_distinct_and_hold_those_of_the_file() -> None:
    model = example("slider_crank")
    graph = build_graph(model)
    pairs = promising_trees(model, graph, limit=100)
    signatures = [(frozenset(p.rotation.branches), frozenset(p.translation.branches)) for p in pairs]
    assert len(set(signatures)) == len(signatures)
    offered = {
        (frozenset(tree.rotation.branches), frozenset(tree.translation.branches))
        for tree in (select_trees(model, graph, named.name) for named in model.trees)
    }
    assert offered <= set(signatures)


def test_platforms_may_have_absolute_coordinates() -> None:
    model = example("stewart_gough")
    pairs = {trees.name: trees for trees in promising_trees(model, build_graph(model), limit=100)}
    platform = pairs["platform"]
    assert "m3" in platform.rotation.branches
    assert "m3" in platform.translation.branches


def test_neighbours_differ_in_one_tree() -> None:
    model = example("slider_crank")
    graph = build_graph(model)
    start = select_trees(model, graph, "variable")
    around = neighbours(graph, start, limit=100)
    assert around
    for pair in around:
        same = [set(pair.domain(domain).branches) == set(start.domain(domain).branches) for domain in Domain]
        assert sorted(same) == [False, True]
        for domain in Domain:
            for branch in pair.domain(domain).branches:
                taken = branch not in start.domain(domain).branches
                assert taken == ("; taken in exchange: " in pair.reasons[domain, branch])


@pytest.mark.parametrize("method", ["variable", "formulation", "aac", "jc"])
def test_a_driver_of_one_angle_in_space_is_never_a_branch(method: str) -> None:
    model = example("spatial_four_bar")
    trees = select_trees(model, build_graph(model), method)
    assert "motor" in trees.rotation.chords
