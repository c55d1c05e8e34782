"""Formulas as MathML: well-formed, and read as they are meant."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
import sympy

from fmugen.view.mathml import coordinate_mathml, name_mathml, sum_mathml

a, b, x, y = sympy.symbols("a b x y", real=True)


def read(mathml: str) -> str:
    """A formula as a line of text: fractions as (p)/(q), powers as ^, roots as sqrt()."""

    def text(element: ElementTree.Element) -> str:
        parts = [text(child) for child in element]
        match element.tag:
            case "mfrac":
                return f"({parts[0]})/({parts[1]})"
            case "msup":
                return f"{parts[0]}^{parts[1]}"
            case "msub":
                return f"{parts[0]}_{parts[1]}"
            case "mover":
                return f"{parts[0]}{parts[1]}"
            case "msqrt":
                return f"sqrt({''.join(parts)})"
            case "mspace":
                return " "
        return (element.text or "").replace("\u2061", "") + "".join(parts)

    return re.sub(" +", " ", text(ElementTree.fromstring(f"<math>{mathml}</math>")))


def shown(expression: object) -> str:
    return "".join(read(term) for term in sum_mathml(expression, {}))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (a + b, "a+b"),
        (a - b, "a−b"),
        (-a - b, "−a−b"),
        (a * (b + x), "a (b+x)"),
        (-a * (b - x), "−a (b−x)"),
        (a * b / 2, "(a b)/(2)"),
        (1 / (a + b), "(1)/(a+b)"),
        (a / b**2, "(a)/(b^2)"),
        ((a + b) ** 2, "(a+b)^2"),
        ((a * b) ** x, "(a b)^x"),
        ((-a) ** x, "(−a)^x"),
        (sympy.sqrt(a + b), "sqrt(a+b)"),
        (1 / sympy.sqrt(a), "(1)/(sqrt(a))"),
        (a ** sympy.Rational(3, 2), "a^(3)/(2)"),
        (sympy.sin(x), "sin x"),
        (sympy.sin(x) ** 2, "sin^2 x"),
        (sympy.cos(x + y), "cos(x+y)"),
        (sympy.sin(x) * sympy.cos(y), "sin x cos y"),
        (sympy.atan2(y, x), "atan2(y,x)"),
        (sympy.Max(x, y), "max(x,y)"),
        (sympy.Abs(x - y), "|x−y|"),
        (sympy.Abs(x) * a, "a |x|"),
        (sympy.Heaviside(x, 1), "step x"),
        (sympy.exp(-x), "exp(−x)"),
        (sympy.Rational(981, 100) * a, "9.81 a"),
        (sympy.Rational(1, 3), "(1)/(3)"),
        (sympy.Rational(1, 10**8) * a, "10^−8 a"),
        (sympy.Rational(3, 2 * 10**9), "1.5×10^−9"),
        (sympy.Integer(0), "0"),
    ],
)
def test_expressions(expression: object, text: str) -> None:
    assert shown(expression) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crank.angle", "θ_crank"),
        ("crank.omega", "θ˙_crank"),
        ("pin.alpha", "θ¨_pin"),
        ("slide.v", "s˙_slide"),
        ("body.x", "x_body"),
        ("body.az", "z¨_body"),
        ("ball.angle2", "θ_2,ball"),
        ("a_b.p0", "p_0,a_b"),
        ("platform.dp3", "p˙_3,platform"),
    ],
)
def test_coordinates(name: str, text: str) -> None:
    assert read(coordinate_mathml(name)) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g", "g"),
        ("k1", "k_1"),
        ("beta_0", "β_0"),
        ("theta", "θ"),
        ("e12", "e_12"),
        ("C1.v", "v_C1"),
        ("m.p1", "p_1_m"),
        ("der(L1.i)", "i_L1˙"),
        ("rod_length", "rod_length"),
    ],
)
def test_names(name: str, text: str) -> None:
    assert read(name_mathml(name)) == text


def test_symbols_are_written_as_they_are_named() -> None:
    assert sum_mathml(x, {x: "<mi>θ</mi>"}) == ["<mi>θ</mi>"]


def test_each_term_of_a_sum_stands_alone() -> None:
    assert len(sum_mathml(a + b * x - y, {})) == 3
