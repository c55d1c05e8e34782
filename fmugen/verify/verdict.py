"""The results of a comparison of an FMU with its reference, and their messages.

A deviation is |FMU - reference| divided by the scale of the signal: the larger of the range and the greatest
magnitude of the reference over the run. The scale is at least a small part of the signal's unit, so that a
signal that stays zero is judged absolutely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fmugen.verify.energy import EnergyBalance
from fmugen.verify.network.power import PowerBalance
from fmugen.verify.rotations import Array

#: The smallest scale of a deviation, in the unit of the signal.
SCALE_FLOOR = 1e-3
#: The smallest scales in units that are large for the usual values.
_SMALL_FLOORS = {"m3/s": 1e-6}

#: Numbers of samples.
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Deviation:
    """A signal of the FMU against the reference."""

    name: str
    unit: str
    fmu: Array
    reference: Array
    scale: float

    @property
    def errors(self) -> Array:
        """Scaled deviation over time."""
        result: Array = np.abs(self.fmu - self.reference) / self.scale
        return result

    @property
    def largest(self) -> float:
        return float(np.max(self.errors))

    @property
    def where(self) -> int:
        """The index of the sample with the largest deviation."""
        return int(np.argmax(self.errors))


@dataclass(frozen=True)
class Looseness:
    """A run of the FMU at a relative tolerance.

    ``deviation`` is the largest scaled deviation of any signal, found in ``signal`` at ``time``; ``allowed``
    is the largest that passes. If the run failed, ``stopped`` says why.
    """

    tolerance: float
    is_default: bool
    allowed: float
    deviation: float = float("nan")
    signal: str = ""
    time: float = 0.0
    stopped: str = ""

    @property
    def passed(self) -> bool:
        return self.deviation <= self.allowed


@dataclass(frozen=True)
class Verification:
    """The results of the comparison; ``problems`` says why it did not pass.

    Mechanisms have ``closure``, the residual that the FMU reports for its loops, and ``violation``, that of
    the reference's constraints for the FMU's body poses. They also have an ``energy`` balance. Networks have
    ``components``, the deviations of their across and through variables, and a ``power`` balance. ``skipped``
    names outputs that have no unique value. ``notes`` concern the inputs and assembly modes; with
    ``other_mode`` the reference alone would have started in another one. ``looseness`` are the runs at
    looser tolerances. ``deflections`` are the coordinates of bodies that deform, as the FMU reports them.

    If the FMU deviates, ``reference_error`` is the estimated error of the reference. ``doubt`` says why the
    deviation may not be an error of the FMU.
    """

    model: str
    times: Array
    tolerance: float
    outputs: tuple[Deviation, ...]
    skipped: tuple[str, ...]
    messages: tuple[str, ...]
    problems: tuple[str, ...]
    reference_tolerance: float
    notes: tuple[str, ...] = ()
    other_mode: bool = False
    bodies: tuple[Deviation, ...] = ()
    closure: Array | None = None
    violation: float | None = None
    energy: EnergyBalance | None = None
    components: tuple[Deviation, ...] = ()
    power: PowerBalance | None = None
    looseness: tuple[Looseness, ...] = ()
    reference_error: float | None = None
    doubt: str | None = None
    deflections: Mapping[str, Array] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return not self.problems

    @property
    def sentence(self) -> str:
        """The verdict."""
        figures = f"largest deviation {self.largest:.2e}, tolerance {self.tolerance:g}"
        if self.passed:
            return f"passed: {figures}"
        if self.doubt is not None:
            return f"not judged: the reference could not follow: {self.doubt} ({figures})"
        return f"FAILED: the FMU is wrong: {figures}"

    @property
    def signals(self) -> tuple[Deviation, ...]:
        return (*self.outputs, *self.bodies, *self.components)

    @property
    def largest(self) -> float:
        """The largest scaled deviation of any signal."""
        return max((deviation.largest for deviation in self.signals), default=0.0)

    def figures(self) -> Iterator[tuple[str, float]]:
        """The further measurements, if the model has them: words and number."""
        if self.bodies:
            yield "largest deviation of a body's pose", max(signal.largest for signal in self.bodies)
        if self.closure is not None and self.violation is not None:
            yield "closure residual, as the FMU reports it", float(np.max(np.abs(self.closure)))
            yield "closure residual, of the FMU's poses", self.violation
        if self.energy is not None:
            yield "energy imbalance, as a part of the turnover", self.energy.largest
        if self.components:
            worst = max(self.components, key=lambda signal: signal.largest)
            yield f"largest deviation of a component's variable ({worst.name})", worst.largest
        if self.power is not None:
            yield "sum of all powers, as a part of what flows", self.power.largest
        if self.reference_error is not None:
            yield "reference error, from a second reference", self.reference_error


def shared_scales(signals: tuple[Deviation, ...]) -> dict[str, float]:
    """By unit: the largest scale of its signals.

    A solver controls the errors of its states, not those of small differences between them.
    """
    scales: dict[str, float] = {}
    for signal in signals:
        scales[signal.unit] = max(signal.scale, scales.get(signal.unit, 0.0))
    return scales


def largest_deviation(
    signals: tuple[Deviation, ...], values: Mapping[str, Array], rows: Rows
) -> tuple[float, str, int]:
    """The largest deviation of another run at some of the samples, its signal and its sample.

    It is relative to the scale that all signals of its unit share.
    """
    scales = shared_scales(signals)
    worst = (0.0, "", 0)
    for signal in signals:
        errors = np.abs(values[signal.name] - signal.reference[rows]) / scales[signal.unit]
        at = int(np.argmax(errors))
        if not float(errors[at]) <= worst[0]:
            worst = (float(errors[at]), signal.name, int(rows[at]))
    return worst


def deviation(name: str, unit: str, found: Array, expected: Array) -> Deviation:
    """The deviation of a signal of the FMU from its expected values."""
    floor = _SMALL_FLOORS.get(unit, SCALE_FLOOR)
    scale = max(float(np.ptp(expected)), float(np.abs(expected).max()), floor)
    return Deviation(name, unit, found, expected, scale)


def deviation_problems(deviations: tuple[Deviation, ...], times: Array, tolerance: float) -> Iterator[str]:
    """A sentence for every signal that deviates too much."""
    for signal in deviations:
        if not signal.largest <= tolerance:
            at = signal.where
            yield (
                f"{signal.name} deviates by {signal.largest:.2e} of its range at t = {times[at]:g} s: "
                f"the FMU says {signal.fmu[at]:.9g}, the reference {signal.reference[at]:.9g}"
            )
