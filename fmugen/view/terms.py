"""Expressions as MathML in the form that they have.

The pages inside FMUs show this form, since nothing has to be rearranged, or imported, for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from fmugen.expr.dag import Expr, Operation
from fmugen.view.mathml import APPLY, FUNCTIONS, INFIX, MINUS, TIMES, decimal_mathml, name_mathml

__all__ = ["terms_mathml"]

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_LARGEST_DENOMINATOR = 12


def terms_mathml(root: Expr, names: Mapping[str, str]) -> list[str]:
    """The terms of a sum, each with its sign; ``names`` says how symbols are written.

    Examples
    --------
    >>> from fmugen.expr.dag import Dag, SymbolRole
    >>> dag = Dag()
    >>> x, y = (dag.symbol(name, SymbolRole.COORDINATE) for name in "xy")
    >>> terms_mathml(x - y, {})
    ['<mi>x</mi>', '<mo form="infix">−</mo><mi>y</mi>']
    """
    printer = _Printer(names)
    terms = root.args if root.operation is Operation.ADD else (root,)
    return [printer.term(term, first=number == 0) for number, term in enumerate(terms)]


class _Printer:
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def term(self, node: Expr, *, first: bool) -> str:
        """A term of a sum."""
        sign, factors = _signed(node)
        text = self._product(factors)
        if first:
            return f"{MINUS}{text}" if sign < 0 else text
        return f"{INFIX.format('−' if sign < 0 else '+')}{text}"

    def _sum(self, node: Expr) -> str:
        terms = node.args if node.operation is Operation.ADD else (node,)
        return "".join(self.term(term, first=number == 0) for number, term in enumerate(terms))

    def _product(self, factors: Sequence[Expr]) -> str:
        """A product without its sign, as a fraction where there are denominators."""
        number = Fraction(1)
        over: list[Expr] = []
        under: list[Expr] = []
        for factor in factors:
            if factor.operation is Operation.NUMBER:
                number *= abs(Fraction(factor.number))
            elif factor.operation is Operation.POWER and factor.exponent < 0:
                under.append(factor.args[0] ** -factor.exponent)
            else:
                over.append(factor)
        decimal = number.denominator > _LARGEST_DENOMINATOR
        head = [decimal_mathml(float(number))] if decimal else _whole(number.numerator)
        foot = [] if decimal else _whole(number.denominator)
        if not under and not foot:
            return self._factors(head, over, _PRODUCT) or "<mn>1</mn>"
        above, below = (self._row(*each) for each in ((head, over), (foot, under)))
        return f"<mfrac>{above}{below}</mfrac>"

    def _row(self, numbers: list[str], factors: Sequence[Expr]) -> str:
        """One side of a fraction, where a sum needs no parentheses if it is alone."""
        strength = _PRODUCT if len(numbers) + len(factors) > 1 else _SUM
        return f"<mrow>{self._factors(numbers, factors, strength) or '<mn>1</mn>'}</mrow>"

    def _factors(self, numbers: list[str], factors: Sequence[Expr], strength: int) -> str:
        return TIMES.join([*numbers, *(self._at_least(factor, strength) for factor in factors)])

    def _at_least(self, node: Expr, strength: int) -> str:
        """``node``, in parentheses if it binds weaker than ``strength``."""
        text, own = self._printed(node)
        return text if own >= strength else f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>"

    def _printed(self, node: Expr) -> tuple[str, int]:
        match node.operation:
            case Operation.SYMBOL:
                return self._names.get(node.name) or name_mathml(node.name), _ATOM
            case Operation.CALL:
                return self._call(node), _ATOM
            case Operation.POWER if node.exponent > 0:
                return self._power(node), _POWER
            case Operation.ADD:
                return f"<mrow>{self._sum(node)}</mrow>", _SUM
        sign, _ = _signed(node)
        is_number = node.operation is Operation.NUMBER and Fraction(node.number).denominator == 1
        return f"<mrow>{self._sum(node)}</mrow>", _SUM if sign < 0 else _ATOM if is_number else _PRODUCT

    def _power(self, node: Expr) -> str:
        base, exponent = node.args[0], f"<mn>{node.exponent}</mn>"
        if base.operation is Operation.CALL and len(base.args) == 1 and base.name not in ("abs", "sqrt"):
            head = f"<msup>{_function(base.name)}{exponent}</msup>"
            return f"<mrow>{head}{self._arguments(base)}</mrow>"
        return f"<msup>{self._at_least(base, _ATOM)}{exponent}</msup>"

    def _call(self, node: Expr) -> str:
        if node.name == "sqrt":
            return f"<msqrt>{self._sum(node.args[0])}</msqrt>"
        if node.name == "abs":
            return f"<mrow><mo>|</mo>{self._sum(node.args[0])}<mo>|</mo></mrow>"
        return f"<mrow>{_function(node.name)}{self._arguments(node)}</mrow>"

    def _arguments(self, call: Expr) -> str:
        if len(call.args) == 1 and call.args[0].operation is Operation.SYMBOL:
            return f"{APPLY}{self._sum(call.args[0])}"
        inner = "<mo>,</mo>".join(map(self._sum, call.args))
        return f"<mo>&#x2061;</mo><mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"


def _signed(node: Expr) -> tuple[int, list[Expr]]:
    """The sign of a term by its numbers, and its factors."""
    factors = list(_factors_of(node))
    negative = sum(each.operation is Operation.NUMBER and each.number < 0 for each in factors)
    return -1 if negative % 2 else 1, factors


def _factors_of(node: Expr) -> Iterator[Expr]:
    if node.operation is not Operation.MUL:
        yield node
        return
    for factor in node.args:
        yield from _factors_of(factor)


def _whole(number: int) -> list[str]:
    """A whole number as a factor: 1 is not written."""
    return [] if number == 1 else [f"<mn>{number}</mn>"]


def _function(name: str) -> str:
    return f"<mi>{FUNCTIONS.get(name, name)}</mi>"
