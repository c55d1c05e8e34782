"""Parts of a split system as one differential equation: connected through model exchange, by FMPy.

One exchange per evaluation: outputs go round until none changes, then all derivatives are read.
"""

from __future__ import annotations

import ctypes
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Model

from fmugen.ir.split import SYSTEM, SplitSystem

_POINTER = ctypes.POINTER(ctypes.c_double)
#: Values that differ by less are equal: what is without an input is rounded by what is taken away.
_ROUNDING = 1e-10
Array = np.ndarray[Any, np.dtype[np.float64]]


class Coupled:
    """The FMUs of a package, initialized and in continuous-time mode; a context that frees them."""

    def __init__(
        self, system: SplitSystem, package: Path, folder: Path, parameters: Mapping[str, float] | None = None
    ) -> None:
        self.system = system
        with zipfile.ZipFile(package) as archive:
            archive.extractall(folder)
        self.fmus: dict[str, FMU2Model] = {}
        self.references: dict[str, dict[str, int]] = {}
        self.sizes: dict[str, int] = {}
        self.exchanges = 0
        for part in system.parts:
            path = str(folder / "resources" / f"{part.name}.fmu")
            description = read_model_description(path, validate=False)
            fmu = FMU2Model(
                guid=description.guid,
                unzipDirectory=extract(path, str(folder / part.name)),
                modelIdentifier=description.modelExchange.modelIdentifier,
                instanceName=part.name,
            )
            fmu.instantiate()
            fmu.setupExperiment(startTime=0.0)
            references = {v.name: v.valueReference for v in description.modelVariables}
            for name, value in (parameters or {}).items():
                if name in references:
                    fmu.setReal([references[name]], [value])
            fmu.enterInitializationMode()
            fmu.exitInitializationMode()
            fmu.enterContinuousTimeMode()
            self.fmus[part.name] = fmu
            self.references[part.name] = references
            self.sizes[part.name] = description.numberOfContinuousStates
        self._links = [link for link in system.connections if SYSTEM not in (link.source, link.target)]
        self._values: dict[tuple[str, str], float] = {}

    def __enter__(self) -> Coupled:
        return self

    def __exit__(self, *_: object) -> None:
        for fmu in self.fmus.values():
            fmu.terminate()
            fmu.freeInstance()

    def states(self) -> Array:
        found = []
        for name, fmu in self.fmus.items():
            x = np.zeros(self.sizes[name])
            fmu.getContinuousStates(x.ctypes.data_as(_POINTER), x.size)
            found.append(x)
        return np.concatenate(found)

    def derivatives(self, time: float, states: Array) -> Array:
        parts = np.split(states, np.cumsum(list(self.sizes.values()))[:-1])
        for fmu, x in zip(self.fmus.values(), parts, strict=True):
            fmu.setTime(time)
            values = np.array(x)
            fmu.setContinuousStates(values.ctypes.data_as(_POINTER), values.size)
        self._exchange()
        found = []
        for name, fmu in self.fmus.items():
            dx = np.zeros(self.sizes[name])
            fmu.getDerivatives(dx.ctypes.data_as(_POINTER), dx.size)
            found.append(dx)
        return np.concatenate(found)

    def _exchange(self) -> None:
        for _ in range(len(self.fmus) + 4):
            self.exchanges += 1
            changed = False
            for name, fmu in self.fmus.items():
                links = [link for link in self._links if link.source == name]
                values = fmu.getReal([self.references[name][link.output] for link in links]) if links else []
                for link, value in zip(links, values, strict=True):
                    known = self._values.get((link.target, link.input), np.inf)
                    if abs(value - known) > _ROUNDING * max(1.0, abs(value)):
                        self._values[link.target, link.input] = value
                        self.fmus[link.target].setReal([self.references[link.target][link.input]], [value])
                        changed = True
            if not changed:
                return
        raise AssertionError("the parts do not agree on what they tell each other")

    def run(self, stop: float, steps: int) -> None:
        """Classical Runge-Kutta steps from the start; FMUs must know which points are accepted."""
        x, h = self.states(), stop / steps
        for number in range(steps):
            t = number * h
            k1 = self.derivatives(t, x)
            k2 = self.derivatives(t + h / 2, x + h / 2 * k1)
            k3 = self.derivatives(t + h / 2, x + h / 2 * k2)
            k4 = self.derivatives(t + h, x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            self.derivatives(t + h, x)
            for fmu in self.fmus.values():
                fmu.completedIntegratorStep()

    def outputs(self) -> dict[str, float]:
        """The outputs of the whole system."""
        return {
            link.input: self.fmus[link.source].getReal([self.references[link.source][link.output]])[0]
            for link in self.system.connections
            if link.target == SYSTEM
        }
