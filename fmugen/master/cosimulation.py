"""A master: connected FMUs run by co-simulation, with fixed communication points.

The FMUs are loaded once and reset between runs. At the start, outputs go over the wires in the order of what
they depend on, so that every part knows what the others begin with, whatever the parameters are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import (
    FMU2Slave,
    calloc,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
    fmi2Warning,
    free,
)
from numpy.typing import NDArray

from fmugen.errors import SimulationError
from fmugen.master.system import PartFmu, PartVariable, System, Wire

__all__ = ["Array", "Cosimulation", "Scheme", "Signals"]

Array = NDArray[np.float64]


class Scheme(Enum):
    """When values are exchanged: after all parts have stepped, or after each part, in their order."""

    JACOBI = "jacobi"
    GAUSS_SEIDEL = "gauss-seidel"


@dataclass(frozen=True)
class Signals:
    """Inputs that change: their values at all times, and derivatives of the orders 1, 2, ... there.

    The derivatives at a time tell how an input goes on to the next one.
    """

    values: Mapping[PartVariable, Sequence[float]] = field(default_factory=dict)
    derivatives: Mapping[PartVariable, Sequence[Sequence[float]]] = field(default_factory=dict)

    def tell(self, number: int, slave: _Slave) -> None:
        """Set the inputs of an FMU to what they are at one of the times."""
        part = slave.part.name
        slave.set(
            {variable: column[number] for (owner, variable), column in self.values.items() if owner == part}
        )
        for (owner, variable), rows in self.derivatives.items():
            if owner == part and number < len(rows):
                slave.set_derivatives(variable, rows[number])


class Cosimulation:
    """The FMUs of a system, loaded; :meth:`run` can be called repeatedly."""

    def __init__(self, system: System, scheme: Scheme = Scheme.JACOBI) -> None:
        self.system = system
        self._rounds = system.rounds()
        self._groups = [system.parts] if scheme is Scheme.JACOBI else [(part,) for part in system.parts]
        self._messages: list[str] = []
        self._slaves: dict[str, _Slave] = {}
        self._instantiate()

    def close(self) -> None:
        """Unload the FMUs."""
        for slave in self._slaves.values():
            slave.fmu.freeInstance()
        self._slaves.clear()

    def run(
        self,
        times: Sequence[float],
        watched: Sequence[PartVariable],
        parameters: Mapping[PartVariable, float] | None = None,
        inputs: Mapping[PartVariable, float] | None = None,
        signals: Signals | None = None,
    ) -> Array:
        """One run; a row for every time, a column for everything that is watched.

        The parameter values of the system are set first, then those that are given. Constant ``inputs`` are
        set once, ``signals`` at every time.

        Raises
        ------
        SimulationError
            If an FMU refuses, with what it said; the FMUs are then instantiated again.
        """
        self._messages.clear()
        settings = {**self.system.settings, **(parameters or {}), **(inputs or {})}
        signals = signals or Signals()
        time = times[0]
        try:
            self._initialize(times, settings, signals)
            rows = [self._read(watched)]
            for number, (time, end) in enumerate(pairwise(times), start=1):
                for group in self._groups:
                    self._step(group, time, end - time, partial(signals.tell, number))
                rows.append(self._read(watched))
        except FMICallException as error:
            self.close()
            self._instantiate()
            said = "; ".join(dict.fromkeys(self._messages)) or f"{error} (at {time:g} s)"
            raise SimulationError(said) from error
        for slave in self._slaves.values():
            slave.fmu.reset()
        return np.array(rows)

    def _instantiate(self) -> None:
        self._slaves = {
            part.name: _Slave(part, self.system.wires, self._messages) for part in self.system.parts
        }

    def _initialize(
        self, times: Sequence[float], settings: Mapping[PartVariable, float], signals: Signals
    ) -> None:
        for name, slave in self._slaves.items():
            own = {variable: value for (part, variable), value in settings.items() if part == name}
            slave.fmu.setupExperiment(startTime=times[0], stopTime=times[-1])
            slave.set(own)
            signals.tell(0, slave)
            slave.fmu.enterInitializationMode()
        for layer in self._rounds:
            for name in dict.fromkeys(wire.source for wire in layer):
                wires = [wire for wire in layer if wire.source == name]
                values = self._slaves[name].get([wire.output for wire in wires])
                for wire, value in zip(wires, values, strict=True):
                    self._slaves[wire.target].set({wire.input: value})
        for slave in self._slaves.values():
            slave.fmu.exitInitializationMode()
        for slave in self._slaves.values():
            slave.give()

    def _step(
        self, group: Sequence[PartFmu], time: float, step: float, tell: Callable[[_Slave], None]
    ) -> None:
        slaves = [self._slaves[part.name] for part in group]
        for slave in slaves:
            slave.take(self._slaves)
        for slave in slaves:
            slave.fmu.doStep(time, step)
            tell(slave)
        for slave in slaves:
            slave.give()

    def _read(self, watched: Sequence[PartVariable]) -> list[float]:
        found: dict[PartVariable, float] = {}
        for name in dict.fromkeys(part for part, _ in watched):
            variables = [variable for part, variable in watched if part == name]
            values = self._slaves[name].get(variables)
            found |= {(name, variable): value for variable, value in zip(variables, values, strict=True)}
        return [found[place] for place in watched]


class _Slave:
    """An FMU, what it sends, and where what it takes comes from."""

    def __init__(self, part: PartFmu, wires: Sequence[Wire], messages: list[str]) -> None:
        self.part = part
        self._messages = messages
        self._sent = list(dict.fromkeys(wire.output for wire in wires if wire.source == part.name))
        self._sent_references = [part.references[name] for name in self._sent]
        heard = [wire for wire in wires if wire.target == part.name]
        self._heard = [(wire.source, wire.output) for wire in heard]
        self._heard_references = [part.references[wire.input] for wire in heard]
        self.values: dict[str, float] = {}
        self.fmu = FMU2Slave(
            guid=part.description.guid,
            unzipDirectory=str(part.folder),
            modelIdentifier=part.description.coSimulation.modelIdentifier,
            instanceName=part.name or part.description.modelName,
        )
        self._callbacks = self._logging()  # which must live as long as the instance
        self.fmu.instantiate(callbacks=self._callbacks, loggingOn=True)

    def take(self, slaves: Mapping[str, _Slave]) -> None:
        """Set the inputs at the ends of wires to what was sent last."""
        if self._heard:
            values = [slaves[source].values[output] for source, output in self._heard]
            self.fmu.setReal(self._heard_references, values)

    def give(self) -> None:
        """Send the outputs at the beginnings of wires."""
        if self._sent:
            self.values = dict(zip(self._sent, self.fmu.getReal(self._sent_references), strict=True))

    def get(self, names: Sequence[str]) -> list[float]:
        return list(self.fmu.getReal([self.part.references[name] for name in names]))

    def set(self, values: Mapping[str, float]) -> None:
        if values:
            self.fmu.setReal([self.part.references[name] for name in values], list(values.values()))

    def set_derivatives(self, name: str, values: Sequence[float]) -> None:
        """Tell an FMU that can follow it how an input goes on: its derivatives of the orders 1, 2, ..."""
        if not self.part.description.coSimulation.canInterpolateInputs:
            return
        orders = list(range(1, len(values) + 1))
        self.fmu.setRealInputDerivatives([self.part.references[name]] * len(orders), orders, list(values))

    def _logging(self) -> fmi2CallbackFunctions:
        """Callbacks of this instance alone.

        FMPy's proxy, which fills numbers into messages, has one logger for all instances of a process, and
        calls it even after it is gone. Messages of our FMUs are complete; those of others show their format.
        """
        callbacks = fmi2CallbackFunctions()
        callbacks.logger = fmi2CallbackLoggerTYPE(self._log)
        callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(free)
        return callbacks

    def _log(self, environment: Any, instance: bytes, status: int, category: bytes, message: bytes) -> None:
        if status > fmi2Warning and message:
            text = message.decode("utf-8", "replace")
            self._messages.append(f"{self.part.name}: {text}" if self.part.name else text)
