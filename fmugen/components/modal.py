"""Bodies from finite-element models: masses, modes and stiffness at nodes, from a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from fmugen.components.base import (
    SPATIAL,
    Numbers,
    Shape,
    State,
    arrays,
    choice,
    component,
    points,
    value,
)
from fmugen.components.bodies import Body, frame_readings
from fmugen.components.deformation import Deformation, mesh_lines
from fmugen.components.deformation import Numbers as Numeric
from fmugen.components.deforming import DeformingBody
from fmugen.components.measures import Across, Attitude, Effort, Reading, places
from fmugen.components.modal_integrals import ModalIntegrals, rigid_problem, square
from fmugen.components.site import Site
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import dot
from fmugen.ir.arrays import Array, Arrays
from fmugen.ir.element import GROUND, Point
from fmugen.ir.formula import Formula
from fmugen.ir.graph import AxisTurn, Displacement, Domain, Edge, EdgeConstraint, Rotation, Work
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import Level, Limit, attitude_kinds

__all__ = ["ModalBody"]

_SHAPES = {
    "nodes": Shape("np"),
    "masses": Shape("n"),
    "modes": Shape("mnp"),
    "rotations": Shape("mna"),
    "stiffness": Shape("mm"),
    "inertias": Shape("naa", required=False),
    "mass": Shape("mm", required=False),
    "coupling": Shape("wm", required=False),
    "rigid": Shape("ww", required=False),
    "damping_ratios": Shape("m", required=False),
    "second_order": Shape("mmnp", required=False),
}
_COUNTED = {"n": "nodes", "m": "modes"}
#: Points are at a node to this part of the size of the body.
_NEAR = 1e-6
#: Matrices are symmetric, and not negative, to this part of their largest entry.
_ROUNDING = 1e-9
#: Displacements that differ by this part are equal.
_ALIKE = 1e-6
_LIMIT = Limit(0.1, "displacements are not small there, as the modes assume")
#: The error of the lowest stiffness is about the square of this.
_SPIN_LIMIT = Limit(
    0.2, "the modes do not stiffen by the rotation: give second_order in the file, or more stiffness"
)


@component
class ModalBody(Body):
    """A body from a finite-element model, which deforms by modes (Craig-Bampton or free-free) of a file.

    ``NAME`` is its frame. A point is at a node, and turns with it.
    """

    type = "modal"
    spaces = SPATIAL
    file: Arrays = arrays(
        "`.npz` file of masses, modes and stiffness, relative to the model file",
        _SHAPES,
        _COUNTED,
        hint='write file = "plate.npz"',
    )
    damping_ratio: Formula = value("1", "damping ratio of all modes, beside that of the file", 0)
    damping: Formula = value("s", "damping in proportion to stiffness", 0)
    mass_damping: Formula = value("1/s", "damping in proportion to mass", 0)
    attitude: str = choice("coordinates of the rotation where the body is in the rotational tree")
    points: tuple[Point, ...] = points("points at nodes")

    @cached_property
    def _integrals(self) -> ModalIntegrals:
        return ModalIntegrals(self.file)

    # --- checks --------------------------------------------------------------------------------------

    def check(self, at: Numbers) -> None:
        for key in ("damping_ratio", "damping", "mass_damping"):
            at.not_negative(key)
        if not self.file:  # the reader has said why
            return
        problem, hint = _array_problem(self._integrals)
        if problem:
            at.problem("file", f"{self.file.name!r}: {problem}", hint)
        for point in self.points:
            position = [at.number(part) for part in point.position]
            if None in position:
                continue
            place = np.array(position, dtype=float)
            number, away = self._nearest(place)
            if away > _NEAR * self._size:
                node = ", ".join(f"{x:.6g}" for x in self.file["nodes"][number])
                message = f"the point {point.name} is not at a node of {self.file.name!r}"
                at.problem("points", message, f"the nearest one is {away:.3g} m away at [{node}]")
            if any(part.number is None for part in point.position):
                message = f"the position of the point {point.name} depends on parameters"
                at.problem("points", message, "write numbers, as places of nodes are")

    def _nearest(self, place: Array) -> tuple[int, float]:
        """The number of the node nearest to a place, and its distance."""
        away = np.linalg.norm(self.file["nodes"] - place, axis=1)
        number = int(np.argmin(away))
        return number, float(away[number])

    @property
    def _size(self) -> float:
        """The diagonal of the box around all nodes."""
        return float(np.linalg.norm(np.ptp(self.file["nodes"], axis=0)))

    def _node(self, point: Point) -> int:
        return self._nearest(np.array([part.number or 0.0 for part in point.position]))[0]

    # --- quantities ----------------------------------------------------------------------------------

    @property
    def _names(self) -> list[str]:
        count = len(self.file["stiffness"]) if self.file else 0
        return [f"q{number + 1}" for number in range(count)]

    def frames(self, name: str) -> Iterator[tuple[str, str]]:
        yield name, name
        yield from ((f"{name}.{point.name}",) * 2 for point in self.points)

    def own_coordinates(self, *, planar: bool) -> Iterator[State]:
        yield from (State(name, "1", at_rest=True) for name in self._names)

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield from frame_readings(planar=planar)
        for kind, level, unit in attitude_kinds(self.attitude):
            yield Reading(kind, level, unit, Attitude())
        for point in self.points:
            yield from (replace(reading, at=f".{point.name}") for reading in places(planar=planar))
        if not self.file:
            return
        measure = Across(Domain.TRANSLATION, self._deflection_ratio)
        yield Reading("deflection_ratio", Level.POSITION, "1", measure, recorded=True, limit=_LIMIT)
        if "second_order" not in self.file:
            spin = Effort(Domain.ROTATION, self._spin_ratio)
            yield Reading("spin_ratio", Level.VELOCITY, "1", spin, recorded=True, limit=_SPIN_LIMIT)
        for point in self.points:
            yield from self._moved(point)

    def _deflection_ratio(self, motion: Motion) -> Expr:
        """The largest component of a displacement, at the nodes where a mode is largest, for unit size."""
        dag, modes = motion.dag, self.file["modes"]
        found = dag.zero
        sizes = np.linalg.norm(modes, axis=2)
        # The first of nodes that move equally, as those of a symmetric body do.
        largest = np.argmax(sizes > (1 - _ALIKE) * sizes.max(axis=1, keepdims=True), axis=1)
        for number in dict.fromkeys(largest.tolist()):
            for axis in range(3):
                moved = self._sum(motion, modes[:, number, axis] / self._size)
                if not moved.is_zero:
                    found = dag.call("max", found, dag.call("abs", moved))
        return found

    def _spin_ratio(self, motion: Motion) -> Expr:
        """The angular velocity as a part of the lowest frequency of the modes."""
        omega, lowest = motion.omega(), float(self._integrals.frequencies[0])
        speed = motion.dag.call("sqrt", dot(omega, omega))
        return speed / motion.dag.number(_number(lowest)) if lowest > 0 else speed

    def _moved(self, point: Point) -> Iterator[Reading]:
        """How the node of a point has moved."""
        node = self._node(point)
        for axis, letter in enumerate("xyz"):
            factors = self.file["modes"][:, node, axis]

            def read(motion: Motion, factors: Array = factors) -> Expr:
                return self._sum(motion, factors)

            measure = Across(Domain.TRANSLATION, read)
            yield Reading(f"deflection_{letter}", Level.POSITION, "m", measure, at=f".{point.name}")

    def _sum(self, motion: Motion, factors: Array) -> Expr:
        """A sum of the coordinates."""
        numbers = zip(factors.tolist(), self._names, strict=True)
        return motion.dag.add(_number(factor) * motion.freedom(name) for factor, name in numbers if factor)

    # --- drawings ------------------------------------------------------------------------------------

    def lines(self, number: Numeric) -> list[Array]:
        return mesh_lines(self.file["nodes"])

    def deformation(self, places: Array, number: Numeric, *, planar: bool) -> Deformation:
        nodes = [self._nearest(place)[0] for place in places]
        first = self.file["modes"][:, nodes].transpose(1, 2, 0)
        second = np.zeros((*first.shape, first.shape[2]))
        if "second_order" in self.file:
            second = self.file["second_order"][:, :, nodes].transpose(2, 3, 0, 1)
        return Deformation(first, second, np.zeros((len(nodes), 0, first.shape[2])))

    # --- edges ---------------------------------------------------------------------------------------

    def _damping(self, at: Site) -> list[list[Expr]]:
        """The damping matrix."""
        dag, data = at.symbols.dag, self._integrals
        ones = np.ones(data.count)
        own = data.damping(self.file["damping_ratios"] if "damping_ratios" in self.file else 0.0 * ones)
        terms = [
            (dag.one, square(dag, own)),
            (at[self.damping_ratio], square(dag, data.damping(ones))),
            (at[self.damping], square(dag, data.stiffness)),
            (at[self.mass_damping], square(dag, data.mass)),
        ]
        return [
            [dag.add(factor * table[i][j] for factor, table in terms) for j in range(data.count)]
            for i in range(data.count)
        ]

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint | Work]:
        """The edges of the frame in both graphs, a flexible arm to each point, and the work on modes."""
        dag, data = at.symbols.dag, self._integrals
        freedoms = {name: at.freedom(name, "1") for name in self._names}
        gravity = at.vector(at.context.model.gravity)
        laws = DeformingBody(
            [*freedoms], data.over_mass(dag), square(dag, data.stiffness), self._damping(at), gravity
        )
        free = Displacement(GROUND, at.null, at.slides(at.name, at.directions))
        yield at.edge(free, laws.force, tail=GROUND, head=at.name)
        yield at.edge(Rotation(at.attitude(self.attitude)), laws.torque, tail=GROUND, head=at.name)
        q = [freedom.position for freedom in freedoms.values()]
        for point in self.points:
            yield from self._arm(at, point, q)
        yield Work(at.name, tuple(freedoms.values()), laws.work)

    def _arm(self, at: Site, point: Point, q: list[Expr]) -> Iterator[Edge]:
        dag, node = at.symbols.dag, self._node(point)

        def displaced(factors: Array) -> Expr:
            return dag.add(
                _number(factor) * x for factor, x in zip(factors.tolist(), q, strict=True) if factor
            )

        place = self.file["nodes"][node]
        way = [dag.number(_number(place[k])) + displaced(self.file["modes"][:, node, k]) for k in range(3)]
        if "second_order" in self.file:
            second = self.file["second_order"][:, :, node]
            for k in range(3):
                way[k] = way[k] + dag.add(
                    _number(second[i, j, k] / 2) * q[i] * q[j]
                    for i in range(len(q))
                    for j in range(len(q))
                    if second[i, j, k]
                )
        about_x, about_y, about_z = (displaced(self.file["rotations"][:, node, k]) for k in range(3))
        turns: list[AxisTurn] = [at.turn(at.z, at.x, about_z, moves=False)]
        for axis, zero, angle in ((at.y, at.z, about_y), (at.x, at.y, about_x)):
            if not angle.is_zero:
                turns.append(at.turn(axis, zero, angle, moves=False))
        yield from at.flexible_arm(f"{at.name}.{point.name}", (way[0], way[1], way[2]), turns)


def _number(factor: float) -> Fraction:
    return Fraction(float(factor))


# --- what is wrong with the numbers of a file ------------------------------------------------------


def _array_problem(data: ModalIntegrals) -> tuple[str, str]:
    """What is wrong with the arrays of a file, and what to do; empty if nothing is."""
    given, size = data.arrays, np.ptp(data.arrays["nodes"], axis=0).max()
    if not data.count:
        return "it has no modes", "write a rigid body where nothing deforms"
    if not size > 0.0:
        return "all nodes are at one place", "give the positions of the nodes in metres"
    if given["masses"].min() < 0.0 or not given["masses"].sum() > 0.0:
        number = int(np.argmin(given["masses"]))
        message = f"the mass of node {number} is {given['masses'][number]:g} kg"
        return message, "masses of nodes are not negative, and one of them is positive"
    for name in ("stiffness", "mass", "rigid"):
        matrix = given[name] if name in given else np.eye(1)
        if np.abs(matrix - matrix.T).max() > _ROUNDING * np.abs(matrix).max():
            return f"the matrix {name!r} is not symmetric", "take the mean of it and its transpose"
    problem = rigid_problem(data.rigid)
    if problem:
        hint = "take the rigid motions of the origin: three translations, then three rotations about it"
        return f"the matrix 'rigid' is not that of a rigid body: {problem}", hint
    return _definite_problem(data)


def _definite_problem(data: ModalIntegrals) -> tuple[str, str]:
    least, largest = np.linalg.eigvalsh(data.stiffness)[[0, -1]].tolist()
    if least < -_ROUNDING * abs(largest):
        message = f"the matrix 'stiffness' has the negative eigenvalue {least:.3g}"
        return message, "modes of a stable structure have positive stiffness"
    size = np.sqrt(np.abs(np.diag(data.whole)))
    if not size.min() > 0.0:
        number = int(np.argmin(size))
        what = (
            "the rigid body has no inertia about an axis" if number < 6 else f"mode {number - 5} has no mass"
        )
        return f"the mass matrix is not positive definite: {what}", _NO_RIGID_MODES
    least = float(np.linalg.eigvalsh(data.whole / np.outer(size, size))[0])
    if least < _ROUNDING:
        message = "the mass matrix of rigid motion and modes is not positive definite"
        return f"{message}: its smallest scaled eigenvalue is {least:.3g}", _NO_RIGID_MODES
    return "", ""


_NO_RIGID_MODES = "leave out rigid modes and modes that others contain, and give the inertia of slender parts"
