"""The quantities that outputs and formulas may name, as expressions of the primary variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fmugen.components.base import component_of
from fmugen.components.measures import (
    Across,
    Angle,
    Attitude,
    Cosine,
    Effort,
    FreedomValue,
    Heading,
    Measure,
    ModeNumber,
    NodePosition,
    Slide,
    Spin,
    StateValue,
    Tension,
    Through,
    places,
)
from fmugen.errors import TreeError
from fmugen.expr.affine import Affine, FrameVector
from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import Domain, Edge, LinearGraph
from fmugen.ir.model import GROUND, Space, SystemModel
from fmugen.phases.formulate.angles import Angles
from fmugen.phases.formulate.cutsets import Cutsets
from fmugen.phases.formulate.kinematics import Kinematics
from fmugen.phases.formulate.motion import EdgeMotion, Surroundings

__all__ = ["Quantities"]

_Project = Callable[[FrameVector], Expr]


class Quantities:
    """Resolves names such as ``crank.tip.vx``, ``pin.angle`` or ``slide.fy`` by how each is measured."""

    def __init__(
        self,
        model: SystemModel,
        graph: LinearGraph,
        kinematics: Kinematics,
        coordinates: tuple[Coordinate, ...],
        angles: Angles,
    ) -> None:
        self._graph = graph
        self._angles = angles
        self._kinematics = kinematics
        self._measures = dict(_measures(model))
        self._sections = {element.name: element.section for element in model.elements}
        self._cutsets: Cutsets | None = None
        self._known: dict[str, Expr] = dict(graph.network_symbols)
        seeds = dict(graph.symbols.rates)
        for c in coordinates:
            self._known |= {c.name: c.position, c.rate_name: c.velocity, c.acceleration_name: c.acceleration}
            seeds |= {c.position: c.velocity, c.velocity: c.acceleration}
        self._rate = Tangent(graph.symbols.dag, seeds)

    def attach(self, cutsets: Cutsets) -> None:
        """Reactions become available once the cutsets are known (which need positions and rates)."""
        self._cutsets = cutsets

    def __call__(self, name: str) -> Expr:
        if name not in self._known:
            element, measure = self._measures[name]
            self._known[name] = self._find(name, element, measure)
        return self._known[name]

    def motion(self, edge: Edge, moments: Callable[[str], Affine] | None = None) -> EdgeMotion:
        """The motion across an edge, as its law reads it; ``moments`` are those of forces about a body."""
        around = Surroundings(
            self._graph.symbols,
            self._kinematics,
            self,
            lambda own, order: self._angle(own, 0, order),
            moments or self._moments,
            self._sections.__getitem__,
        )
        return EdgeMotion(around, edge)

    def _moments(self, body: str) -> Affine:
        if self._cutsets is None:
            raise KeyError(body)
        return self._cutsets.moments(body)

    def _find(self, name: str, element: str, measure: Measure) -> Expr:
        owner = name.rpartition(".")[0]
        match measure:
            case NodePosition(component, order):
                return self._node(owner, order, component)
            case Heading(0):
                return self._kinematics.angle[owner]
            case Heading(order):
                return self._spin(owner, order, 2)
            case Spin(component, order):
                return self._spin(owner, order, component)
            case Cosine(row, column):
                frames = self._kinematics.frames
                return frames.rotation(frames.ground, owner)[row][column]
            case Slide(axis, order):
                return self._along(self._edge(Domain.TRANSLATION, element), axis, order)
            case Angle(axis, order):
                return self._angle(self._edge(Domain.ROTATION, element), axis, order)
            case Across(domain, value) | Effort(domain, value):
                return value(self.motion(self._edge(domain, element)))
            case Through(domain, component):
                return self._expression(self._through(domain, element), self._component(component))
            case Tension():
                return self._tension(element)
            case Attitude():
                raise TreeError(f"{name} is known only where {owner} is in the rotational tree")
            case ModeNumber():
                return self._mode_number(element)
            case StateValue() | FreedomValue():
                raise KeyError(owner)

    def _edge(self, domain: Domain, element: str) -> Edge:
        return self._graph.domain(domain).edge(element)

    def _mode_number(self, element: str) -> Expr:
        modes = [mode for mode in self._graph.modes if mode.element == element]
        numbered = enumerate(modes, start=1)
        return self._graph.symbols.dag.add(number * mode.is_on for number, mode in numbered)

    # --- bodies and points ---------------------------------------------------------------------------

    def _node(self, node: str, level: int, component: int) -> Expr:
        kinematics = self._kinematics
        if level == 2:
            return self._expression(kinematics.acceleration[node], self._component(component))
        vector = (kinematics.position if level == 0 else kinematics.velocity)[node]
        return kinematics.frames.in_ground(vector)[component]

    def _spin(self, body: str, level: int, component: int) -> Expr:
        kinematics = self._kinematics
        if level == 1:
            return kinematics.frames.in_ground(kinematics.omega[body])[component]
        return self._expression(kinematics.alpha[body], self._component(component))

    # --- motion across edges ---------------------------------------------------------------------------

    def _along(self, edge: Edge, number: int, level: int) -> Expr:
        """The displacement across an edge along one of its motion axes, and its rates."""
        kinematics, across = self._kinematics, edge.displacement
        axis = FrameVector({across.frame: across.motion[number][0]})
        dot = kinematics.frames.dot
        if level == 2:
            return self._expression(kinematics.relative_acceleration(edge), lambda part: dot(axis, part))
        vector = kinematics.displacement(edge) if level == 0 else kinematics.relative_velocity(edge)
        return dot(axis, vector)

    def _angle(self, edge: Edge, number: int, level: int) -> Expr:
        value = self._angles(edge)[number]
        for _ in range(level):
            value = self._rate(value)
        return value

    # --- through variables -----------------------------------------------------------------------------

    def _through(self, domain: Domain, element: str) -> Affine:
        """The through variable of an edge, chord or branch."""
        if self._cutsets is None:
            raise KeyError(element)
        return (self._cutsets.force if domain is Domain.TRANSLATION else self._cutsets.torque)[element]

    def _tension(self, element: str) -> Expr:
        edge = self._edge(Domain.TRANSLATION, element)
        r, dot = self._kinematics.displacement(edge), self._kinematics.frames.dot
        length = edge.displacement.distance or self._graph.symbols.dag.one
        pull = self._expression(self._through(edge.domain, element), lambda part: dot(r, part))
        return -pull / length

    def _component(self, component: int) -> _Project:
        return lambda vector: self._kinematics.frames.in_ground(vector)[component]

    def _expression(self, vector: Affine, project: _Project) -> Expr:
        terms = [project(vector.const)]
        terms += [project(part) * unknown for unknown, part in vector.coefficients.items()]
        return self._graph.symbols.dag.add(terms)


def _measures(model: SystemModel) -> Iterator[tuple[str, tuple[str, Measure]]]:
    """How each quantity is measured, by its name, with the element it belongs to."""
    planar = model.space is Space.PLANAR
    for point in model.ground:
        for reading in places(planar=planar):
            yield f"{GROUND}.{point.name}.{reading.kind}", (GROUND, reading.measure)
    for element in model.elements:
        if not element.ports:
            for reading in component_of(element).all_readings(planar=planar):
                yield f"{element.name}{reading.at}.{reading.kind}", (element.name, reading.measure)
