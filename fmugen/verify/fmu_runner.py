"""Runs one FMU with FMPy, as a program of its own.

An FMU is foreign machine code: it may hang or crash. It therefore runs in a process that the caller can
end. The program reads ``request.json`` in the directory given as its argument, and writes there
``values.npy`` (a row per communication point) and ``response.json`` (log messages, the error if there
was one, and the message of the FMU that explains it). It imports nothing of fmugen.
"""

from __future__ import annotations

import json
import sys
from ctypes import byref
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import (
    FMU2Slave,
    calloc,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
    fmi2OK,
    fmi2Warning,
    free,
)
from fmpy.logging import addLoggerProxy


class _Run:
    """One instance of an FMU, from instantiation to its last communication point."""

    def __init__(self, request: dict[str, Any], directory: Path) -> None:
        self.request = request
        self.messages: list[str] = []
        self.refusal: str | None = None
        self.time = 0.0
        description = fmpy.read_model_description(request["fmu"], validate=False)
        if description.coSimulation is None:
            raise LookupError("the FMU has no co-simulation interface")
        self.interpolates = bool(description.coSimulation.canInterpolateInputs)
        self.references = {entry.name: entry.valueReference for entry in description.modelVariables}
        self._check_names()
        unzipped = fmpy.extract(request["fmu"], unzipdir=str(directory / "fmu"))
        self.slave = FMU2Slave(
            guid=description.guid,
            unzipDirectory=unzipped,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=description.modelName,
        )

    def _check_names(self) -> None:
        request = self.request
        for name in (*request["parameters"], *request["inputs"], *request["outputs"]):
            if name not in self.references:
                raise LookupError(f"the FMU has no variable {name!r}")

    def _log(self, environment: Any, instance: bytes, status: int, category: bytes, message: bytes) -> None:
        if status != fmi2OK and message:
            self.messages.append(message.decode("utf-8", "replace"))
            if status != fmi2Warning:
                self.refusal = self.messages[-1]

    def _callbacks(self) -> fmi2CallbackFunctions:
        callbacks = fmi2CallbackFunctions()
        callbacks.logger = fmi2CallbackLoggerTYPE(self._log)
        callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(free)
        addLoggerProxy(byref(callbacks))
        return callbacks

    def _set_inputs(self, number: int) -> None:
        inputs = self.request["inputs"]
        if inputs:
            values = [samples[number] for samples in inputs.values()]
            self.slave.setReal([self.references[name] for name in inputs], values)
        rows_of = self.request["derivatives"] if self.interpolates else {}
        for name, rows in rows_of.items():
            if number < len(rows):  # behind the last point nothing is asked
                orders = range(1, len(rows[number]) + 1)
                self.slave.setRealInputDerivatives(
                    [self.references[name]] * len(orders), list(orders), rows[number]
                )

    def run(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The outputs at every communication point."""
        request, slave = self.request, self.slave
        times = request["times"]
        parameters = request["parameters"]
        watched = [self.references[name] for name in request["outputs"]]
        slave.instantiate(callbacks=self._callbacks(), loggingOn=True)
        slave.setupExperiment(startTime=times[0], stopTime=times[-1])
        if parameters:
            slave.setReal([self.references[name] for name in parameters], list(parameters.values()))
        self._set_inputs(0)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        table = [slave.getReal(watched)]
        for number in range(1, len(times)):
            self.time = times[number - 1]
            slave.doStep(self.time, times[number] - self.time)
            self._set_inputs(number)
            table.append(slave.getReal(watched))
        slave.terminate()
        slave.freeInstance()
        return np.array(table)


def main(directory: Path) -> None:
    """Answer the request in a directory."""
    request = json.loads((directory / "request.json").read_text(encoding="utf-8"))
    response: dict[str, Any] = {"error": None, "refusal": None, "time": 0.0, "messages": []}
    run = None
    try:
        run = _Run(request, directory)
        np.save(directory / "values.npy", run.run())
    except Exception as error:  # FMPy raises bare Exception where an FMU does not load or instantiate
        response["error"] = str(error)
    if run is not None:
        response |= {"refusal": run.refusal, "time": run.time, "messages": run.messages}
    (directory / "response.json").write_text(json.dumps(response), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
