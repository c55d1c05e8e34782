"""The quantities that outputs and formulas may name, as expressions of the primary variables."""

from __future__ import annotations

from collections.abc import Callable

from fmugen.components.formulas import lower
from fmugen.errors import ModelError, Problem, TreeError
from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import Domain, Edge, LinearGraph, SpringDamper
from fmugen.phases.formulate.angles import Angles
from fmugen.phases.formulate.cutsets import Cutsets
from fmugen.phases.formulate.frames import Affine, FrameVector
from fmugen.phases.formulate.kinematics import Kinematics

__all__ = ["Quantities"]

_Project = Callable[[FrameVector], Expr]

#: Kinds that name a component of a vector in ground axes: (level, component).
_VECTOR = {
    f"{prefix}{axis}": (level, number)
    for level, prefix in enumerate(("", "v", "a"))
    for number, axis in enumerate("xyz")
}
_SPIN = {
    f"{prefix}{axis}": (level, number)
    for level, prefix in ((1, "w"), (2, "alpha"))
    for number, axis in enumerate("xyz")
}
_COSINES = {f"r{i}{j}": ("xyz".index(i), "xyz".index(j)) for i in "xyz" for j in "xyz"}
_TURN = {
    f"{kind}{suffix}": (level, number)
    for level, kind in enumerate(("angle", "omega", "alpha"))
    for number, suffix in enumerate(("1", "2", "3"))
}
_TURN |= {kind: (level, 0) for level, kind in enumerate(("angle", "omega", "alpha"))}
_SLIDE = {"s": 0, "v": 1, "a": 2}


_APART = "fasten it to points that can move apart"


class Quantities:
    """Resolves names such as ``crank.tip.vx``, ``pin.angle`` or ``slide.fy`` (see ``ir.model``)."""

    def __init__(
        self,
        graph: LinearGraph,
        kinematics: Kinematics,
        coordinates: tuple[Coordinate, ...],
        angles: Angles,
    ) -> None:
        self._graph = graph
        self._angles = angles
        self._kinematics = kinematics
        self._edges: dict[Domain, dict[str, Edge]] = {
            domain: {edge.name: edge for edge in graph.domain(domain).edges} for domain in Domain
        }
        self._cutsets: Cutsets | None = None
        self._known: dict[str, Expr] = dict(graph.network_symbols)
        seeds = dict(graph.symbols.rates)
        for c in coordinates:
            self._known |= {c.name: c.position, c.rate: c.velocity, c.acceleration: c.second}
            seeds |= {c.position: c.velocity, c.velocity: c.second}
        self._rate = Tangent(graph.symbols.dag, seeds)

    def attach(self, cutsets: Cutsets) -> None:
        """Reactions become available once the cutsets are known (which need positions and rates)."""
        self._cutsets = cutsets

    def __call__(self, name: str) -> Expr:
        if name not in self._known:
            owner, _, kind = name.rpartition(".")
            self._known[name] = self._find(owner, kind)
        return self._known[name]

    def _find(self, owner: str, kind: str) -> Expr:
        if owner in self._graph.body_of and kind in _VECTOR:
            return self._node(owner, *_VECTOR[kind])
        if owner in self._kinematics.omega:
            return self._body(owner, kind)
        translation = self._edges[Domain.TRANSLATION].get(owner)
        rotation = self._edges[Domain.ROTATION].get(owner)
        spring = translation or rotation
        if spring is not None and isinstance(spring.through, SpringDamper) and kind not in _TURN:
            return self._spring(spring, kind)
        if rotation is not None and kind in _TURN:
            return self._angle(rotation, *_TURN[kind])
        if translation is not None and kind in _SLIDE:
            return self._along(translation, 0, _SLIDE[kind])
        if translation is not None and kind in _VECTOR:
            level, component = _VECTOR[kind]
            return self._along(translation, component, level)
        return self._through(owner, kind)

    # --- bodies and points ---------------------------------------------------------------------------

    def _node(self, node: str, level: int, component: int) -> Expr:
        kinematics = self._kinematics
        if level == 2:
            return self._expression(kinematics.acceleration[node], self._component(component))
        vector = (kinematics.position if level == 0 else kinematics.velocity)[node]
        return kinematics.frames.in_ground(vector)[component]

    def _body(self, body: str, kind: str) -> Expr:
        kinematics = self._kinematics
        if kind in _COSINES:
            row, column = _COSINES[kind]
            return kinematics.frames.rotation(kinematics.frames.ground, body)[row][column]
        if self._graph.planar and kind in ("angle", "omega", "alpha"):
            if kind == "angle":
                return kinematics.angle[body]
            kind = {"omega": "wz", "alpha": "alphaz"}[kind]
        if kind not in _SPIN:
            raise TreeError(f"{body}.{kind} is known only where {body} is in the rotational tree")
        level, component = _SPIN[kind]
        if level == 1:
            return kinematics.frames.in_ground(kinematics.omega[body])[component]
        return self._expression(kinematics.alpha[body], self._component(component))

    # --- joints, drivers, springs ----------------------------------------------------------------------

    def _along(self, edge: Edge, number: int, level: int) -> Expr:
        """The displacement across an edge along one of its motion axes, and its rates."""
        kinematics, across = self._kinematics, edge.displacement
        axis = FrameVector({across.frame: across.motion[number][0]})
        dot = kinematics.frames.dot
        if level == 2:
            return self._expression(kinematics.relative_acceleration(edge), lambda part: dot(axis, part))
        vector = kinematics.displacement(edge) if level == 0 else kinematics.relative_velocity(edge)
        return dot(axis, vector)

    def _angle(self, edge: Edge, level: int, number: int) -> Expr:
        value = self._angles(edge)[number]
        for _ in range(level):
            value = self._rate(value)
        return value

    def _spring(self, edge: Edge, kind: str) -> Expr:
        law, dag = edge.through, self._graph.symbols.dag
        if not isinstance(law, SpringDamper):
            raise TypeError(f"{edge.name} is not a spring")
        if kind == "length":
            r = self._ground(self._kinematics.displacement(edge))
            if all(component.is_zero for component in r):
                place = f"springs.{edge.name}"
                raise ModelError(place, (Problem(place, "its ends coincide in every position", _APART),))
            return dag.call("sqrt", dag.add(component**2 for component in r))
        if kind == "speed":
            r = self._ground(self._kinematics.displacement(edge))
            v = self._ground(self._kinematics.velocity[edge.head] - self._kinematics.velocity[edge.tail])
            return dag.add(a * b for a, b in zip(r, v, strict=True)) / self(f"{edge.name}.length")
        linear = edge.domain is Domain.TRANSLATION
        stretch, rate, sign = ("length", "speed", 1) if linear else ("angle", "omega", -1)
        actuator = lower(law.actuator, self._graph.symbols, self)
        elastic = law.stiffness * (self(f"{edge.name}.{stretch}") - law.free)
        viscous = dag.zero if law.damping.is_zero else law.damping * self(f"{edge.name}.{rate}")
        return sign * (elastic + viscous + actuator)

    def _through(self, owner: str, kind: str) -> Expr:
        """The through variable of an edge, chord or branch: forces and torques in ground axes."""
        if self._cutsets is None:
            raise KeyError(f"{owner}.{kind}")
        if kind == "tension":  # of a rod: what pulls its ends together
            edge = self._edges[Domain.TRANSLATION][owner]
            r, dot = self._kinematics.displacement(edge), self._kinematics.frames.dot
            length = edge.displacement.distance or self._graph.symbols.dag.one
            pull = self._expression(self._cutsets.force[owner], lambda part: dot(r, part))
            return -pull / length
        force = kind.startswith("f")
        through = self._cutsets.force if force else self._cutsets.torque
        component = 2 if kind == "torque" else "xyz".index(kind[1])
        return self._expression(through[owner], self._component(component))

    def _ground(self, vector: FrameVector) -> Vector3:
        return self._kinematics.frames.in_ground(vector)

    def _component(self, component: int) -> _Project:
        return lambda vector: self._kinematics.frames.in_ground(vector)[component]

    def _expression(self, vector: Affine, project: _Project) -> Expr:
        terms = [project(vector.const)]
        terms += [project(part) * unknown for unknown, part in vector.coefficients.items()]
        return self._graph.symbols.dag.add(terms)
