"""The motion of an edge, as the laws of elements read it, and their through variables as vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fmugen.components.formulas import Resolve, lower
from fmugen.errors import ModelError, Problem
from fmugen.expr.affine import Affine, AffineScalar, FrameVector
from fmugen.expr.dag import Dag, Expr
from fmugen.expr.vectors import Matrix3, Vector3, add3, dot, matvec, scale3
from fmugen.ir.element import Vector
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Domain, Edge, Symbols
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import derivative_names
from fmugen.phases.formulate.kinematics import Kinematics
from fmugen.phases.formulate.turns import first_axis

__all__ = ["EdgeMotion", "Surroundings"]

_APART = "fasten it to points that can move apart"


@dataclass(frozen=True)
class Surroundings:
    """Data shared by the motions of all edges.

    ``angle`` gives a derivative of the angle of an R-edge. ``moments`` is the sum of r x F over the arms of a
    body and the displaced joints that start on it. ``section_of`` gives the section of an element in the
    file.
    """

    symbols: Symbols
    kinematics: Kinematics
    resolve: Resolve
    angle: Callable[[Edge, int], Expr]
    moments: Callable[[str], Affine]
    section_of: Callable[[str], str]


@dataclass(frozen=True)
class EdgeMotion(Motion):
    """The motion of one edge."""

    around: Surroundings
    edge: Edge

    @property
    def dag(self) -> Dag:
        return self.around.symbols.dag

    def __getitem__(self, formula: Formula) -> Expr:
        return lower(formula, self.around.symbols, self.around.resolve)

    def lowered(self, formula: Formula, names: Mapping[str, Expr]) -> Expr:
        return lower(formula, self.around.symbols, names.__getitem__)

    def own(self, quantity: str) -> Expr:
        return self.around.resolve(f"{self.edge.name}.{quantity}")

    def state(self, name: str) -> Expr:
        return self.own(name)

    def freedom(self, name: str, order: int = 0) -> Expr:
        return self.own(derivative_names(name)[order])

    def second(self, name: str) -> AffineScalar:
        return AffineScalar(self.dag.zero, {self.freedom(name, 2): self.dag.one})

    def mode(self, name: str) -> Expr:
        modes = [mode for mode in self.around.kinematics.graph.modes if mode.element == self.edge.name]
        known = {mode.mode: mode.is_on for mode in modes}
        # The first mode, which has no symbol, is the one that is left where the element is in no other.
        return known[name] if name in known else 1 - self.dag.add(known.values())

    # --- scalars -------------------------------------------------------------------------------------

    def angle(self, order: int = 0) -> Expr:
        return self.around.angle(self.edge, order)

    def length(self, order: int = 0) -> Expr:
        if order == 0:
            r = self._displacement()
            return self.dag.call("sqrt", self.dag.add(component**2 for component in r))
        if order > 1:
            raise ValueError("a length has a first derivative only")
        kinematics = self.around.kinematics
        r = self._displacement()
        v = kinematics.frames.in_ground(
            kinematics.velocity[self.edge.head] - kinematics.velocity[self.edge.tail]
        )
        return self.dag.add(a * b for a, b in zip(r, v, strict=True)) / self.length()

    def _displacement(self) -> Vector3:
        kinematics = self.around.kinematics
        r = kinematics.frames.in_ground(kinematics.displacement(self.edge))
        if all(component.is_zero for component in r):
            place = f"{self.around.section_of(self.edge.name)}.{self.edge.name}"
            raise ModelError(place, (Problem(place, "its ends coincide in every position", _APART),))
        return r

    # --- vectors -------------------------------------------------------------------------------------

    @property
    def translation(self) -> EdgeMotion:
        if self.edge.domain is Domain.TRANSLATION:
            return self
        return replace(self, edge=self.around.kinematics.graph.translation.edge(self.edge.name))

    def slides(self, order: int = 0) -> Vector3:
        kinematics = self.around.kinematics
        across = (kinematics.displacement, kinematics.relative_velocity)[order]
        return self._along_axes(across(self.edge))

    def spin(self) -> Vector3:
        omega, graph = self.around.kinematics.omega, self.around.kinematics.graph
        return self._along_axes(omega[self._frame] - omega[graph.body_of[self.edge.tail]])

    def direction(self, fixed: Vector | Vector3) -> Vector3:
        x, y, z = self._value(fixed[0]), self._value(fixed[1]), self._value(fixed[2])
        square = x * x + y * y + z * z
        scale = self.dag.one if square == self.dag.one else 1 / self.dag.call("sqrt", square)
        return self._along_axes(
            self.around.kinematics.frames.in_simplest_frame(self._frame, (x, y, z)).scaled(scale)
        )

    def _value(self, component: Formula | Expr) -> Expr:
        return component if isinstance(component, Expr) else self[component]

    def _axes(self) -> Matrix3:
        """The axes in which the edge slides, then those in which it reacts, in those of its frame."""
        across = self.edge.displacement
        axes = [*(axis for axis, _ in across.motion), *across.reaction]
        x, y, z = axes
        return x, y, z

    def _along_axes(self, vector: FrameVector) -> Vector3:
        local = self.around.kinematics.frames.resolve(vector, self.edge.displacement.frame)
        x, y, z = (dot(axis, local) for axis in self._axes())
        return x, y, z

    def velocity(self, frame: str) -> Vector3:
        kinematics = self.around.kinematics
        relative = kinematics.velocity[self.edge.head] - kinematics.velocity[self.edge.tail]
        return kinematics.frames.resolve(relative, frame)

    def acceleration(self) -> Affine:
        return self.around.kinematics.acceleration[self.edge.head]

    @property
    def _frame(self) -> str:
        """The node of the head in the rotational graph."""
        graph = self.around.kinematics.graph
        return graph.body_of[self.edge.head] if self.edge.domain is Domain.TRANSLATION else self.edge.head

    def omega(self) -> Vector3:
        kinematics = self.around.kinematics
        return kinematics.frames.resolve(kinematics.omega[self._frame], self._frame)

    def alpha(self) -> Affine:
        return self.around.kinematics.alpha[self._frame]

    def components(self, vector: Affine) -> tuple[AffineScalar, AffineScalar, AffineScalar]:
        frames, frame = self.around.kinematics.frames, self._frame
        const = frames.resolve(vector.const, frame)
        parts = {unknown: frames.resolve(part, frame) for unknown, part in vector.coefficients.items()}

        def along(axis: int) -> AffineScalar:
            return AffineScalar(const[axis], {unknown: part[axis] for unknown, part in parts.items()})

        return along(0), along(1), along(2)

    # --- through variables ---------------------------------------------------------------------------

    def pull(self, tension: Expr) -> Affine:
        way = self.around.kinematics.displacement(self.edge)
        return Affine(way.scaled(-tension / self.length()), {})

    def along(self, force: Expr) -> Affine:
        across = self.edge.displacement
        axis, _ = across.motion[0]
        return Affine(FrameVector({across.frame: axis}).scaled(force), {})

    def along_axes(self, components: Vector3) -> Affine:
        x, y, z = (scale3(part, axis) for part, axis in zip(components, self._axes(), strict=True))
        return self.vector(add3(add3(x, y), z), self.edge.displacement.frame)

    def about(self, torque: Expr) -> Affine:
        direction = self.around.kinematics.frames.in_simplest_frame(
            self.edge.tail, first_axis(self.edge.rotation)
        )
        return Affine(direction.scaled(torque), {})

    def vector(self, components: Vector3, frame: str) -> Affine:
        return Affine(self.around.kinematics.frames.in_simplest_frame(frame, components), {})

    def composed(self, components: Sequence[AffineScalar]) -> Affine:
        express, frame, zero = self.around.kinematics.frames.in_simplest_frame, self._frame, self.dag.zero
        x, y, z = components
        unknowns = dict.fromkeys(unknown for each in (x, y, z) for unknown in each.coefficients)

        def part(unknown: Expr) -> Vector3:
            a, b, c = (each.coefficients.get(unknown, zero) for each in (x, y, z))
            return a, b, c

        coefficients = {unknown: express(frame, part(unknown)) for unknown in unknowns}
        return Affine(express(frame, (x.const, y.const, z.const)), coefficients)

    def moments(self) -> Affine:
        return self.around.moments(self._frame)

    def inertia(self, tensor: Matrix3) -> Affine:
        body, frames = self.edge.head, self.around.kinematics.frames
        omega, alpha = self.around.kinematics.omega[body], self.around.kinematics.alpha[body]

        def momentum(vector: FrameVector) -> FrameVector:
            return frames.in_simplest_frame(body, matvec(tensor, frames.resolve(vector, body)))

        gyroscopic = frames.cross(omega, momentum(omega))
        coefficients = {unknown: -momentum(part) for unknown, part in alpha.coefficients.items()}
        own = Affine(-momentum(alpha.const) - gyroscopic, coefficients)
        return own - self.around.moments(body)
