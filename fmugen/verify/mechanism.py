"""The reference equations of motion, in absolute coordinates.

    M q'' + Phi_q^T lambda = F(t, q, q'),    Phi(q) = c(t)

with the poses q of all bodies, a diagonal mass matrix, and one row of Phi per scalar constraint. The
accelerations are found in the null space of Phi_q, so that redundant constraints and bodies without
mass need no special treatment; the multipliers are then those of least norm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fmugen.errors import VerificationError
from fmugen.ir.formula import ZERO, Formula
from fmugen.ir.model import Driver, DriverType, Joint, JointType, SystemModel
from fmugen.verify.evaluate import Jet, compile_motion
from fmugen.verify.forces import Action, Forces
from fmugen.verify.gauges import GaugeBoard
from fmugen.verify.layout import Layout
from fmugen.verify.measures import POSE, Angle, Array, Bank, Displacement, Measure

#: Singular values of Phi_q below this fraction of the largest count as redundant constraints.
RANK_TOLERANCE = 1e-10

_X, _Y = (1.0, 0.0), (0.0, 1.0)


@dataclass(frozen=True)
class Row:
    """A scalar constraint: a measure of an element that equals a function of time."""

    element: str
    label: str
    measure: Measure
    target: Formula = ZERO

    @property
    def name(self) -> str:
        return f"{self.element}, {self.label}"


class Split(NamedTuple):
    """The coordinates split by the constraints: what they determine and what they leave free."""

    left: Array
    singular: Array
    right: Array
    free: Array
    #: Combinations of constraints that say nothing new.
    redundant: Array

    @property
    def conditioning(self) -> float:
        """The smallest singular value that counts, relative to the largest."""
        return float(self.singular[-1] / self.singular[0]) if len(self.singular) else 1.0

    def least_norm(self, target: Array) -> Array:
        """The smallest x with Phi_q x = target (in the least-squares sense)."""
        result: Array = self.right.T @ ((self.left.T @ target) / self.singular)
        return result

    def multipliers(self, force: Array) -> Array:
        """The smallest lambda with Phi_q^T lambda = force."""
        result: Array = self.left @ ((self.right @ force) / self.singular)
        return result


class Instant(NamedTuple):
    """The state of motion at one time, ground included as the last body."""

    time: float
    poses: Array
    velocities: Array
    accelerations: Array
    multipliers: Array
    #: Smallest by largest singular value of the constraints, those of redundant ones apart.
    conditioning: float
    actions: list[Action]
    inputs: Mapping[str, float]


def split(jacobian: Array, tolerance: float = RANK_TOLERANCE) -> Split:
    """Split by singular values; those below the tolerance, relative to the largest, count as zero."""
    left, singular, right = np.linalg.svd(jacobian, full_matrices=True)
    largest = singular[0] if len(singular) else 0.0
    rank = int(np.count_nonzero(singular > tolerance * largest))
    return Split(left[:, :rank], singular[:rank], right[:rank], right[rank:].T, left[:, rank:])


class Mechanism:
    """Masses, constraints and forces of a model with numbers for all parameters."""

    def __init__(self, model: SystemModel, parameters: Mapping[str, float] | None = None) -> None:
        self.model = model
        self.layout = Layout(model, parameters)
        self.size = POSE * len(model.bodies)
        self.rows = tuple(_rows(self.layout))
        self.bank = Bank([row.measure for row in self.rows], len(model.bodies) + 1)
        self.forces = Forces(self.layout)
        self.mass = np.array(
            [
                self.layout.number(value)
                for body in model.bodies
                for value in (body.mass, body.mass, body.inertia.zz)
            ]
        )
        #: What counts as one unit of each coordinate: the typical length, and one radian.
        self.scale = np.tile([self.layout.length, self.layout.length, 1.0], len(model.bodies))
        self._targets = [compile_motion(row.target, self.layout.parameters) for row in self.rows]
        self._still = [row.target.number for row in self.rows]
        self._board = GaugeBoard(self.layout)

    def extend(self, coordinates: Array) -> Array:
        """Append the resting ground to poses or their derivatives of the moving bodies."""
        return np.concatenate((coordinates, np.zeros(POSE)))

    def targets(self, time: float) -> tuple[Array, Array, Array]:
        """The prescribed value, rate and acceleration of every constraint."""
        jets = [_jet(number, motion, time) for number, motion in zip(self._still, self._targets, strict=True)]
        table = np.array([(jet.value, jet.rate, jet.acceleration) for jet in jets]).reshape(-1, 3)
        return table[:, 0], table[:, 1], table[:, 2]

    def violation(self, time: float, coordinates: Array) -> tuple[Array, Array]:
        """Phi - c(t) and its Jacobian with respect to the coordinates of the moving bodies."""
        values = self.bank.at(self.extend(coordinates))
        return values.value - self.targets(time)[0], values.jacobian[:, : self.size]

    def motion(self, time: float, coordinates: Array, rates: Array, inputs: Mapping[str, float]) -> Instant:
        """Accelerations and multipliers at a state.

        Notes
        -----
        In scaled coordinates, with Phi_q = U S V^T and N a basis of its null space:
        a = V S^-1 U^T gamma + N z, (N^T M N) z = N^T (F - M V S^-1 U^T gamma), and
        lambda = U S^-1 V^T (F - M a).
        """
        poses, velocities = self.extend(coordinates), self.extend(rates)
        values = self.bank.at(poses, velocities)
        applied, actions = self.forces.generalized(time, poses, velocities, inputs)
        force = applied[: self.size]
        gamma = self.targets(time)[2] - values.bias
        parts = split(values.jacobian[:, : self.size] * self.scale)
        acceleration = self.scale * parts.least_norm(gamma)
        if parts.free.shape[1]:
            free = self.scale[:, None] * parts.free
            acceleration += free @ self._free_acceleration(free, force - self.mass * acceleration)
        multipliers = parts.multipliers(self.scale * (force - self.mass * acceleration))
        if not np.all(np.isfinite(acceleration)):
            raise VerificationError(f"the reference has no finite accelerations at t = {time:g} s")
        return Instant(
            time=time,
            poses=poses,
            velocities=velocities,
            accelerations=self.extend(acceleration),
            multipliers=multipliers,
            conditioning=parts.conditioning,
            actions=actions,
            inputs=dict(inputs),
        )

    def _free_acceleration(self, free: Array, force: Array) -> Array:
        inertia = free.T @ (self.mass[:, None] * free)
        # Inertias differ by orders of magnitude; only a pivot that vanishes against its own row is a defect.
        diagonal = np.sqrt(np.diagonal(inertia))
        if np.all(diagonal > 0.0):
            scaled = inertia / np.outer(diagonal, diagonal)
            if np.linalg.eigvalsh(scaled)[0] > 1e-14:
                return np.asarray(np.linalg.solve(inertia, free.T @ force), dtype=np.float64)
        raise VerificationError(
            f"{self.model.name} can move without moving any mass: give each free body mass and inertia"
        )

    def quantities(self, instant: Instant) -> dict[str, float]:
        """Every quantity of every element at an instant."""
        readings = self._board.read(instant.poses, instant.velocities, instant.accelerations)
        for action in instant.actions:
            readings.update(action.quantities)
        readings.update(self._reactions(instant))
        return readings

    def _reactions(self, instant: Instant) -> dict[str, float]:
        """Reactions on the heads: the forces that the multipliers exert through the constraints."""
        readings = dict.fromkeys(_reaction_names(self.model), 0.0)
        jacobian = self.bank.at(instant.poses).jacobian
        for number, (row, multiplier) in enumerate(zip(self.rows, instant.multipliers, strict=True)):
            for kind, share in _head_shares(row.measure, jacobian[number]):
                readings[f"{row.element}.{kind}"] -= float(multiplier) * share
        return readings

    def undetermined(self, instant: Instant) -> frozenset[str]:
        """Reactions that redundant constraints leave undetermined at an instant."""
        jacobian = self.bank.at(instant.poses).jacobian
        redundant = split(jacobian[:, : self.size]).redundant
        return frozenset(
            f"{row.element}.{kind}"
            for number, row in enumerate(self.rows)
            if np.any(np.abs(redundant[number]) > 1e-8)
            for kind, share in _head_shares(row.measure, jacobian[number])
            if abs(share) > 1e-8
        )


def _jet(number: float | None, motion: Callable[[float], Jet], time: float) -> Jet:
    return motion(time) if number is None else Jet(number)


def _rows(layout: Layout) -> Iterator[Row]:
    for joint in layout.model.joints:
        yield from _joint_rows(layout, joint)
    for driver in layout.model.drivers:
        yield from _driver_rows(layout, driver)


def _joint_rows(layout: Layout, joint: Joint) -> Iterator[Row]:
    tail, head = layout.place(joint.tail), layout.place(joint.head)
    if joint.type in (JointType.REVOLUTE, JointType.WELD):
        yield Row(joint.name, "x", Displacement(tail, head, layout.ground, _X))
        yield Row(joint.name, "y", Displacement(tail, head, layout.ground, _Y))
    if joint.type is JointType.PRISMATIC:
        x, y = layout.unit(joint.axis, joint.name)
        yield Row(joint.name, "across the axis", Displacement(tail, head, tail.body, (-y, x)))
    if joint.type in (JointType.PRISMATIC, JointType.WELD):
        yield Row(joint.name, "angle", Angle(tail.body, head.body), joint.angle)


def _driver_rows(layout: Layout, driver: Driver) -> Iterator[Row]:
    tail, head = layout.place(driver.tail), layout.place(driver.head)
    if driver.type is DriverType.ROTATION:
        yield Row(driver.name, "angle", Angle(tail.body, head.body), driver.angle)
    elif driver.axis is not None:
        axis = layout.unit(driver.axis, driver.name)
        measure = Displacement(tail, head, tail.body, axis)
        yield Row(driver.name, "along the axis", measure, driver.displacement[0])
    else:
        for label, direction, target in (
            ("x", _X, driver.displacement[0]),
            ("y", _Y, driver.displacement[1]),
        ):
            yield Row(driver.name, label, Displacement(tail, head, tail.body, direction), target)


def _reaction_names(model: SystemModel) -> Iterator[str]:
    for joint in model.joints:
        if joint.type is not JointType.VIRTUAL:
            yield from (f"{joint.name}.{kind}" for kind in ("fx", "fy", "torque"))
    for driver in model.drivers:
        kinds = ("torque",) if driver.type is DriverType.ROTATION else ("fx", "fy")
        yield from (f"{driver.name}.{kind}" for kind in kinds)


def _head_shares(measure: Measure, row: Array) -> Iterator[tuple[str, float]]:
    """The force or torque on the head, at the head's own point, per unit of the constraint's force."""
    if isinstance(measure, Angle):
        yield "torque", 1.0
    else:
        at = POSE * measure.head.body
        yield "fx", float(row[at])
        yield "fy", float(row[at + 1])
