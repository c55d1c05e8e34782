"""What a worker does: it loads the FMU once, and runs it again and again with other parameters.

An FMU that fails in a run is instantiated anew; what it said is the result of that run.
"""

from __future__ import annotations

import math
import tempfile
from ctypes import byref
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import (
    FMU2Slave,
    calloc,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
    fmi2OK,
    free,
)
from fmpy.logging import addLoggerProxy
from numpy.typing import NDArray

from fmugen.study.spec import Measure, Reduction

__all__ = ["Array", "Experiment", "FmuRuns", "Outcome"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Experiment:
    """What all runs have in common."""

    times: tuple[float, ...]
    parameters: tuple[str, ...]
    inputs: dict[str, float]
    measures: tuple[Measure, ...]


@dataclass(frozen=True)
class Outcome:
    """The measures of one run, or why it has none."""

    values: tuple[float, ...]
    message: str = ""


class FmuRuns:
    """A loaded FMU; :meth:`run` may be called as often as one likes."""

    def __init__(self, content: bytes, experiment: Experiment) -> None:
        self.experiment = experiment
        self._folder = tempfile.TemporaryDirectory(prefix="fmugen-")
        archive = Path(self._folder.name) / "model.fmu"
        archive.write_bytes(content)
        description = fmpy.read_model_description(str(archive), validate=False)
        references = {variable.name: variable.valueReference for variable in description.modelVariables}
        self._parameters = [references[name] for name in experiment.parameters]
        self._inputs = [references[name] for name in experiment.inputs]
        self._watched = [references[measure.variable] for measure in experiment.measures]
        self._library = {
            "guid": description.guid,
            "unzipDirectory": fmpy.extract(str(archive), unzipdir=str(Path(self._folder.name) / "fmu")),
            "modelIdentifier": description.coSimulation.modelIdentifier,
            "instanceName": description.modelName,
        }
        self._messages: list[str] = []
        self._callbacks = self._logging()
        self._slave = self._instantiated()

    def close(self) -> None:
        """Unload the FMU and remove its files."""
        self._slave.freeInstance()
        self._folder.cleanup()

    def run(self, values: Array) -> Outcome:
        """One run with the given parameters."""
        self._messages.clear()
        try:
            table = self._simulate(values)
        except FMICallException as error:
            self._slave.freeInstance()
            self._slave = self._instantiated()
            said = self._messages[-1] if self._messages else str(error)
            return Outcome((math.nan,) * len(self._watched), said)
        self._slave.reset()
        measures = self.experiment.measures
        return Outcome(tuple(_reduced(measure, table[:, k]) for k, measure in enumerate(measures)))

    def _instantiated(self) -> FMU2Slave:
        slave = FMU2Slave(**self._library)
        slave.instantiate(callbacks=self._callbacks, loggingOn=True)
        return slave

    def _simulate(self, values: Array) -> Array:
        slave, times = self._slave, self.experiment.times
        slave.setupExperiment(startTime=times[0], stopTime=times[-1])
        slave.setReal(self._parameters, values.tolist())
        if self._inputs:
            slave.setReal(self._inputs, list(self.experiment.inputs.values()))
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        table = [slave.getReal(self._watched)]
        for begin, end in pairwise(times):
            slave.doStep(begin, end - begin)
            table.append(slave.getReal(self._watched))
        return np.array(table)

    def _logging(self) -> fmi2CallbackFunctions:
        callbacks = fmi2CallbackFunctions()
        callbacks.logger = fmi2CallbackLoggerTYPE(self._log)
        callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(free)
        addLoggerProxy(byref(callbacks))
        return callbacks

    def _log(self, environment: Any, instance: bytes, status: int, category: bytes, message: bytes) -> None:
        if status != fmi2OK and message:
            self._messages.append(message.decode("utf-8", "replace"))


def _reduced(measure: Measure, signal: Array) -> float:
    match measure.reduction:
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
