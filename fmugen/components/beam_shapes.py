"""The coordinates of a beam in each direction: their shapes, and the integrals over its mass that they give.

Coordinates are deflections along y and z, stretch along x, and twist about x. The stretch is that of the axis
itself: bending moves sections along x by the foreshortening besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from fmugen.components.deforming import MassIntegrals
from fmugen.components.shapes import (
    Integrals,
    Polynomial,
    derivative,
    held_polynomials,
    products,
    tables,
)
from fmugen.expr.dag import Dag, Expr
from fmugen.expr.vectors import Matrix3, Vector3, null, null_matrix

__all__ = ["TWIST", "BeamIntegrals", "Family", "SectionStiffness", "Shapes", "double"]

#: The direction of a family of twists; those of the others are the axes x, y and z.
TWIST = "t"
_NUMBER = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True)
class Family:
    """The coordinates of one direction.

    Those of bending are ``held`` in one of the ways of a beam, with a basis, and have ``integrals``. Shapes
    are computed when they are first used: names do not need them.
    """

    direction: str
    names: tuple[str, ...]
    held: tuple[str, str] | None = None

    @cached_property
    def integrals(self) -> Integrals | None:
        return None if self.held is None else tables(*self.held, len(self.names))

    @cached_property
    def shapes(self) -> tuple[Polynomial, ...]:
        return held_polynomials(len(self.names)) if self.integrals is None else self.integrals.shapes

    @property
    def unit(self) -> str:
        return "rad" if self.direction == TWIST else "m"


def double(number: Fraction) -> Fraction:
    """A number that is printed without a change, and short enough for exact sums and products."""
    return Fraction(float(number))


def _at(shape: Polynomial, place: Expr) -> Expr:
    """The value of a polynomial at a place, which may depend on parameters."""
    found = place.dag.zero
    for coefficient in reversed(shape):
        found = found * place + coefficient
    return place.dag.number(double(Fraction(found.number))) if found.is_number else found


class Shapes:
    """The shapes at a place, a part of the length; ``q`` are coordinates by their names."""

    def __init__(self, families: Sequence[Family], place: Expr, q: Mapping[str, Expr]) -> None:
        self._families, self.place, self._q = families, place, q

    def _terms(self, direction: str, slope: bool) -> Iterator[Expr]:
        for family in self._families:
            if family.direction == direction:
                for name, shape in zip(family.names, family.shapes, strict=True):
                    yield _at(derivative(shape) if slope else shape, self.place) * self._q[name]

    def deflection(self, direction: str) -> Expr:
        return self.place.dag.add(self._terms(direction, False))

    def slope(self, direction: str) -> Expr:
        """The derivative by the place."""
        return self.place.dag.add(self._terms(direction, True))

    def shortening(self) -> Expr:
        """The square sum ``q H q`` of bending for a unit length."""

        def terms() -> Iterator[Expr]:
            for family in self._families:
                if family.integrals is not None:
                    q = [self._q[name] for name in family.names]
                    for i, row in enumerate(family.integrals.shortening()):
                        yield from (_at(entry, self.place) * q[i] * q[j] for j, entry in enumerate(row))

        return self.place.dag.add(terms())


@dataclass(frozen=True)
class SectionStiffness:
    """Stiffnesses of a section, and its mass and polar inertia per unit of length.

    Bending is by direction: that along y bends about z.
    """

    line_density: Expr
    polar_inertia: Expr
    bending: Mapping[str, Expr]
    torsion: Expr
    axial: Expr


class BeamIntegrals:
    """Integrals of a uniform beam of some length."""

    def __init__(self, families: Sequence[Family], section: SectionStiffness, length: Expr) -> None:
        self._dag: Dag = length.dag
        self.families, self._section, self._length = families, section, length
        self._mass, self._polar = section.line_density * length, section.polar_inertia * length
        self._first = {family.direction: number for family, number in self._numbered()}
        self.count = sum(len(family.names) for family in families)

    def _numbered(self) -> Iterator[tuple[Family, int]]:
        """The families with the numbers of their first coordinates."""
        number = 0
        for family in self.families:
            yield family, number
            number += len(family.names)

    def square(self) -> list[list[Expr]]:
        return [[self._dag.zero] * self.count for _ in range(self.count)]

    def mass_matrix(self) -> list[list[Expr]]:
        found = self.square()
        for family, first in self._numbered():
            factor = self._polar if family.direction == TWIST else self._mass
            for i, row in enumerate(products(family.shapes, family.shapes)):
                for j, entry in enumerate(row):
                    found[first + i][first + j] = factor * double(entry)
        return found

    def stiffness(self) -> list[list[Expr]]:
        found = self.square()
        for family, first in self._numbered():
            for i, row in enumerate(self._strained(family)):
                for j, entry in enumerate(row):
                    found[first + i][first + j] = self._rigidity(family) * double(entry)
        return found

    def _strained(self, family: Family) -> tuple[tuple[Fraction, ...], ...]:
        slopes = [derivative(shape) for shape in family.shapes]
        return products(slopes, slopes) if family.integrals is None else family.integrals.stiffness

    def _rigidity(self, family: Family) -> Expr:
        section = self._section
        if family.direction == TWIST:
            return section.torsion / self._length
        if family.direction == "x":
            return section.axial / self._length
        return section.bending[family.direction] / self._length**3

    def modal(self) -> Iterator[tuple[int, Expr]]:
        """The coordinates of bending, each with the mass of a mode."""
        for family, first in self._numbered():
            if family.integrals is not None:
                mass = self._mass * family.integrals.mean_square
                yield from ((first + i, mass) for i in range(len(family.names)))

    def over_mass(self) -> MassIntegrals:
        zero, inertia, polar = self._dag.zero, self._mass * self._length**2 / 3, self._polar
        linear = [each for family in self.families for each in self._linear(family)]
        bends: dict[tuple[int, int], Vector3] = {}
        swings: dict[tuple[int, int], Matrix3] = {}
        for family, first in self._numbered():
            if family.integrals is not None:
                for (i, j), entry in _entries(family.integrals.pull):
                    along = -self._mass / self._length * entry
                    bends[first + i, first + j] = (along, zero, zero)
            for other, second in self._numbered():
                for i, j, swing in self._swings(family, other):
                    swings[first + i, second + j] = swing
        return MassIntegrals(
            self._mass,
            (self._mass * self._length / 2, zero, zero),
            ((polar, zero, zero), (zero, inertia, zero), (zero, zero, inertia)),
            [slide for slide, _ in linear],
            [turn for _, turn in linear],
            bends,
            swings,
            self.mass_matrix(),
        )

    def _linear(self, family: Family) -> Iterator[tuple[Vector3, Matrix3]]:
        """The integrals of each shape."""
        for c1, c2 in products(family.shapes, (_ONE, _PLACE)):
            turn = [list(row) for row in null_matrix(self._dag)]
            slide = list(null(self._dag))
            if family.direction == TWIST:
                half = self._polar * double(c1) / 2
                turn[1][2], turn[2][1] = half, -half
            else:
                axis, lever = _NUMBER[family.direction], self._mass * self._length * double(c2)
                slide[axis] = self._mass * double(c1)
                if axis == 0:
                    turn[1][1] = turn[2][2] = lever
                else:
                    turn[axis][0] = -lever
            yield (slide[0], slide[1], slide[2]), _matrix(turn)

    def _swings(self, family: Family, other: Family) -> Iterator[tuple[int, int, Matrix3]]:
        """Those of the products of two families."""
        if TWIST in (family.direction, other.direction):
            return
        row, column = _NUMBER[family.direction], _NUMBER[other.direction]
        common = dict(_entries(products(family.shapes, other.shapes)))
        spins = dict(_entries(family.integrals.spin)) if family.integrals and row == column else {}
        for i, j in sorted(common.keys() | spins.keys()):
            entry, spin = common.get((i, j), Fraction(0)), spins.get((i, j), Fraction(0))
            swing = [list(each) for each in null_matrix(self._dag)]
            if row != column:
                swing[row][column] = -self._mass * entry
            else:
                for k in range(3):
                    own, bent = (Fraction(0) if k == row else entry), (Fraction(0) if k == 0 else spin)
                    swing[k][k] = self._mass * double(own - bent)
            yield i, j, _matrix(swing)


_ONE, _PLACE = (Fraction(1),), (Fraction(0), Fraction(1))


def _entries(table: Sequence[Sequence[Fraction]]) -> Iterator[tuple[tuple[int, int], Fraction]]:
    """The entries that are not zero."""
    for i, row in enumerate(table):
        yield from (((i, j), double(entry)) for j, entry in enumerate(row) if entry)


def _matrix(rows: Sequence[Sequence[Expr]]) -> Matrix3:
    a, b, c = ((row[0], row[1], row[2]) for row in rows)
    return (a, b, c)
