"""Small systems that are written out, and the order in which larger ones are eliminated."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from fmugen.algebra.systems import written_out
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Dag, SymbolRole
from fmugen.expr.generic import ValueTable
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Block, Closure, SolutionFlow
from fmugen.ir.options import ExportOptions
from fmugen.ir.program import MotionCode
from fmugen.phases.embedding import embed_all, ways
from fmugen.phases.formulate import formulate
from fmugen.phases.graph import build_graph
from fmugen.phases.read import model_from_tables, parse_model
from fmugen.phases.triangularize import close_loops
from fmugen.phases.triangularize.pivots import in_order_of_pivots
from fmugen.pipeline import Compilation
from fmugen.trees import select_trees
from tests.support import example


@pytest.mark.parametrize("size", [*range(1, 9), 20])
@pytest.mark.parametrize("transposed", [False, True])
def test_systems_that_are_written_out_equal_those_of_numpy(size: int, transposed: bool) -> None:
    dag = Dag()
    entries = [[dag.symbol(f"m{i}_{j}", SymbolRole.VELOCITY) for j in range(size)] for i in range(size)]
    sides = [dag.symbol(f"s{i}", SymbolRole.VELOCITY) for i in range(size)]
    system = written_out(entries)
    roots = system.solve_transposed(sides) if transposed else system.solve(sides)
    function = compile_python(roots, {"m": [e for row in entries for e in row], "s": sides})
    random = np.random.default_rng(size)
    matrix = random.standard_normal((size, size)) + 3 * np.eye(size)
    side = random.standard_normal(size)
    expected = np.linalg.solve(matrix.T if transposed else matrix, side)
    found = function(matrix.ravel().tolist(), side.tolist())
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_guards_see_a_pivot_that_vanishes_though_others_grow() -> None:
    dag = Dag()
    entries = [[dag.symbol(f"m{i}_{j}", SymbolRole.VELOCITY) for j in range(4)] for i in range(4)]
    guards = written_out(entries).guards
    values = compile_python([guard.value for guard in guards], {"m": [e for row in entries for e in row]})
    matrix = np.eye(4)
    matrix[:2, :2] = [[1e-9, 1.0], [1.0, 1e-9]]  # regular, but not without pivoting
    found = values(matrix.ravel().tolist())
    assert min(found[:4]) < 1e-8
    assert found[4] == pytest.approx(1.0)


def _pivots(matrix: np.ndarray, rows: tuple[int, ...], columns: tuple[int, ...]) -> np.ndarray:
    left = matrix[np.ix_(rows, columns)].copy()
    for k in range(len(left)):
        left[k + 1 :] -= np.outer(left[k + 1 :, k] / left[k, k], left[k])
    return np.abs(np.diag(left))


def test_the_order_of_pivots_holds_in_all_positions() -> None:
    """Each of two positions has a zero where the other one would like its first pivot."""
    one = np.array([[0.0, 2, 1, 0], [3, 0, 0, 1], [1, 1, 4, 0], [0, 1, 0, 2]])
    other = np.array([[2.0, 1, 1, 0], [1, 0, 2, 1], [1, 1, 0, 3], [0, 1, 3, 0]])
    block = Block((0, 1, 2, 3), (0, 1, 2, 3), "loop")
    ordered = in_order_of_pivots(block, range(4), [one, other])
    assert sorted(ordered.rows) == sorted(ordered.unknowns) == [0, 1, 2, 3]
    smallest = min(_pivots(m, ordered.rows, ordered.unknowns).min() for m in (one, other))
    rows = tuple(range(4))
    with np.errstate(all="ignore"):
        reachable = [min(_pivots(m, way, rows).min() for m in (one, other)) for way in permutations(rows)]
    assert smallest > 0.1 * np.nanmax(reachable)


def test_small_blocks_keep_their_order() -> None:
    block = Block((2, 1, 0), (0, 1, 2), "loop")
    assert in_order_of_pivots(block, range(3), [np.eye(3)]) is block


def test_more_than_twelve_degrees_of_freedom_are_written_out() -> None:
    """Fifteen masses in line; a weld makes two of them one, by a loop."""
    bodies = {f"m{i}": {"mass": 1.0, "inertia": 1.0} for i in range(15)}
    joints: dict[str, object] = {
        f"s{i}": {"type": "prismatic", "from": f"m{i - 1}" if i else "ground", "to": f"m{i}"}
        for i in range(15)
    }
    joints["again"] = {"type": "weld", "from": "m0", "to": "m1"}
    tables = {"model": {"name": "Train"}, "bodies": bodies, "joints": joints}
    made = Compilation(model_from_tables(tables, "test"), ExportOptions("jc"))
    assert len(made.flow.independent) == 14
    (motion,) = embed_all(made.dae, made.flow)
    assert motion is not None


PLATE_ON_A_ROD = """
[model]
name = "PlateOnARod"
space = "spatial"
gravity = [0, 0, -9.81]
[parameters]
rod = 1.0
[bodies.plate]
mass = 2.0
inertia = [0.2, 0.3, 0.4]
points = { a = [0.4, 0, 0.05] }
[joints]
ra = { type = "rod", from = "ground", to = "plate.a", length = "rod" }
[start.guess]
"plate.z" = -1
"plate.rxx" = 1
"plate.ryy" = 1
"plate.rzz" = 1
"""


def _accelerations(dae: Dae, flow: SolutionFlow, motion: MotionCode) -> list[float]:
    """Accelerations and multipliers at values that are nothing special."""
    table, random = ValueTable(1, {}), np.random.default_rng(3)
    for c in dae.coordinates:
        table.put(c.position, [random.uniform(0.2, 0.9)])
        table.put(c.velocity, [random.uniform(-2.0, 2.0)])
    for symbol in dae.symbols.parameters.values():
        table.put(symbol, [0.5])
    found = {}
    for result in (each for stage in motion.stages for each in stage.results):
        (value,) = table(result.value)
        found[result.array, result.index] = value
        c = dae.coordinates[result.index]
        if result.array == "l":
            table.put(dae.constraints[flow.rows[result.index]].multiplier, [value])
        else:
            table.put(c.acceleration if result.array == "a" else c.velocity, [value])
    return [found[key] for key in sorted(found)]


@pytest.mark.parametrize("name", ["three_rrr", "plate"])
def test_blocks_that_are_folded_give_the_same_motion(name: str) -> None:
    """At any position: what both solve are the same linear equations."""
    model = parse_model(PLATE_ON_A_ROD, "plate") if name == "plate" else example(name)
    graph = build_graph(model)
    dae = formulate(model, graph, select_trees(model, graph, "aac"))
    dae, flow = close_loops(model, dae, Closure.TRIANGULAR, [])
    assert bool(flow.whole) == (name == "plate")
    at_once, folded = (_accelerations(dae, flow, form()) for form in ways(dae, flow))
    assert len(at_once) > len(dae.coordinates) + len(flow.rows)
    np.testing.assert_allclose(folded, at_once, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("name", "folded"), [("three_rpr", True), ("three_rrr", False)])
def test_blocks_are_folded_where_that_takes_fewer_operations(name: str, *, folded: bool) -> None:
    made = Compilation(example(name), ExportOptions("aac"))
    (motion, *_) = embed_all(made.dae, made.flow)
    assert motion is not None
    assert any(stage.title.startswith("accelerations from") for stage in motion.stages) == folded
