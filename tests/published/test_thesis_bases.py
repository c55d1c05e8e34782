"""Bases printed in Uchida's thesis, reproduced by our engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flint import fmpz_mpoly, fmpz_mpoly_ctx

from fmugen.algebra.budget import Budget
from fmugen.algebra.ring import reduces_to_zero

from .engines import Engine, available_engines, evaluation_cost, reduced_basis
from .substitutions import euler, tangent_half

DATA = json.loads((Path(__file__).parents[1] / "data" / "uchida_bases.json").read_text(encoding="utf-8"))
AMPLE = Budget(polynomials=400, terms=9000, bits=9000)


def polynomials(names: list[str], texts: list[str], order: str = "lex") -> list[fmpz_mpoly]:
    context = fmpz_mpoly_ctx.get(names, order)
    space: dict[str, Any] = dict(zip(names, context.gens(), strict=True))
    return [eval(text, {"__builtins__": {}}, space) for text in texts]


def said(found: list[fmpz_mpoly]) -> set[str]:
    """The polynomials whatever their sign."""
    return {str(p if int(p.leading_coefficient()) > 0 else -p) for p in found}


def lex_basis(case: dict[str, Any]) -> list[fmpz_mpoly]:
    basis = reduced_basis(polynomials(case["order"], case["inputs"]), "lex", AMPLE)
    assert basis is not None
    return basis


@pytest.mark.parametrize("equation", ["3.38", "3.45", "3.53", "4.19"])
def test_printed_basis(equation: str) -> None:
    case = DATA["bases"][equation]
    assert said(lex_basis(case)) == said(polynomials(case["order"], case["basis"]))


def test_printed_basis_without_the_circle_of_the_third_angle() -> None:
    """(4.17) leaves out s3^2 + c3^2 - 1, which belongs to the reduced basis."""
    case = DATA["bases"]["4.17"]
    printed = said(polynomials(case["order"], case["basis"]))
    assert said(lex_basis(case)) == printed | {"s3^2 + c3^2 - 1"}


@pytest.mark.parametrize("equation", ["4.18", "4.20", "4.23", "4.24"])
def test_printed_solution_follows_from_the_basis(equation: str) -> None:
    case = DATA["systems"][equation]
    basis = reduced_basis(polynomials(case["order"], case["inputs"]), "degrevlex", AMPLE)
    assert basis is not None
    members = polynomials(case["order"], case["members"], "degrevlex")
    assert all(reduces_to_zero(member, basis) for member in members)


def test_three_substitutions_compared() -> None:
    """Table 3.1: degrees, indeterminates and cost of the slider-crank's basis by each substitution."""
    case = DATA["bases"]["3.53"]
    goniometric = polynomials(case["order"], case["inputs"])
    rows = goniometric[:2]
    halves = tangent_half(rows, {"x1": ("sT", "cT"), "x2": ("sB", "cB")})
    complexes = euler(rows, {"y1": ("sT", "cT"), "y2": ("sB", "cB")})
    table = []
    for system in (halves, complexes, goniometric):
        basis = reduced_basis(system, "lex", AMPLE)
        assert basis is not None
        cost = evaluation_cost(basis)
        degree = max(int(p.total_degree()) for p in system)
        table.append((degree, len(system[0].context().names()), cost.multiplications, cost.additions))
    assert table == [(5, 3, 59, 23), (4, 4, 33, 10), (2, 5, 11, 7)]


def test_engines_agree() -> None:
    """A planar dyad with symbolic lengths, in every engine at hand."""
    names = ["sa", "ca", "sb", "cb", "k", "l", "x", "y"]
    texts = ["k*ca + l*cb - x", "k*sa + l*sb - y", "sa**2 + ca**2 - 1", "sb**2 + cb**2 - 1"]
    rows = polynomials(names, texts)
    results = [reduced_basis(rows, "lex", AMPLE, engine) for engine in available_engines()]
    assert results[0] is not None
    assert all(result is not None and said(result) == said(results[0]) for result in results)


def test_an_engine_stops_when_its_budget_is_spent() -> None:
    case = DATA["bases"]["4.17"]
    rows = polynomials(case["order"], case["inputs"])
    assert reduced_basis(rows, "lex", Budget(polynomials=8)) is None
    assert reduced_basis(rows, "lex", Budget(), Engine.SYMPY, seconds=0.01) is None


LINK_NAMES = ["sa", "ca", "sb", "cb", "z", "y", "x", "sp", "cp", "st", "ct", "sf", "cf"]
#: The first link: its joints on chassis and carrier (table A.5), in tenths of a millimetre, and its length.
CHASSIS, CARRIER = (-1032, -4906, -656), (-478, -501, -879)
LENGTH = round(sum((b - a) ** 2 for a, b in zip(CHASSIS, CARRIER, strict=True)) ** 0.5)
#: Where the carrier puts the ball joint, less where the chassis puts the universal joint.
REACH = [
    "10000*x - ({}) + cf*ct*({}) + (cf*st*sp - sf*cp)*({}) + (cf*st*cp + sf*sp)*({})",
    "10000*y - ({}) + sf*ct*({}) + (sf*st*sp + cf*cp)*({}) + (sf*st*cp - cf*sp)*({})",
    "10000*z - ({}) - st*({}) + ct*sp*({}) + ct*cp*({})",
]


def reach() -> list[str]:
    return [text.format(place, *CARRIER) for text, place in zip(REACH, CHASSIS, strict=True)]


def link_basis(order: str) -> list[fmpz_mpoly]:
    """A basis of the link's constraints (5.1)."""
    link = [f"{LENGTH}*cb", f"{LENGTH}*sa*sb", f"-{LENGTH}*ca*sb"]
    rows = [f"{one} + {other}" for one, other in zip(reach(), link, strict=True)]
    circles = ["sa**2 + ca**2 - 1", "sb**2 + cb**2 - 1"]
    basis = reduced_basis(polynomials(LINK_NAMES, [*rows, *circles]), order, AMPLE)
    assert basis is not None
    return basis


@pytest.mark.parametrize(
    ("unknown", "terms", "degree"), [("cb", 8, 1), ("sb", 28, 2), ("ca", 6, 1), ("sa", 8, 1)]
)
def test_first_link_of_the_five_link_suspension(unknown: str, terms: int, degree: int) -> None:
    """Table 5.1: terms and degrees in the unknown of each line."""
    place = LINK_NAMES.index(unknown)
    own = [p for p in link_basis("lex") if p.degrees()[place] and not any(p.degrees()[:place])]
    assert (terms, degree) in {(len(p), int(p.degrees()[place])) for p in own}


def test_constant_length_of_a_link_follows_from_its_loop() -> None:
    """(5.2): the angles of the link are eliminated, its ends keep their distance."""
    squares = " + ".join(f"({text})**2" for text in reach())
    [distance] = polynomials(LINK_NAMES, [f"{squares} - {LENGTH}**2"], "degrevlex")
    assert reduces_to_zero(distance, link_basis("degrevlex"))
    assert not any(distance.degrees()[: LINK_NAMES.index("z")])
    [other] = polynomials(LINK_NAMES, [f"{squares} - {LENGTH + 1}**2"], "degrevlex")
    assert not reduces_to_zero(other, link_basis("degrevlex"))
