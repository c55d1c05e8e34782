"""The quantities that outputs and formulas may name, as expressions of the primary variables."""

from __future__ import annotations

from collections.abc import Callable

from fmugen.components.formulas import lower
from fmugen.expr.dag import Expr
from fmugen.ir.graph import Domain, Edge, EdgeKind, LinearGraph, SpringDamper
from fmugen.phases.formulate.cutsets import Cutsets
from fmugen.phases.formulate.frames import Affine, FrameVector
from fmugen.phases.formulate.kinematics import Kinematics

__all__ = ["Quantities"]


class Quantities:
    """Resolves names such as ``crank.tip.vx``, ``pin.angle`` or ``slide.fy`` (see ``ir.model``)."""

    def __init__(self, graph: LinearGraph, kinematics: Kinematics) -> None:
        self._graph = graph
        self._kinematics = kinematics
        self._edges: dict[Domain, dict[str, Edge]] = {
            domain: {edge.name: edge for edge in graph.domain(domain).edges} for domain in Domain
        }
        self._cutsets: Cutsets | None = None
        self._known: dict[str, Expr] = {}

    def attach(self, cutsets: Cutsets) -> None:
        """Reactions become available once the cutsets are known (which need positions and rates)."""
        self._cutsets = cutsets

    def __call__(self, name: str) -> Expr:
        if name not in self._known:
            owner, _, kind = name.rpartition(".")
            self._known[name] = self._find(owner, kind)
        return self._known[name]

    def _find(self, owner: str, kind: str) -> Expr:
        translation = self._edges[Domain.TRANSLATION].get(owner)
        rotation = self._edges[Domain.ROTATION].get(owner)
        edge = translation or rotation
        is_node = edge is None or edge.kind in (EdgeKind.BODY, EdgeKind.ARM)
        if kind in _PLANE:
            if is_node:
                return self._node(owner, kind)
            return self._relative(translation, kind)  # type: ignore[arg-type]
        if kind in _TURN:
            return self._turn(rotation, kind)  # type: ignore[arg-type]
        if kind in _SLIDE:
            return self._slide(translation, kind)  # type: ignore[arg-type]
        if edge is not None and isinstance(edge.through, SpringDamper):
            return self._spring(edge, kind)
        return self._reaction(owner, kind)

    def _node(self, node: str, kind: str) -> Expr:
        level, component = _PLANE[kind]
        kinematics = self._kinematics
        if level == 2:
            return self._expression(kinematics.acceleration[node], self._component(component))
        vector = (kinematics.position if level == 0 else kinematics.velocity)[node]
        return kinematics.frames.in_ground(vector)[component]

    def _relative(self, edge: Edge, kind: str) -> Expr:
        """The displacement across an edge in its own frame, and the rates of its components."""
        level, component = _PLANE[kind]
        axis = edge.motion[component].axis
        return self._along(edge, axis, level)

    def _slide(self, edge: Edge, kind: str) -> Expr:
        return self._along(edge, edge.motion[0].axis, _SLIDE[kind])

    def _along(self, edge: Edge, axis: tuple[Expr, Expr, Expr], level: int) -> Expr:
        kinematics = self._kinematics
        if level == 2:
            project: _Project = lambda vector: kinematics.along(vector, edge, axis)  # noqa: E731
            return self._expression(kinematics.relative_acceleration(edge), project)
        vector = kinematics.displacement(edge) if level == 0 else kinematics.relative_velocity(edge)
        return kinematics.along(vector, edge, axis)

    def _turn(self, edge: Edge, kind: str) -> Expr:
        """The angle of the head's body relative to the tail's, and its derivatives."""
        kinematics = self._kinematics
        level = _TURN[kind]
        if level == 0:
            return kinematics.frames.angle[edge.head] - kinematics.frames.angle[edge.tail]
        if level == 1:
            return self._component(2)(kinematics.omega[edge.head] - kinematics.omega[edge.tail])
        return self._expression(kinematics.alpha[edge.head] - kinematics.alpha[edge.tail], self._component(2))

    def _spring(self, edge: Edge, kind: str) -> Expr:
        law, dag = edge.through, self._graph.symbols.dag
        if not isinstance(law, SpringDamper):
            raise KeyError(edge.name)
        if kind == "length":
            x, y, z = self._kinematics.frames.in_ground(self._kinematics.displacement(edge))
            return dag.call("sqrt", dag.add((x**2, y**2, z**2)))
        if kind == "speed":
            velocity = self._kinematics.velocity[edge.head] - self._kinematics.velocity[edge.tail]
            ground = self._kinematics.frames.in_ground
            r, v = ground(self._kinematics.displacement(edge)), ground(velocity)
            return dag.add(a * b for a, b in zip(r, v, strict=True)) / self(f"{edge.name}.length")
        stretch, rate, sign = (
            ("length", "speed", 1) if edge.domain is Domain.TRANSLATION else ("angle", "omega", -1)
        )
        actuator = lower(law.actuator, self._graph.symbols, self)
        elastic = law.stiffness * (self(f"{edge.name}.{stretch}") - law.free)
        viscous = dag.zero if law.damping.is_zero else law.damping * self(f"{edge.name}.{rate}")
        return sign * (elastic + viscous + actuator)

    def _reaction(self, owner: str, kind: str) -> Expr:
        """The through variable of an edge: chord or branch, force in ground axes, or torque."""
        if self._cutsets is None:
            raise KeyError(f"{owner}.{kind}")
        through = self._cutsets.torque if kind == "torque" else self._cutsets.force
        component = 2 if kind == "torque" else "xy".index(kind[1])
        return self._expression(through[owner], self._component(component))

    def _component(self, component: int) -> _Project:
        return lambda vector: self._kinematics.frames.in_ground(vector)[component]

    def _expression(self, vector: Affine, project: _Project) -> Expr:
        terms = [project(vector.const)]
        terms += [project(part) * unknown for unknown, part in vector.coefficients.items()]
        return self._graph.symbols.dag.add(terms)


_Project = Callable[[FrameVector], Expr]
_PLANE = {"x": (0, 0), "y": (0, 1), "vx": (1, 0), "vy": (1, 1), "ax": (2, 0), "ay": (2, 1)}
_TURN = {"angle": 0, "omega": 1, "alpha": 2}
_SLIDE = {"s": 0, "v": 1, "a": 2}
