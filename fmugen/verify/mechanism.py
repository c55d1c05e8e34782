"""The reference equations of motion, in absolute coordinates.

    M v' + G^T lambda = F(t, q, v, x),    Phi(q) = c(t),    G v = d(t),    x' = f(t, q, v, x)

The rates v are the velocities and spins of all bodies; M has one block a body. The states x are those of
force laws and of a network. Each scalar constraint gives a row of G. Those with a position level also give
a row of Phi, whose Jacobian is their part of G. The accelerations are found in the null space of G, so that
redundant constraints and bodies without mass need no special treatment. The multipliers have least norm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import svd

from fmugen.errors import VerificationError
from fmugen.ir.model import SystemModel
from fmugen.verify.catalogue import WRENCH, Action, ElementParts, Inertia, parts_of_model
from fmugen.verify.catalogue.bodies import ground_measures
from fmugen.verify.charts import TWIST, Posture, Twist, chart_of
from fmugen.verify.compiled import Compiled, compiled
from fmugen.verify.constraints import Constraints
from fmugen.verify.deadline import check_time
from fmugen.verify.flexible import FlexibleBody
from fmugen.verify.forces import Forces
from fmugen.verify.layout import Layout
from fmugen.verify.masses import Masses, MassMatrix
from fmugen.verify.measure_batch import Values
from fmugen.verify.moved import Moved, moved_inputs
from fmugen.verify.network.drive import Drive, Outcome
from fmugen.verify.readings import Readings
from fmugen.verify.rotations import Array, cross
from fmugen.verify.tape.scalar import zeros

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


class Terms(NamedTuple):
    """The terms of the equations of motion: G, gamma in G v' = gamma, M, what is added to M, and F."""

    values: Values
    gamma: Array
    mass: MassMatrix
    #: The dependence of forces on accelerations, with the opposite sign, and the inertia of flexible bodies.
    added: Array
    force: Array
    actions: list[Action]


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


class States:
    """The order of all states: those of the network, then those of force laws."""

    def __init__(self, drive: Drive | None, forces: Forces) -> None:
        tableau = drive.system.tableau if drive else None
        #: How many states the network has.
        self.of_network = tableau.states if tableau else 0
        #: The quantities that start values of states name.
        self.names = frozenset(state.name for state in forces.states).union(
            tableau.quantities if tableau else ()
        )
        #: The usual sizes of all states.
        self.scale = np.array([*np.ones(self.of_network), *(state.nominal for state in forces.states)])

    def parted(self, states: Array) -> tuple[Array, Array]:
        """The states of the network and those of force laws."""
        return states[: self.of_network], states[self.of_network :]


def _inertias(elements: Sequence[ElementParts], layout: Layout) -> list[Inertia]:
    """The inertia of every body; those that the model does not name have none."""
    found = [each.parts.inertia for each in elements if each.parts.inertia is not None]
    return [*found, *(Inertia(0.0, np.zeros((3, 3))) for _ in range(layout.hidden))]


def _flexible(elements: Sequence[ElementParts]) -> Iterator[FlexibleBody]:
    for each in elements:
        if each.parts.flexible is not None:
            yield each.parts.flexible


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
        self.chart = chart_of(self.layout.ground, len(remembered), planar=self.layout.planar)
        self.size = self.chart.size
        rows = [row for part in parts for row in part.rows]
        self.constraints = Constraints(rows, self.layout, self.chart, self.moved)
        #: A length that is typical of the mechanism, in m.
        self.length = self.layout.length(self.constraints.rods)
        #: The unit of each rate: the typical length, and one radian.
        self.scale = self.chart.tangent_scale(self.length)
        inertias = _inertias(self.elements, self.layout)
        #: Bodies whose inertia depends on coordinates of their own.
        self.flexible = tuple(_flexible(self.elements))
        self.masses = Masses(inertias, self.chart, planar=self.layout.planar)
        self.forces = Forces(self.layout, self.chart, self.elements, self.measures, inertias)
        #: The network that acts on the mechanism.
        self.drive = Drive.of(model, self.layout.parameters, self.measures, self.chart)
        self.states = States(self.drive, self.forces)
        #: The quantities of the network that loads depend on.
        self.read_of_network = self.drive.read_by(self.forces.names) if self.drive else ()
        self._readings = Readings(self.measures, self.chart)
        self._memory = Readings(remembered, self.chart)

    @property
    def adds_mass(self) -> bool:
        """Whether a full matrix is added to the masses of rigid bodies."""
        return bool(self.forces.accelerated or self.flexible)

    @cached_property
    def compiled(self) -> Compiled | None:
        """The compiled equations, where there are any."""
        return compiled(self)

    def under(self, moved: Moved) -> Mechanism:
        """The same mechanism, with its compiled equations, under other inputs that change."""
        _ = self.compiled
        other = copy(self)
        other.moved, other.constraints = moved, self.constraints.under(moved)
        return other

    def at(self, time: float, held: Mapping[str, float]) -> dict[str, float]:
        """All inputs at a time; those without derivatives are held."""
        return {**held, **self.moved(time)}

    def normalized(self, coordinates: Array) -> Array:
        """Coordinates with quaternions of length one and the present angles as memory."""
        clean = self.chart.normalized(coordinates)
        if not self.remembered:
            return clean
        return self.chart.remembering(clean, self._memory.memory(self.chart.posture(clean)))

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
        of_network, own = self.states.parted(states)
        response, known = None, inputs
        if self.drive is not None:
            response = self.drive.respond(time, posture, twist, velocities, inputs, of_network)
            if self.read_of_network:
                known = {**inputs, **self.drive.system.readings(response.point, response.solved)}
        terms = self.terms(time, posture, twist, velocities, known, own)
        force, actions = terms.force, terms.actions
        added = [terms.added] if len(terms.added) else []

        def weigh(columns: Array) -> Array:
            result: Array = terms.mass.times(columns) + sum(inertia @ columns for inertia in added)
            return result

        if response:
            added.append(response.inertia)
            force = force + response.force
        acceleration, multipliers, conditioning = self._accelerated(time, terms, force, weigh)
        if self.forces.accelerated:
            _, actions = self.forces.generalized(time, posture, twist, velocities, known, own, acceleration)
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

    def terms(
        self,
        time: float,
        posture: Posture,
        twist: Twist,
        velocities: Array,
        inputs: Mapping[str, float],
        own: Array,
    ) -> Terms:
        """The terms of the equations of motion without the network.

        ``own`` are the states of force laws.
        """
        values = self.constraints.batch.at(posture, twist)
        exert = partial(self.forces.generalized, time, posture, twist, velocities, inputs, own)
        applied, actions = exert()
        mass = self.masses.at(posture)
        force = applied - mass.gyroscopic(velocities)
        added = zeros((self.size, self.size) if self.adds_mass else (0, 0), velocities)
        if self.forces.accelerated:  # linear in accelerations
            added = added + np.column_stack([applied - exert(unit)[0] for unit in np.eye(self.size)])
        for body in self.flexible:
            inertia = body.inertia(posture, twist)
            added[np.ix_(body.rates, body.rates)] += inertia.mass
            force[body.rates] += inertia.force
        return Terms(
            values,
            gamma=self.constraints.targets(time, inputs)[2] - values.bias,
            mass=mass,
            added=added,
            force=force,
            actions=actions,
        )

    def _accelerated(
        self,
        time: float,
        terms: Terms,
        force: Array,
        weigh: Callable[[Array], Array],
    ) -> tuple[Array, Array, float]:
        """Accelerations, multipliers and the conditioning of the constraints."""
        parts = split(terms.values.jacobian * self.scale)
        acceleration = self.scale * parts.least_norm(terms.gamma)
        if parts.free.shape[1]:
            free = self.scale[:, None] * parts.free
            inertia = free.T @ weigh(free)
            acceleration += free @ self._free_acceleration(inertia, free.T @ (force - weigh(acceleration)))
        multipliers = parts.multipliers(self.scale * (force - weigh(acceleration)))
        if not np.all(np.isfinite(acceleration)):
            raise VerificationError(f"the reference has no finite accelerations at t = {time:g} s")
        return acceleration, multipliers, parts.conditioning

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

    def kinetic_energy(self, posture: Posture, velocities: Array) -> float:
        twist = self.chart.twist(velocities)
        momenta = self.masses.at(posture).times(velocities)
        rigid: float = sum(0.5 * rate * momentum for rate, momentum in zip(velocities, momenta, strict=True))
        return rigid + sum(body.kinetic_energy(posture, twist) for body in self.flexible)

    def gravity_potential(self, posture: Posture) -> float:
        """The energy of the weights relative to the origin of the ground."""
        flexible = sum(body.gravity_potential(posture) for body in self.flexible)
        return self.forces.gravity_potential(posture) + flexible

    def quantities(self, instant: Instant) -> dict[str, float]:
        """Every quantity of every element at an instant."""
        readings = self._readings.read(
            instant.posture, instant.twist, instant.velocities, instant.accelerations
        )
        for action in instant.actions:
            readings.update(action.quantities)
        readings.update(self.forces.state_values(self.states.parted(instant.states)[1]))
        if self.drive and instant.network:
            readings.update(self.drive.quantities(instant.network))
        for name, shares in self._reaction_shares(instant.posture).items():
            reaction: Any = -(shares @ instant.multipliers)
            readings[name] = reaction
        return readings

    def undetermined(self, posture: Posture) -> frozenset[str]:
        """Reactions that redundant constraints leave undetermined in a posture."""
        redundant = split(self.constraints.batch.at(posture).jacobian).redundant
        return frozenset(
            name
            for name, shares in self._reaction_shares(posture).items()
            if np.max(np.abs(shares @ redundant), initial=0.0) > 1e-8
        )

    def _reaction_shares(self, posture: Posture) -> dict[str, Array]:
        """The factors of all multipliers, with the opposite sign, in each reaction on a head."""
        wrenches = self._wrenches(posture)
        shares = {}
        for each in self.elements:
            mine = [row.element == each.name for row in self.constraints.rows] if each.parts.reactions else []
            for kind in each.parts.reactions:
                if kind in WRENCH:
                    share: Array = np.array(mine, dtype=np.float64) * wrenches[WRENCH[kind]]
                else:
                    efforts = [row.effort == kind for row in self.constraints.rows]
                    share = -np.array(np.logical_and(mine, efforts), dtype=np.float64)
                shares[f"{each.name}.{kind}"] = share
        return shares

    def _wrenches(self, posture: Posture) -> Array:
        """Forces and torques on the heads of all rows, at the heads' own points, per unit of multiplier."""
        rows = self.constraints.rows
        heads = np.array([row.head.body for row in rows], dtype=np.intp)
        arms = np.array([row.head.arm for row in rows]).reshape(-1, 3, 1)
        twists = self.constraints.batch.at(posture).twists
        twists = twists.reshape(len(heads), posture.position.shape[1], TWIST)
        forces, moments = np.split(twists[np.arange(len(heads)), heads].T, 2)
        turned = (posture.rotation[heads] @ arms)[:, :, 0].T
        return np.concatenate((forces, moments - cross(turned, forces)))
