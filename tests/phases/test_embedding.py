"""Small systems that are written out, and the order in which larger ones are eliminated."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from fmugen.expr.code import compile_python
from fmugen.expr.dag import Dag, SymbolRole
from fmugen.ir.flow import Block
from fmugen.ir.options import ExportOptions
from fmugen.phases.embedding import embed_all, written_out
from fmugen.phases.read import model_from_tables
from fmugen.phases.triangularize.pivots import in_order_of_pivots
from fmugen.pipeline import Compilation


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
