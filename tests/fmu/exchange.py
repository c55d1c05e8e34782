"""An FMU opened for model exchange through FMPy's functions, and its derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_double
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Model
from fmpy.fmi3 import FMU3Model
from numpy.typing import NDArray

from fmugen.ir.fmu import FmuDescription
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.pipeline import Export

Array = NDArray[np.float64]


class Model:
    """An instance for model exchange; ``time`` and states are set together."""

    def __init__(self, export: Export, unzipped: Path) -> None:
        self.description: FmuDescription = export.generated.description
        self.three = self.description.fmi is FmiVersion.THREE
        kind = FMU3Model if self.three else FMU2Model
        self.fmu = kind(
            guid=self.description.guid,
            unzipDirectory=str(unzipped),
            modelIdentifier=self.description.identifier,
            instanceName="it",
        )
        self.fmu.instantiate()
        self.size = len(self.description.derivatives)

    def start(self, **parameters: float) -> Model:
        """Initialize, and enter continuous-time mode."""
        self.initialize(**parameters)
        self.fmu.exitInitializationMode()
        self.update()
        self.fmu.enterContinuousTimeMode()
        return self

    def initialize(self, **parameters: float) -> Model:
        if not self.three:
            self.fmu.setupExperiment(startTime=0.0)
        for name, value in parameters.items():
            self.set([self.reference(name)], [value])
        self.fmu.enterInitializationMode()
        return self

    def update(self) -> tuple[bool, float | None]:
        """New discrete states: whether states changed, and the next time event."""
        answer = self.fmu.updateDiscreteStates() if self.three else self.fmu.newDiscreteStates()
        _, _, _, changed, defined, time = answer
        return bool(changed), time if defined else None

    def reference(self, name: str) -> int:
        return next(v.value_reference for v in self.description.variables if v.name == name)

    def get(self, references: Sequence[int]) -> Array:
        if not references:
            return np.zeros(0)
        values = self.fmu.getFloat64(references) if self.three else self.fmu.getReal(references)
        return np.array(values)

    def value(self, name: str) -> float:
        return float(self.get([self.reference(name)])[0])

    def set(self, references: Sequence[int], values: Sequence[float]) -> None:
        if self.three:
            self.fmu.setFloat64(references, values)
        else:
            self.fmu.setReal(references, values)

    @property
    def states(self) -> Array:
        x = (c_double * self.size)()
        if self.size:
            self.fmu.getContinuousStates(x, self.size)
        return np.array(x)

    @states.setter
    def states(self, values: Array) -> None:
        if self.size:
            self.fmu.setContinuousStates((c_double * self.size)(*values), self.size)

    @property
    def derivatives(self) -> Array:
        x = (c_double * self.size)()
        if self.size and self.three:
            self.fmu.getContinuousStateDerivatives(x, self.size)
        elif self.size:
            self.fmu.getDerivatives(x, self.size)
        return np.array(x)

    def along(self, unknowns: Sequence[int], known: int) -> Array:
        """The column of the Jacobian that belongs to ``known``."""
        return np.array(self.fmu.getDirectionalDerivative(unknowns, [known], [1.0]))

    @property
    def indicators(self) -> Array:
        count = len(self.description.indicators)
        z = (c_double * count)()
        if count:
            self.fmu.getEventIndicators(z, count)
        return np.array(z)

    def step(self, time: float, states: Array) -> Array:
        """Complete a step there, with its event if it has one; returns the indicators behind the step."""
        before = self.indicators
        self.fmu.setTime(time)
        self.states = states
        after = self.indicators
        needed, _ = self.fmu.completedIntegratorStep()
        if needed or np.any((after > 0.0) != (before > 0.0)):
            self.fmu.enterEventMode()
            self.update()
            self.fmu.enterContinuousTimeMode()
        return after

    def close(self) -> None:
        self.fmu.freeInstance()


@contextmanager
def opened(export: Export, folder: Path) -> Iterator[Model]:
    model = Model(export, Path(fmpy.extract(str(export.path), unzipdir=str(folder / "unzipped"))))
    try:
        yield model
    finally:
        model.close()


def options(fmi: int = 2, **others: object) -> ExportOptions:
    return ExportOptions(trees="aac", fmi=FmiVersion(fmi), **others)  # type: ignore[arg-type]


def difference(evaluate: Callable[[float], Array], x: float, h: float) -> Array:
    """The derivative at ``x``, by central differences of fourth order; leaves the argument at ``x``."""
    ahead, behind = evaluate(x + h), evaluate(x - h)
    far_ahead, far_behind = evaluate(x + 2 * h), evaluate(x - 2 * h)
    evaluate(x)
    result: Array = (8.0 * (ahead - behind) - (far_ahead - far_behind)) / (12.0 * h)
    return result
