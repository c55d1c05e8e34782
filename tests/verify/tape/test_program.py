"""Recorded functions against the same functions of floats."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import pytest

from fmugen.formulas import parse
from fmugen.verify.evaluate import Jet, compile_formula, compile_motion
from fmugen.verify.tape import scalar
from fmugen.verify.tape.library import machine
from fmugen.verify.tape.program import record

FUNCTIONS = (
    "sqrt",
    "rounded",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "log",
)


@pytest.fixture
def library() -> ctypes.CDLL:
    found = machine()
    assert found is not None
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_floats(library: ctypes.CDLL, name: str) -> None:
    function = getattr(scalar, name)
    program = record(library, 1, lambda given: [function(given[0])])
    table = np.array([[0.1], [0.5], [0.97]])
    np.testing.assert_allclose(program(table)[:, 0], [function(x) for x in (0.1, 0.5, 0.97)], rtol=1e-15)
    np.testing.assert_allclose(function(table), program(table), rtol=1e-15)


def test_arithmetic_and_branches(library: ctypes.CDLL) -> None:
    def evaluate(x: Any) -> list[Any]:
        a, b = x
        return [
            *(a + b, a - b, a * b, a / b, -a, abs(b), b**2, 2.0 - a, 3.0 / b, a - a, 0.0 * a, 7.5),
            *(scalar.atan2(a, b), scalar.power(a, 1.5), scalar.choose(b, a, 2.0), scalar.sign(b)),
        ]

    program = record(library, 2, evaluate)
    for given in ([0.3, -0.7], [2.0, 0.4]):
        np.testing.assert_allclose(program(np.array(given)), evaluate(given), rtol=1e-15)


def test_equal_operations_are_one_and_unused_ones_none(library: ctypes.CDLL) -> None:
    def evaluate(x: Any) -> list[Any]:
        _ = scalar.exp(x[1])
        return [scalar.sin(x[0]) * x[1], scalar.sin(x[0]) * x[1] + 0.0, 1.0 * x[0]]

    assert record(library, 2, evaluate).steps == 2


@pytest.mark.parametrize(
    "text",
    [
        "if(x - 1, x^2, -x)",
        "max(x, time) - min(x, 2)",
        "sign(x - 1) + step(x)",
        "x^time",
        "atan2(x, time + 2)",
    ],
)
def test_formulas(library: ctypes.CDLL, text: str) -> None:
    formula = parse(text)
    evaluate = compile_formula(formula)
    program = record(library, 2, lambda given: [evaluate({"x": given[0], "time": given[1]})])
    for x, time in ((0.4, 0.2), (1.7, 0.9), (3.0, 1.1)):
        assert program(np.array([x, time]))[0] == pytest.approx(evaluate({"x": x, "time": time}), rel=1e-14)


def test_motions_with_two_derivatives(library: ctypes.CDLL) -> None:
    motion = compile_motion(parse("if(time - 1, sin(w*time)^3, exp(-time)/(1 + time))"), {"w": 2.0})

    def evaluate(given: Any) -> list[Any]:
        jet: Jet = motion(given[0])
        return [jet.value, jet.rate, jet.acceleration]

    program = record(library, 1, evaluate)
    for time in (0.3, 1.4):
        np.testing.assert_allclose(program(np.array([time])), evaluate([time]), rtol=1e-13)


def test_a_value_outside_the_range_of_a_function_is_not_finite(library: ctypes.CDLL) -> None:
    program = record(library, 1, lambda given: [scalar.log(given[0])])
    assert math.isnan(program(np.array([-1.0]))[0])
