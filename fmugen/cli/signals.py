"""Input signals from a CSV file: a column ``time``, and a column for each input."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import typer
from numpy.typing import NDArray

from fmugen.errors import ModelError, Problem
from fmugen.signals import Samples, Signal, constant
from fmugen.suggestions import did_you_mean

__all__ = ["assignment", "input_files", "read_inputs", "read_signals", "require_known"]

_MOST_PROBLEMS = 10


def _is_file(item: str) -> bool:
    return item.lower().endswith(".csv")


def input_files(given: Iterable[str]) -> list[Path]:
    """The files among what is written behind ``--input``."""
    return [Path(item) for item in given if _is_file(item)]


def read_inputs(given: Iterable[str], known: list[str]) -> dict[str, Signal]:
    """Signals by input name, from what is written behind ``--input``: NAME=VALUE, or a CSV file."""
    signals: dict[str, Signal] = {}
    for item in given:
        if _is_file(item):
            found: dict[str, Signal] = {**read_signals(Path(item))}
        else:
            name, value = assignment(item, "--input")
            found = {name: constant(value)}
        for name in found:
            require_known(name, known, "input", "--input")
        signals |= found
    return signals


def assignment(text: str, option: str) -> tuple[str, float]:
    """The name and the value of NAME=VALUE."""
    name, equals, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not equals or not np.isfinite(number):
        raise typer.BadParameter(f"{text!r} is not of the form NAME=NUMBER", param_hint=option)
    return name.strip(), number


def require_known(name: str, known: list[str], what: str, option: str) -> None:
    """Refuse a name that the model does not have."""
    if name not in known:
        hint = did_you_mean(name, known) or f"it has {', '.join(known) or 'none'}"
        raise typer.BadParameter(f"the model has no {what} {name!r}; {hint}", param_hint=option)


def read_signals(path: Path) -> dict[str, Samples]:
    """The columns of a file, by input name.

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


def _refused(path: Path, problems: list[Problem]) -> ModelError:
    return ModelError(str(path), tuple(problems[:_MOST_PROBLEMS]))
