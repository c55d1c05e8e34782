"""Beams: bodies that bend by shapes, with the shortening that bending causes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fmugen.ir.formula import Formula
from fmugen.ir.model import Point
from fmugen.verify.beam_shapes import Shapes
from fmugen.verify.catalogue.base import Parts, Reader, law
from fmugen.verify.catalogue.deforming import Deforming
from fmugen.verify.catalogue.exact_beams import ELEMENTS, ExactBeam
from fmugen.verify.flexible import Material, Section
from fmugen.verify.rotations import IDENTITY, Array

#: Where the deflection ratio looks at the beam.
_STATIONS = np.arange(1, 9) / 8.0


#: The factor of all polynomials, and the number of rigid motions it leaves.
_FACTORS = {
    "cantilever": ((0.0, 0.0, 1.0), 0),
    "chord": ((0.0, 1.0, -1.0), 0),
    "pinned": ((0.0, 1.0), 1),
    "free": ((1.0,), 2),
}
#: Stretch and twist vanish at the base.
_HELD = (0.0, 1.0)
_AXES = {"x": 0, "y": 1, "z": 2}


def shapes_of(supports: str, basis: str, count: int) -> Shapes:
    """The shapes of a beam by the keys of the file."""
    factor, rigid = _FACTORS[supports]
    return Shapes(factor, rigid, basis, count)


# --- the law -------------------------------------------------------------------------------------


@law("bodies", "beam")
def beam(at: Reader) -> Parts:
    """A uniform beam that bends, by shapes with foreshortening of second order, or by exact elements."""
    made = _Beam(at)
    if ELEMENTS in at.element.values:
        area, moments, _ = made.cross_section
        return ExactBeam(at, area, moments).parts()
    return made.parts()


@dataclass(frozen=True)
class _Direction:
    """The coordinates of one direction, with their quantities: y and z bend, x stretches and t twists."""

    name: str
    kinds: tuple[str, ...]
    shapes: Shapes
    columns: slice

    @property
    def bends(self) -> bool:
        return self.name in ("y", "z")


class _Beam(Deforming):
    def __init__(self, at: Reader) -> None:
        super().__init__(at)
        self.length = at.number("length")

    @cached_property
    def directions(self) -> list[_Direction]:
        """By the names of the coordinates: q1 in the plane, qy1, qz1, qx1 and qt1 elsewhere."""
        groups: dict[str, list[str]] = {}
        for kind in self.own:
            letter = kind.strip("0123456789")[1:] or "y"
            groups.setdefault(letter, []).append(kind)
        found, first = [], 0
        for letter, kinds in groups.items():
            shapes = Shapes(_HELD, 0, "legendre", len(kinds))
            if letter in ("y", "z"):
                shapes = shapes_of(self.at.text("supports"), self.at.text("basis"), len(kinds))
            found.append(_Direction(letter, tuple(kinds), shapes, slice(first, first + len(kinds))))
            first += len(kinds)
        return found

    @cached_property
    def cross_section(self) -> tuple[float, dict[str, float], float]:
        """Area, second moments for deflections along y and z, and the torsion constant."""
        at = self.at

        def given(key: str) -> float:
            value = at.element.values[key]
            return at.layout.number(value) if isinstance(value, Formula) else 0.0

        outer, width, height = given("diameter"), given("width"), given("height")
        torsion = given("torsion_constant")
        if outer:
            inner = given("inner_diameter")
            moment = np.pi / 64.0 * (outer**4 - inner**4)
            area = np.pi / 4.0 * (outer**2 - inner**2)
            return area, {"y": moment, "z": moment}, torsion or 2.0 * moment
        if width and height:
            moments = {"y": width * height**3 / 12.0, "z": height * width**3 / 12.0}
            return width * height, moments, torsion
        return given("area"), {"y": given("second_moment"), "z": given("second_moment_y")}, torsion

    def material(self) -> Material:
        places, weights, _ = self.directions[0].shapes.sampled()
        area, moments, _ = self.cross_section
        density = self.at.number("density")
        displaced = [self._displaced(place) for place in places.tolist()]
        polar = 0.0 if self.at.planar else density * (moments["y"] + moments["z"])
        return Material(
            density * area * self.length * weights,
            np.outer(places, IDENTITY[0]) * self.length,
            np.array([first for first, _, _ in displaced]),
            np.array([second for _, second, _ in displaced]),
            polar * self.length * weights,
            np.array([turns[2] for _, _, turns in displaced]),
        )

    def _displaced(self, place: float) -> tuple[Array, Array, Array]:
        """Displacements of first and second order, and turns about z, y and x, at a part of the length."""
        count = len(self.own)
        first, second, turns = np.zeros((3, count)), np.zeros((3, count, count)), np.zeros((3, count))
        for each in self.directions:
            values, mine = each.shapes.at(place), each.columns
            if each.name in _AXES:
                first[_AXES[each.name], mine] = values.deflection
            else:
                turns[2, mine] = values.deflection
            if each.bends:
                second[0, mine, mine] = -values.shortening / self.length
                row, sign = (0, 1.0) if each.name == "y" else (1, -1.0)
                turns[row, mine] = sign * values.slope / self.length
        return first, second, turns

    def section(self, point: Point) -> Section:
        place = self.at.layout.number(point.position[0])
        displaced = self._displaced(place / self.length)
        return Section(self.body(point), place * IDENTITY[0], *displaced)

    def deflected(self) -> Array:
        """Of all deflections at some places, for unit length."""
        displaced = [self._displaced(place)[0][1:] / self.length for place in _STATIONS.tolist()]
        return np.concatenate(displaced)

    def reported(self, point: Point) -> Iterator[tuple[str, Array]]:
        at = self.section(point)
        for each in self.directions:
            match each.name:
                case "t":
                    yield "twist", at.turns[2]
                case "x":
                    yield "stretch", at.first[0]
                case letter:
                    suffix = "" if self.at.planar else f"_{letter}"
                    yield f"deflection{suffix}", at.first[_AXES[letter]]
                    yield f"slope{suffix}", at.turns[0] if letter == "y" else -at.turns[1]

    def _stiffness(self) -> Array:
        area, moments, torsion = self.cross_section
        modulus, length = self.at.number("modulus"), self.length
        found = np.zeros((len(self.own), len(self.own)))
        for each in self.directions:
            if each.bends:
                block = modulus * moments[each.name] / length**3 * each.shapes.bending
            else:
                rigid = self.at.number("shear_modulus") * torsion if each.name == "t" else modulus * area
                block = rigid / length * each.shapes.at(1.0).shortening
            found[each.columns, each.columns] = block
        return found

    def matrices(self, own_mass: Array) -> tuple[Array, Array]:
        at, stiffness = self.at, self._stiffness()
        damping = at.number("damping") * stiffness + at.number("mass_damping") * own_mass
        mass = at.number("density") * self.cross_section[0] * self.length
        for each in self.directions:
            if each.bends:
                modal = np.diag(stiffness)[each.columns] * mass * each.shapes.mean_square
                own = 2.0 * at.number("damping_ratio") * np.sqrt(modal)
                damping[each.columns, each.columns] += np.diag(own)
        return stiffness, damping
