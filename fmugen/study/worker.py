"""What a worker does: it loads the FMU or the package once, and runs it again and again.

If an FMU refuses a run, its message is the result of that run.
"""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmugen.errors import SimulationError
from fmugen.master import Cosimulation, PartVariable, Scheme, Signals, load_system
from fmugen.study.spec import Reduction

__all__ = ["Array", "Outcome", "Runs", "StudySetup", "Subject"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Subject:
    """The file that is run, an FMU or an SSP package: its name, whose ending is the type, and its content."""

    name: str
    content: bytes


@dataclass(frozen=True)
class StudySetup:
    """What all runs have in common: ``parameters`` are the places that each value of a run goes to."""

    times: tuple[float, ...]
    parameters: tuple[tuple[PartVariable, ...], ...]
    inputs: dict[PartVariable, float]
    measures: tuple[tuple[PartVariable, Reduction], ...]
    scheme: Scheme = Scheme.JACOBI
    signals: Signals = field(default_factory=Signals)


@dataclass(frozen=True)
class Outcome:
    """The measures of one run, or why it has none."""

    values: tuple[float, ...]
    message: str = ""


class Runs:
    """A loaded subject; :meth:`run` can be called repeatedly."""

    def __init__(self, subject: Subject, experiment: StudySetup) -> None:
        self.experiment = experiment
        self._folder = tempfile.TemporaryDirectory(prefix="fmugen-")
        folder = Path(self._folder.name)
        archive = folder / subject.name
        archive.write_bytes(subject.content)
        self._master = Cosimulation(load_system(archive, folder / "unpacked"), experiment.scheme)

    def close(self) -> None:
        """Unload the subject and remove its files."""
        self._master.close()
        self._folder.cleanup()

    def run(self, values: Array) -> Outcome:
        """One run with the given parameters."""
        experiment = self.experiment
        settings = {
            place: value
            for places, value in zip(experiment.parameters, values.tolist(), strict=True)
            for place in places
        }
        watched = list(dict.fromkeys(place for place, _ in experiment.measures))
        try:
            table = self._master.run(
                experiment.times, watched, settings, experiment.inputs, experiment.signals
            )
        except SimulationError as error:
            return Outcome((math.nan,) * len(experiment.measures), str(error))
        columns = {place: table[:, k] for k, place in enumerate(watched)}
        return Outcome(tuple(_reduced(how, columns[place]) for place, how in experiment.measures))


def _reduced(reduction: Reduction, signal: Array) -> float:
    match reduction:
        case Reduction.FINAL:
            return float(signal[-1])
        case Reduction.MAX:
            return float(signal.max())
        case Reduction.MIN:
            return float(signal.min())
        case Reduction.MEAN:
            return float(signal.mean())
        case Reduction.RMS:
            return float(np.sqrt(np.mean(signal**2)))
        case Reduction.PEAK:
            return float(np.abs(signal).max())
