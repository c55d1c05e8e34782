"""Methods that Uchida's thesis explains: dialytic elimination, bracket coefficients, regular chains."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
import sympy as sp
from flint import fmpz_mat, fmpz_mpoly, fmpz_mpoly_ctx

from fmugen.algebra.budget import Budget
from fmugen.algebra.ring import reduces_to_zero

from .brackets import Powers, bracket_basis, polynomial
from .engines import reduced_basis

AMPLE = Budget(polynomials=400, terms=9000, bits=9000)
X, Y, Z = sp.symbols("x y z")


# --- dialytic elimination (2.32) to (2.48) -----------------------------------------------------------

F1 = X**2 + Y**2 + Z**2 - 8 * X + 2 * Y - 8
F2 = 3 * X**2 - 2 * X * Y - Y**2 + 2 * Y * Z + 2 * Z - 4
F3 = 2 * X - 10 * Y - 3 * Z
#: The equations (2.35) to (2.44), and the power products that count as unknowns; z is suppressed.
EQUATIONS = (F1, F2, F3, F3 * X, F3 * Y, F1 * X, F1 * Y, F2 * X, F2 * Y, F3 * X**2)
UNKNOWNS = (X**3, X**2 * Y, X * Y**2, Y**3, X**2, X * Y, Y**2, X, Y, sp.Integer(1))


def determinant(z: int) -> int:
    rows = [sp.Poly(equation.subs({Z: z}), X, Y) for equation in EQUATIONS]
    matrix = [[int(row.coeff_monomial(unknown)) for unknown in UNKNOWNS] for row in rows]
    return int(fmpz_mat(matrix).det())


def test_determinant_of_the_dialytic_elimination() -> None:
    """(2.45), up to its sign, which the order of the equations decides; both have a degree below 20."""
    sign = 1 if determinant(0) == 6502400 else -1
    for z in range(-10, 11):
        printed = -279624 * z**4 + 231680 * z**3 + 4067584 * z**2 - 3706880 * z + 6502400
        assert sign * determinant(z) == printed
        assert printed == -8 * (z - 4) * (z + 4) * (34953 * z**2 - 28960 * z + 50800)


def test_dialytic_elimination_and_our_basis_have_the_same_eliminant() -> None:
    """(2.79): its last polynomial is the eighth part of the determinant (2.45)."""
    context = fmpz_mpoly_ctx.get(["x", "y", "z"], "lex")
    x, y, z = context.gens()
    system = [
        x**2 + y**2 + z**2 - 8 * x + 2 * y - 8,
        3 * x**2 - 2 * x * y - y**2 + 2 * y * z + 2 * z - 4,
        2 * x - 10 * y - 3 * z,
    ]
    basis = reduced_basis(system, "lex", AMPLE)
    assert basis is not None
    assert 34953 * z**4 - 28960 * z**3 - 508448 * z**2 + 463360 * z - 812800 in basis
    assert 272676096 * y + 803919 * z**3 - 11291792 * z**2 + 89390832 * z + 44330624 in basis
    assert abs(determinant(1)) == 8 * abs(34953 - 28960 - 508448 + 463360 - 812800)


@pytest.mark.parametrize(("x", "y", "z"), [(1, -1, 4), (4, 2, -4)])
def test_points_of_the_ellipsoid_the_hyperboloid_and_the_plane(x: int, y: int, z: int) -> None:
    assert all(f.subs({X: x, Y: y, Z: z}) == 0 for f in (F1, F2, F3))


# --- bracket coefficients (2.84) to (2.111) ---------------------------------------------------------

H1 = polynomial({(2, 1): "4", (1, 1): "9", (1, 0): "4", (0, 1): "-7", (0, 0): "-4"})
P1 = polynomial({(2, 0): "1", (0, 2): "1", (1, 0): "-6", (0, 1): "-2", (0, 0): "5"})
P2 = polynomial({(2, 0): "1", (1, 0): "-6", (0, 1): "-1", (0, 0): "7"})


def h2(constant: str) -> dict[Powers, Decimal]:
    return polynomial({(1, 1): "1", (0, 1): "-1", (0, 0): constant})


def quadratic(linear: str, constant: str, y: str, one: str) -> list[dict[Powers, Decimal]]:
    """A basis of the form [y^2 + ..., x + ...]."""
    return [
        polynomial({(0, 2): "1", (0, 1): linear, (0, 0): constant}),
        polynomial({(1, 0): "1", (0, 1): y, (0, 0): one}),
    ]


def point(x: str, y: str) -> list[dict[Powers, Decimal]]:
    return [polynomial({(0, 1): "1", (0, 0): y}), polynomial({(1, 0): "1", (0, 0): x})]


@pytest.mark.parametrize("digits", [4, 5, 6, 9])
def test_bracket_basis_of_the_exact_system(digits: int) -> None:
    """(2.90) and (2.91); with fewer digits our bounds of errors are too large, and nothing is left."""
    assert bracket_basis([H1, h2("3")], digits) == quadratic("-8.5", "4", "-0.75", "5.375")


def test_bracket_basis_of_the_perturbed_system() -> None:
    """(2.92) to (2.94): equal up to six digits; then the coefficients agree but for the last digit."""
    assert bracket_basis([H1, h2("3.000001")], 6) == quadratic("-8.5", "4", "-0.75", "5.375")
    for digits, printed in (
        (7, quadratic("-8.500001", "4.000003", "-0.7499996", "5.374997")),
        (8, quadratic("-8.5000027", "4.0000034", "-0.74999962", "5.3749988")),
    ):
        found = bracket_basis([H1, h2("3.000001")], digits)
        assert [set(p) for p in found] == [set(p) for p in printed]
        for ours, theirs in zip(found, printed, strict=True):
            assert all(abs(ours[e] - theirs[e]) <= Decimal(6).scaleb(1 - digits) for e in theirs)


def test_exact_basis_of_the_perturbed_system_has_long_coefficients() -> None:
    """(2.87)."""
    context = fmpz_mpoly_ctx.get(["x", "y"], "lex")
    x, y = context.gens()
    million = 1000000
    system: list[fmpz_mpoly] = [
        4 * x**2 * y + 9 * x * y + 4 * x - 7 * y - 4,
        million * x * y - million * y + 3000001,
    ]
    basis = reduced_basis(system, "lex", AMPLE)
    assert basis is not None
    linear = 8000004 * x - 6000000 * y + 43000013
    assert linear in basis
    # The numbers of the other polynomial are misprinted: they contradict (2.94), and ours do not.
    [first] = [p for p in basis if p != linear]
    ratios = [float(int(first[e])) / float(int(first[(0, 2)])) for e in ((0, 1), (0, 0))]
    assert ratios == pytest.approx([-8.5000028, 4.0000033], abs=1e-7)


def test_overdetermined_system_keeps_its_point_up_to_the_digit_of_the_perturbation() -> None:
    """(2.99) to (2.101); exactly, the perturbed system has no solution."""
    p3 = polynomial({(1, 0): "1", (0, 1): "-4", (0, 0): "3.000001"})
    for digits in range(2, 7):
        assert bracket_basis([P1, P2, p3], digits) == point("-5", "-2")
    assert bracket_basis([P1, P2, p3], 7) == point("-4.999999", "-2")
    assert bracket_basis([P1, P2, p3], 12) == [polynomial({(0, 0): "1"})]


def test_system_with_irrational_coefficients() -> None:
    """(2.108) and (2.111); with 4 and 5 digits the power products depend on the bounds of errors."""
    a = repr((3 * math.e * math.pi - (1 + math.sqrt(5)) / 2) / 12)
    b = repr((10 * math.sqrt(26) - 1) / 10)
    c = repr((21 * math.sqrt(3) - 3 * math.sqrt(17)) / 4)
    assert [float(each) for each in (a, b, c)] == pytest.approx(
        [2.00009738, 4.99901951, 6.00093752], abs=1e-8
    )
    first = polynomial({(2, 0): "1", (0, 2): "1", (1, 0): "-6", (0, 1): f"-{a}", (0, 0): b})
    second = polynomial({(2, 0): "1", (1, 0): f"-{c}", (0, 1): "-1", (0, 0): "7"})
    assert bracket_basis([first, second], 3) == [
        polynomial({(0, 2): "1", (0, 1): "-1", (0, 0): "-2"}),
        polynomial({(2, 0): "1", (1, 0): "-6", (0, 1): "-1", (0, 0): "7"}),
    ]
    quartic = {(0, 4): "1", (0, 3): "-2.00021", (0, 2): "-2.99611", (0, 1): "3.99675", (0, 0): "3.99264"}
    assert bracket_basis([first, second], 6) == [
        polynomial(quartic),
        polynomial({(1, 0): "1", (0, 2): "1063.83", (0, 1): "-1063.94", (0, 0): "-2128.70"}),
    ]


# --- regular chains (7.1) to (7.5) --------------------------------------------------------------------

NAMES = ["sb", "cb", "st", "ct", "s", "l1", "l2"]


def chains() -> tuple[list[fmpz_mpoly], dict[str, tuple[list[fmpz_mpoly], fmpz_mpoly]]]:
    """The constraints (7.1), and the triangular systems with what must not vanish in each."""
    context = fmpz_mpoly_ctx.get(NAMES, "degrevlex")
    sb, cb, st, ct, s, l1, l2 = context.gens()
    crank, rod = st**2 + ct**2 - 1, sb**2 + cb**2 - 1
    system = [l1 * ct + l2 * sb - s, l1 * st - l2 * cb, crank, rod]
    general = [l1 * ct + l2 * sb - s, l1 * st - l2 * cb, crank, s**2 - 2 * l1 * ct * s + l1**2 - l2**2]
    return system, {
        "(7.2)": (general, l2),
        "(7.3)": ([rod, st, l1 * ct - s, s**2 - l1**2, l2], l1),
        "(7.4)": ([l1 * ct + l2 * sb, l1 * st - l2 * cb, crank, s, l1**2 - l2**2], l2),
        "(7.5)": ([l2 * sb - s, cb, crank, s**2 - l2**2, l1], l2),
    }


@pytest.mark.parametrize("equation", ["(7.2)", "(7.3)", "(7.4)", "(7.5)"])
def test_triangular_system_solves_the_slider_crank_where_its_condition_holds(equation: str) -> None:
    """A constraint times a power of what must not vanish follows from the triangular system."""
    system, systems = chains()
    chain, factor = systems[equation]
    basis = reduced_basis(chain, "degrevlex", AMPLE)
    assert basis is not None
    assert all(reduces_to_zero(factor**2 * constraint, basis) for constraint in system)


def test_only_the_general_system_leaves_the_lengths_free() -> None:
    """The others are the special cases: no rod, crank and rod of equal length, no crank."""
    _, systems = chains()
    context = fmpz_mpoly_ctx.get(NAMES, "degrevlex")
    _, _, _, _, _, l1, l2 = context.gens()
    special = {"(7.3)": l2, "(7.4)": l1**2 - l2**2, "(7.5)": l1}
    for equation, (chain, _) in systems.items():
        basis = reduced_basis(chain, "degrevlex", AMPLE)
        assert basis is not None
        for case, condition in special.items():
            assert reduces_to_zero(condition, basis) == (case == equation)
