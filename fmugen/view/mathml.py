"""Equations as MathML, which browsers render without a library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

__all__ = [
    "APPLY",
    "FUNCTIONS",
    "INFIX",
    "MINUS",
    "TIMES",
    "coordinate_mathml",
    "decimal_mathml",
    "name_mathml",
    "sum_mathml",
    "text_mathml",
]

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_LARGEST_DENOMINATOR = 12
#: Products have a little room between their factors: names may have several letters.
TIMES = '<mspace width="0.2em"/>'
APPLY = '<mo>&#x2061;</mo><mspace width="0.12em"/>'
MINUS = "<mo>−</mo>"
INFIX = '<mo form="infix">{}</mo>'
_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "phi": "φ", "omega": "ω"}
FUNCTIONS = {
    "Max": "max",
    "Min": "min",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "atan2",
}

#: How a coordinate and its rates are written: a letter and a number of dots.
_LETTERS = {
    "angle": ("θ", 0),
    "omega": ("θ", 1),
    "alpha": ("θ", 2),
    "dp": ("p", 1),
    "ddp": ("p", 2),
    "v": ("s", 1),
    "a": ("s", 2),
    **{f"v{axis}": (axis, 1) for axis in "xyzn"},
    **{f"a{axis}": (axis, 2) for axis in "xyzn"},
}
_DOTS = {1: "˙", 2: "¨"}


# --- names ----------------------------------------------------------------------------------------


def coordinate_mathml(name: str) -> str:
    """A quantity such as ``crank.omega``: a letter with its dots, the owner as index."""
    owner, _, kind = name.rpartition(".")
    letters = kind.rstrip("0123456789")
    number = kind.removeprefix(letters)
    letter, dots = _LETTERS.get(letters, (letters, 0))
    base = f"<mi>{escape(letter)}</mi>"
    if dots:
        base = f'<mover accent="true">{base}<mo>{_DOTS[dots]}</mo></mover>'
    index = ",".join(part for part in (number, owner) if part)
    return f"<msub>{base}<mtext>{escape(index)}</mtext></msub>" if index else base


def name_mathml(name: str) -> str:
    """A parameter, a shared term or a variable; ``k1``, ``k_1`` and ``C1.v`` get an index."""
    derivative = re.fullmatch(r"der\((.*)\)", name)
    if derivative:
        return f'<mover accent="true">{name_mathml(derivative[1])}<mo>˙</mo></mover>'
    owner, _, kind = name.rpartition(".")
    if owner:
        return f"<msub>{name_mathml(kind)}<mtext>{escape(owner)}</mtext></msub>"
    letter = re.fullmatch(r"([A-Za-z]|[a-z]+)_?(\d+)", name)
    if letter and (len(letter[1]) == 1 or letter[1] in _GREEK):
        base = _GREEK.get(letter[1], letter[1])
        return f"<msub><mi>{base}</mi><mn>{letter[2]}</mn></msub>"
    if len(name) == 1 or name in _GREEK:
        return f"<mi>{_GREEK.get(name, escape(name))}</mi>"
    return f"<mtext><i>{escape(name)}</i></mtext>"


def text_mathml(text: str) -> str:
    """Upright words inside an equation."""
    return f"<mtext>{escape(text)}</mtext>"


# --- expressions ----------------------------------------------------------------------------------


def sum_mathml(expression: Any, names: Mapping[Any, str]) -> list[str]:
    """The terms of an expression, each with its sign; lines can break between them."""
    printer = _Printer(names)
    terms = expression.as_ordered_terms() if expression.is_Add else [expression]
    return [printer.term(term, first=number == 0) for number, term in enumerate(terms)]


class _Printer:
    def __init__(self, names: Mapping[Any, str]) -> None:
        self._names = names

    def term(self, term: Any, *, first: bool) -> str:
        negative = term.could_extract_minus_sign()
        size = self._at_least(-term if negative else term, _PRODUCT)
        if first:
            return f"{MINUS}{size}" if negative else size
        return f"{INFIX.format('−' if negative else '+')}{size}"

    def _at_least(self, expression: Any, strength: int) -> str:
        """``expression``, in parentheses if it binds weaker than ``strength``."""
        text, own = self._printed(expression)
        return text if own >= strength else f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>"

    def _printed(self, expression: Any) -> tuple[str, int]:
        if expression.is_Symbol:
            return self._names.get(expression) or name_mathml(expression.name), _ATOM
        if expression.is_Number:
            return _number(expression)
        if expression.is_Add:
            terms = expression.as_ordered_terms()
            parts = [self.term(term, first=number == 0) for number, term in enumerate(terms)]
            return f"<mrow>{''.join(parts)}</mrow>", _SUM
        if expression.is_Mul:
            return self._product(expression)
        if expression.is_Pow:
            return self._power(expression)
        if expression.is_Function:
            return self._call(expression), _ATOM
        return f"<mtext>{escape(str(expression))}</mtext>", _ATOM

    def _product(self, expression: Any) -> tuple[str, int]:
        if expression.could_extract_minus_sign():
            return f"{MINUS}{self._at_least(-expression, _PRODUCT)}", _SUM
        number, rest = expression.as_coeff_Mul()
        if _is_decimal(number):
            return f"<mrow>{_number(number)[0]}{TIMES}{self._at_least(rest, _PRODUCT)}</mrow>", _PRODUCT
        import sympy

        over, under = sympy.fraction(expression)
        if under != 1:
            return f"<mfrac>{self._row(over)}{self._row(under)}</mfrac>", _PRODUCT
        factors = [self._at_least(factor, _POWER) for factor in expression.as_ordered_factors()]
        return f"<mrow>{TIMES.join(factors)}</mrow>", _PRODUCT

    def _row(self, expression: Any) -> str:
        return f"<mrow>{self._printed(expression)[0]}</mrow>"

    def _power(self, expression: Any) -> tuple[str, int]:
        base, exponent = expression.args
        if exponent.is_Rational and (exponent.p, exponent.q) == (1, 2):
            return f"<msqrt>{self._printed(base)[0]}</msqrt>", _ATOM
        if exponent.is_Number and exponent.is_negative:
            return f"<mfrac><mn>1</mn>{self._row(base**-exponent)}</mfrac>", _PRODUCT
        if base.is_Function and exponent.is_Integer and len(base.args) == 1 and not _is_call(base, "Abs"):
            head = f"<msup>{_function_name(base)}<mn>{exponent}</mn></msup>"
            return f"<mrow>{head}{self._arguments(base)}</mrow>", _ATOM
        return f"<msup>{self._at_least(base, _ATOM)}{self._row(exponent)}</msup>", _POWER

    def _call(self, expression: Any) -> str:
        if _is_call(expression, "Abs"):
            return f"<mrow><mo>|</mo>{self._printed(expression.args[0])[0]}<mo>|</mo></mrow>"
        return f"<mrow>{_function_name(expression)}{self._arguments(expression)}</mrow>"

    def _arguments(self, expression: Any) -> str:
        args = expression.args[:1] if _is_call(expression, "Heaviside") else expression.args
        if len(args) == 1 and args[0].is_Symbol:
            return f"{APPLY}{self._printed(args[0])[0]}"
        inner = "<mo>,</mo>".join(self._printed(arg)[0] for arg in args)
        return f"<mo>&#x2061;</mo><mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"


def _is_call(expression: Any, name: str) -> bool:
    return type(expression).__name__ == name


def _function_name(expression: Any) -> str:
    name = "step" if _is_call(expression, "Heaviside") else type(expression).__name__
    return f"<mi>{escape(FUNCTIONS.get(name, name))}</mi>"


def _is_decimal(value: Any) -> bool:
    """Whether a number is read more easily as a decimal fraction."""
    return bool(value.is_Rational and value.q > _LARGEST_DENOMINATOR)


def decimal_mathml(value: float) -> str:
    """A decimal fraction; very large and very small ones with a power of ten."""
    mantissa, _, exponent = f"{value:.12g}".partition("e")
    if not exponent:
        return f"<mn>{mantissa}</mn>"
    power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>".replace("-", "−")
    return power if mantissa == "1" else f"<mrow><mn>{mantissa}</mn><mo>×</mo>{power}</mrow>"


def _number(value: Any) -> tuple[str, int]:
    """Decimal fractions as they were written, others as fractions."""
    if value.is_negative:
        return f"{MINUS}{_number(-value)[0]}", _SUM
    if value.is_Integer:
        return f"<mn>{value}</mn>", _ATOM
    if _is_decimal(value):
        return decimal_mathml(float(value)), _ATOM
    if value.is_Rational:
        return f"<mfrac><mn>{value.p}</mn><mn>{value.q}</mn></mfrac>", _PRODUCT
    return f"<mn>{value}</mn>", _ATOM
