"""Expressions as MathML in the form that they have, read as they are meant."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.view.terms import terms_mathml
from tests.view.test_mathml import read

_DAG = Dag()
a, b = (_DAG.symbol(name, SymbolRole.PARAMETER) for name in "ab")
x, y = (_DAG.symbol(name, SymbolRole.COORDINATE) for name in "xy")


def number(value: str) -> Expr:
    return _DAG.number(Fraction(value))


def call(name: str, *args: Expr) -> Expr:
    return _DAG.call(name, *args)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (a + b, "a+b"),
        (x - y, "x−y"),
        (-x - y, "−y−x"),
        (a * (b + x), "a (b+x)"),
        (-a * (x - y), "−a (x−y)"),
        (x * y * number("1/2"), "(x y)/(2)"),
        (number("1") / (a + b), "(1)/(a+b)"),
        (a / x**2, "(a)/(x^2)"),
        (a / (x * (x + y)), "(a)/(x (x+y))"),
        ((x + y) ** 2, "(x+y)^2"),
        (call("sqrt", a + x), "sqrt(a+x)"),
        (call("sin", x) ** 2, "sin^2 x"),
        (call("cos", x + y), "cos(x+y)"),
        (call("atan2", y, x), "atan2(y,x)"),
        (call("abs", x - y), "|x−y|"),
        (number("9.81") * a, "9.81 a"),
        (number("1/3"), "(1)/(3)"),
        (number("-1/100000000") * a, "−10^−8 a"),
        (number("0"), "0"),
        (number("-2"), "−2"),
    ],
)
def test_expressions(expression: Expr, text: str) -> None:
    assert "".join(read(term) for term in terms_mathml(expression, {})) == text


def test_symbols_are_written_as_they_are_named() -> None:
    assert terms_mathml(x, {"x": "<mi>θ</mi>"}) == ["<mi>θ</mi>"]
