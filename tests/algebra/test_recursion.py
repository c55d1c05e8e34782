"""Recursions over trees of bodies: the same equations as those written out, in fewer operations."""

from __future__ import annotations

import math
import random

import pytest

from fmugen.builder import ModelBuilder
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr
from fmugen.expr.generic import ValueTable
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure
from fmugen.ir.graph import LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.phases.embedding import embed
from fmugen.phases.formulate import formulate
from fmugen.phases.graph import build_graph
from fmugen.phases.lower import count_program
from fmugen.phases.triangularize import close_loops
from fmugen.trees import formulate_briefly, select_trees
from fmugen.trees.price import program_cost

TENSOR = [0.3, 0.5, 0.7, 0.02, -0.03, 0.04]
SPATIAL = [
    "revolute",
    "prismatic",
    "universal",
    "cylindrical",
    "spherical",
    "planar",
    "translational",
    "free",
]
PLANAR = ["revolute", "prismatic"]


def random_tree(seed: int, *, planar: bool, size: int = 3) -> SystemModel:
    """Bodies on joints of all kinds, each on one before it or on the ground, and a spring."""
    chance = random.Random(seed)

    def triple(reach: float) -> list[float]:
        return [round(chance.uniform(-reach, reach), 2) for _ in range(2 if planar else 3)]

    builder = ModelBuilder("Tree", space="planar" if planar else "spatial", gravity=triple(9.0))
    for number in range(size):
        near: object = triple(0.5)
        if not planar:
            near = {"position": near, "sequence": "zyx", "angles": triple(1.0)}
        builder.body(
            f"b{number}",
            mass=1 + 0.3 * number,
            inertia=0.4 if planar else TENSOR,
            center=triple(0.2),
            points={"near": near, "far": triple(0.5)},
        )
        tail = "ground" if not number else f"b{chance.randrange(number)}.far"
        ends = (tail, f"b{number}.near")
        kind = chance.choice(PLANAR if planar else SPATIAL)
        options: dict[str, object] = {}
        if kind in ("revolute", "prismatic", "cylindrical") and not (planar and kind == "revolute"):
            options["axis"] = chance.choice([[1, 0], [3, 4]] if planar else [[0, 0, 1], [0, 1, 0], [1, 2, 2]])
        getattr(builder, kind)(f"j{number}", *(ends if chance.random() < 0.7 else ends[::-1]), **options)
    builder.spring("spring", "ground", f"b{size - 1}.far", stiffness=30.0, free=0.7, damping=2.0)
    return builder.build()


def written(model: SystemModel, trees: str, *, by_body: bool) -> tuple[SystemModel, Dae]:
    graph: LinearGraph = build_graph(model)
    return model, formulate(model, graph, select_trees(model, graph, trees), by_body=by_body)


def accelerations(model: SystemModel, dae: Dae, seed: int) -> dict[str, float]:
    """The accelerations at a position and velocities that are nothing special."""
    dae, flow = close_loops(model, dae, Closure.TRIANGULAR, [])
    motion = embed(dae, flow)
    assert motion is not None
    table, chance = ValueTable(1, {}), random.Random(seed)
    values: dict[Expr, float] = {}
    for c in dae.coordinates:
        values[c.position], values[c.velocity] = chance.uniform(0.2, 0.9), chance.uniform(-2.0, 2.0)
    for attitude in flow.whole:
        components = [dae.coordinates[k] for k in attitude.components]
        size = math.sqrt(sum(values[c.position] ** 2 for c in components))
        for c in components:
            values[c.position] /= size
        along = sum(values[c.position] * values[c.velocity] for c in components)
        for c in components:
            values[c.velocity] -= along * values[c.position]
    for symbol, value in values.items():
        table.put(symbol, [value])
    parameters = {parameter.name: 0.5 for parameter in model.parameters}
    for name, symbol in dae.symbols.parameters.items():
        table.put(symbol, [parameters.get(name, 0.5)])
    found = {}
    for result in (result for stage in motion.stages for result in stage.results if result.array == "a"):
        c = dae.coordinates[result.index]
        (found[c.name],) = table(result.value)
        table.put(c.acceleration, [found[c.name]])
    return found


@pytest.mark.parametrize("trees", ["jc", "aac"])
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_recursions_give_the_accelerations_of_equations_written_out(
    seed: int, *, planar: bool, trees: str
) -> None:
    model = random_tree(seed, planar=planar)
    _, recursive = written(model, trees, by_body=True)
    _, flat = written(model, trees, by_body=False)
    assert flat.tree is None
    if trees == "jc" or recursive.tree is not None:
        assert recursive.tree is not None
    expected = accelerations(model, flat, seed)
    found = accelerations(model, recursive, seed)
    scale = max(map(abs, expected.values()))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=0, abs=1e-12 * scale), name


def robot(joints: int) -> SystemModel:
    """A serial robot of revolute joints about different axes."""
    builder = ModelBuilder("Robot", space="spatial", gravity=[0, 0, -9.81])
    axes = [[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]]
    tail = "ground"
    for k in range(joints):
        builder.body(
            f"l{k}", mass=2, inertia=[0.02, 0.03, 0.01], center=[0.01, 0.02, 0.2], points={"tip": [0, 0, 0.4]}
        )
        builder.revolute(f"j{k}", tail, f"l{k}", axis=axes[k % 6])
        tail = f"l{k}.tip"
    return builder.build()


def right_hand_side(model: SystemModel, dae: Dae) -> int:
    dae, flow = close_loops(model, dae, Closure.TRIANGULAR, [])
    motions = [embed(dae, flow)]
    return program_cost(count_program(model, dae, flow, motions)).operations


def test_operations_grow_with_the_number_of_bodies() -> None:
    counts = [right_hand_side(*written(robot(n), "jc", by_body=True)) for n in (6, 9, 18)]
    assert counts[0] <= 1_050
    assert counts[2] - counts[1] <= 9 * 310


def test_a_short_chain_is_written_out_where_that_takes_fewer_operations() -> None:
    builder = ModelBuilder("Double", gravity=[0, -9.81])
    for name, on in (("a", "ground"), ("b", "a.end")):
        builder.body(name, mass=1, inertia=0.1, points={"end": [1, 0]})
        builder.revolute(f"pin_{name}", on, name)
    model = builder.build()
    graph = build_graph(model)
    trees = select_trees(model, graph, "aac")
    assert formulate(model, graph, trees).tree is not None
    assert formulate_briefly(model, graph, trees, Closure.TRIANGULAR).tree is None


def test_a_loop_is_not_formulated_by_body() -> None:
    builder = ModelBuilder("Loop", gravity=[0, -9.81])
    builder.ground_point("far", 1, 0)
    builder.body("a", mass=1, inertia=0.1, points={"end": [1, 0]})
    builder.revolute("one", "ground", "a")
    builder.revolute("two", "ground.far", "a.end")
    model = builder.build()
    assert written(model, "jc", by_body=True)[1].tree is None


def test_symbols_of_inertial_forces_are_accelerations_and_positions() -> None:
    from fmugen.algebra.recursion import inertial_forces, mass_matrix

    _, dae = written(robot(3), "jc", by_body=True)
    assert dae.tree is not None
    seconds = [c.acceleration for c in dae.coordinates]
    velocities = {c.velocity for c in dae.coordinates}
    needed = inertial_forces(dae.tree, seconds)
    assert velocities.isdisjoint(symbols_of(needed))
    assert mass_matrix(dae.tree, dae.symbols.dag) == dae.mass
