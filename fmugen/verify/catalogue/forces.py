"""Force elements: given loads; springs, dampers and actuators; brakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np

from fmugen.ir.model import Vector
from fmugen.verify.catalogue.base import Action, ForceLaw, Observation, OwnState, Parts, Pose, Reader, law
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.layout import triple
from fmugen.verify.measures import Length, Measure, NamedMeasure, Spin, angular
from fmugen.verify.rotations import IDENTITY

_Function = Callable[[Mapping[str, float]], float]

# --- given loads ---------------------------------------------------------------------------------


@law("forces", "force")
def force(at: Reader) -> Parts:
    """The force ``value`` on the head, in the axes of ``frame``; the opposite acts on the tail."""
    kept = tuple(range(len(at.layout.axes)))
    measures = tuple(at.in_ground(IDENTITY[number]) for number in kept)
    return _load(at, measures, at.force_kinds, kept)


@law("forces", "torque")
def torque(at: Reader) -> Parts:
    """The torque ``value`` on the head's body, in the axes of ``frame``; the opposite acts on the tail's."""
    kept = (2,) if at.planar else (0, 1, 2)
    measures = tuple(Spin(at.tail.body, at.head.body, at.ground, triple(IDENTITY[number])) for number in kept)
    return _load(at, measures, at.torque_kinds, kept)


def _load(at: Reader, measures: tuple[Measure, ...], kinds: tuple[str, ...], kept: tuple[int, ...]) -> Parts:
    """A given load along directions of the ground, of which ``kept`` exist."""
    frame = at.layout.index(at.text("frame"))
    formulas = cast(Vector, at.element.values["value"])
    components = [compile_formula(formula) for formula in formulas]
    quantities = tuple(f"{at.name}.{kind}" for kind in kinds)

    def act(seen: Observation) -> Action:
        given = np.array([component(seen.values) for component in components])
        ground = (seen.posture.rotation[frame] @ given).tolist()
        efforts = [ground[number] for number in kept]
        power = sum(effort * rate for effort, rate in zip(efforts, seen.rates, strict=True))
        return Action(efforts, power=power, quantities=tuple(zip(quantities, efforts, strict=True)))

    names = frozenset(name for formula in formulas for name in formula.names())
    return Parts(actions=(ForceLaw(measures, act, names),))


# --- spring, damper and actuator in parallel -----------------------------------------------------


@law("springs", "translational")
def translational(at: Reader) -> Parts:
    """The tension stiffness*(L - free) + damping*L' + actuator along the line between two points."""
    length = Length(at.tail, at.head, at.ground)
    watched = NamedMeasure(length, f"{at.name}.length", f"{at.name}.speed")
    return Parts(measures=(watched,), actions=(_parallel(at, (length,), "force", -1.0),))


@law("springs", "rotational")
def rotational(at: Reader) -> Parts:
    """The torque -(stiffness*(angle - free) + damping*omega + actuator) on the head about ``axis``."""
    axis, pose = IDENTITY[2], None
    angle: Measure = at.planar_angle()
    if not at.planar:
        triad = at.triad("axis")
        axis, angle = at.tail_axes @ triad[0], at.coupling.angle(triad, at.slot())
        pose = Pose(wound=at.axle(triad[0], f"{at.name}.angle"))
    # If the bodies share no such axis, the rate of the angle is not the spin that the torque acts along.
    acting = Spin(at.tail.body, at.head.body, at.tail.body, triple(axis))
    action = _parallel(at, (angle, acting), "torque", 1.0)
    return Parts(measures=(angular(at.name, angle),), actions=(action,), pose=pose)


def _parallel(at: Reader, measures: tuple[Measure, ...], kind: str, sign: float) -> ForceLaw:
    """The first measure is stretched, the last one acted along.

    ``sign`` is that of the quantity: a tension is opposite to the effort, a torque is the effort.
    """
    stiffness, damping, free = (at.number(key) for key in ("stiffness", "damping", "free"))
    actuator: _Function = compile_formula(at.formula("actuator"))
    quantity = f"{at.name}.{kind}"

    def act(seen: Observation) -> Action:
        stretch, rate = seen.positions[0] - free, seen.rates[0]
        elastic = stiffness * stretch
        effort = -(elastic + damping * rate + actuator(seen.values))
        return Action(
            [0.0] * (len(measures) - 1) + [effort],
            potential=0.5 * elastic * stretch,
            power=effort * seen.rates[-1] + elastic * rate,
            quantities=((quantity, sign * effort),),
        )

    return ForceLaw(measures, act, frozenset(at.formula("actuator").names()))


# --- friction --------------------------------------------------------------------------------------


@law("springs", "brake")
def brake(at: Reader) -> Parts:
    """The friction follows the twist of a contact that yields before it slides."""
    axis = IDENTITY[2] if at.planar else at.tail_axes @ at.triad("axis")[0]
    acting = Spin(at.tail.body, at.head.body, at.tail.body, triple(axis))
    windup, time = at.number("windup"), at.number("time")
    capacity: _Function = compile_formula(at.formula("capacity"))

    def act(seen: Observation) -> Action:
        speed, twist = seen.rates[0], seen.states[0] / windup
        # Of the rate at which the contact is twisted, the part that does not yield.
        kept = 1 / (1 + time * abs(speed) / windup)
        rate = kept * (speed - abs(speed) * twist)
        torque = -capacity(seen.values) * (twist + time * rate / windup)
        return Action(
            [torque],
            power=torque * speed,
            quantities=((f"{at.name}.omega", speed), (f"{at.name}.torque", torque)),
            rates=[rate],
        )

    law_of_torque = ForceLaw((acting,), act, frozenset(at.formula("capacity").names()))
    return Parts(actions=(law_of_torque,), states=(OwnState("twist"),))
