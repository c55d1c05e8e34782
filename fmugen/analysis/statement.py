"""Compilation -> Statement: the summary of a model that all commands share."""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.ir.flow import Closure
from fmugen.ir.trial import TrialRun
from fmugen.pipeline import Compilation

__all__ = ["Statement", "statement_of"]


@dataclass(frozen=True)
class Statement:
    """The coordinates of a model, how its loops are closed, and what iterates.

    ``sets`` are the sets of independent coordinates that the FMU holds, the one of the start first.
    ``sentence`` is how loops are closed, in one line.
    """

    coordinates: tuple[str, ...]
    independent: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...]
    closure: Closure
    sentence: str
    trial: TrialRun


def statement_of(made: Compilation) -> Statement:
    """The summary of a model that every command prints."""
    names = made.program.coordinate_names
    sets = tuple(tuple(names[k] for k in each.independent) for each in made.flow.sets)
    return Statement(names, sets[0], sets, made.flow.closure, made.measured_closure.sentence, made.trial)
