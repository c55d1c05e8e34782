"""From polynomials of an ideal to steps: each polynomial with one unknown is a way to find it.

An angle is found from two equations linear in its sine and cosine, from one such equation, or from a
polynomial in the tangent of its half; never from s^2 + c^2 = 1, which does not determine its quadrant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from flint import fmpz_mpoly

from fmugen.algebra.costs import pivots_of
from fmugen.algebra.halfangle import half_angle_coefficients
from fmugen.algebra.polynomials import Kind, Monomial
from fmugen.algebra.ring import Ring, reduces_to_zero
from fmugen.algebra.samples import PointValues
from fmugen.expr.dag import Expr
from fmugen.ir.steps import (
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)

__all__ = ["StepCandidate", "candidates", "content_of", "polynomial_step"]

#: Polynomials with more terms than this are too expensive for a step.
_MOST_TERMS = 120

#: The number of shortest polynomials that are examined for one unknown.
_SHORTEST = 8

#: The number of shortest equations linear in one angle that are tried in pairs.
_PAIRED = 5


@dataclass(frozen=True)
class StepCandidate:
    """A step and the size of the polynomials it came from."""

    step: ExactStep
    terms: int
    degree: int


@dataclass(frozen=True)
class _Form:
    """a sin + b cos + c, the coefficients in lumps."""

    a: fmpz_mpoly
    b: fmpz_mpoly
    c: fmpz_mpoly
    terms: int


def candidates(
    ring: Ring, polynomials: Sequence[fmpz_mpoly], samples: PointValues
) -> Iterator[StepCandidate]:
    """Every step that the ``polynomials`` offer, several for one unknown."""
    bound = _Bound(ring, polynomials, samples)
    own: dict[int, dict[str, fmpz_mpoly]] = {}
    for polynomial in sorted(polynomials, key=len):
        coordinates = ring.coordinates(polynomial)
        if len(coordinates) == 1 and len(polynomial) <= _MOST_TERMS:
            group = own.setdefault(next(iter(coordinates)), {})
            if len(group) < _SHORTEST:
                found = _lowest_terms(ring, polynomial, bound)
                if found is not None:
                    group |= {str(each): each for each in (found, _without_powers(ring, found))}
    for coordinate, group in own.items():
        shortest = sorted(group.values(), key=lambda p: (len(p), str(p)))
        offered = (
            _angle_steps(ring, coordinate, shortest, bound)
            if coordinate in ring.circles
            else _length_steps(ring, coordinate, shortest)
        )
        yield from (c for c in offered if not samples.vanish(pivots_of(c.step)))


class _Bound:
    """Known quantities with relations between them, so that a polynomial in them may always be zero.

    That the combination of what lumps stand for is zero is also seen by evaluation: lumps are independent
    symbols in a basis only.

    A pair on the unit circle is bound by an irreducible relation: what does not reduce to zero by it is not
    zero. Relations that a basis found, in a block with more equations than unknowns, may be reducible.
    """

    def __init__(self, ring: Ring, polynomials: Sequence[fmpz_mpoly], samples: PointValues) -> None:
        self._ring = ring
        self._samples = samples
        found = [p for p in polynomials if not p.is_zero() and not ring.coordinates(p)]
        self._units = ring.relations
        self._all = [*found, *ring.relations]
        self._irreducible = all(reduces_to_zero(p, self._units) for p in found)

    def may_divide(self, content: fmpz_mpoly) -> bool:
        if content.is_constant():
            return True
        return self._irreducible and not reduces_to_zero(content, self._units)

    def vanishes(self, coefficient: fmpz_mpoly) -> bool:
        return reduces_to_zero(coefficient, self._all) or self._samples.vanish(
            [self._ring.plain_expression(coefficient)]
        )


def _lowest_terms(ring: Ring, polynomial: fmpz_mpoly, bound: _Bound) -> fmpz_mpoly | None:
    """A polynomial in one unknown without what is known in all its terms; None if it says nothing."""
    circle = ring.circles.get(next(iter(ring.coordinates(polynomial))))
    reduced = polynomial if circle is None else polynomial % circle
    if not ring.coordinates(reduced):
        return None
    parts = ring.by_variables(reduced)
    content = content_of(list(parts.values()))
    if not bound.may_divide(content):
        return None
    if any(any(monomial) and bound.vanishes(part) for monomial, part in parts.items()):
        return None
    pivot = max(monomial for monomial in parts)
    return reduced // (content if int(parts[pivot].leading_coefficient()) > 0 else -content)


def _without_powers(ring: Ring, polynomial: fmpz_mpoly) -> fmpz_mpoly:
    """A polynomial without the sine, cosine or length that all its terms have, if anything is left."""
    rest = polynomial // polynomial.term_content()
    return rest if ring.coordinates(rest) else polynomial


def content_of(coefficients: Sequence[fmpz_mpoly]) -> fmpz_mpoly:
    """The greatest common divisor."""
    common = coefficients[0]
    for coefficient in coefficients[1:]:
        if common.is_one():
            break
        common = common.gcd(coefficient)
    return common


# --- lengths ---------------------------------------------------------------------------------------


def _length_steps(ring: Ring, coordinate: int, group: Sequence[fmpz_mpoly]) -> Iterator[StepCandidate]:
    position = _position(ring, coordinate, Kind.LENGTH)
    for polynomial in group:
        parts = ring.by_variables(polynomial)
        by_degree = {monomial[position]: ring.expression(part) for monomial, part in parts.items()}
        degree = max(by_degree)
        coefficients = [by_degree.get(power, ring.dag.zero) for power in range(degree + 1)]
        yield StepCandidate(
            polynomial_step(coordinate, coefficients, is_angle=False), len(polynomial), degree
        )


def polynomial_step(coordinate: int, coefficients: Sequence[Expr], *, is_angle: bool) -> ExactStep:
    """The step that solves a polynomial, given ascending, in a length or in the tangent of a half angle."""
    match coefficients:
        case [constant, slope] if not is_angle:
            return LinearStep(coordinate, -constant, slope)
        case [c, b, a] if not is_angle:
            return QuadraticStep(coordinate, a, b, c)
        case [c, b, a]:  # c + b t + a t^2 = 0, times the square of the cosine of the half angle
            return GoniometricStep(coordinate, b, c - a, -(c + a))
    return PolynomialStep(coordinate, tuple(coefficients), half_angle=is_angle)


# --- angles ----------------------------------------------------------------------------------------


def _angle_steps(
    ring: Ring, coordinate: int, group: Sequence[fmpz_mpoly], bound: _Bound
) -> Iterator[StepCandidate]:
    forms: list[_Form] = []
    for polynomial in group:
        form = _linear_form(ring, coordinate, polynomial)
        if form is not None:
            forms.append(form)
            step = GoniometricStep(
                coordinate, ring.expression(form.a), ring.expression(form.b), -ring.expression(form.c)
            )
            yield StepCandidate(step, form.terms, 1)
        else:
            sine, cosine = _position(ring, coordinate, Kind.SINE), _position(ring, coordinate, Kind.COSINE)
            terms = {(m[sine], m[cosine]): part for m, part in ring.by_variables(polynomial).items()}
            parts = half_angle_coefficients(terms)
            coefficients = [ring.expression(part) for part in parts]
            solved = polynomial_step(coordinate, coefficients, is_angle=True)
            yield StepCandidate(solved, len(polynomial), len(parts) - 1)
    for first, second in combinations(forms[:_PAIRED], 2):
        if first.terms * second.terms > _MOST_TERMS:
            continue
        pair = _linear_angle(ring, coordinate, first, second, bound)
        if pair is not None:
            yield StepCandidate(pair, first.terms + second.terms, 1)


def _linear_form(ring: Ring, coordinate: int, polynomial: fmpz_mpoly) -> _Form | None:
    parts = ring.by_variables(polynomial)
    if any(sum(monomial) > 1 for monomial in parts):
        return None
    zero = ring.context.constant(0)
    unit = _units(ring)
    a = parts.get(unit[_position(ring, coordinate, Kind.SINE)], zero)
    b = parts.get(unit[_position(ring, coordinate, Kind.COSINE)], zero)
    return _Form(a, b, parts.get((0,) * len(ring.variables), zero), len(polynomial))


def _linear_angle(
    ring: Ring, coordinate: int, first: _Form, second: _Form, bound: _Bound
) -> LinearAngleStep | None:
    denominator = first.a * second.b - first.b * second.a
    if denominator.is_zero() or bound.vanishes(denominator):
        return None
    sine = first.b * second.c - first.c * second.b
    cosine = first.c * second.a - first.a * second.c
    common = content_of([part for part in (denominator, sine, cosine) if not part.is_zero()])
    if int(denominator.leading_coefficient()) < 0:
        common = -common
    return LinearAngleStep(
        coordinate, *(ring.expression(part // common) for part in (sine, cosine, denominator))
    )


def _position(ring: Ring, coordinate: int, kind: Kind) -> int:
    return next(i for i, v in enumerate(ring.variables) if v.coordinate == coordinate and v.kind is kind)


def _units(ring: Ring) -> list[Monomial]:
    count = len(ring.variables)
    return [tuple(int(i == j) for j in range(count)) for i in range(count)]
