"""Applied forces: gravity, given loads, springs, dampers and actuators.

Each load or spring acts on its head and, with the opposite sign, on its tail. Besides the forces the
elements tell their stored energy and the power they feed in, which the energy balance needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from fmugen.ir.formula import TIME
from fmugen.ir.model import Load, LoadType, Spring, SpringType
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.gauges import GaugeBoard
from fmugen.verify.layout import Layout
from fmugen.verify.measures import POSE, Array, Place

_Function = Callable[[Mapping[str, float]], float]


class Action(NamedTuple):
    """What an element does: force (ground axes) and torque on its head, energy, power, and its quantities."""

    fx: float = 0.0
    fy: float = 0.0
    torque: float = 0.0
    #: Energy stored in the element.
    potential: float = 0.0
    #: Power the element feeds into the mechanism beyond what its stored energy accounts for.
    power: float = 0.0
    quantities: tuple[tuple[str, float], ...] = ()


class Scene(NamedTuple):
    """A state as the elements see it: plain floats, and the values their formulas may use."""

    poses: list[float]
    velocities: list[float]
    values: Mapping[str, float]

    def arm(self, place: Place) -> tuple[float, float]:
        """The way from the mass centre to a point of a body, in ground axes."""
        angle = self.poses[POSE * place.body + 2]
        cosine, sine = math.cos(angle), math.sin(angle)
        return cosine * place.x - sine * place.y, sine * place.x + cosine * place.y

    def span(self, tail: Place, head: Place) -> tuple[float, float, float, float]:
        """The way from tail to head and its rate, in ground axes."""
        tail_x, tail_y, tail_vx, tail_vy = self._point(tail)
        head_x, head_y, head_vx, head_vy = self._point(head)
        return head_x - tail_x, head_y - tail_y, head_vx - tail_vx, head_vy - tail_vy

    def _point(self, place: Place) -> tuple[float, float, float, float]:
        x, y = self.arm(place)
        at = POSE * place.body
        omega = self.velocities[at + 2]
        return (
            self.poses[at] + x,
            self.poses[at + 1] + y,
            self.velocities[at] - omega * y,
            self.velocities[at + 1] + omega * x,
        )


class Element(Protocol):
    """A load or a spring between two places."""

    @property
    def tail(self) -> Place: ...
    @property
    def head(self) -> Place: ...
    def act(self, scene: Scene) -> Action: ...


@dataclass(frozen=True)
class _Force:
    name: str
    tail: Place
    head: Place
    frame: int
    components: tuple[_Function, _Function]

    def act(self, scene: Scene) -> Action:
        along, across = (component(scene.values) for component in self.components)
        angle = scene.poses[POSE * self.frame + 2]
        fx = math.cos(angle) * along - math.sin(angle) * across
        fy = math.sin(angle) * along + math.cos(angle) * across
        _, _, ux, uy = scene.span(self.tail, self.head)
        quantities = ((f"{self.name}.fx", fx), (f"{self.name}.fy", fy))
        return Action(fx, fy, power=fx * ux + fy * uy, quantities=quantities)


@dataclass(frozen=True)
class _Torque:
    name: str
    tail: Place
    head: Place
    value: _Function

    def act(self, scene: Scene) -> Action:
        torque = self.value(scene.values)
        omega = scene.velocities[POSE * self.head.body + 2] - scene.velocities[POSE * self.tail.body + 2]
        quantities = ((f"{self.name}.torque", torque),)
        return Action(torque=torque, power=torque * omega, quantities=quantities)


@dataclass(frozen=True)
class _TranslationalSpring:
    name: str
    tail: Place
    head: Place
    stiffness: float
    damping: float
    free: float
    actuator: _Function

    def act(self, scene: Scene) -> Action:
        dx, dy, ux, uy = scene.span(self.tail, self.head)
        length = math.hypot(dx, dy)
        # Ends that coincide leave the line of action undefined; the force then has no direction.
        ex, ey = (dx / length, dy / length) if length > 0.0 else (0.0, 0.0)
        speed = ex * ux + ey * uy
        stretch = length - self.free
        fed = self.damping * speed + self.actuator(scene.values)
        tension = self.stiffness * stretch + fed
        return Action(
            -tension * ex,
            -tension * ey,
            potential=0.5 * self.stiffness * stretch * stretch,
            power=-fed * speed,
            quantities=((f"{self.name}.force", tension),),
        )


@dataclass(frozen=True)
class _RotationalSpring:
    name: str
    tail: Place
    head: Place
    stiffness: float
    damping: float
    free: float
    actuator: _Function

    def act(self, scene: Scene) -> Action:
        head, tail = POSE * self.head.body + 2, POSE * self.tail.body + 2
        twist = scene.poses[head] - scene.poses[tail] - self.free
        omega = scene.velocities[head] - scene.velocities[tail]
        fed = self.damping * omega + self.actuator(scene.values)
        torque = -(self.stiffness * twist + fed)
        return Action(
            torque=torque,
            potential=0.5 * self.stiffness * twist * twist,
            power=-fed * omega,
            quantities=((f"{self.name}.torque", torque),),
        )


class Forces:
    """All applied forces of a mechanism."""

    def __init__(self, layout: Layout) -> None:
        model = layout.model
        self._parameters = layout.parameters
        self._elements: list[Element] = [_load(layout, load) for load in model.loads]
        self._elements += [_spring(layout, spring) for spring in model.springs]
        self._board = GaugeBoard(layout, frozenset(_names_in_forces(model.loads, model.springs)))
        self._weight = np.zeros(POSE * (len(layout.bodies) + 1))
        gravity = [layout.number(component) for component in model.gravity[:2]]
        for index, body in enumerate(model.bodies):
            self._weight[POSE * index : POSE * index + 2] = layout.number(body.mass) * np.array(gravity)

    def generalized(
        self, time: float, poses: Array, velocities: Array, inputs: Mapping[str, float]
    ) -> tuple[Array, list[Action]]:
        """The force on each coordinate of each body, and what every element does."""
        force = self._weight.copy()
        scene = self._scene(time, poses, velocities, inputs)
        actions = [element.act(scene) for element in self._elements]
        for element, action in zip(self._elements, actions, strict=True):
            for place, sign in ((element.head, 1.0), (element.tail, -1.0)):
                x, y = scene.arm(place)
                at = POSE * place.body
                force[at] += sign * action.fx
                force[at + 1] += sign * action.fy
                force[at + 2] += sign * (action.torque + x * action.fy - y * action.fx)
        return force, actions

    def gravity_potential(self, poses: Array) -> float:
        """The energy of the weights relative to the origin of the ground."""
        return -float(self._weight @ poses)

    def _scene(self, time: float, poses: Array, velocities: Array, inputs: Mapping[str, float]) -> Scene:
        values = {TIME: time, **self._parameters, **inputs, **self._board.read(poses, velocities)}
        return Scene(poses.tolist(), velocities.tolist(), values)


def _load(layout: Layout, load: Load) -> Element:
    tail, head = layout.place(load.tail), layout.place(load.head)
    if load.type is LoadType.TORQUE:
        return _Torque(load.name, tail, head, compile_formula(load.torque[2]))
    components = (compile_formula(load.force[0]), compile_formula(load.force[1]))
    return _Force(load.name, tail, head, layout.index(load.frame), components)


def _spring(layout: Layout, spring: Spring) -> Element:
    kind = _TranslationalSpring if spring.type is SpringType.TRANSLATIONAL else _RotationalSpring
    return kind(
        spring.name,
        layout.place(spring.tail),
        layout.place(spring.head),
        layout.number(spring.stiffness),
        layout.number(spring.damping),
        layout.number(spring.free),
        compile_formula(spring.actuator),
    )


def _names_in_forces(loads: Iterable[Load], springs: Iterable[Spring]) -> Iterable[str]:
    for load in loads:
        for formula in (*load.force, *load.torque):
            yield from formula.names()
    for spring in springs:
        yield from spring.actuator.names()
