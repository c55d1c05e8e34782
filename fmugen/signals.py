"""Input signals at communication points; motions with derivatives that belong to them.

An input may have others that are its derivatives: a position with its rate and its acceleration. Whichever of
them is given first decides the motion. The others follow from it, and are compared with it where they are
given as well.

- Samples of a position become the quintic spline through all of them, which has four continuous derivatives.
- Samples of a rate, without the position, become a spline as well; its integral begins at the start value.
- A constant position has no rate.

From one communication point to the next, the motion is the polynomial of degree five that has the value, the
rate and the acceleration of the spline at both of them. An FMU can follow it exactly: its derivatives at the
first of the two points tell all of it.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PPoly, make_interp_spline

from fmugen.errors import ModelError, Problem

__all__ = ["ORDERS", "Chain", "Feed", "Samples", "Signal", "chains_of", "constant", "feed", "read_signals"]

Array = NDArray[np.float64]
Signal = Callable[[float], float]

#: Derivatives of an input that tell its motion up to the next communication point.
ORDERS = 5
#: What a derivative that is given may differ by from the one that follows, as a part of the largest.
AGREEMENT = 0.05
#: A change between two samples is a jump if it is so many times as steep as its neighbours, ...
_STEEPER = 10.0
#: ... and such a part of the whole range.
_LARGE = 0.1
#: Samples that are added where a signal rests at its end: the spline swings less than 1e-4 behind them.
_AT_REST = 12
#: The most problems of a file that are listed.
_MOST_PROBLEMS = 10


@dataclass(frozen=True)
class Samples:
    """A column of a file: linear between the samples, constant before the first and after the last.

    That is what a plain input is fed with; for an input with derivatives see :func:`feed`.
    """

    times: Array
    values: Array
    source: str = "the signal"

    def __call__(self, time: float) -> float:
        return float(np.interp(time, self.times, self.values))


@dataclass(frozen=True)
class _Constant:
    value: float

    def __call__(self, time: float) -> float:
        return self.value


def constant(value: float) -> Signal:
    """A signal that does not change."""
    return _Constant(value)


@dataclass(frozen=True)
class Chain:
    """An input, its rate, the rate of that and so on, with their start values."""

    names: tuple[str, ...]
    starts: tuple[float, ...]


def chains_of(rates: Mapping[str, str], starts: Mapping[str, float]) -> tuple[Chain, ...]:
    """The chains of inputs whose rates are inputs.

    Examples
    --------
    >>> chains_of({"s": "v", "v": "a"}, {"s": 1.0, "v": 0.0, "a": 0.0, "force": 5.0})
    (Chain(names=('s', 'v', 'a'), starts=(1.0, 0.0, 0.0)),)
    """
    chains = []
    for first in rates.keys() - set(rates.values()):
        names = [first]
        while names[-1] in rates:
            names.append(rates[names[-1]])
        chains.append(Chain(tuple(names), tuple(starts[name] for name in names)))
    return tuple(sorted(chains, key=lambda chain: chain.names))


@dataclass(frozen=True)
class Feed:
    """What inputs are fed with at the communication points ``times``.

    ``values`` has them by name. ``derivatives`` has, by the name of the first input of a chain, a row for
    every communication step with the derivatives of the orders 1 to 5 at its beginning. ``notes`` is what the
    user should know.
    """

    times: Array
    values: dict[str, Array]
    derivatives: dict[str, Array] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def feed(given: Mapping[str, Signal], chains: Sequence[Chain], times: Array) -> Feed:
    """What inputs are fed with, the derivatives of motions found.

    Parameters
    ----------
    given
        Signals by the name of the input.
    chains
        The inputs that have derivatives among the inputs.
    times
        The communication points, increasing.

    Raises
    ------
    ModelError
        If inputs of a chain contradict each other, or if a motion is not known at all times.
    """
    times = np.asarray(times, dtype=np.float64)
    values = {name: np.array([signal(time) for time in times.tolist()]) for name, signal in given.items()}
    derivatives: dict[str, Array] = {}
    notes: list[str] = []
    for chain in chains:
        if given.keys() & set(chain.names):
            motion = _Motion(chain, given, times)
            motion.check(given)
            notes += motion.notes()
            table = np.array([motion.level(level)(times) for level in range(max(3, len(chain.names)))])
            values |= {name: table[level] for level, name in enumerate(chain.names)}
            if np.any(table[1:]):
                derivatives[chain.names[0]] = _taylor(times, table)
    return Feed(times, values, derivatives, tuple(notes))


def _taylor(times: Array, table: Array) -> Array:
    """Derivatives 1 to 5, at the beginning of every step, of its Hermite polynomial of degree five."""
    h = np.diff(times)
    (p, p1), (v, v1), (a, a1) = ((row[:-1], row[1:]) for row in table[:3])
    way, rise, change = p1 - p - h * (v + h * a / 2.0), h * (v1 - v - h * a), h**2 * (a1 - a) / 2.0
    third = (10.0 * way - 4.0 * rise + change) / h**3
    fourth = (-15.0 * way + 7.0 * rise - 2.0 * change) / h**4
    fifth = (6.0 * way - 3.0 * rise + change) / h**5
    return np.column_stack((v, a, 6.0 * third, 24.0 * fourth, 120.0 * fifth))


class _Motion:
    """The motion of a chain, decided by the first of its inputs that is given."""

    def __init__(self, chain: Chain, given: Mapping[str, Signal], times: Array) -> None:
        self._chain, self._begin, self._end = chain, float(times[0]), float(times[-1])
        self._decisive = next(level for level, name in enumerate(chain.names) if name in given)
        self.name = chain.names[self._decisive]
        signal = given[self.name]
        self._samples = self._sampled(self.name, signal, times)
        self._still = isinstance(signal, _Constant) or len(self._samples.times) == 1
        self._spline = self._interpolant()

    @staticmethod
    def _sampled(name: str, signal: Signal, times: Array) -> Samples:
        if isinstance(signal, Samples):
            return signal
        if isinstance(signal, _Constant):
            return Samples(times[:1], np.array([signal.value]), name)
        return Samples(times, np.array([signal(time) for time in times.tolist()]), name)

    def _interpolant(self) -> PPoly:
        if self._still:
            ends = [self._begin, max(self._end, np.nextafter(self._begin, np.inf))]
            return PPoly(np.full((1, 1), self._samples.values[0]), ends)
        times, values = self._covering()
        degree = min(ORDERS, len(times) - 1)
        # Few samples have one polynomial; degrees that are even are for these alone.
        few = np.repeat(times[[0, -1]], degree + 1) if len(times) <= ORDERS else None
        return PPoly.from_spline(make_interp_spline(times, values, k=degree, t=few))

    def _covering(self) -> tuple[Array, Array]:
        """The samples, with more where the signal rests before the first or after the last of them."""
        times, values = self._samples.times, self._samples.values
        slack = 1e-9 * (times[-1] - times[0])
        steps = np.arange(1, _AT_REST + 1)
        early, late = times[0] > self._begin + slack, times[-1] < self._end - slack
        for missing, end, inner, word in ((early, 0, 1, "begin"), (late, -1, -2, "end")):
            if missing and (self._decisive > 0 or values[end] != values[inner]):
                raise self._refused(
                    f"the samples {word} at t = {times[end]:g} s, where it moves, but the run goes from "
                    f"{self._begin:g} s to {self._end:g} s",
                    "a prescribed motion cannot start or stop abruptly: give samples of the whole run",
                )
        before = times[0] - (times[1] - times[0]) * steps[::-1] if early else times[:0]
        after = times[-1] + (times[-1] - times[-2]) * steps if late else times[:0]
        padded = np.concatenate((np.full(len(before), values[0]), values, np.full(len(after), values[-1])))
        return np.concatenate((before, times, after)), padded

    def level(self, level: int) -> Callable[[Array], Array]:
        """The input of a level as a function of time: 0 is the position, 1 its rate."""
        order = level - self._decisive
        if order >= 0:
            spline = self._spline.derivative(order) if order else self._spline
            return lambda times: self._held(spline, times, 0.0 if order else None)
        integral = self._spline.antiderivative(-order)
        zero = self._begin
        missing = [
            self._chain.starts[level + k] - float(integral.derivative(k)(zero) if k else integral(zero))
            for k in range(-order)
        ]
        return lambda times: np.asarray(
            integral(times) + sum(c * (times - zero) ** k / math.factorial(k) for k, c in enumerate(missing))
        )

    def _held(self, spline: PPoly, times: Array, outside: float | None) -> Array:
        """The spline between the samples; the constant end values outside."""
        first, last = float(spline.x[0]), float(spline.x[-1])
        found = np.asarray(spline(np.clip(times, first, last)), dtype=np.float64)
        slack = 1e-9 * (last - first)
        if outside is not None and not self._still:
            found[(times < first - slack) | (times > last + slack)] = outside
        return found

    def check(self, given: Mapping[str, Signal]) -> None:
        """Raise if given derivatives contradict the motion."""
        for level, name in enumerate(self._chain.names):
            if level <= self._decisive or name not in given:
                continue
            stated = given[name]
            inside = self._samples.times if not self._still else np.linspace(self._begin, self._end, 50)
            times = stated.times if isinstance(stated, Samples) else inside
            times = times[(times >= self._begin) & (times <= self._end)]
            told = np.array([stated(time) for time in times.tolist()])
            follows = self.level(level)(times)
            scale = max(np.abs(told).max(initial=0.0), np.abs(follows).max(initial=0.0))
            worst = int(np.argmax(np.abs(told - follows))) if len(times) else 0
            if len(times) and abs(told[worst] - follows[worst]) > AGREEMENT * scale:
                raise self._refused(
                    f"{name} is {told[worst]:.4g} at t = {times[worst]:g} s, but {self.name} implies "
                    f"{follows[worst]:.4g} there",
                    f"leave {name} out, so that it follows from {self.name}, or correct one of them",
                )

    def notes(self) -> Iterator[str]:
        times, values = self._samples.times, self._samples.values
        if self._still or self._decisive > 0 or len(times) < 4:
            return
        slopes = np.abs(np.diff(values) / np.diff(times))
        beside = np.maximum(np.r_[0.0, slopes[:-1]], np.r_[slopes[1:], 0.0])
        jumps = (slopes > _STEEPER * beside) & (np.abs(np.diff(values)) > _LARGE * np.ptp(values))
        if jumps.any():
            where = int(np.argmax(np.where(jumps, slopes, 0.0)))
            height, begin, end = values[where + 1] - values[where], times[where], times[where + 1]
            yield (
                f"{self.name} jumps by {height:.3g} between t = {begin:g} s and {end:g} s: a jump has no "
                "finite rate; the smooth curve through the samples overshoots there"
            )

    def _refused(self, message: str, hint: str) -> ModelError:
        return ModelError(self._samples.source, (Problem(self.name, message, hint),))


# --- files ----------------------------------------------------------------------------------------


def read_signals(path: Path) -> dict[str, Samples]:
    """The columns of a CSV file by name: a column ``time``, and a column for each input.

    Raises
    ------
    ModelError
        With everything that is wrong with the file.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = [row for row in csv.reader(stream) if row]
    except OSError as error:
        raise _refused(path, [Problem(str(path), f"cannot be read: {error.strerror}")]) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise _refused(path, [Problem(str(path), f"is not a CSV file: {error}")]) from None
    names = [name.strip() for name in rows[0]] if rows else []
    if "time" not in names or len(names) < 2:
        hint = "begin with a line such as time,force"
        raise _refused(
            path, [Problem(f"{path.name}:1", "there is no column time with inputs beside it", hint)]
        )
    table = _numbers(path, names, rows[1:])
    times = table[:, names.index("time")]
    return {
        name: Samples(times, table[:, column], str(path))
        for column, name in enumerate(names)
        if name != "time"
    }


def _numbers(path: Path, names: list[str], rows: list[list[str]]) -> Array:
    problems = []
    table = np.full((len(rows), len(names)), np.nan)
    for number, row in enumerate(rows):
        place = f"{path.name}:{number + 2}"
        if len(row) != len(names):
            problems.append(Problem(place, f"has {len(row)} values, not {len(names)}"))
            continue
        for column, text in enumerate(row):
            try:
                table[number, column] = float(text)
            except ValueError:
                problems.append(Problem(place, f"{names[column]}: {text!r} is not a number"))
                continue
            if not math.isfinite(table[number, column]):
                problems.append(Problem(place, f"{names[column]}: {text!r} is not a finite number"))
    if not rows:
        problems.append(Problem(path.name, "has no values below its first line"))
    times = table[:, names.index("time")]
    if not problems and np.any(np.diff(times) <= 0):
        later = int(np.argmax(np.diff(times) <= 0))
        problems.append(Problem(f"{path.name}:{later + 3}", "time does not increase from row to row"))
    if problems:
        raise _refused(path, problems)
    return table


def _refused(path: Path, problems: list[Problem]) -> ModelError:
    return ModelError(str(path), tuple(problems[:_MOST_PROBLEMS]))
