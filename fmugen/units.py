"""Unit strings: what they mean in the base units of FMI.

The grammar is that of Modelica and of the FMI standard's examples::

    unit     =  product [ "/" ( factor | "(" product ")" ) ]
    product  =  factor { "." factor }
    factor   =  "1"  |  symbol [ integer exponent ]        m2, s-1

A symbol is one of the table below, or an SI prefix before one that takes prefixes. ``rad`` counts as a
base unit, as in FMI.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields

from fmugen.errors import FormulaError
from fmugen.suggestions import closest

__all__ = ["Unit", "coherent_text", "parse_unit", "per_second", "quotient"]


@dataclass(frozen=True)
class Unit:
    """Exponents of the base units, and ``value_in_base_units = factor*value + offset``."""

    kg: int = 0
    m: int = 0
    s: int = 0
    A: int = 0
    K: int = 0
    mol: int = 0
    cd: int = 0
    rad: int = 0
    factor: float = 1.0
    offset: float = 0.0

    @property
    def exponents(self) -> dict[str, int]:
        """The exponent of every base unit, zeros included, in the order of the FMI schema."""
        return {field.name: getattr(self, field.name) for field in fields(self)[:8]}

    @property
    def is_coherent(self) -> bool:
        """Whether a number in this unit is the number in base units."""
        return self.factor == 1.0 and self.offset == 0.0

    def same_dimension(self, other: Unit) -> bool:
        """Whether both measure the same kind of thing; an angle counts as a plain number."""
        return self.exponents | {"rad": 0} == other.exponents | {"rad": 0}

    def times(self, other: Unit, exponent: int) -> Unit:
        """This unit multiplied by a power of another."""
        theirs = other.exponents
        return Unit(
            **{base: mine + exponent * theirs[base] for base, mine in self.exponents.items()},
            factor=self.factor * other.factor**exponent,
        )


_SYMBOLS: dict[str, Unit] = {
    "m": Unit(m=1),
    "s": Unit(s=1),
    "kg": Unit(kg=1),
    "g": Unit(kg=1, factor=1e-3),
    "A": Unit(A=1),
    "K": Unit(K=1),
    "mol": Unit(mol=1),
    "cd": Unit(cd=1),
    "rad": Unit(rad=1),
    "N": Unit(kg=1, m=1, s=-2),
    "Pa": Unit(kg=1, m=-1, s=-2),
    "J": Unit(kg=1, m=2, s=-2),
    "W": Unit(kg=1, m=2, s=-3),
    "Hz": Unit(s=-1),
    "V": Unit(kg=1, m=2, s=-3, A=-1),
    "Ohm": Unit(kg=1, m=2, s=-3, A=-2),
    "F": Unit(kg=-1, m=-2, s=4, A=2),
    "H": Unit(kg=1, m=2, s=-2, A=-2),
    "C": Unit(s=1, A=1),
    "deg": Unit(rad=1, factor=math.pi / 180),
    "rev": Unit(rad=1, factor=2 * math.pi),
    "min": Unit(s=1, factor=60.0),
    "h": Unit(s=1, factor=3600.0),
}
_PREFIXES = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "c": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9}
_WITHOUT_PREFIX = {"kg", "deg", "rev", "min", "h"}
#: The symbol with factor 1 to use in place of one without a prefix whose factor is another.
_COHERENT = {"g": "kg", "deg": "rad", "rev": "rad", "min": "s", "h": "s"}
#: Common misspellings of units.
_COMMON = (
    *("m", "m2", "m/s", "m/s2", "rad", "rad/s", "rad/s2", "s", "Hz", "1"),
    *("kg", "kg.m2", "N", "N.m", "N/m", "N.s/m", "N.m/rad", "N.m.s/rad", "J", "W", "Pa"),
)

_FACTOR = re.compile(r"(?P<one>1)|(?P<symbol>[A-Za-z]+)(?P<exponent>-?[0-9]{1,2})?")
_SYMBOL_IN_TEXT = re.compile(r"[A-Za-z]+")


def parse_unit(text: str) -> Unit:
    """The meaning of a unit string.

    Raises
    ------
    FormulaError
        If the text is not a unit; the message suggests one if it can.

    Examples
    --------
    >>> parse_unit("N.m") == parse_unit("J")
    True
    >>> parse_unit("mm").factor
    0.001
    """
    numerator, slash, denominator = text.partition("/")
    unit = _product(text, numerator, 0, Unit(), 1)
    if not slash:
        return unit
    start = len(numerator) + 1
    if denominator.startswith("(") and denominator.endswith(")"):
        return _product(text, denominator[1:-1], start + 1, unit, -1)
    if "." in denominator or "/" in denominator:
        inside = re.sub(r"[/.()]+", ".", denominator).strip(".")
        raise FormulaError(text, start + 1, f"put the denominator in parentheses: '{numerator}/({inside})'")
    return _product(text, denominator, start, unit, -1)


def coherent_text(text: str) -> str:
    """A valid unit string with every symbol replaced by its SI symbol without a prefix.

    >>> coherent_text("N.mm/deg")
    'N.m/rad'
    """
    return _SYMBOL_IN_TEXT.sub(lambda match: _coherent_symbol(match[0]), text)


def _coherent_symbol(symbol: str) -> str:
    if symbol not in _SYMBOLS:
        symbol = symbol[1:]
    return _COHERENT.get(symbol, symbol)


def _product(text: str, product: str, start: int, unit: Unit, sign: int) -> Unit:
    """``unit`` times a product to the power ``sign``; ``start`` is where the product is in the text."""
    for factor in product.split("."):
        match = _FACTOR.fullmatch(factor)
        if match is None:
            raise _unknown(text, text, start)
        if match["symbol"]:
            base = _symbol(match["symbol"])
            if base is None:
                raise _unknown(text, match["symbol"], start)
            unit = unit.times(base, sign * int(match["exponent"] or 1))
        start += len(factor) + 1
    return unit


def _symbol(symbol: str) -> Unit | None:
    if symbol in _SYMBOLS:
        return _SYMBOLS[symbol]
    prefix, base = symbol[:1], symbol[1:]
    if prefix not in _PREFIXES or base not in _SYMBOLS or base in _WITHOUT_PREFIX:
        return None
    return Unit(factor=_PREFIXES[prefix]).times(_SYMBOLS[base], 1)


def _unknown(text: str, part: str, start: int) -> FormulaError:
    match = _respelled(text) or closest(text, _COMMON) or closest(part, _SYMBOLS)
    made_of = f"units are made of {', '.join(_SYMBOLS)}, as in 'N.m/rad'"
    advice = f"did you mean {match!r}?" if match else made_of
    return FormulaError(text, start + 1, f"unknown unit {part!r}: {advice}")


def _respelled(text: str) -> str | None:
    """A common unit that differs from the text only in how powers and products are written."""
    letters = re.sub(r"[^A-Za-z0-9]", "", text.replace("\N{SUPERSCRIPT TWO}", "2"))
    matches = (unit for unit in _COMMON if letters and letters == re.sub(r"[^A-Za-z0-9]", "", unit))
    return next(matches, None)


def quotient(text: str, divisor: str) -> str:
    """The unit of a quantity divided by another, by its common name if it has one.

    >>> quotient("N", "m/s2"), quotient("rad/s2", "N.m"), quotient("m", "m")
    ('kg', 'rad/(s2.N.m)', '1')
    """
    meant = parse_unit(text).times(parse_unit(divisor), -1)
    common = next((unit for unit in _COMMON if parse_unit(unit) == meant), None)
    if common is not None:
        return common
    above, _, below = (part.strip("()") for part in text.partition("/"))
    inverse, _, direct = (part.strip("()") for part in divisor.partition("/"))
    top = ".".join(part for part in (above, direct) if part not in ("", "1")) or "1"
    bottom = [part for part in (below, inverse) if part not in ("", "1")]
    under = ".".join(bottom)
    if not bottom:
        return top
    return f"{top}/({under})" if "." in under else f"{top}/{under}"


def per_second(text: str) -> str:
    """The unit of a rate.

    >>> [per_second(unit) for unit in ("m", "m/s", "N.s/m", "kg/(m.s)")]
    ['m/s', 'm/s2', 'N.s/(m.s)', 'kg/(m.s.s)']
    """
    above, _, below = text.partition("/")
    if not below:
        return f"{above}/s"
    if below == "s":
        return f"{above}/s2"
    return f"{above}/({below.strip('()')}.s)"
