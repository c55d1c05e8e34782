"""STUDY.toml -> Study: what is varied, how often, and what is kept of a run."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from fmugen.errors import ModelError, Problem
from fmugen.ir.split import AUTO
from fmugen.master import Scheme
from fmugen.suggestions import did_you_mean

__all__ = [
    "MESSAGE",
    "RUN",
    "Goal",
    "Grid",
    "Measure",
    "Method",
    "Normal",
    "Reduction",
    "Study",
    "Uniform",
    "read_study",
]

#: The columns of the results that are neither parameters nor measures: no variable of fmugen has such names.
RUN, MESSAGE = "#run", "#message"


class Method(Enum):
    """How the runs are chosen."""

    GRID = "grid"
    RANDOM = "random"
    SENSITIVITY = "sensitivity"


class Reduction(Enum):
    """What is kept of a signal."""

    FINAL = "final"
    MAX = "max"
    MIN = "min"
    MEAN = "mean"
    RMS = "rms"
    PEAK = "peak"


@dataclass(frozen=True)
class Grid:
    """The values of a parameter, all of which are tried."""

    values: tuple[float, ...]


@dataclass(frozen=True)
class Uniform:
    least: float
    most: float


@dataclass(frozen=True)
class Normal:
    mean: float
    deviation: float


Variation = Grid | Uniform | Normal


@dataclass(frozen=True)
class Measure:
    """A number kept of each run: a variable, reduced over time."""

    name: str
    variable: str
    reduction: Reduction


@dataclass(frozen=True)
class Goal:
    """The measure that decides which run is best."""

    measure: str
    largest: bool


@dataclass(frozen=True)
class Study:
    """What the user asks for; ``subject`` is a model file, an FMU or an SSP package.

    ``inputs`` are constants, or CSV files with a column of the name of the input.
    ``parts`` tells how a model file is split: the file of its parts, or ``auto``; empty leaves it whole.
    ``runs`` are samples: of the random method all of them, of the sensitivity method the base samples, each
    of which takes one run more than there are parameters, plus one.
    """

    subject: Path
    method: Method
    variations: dict[str, Variation]
    measures: tuple[Measure, ...]
    runs: int = 0
    seed: int = 0
    chunk: int = 100
    stop: float | None = None
    step: float | None = None
    inputs: dict[str, float | Path] = field(default_factory=dict)
    goal: Goal | None = None
    parts: str = ""
    scheme: Scheme = Scheme.JACOBI


_MEASURE = re.compile(rf"\s*({'|'.join(r.value for r in Reduction)})\s*\(\s*(\S+?)\s*\)\s*")
_KEYS = ("subject", "method", "runs", "seed", "chunk", "stop", "step", "parts", "scheme")
_SHAPES = "values = [...], or from, to and count"
_MOST_GRID_POINTS = 10_000_000


def read_study(path: Path) -> Study:
    """Read a study.

    Raises
    ------
    ModelError
        With everything that is wrong with the file.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(str(path), (Problem(str(path), f"cannot be read: {error.strerror}"),)) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(str(path), (Problem(str(path), f"is not TOML: {error}"),)) from None
    reader = _Reader(tables)
    study = reader.study(path.parent)
    if reader.problems:
        raise ModelError(str(path), tuple(reader.problems))
    return study


class _Reader:
    """Collects problems; what is wrong gets a harmless value, since the study is refused anyway."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.tables = tables
        self.problems: list[Problem] = []

    def problem(self, place: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(place, message, hint))

    def study(self, folder: Path) -> Study:
        self._known("", self.tables, ("study", "parameters", "inputs", "results", "goal"))
        head = self._table("study")
        self._known("study.", head, _KEYS)
        method = self._method(head.get("method"))
        measures = tuple(self._measures(self._table("results")))
        subject = folder / self._text(head.get("subject"))
        inputs = _flat("", self._table("inputs"), _is_table)
        return Study(
            subject,
            method,
            self._variations(method),
            measures,
            self._runs(method, head.get("runs")),
            self._whole("study.seed", head.get("seed", 0), 0),
            self._whole("study.chunk", head.get("chunk", 100), 1),
            self._duration("study.stop", head.get("stop")),
            self._duration("study.step", head.get("step")),
            {name: self._input(folder, f"inputs.{name}", x) for name, x in inputs},
            self._goal(measures),
            self._parts(subject, head.get("parts", "")),
            self._scheme(head.get("scheme", Scheme.JACOBI.value)),
        )

    # --- tables -----------------------------------------------------------------------------------

    def _text(self, subject: object) -> str:
        if isinstance(subject, str) and subject:
            return subject
        hint = 'write subject = "model.toml"'
        self.problem("study.subject", "is not a model file, an FMU or an SSP package", hint)
        return ""

    def _parts(self, subject: Path, parts: object) -> str:
        if not isinstance(parts, str):
            self.problem("study.parts", f"{parts!r} names no file", 'write parts = "parts.toml" or "auto"')
            return ""
        if parts and subject.suffix.lower() in (".fmu", ".ssp"):
            self.problem("study.parts", "only a model file can be split", "leave parts out")
        return parts if parts in ("", AUTO) else str(subject.parent / parts)

    def _scheme(self, name: object) -> Scheme:
        names = [scheme.value for scheme in Scheme]
        if name in names:
            return Scheme(name)
        self.problem("study.scheme", f"{name!r} is not a scheme", f"the schemes are {', '.join(names)}")
        return Scheme.JACOBI

    def _method(self, name: object) -> Method:
        if name in [method.value for method in Method]:
            return Method(name)
        names = ", ".join(method.value for method in Method)
        self.problem("study.method", f"{name!r} is not a method", f"the methods are {names}")
        return Method.RANDOM

    def _runs(self, method: Method, runs: object) -> int:
        if method is Method.GRID:
            if runs is not None:
                self.problem("study.runs", "a grid has as many runs as it has points", "leave runs out")
            return 0
        return self._whole("study.runs", runs, 2)

    def _variations(self, method: Method) -> dict[str, Variation]:
        table = self._parameters()
        if not table:
            self.problem("parameters", "nothing is varied", "name at least one parameter of the model")
        one = self._grid if method is Method.GRID else self._distribution
        variations = {name: one(f"parameters.{name}", given) for name, given in table.items()}
        for name in (RUN, MESSAGE):
            if name in table:
                self.problem(f"parameters.{name}", "the name is taken by another column of the results")
        points = math.prod(len(v.values) for v in variations.values() if isinstance(v, Grid))
        if points > _MOST_GRID_POINTS:
            self.problem("parameters", f"the grid has {points} points", f"at most {_MOST_GRID_POINTS}")
        return variations

    def _grid(self, place: str, given: object) -> Variation:
        match given:
            case {"values": list(values), **rest} if values and not rest:
                return Grid(tuple(self._number(place, value) for value in values))
            case {"from": first, "to": last, "count": int(count), **rest} if count > 1 and not rest:
                begin, end = self._number(place, first), self._number(place, last)
                return Grid(tuple(begin + (end - begin) * k / (count - 1) for k in range(count)))
        self.problem(place, "the grid has no values", f"give {_SHAPES}")
        return Grid((0.0,))

    def _distribution(self, place: str, given: object) -> Variation:
        match given:
            case {"min": least, "max": most, **rest} if not rest:
                low, high = self._number(place, least), self._number(place, most)
                if low < high:
                    return Uniform(low, high)
                self.problem(place, "min is not below max")
            case {"mean": mean, "deviation": deviation, **rest} if not rest:
                width = self._number(place, deviation)
                if width > 0.0:
                    return Normal(self._number(place, mean), width)
                self.problem(place, "the deviation is not positive")
            case _:
                self.problem(place, "has no distribution", "give min and max, or mean and deviation")
        return Uniform(0.0, 1.0)

    def _measures(self, table: Mapping[str, Any]) -> Iterator[Measure]:
        if not table:
            self.problem("results", "the study keeps no results", 'write for example peak = "peak(force)"')
        taken = {RUN, MESSAGE, *self._parameters()}
        for name, text in table.items():
            match = _MEASURE.fullmatch(text) if isinstance(text, str) else None
            if name in taken:
                self.problem(f"results.{name}", "the name is taken by another column of the results")
            elif match is None:
                words = ", ".join(f"{reduction.value}(...)" for reduction in Reduction)
                self.problem(
                    f"results.{name}", f"{text!r} is not a reduction of a variable", f"write one of {words}"
                )
            else:
                yield Measure(name, match[2], Reduction(match[1]))

    def _goal(self, measures: tuple[Measure, ...]) -> Goal | None:
        table = self._table("goal")
        if not table:
            return None
        names = [measure.name for measure in measures]
        match dict(table):
            case {"minimize": str(name), **rest} | {"maximize": str(name), **rest} if not rest:
                if name not in names:
                    self.problem("goal", f"{name!r} is not a result", did_you_mean(name, names))
                return Goal(name, "maximize" in table)
        self.problem("goal", "is not one of minimize and maximize", 'write minimize = "NAME OF A RESULT"')
        return None

    # --- values -----------------------------------------------------------------------------------

    def _table(self, name: str) -> Mapping[str, Any]:
        table = self.tables.get(name, {})
        if isinstance(table, dict):
            return table
        if not any(problem.place == name for problem in self.problems):
            self.problem(name, "is not a table", f"write [{name}]")
        return {}

    def _parameters(self) -> dict[str, object]:
        # What is said of a parameter is a table itself, but not one of tables.
        return dict(_flat("", self._table("parameters"), _is_table_of_tables))

    def _known(self, prefix: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for key in table:
            if key not in known:
                hint = did_you_mean(key, known) or f"the keys are {', '.join(known)}"
                self.problem(f"{prefix}{key}", "a study has no such key", hint)

    def _input(self, folder: Path, place: str, value: object) -> float | Path:
        if isinstance(value, str) and value.lower().endswith(".csv"):
            return folder / value
        if isinstance(value, str):
            self.problem(place, f"{value!r} is neither a number nor a CSV file", 'write "FILE.csv"')
            return 0.0
        return self._number(place, value)

    def _number(self, place: str, value: object) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
        self.problem(place, f"{value!r} is not a finite number")
        return 0.0

    def _whole(self, place: str, value: object, least: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self.problem(place, f"{value!r} is not a whole number of at least {least}")
        return least

    def _duration(self, place: str, value: object) -> float | None:
        if value is None:
            return None
        duration = self._number(place, value)
        if duration <= 0.0:
            self.problem(place, f"{value!r} is not positive")
        return duration


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_table_of_tables(value: object) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(_is_table, value.values()))


def _flat(
    prefix: str, table: Mapping[str, Any], holds_names: Callable[[object], bool]
) -> Iterator[tuple[str, object]]:
    """The entries of a table; those of tables inside have both names, joined by a dot."""
    for key, value in table.items():
        if holds_names(value):
            yield from _flat(f"{prefix}{key}.", value, holds_names)
        else:
            yield f"{prefix}{key}", value
