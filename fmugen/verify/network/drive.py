"""A network that acts on the joints of a mechanism.

The motion of its flanges is given to the network, which exerts forces and torques T on them. With inertias
that are rigidly coupled to a flange T depends on the acceleration of the joint, linearly unless a nonlinear
law is between them:

    T = T0 + T1 (J v' + b)

J is the Jacobian of the joints' coordinates and b the bias of their accelerations. T1 is added to the mass
matrix.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fmugen.errors import VerificationError
from fmugen.ir.model import SystemModel
from fmugen.verify.charts import Chart, Posture, Twist
from fmugen.verify.evaluate import Jet
from fmugen.verify.measure_batch import MeasureBatch
from fmugen.verify.measures import NamedMeasure
from fmugen.verify.network.reduction import Solved
from fmugen.verify.network.system import NetworkSystem, held
from fmugen.verify.network.tableau import Point
from fmugen.verify.readings import watched_by
from fmugen.verify.rotations import Array


class Response(NamedTuple):
    """The unknowns and forces of a network at a state, before the accelerations are known."""

    point: Point
    #: The unknowns for zero accelerations of the mechanism, and their derivatives by those of flanges.
    solved: Solved
    by_acceleration: Array
    #: The Jacobian of the flanges' coordinates, and the bias of their accelerations.
    jacobian: Array
    bias: Array
    #: The forces on the rates of the mechanism, and the inertia they have.
    force: Array
    inertia: Array


class Outcome(NamedTuple):
    """The unknowns and forces of a network once the accelerations are known."""

    point: Point
    solved: Solved
    e_rate: Array
    #: The force or torque on each flange, and the power into the mechanism.
    reaction: Array
    power: float


class Drive:
    """The network of a model, on the joints of its mechanism."""

    def __init__(
        self,
        model: SystemModel,
        parameters: Mapping[str, float],
        catalogue: Sequence[NamedMeasure],
        chart: Chart,
    ) -> None:
        inputs = {entry.name: entry.start for entry in model.inputs}
        watched = watched_by(catalogue, _names_in(model))
        self._watched = watched
        self._watched_batch = MeasureBatch([named.measure for named in watched], chart)
        at_rest = {name: Jet(0.0) for named in watched for name in named.names[:2] if name}
        self.system = NetworkSystem(model, parameters, {**held(inputs), **at_rest})
        by_name = {named.position: named for named in catalogue if named.position}
        self._batch = MeasureBatch(
            [_flange(by_name, *flange).measure for flange in self.system.flanges], chart
        )
        self._constant: Array | None = None
        self._coupled = bool(self.system.reduced.constraints.shape[1])
        velocities = {named.velocity for named in watched}
        if self._coupled and velocities & _names_in(model):
            raise VerificationError(
                f"{model.name}: the reference cannot solve a network whose sources depend on velocities of "
                "the mechanism while its storages are coupled rigidly"
            )

    @classmethod
    def of(
        cls,
        model: SystemModel,
        parameters: Mapping[str, float],
        catalogue: Sequence[NamedMeasure],
        chart: Chart,
    ) -> Drive | None:
        """The network of a model, if it has one."""
        return cls(model, parameters, catalogue, chart) if model.components else None

    def read_by(self, names: Collection[str]) -> tuple[str, ...]:
        """The quantities of the network that have any of the names."""
        return tuple(name for name in self.system.names if name in names)

    def respond(
        self,
        time: float,
        posture: Posture,
        twist: Twist,
        velocities: Array,
        inputs: Mapping[str, float],
        states: Array,
    ) -> Response:
        """Unknowns and forces at a state, and their dependence on accelerations."""
        flanges = self._batch.at(posture, twist)
        speeds = flanges.jacobian @ velocities
        given = {**held(inputs), **self._mechanical(posture, velocities)}
        point = Point(time, states, np.concatenate((flanges.value, speeds)), given)
        e_rate = np.concatenate((speeds, flanges.bias))
        solved = self.system.reduced.solve(point, e_rate)
        by_acceleration = self._sensitivity(point, solved, e_rate)
        reaction = self.system.tableau.reaction
        return Response(
            point,
            solved,
            by_acceleration,
            flanges.jacobian,
            flanges.bias,
            reaction(solved.w) @ flanges.jacobian,
            -flanges.jacobian.T @ reaction(by_acceleration) @ flanges.jacobian,
        )

    def _sensitivity(self, point: Point, solved: Solved, e_rate: Array) -> Array:
        """The derivative of the unknowns by the accelerations of the flanges, a column each."""
        if self._constant is not None:
            return self._constant
        count = len(self.system.flanges)
        columns = np.zeros((self.system.tableau.size, count))
        if self._coupled:
            for number in range(count):
                pushed = e_rate.copy()
                pushed[count + number] += 1.0
                columns[:, number] = self.system.reduced.solve(point, pushed).w - solved.w
        if self.system.tableau.affine:
            self._constant = columns
        return columns

    def settle(self, response: Response, accelerations: Array) -> Outcome:
        """Unknowns and forces for known accelerations."""
        count = len(response.bias)
        speeds = response.point.e[count:]
        e_rate = np.concatenate((speeds, response.jacobian @ accelerations + response.bias))
        solved = response.solved
        if self._coupled:
            w = solved.w + response.by_acceleration @ (e_rate[count:] - response.bias)
            solved = Solved(w, w[self.system.tableau.rate_columns])
        reaction = self.system.tableau.reaction(solved.w)
        return Outcome(response.point, solved, e_rate, reaction, float(reaction @ speeds))

    def quantities(self, outcome: Outcome) -> dict[str, float]:
        """Every quantity of the network."""
        return {
            **self.system.readings(outcome.point, outcome.solved),
            **self.system.seconds(outcome.point, outcome.solved, outcome.e_rate),
        }

    def at(
        self,
        time: float,
        posture: Posture,
        velocities: Array,
        inputs: Mapping[str, float],
        states: Array,
    ) -> Point:
        """The point of the tableau at a state of mechanism and network."""
        flanges = self._batch.at(posture)
        given = {**held(inputs), **self._mechanical(posture, velocities)}
        return Point(time, states, np.concatenate((flanges.value, flanges.jacobian @ velocities)), given)

    def _mechanical(self, posture: Posture, velocities: Array) -> dict[str, Jet]:
        """The positions and velocities of the mechanism that values of components use."""
        if not self._watched:
            return {}
        values = self._watched_batch.at(posture)
        rates = values.jacobian @ velocities
        jets: dict[str, Jet] = {}
        for named, value, rate in zip(self._watched, values.value.tolist(), rates.tolist(), strict=True):
            if named.position:
                jets[named.position] = Jet(value, rate)
            if named.velocity:
                jets[named.velocity] = Jet(rate)
        return jets


def _flange(by_name: Mapping[str, NamedMeasure], speed: str, joint: str) -> NamedMeasure:
    """The coordinate of a joint that a flange moves with."""
    name = f"{joint}.s" if speed == "v" else f"{joint}.angle"
    if name not in by_name:
        raise VerificationError(
            f"a network cannot act on joint {joint}: it has no coordinate {name.rpartition('.')[2]}"
        )
    return by_name[name]


def _names_in(model: SystemModel) -> frozenset[str]:
    return frozenset(
        name for component in model.components for _, value in component.values for name in value.names()
    )
