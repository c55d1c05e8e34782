"""Compact code means the same, and takes fewer operations."""

from __future__ import annotations

import random

import pytest

from fmugen.expr.code import compile_python, count_operations, print_expression, schedule
from fmugen.expr.compact import compact
from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions
from fmugen.phases.embedding import embed
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation
from tests.expr.test_code import ROLES, grown
from tests.support import example


def is_leaf(node: Expr) -> bool:
    return not node.args or node.constant


def operations(roots: list[Expr]) -> int:
    return count_operations(schedule(roots, is_leaf), roots, is_leaf).total


def texts(*roots: Expr) -> list[str]:
    """The code of the roots after compacting, temporaries first."""
    arranged = compact(roots, is_leaf)
    names = {node: node.name for node in arranged[0].dag.nodes if node.role is not None}
    lines = []
    for number, node in enumerate(schedule(arranged, is_leaf)):
        lines.append(f"w{number} = {print_expression(node, names)}")
        names[node] = f"w{number}"
    return [*lines, *(print_expression(root, names) for root in arranged)]


@pytest.fixture
def abcxy() -> tuple[Expr, ...]:
    dag = Dag()
    return tuple(dag.symbol(name, SymbolRole.COORDINATE) for name in "abcxy")


@pytest.mark.parametrize("sweeps", [1, 2])
@pytest.mark.parametrize("seed", range(60))
def test_values_stay(seed: int, sweeps: int) -> None:
    chance = random.Random(seed)
    dag = Dag()
    roots = [expression for expression, _ in grown(dag, chance, 30)]
    symbols = [dag.symbol(name, role) for name, role in ROLES.items()]
    point = [chance.uniform(0.3, 1.0) for _ in ROLES]
    before, after = (
        compile_python(expressions, {"q": symbols})(q=point)
        for expressions in (roots, compact(roots, is_leaf, sweeps))
    )
    assert after == pytest.approx(before, rel=1e-9, abs=1e-9)


def test_common_factors_are_drawn_out(abcxy: tuple[Expr, ...]) -> None:
    a, b, c, x, y = abcxy
    assert texts(a * x * b - a * x * c + y) == ["y + a*x*(b - c)"]


def test_terms_that_others_read_stay(abcxy: tuple[Expr, ...]) -> None:
    a, b, c, x, _ = abcxy
    assert texts(a * b + a * c, x + a * b) == ["w0 = a*b", "w0 + a*c", "x + w0"]


def test_two_factors_that_stand_together_are_multiplied_once(abcxy: tuple[Expr, ...]) -> None:
    a, b, c, x, y = abcxy
    assert texts(a * b * x, b * c * a, -(a * y * b)) == ["w0 = a*b", "x*w0", "c*w0", "-y*w0"]


def test_squares_within_products_are_shared(abcxy: tuple[Expr, ...]) -> None:
    a, b, c, x, y = abcxy
    assert texts(a * x**2 / y**2, b * x * c / y) == ["w0 = x/y", "a*w0*w0", "b*c*w0"]


def test_terms_that_stand_together_are_added_once(abcxy: tuple[Expr, ...]) -> None:
    a, b, c, x, y = abcxy
    assert texts(a - b + x, y + b - a, c + a + b) == ["w0 = b - a", "x - w0", "y + w0", "a + b + c"]


def test_what_a_factor_was_divided_by_is_cancelled(abcxy: tuple[Expr, ...]) -> None:
    a, b, c, x, y = abcxy
    assert texts((a * x + a * b) * (y / a + c / a)) == ["(b + x)*(c + y)"]


def test_equal_terms_are_taken_together(abcxy: tuple[Expr, ...]) -> None:
    a, b, c, x, _ = abcxy
    assert texts(a * (b + c) + x + (a * b + a * c)) == ["x + 2.0*a*(b + c)"]
    assert texts(a * (b + c) - (a * b + a * c) + x) == ["x"]


def test_multiples_of_sums_are_opened_where_terms_merge(abcxy: tuple[Expr, ...]) -> None:
    a, b, c, x, y = abcxy
    assert texts(a * b * x + 2 * a * b * (y - x)) == ["-a*b*(x - 2.0*y)"]
    assert texts(a * b * c + 2 * a * b * (y - x)) == ["a*b*(c - 2.0*(x - y))"]
    assert texts(x**2 + y**2, a * x**2 - a * (x**2 + y**2)) == ["w0 = y*y", "x*x + w0", "-a*w0"]


def test_what_is_found_last_is_read_last() -> None:
    dag = Dag()
    late = dag.symbol("late", SymbolRole.ACCELERATION)
    x, y, z = (dag.symbol(name, SymbolRole.COORDINATE) for name in "xyz")
    assert texts(late * x * y) == ["x*y*late"]
    assert texts(late + x / y + z) == ["z + x/y + late"]


def test_deep_expressions_need_no_deep_stack() -> None:
    dag = Dag()
    x, y = (dag.symbol(name, SymbolRole.COORDINATE) for name in "xy")
    root = x
    for _ in range(3000):
        root = dag.call("sin", root * y + x)
    (found,) = compact([root], is_leaf)
    assert operations([found]) == operations([root])


@pytest.mark.parametrize(
    "name", ["four_bar", "slider_crank", "spatial_slider_crank", "three_rrr", "excavator"]
)
def test_equations_of_motion_take_a_tenth_less_and_more(name: str) -> None:
    formulation = Compilation(example(name), ExportOptions("aac"))
    dae = formulation.formulated
    motion = embed(dae, solution_flow(formulation.model, dae, Closure.TRIANGULAR))
    assert motion is not None
    roots = [result.value for stage in motion.stages for result in stage.results]
    assert operations(compact(roots, is_leaf)) <= 0.9 * operations(roots)
