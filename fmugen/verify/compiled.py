"""The equations of a mechanism, recorded once from its laws and run by the machine."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fmugen.errors import UnsolvableError
from fmugen.verify.deadline import check_time
from fmugen.verify.rotations import Array
from fmugen.verify.tape.library import machine
from fmugen.verify.tape.program import Program, record

if TYPE_CHECKING:
    from fmugen.verify.mechanism import Mechanism

__all__ = [
    "CLOSED",
    "POORLY_CONDITIONED",
    "PROJECTION_TOLERANCE",
    "WELL_CONDITIONED",
    "Compiled",
    "compiled",
    "mapped",
]

#: Constraints whose remaining part is below this part of the largest are redundant.
_RANK_TOLERANCE = 1e-10
#: The conditioning from which on a factorization by reflections is as good as one by singular values.
WELL_CONDITIONED = 1e-4
#: The conditioning of the constraints below which a position counts as near a singular one.
POORLY_CONDITIONED = 0.02
#: Projections do not move along directions that the constraints hardly determine: near a singular position
#: rounding errors could otherwise cause a jump to another assembly mode.
PROJECTION_TOLERANCE = 1e-7
#: A violation of the constraints that is not corrected, per length of the mechanism.
CLOSED = 1e-15


def _at(array: Array) -> int:
    """The address of the first number of a contiguous array."""
    return array.ctypes.data


class _CEquations(ctypes.Structure):
    """``Equations`` of machine.c."""

    _fields_ = (
        ("size", ctypes.c_int32),
        ("rows", ctypes.c_int32),
        ("block", ctypes.c_int32),
        ("scale", ctypes.c_void_p),
        ("tolerance", ctypes.c_double),
        ("work", ctypes.c_void_p),
    )


class _CMotion(ctypes.Structure):
    """``Motion`` of machine.c."""

    _fields_ = (
        ("equations", _CEquations),
        *((name, ctypes.c_int32) for name in ("given", "coordinates", "states", "positions", "accelerated")),
        *((name, ctypes.c_void_p) for name in ("motion", "violation", "speeds", "move", "normal")),
        *((name, ctypes.c_double) for name in ("closed", "poor", "least", "tolerance")),
        ("space", ctypes.c_void_p),
    )


def compiled(mechanism: Mechanism) -> Compiled | None:
    """The compiled equations of a mechanism.

    They are ``None`` where there is no C compiler, and where a law cannot be recorded.
    """
    library = machine()
    if library is None or not mechanism.size:
        return None
    try:
        return Compiled(mechanism, library)
    except (ArithmeticError, AttributeError, TypeError, UnsolvableError, ValueError):
        # A law that is not made of the functions of `tape.scalar` cannot be recorded.
        return None


def mapped(
    mechanism: Mechanism, key: object, function: Callable[[NDArray[Any]], list[Any]], table: Array
) -> Array:
    """The results of a function for the rows of a table, by a program where there is one.

    The program is recorded once for each ``key``.
    """
    if mechanism.compiled is None:
        return np.array([function(row) for row in table], dtype=np.float64)
    found = mechanism.compiled.reported(key, lambda row: dict(enumerate(function(row))), table)
    return np.array([*found.values()]).T


_Name = TypeVar("_Name")


class Solved(NamedTuple):
    """Accelerations and multipliers, a row for each time, and the conditioning of the constraints."""

    accelerations: Array
    multipliers: Array
    #: Negative where there is no finite solution.
    conditioning: Array


class Compiled:
    """Programs of a mechanism."""

    def __init__(self, mechanism: Mechanism, library: ctypes.CDLL) -> None:
        self._mechanism, self.library = mechanism, library
        self._size, self._rows = mechanism.size, len(mechanism.constraints.rows)
        self._count = mechanism.chart.count
        #: The names whose values programs take: inputs, and quantities of the network that loads read.
        self._names = (*(each.name for each in mechanism.model.inputs), *mechanism.read_of_network)
        self._nothing = [0.0] * len(self._names)
        self._scale = np.ascontiguousarray(mechanism.scale)
        self._work = np.zeros(library.work_size(self._size, self._rows))
        self._reports: dict[object, tuple[Program, list[Any]]] = {}
        block = len(mechanism.chart.freedoms)
        self._equations = _CEquations(
            self._size, self._rows, block, _at(self._scale), _RANK_TOLERANCE, _at(self._work)
        )
        self._violation = self._record_violation()
        self._velocity_rows = self._record_velocity_rows()
        self._normalized = record(library, self._count, lambda given: [*mechanism.normalized(given)])
        self._motion = self._record_motion()
        self._move = record(library, self._count + self._size, self._moved)
        programs = self._motion, self._violation, self._velocity_rows, self._move, self._normalized
        self._all = _CMotion(
            self._equations,
            1 + len(self._names),
            self._count,
            len(mechanism.forces.states),
            len(mechanism.constraints.position_rows),
            mechanism.adds_mass,
            *(program.address for program in programs),
            CLOSED * mechanism.length,
            POORLY_CONDITIONED,
            WELL_CONDITIONED,
            PROJECTION_TOLERANCE,
        )
        self._pointer = ctypes.addressof(self._all)
        self._space = np.zeros(library.space_size(self._pointer))
        self._all.space = _at(self._space)

    def _moved(self, given: NDArray[Any]) -> Sequence[Any]:
        coordinates, step = np.split(given, [self._count])
        return [*self._mechanism.chart.move(coordinates, step)]

    def _given(self, time: float, values: Mapping[str, float] | None) -> list[float]:
        if not self._names:
            return [time]
        if not values:
            return [time, *self._nothing]
        return [time, *(values.get(name, 0.0) for name in self._names)]

    def named(self, given: NDArray[Any]) -> tuple[Any, dict[str, Any], NDArray[Any]]:
        """Time, values by name, and the rest of the inputs of a program."""
        first = 1 + len(self._names)
        return given[0], dict(zip(self._names, given[1:first], strict=True)), given[first:]

    # --- constraints ------------------------------------------------------------------------------------

    def _record_violation(self) -> Program:
        def evaluate(given: NDArray[Any]) -> Sequence[Any]:
            time, values, coordinates = self.named(given)
            residual, jacobian = self._mechanism.constraints.violation(time, coordinates, values)
            return [*residual, *jacobian.flat]

        return record(self.library, 1 + len(self._names) + self._count, evaluate)

    def _record_velocity_rows(self) -> Program:
        def evaluate(given: NDArray[Any]) -> Sequence[Any]:
            time, values, coordinates = self.named(given)
            jacobian, rates = self._mechanism.constraints.velocity_rows(time, coordinates, values)
            return [*jacobian.flat, *rates]

        return record(self.library, 1 + len(self._names) + self._count, evaluate)

    # --- motion -----------------------------------------------------------------------------------------

    def _record_motion(self) -> Program:
        mechanism = self._mechanism
        own = len(mechanism.forces.states)

        def evaluate(given: NDArray[Any]) -> Sequence[Any]:
            time, values, rest = self.named(given)
            coordinates, velocities, states = np.split(rest, [self._count, self._count + self._size])
            posture, twist = mechanism.chart.posture(coordinates), mechanism.chart.twist(velocities)
            terms = mechanism.terms(time, posture, twist, velocities, values, states)
            rates = [rate for action in terms.actions for rate in action.rates]
            return [
                *mechanism.chart.rates(coordinates, velocities),
                *rates,
                *terms.values.jacobian.flat,
                *terms.gamma,
                *terms.mass.blocks.flat,
                *terms.force,
                *terms.added.flat,
            ]

        return record(self.library, 1 + len(self._names) + self._count + self._size + own, evaluate)

    def table(
        self,
        times: Array,
        inputs: Sequence[Mapping[str, float]],
        coordinates: Array,
        velocities: Array,
        states: Array,
    ) -> Array:
        """The inputs of programs of the motion, a row for each time."""
        given = [self._given(time, values) for time, values in zip(times.tolist(), inputs, strict=True)]
        return np.hstack((given, coordinates, velocities, states))

    def solved(self, given: Array) -> Solved:
        """Accelerations and multipliers for the rows of a table."""
        found = self._motion(given)
        count = len(given)
        first = self._count + len(self._mechanism.forces.states)
        accelerations, multipliers = np.empty((count, self._size)), np.empty((count, self._rows))
        conditioning = np.empty(count)
        for number in range(count):
            conditioning[number] = self._accelerate(
                found[number, first:], accelerations[number], multipliers[number]
            )
        infinite = ~np.isfinite(accelerations.sum(axis=1) + multipliers.sum(axis=1))
        conditioning[infinite] = -1.0
        return Solved(accelerations, multipliers, conditioning)

    def _accelerate(self, values: Array, acceleration: Array, multipliers: Array | None = None) -> float:
        found: float = self.library.accelerate(
            ctypes.addressof(self._equations),
            _at(values),
            self._mechanism.adds_mass,
            _at(acceleration),
            None if multipliers is None else _at(multipliers),
        )
        return found

    def reported(
        self, key: object, function: Callable[[NDArray[Any]], dict[_Name, Any]], given: Array
    ) -> dict[_Name, Array]:
        """The results of a function by name, for the rows of a table; it is recorded once for each key."""
        if key not in self._reports:
            names: list[_Name] = []

            def evaluate(row: NDArray[Any]) -> Sequence[Any]:
                found = function(row)
                names.extend(found)
                return [*found.values()]

            self._reports[key] = record(self.library, given.shape[1], evaluate), names
        program, names = self._reports[key]
        return dict(zip(names, program(given).T, strict=True))

    @property
    def knows_rates(self) -> bool:
        """Whether the program gives the rates of all states."""
        mechanism = self._mechanism
        return mechanism.drive is None and not (mechanism.forces.states and mechanism.forces.accelerated)

    def rates(self, time: float, packed: Array, inputs: Mapping[str, float]) -> Array | None:
        """The rates of coordinates, velocities and own states.

        ``None`` if there is no finite solution, or if the constraints are poorly conditioned.
        """
        check_time()
        result = np.empty(len(packed))
        given = np.array(self._given(time, inputs))
        done = self.library.rates_of(self._pointer, _at(given), _at(packed), _at(result))
        return result if done else None

    def stages(
        self,
        times: Array,
        inputs: Sequence[Mapping[str, float]],
        step: float,
        start: Array,
        matrix: Array,
        found: Array,
    ) -> Array | None:
        """Fill the rows of ``found`` after the first with the rates at the stages of an explicit method.

        The result is the state at the last stage, or ``None`` where :meth:`rates` has none.
        """
        check_time()
        given = np.array([self._given(*each) for each in zip(times.tolist(), inputs, strict=True)])
        state = np.empty(len(start))
        arrays = _at(given), _at(start), _at(state), _at(found)
        done = self.library.stages(self._pointer, *matrix.shape, _at(matrix), step, *arrays)
        return state if done else None

    def projected(
        self, time: float, coordinates: Array, velocities: Array, moved: Mapping[str, float]
    ) -> tuple[Array, Array] | None:
        """Coordinates and velocities moved by the least amount that satisfies the constraints.

        ``None`` if the constraints are poorly conditioned.
        """
        check_time()
        near, rates = coordinates.copy(), velocities.copy()
        given = np.array(self._given(time, moved))
        done = self.library.project_state(self._pointer, _at(given), _at(near), _at(rates))
        good = done and np.isfinite(near.sum() + rates.sum())
        return (near, rates) if good else None
