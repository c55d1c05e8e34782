"""The reference equations of motion, in absolute coordinates.

    M v' + G^T lambda = F(t, q, v, x),    Phi(q) = c(t),    G v = d(t),    x' = f(t, q, v, x)

The rates v are the velocities and spins of all bodies; M has one block a body. The states x are those of
force laws and of a network. Each scalar constraint gives a row of G. Those with a position level also give
a row of Phi, whose Jacobian is their part of G. The accelerations are found in the null space of G, so that
redundant constraints and bodies without mass need no special treatment. The multipliers have least norm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import svd

from fmugen.errors import VerificationError
from fmugen.ir.model import SystemModel
from fmugen.verify.catalogue import WRENCH, Action, Row, parts_of_model
from fmugen.verify.catalogue.bodies import ground_measures
from fmugen.verify.charts import TWIST, Chart, PlanarChart, Posture, SpatialChart, Twist
from fmugen.verify.deadline import check_time
from fmugen.verify.evaluate import Jet, Scalar, compile_motion
from fmugen.verify.forces import Forces
from fmugen.verify.layout import Layout
from fmugen.verify.masses import Masses
from fmugen.verify.measure_batch import MeasureBatch, Values
from fmugen.verify.measures import Length, wrapped
from fmugen.verify.moved import Moved, moved_inputs
from fmugen.verify.network.drive import Drive, Outcome
from fmugen.verify.readings import Readings
from fmugen.verify.rotations import Array, cross

#: Singular values of G below this fraction of the largest count as redundant constraints.
RANK_TOLERANCE = 1e-10

#: The states of a model that has none.
NO_STATES: Array = np.zeros(0)


class Split(NamedTuple):
    """The directions that constraints determine and those that they leave free."""

    left: Array
    singular: Array
    right: Array
    free: Array
    #: Combinations of constraints that are redundant.
    redundant: Array

    @property
    def conditioning(self) -> float:
        """The smallest nonzero singular value, relative to the largest."""
        return float(self.singular[-1] / self.singular[0]) if len(self.singular) else 1.0

    def least_norm(self, target: Array) -> Array:
        """The smallest x with G x = target (in the least-squares sense)."""
        result: Array = self.right.T @ ((self.left.T @ target) / self.singular)
        return result

    def multipliers(self, force: Array) -> Array:
        """The smallest lambda with G^T lambda = force."""
        result: Array = self.left @ ((self.right @ force) / self.singular)
        return result


class Instant(NamedTuple):
    """The state of motion at one time."""

    time: float
    coordinates: Array
    posture: Posture
    twist: Twist
    velocities: Array
    accelerations: Array
    multipliers: Array
    #: The ratio of smallest to largest nonzero singular value of the constraints.
    conditioning: float
    actions: list[Action]
    inputs: Mapping[str, float]
    #: The states of the network, then those of force laws, and their rates.
    states: Array
    state_rates: Array
    #: The unknowns and forces of the network.
    network: Outcome | None


def split(jacobian: Array, tolerance: float = RANK_TOLERANCE) -> Split:
    """Split by singular values; those below the tolerance, relative to the largest, count as zero."""
    rows, width = jacobian.shape
    if not jacobian.size:
        return Split(np.empty((rows, 0)), np.empty(0), np.empty((0, width)), np.eye(width), np.eye(rows))
    # For matrices of this size the QR iteration is faster than divide and conquer, which spends its time on
    # the exchange between threads.
    left, singular, right = svd(jacobian, check_finite=False, lapack_driver="gesvd")
    rank = int(np.count_nonzero(singular > tolerance * singular[0]))
    return Split(left[:, :rank], singular[:rank], right[:rank], right[rank:].T, left[:, rank:])


class Mechanism:
    """Masses, constraints and forces of a model with numbers for all parameters."""

    def __init__(
        self, model: SystemModel, parameters: Mapping[str, float] | None = None, moved: Moved | None = None
    ) -> None:
        self.model = model
        #: The inputs that change between communication points; by default as their start values say.
        self.moved = moved_inputs(model) if moved is None else moved
        self.layout = Layout(model, parameters)
        self.elements = parts_of_model(self.layout)
        parts = [each.parts for each in self.elements]
        self.measures = (*ground_measures(self.layout), *(named for part in parts for named in part.measures))
        remembered = [named for named in self.measures if named.slot is not None]
        #: The angles in space that are remembered, in the order of their slots.
        self.remembered = tuple(named.position for named in remembered if named.position)
        self.chart: Chart = (
            PlanarChart(len(model.bodies))
            if self.layout.planar
            else SpatialChart(len(model.bodies), len(remembered))
        )
        self.size = self.chart.size
        self.rows = tuple(row for part in parts for row in part.rows)
        #: A length that is typical of the mechanism, in m.
        self.length = self.layout.length(self._rods())
        self._set_constraints()
        inertias = [part.inertia for part in parts if part.inertia is not None]
        self.masses = Masses(inertias, self.chart, planar=self.layout.planar)
        self.forces = Forces(self.layout, self.chart, self.elements, self.measures, inertias)
        #: The unit of each rate: the typical length, and one radian.
        self.scale = self.chart.tangent_scale(self.length)
        #: The network that acts on the mechanism.
        self.drive = (
            Drive(model, self.layout.parameters, self.measures, self.chart) if model.components else None
        )
        #: How many states the network has; those of force laws come after them.
        self.network_states = self.drive.system.tableau.states if self.drive else 0
        #: The quantities that start values of states name.
        self.state_names = frozenset(self.drive.system.tableau.quantities if self.drive else ()) | {
            state.name for state in self.forces.states
        }
        #: The usual sizes of all states.
        self.state_scale = np.array(
            [*np.ones(self.network_states), *(state.nominal for state in self.forces.states)]
        )
        #: Whether loads depend on quantities of the network.
        self._loads_read_network = self.drive is not None and not self.forces.names.isdisjoint(
            self.drive.system.names
        )
        named = {variable.name: variable for variable in model.inputs}
        #: Inputs with their first and second derivatives.
        self._prescribing = [
            (variable.name, variable.rate, named[variable.rate].rate)
            for variable in model.inputs
            if variable.rate and named[variable.rate].rate
        ]
        self._readings = Readings(self.measures, self.chart)
        self._memory = Readings(remembered, self.chart)

    def _set_constraints(self) -> None:
        rows = self.rows
        self.batch = MeasureBatch([row.measure for row in rows], self.chart)
        #: The constraints that have a position level, and their places among all.
        self.position_rows = tuple(row for row in rows if not row.velocity_only)
        self._with_position = np.array([not row.velocity_only for row in rows], dtype=bool)
        #: Whether some constraints have a velocity level only.
        self.nonholonomic = len(self.position_rows) < len(rows)
        self._positions = (
            MeasureBatch([row.measure for row in self.position_rows], self.chart)
            if self.nonholonomic
            else self.batch
        )
        self._still = np.array([self._constant(row) for row in rows])
        self._moving = [
            (number, compile_motion(row.target, self.layout.parameters))
            for number, row in enumerate(rows)
            if np.isnan(self._still[number])
        ]
        self._periodic = np.array([row.periodic for row in self.position_rows], dtype=bool)

    def _rods(self) -> list[float]:
        """The constant lengths that constraints prescribe."""
        targets = [self._constant(row) for row in self.rows if isinstance(row.measure, Length)]
        return [target for target in targets if not np.isnan(target)]

    def _constant(self, row: Row) -> float:
        """The target of a row, NaN if it depends on time."""
        known = all(name in self.layout.parameters for name in row.target.names())
        return self.layout.number(row.target) if known else np.nan

    def at(self, time: float, held: Mapping[str, float]) -> dict[str, float]:
        """All inputs at a time; those without derivatives are held."""
        return {**held, **self.moved(time)}

    def targets(self, time: float, inputs: Mapping[str, float] | None = None) -> tuple[Array, Array, Array]:
        """The prescribed value, rate and acceleration of every constraint, by ``inputs`` if given.

        A constraint without a position level prescribes a rate; its value is zero.
        """
        value, rate, acceleration = self._still.copy(), np.zeros(len(self.rows)), np.zeros(len(self.rows))
        if self._moving:
            values = self.moved(time) if inputs is None else inputs
            jets: dict[str, Scalar] = {
                name: Jet(values[name], values[first], values[second])
                for name, first, second in self._prescribing
            }
            for number, motion in self._moving:
                jet = motion(time, jets)
                value[number], rate[number], acceleration[number] = jet.value, jet.rate, jet.acceleration
        if self.nonholonomic:
            rates = ~self._with_position
            acceleration[rates], rate[rates], value[rates] = rate[rates], value[rates], 0.0
        return value, rate, acceleration

    def normalized(self, coordinates: Array) -> Array:
        """Coordinates with quaternions of length one and the present angles as memory."""
        clean = self.chart.normalized(coordinates)
        if not self.remembered:
            return clean
        return self.chart.remembering(clean, self._memory.memory(self.chart.posture(clean)))

    def violation(self, time: float, coordinates: Array) -> tuple[Array, Array]:
        """Phi - c(t) and its Jacobian with respect to the rates of the moving bodies.

        It has a row for each of ``position_rows``.
        """
        check_time()
        values = self._positions.at(self.chart.posture(coordinates))
        residual = values.value - self.targets(time)[0][self._with_position]
        if self._periodic.any():
            residual[self._periodic] = wrapped(residual[self._periodic])
        return residual, values.jacobian

    def velocity_rows(self, time: float, coordinates: Array) -> tuple[Array, Array]:
        """G and d(t): the rows of all constraints and the rates they prescribe."""
        check_time()
        return self.batch.at(self.chart.posture(coordinates)).jacobian, self.targets(time)[1]

    def slip(self, time: float, coordinates: Array, velocities: Array) -> float:
        """The largest violation of a constraint on velocities alone (m/s or rad/s)."""
        jacobian, rates = self.velocity_rows(time, coordinates)
        missed = (jacobian @ velocities - rates)[~self._with_position]
        return float(np.max(np.abs(missed), initial=0.0))

    def parted(self, states: Array) -> tuple[Array, Array]:
        """The states of the network and those of force laws."""
        return states[: self.network_states], states[self.network_states :]

    def motion(
        self,
        time: float,
        coordinates: Array,
        velocities: Array,
        inputs: Mapping[str, float],
        states: Array = NO_STATES,
    ) -> Instant:
        """Accelerations and multipliers at a state, the rates of states, and the unknowns of the network.

        Notes
        -----
        In scaled rates, with G = U S V^T and N a basis of its null space:
        a = V S^-1 U^T gamma + N z, (N^T M N) z = N^T (F - M V S^-1 U^T gamma), and
        lambda = U S^-1 V^T (F - M a).
        """
        check_time()
        posture, twist = self.chart.posture(coordinates), self.chart.twist(velocities)
        values = self.batch.at(posture, twist)
        of_network, own = self.parted(states)
        response = None
        of_components: Mapping[str, float] = {}
        if self.drive is not None:
            response = self.drive.respond(time, posture, twist, velocities, inputs, of_network)
            if self._loads_read_network:
                of_components = self.drive.system.readings(response.point, response.solved)
        exert = partial(
            self.forces.generalized, time, posture, twist, velocities, {**inputs, **of_components}, own
        )
        applied, actions = exert()
        mass = self.masses.at(posture)
        added = [response.inertia] if response else []
        if self.forces.accelerated:  # linear in accelerations
            added.append(np.column_stack([applied - exert(unit)[0] for unit in np.eye(self.size)]))

        def weigh(columns: Array) -> Array:
            result: Array = mass.times(columns) + sum(inertia @ columns for inertia in added)
            return result

        force = applied - mass.gyroscopic(velocities)
        if response:
            force = force + response.force
        acceleration, multipliers, conditioning = self._accelerated(time, inputs, values, force, weigh)
        if self.forces.accelerated:
            _, actions = exert(acceleration)
        network = self.drive.settle(response, acceleration) if self.drive and response else None
        rates = NO_STATES if network is None else network.solved.rates
        if self.forces.states:
            rates = np.concatenate((rates, self.forces.state_rates(actions)))
        return Instant(
            time=time,
            coordinates=coordinates,
            posture=posture,
            twist=twist,
            velocities=velocities,
            accelerations=acceleration,
            multipliers=multipliers,
            conditioning=conditioning,
            actions=actions,
            inputs=dict(inputs),
            states=states,
            state_rates=rates,
            network=network,
        )

    def _accelerated(
        self,
        time: float,
        inputs: Mapping[str, float],
        values: Values,
        force: Array,
        weigh: Callable[[Array], Array],
    ) -> tuple[Array, Array, float]:
        """Accelerations, multipliers and the conditioning of the constraints."""
        gamma = self.targets(time, inputs)[2] - values.bias
        parts = split(values.jacobian * self.scale)
        acceleration = self.scale * parts.least_norm(gamma)
        if parts.free.shape[1]:
            free = self.scale[:, None] * parts.free
            inertia = free.T @ weigh(free)
            acceleration += free @ self._free_acceleration(inertia, free.T @ (force - weigh(acceleration)))
        multipliers = parts.multipliers(self.scale * (force - weigh(acceleration)))
        if not np.all(np.isfinite(acceleration)):
            raise VerificationError(f"the reference has no finite accelerations at t = {time:g} s")
        return acceleration, multipliers, parts.conditioning

    def with_inputs(self, instant: Instant, inputs: Mapping[str, float]) -> Instant:
        """The same state under other inputs."""
        if inputs == instant.inputs:
            return instant
        return self.motion(instant.time, instant.coordinates, instant.velocities, inputs, instant.states)

    def _free_acceleration(self, inertia: Array, force: Array) -> Array:
        # Inertias differ by orders of magnitude: an inertia is compared with its own row.
        diagonal = np.sqrt(np.diagonal(inertia))
        if np.all(diagonal > 0.0):
            scaled = inertia / np.outer(diagonal, diagonal)
            if np.linalg.eigvalsh(scaled)[0] > 1e-14:
                return np.asarray(np.linalg.solve(inertia, force), dtype=np.float64)
        raise VerificationError(
            f"{self.model.name} can move without moving any mass: give each free body mass and inertia"
        )

    def kinetic_energy(self, coordinates: Array, velocities: Array) -> float:
        mass = self.masses.at(self.chart.posture(coordinates))
        return 0.5 * float(velocities @ mass.times(velocities))

    def quantities(self, instant: Instant) -> dict[str, float]:
        """Every quantity of every element at an instant."""
        readings = self._readings.read(
            instant.posture, instant.twist, instant.velocities, instant.accelerations
        )
        for action in instant.actions:
            readings.update(action.quantities)
        readings.update(self.forces.state_values(self.parted(instant.states)[1]))
        if self.drive and instant.network:
            readings.update(self.drive.quantities(instant.network))
        for name, shares in self._reaction_shares(instant).items():
            readings[name] = -float(shares @ instant.multipliers)
        return readings

    def undetermined(self, instant: Instant) -> frozenset[str]:
        """Reactions that redundant constraints leave undetermined at an instant."""
        redundant = split(self.batch.at(instant.posture).jacobian).redundant
        return frozenset(
            name
            for name, shares in self._reaction_shares(instant).items()
            if np.max(np.abs(shares @ redundant), initial=0.0) > 1e-8
        )

    def _reaction_shares(self, instant: Instant) -> dict[str, Array]:
        """The factors of all multipliers, with the opposite sign, in each reaction on a head."""
        wrenches = self._wrenches(instant.posture)
        shares = {}
        for each in self.elements:
            mine = [row.element == each.name for row in self.rows] if each.parts.reactions else []
            for kind in each.parts.reactions:
                if kind in WRENCH:
                    share: Array = np.array(mine, dtype=np.float64) * wrenches[WRENCH[kind]]
                else:
                    efforts = [row.effort == kind for row in self.rows]
                    share = -np.array(np.logical_and(mine, efforts), dtype=np.float64)
                shares[f"{each.name}.{kind}"] = share
        return shares

    def _wrenches(self, posture: Posture) -> Array:
        """Forces and torques on the heads of all rows, at the heads' own points, per unit of multiplier."""
        heads = np.array([row.head.body for row in self.rows], dtype=np.intp)
        arms = np.array([row.head.arm for row in self.rows]).reshape(-1, 3, 1)
        twists = self.batch.at(posture).twists.reshape(len(heads), posture.position.shape[1], TWIST)
        forces, moments = np.split(twists[np.arange(len(heads)), heads].T, 2)
        turned = (posture.rotation[heads] @ arms)[:, :, 0].T
        return np.concatenate((forces, moments - cross(turned, forces)))
