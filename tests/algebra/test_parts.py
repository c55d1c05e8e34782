"""The parts of the algebra, each alone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fmugen.algebra.budget import Budget
from fmugen.algebra.cache import Kept, cache_folder, recall, remember
from fmugen.algebra.consequences import consequences
from fmugen.algebra.groebner import buchberger, generators
from fmugen.algebra.halfangle import half_angle_coefficients
from fmugen.algebra.lumps import lump
from fmugen.algebra.polynomials import polynomial_rows, variables_of
from fmugen.algebra.ring import Ring
from fmugen.algebra.samples import PointValues
from fmugen.expr.dag import Dag, Expr, SymbolRole
from tests.algebra.stepping import evaluate


class Letters:
    """Short names for the symbols of one DAG."""

    def __init__(self) -> None:
        self.dag = Dag()

    def coordinates(self, names: str) -> list[Expr]:
        return [self.dag.symbol(name, SymbolRole.COORDINATE) for name in names.split()]

    def parameters(self, names: str) -> list[Expr]:
        return [self.dag.symbol(name, SymbolRole.PARAMETER) for name in names.split()]

    def sin(self, x: Expr) -> Expr:
        return self.dag.call("sin", x)

    def cos(self, x: Expr) -> Expr:
        return self.dag.call("cos", x)


def universal_leg(letters: Letters) -> tuple[list[Expr], dict[int, Expr]]:
    """A link on a universal joint whose other end is known: Uchida (5.1)."""
    a, b, x, y, z = letters.coordinates("a b x y z")
    (length,) = letters.parameters("length")
    sin, cos = letters.sin, letters.cos
    rows = [x + length * cos(b), y + length * sin(a) * sin(b), z - length * cos(a) * sin(b)]
    return rows, {0: a, 1: b}


def test_known_subexpressions_stay_one_coefficient() -> None:
    letters = Letters()
    x, y, q = letters.coordinates("x y q")
    (length,) = letters.parameters("length")
    known = (length + letters.sin(y)) ** 3
    (row,) = polynomial_rows([known * letters.sin(q) * x + y], {0: x, 1: q}, {1})
    assert row == {(1, 1, 0): known, (0, 0, 0): y}


@pytest.mark.parametrize("function", ["sqrt", "atan", "exp"])
def test_a_row_with_an_unknown_below_a_function_is_no_polynomial(function: str) -> None:
    letters = Letters()
    x, y = letters.coordinates("x y")
    assert polynomial_rows([letters.dag.call(function, x) + y, x * y], {0: x}, set()) == [None, {(1,): y}]


def test_coefficients_equal_up_to_a_factor_share_a_lump() -> None:
    letters = Letters()
    q, p, x = letters.coordinates("q p x")
    length, width = letters.parameters("length width")
    rows = [length * width * letters.sin(q) + x, -3 * length * width * letters.cos(q) + 2 * letters.sin(p)]
    unknowns = {0: q}
    polynomials = [row for row in polynomial_rows(rows, unknowns, {0}) if row is not None]
    ring, lumped = lump(letters.dag, variables_of(unknowns, {0}), polynomials, PointValues(rows))
    assert len(ring.meanings) == 3
    assert [str(p) for p in lumped] == ["v0*k0 + k1", "-3*v1*k0 + 2*k2"]


def test_a_row_that_says_what_another_says_is_dropped() -> None:
    letters = Letters()
    q, x = letters.coordinates("q x")
    (length,) = letters.parameters("length")
    row = length * letters.sin(q) + x
    polynomials = [found for found in polynomial_rows([row, row], {0: q}, {0}) if found is not None]
    _, lumped = lump(letters.dag, variables_of({0: q}, {0}), polynomials, PointValues([row]))
    assert [str(p) for p in lumped] == ["v0*k0 + k1"]


def test_a_known_rotation_is_undone() -> None:
    """A vector of constant length in a frame turned by a known angle: two rows of one term each are left."""
    letters = Letters()
    q, t, x, y = letters.coordinates("q t x y")
    (length,) = letters.parameters("length")
    sin, cos = letters.sin, letters.cos
    rows = [
        length * (cos(t) * cos(q) - sin(t) * sin(q)) - x,
        length * (sin(t) * cos(q) + cos(t) * sin(q)) - y,
    ]
    polynomials = [row for row in polynomial_rows(rows, {0: q}, {0}) if row is not None]
    ring, lumped = lump(letters.dag, variables_of({0: q}, {0}), polynomials, PointValues(rows))
    assert [len(ring.by_variables(p)) for p in lumped] == [2, 2]


def test_constant_distance_of_a_link() -> None:
    """(5.2): the joint angles are eliminated, what is left binds the ends of the link."""
    letters = Letters()
    a, b, x, y, z = letters.coordinates("a b x y z")
    rows, _ = universal_leg(letters)
    unknowns = {0: a, 1: b, 2: x, 3: y, 4: z}
    polynomials = [row for row in polynomial_rows(rows, unknowns, {0, 1}) if row is not None]
    samples = PointValues(rows)
    ring, lumped = lump(letters.dag, variables_of(unknowns, {0, 1}), polynomials, samples)
    distances = [p for p in consequences(ring, lumped, samples) if ring.coordinates(p) == {2, 3, 4}]
    assert [str(p) for p in distances] == ["v4^2 + v5^2 + v6^2 - k0^2"]


def test_samples_satisfy_the_constraints() -> None:
    letters = Letters()
    rows, _ = universal_leg(letters)
    samples = PointValues(rows)
    assert samples.vanish(rows)
    assert not samples.vanish([rows[0] + 1])


def test_half_angle_polynomial_has_the_root() -> None:
    angle = 0.7
    terms = {(2, 0): 1.5, (1, 1): -0.4, (0, 1): 0.3, (0, 0): 0.0}
    value = sum(x * math.sin(angle) ** i * math.cos(angle) ** j for (i, j), x in terms.items())
    coefficients = half_angle_coefficients(terms | {(0, 0): -value})
    t = math.tan(angle / 2)
    assert sum(x * t**power for power, x in enumerate(coefficients)) == pytest.approx(0.0, abs=1e-15)


def test_back_on_the_dag_a_polynomial_keeps_its_value() -> None:
    letters = Letters()
    rows, unknowns = universal_leg(letters)
    polynomials = [row for row in polynomial_rows(rows, unknowns, {0, 1}) if row is not None]
    ring, lumped = lump(letters.dag, variables_of(unknowns, {0, 1}), polynomials, PointValues(rows))
    basis = buchberger(ring, generators(ring, lumped), "degrevlex", Budget().limits)
    assert basis.complete
    bound = [p for p in basis.polynomials if not ring.coordinates(p)]
    state = dict(zip(letters.parameters("length"), [0.7], strict=True))
    x, y, z = letters.coordinates("x y z")
    state |= {x: 0.7 * 0.36, y: 0.7 * 0.48, z: 0.7 * 0.8}
    assert bound
    assert all(abs(value) < 1e-15 for value in evaluate(map(ring.expression, bound), state))


# --- the cache ---------------------------------------------------------------------------------------


def test_a_basis_is_kept_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path))
    terms = [f"3*v0-{10**40}*v1^2", "1"]
    assert recall("a system") is None
    remember("a system", Kept(terms, complete=True, work=10_000))
    assert recall("a system") == Kept(terms, complete=True, work=10_000)
    assert [path.suffix for path in cache_folder().iterdir()] == [".json"]


def test_a_basis_that_is_quickly_found_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path))
    remember("a system", Kept(["v0"], complete=True, work=10))
    assert recall("a system") is None


def test_a_damaged_file_is_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path))
    remember("a system", Kept(["v0"], complete=False, work=10_000))
    (path,) = cache_folder().iterdir()
    path.write_text("{", encoding="ascii")
    assert recall("a system") is None


def test_a_folder_that_cannot_be_written_costs_only_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path / "file"))
    remember("a system", Kept(["v0"], complete=True, work=10_000))
    assert recall("a system") is None


def test_a_cached_basis_is_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path))
    monkeypatch.setattr("fmugen.algebra.cache._WORTH_KEEPING", 0)
    letters = Letters()
    rows, unknowns = universal_leg(letters)
    polynomials = [row for row in polynomial_rows(rows, unknowns, {0, 1}) if row is not None]
    ring, lumped = lump(letters.dag, variables_of(unknowns, {0, 1}), polynomials, PointValues(rows))
    first = buchberger(ring, generators(ring, lumped), "lex", Budget().limits, last=1)
    again = buchberger(ring, generators(ring, lumped), "lex", Budget().limits, last=1)
    assert len(list(cache_folder().iterdir())) == 1
    assert first == again


@pytest.mark.parametrize("large", [3, 10**30 + 57])
def test_factors_with_large_coefficients(large: int) -> None:
    """python-flint cannot put such factors in order."""
    letters = Letters()
    a, b = letters.parameters("a b")
    ring = Ring(letters.dag, (), (a, b))
    x, y = ring.context.gens()
    polynomial = 2 * (x + large * y) * (x + (large + 2) * y) * (x * y + large) ** 2
    (found,) = evaluate([ring.plain_expression(polynomial)], {a: 0.7, b: -1.3})
    factors = (0.7 - large * 1.3, 0.7 - (large + 2) * 1.3, (large - 0.7 * 1.3) ** 2)
    assert found == pytest.approx(2 * math.prod(factors), rel=1e-12)
