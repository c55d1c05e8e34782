"""Input signals from a CSV file: a column ``time``, and a column for each input."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmugen.errors import ModelError, Problem

__all__ = ["read_signals"]

_MOST_PROBLEMS = 10


def read_signals(path: Path) -> dict[str, Callable[[float], float]]:
    """Signals by input name, linear between the rows and constant before the first and after the last.

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
    return {name: _linear(times, table[:, column]) for column, name in enumerate(names) if name != "time"}


def _numbers(path: Path, names: list[str], rows: list[list[str]]) -> NDArray[np.float64]:
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
        problems.append(Problem(f"{path.name}:{later + 3}", "time does not grow from row to row"))
    if problems:
        raise _refused(path, problems)
    return table


def _linear(times: NDArray[np.float64], values: NDArray[np.float64]) -> Callable[[float], float]:
    return lambda time: float(np.interp(time, times, values))


def _refused(path: Path, problems: list[Problem]) -> ModelError:
    return ModelError(str(path), tuple(problems[:_MOST_PROBLEMS]))
