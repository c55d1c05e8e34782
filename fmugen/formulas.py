"""Text -> Formula: a tokenizer and a precedence-climbing parser of the project's own.

The grammar, from the loosest binding to the tightest::

    sum      =  product { ("+" | "-") product }
    product  =  sign { ("*" | "/") sign }
    sign     =  ("+" | "-") sign  |  power
    power    =  atom [ ("^" | "**") sign ]          right-associative: 2^3^2 = 2^(3^2)
    atom     =  number | name | function "(" sum { "," sum } ")" | "(" sum ")"

A text that is a number and a unit, such as ``540.7 mm``, is the number in SI.

A power binds tighter than a sign, so that ``-x^2`` is ``-(x^2)``. Decimal literals are kept exact and
a sign before a literal belongs to it. Nothing in a text is ever evaluated as Python. Length and depth are
bounded, so that everything done later by recursion over a formula is safe.

:func:`evaluate` tells the value that a formula over constants has, for checks of what the user wrote.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from operator import add, mul, neg, sub, truediv

from fmugen.errors import FormulaError
from fmugen.ir.formula import CONSTANTS, FUNCTIONS, TIME, Call, Formula, Name, Number, Term, constant
from fmugen.suggestions import closest
from fmugen.units import parse_unit

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "MAX_NESTING", "evaluate", "parse", "renamed"]

#: The longest text of a formula, in characters.
MAX_LENGTH = 10_000
#: How deep parentheses, signs and powers may be nested in each other.
MAX_NESTING = 60
#: How deep the tree of a formula may be.
MAX_DEPTH = 200
#: The most characters of a number; a double needs at most 24.
MAX_DIGITS = 100


class _Kind(Enum):
    NUMBER = "number"
    NAME = "name"
    SYMBOL = "symbol"
    END = "end"


@dataclass(frozen=True)
class _Token:
    kind: _Kind
    text: str
    column: int


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
      | (?P<symbol>\*\*|[-+*/^(),])
    )""",
    re.VERBOSE,
)

#: Binary operators: how tightly each binds, and the name its application gets.
_BINARY: dict[str, tuple[int, str]] = {
    "+": (1, "+"),
    "-": (1, "-"),
    "*": (2, "*"),
    "/": (2, "/"),
    "^": (4, "^"),
    "**": (4, "^"),
}
_SIGN_BINDING = 3
_OPPOSITE = {"+": "-", "-": "+"}
#: A longer sum becomes a balanced tree, which no sum within the limit of length makes too deep.
_LONG_SUM = 64


def parse(text: str | int | float) -> Formula:
    """The formula a text or a plain number stands for.

    Raises
    ------
    FormulaError
        If the text is not a formula; the error says what is wrong and in which column.

    Examples
    --------
    >>> list(parse("l1/2*sin(2*pi*time)").names())
    ['l1', 'pi', 'time']
    >>> parse(" 1e-3 ").root
    Number(value=Fraction(1, 1000))
    """
    if not isinstance(text, str):
        return _literal(text)
    if len(text) > MAX_LENGTH:
        raise FormulaError(
            f"{text[:40]}...", MAX_LENGTH + 1, f"the formula is longer than {MAX_LENGTH} characters"
        )
    if measured := _MEASURED.fullmatch(text):
        return _in_si(text, measured)
    root = _Parser(text).whole()
    if _depth(root) > MAX_DEPTH:
        raise FormulaError(text, 1, f"the formula has more than {MAX_DEPTH} operations inside one another")
    return Formula(" ".join(text.split()), root)


_MEASURED = re.compile(
    r"\s*(?P<number>[-+]?\s*(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*"
    r"(?![eE][+-]?[0-9])(?P<unit>[A-Za-z]+[0-9]*(?:[./(][A-Za-z0-9./()-]*|-[0-9]+[A-Za-z0-9./()-]*)?)\s*"
)


def _in_si(text: str, measured: re.Match[str]) -> Formula:
    """A number in a unit; a part of a turn stays a part of pi, so that its sine stays exact."""
    number, unit = "".join(measured["number"].split()), measured["unit"]
    try:
        factor = parse_unit(unit).factor
    except FormulaError as error:
        advice = error.message.partition(": ")[2]
        name = re.split("[^A-Za-z0-9_]", unit)[0]
        message = f"an operator is missing before {name!r}, or it is an unknown unit ({advice})"
        raise FormulaError(text, measured.start("unit") + 1, message) from None
    for turns, suffix in ((0, ""), (1, "*pi/180"), (-1, "*180/pi")):
        exact = Fraction(f"{factor / (math.pi / 180) ** turns:.12g}")
        if math.isclose(float(exact) * (math.pi / 180) ** turns, factor, rel_tol=4e-16):
            value = float(Fraction(number) * exact)
            return replace(parse(f"{value!r}{suffix}"), unit=unit)
    return replace(parse(repr(float(number) * factor)), unit=unit)


def renamed(text: str, name_for: Callable[[str], str]) -> str:
    """The text of a formula with other names; what does not parse comes back as it is.

    >>> renamed("2*pin.angle + sin(l)", {"pin.angle": "a.pin.angle", "l": "(3)"}.__getitem__)
    '2*a.pin.angle + sin((3))'
    """
    if _MEASURED.fullmatch(text):
        return text
    pieces: list[str] = []
    done = 0
    try:
        tokens = list(_tokens(text))
    except FormulaError:
        return text
    for token, following in pairwise(tokens):
        if token.kind is _Kind.NAME and following.text != "(" and token.text not in FUNCTIONS:
            start = token.column - 1
            pieces += [text[done:start], name_for(token.text)]
            done = start + len(token.text)
    return "".join((*pieces, text[done:]))


def _literal(value: int | float) -> Formula:
    """A formula from a Python number; subclasses of float (numpy's) become plain floats first."""
    if isinstance(value, bool):
        raise FormulaError(str(value).lower(), 1, "a truth value is not a number")
    plain = float(value) if isinstance(value, float) else int(value)
    if abs(plain) > sys.float_info.max:
        raise FormulaError("a number", 1, "the number is too large")
    if math.isnan(plain):
        raise FormulaError("nan", 1, "the value is not a number")
    return constant(plain)


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            raise FormulaError(text, start + 1, _stray(text[start]))
        yield _Token(_Kind(match.lastgroup), match[match.lastgroup], match.start(match.lastgroup) + 1)
        position = match.end()
    yield _Token(_Kind.END, "", end + 1)


def _stray(character: str) -> str:
    """What to say about a character that begins no token."""
    if character == "=":
        return "'=' has no place in a formula: write only what is on its right"
    if character in "[]{}":
        return f"unexpected {character!r}: group with parentheses ( )"
    return f"unexpected character {character!r}"


class _Parser:
    """One pass over the tokens of one text; each method consumes what it returns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.token = next(self.tokens)
        self.nesting = 0

    def whole(self) -> Term:
        if self.token.kind is _Kind.END:
            raise self.error("the formula is empty")
        term = self.expression(0)
        if self.token.text:
            raise self.error(self.trailing())
        return term

    def expression(self, binding: int) -> Term:
        """The longest term from here on whose operators all bind tighter than ``binding``."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise self.error(f"the formula is nested more than {MAX_NESTING} levels deep")
        term = self.prefix()
        summands: list[tuple[str, Term]] = []
        while (operator := self.operator()) is not None and operator[0] > binding:
            strength, function = operator
            self.advance()
            # The exponent may carry a sign and further powers: 2^-x^2 = 2^(-(x^2)).
            right = self.expression(_SIGN_BINDING - 1 if function == "^" else strength)
            if function in _OPPOSITE:
                summands.append((function, right))
            else:
                term = Call(function, (term, right))
        self.nesting -= 1
        return _sum(term, summands)

    def operator(self) -> tuple[int, str] | None:
        return _BINARY.get(self.token.text) if self.token.kind is _Kind.SYMBOL else None

    def prefix(self) -> Term:
        token = self.advance()
        if token.kind is _Kind.NUMBER:
            return self.number(token)
        if token.kind is _Kind.NAME:
            return self.call(token) if self.token.text == "(" else self.name(token)
        if token.text == "(":
            return self.group(token)
        if token.text == "-":
            operand = self.expression(_SIGN_BINDING)
            return Number(-operand.value) if isinstance(operand, Number) else Call("neg", (operand,))
        if token.text == "+":
            return self.expression(_SIGN_BINDING)
        if token.kind is _Kind.END:
            raise self.error("the formula ends where a number or a name is expected", token)
        raise self.error(f"a number or a name is expected before {token.text!r}", token)

    def number(self, token: _Token) -> Term:
        if len(token.text) > MAX_DIGITS:
            raise self.error(f"the number has more than {MAX_DIGITS} characters", token)
        value = float(token.text)
        if math.isinf(value):
            raise self.error(f"the number {token.text} is too large", token)
        mantissa = re.split("[eE]", token.text)[0]
        if value == 0.0 and mantissa.strip("0.") != "":
            raise self.error(f"the number {token.text} is too small", token)
        return Number(Fraction(token.text) if value else Fraction(0))

    def name(self, token: _Token) -> Term:
        if token.text in FUNCTIONS:
            raise self.error(f"{token.text!r} is a function: write {token.text}(...)", token)
        return Name(token.text)

    def group(self, opening: _Token) -> Term:
        term = self.expression(0)
        self.close(opening)
        return term

    def call(self, token: _Token) -> Term:
        arity = FUNCTIONS.get(token.text)
        if arity is None:
            raise self.error(_unknown_function(token.text), token)
        opening = self.advance()
        arguments = [self.expression(0)]
        while self.token.text == ",":
            self.advance()
            arguments.append(self.expression(0))
        self.close(opening)
        if len(arguments) != arity:
            wanted = "1 argument" if arity == 1 else f"{arity} arguments"
            raise self.error(f"{token.text!r} takes {wanted}, not {len(arguments)}", token)
        return Call(token.text, tuple(arguments))

    def close(self, opening: _Token) -> None:
        if self.token.text == ")":
            self.advance()
        elif self.token.kind is _Kind.END:
            raise self.error("this '(' is never closed", opening)
        else:
            raise self.error(self.trailing())

    def trailing(self) -> str:
        """What to say about a token that cannot follow a complete term."""
        if self.token.text == ")":
            return "this ')' closes no '('"
        if self.token.text == ",":
            return "',' only separates the arguments of a function (decimals are written with a point)"
        return f"an operator is missing before {self.token.text!r}"

    def advance(self) -> _Token:
        token = self.token
        if token.kind is not _Kind.END:
            self.token = next(self.tokens)
        return token

    def error(self, message: str, token: _Token | None = None) -> FormulaError:
        return FormulaError(self.text, (token or self.token).column, message)


def _sum(first: Term, others: list[tuple[str, Term]]) -> Term:
    """``first`` and the signed others added up: from left to right, or by halves if they are many."""
    if len(others) < _LONG_SUM:
        for sign, term in others:
            first = Call(sign, (first, term))
        return first
    middle = len(others) // 2
    sign, term = others[middle]
    rest = others[middle + 1 :]
    if sign == "-":
        rest = [(_OPPOSITE[other], summand) for other, summand in rest]
    return Call(sign, (_sum(first, others[:middle]), _sum(term, rest)))


def _unknown_function(name: str) -> str:
    if name in CONSTANTS or name == TIME:
        return f"{name!r} is not a function (to multiply, write {name}*(...))"
    match = closest(name, FUNCTIONS)
    if match:
        return f"unknown function {name!r}: did you mean {match!r}?"
    return (
        f"unknown function {name!r} (to multiply, write {name}*(...)); functions are {', '.join(FUNCTIONS)}"
    )


def _depth(root: Term) -> int:
    """The depth of the tree, found without recursion."""
    deepest = 0
    stack: list[tuple[Term, int]] = [(root, 1)]
    while stack:
        term, depth = stack.pop()
        deepest = max(deepest, depth)
        if isinstance(term, Call):
            stack.extend((argument, depth + 1) for argument in term.arguments)
    return deepest


# --- values ----------------------------------------------------------------------------------------------

_APPLIED: dict[str, Callable[..., float]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": truediv,
    "^": math.pow,
    "neg": neg,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "step": lambda x: float(x >= 0),
    "if": lambda x, a, b: a if x >= 0 else b,
    "abs": abs,
    "max": max,
    "min": min,
    **{name: getattr(math, name) for name in FUNCTIONS if hasattr(math, name)},
}


def evaluate(formula: Formula, values: Mapping[str, float]) -> float | None:
    """The value of a formula whose names are constants or keys of ``values``.

    ``None`` if it uses another name; not a number where the formula has no value.

    >>> evaluate(parse("2*l*cos(pi)"), {"l": 0.5})
    -1.0
    """
    known = {**CONSTANTS, **values}
    if any(name not in known for name in formula.names()):
        return None
    try:
        return _value(formula.root, known)
    except (ArithmeticError, ValueError):  # a division by zero, the root of a negative number, an overflow
        return math.nan


def _value(term: Term, known: Mapping[str, float]) -> float:
    match term:
        case Number(value):
            return float(value)
        case Name(text):
            return known[text]
        case Call(function, arguments):
            return _APPLIED[function](*(_value(argument, known) for argument in arguments))
