"""Table 4.6 of Uchida row by row: the coupled loops of the landing gear.

The lexicographic basis is read off the degrevlex one by linear algebra on normal forms (as FGLM does): a row
is the only polynomial of the ideal among its leading monomial and the standard ones below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import gcd
from typing import Any

import pytest
from flint import fmpz_mat, fmpz_mpoly, fmpz_mpoly_ctx, fmpz_mpoly_vec

from fmugen.algebra.budget import Budget

from .engines import reduced_basis

NAMES = ["cF", "sF", "cA", "sA", "cD", "sD", "cB", "sB", "p"]

#: (4.26) to (4.29), denominators cleared, and the circles.
ROWS = [
    "100*(sA*sB*p - cA*cB*p + 62*sA - 42*cA) + 1697*sD + 608*cD + 23100",
    "100*(sA*cB*p + cA*sB*p + 42*sA + 62*cA) + 608*sD - 1697*cD - 6200",
    "892*sA*sF - 892*cA*cF - 1060*sA - 125*cA - 822*cD + 1155",
    "892*sA*cF + 892*cA*sF + 125*sA - 1060*cA - 822*sD - 310",
    *(f"s{angle}**2 + c{angle}**2 - 1" for angle in "ABDF"),
]

Exponents = tuple[int, ...]


@cache
def basis() -> list[fmpz_mpoly]:
    """The degrevlex basis over one more indeterminate, the lowest, which the ideal does not contain."""
    context = fmpz_mpoly_ctx.get([*NAMES, "scale"], "degrevlex")
    space: dict[str, Any] = dict(zip(context.names(), context.gens(), strict=True))
    rows = [eval(row, {"__builtins__": {}}, space) for row in ROWS]
    found = reduced_basis(rows, "degrevlex", Budget(terms=800, bits=2000))
    assert found is not None
    return found


def normal_form(monomial: Exponents) -> tuple[dict[Exponents, int], int]:
    """What is left of a monomial modulo the basis, and the number it was multiplied by."""
    context = basis()[0].context()
    scale = (0,) * len(NAMES) + (1,)
    polynomial: Any = context.from_dict({(*monomial, 0): 1, scale: 1})
    reduced = polynomial.reduction_primitive_part(fmpz_mpoly_vec(basis(), context))
    terms = {tuple(map(int, exponents)): int(number) for exponents, number in reduced.to_dict().items()}
    return terms, terms.pop(scale)


def relation(monomials: Sequence[Exponents]) -> dict[Exponents, int]:
    """The only polynomial of the ideal in the given monomials, by linear algebra on their normal forms."""
    forms = [normal_form(monomial) for monomial in monomials]
    keys = sorted({key for terms, _ in forms for key in terms})
    matrix = fmpz_mat(len(keys), len(forms), [terms.get(key, 0) for key in keys for terms, _ in forms])
    solutions, count = matrix.nullspace()
    assert count == 1
    numbers = [int(solutions[i, 0]) * scale for i, (_, scale) in enumerate(forms)]
    common = gcd(*numbers)
    return {m: number // common for m, number in zip(monomials, numbers, strict=True) if number}


def monomial(**powers: int) -> Exponents:
    return tuple(powers.get(name, 0) for name in NAMES)


def digits(found: dict[Exponents, int]) -> int:
    return max(len(str(abs(number))) for number in found.values())


def standard(parity: int) -> list[Exponents]:
    """Monomials in sB and p below the leading one of g1, sB^6 p^6, odd or even in the two together.

    The ideal is graded so: turning the piston by half a turn and reversing its length changes nothing.
    """
    below = ((i, j) for i in range(7) for j in range(14) if (i < 6 or j < 6) and (i + j) % 2 == parity)
    return [monomial(sB=i, p=j) for i, j in below]


def row(unknown: str, leading: int) -> dict[Exponents, int]:
    """The row of the table that is linear in ``unknown``, whose leading monomial is unknown p^leading."""
    below = standard(1 if unknown == "cB" else 0)
    below += [] if unknown == "cB" else [monomial(cB=1, p=j) for j in range(1, 12, 2)]
    below += [] if unknown in ("cB", "sD") else [monomial(sD=1, p=j) for j in range(0, 6, 2)]
    return relation([*below, *(monomial(**{unknown: 1, "p": j}) for j in range(0, leading + 1, 2))])


def degree(found: dict[Exponents, int], unknown: str) -> int:
    return max(exponents[NAMES.index(unknown)] for exponents in found)


def test_sextic_in_the_sine_of_the_piston_angle() -> None:
    """Row g1: degree 6, 28 terms, numbers of at most 62 digits."""
    found = relation([*standard(0), *(monomial(sB=6, p=j) for j in range(6, 8, 2))])
    assert (degree(found, "sB"), len(found), digits(found)) == (6, 28, 62)


def test_cosine_of_the_piston_angle() -> None:
    """Row g2: linear in it, 40 terms, 132 digits."""
    found = row("cB", leading=12)
    assert (degree(found, "cB"), len(found), digits(found)) == (1, 40, 132)


def test_drag_strut_from_the_piston() -> None:
    """Row g4: linear in the cosine of the drag strut's angle, 6 terms, 9 digits."""
    names = [{"cD": 1}, {"sD": 1}, {"p": 1, "cB": 1}, {"p": 1, "sB": 1}, {"p": 2}, {}]
    found = relation([monomial(**powers) for powers in names])
    assert (degree(found, "cD"), len(found), digits(found)) == (1, 6, 9)


def test_sine_of_the_drag_strut_from_the_piston() -> None:
    """Row g3: linear, 37 terms, 245 digits."""
    found = row("sD", leading=6)
    assert (degree(found, "sD"), len(found), digits(found)) == (1, 37, 245)


@pytest.mark.parametrize(("unknown", "longest"), [("sA", 264), ("cA", 264), ("sF", 252), ("cF", 254)])
def test_other_angles_from_piston_and_drag_strut(unknown: str, longest: int) -> None:
    """Rows g5 to g8: linear with a number as factor, 37 terms."""
    found = row(unknown, leading=0)
    assert (degree(found, unknown), len(found), digits(found)) == (1, 37, longest)
