"""The DAG: sharing, simplification, and that neither changes a value."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmugen.expr import Dag, Expr, SymbolRole
from fmugen.expr.calculus import Gathered, Tangent, postorder
from fmugen.expr.code import compile_python, count_operations, print_expression, schedule

NAMES = {
    "a": SymbolRole.PARAMETER,
    "b": SymbolRole.PARAMETER,
    "x": SymbolRole.COORDINATE,
    "y": SymbolRole.COORDINATE,
}
VALUES = {"a": 0.7, "b": -1.3, "x": 0.9, "y": 1.9}


def symbols(dag: Dag) -> list[Expr]:
    return [dag.symbol(name, role) for name, role in NAMES.items()]


@pytest.fixture
def abxy() -> tuple[Expr, ...]:
    return tuple(symbols(Dag()))


def test_equal_expressions_are_the_same_node(abxy: tuple[Expr, ...]) -> None:
    a, b, x, y = abxy
    assert a * x + b * y is y * b + x * a
    assert (x * y) * a is a * (y * x)


def test_like_terms_are_collected_over_their_parameters(abxy: tuple[Expr, ...]) -> None:
    a, b, x, y = abxy
    assert a * x + b * x is (a + b) * x
    assert (a * x + y) - a * x is y
    assert (a + b) * x - a * x is b * x
    assert (x - x).is_zero


def test_squares_of_sine_and_cosine_add_up(abxy: tuple[Expr, ...]) -> None:
    a, b, x, y = abxy
    sine, cosine = x.dag.call("sin", x), x.dag.call("cos", x)
    assert sine * sine + cosine * cosine is x.dag.one
    assert a * y * sine**2 + a * y * cosine**2 + b is a * y + b
    assert a * sine**2 + b * cosine**2 is not a


def test_negative_arguments_leave_odd_and_even_functions(abxy: tuple[Expr, ...]) -> None:
    x = abxy[2]
    assert x.dag.call("sin", -x) is -x.dag.call("sin", x)
    assert x.dag.call("cos", -x) is x.dag.call("cos", x)


def test_square_roots_of_exact_squares_are_numbers(abxy: tuple[Expr, ...]) -> None:
    dag = abxy[0].dag
    assert dag.call("sqrt", Fraction(9, 4)) is dag.number(Fraction(3, 2))
    assert dag.call("sqrt", abxy[2]) ** 2 is abxy[2]
    with pytest.raises(ZeroDivisionError):
        abxy[2] / (abxy[2] - abxy[2])


_BINARY = (operator.add, operator.sub, operator.mul)


@st.composite
def programs(draw: st.DrawFn) -> list[tuple[object, ...]]:
    """A list of operations, each on earlier results."""
    steps: list[tuple[object, ...]] = []
    for index in range(draw(st.integers(1, 25))):
        pick = st.integers(0, len(NAMES) + index - 1)
        kind = draw(
            st.sampled_from(["binary", "binary", "binary", "scale", "sin", "cos", "square", "invert"])
        )
        if kind == "binary":
            steps.append(("binary", draw(st.sampled_from(_BINARY)), draw(pick), draw(pick)))
        elif kind == "scale":
            steps.append(("scale", draw(st.integers(-3, 3)), draw(pick)))
        else:
            steps.append((kind, draw(pick)))
    return steps


def run(steps: list[tuple[object, ...]], values: list[object], sine: object, cosine: object) -> list[object]:
    for step in steps:
        match step:
            case ("binary", function, i, j):
                values.append(function(values[i], values[j]))  # type: ignore[operator]
            case ("scale", factor, i):
                values.append(factor * values[i])  # type: ignore[operator]
            case ("square", i):
                values.append(values[i] ** 2)  # type: ignore[operator]
            case ("invert", i):
                values.append(1 / (values[i] ** 2 + 1))  # type: ignore[operator]
            case (name, i):
                values.append((sine if name == "sin" else cosine)(values[i]))  # type: ignore[operator]
    return values


@settings(deadline=None, max_examples=150)
@given(programs())
def test_simplification_keeps_values(steps: list[tuple[object, ...]]) -> None:
    dag = Dag()
    exprs = run(steps, list(symbols(dag)), lambda x: dag.call("sin", x), lambda x: dag.call("cos", x))
    plain = run(steps, list(VALUES.values()), math.sin, math.cos)
    evaluate = compile_python(exprs, {"s": symbols(dag)})  # type: ignore[arg-type]
    scale = max(1.0, *(abs(value) for value in plain))  # type: ignore[arg-type]
    if scale > 1e6:
        return  # cancellation of huge terms says nothing about the rules
    for found, wanted in zip(evaluate(list(VALUES.values())), plain, strict=True):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9 * scale**2)


@settings(deadline=None, max_examples=60)
@given(programs())
def test_tangent_is_the_derivative(steps: list[tuple[object, ...]]) -> None:
    dag = Dag()
    exprs = run(steps, list(symbols(dag)), lambda x: dag.call("sin", x), lambda x: dag.call("cos", x))
    root = exprs[-1]
    assert isinstance(root, Expr)
    x = dag.symbol("x", SymbolRole.COORDINATE)
    slope = Tangent(dag, {x: dag.one})(root)
    evaluate = compile_python([root, slope], {"s": symbols(dag)})

    def at(shift: float) -> list[float]:
        return evaluate([value + (shift if name == "x" else 0.0) for name, value in VALUES.items()])

    h = 1e-5
    difference = (at(-2 * h)[0] - 8 * at(-h)[0] + 8 * at(h)[0] - at(2 * h)[0]) / (12 * h)
    scale = max(abs(at(0.0)[0]), abs(difference), 1.0)
    if scale > 1e4:
        return
    assert at(0.0)[1] == pytest.approx(difference, rel=1e-5, abs=1e-5 * scale)


FUNCTIONS = ["abs", "acos", "asin", "atan", "cos", "cosh", "exp", "log", "sin", "sinh", "sqrt", "tan", "tanh"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_derivatives_of_functions(function: str) -> None:
    dag = Dag()
    x = dag.symbol("x", SymbolRole.COORDINATE)
    root = dag.call(function, x)
    evaluate = compile_python([root, Tangent(dag, {x: dag.one})(root)], {"s": [x]})
    h = 1e-6
    difference = (evaluate([0.4 + h])[0] - evaluate([0.4 - h])[0]) / (2 * h)
    assert evaluate([0.4])[1] == pytest.approx(difference, rel=1e-8)


@pytest.mark.parametrize("function", ["atan2", "max", "min", "pow"])
@pytest.mark.parametrize("place", [0, 1])
def test_derivatives_of_functions_of_two(function: str, place: int) -> None:
    dag = Dag()
    pair = [dag.symbol("x", SymbolRole.COORDINATE), dag.symbol("y", SymbolRole.COORDINATE)]
    root = dag.call(function, *pair)
    evaluate = compile_python([root, Tangent(dag, {pair[place]: dag.one})(root)], {"s": pair})
    at = [0.4, 1.7]
    shifted = [value + (1e-6 if i == place else 0.0) for i, value in enumerate(at)]
    difference = (evaluate(shifted)[0] - evaluate(at)[0]) / 1e-6
    assert evaluate(at)[1] == pytest.approx(difference, rel=1e-5, abs=1e-6)


def test_text_and_cost(abxy: tuple[Expr, ...]) -> None:
    a, b, x, y = abxy
    names = dict(zip(abxy, "abxy", strict=True))
    assert print_expression(a * x - 2 * y, names) == "a*x - 2.0*y"
    assert print_expression(x**2 / (a + y), names) == "x*x/(a + y)"
    assert print_expression(-x / (a * y), names) == "-x/(a*y)"
    shared = x.dag.call("sin", x + y)
    roots = [shared * a + b, shared * shared]
    named = schedule(roots, lambda node: node in names)
    assert named == (shared,)
    cost = count_operations(named, roots, lambda node: node in names)
    assert (cost.additions, cost.multiplications, cost.functions) == (2, 2, 1)


def test_postorder_puts_arguments_first(abxy: tuple[Expr, ...]) -> None:
    a, _, x, y = abxy
    order = postorder((a * (x + y) ** 2,))
    position = {node: index for index, node in enumerate(order)}
    assert all(position[arg] < position[node] for node in order for arg in node.args)


def test_the_opposite_of_deeply_nested_sums_is_found_without_descending() -> None:
    dag = Dag()
    total = dag.symbol("x", SymbolRole.STATE)
    for number in range(1500):
        total = total + dag.symbol(f"x{number}", SymbolRole.STATE)
    assert (-total) + total is dag.zero


def test_deeply_nested_expressions_are_written_with_names() -> None:
    dag = Dag()
    x = dag.symbol("x", SymbolRole.STATE)
    deep = x
    for _ in range(3000):
        deep = dag.call("sin", deep)
    (value,) = compile_python([deep], {"x": [x]})([1.0])
    expected = 1.0
    for _ in range(3000):
        expected = math.sin(expected)
    assert value == expected


def test_what_symbols_contribute_is_gathered_from_all_of_them() -> None:
    dag = Dag()
    x, p = dag.symbol("x", SymbolRole.STATE), dag.symbol("p", SymbolRole.PARAMETER)
    roles = Gathered(lambda symbol: frozenset({symbol.role}))
    assert roles(dag.call("sin", x) * p + 1) == {SymbolRole.STATE, SymbolRole.PARAMETER}
    assert roles(p**2) == {SymbolRole.PARAMETER}
    assert roles(dag.one) == frozenset()
