"""Runs one FMU with FMPy, in a separate process.

An FMU may hang or crash. It therefore runs in a process that the caller can end. The program reads
``request.json`` in the directory given as its argument: the FMU, and the runs to make of it. It writes there,
after the N-th run, ``values-N.npy`` (a row per communication point) and ``response-N.json`` (log messages,
the error if there was one, and the message of the FMU that explains it). It imports nothing of fmugen.

The version of FMI is that of the FMU. Co-simulation is stepped here, by communication steps.
Model exchange is integrated by FMPy, with CVode or with explicit Euler.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.simulation import instantiate_fmu

#: The status OK, in FMI 2 and 3.
_OK, _WARNING = 0, 1
_MODEL_EXCHANGE = "ModelExchange"
_NAMES = {"CoSimulation": "co-simulation", _MODEL_EXCHANGE: "model exchange"}
#: Times are equal if they differ by less than this fraction of the step.
_SAME = 1e-6

_Table = np.ndarray[Any, np.dtype[np.float64]]


class _Run:
    """One instance of an FMU, from instantiation to its last communication point."""

    def __init__(self, fmu: str, unzipped: str, request: dict[str, Any]) -> None:
        self.request = request
        self.messages: list[str] = []
        self.refusal: str | None = None
        self.time = 0.0
        self.description = description = fmpy.read_model_description(fmu, validate=False)
        self._three = description.fmiVersion.startswith("3.")
        self._references = {entry.name: entry.valueReference for entry in description.modelVariables}
        self._check_request()
        stepped = description.coSimulation
        # FMI 3 has no derivatives of inputs between communication points.
        self._interpolates = stepped is not None and bool(stepped.canInterpolateInputs) and not self._three
        self._unzipped = unzipped
        if not Path(unzipped).exists():
            fmpy.extract(fmu, unzipdir=unzipped)

    def _check_request(self) -> None:
        request, description = self.request, self.description
        kind = request["interface"]
        offered = description.modelExchange if kind == _MODEL_EXCHANGE else description.coSimulation
        if offered is None:
            raise LookupError(f"the FMU has no {_NAMES[kind]} interface")
        for name in (*request["parameters"], *request["inputs"], *request["outputs"]):
            if name not in self._references:
                raise LookupError(f"the FMU has no variable {name!r}")

    def _log(self, status: int, message: bytes) -> None:
        if status != _OK and message:
            self.messages.append(message.decode("utf-8", "replace"))
            if status != _WARNING:
                self.refusal = self.messages[-1]

    def _logger(self) -> Callable[..., None]:
        if self._three:
            return lambda environment, status, category, message: self._log(status, message)
        return lambda environment, instance, status, category, message: self._log(status, message)

    def _instance(self) -> Any:
        return instantiate_fmu(
            self._unzipped,
            self.description,
            self.request["interface"],
            debug_logging=True,
            logger=self._logger(),
        )

    def run(self) -> _Table:
        """The outputs at every communication point."""
        if self.request["interface"] == _MODEL_EXCHANGE:
            return self._integrated()
        return self._stepped()

    # --- co-simulation ----------------------------------------------------------------------------

    def _stepped(self) -> _Table:
        request, slave = self.request, self._instance()
        times, parameters = request["times"], request["parameters"]
        read = slave.getFloat64 if self._three else slave.getReal
        write = slave.setFloat64 if self._three else slave.setReal
        watched = [self._references[name] for name in request["outputs"]]
        span = {"startTime": times[0], "stopTime": times[-1]}
        if not self._three:
            slave.setupExperiment(**span)
        if parameters:
            write([self._references[name] for name in parameters], list(parameters.values()))
        self._set_inputs(slave, write, 0)
        slave.enterInitializationMode(**(span if self._three else {}))
        slave.exitInitializationMode()
        table = [read(watched)]
        for number in range(1, len(times)):
            self.time = times[number - 1]
            slave.doStep(self.time, times[number] - self.time)
            self._set_inputs(slave, write, number)
            table.append(read(watched))
        slave.terminate()
        slave.freeInstance()
        return np.array(table)

    def _set_inputs(self, slave: Any, write: Callable[..., None], number: int) -> None:
        inputs = self.request["inputs"]
        if inputs:
            write([self._references[name] for name in inputs], [column[number] for column in inputs.values()])
        rows_of = self.request["derivatives"] if self._interpolates else {}
        for name, rows in rows_of.items():
            if number < len(rows):  # nothing is recorded after the last point
                orders = list(range(1, len(rows[number]) + 1))
                references = [self._references[name]] * len(orders)
                slave.setRealInputDerivatives(references, orders, rows[number])

    # --- model exchange ---------------------------------------------------------------------------

    def _integrated(self) -> _Table:
        request, times = self.request, np.array(self.request["times"])
        step = float(times[1] - times[0])
        model = self._instance()
        rows = fmpy.simulate_fmu(
            self._unzipped,
            validate=False,
            start_time=times[0],
            stop_time=times[-1],
            solver=request["solver"],
            step_size=step,
            output_interval=step,
            relative_tolerance=request["tolerance"],
            fmi_type=_MODEL_EXCHANGE,
            start_values=request["parameters"],
            input=self._held_inputs(),
            output=request["outputs"],
            model_description=self.description,
            fmu_instance=model,
            step_finished=self._note,
        )
        model.freeInstance()
        # At an event FMPy records the values before and after it: those after it count.
        last = np.searchsorted(rows["time"], times + _SAME * step, side="right") - 1
        if np.abs(rows["time"][last] - times).max() > _SAME * step:
            raise RuntimeError("the FMU asked to end the simulation")
        return np.column_stack([rows[name][last] for name in request["outputs"]])

    def _note(self, time: float, recorder: Any) -> bool:
        self.time = float(time)
        return True

    def _held_inputs(self) -> _Table | None:
        """Inputs that are held between communication points; FMPy takes two rows of one time as a jump."""
        inputs = self.request["inputs"]
        if not inputs:
            return None
        columns = {"time": np.repeat(self.request["times"], 2)[1:]}
        columns |= {name: np.repeat(values, 2)[:-1] for name, values in inputs.items()}
        signals = np.empty(len(columns["time"]), dtype=[(name, np.float64) for name in columns])
        for name, column in columns.items():
            signals[name] = column
        return signals


def _answer(run: Callable[[], _Run], directory: Path, number: int) -> None:
    """Make a run, and write its values and its response."""
    response: dict[str, Any] = {"error": None, "refusal": None, "time": 0.0, "messages": []}
    made = None
    try:
        made = run()
        np.save(directory / f"values-{number}.npy", made.run())
    except Exception as error:  # FMPy raises bare Exception where an FMU does not load or instantiate
        response["error"] = str(error)
    if made is not None:
        response |= {"refusal": made.refusal, "time": made.time, "messages": made.messages}
    (directory / f"response-{number}.json").write_text(json.dumps(response), encoding="utf-8")


def main(directory: Path) -> None:
    """Answer the request in a directory, one run after the other."""
    request = json.loads((directory / "request.json").read_text(encoding="utf-8"))

    def run(wanted: dict[str, Any]) -> _Run:
        return _Run(request["fmu"], str(directory / "fmu"), wanted)

    for number, wanted in enumerate(request["runs"]):
        _answer(partial(run, wanted), directory, number)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
