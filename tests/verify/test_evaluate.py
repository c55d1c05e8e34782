"""Formulas as numbers, and the time derivatives of prescribed motions against sympy's."""

from __future__ import annotations

import math

import pytest
import sympy

from fmugen.errors import VerificationError
from fmugen.formulas import parse
from fmugen.ir.formula import FUNCTIONS
from fmugen.verify.evaluate import compile_formula, compile_motion

MOTIONS = [
    "3",
    "0.4356 + 4*pi*time",
    "a*sin(2*pi*time)^3/(1 + time^2)",
    "exp(-a*time)*cos(time) - time^1.5",
    "atan2(sin(time), a + cos(time))",
    "asin(time/3) + acos(time/4) + atan(a*time)",
    "sinh(time)*cosh(time) - tanh(a*time) + tan(time/2)",
    "sqrt(a + time)*log(1 + time) - -time",
    "(1 + time)^time",
]


@pytest.mark.parametrize("text", MOTIONS)
def test_motion_and_its_derivatives_agree_with_sympy(text: str) -> None:
    time = sympy.Symbol("time")
    exact = sympy.sympify(text.replace("^", "**"), locals={"time": time, "a": sympy.Rational(7, 5)})
    at = 0.83
    jet = compile_motion(parse(text), {"a": 1.4})(at)
    for order, found in enumerate((jet.value, jet.rate, jet.acceleration)):
        expected = (
            float(sympy.diff(exact, time, order).subs(time, at)) if order else float(exact.subs(time, at))
        )
        assert found == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_piecewise_functions_take_the_derivative_of_their_piece() -> None:
    jet = compile_motion(parse("max(time^2, 0.1) + min(time, 3) + abs(-time) + sign(time)"), {})(2.0)
    assert (jet.value, jet.rate, jet.acceleration) == (4.0 + 2.0 + 2.0 + 1.0, 4.0 + 1.0 + 1.0, 2.0)


def test_power_of_zero_has_its_polynomial_derivatives() -> None:
    jet = compile_motion(parse("time^2 + time^1 + time^0"), {})(0.0)
    assert (jet.value, jet.rate, jet.acceleration) == (1.0, 1.0, 2.0)


def test_every_function_has_a_value() -> None:
    for name, arity in FUNCTIONS.items():
        arguments = ", ".join(["0.5"] * arity)
        assert math.isfinite(compile_formula(parse(f"{name}({arguments})"))({}))


@pytest.mark.parametrize("text", ["1/x", "sqrt(x - 1)", "log(x)", "(x - 2)^0.5", "exp(1000 + x)"])
def test_a_formula_without_a_value_says_so(text: str) -> None:
    with pytest.raises(VerificationError, match="has no finite value"):
        compile_formula(parse(text))({"x": 0.0})


def test_a_motion_without_derivatives_says_when() -> None:
    with pytest.raises(VerificationError, match="at t = 0 s"):
        compile_motion(parse("sqrt(time)"), {})(0.0)
