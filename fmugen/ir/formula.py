"""Formulas as the user wrote them: a small tree of numbers, names and function applications.

A formula is data. It is parsed by ``fmugen.formulas``, lowered to the expression DAG by the
formulation, and evaluated numerically by ``fmugen.verify`` on its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

#: Every function a formula may call, with its number of arguments.
FUNCTIONS: dict[str, int] = {
    "abs": 1,
    "acos": 1,
    "asin": 1,
    "atan": 1,
    "atan2": 2,
    "cos": 1,
    "cosh": 1,
    "exp": 1,
    "if": 3,
    "log": 1,
    "max": 2,
    "min": 2,
    "sign": 1,
    "sin": 1,
    "sinh": 1,
    "sqrt": 1,
    "step": 1,
    "tan": 1,
    "tanh": 1,
}

#: Names with a fixed meaning in every formula (``time`` is the independent variable).
CONSTANTS: dict[str, float] = {"pi": 3.141592653589793}
TIME = "time"


@dataclass(frozen=True)
class Number:
    """A literal, kept exact: ``0.1`` is 1/10."""

    value: Fraction


@dataclass(frozen=True)
class Name:
    """A parameter, an input, ``time``, ``pi``, or a dotted quantity such as ``pin.angle``."""

    text: str


@dataclass(frozen=True)
class Call:
    """An operator (``+ - * / ^ neg``) or one of :data:`FUNCTIONS` applied to arguments."""

    function: str
    arguments: tuple[Term, ...]


Term = Number | Name | Call


@dataclass(frozen=True)
class Formula:
    """A parsed formula with the text it came from (the text is what error messages quote).

    ``unit`` is the unit that was written behind a number; the number itself is in SI.
    """

    text: str
    root: Term
    unit: str = field(default="", compare=False)

    def names(self) -> Iterator[str]:
        """Every name in the formula, in reading order, repeated as often as written."""
        stack: list[Term] = [self.root]
        while stack:
            term = stack.pop()
            if isinstance(term, Name):
                yield term.text
            elif isinstance(term, Call):
                stack.extend(reversed(term.arguments))

    @property
    def number(self) -> float | None:
        """The value if the formula is a plain literal, else ``None``."""
        return float(self.root.value) if isinstance(self.root, Number) else None


def constant(value: float | int | Fraction) -> Formula:
    """A formula that is just a number."""
    exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    return Formula(repr(value) if isinstance(value, float) else str(value), Number(exact))


ZERO = constant(0)
ONE = constant(1)
