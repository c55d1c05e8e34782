"""Beams: bodies that bend, with lateral deflections and the foreshortening of second order they cause.

The deflection across the beam is a sum of shapes with one coordinate each. A point at the part xi of the
length L is at ``x = L xi - q H(xi) q / 2`` and ``y = phi(xi) q`` in the frame of the beam. H is the integral
of ``phi' phi'`` from the base to xi, divided by L. All equations come from one Lagrangian in which terms up
to second order in deflections and their rates are kept. A beam that spins therefore becomes stiffer.

The beam does not stretch, and its sections have no inertia of their own and do not shear (Euler-Bernoulli).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from fmugen.components.base import Numbers, State, component, count, option, optional, points, value
from fmugen.components.bodies import Body, frame_readings
from fmugen.components.measures import Across, Reading, places
from fmugen.components.mirror import Mirror
from fmugen.components.shapes import BASES, RITZ, SUPPORTS, Integrals, Polynomial, derivative, tables
from fmugen.components.site import Site
from fmugen.expr.affine import Affine, AffineScalar
from fmugen.expr.dag import Dag, Expr
from fmugen.ir.element import GROUND, Point, Space
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Displacement, Domain, Edge, EdgeConstraint, Rotation, Work
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import Level, Limit

__all__ = ["Beam"]

#: A fourth Ritz mode of ten polynomials is still accurate to 0.02 %.
_MOST_SHAPES = 8
#: Where the deflection is looked at, in parts of the length.
_STATIONS = tuple(Fraction(number, 8) for number in range(1, 9))


def _double(number: Fraction) -> Fraction:
    """A number that is printed without a change, and short enough for exact sums and products."""
    return Fraction(float(number))


def _at(shape: Polynomial, place: Expr) -> Expr:
    """The value of a polynomial at a place, which may depend on parameters."""
    found = place.dag.zero
    for coefficient in reversed(shape):
        found = found * place + coefficient
    return place.dag.number(_double(Fraction(found.number))) if found.is_number else found


class _Shapes:
    """The shapes at a place, as factors of the coordinates."""

    def __init__(self, integrals: Integrals, place: Expr) -> None:
        self.integrals, self.place = integrals, place

    def deflection(self, q: Sequence[Expr]) -> Expr:
        return self.place.dag.add(
            _at(phi, self.place) * x for phi, x in zip(self.integrals.shapes, q, strict=True)
        )

    def slope(self, q: Sequence[Expr]) -> Expr:
        """The derivative of the deflection by xi."""
        slopes = map(derivative, self.integrals.shapes)
        return self.place.dag.add(_at(slope, self.place) * x for slope, x in zip(slopes, q, strict=True))

    def shortening(self, q: Sequence[Expr]) -> Expr:
        """The square sum ``q H q`` for a unit length."""
        rows = self.integrals.shortening()
        return self.place.dag.add(
            _at(entry, self.place) * q[i] * q[j] for i, row in enumerate(rows) for j, entry in enumerate(row)
        )


class _Bending:
    """The integrals of a beam, times its parameters."""

    def __init__(self, integrals: Integrals, mass: Expr, length: Expr, rigidity: Expr) -> None:
        self.dag: Dag = mass.dag
        self.mass, self.length = mass, length
        self.count = len(integrals.shapes)
        self._tables = {
            "c1": ((integrals.c1,), mass),
            "c2": ((integrals.c2,), mass * length),
            "mass": (integrals.mass, mass),
            "stiffness": (integrals.stiffness, rigidity / length**3),
            "pull": (integrals.pull, mass / length),
            "spin": (integrals.spin, mass),
        }

    def rows(self, name: str) -> list[list[Expr]]:
        table, factor = self._tables[name]
        return [[factor * _double(entry) for entry in row] for row in table]

    def times(self, name: str, q: Sequence[Expr]) -> list[Expr]:
        """A matrix times coordinates; for ``c1`` and ``c2`` a list of one sum."""
        return [self.dag.add(a * b for a, b in zip(row, q, strict=True)) for row in self.rows(name)]

    def sum(self, name: str, q: Sequence[Expr]) -> Expr:
        return self.times(name, q)[0]

    def form(self, name: str, a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
        return self.dag.add(x * y for x, y in zip(a, self.times(name, b), strict=True))


class _Moving:
    """The motion of the frame and of the coordinates, by components in the axes of the frame.

    The acceleration of the origin is that relative to free fall.
    """

    def __init__(self, motion: Motion, names: Sequence[str], gravity: tuple[Expr, Expr, Expr]) -> None:
        self.q = [motion.freedom(name) for name in names]
        self.dq = [motion.freedom(name, 1) for name in names]
        self.ddq = [motion.second(name) for name in names]
        self.ax, self.ay, _ = motion.components(motion.acceleration() - motion.vector(gravity, GROUND))
        self.alpha = motion.components(motion.alpha())[2]
        self.w = motion.omega()[2]
        self.none = self.ax * 0

    def seconds(self, factors: Sequence[Expr]) -> AffineScalar:
        """A sum of the second derivatives of the coordinates."""
        total = self.none
        for second, factor in zip(self.ddq, factors, strict=True):
            total = total + second * factor
        return total


class _Laws:
    """The force and torque on the frame of a beam, and the work on its coordinates."""

    def __init__(
        self,
        bending: _Bending,
        names: Sequence[str],
        gravity: tuple[Expr, Expr, Expr],
        damping: Sequence[Sequence[Expr]],
    ) -> None:
        self.bending, self.names, self.gravity, self.damping = bending, names, gravity, damping

    def _moving(self, motion: Motion) -> _Moving:
        return _Moving(motion, self.names, self.gravity)

    def _first_moments(self, at: _Moving) -> tuple[Expr, Expr]:
        b = self.bending
        return b.mass * b.length / 2 - b.form("pull", at.q, at.q) / 2, b.sum("c1", at.q)

    def force(self, motion: Motion) -> Affine:
        at, b = self._moving(motion), self.bending
        sx, sy = self._first_moments(at)
        fx = at.ax * b.mass - at.alpha * sy - at.seconds(b.times("pull", at.q))
        fx = fx - at.w**2 * sx - 2 * at.w * b.sum("c1", at.dq) - b.form("pull", at.dq, at.dq)
        fy = at.ay * b.mass + at.alpha * sx + at.seconds(b.rows("c1")[0])
        fy = fy - at.w**2 * sy - 2 * at.w * b.form("pull", at.q, at.dq)
        return motion.composed((-fx, -fy, at.none))

    def torque(self, motion: Motion) -> Affine:
        at, b = self._moving(motion), self.bending
        sx, sy = self._first_moments(at)
        inertia = b.mass * b.length**2 / 3 + b.form("mass", at.q, at.q) - b.form("spin", at.q, at.q)
        total = at.ay * sx - at.ax * sy + at.alpha * inertia + at.seconds(b.rows("c2")[0])
        total = total + 2 * at.w * (b.form("mass", at.q, at.dq) - b.form("spin", at.q, at.dq))
        return motion.composed((at.none, at.none, -total)) - motion.moments()

    def work(self, motion: Motion) -> list[AffineScalar]:
        at, b = self._moving(motion), self.bending
        pull, spin, mass = (b.times(name, at.q) for name in ("pull", "spin", "mass"))
        elastic, c1, c2 = b.times("stiffness", at.q), b.rows("c1")[0], b.rows("c2")[0]
        found = []
        for i, row in enumerate(b.rows("mass")):
            total = at.seconds(row) + at.ay * c1[i] - at.ax * pull[i] + at.alpha * c2[i]
            total = total + elastic[i] + at.w**2 * (spin[i] - mass[i])
            for factor, rate in zip(self.damping[i], at.dq, strict=True):
                total = total + factor * rate
            found.append(-total)
        return found


@component
class Beam(Body):
    """A uniform beam along the x axis of its frame that bends, with foreshortening of second order.

    ``NAME`` is its frame. A point has the axes of the section there.
    """

    type = "beam"
    spaces = (Space.PLANAR,)
    length: Formula = value("m", "length")
    density: Formula = value("kg/m3", "density")
    modulus: Formula = value("Pa", "Young's modulus")
    area: Formula | None = optional("m2", "area of the section")
    second_moment: Formula | None = optional("m4", "second moment of area about z")
    diameter: Formula | None = optional("m", "diameter of a round section")
    inner_diameter: Formula | None = optional("m", "inner diameter of a tube")
    width: Formula | None = optional("m", "width of a rectangular section, along z")
    height: Formula | None = optional("m", "height of a rectangular section, along y")
    supports: str = option(
        "how its ends are held: cantilever (clamped at the origin), chord (hinged at both ends), pinned "
        "(hinged at the origin) or free; except for a cantilever the x axis leads from end to end",
        SUPPORTS,
    )
    basis: str = option("shapes: ritz (modes), or the polynomials chebyshev, legendre or taylor", BASES)
    shapes: Formula = count(3, "number of shapes")
    damping: Formula = value("s", "damping in proportion to stiffness", 0)
    mass_damping: Formula = value("1/s", "damping in proportion to mass", 0)
    damping_ratio: Formula = value("1", "damping ratio of all Ritz modes", 0)
    points: tuple[Point, ...] = points("points on the axis of the beam, each in the axes of its section")

    # --- checks --------------------------------------------------------------------------------------

    def check(self, at: Numbers) -> None:
        for key in ("length", "density", "modulus"):
            at.positive(key)
        for key in ("damping", "mass_damping", "damping_ratio"):
            at.not_negative(key)
        number = self.shapes.number
        if number is None or number != int(number) or not 1 <= number <= _MOST_SHAPES:
            message = f"the number of shapes is a whole number from 1 to {_MOST_SHAPES}"
            at.problem("shapes", message, "write shapes = 3")
        if self.basis != RITZ and self.damping_ratio.number != 0:
            message = "polynomials are not modes, which alone have a damping ratio"
            at.problem("damping_ratio", message, 'give damping, or basis = "ritz"')
        self._check_section(at)
        self._check_points(at)

    def _check_section(self, at: Numbers) -> None:
        given = {key for key in _SECTION_KEYS if getattr(self, key) is not None}
        if given not in _SECTIONS:
            message = f"these do not say what the section is: {', '.join(sorted(given)) or 'nothing'}"
            hint = "give diameter (and inner_diameter), or width and height, or area and second_moment"
            at.problem("section", message, hint)
            return
        for key in sorted(given):
            at.positive(key)
        outer, inner = (None if x is None else at.number(x) for x in (self.diameter, self.inner_diameter))
        if outer is not None and inner is not None and inner >= outer:
            message = f"the inner diameter {inner:g} m is not smaller than the diameter {outer:g} m"
            at.problem("inner_diameter", message, "exchange them")

    def _check_points(self, at: Numbers) -> None:
        length = at.number(self.length)
        for point in self.points:
            x, y = (at.number(part) for part in point.position[:2])
            if y:
                message = f"the point {point.name} is not on the axis of the beam: its y is {y:g} m, not zero"
                at.problem("points", message, "weld a body to the beam there, and give that body the point")
            if x is not None and length is not None and not -_SLACK * length <= x <= (1 + _SLACK) * length:
                message = f"the point {point.name} at x = {x:g} m is beyond the ends at 0 and {length:g} m"
                at.problem("points", message, "give an x between them")

    # --- quantities ----------------------------------------------------------------------------------

    @property
    def _names(self) -> list[str]:
        number = self.shapes.number or 1
        return [f"q{k}" for k in range(1, min(max(int(number), 1), _MOST_SHAPES) + 1)]

    @cached_property
    def integrals(self) -> Integrals:
        return tables(self.supports, self.basis, len(self._names))

    def frames(self, name: str) -> Iterator[tuple[str, str]]:
        yield name, name
        yield from ((f"{name}.{point.name}",) * 2 for point in self.points)

    def own_coordinates(self) -> Iterator[State]:
        yield from (State(name, "m", mirrored=Mirror.REVERSED, at_rest=True) for name in self._names)

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield from frame_readings(planar=planar)
        for point in self.points:
            yield from (replace(reading, at=f".{point.name}") for reading in places(planar=planar))

        def ratio(motion: Motion) -> Expr:
            q, dag = self._positions(motion), motion.dag
            length = motion[self.length]
            found = dag.zero
            for place in _STATIONS:
                deflection = _Shapes(self.integrals, dag.number(place)).deflection(q)
                if not deflection.is_zero:
                    found = dag.call("max", found, dag.call("abs", deflection))
            return found / length

        measure = Across(Domain.TRANSLATION, ratio)
        yield Reading("deflection_ratio", Level.POSITION, "1", measure, recorded=True, limit=_LIMIT)
        for point in self.points:
            yield from self._bent(point)

    def _bent(self, point: Point) -> Iterator[Reading]:
        """The deflection across the frame at a point, and the angle of its section there."""

        def deflection(motion: Motion) -> Expr:
            return self._shapes_at(motion, point).deflection(self._positions(motion))

        def slope(motion: Motion) -> Expr:
            return self._shapes_at(motion, point).slope(self._positions(motion)) / motion[self.length]

        for kind, unit, read in (("deflection", "m", deflection), ("slope", "rad", slope)):
            measure = Across(Domain.TRANSLATION, read)
            yield Reading(kind, Level.POSITION, unit, measure, at=f".{point.name}")

    def _positions(self, motion: Motion) -> list[Expr]:
        return [motion.freedom(name) for name in self._names]

    def _shapes_at(self, motion: Motion, point: Point) -> _Shapes:
        return _Shapes(self.integrals, motion[point.position[0]] / motion[self.length])

    # --- edges ---------------------------------------------------------------------------------------

    def _section(self, at: Site) -> tuple[Expr, Expr]:
        """Area and second moment of area."""
        pi = at.symbols.dag.number(Fraction(math.pi))
        if self.diameter is not None:
            outer = at[self.diameter]
            inner = at.zero if self.inner_diameter is None else at[self.inner_diameter]
            return pi * (outer**2 - inner**2) / 4, pi * (outer**4 - inner**4) / 64
        if self.width is not None and self.height is not None:
            width, height = at[self.width], at[self.height]
            return width * height, width * height**3 / 12
        assert self.area is not None and self.second_moment is not None
        return at[self.area], at[self.second_moment]

    def _damping(self, at: Site, bending: _Bending) -> list[list[Expr]]:
        """The damping matrix."""
        stiffness, mass = bending.rows("stiffness"), bending.rows("mass")
        found = [
            [at[self.damping] * k + at[self.mass_damping] * m for k, m in zip(*rows, strict=True)]
            for rows in zip(stiffness, mass, strict=True)
        ]
        ratio, square = at[self.damping_ratio], self.integrals.mean_square
        for i, row in enumerate(stiffness):
            if not ratio.is_zero:
                root = at.symbols.dag.call("sqrt", row[i] * bending.mass * square)
                found[i][i] = found[i][i] + 2 * ratio * root
        return found

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint | Work]:
        """The edges of the frame in both graphs, a flexible arm to each point, and the work on shapes."""
        area, second_moment = self._section(at)
        length = at[self.length]
        mass = at[self.density] * area * length
        bending = _Bending(self.integrals, mass, length, at[self.modulus] * second_moment)
        gravity = at.vector(at.context.model.gravity)
        laws = _Laws(bending, self._names, gravity, self._damping(at, bending))
        # Laws of rotation read the acceleration of the base, which is the head of the translational edge.
        free = Displacement(GROUND, at.null, at.slides(at.name, at.directions))
        yield at.edge(free, laws.force, tail=GROUND, head=at.name)
        yield at.edge(Rotation(at.attitude("")), laws.torque, tail=GROUND, head=at.name)
        freedoms = tuple(at.freedom(name, "m") for name in self._names)
        q = [freedom.position for freedom in freedoms]
        for point in self.points:
            shapes = _Shapes(self.integrals, at[point.position[0]] / length)
            way = (shapes.place * length - shapes.shortening(q) / (2 * length), shapes.deflection(q), at.zero)
            turn = at.turn(at.z, at.x, shapes.slope(q) / length, moves=False)
            yield from at.flexible_arm(f"{at.name}.{point.name}", way, (turn,))
        yield Work(at.name, freedoms, laws.work)


#: At 9 % the error of second order is 0.3 % of the deflection, at 76 % it is as large as the deflection.
_LIMIT = Limit(0.1, "terms of third order, which are left out, count there: a stiffer beam bends less")
_SECTION_KEYS = ("area", "second_moment", "diameter", "inner_diameter", "width", "height")
_SECTIONS = (
    {"area", "second_moment"},
    {"diameter"},
    {"diameter", "inner_diameter"},
    {"width", "height"},
)
#: Points may be beyond the ends by this part of the length, which is rounding.
_SLACK = 1e-9
