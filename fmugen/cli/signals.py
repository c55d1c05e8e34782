"""The values of the options ``--input`` and ``--set``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import typer

from fmugen.signals import Signal, constant, read_signals
from fmugen.suggestions import choice_hint

__all__ = ["assignment", "input_files", "read_inputs", "require_known"]


def _is_file(item: str) -> bool:
    return item.lower().endswith(".csv")


def input_files(given: Iterable[str]) -> list[Path]:
    """The files among the values of ``--input``."""
    return [Path(item) for item in given if _is_file(item)]


def read_inputs(given: Iterable[str], known: list[str]) -> dict[str, Signal]:
    """Signals by input name, from the values of ``--input``: NAME=VALUE, or a CSV file."""
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
        hint = choice_hint(name, known, "it has")
        raise typer.BadParameter(f"the model has no {what} {name!r}; {hint}", param_hint=option)
