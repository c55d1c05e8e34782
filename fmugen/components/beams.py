"""Beams: bodies that bend, with lateral deflections and the foreshortening of second order they cause.

The deflection across the beam is a sum of shapes with one coordinate each. In the plane a point at the part
xi of the length L is at ``x = L xi - q H(xi) q / 2`` and ``y = phi(xi) q`` in the frame of the beam. H is the
integral of ``phi' phi'`` from the base to xi, divided by L. In space there are deflections along z besides,
which shorten the beam in the same way. All equations come from one Lagrangian in which terms up to second
order in deflections and their rates are kept. A beam that spins therefore becomes stiffer.

Stretch along and twist about the axis are further coordinates, on request. Sections do not shear
(Euler-Bernoulli), and have inertia only about the axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from fmugen.components.base import (
    ANY_SPACE,
    Numbers,
    State,
    choice,
    component,
    count,
    option,
    optional,
    points,
    value,
)
from fmugen.components.beam_shapes import TWIST, BeamIntegrals, Family, SectionStiffness, Shapes
from fmugen.components.bodies import Body, frame_readings
from fmugen.components.deformation import Deformation, bent
from fmugen.components.deformation import Numbers as Numeric
from fmugen.components.deforming import DeformingBody
from fmugen.components.measures import Across, Attitude, Reading, places
from fmugen.components.mirror import Mirror
from fmugen.components.shapes import BASES, RITZ, SUPPORTS
from fmugen.components.site import Site
from fmugen.expr.dag import Expr
from fmugen.ir.arrays import Array
from fmugen.ir.element import GROUND, Point
from fmugen.ir.formula import Formula
from fmugen.ir.graph import AxisTurn, Displacement, Domain, Edge, EdgeConstraint, Rotation, Work
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import Level, Limit, attitude_kinds

__all__ = ["Beam"]

#: A fourth Ritz mode of ten polynomials is still accurate to 0.02 %.
_MOST_SHAPES = 8
#: Where the deflection is looked at, in parts of the length.
_STATIONS = tuple(Fraction(number, 8) for number in range(1, 9))
#: How many places of a beam are drawn.
_DRAWN = 25
#: The planes in which a beam in space bends, by the directions of its deflections.
_PLANES = {"both": "yz", "xy": "y", "xz": "z"}
_MIRRORED = {"x": Mirror.KEPT, "y": Mirror.ALONG_Y, "z": Mirror.ALONG_Z, TWIST: Mirror.ABOUT_X}


@component
class Beam(Body):
    """A uniform beam along the x axis of its frame that bends, with foreshortening of second order.

    ``NAME`` is its frame. A point has the axes of the section there.
    """

    type = "beam"
    spaces = ANY_SPACE
    length: Formula = value("m", "length")
    density: Formula = value("kg/m3", "density")
    modulus: Formula = value("Pa", "Young's modulus")
    area: Formula | None = optional("m2", "area of the section")
    second_moment: Formula | None = optional("m4", "second moment of area about z")
    second_moment_y: Formula | None = optional("m4", "second moment of area about y", spatial=True)
    diameter: Formula | None = optional("m", "diameter of a round section")
    inner_diameter: Formula | None = optional("m", "inner diameter of a tube")
    width: Formula | None = optional("m", "width of a rectangular section, along z")
    height: Formula | None = optional("m", "height of a rectangular section, along y")
    shear_modulus: Formula | None = optional("Pa", "shear modulus, for torsion", spatial=True)
    torsion_constant: Formula | None = optional(
        "m4", "torsion constant of the section; a round section has its own", spatial=True
    )
    supports: str = option(
        "how its ends are held: cantilever (clamped at the origin), chord (hinged at both ends), pinned "
        "(hinged at the origin) or free; except for a cantilever the x axis leads from end to end",
        SUPPORTS,
    )
    planes: str = option("planes in which it bends: both, xy or xz", tuple(_PLANES), spatial=True)
    basis: str = option("shapes: ritz (modes), or the polynomials chebyshev, legendre or taylor", BASES)
    shapes: Formula = count(3, "number of shapes in each plane")
    torsion_shapes: Formula = count(0, "number of polynomials of its twist", spatial=True)
    axial_shapes: Formula = count(0, "number of polynomials of its stretch")
    damping: Formula = value("s", "damping in proportion to stiffness", 0)
    mass_damping: Formula = value("1/s", "damping in proportion to mass", 0)
    damping_ratio: Formula = value("1", "damping ratio of all Ritz modes", 0)
    attitude: str = choice("coordinates of the rotation where the body is in the rotational tree")
    points: tuple[Point, ...] = points("points on the axis of the beam, each in the axes of its section")

    # --- checks --------------------------------------------------------------------------------------

    def check(self, at: Numbers) -> None:
        for key in ("length", "density", "modulus"):
            at.positive(key)
        for key in ("damping", "mass_damping", "damping_ratio"):
            at.not_negative(key)
        for key, least in (("shapes", 1), ("torsion_shapes", 0), ("axial_shapes", 0)):
            number = getattr(self, key).number
            if number is None or number != int(number) or not least <= number <= _MOST_SHAPES:
                message = f"it is a whole number from {least} to {_MOST_SHAPES}"
                at.problem(key, message, f"write {key} = {least + 2}")
        if self.basis != RITZ and self.damping_ratio.number != 0:
            message = "polynomials are not modes, which alone have a damping ratio"
            at.problem("damping_ratio", message, 'give damping, or basis = "ritz"')
        self._check_section(at)
        self._check_points(at)

    def _check_section(self, at: Numbers) -> None:
        given = {key for key in _SECTION_KEYS if getattr(self, key) is not None}
        sections = _SECTIONS if at.planar else _SPATIAL_SECTIONS
        if given not in sections:
            message = f"these do not say what the section is: {', '.join(sorted(given)) or 'nothing'}"
            moments = "second_moment" if at.planar else "second_moment and second_moment_y"
            hint = f"give diameter (and inner_diameter), or width and height, or area and {moments}"
            at.problem("section", message, hint)
            return
        for key in sorted(given):
            at.positive(key)
        outer, inner = (None if x is None else at.number(x) for x in (self.diameter, self.inner_diameter))
        if outer is not None and inner is not None and inner >= outer:
            message = f"the inner diameter {inner:g} m is not smaller than the diameter {outer:g} m"
            at.problem("inner_diameter", message, "exchange them")
        self._check_torsion(at)

    def _check_torsion(self, at: Numbers) -> None:
        if self.torsion_shapes.number == 0:
            return
        for key in ("shear_modulus", "torsion_constant"):
            if getattr(self, key) is not None:
                at.positive(key)
            elif key == "shear_modulus" or self.diameter is None:
                at.problem(key, "torsion needs it", f"give {key}, or torsion_shapes = 0")

    def _check_points(self, at: Numbers) -> None:
        length = at.number(self.length)
        for point in self.points:
            x, *across = (at.number(part) for part in point.position[: 2 if at.planar else 3])
            if any(across):
                far = " and ".join(
                    f"{name} is {part:g} m" for name, part in zip("yz", across, strict=False) if part
                )
                message = f"the point {point.name} is not on the axis of the beam: its {far}, not zero"
                at.problem("points", message, "weld a body to the beam there, and give that body the point")
            if x is not None and length is not None and not -_SLACK * length <= x <= (1 + _SLACK) * length:
                message = f"the point {point.name} at x = {x:g} m is beyond the ends at 0 and {length:g} m"
                at.problem("points", message, "give an x between them")

    # --- quantities ----------------------------------------------------------------------------------

    def _families(self, *, planar: bool) -> list[Family]:
        """The coordinates in each direction; in the plane a deflection needs no direction in its name."""

        def names(prefix: str, number: int) -> tuple[str, ...]:
            return tuple(f"{prefix}{k}" for k in range(1, number + 1))

        found = []
        for direction in "y" if planar else _PLANES[self.planes]:
            named = names("q" if planar else f"q{direction}", max(_count(self.shapes), 1))
            found.append(Family(direction, named, (self.supports, self.basis)))
        for direction, given in ((TWIST, self.torsion_shapes), ("x", self.axial_shapes)):
            if _count(given):
                found.append(Family(direction, names(f"q{direction}", _count(given))))
        return found

    def frames(self, name: str) -> Iterator[tuple[str, str]]:
        yield name, name
        yield from ((f"{name}.{point.name}",) * 2 for point in self.points)

    def own_coordinates(self, *, planar: bool) -> Iterator[State]:
        for family in self._families(planar=planar):
            mirrored = Mirror.REVERSED if planar and family.direction == "y" else _MIRRORED[family.direction]
            for name in family.names:
                yield State(name, family.unit, mirrored=mirrored, at_rest=True)

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield from frame_readings(planar=planar)
        for kind, level, unit in () if planar else attitude_kinds(self.attitude):
            yield Reading(kind, level, unit, Attitude())
        for point in self.points:
            yield from (replace(reading, at=f".{point.name}") for reading in places(planar=planar))
        families = self._families(planar=planar)

        def ratio(motion: Motion) -> Expr:
            dag, q = motion.dag, _coordinates(motion, families)
            found = dag.zero
            for place in _STATIONS:
                shapes = Shapes(families, dag.number(place), q)
                for deflection in (shapes.deflection(direction) for direction in "yz"):
                    if not deflection.is_zero:
                        found = dag.call("max", found, dag.call("abs", deflection))
            return found / motion[self.length]

        measure = Across(Domain.TRANSLATION, ratio)
        yield Reading("deflection_ratio", Level.POSITION, "1", measure, recorded=True, limit=_LIMIT)
        for point in self.points:
            yield from self._bent(point, families, planar=planar)

    def _bent(self, point: Point, families: Sequence[Family], *, planar: bool) -> Iterator[Reading]:
        """How the section at a point has moved: its deflections, their slopes, and its twist."""

        def shapes(motion: Motion) -> Shapes:
            place = motion[point.position[0]] / motion[self.length]
            return Shapes(families, place, _coordinates(motion, families))

        def reading(kind: str, family: Family, *, slope: bool) -> Reading:
            def read(motion: Motion) -> Expr:
                at = shapes(motion)
                if slope:
                    return at.slope(family.direction) / motion[self.length]
                return at.deflection(family.direction)

            unit = "rad" if slope else family.unit
            measure = Across(Domain.TRANSLATION, read)
            return Reading(kind, Level.POSITION, unit, measure, at=f".{point.name}")

        for family in families:
            direction = "" if planar and family.direction == "y" else f"_{family.direction}"
            if family.held is not None:
                yield reading(f"deflection{direction}", family, slope=False)
                yield reading(f"slope{direction}", family, slope=True)
            else:
                yield reading("twist" if family.direction == TWIST else "stretch", family, slope=False)

    # --- drawings ------------------------------------------------------------------------------------

    def lines(self, number: Numeric) -> list[Array]:
        return [np.outer(np.linspace(0.0, number(self.length), _DRAWN), [1.0, 0.0, 0.0])]

    def deformation(self, places: Array, number: Numeric, *, planar: bool) -> Deformation:
        length = number(self.length)
        across = {"y": self.diameter or self.height, "z": self.diameter or self.width}
        # A section of which only the area is known counts as a round one.
        known = self.area is None or number(self.area)
        usual = math.sqrt(float(known) / math.pi)
        halves = {way: usual if size is None else number(size) / 2 for way, size in across.items()}
        return bent(self._families(planar=planar), places[:, 0] / length, length, halves)

    # --- edges ---------------------------------------------------------------------------------------

    def _section(self, at: Site) -> SectionStiffness:
        area, about_z, about_y, torsion = self._geometry(at)
        density, modulus = at[self.density], at[self.modulus]
        shear = at.zero if self.shear_modulus is None else at[self.shear_modulus]
        polar = at.zero if at.planar else density * (about_y + about_z)
        bending = {"y": modulus * about_z, "z": modulus * about_y}
        return SectionStiffness(density * area, polar, bending, shear * torsion, modulus * area)

    def _geometry(self, at: Site) -> tuple[Expr, Expr, Expr, Expr]:
        """Area, second moments of area about z and about y, and the torsion constant."""
        pi = at.symbols.dag.number(Fraction(math.pi))

        def given(formula: Formula | None) -> Expr:
            return at.zero if formula is None else at[formula]

        torsion = given(self.torsion_constant)
        if self.diameter is not None:
            outer, inner = at[self.diameter], given(self.inner_diameter)
            moment = pi * (outer**4 - inner**4) / 64
            area = pi * (outer**2 - inner**2) / 4
            return area, moment, moment, 2 * moment if self.torsion_constant is None else torsion
        if self.width is not None and self.height is not None:
            width, height = at[self.width], at[self.height]
            return width * height, width * height**3 / 12, height * width**3 / 12, torsion
        return given(self.area), given(self.second_moment), given(self.second_moment_y), torsion

    def _damping(self, at: Site, integrals: BeamIntegrals) -> list[list[Expr]]:
        """The damping matrix."""
        stiffness, mass = integrals.stiffness(), integrals.mass_matrix()
        found = [
            [at[self.damping] * k + at[self.mass_damping] * m for k, m in zip(*rows, strict=True)]
            for rows in zip(stiffness, mass, strict=True)
        ]
        ratio = at[self.damping_ratio]
        for i, modal in () if ratio.is_zero else integrals.modal():
            root = at.symbols.dag.call("sqrt", stiffness[i][i] * modal)
            found[i][i] = found[i][i] + 2 * ratio * root
        return found

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint | Work]:
        """The edges of the frame in both graphs, a flexible arm to each point, and the work on shapes."""
        length, families = at[self.length], self._families(planar=at.planar)
        integrals = BeamIntegrals(families, self._section(at), length)
        freedoms = {name: at.freedom(name, each.unit) for each in families for name in each.names}
        gravity = at.vector(at.context.model.gravity)
        stiffness, damping = integrals.stiffness(), self._damping(at, integrals)
        laws = DeformingBody([*freedoms], integrals.over_mass(), stiffness, damping, gravity)
        # Laws of rotation read the acceleration of the base, which is the head of the translational edge.
        free = Displacement(GROUND, at.null, at.slides(at.name, at.directions))
        yield at.edge(free, laws.force, tail=GROUND, head=at.name)
        yield at.edge(Rotation(at.attitude(self.attitude)), laws.torque, tail=GROUND, head=at.name)
        q = {name: freedom.position for name, freedom in freedoms.items()}
        for point in self.points:
            shapes = Shapes(families, at[point.position[0]] / length, q)
            along = shapes.place * length + shapes.deflection("x") - shapes.shortening() / (2 * length)
            way = (along, shapes.deflection("y"), shapes.deflection("z"))
            yield from at.flexible_arm(f"{at.name}.{point.name}", way, [*_turns(at, shapes, length)])
        yield Work(at.name, tuple(freedoms.values()), laws.work)


def _count(formula: Formula) -> int:
    """A number of shapes; a number that is not sound is reported by the check."""
    return min(max(int(formula.number or 0), 0), _MOST_SHAPES)


def _coordinates(motion: Motion, families: Sequence[Family]) -> dict[str, Expr]:
    return {name: motion.freedom(name) for family in families for name in family.names}


def _turns(at: Site, shapes: Shapes, length: Expr) -> Iterator[AxisTurn]:
    """The turns of a section: about z, about y by the slope along z, and about the axis."""
    yield at.turn(at.z, at.x, shapes.slope("y") / length, moves=False)
    for axis, zero, angle in (
        (at.y, at.z, -shapes.slope("z") / length),
        (at.x, at.y, shapes.deflection(TWIST)),
    ):
        if not angle.is_zero:
            yield at.turn(axis, zero, angle, moves=False)


#: At 9 % the error of second order is 0.3 % of the deflection, at 76 % it is as large as the deflection.
_LIMIT = Limit(0.1, "terms of third order, which are left out, count there: a stiffer beam bends less")
_SECTION_KEYS = (
    "area",
    "second_moment",
    "second_moment_y",
    "diameter",
    "inner_diameter",
    "width",
    "height",
)
_SPATIAL_SECTIONS = (
    {"area", "second_moment", "second_moment_y"},
    {"diameter"},
    {"diameter", "inner_diameter"},
    {"width", "height"},
)
_SECTIONS = ({"area", "second_moment"}, *_SPATIAL_SECTIONS[1:])
#: Points may be beyond the ends by this part of the length, which is rounding.
_SLACK = 1e-9
