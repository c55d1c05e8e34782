"""Connected FMUs as one differential equation, by their interface for model exchange.

Outputs that need states alone go over their wires first, then those that need what came over wires, and so
on: one exchange per evaluation, and no delay. The derivatives of all parts are then those of the whole.
Events that end a step are handled; what parts have of relations (``if``, ``min``) is not looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ctypes import POINTER, c_double
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import numpy as np
from fmpy.fmi2 import FMU2Model
from scipy.integrate import RK45, OdeSolver

from fmugen.master import PartVariable, System

__all__ = ["ConnectedModels", "Run", "adaptive", "euler", "fixed", "rk4"]

Array = np.ndarray[Any, np.dtype[np.float64]]
Derivative = Callable[[float, Array], Array]


@dataclass
class Run:
    """What came of a simulation: ``failure`` says where it ended before its time."""

    times: list[float] = field(default_factory=list)
    states: list[Array] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    evaluations: int = 0
    steps: int = 0
    events: int = 0
    failure: str = ""


class ConnectedModels:
    """The parts of a system, instantiated; ``parameters`` are set before initialization.

    A context manager: libraries are unloaded at its end.
    """

    def __init__(
        self, system: System, parameters: Mapping[PartVariable, float] | None = None, stop: float = 1.0
    ):
        self.system, self.evaluations = system, 0
        self._models: dict[str, Any] = {}
        self._sizes: dict[str, int] = {}
        for part in system.parts:
            model = FMU2Model(
                guid=part.description.guid,
                unzipDirectory=str(part.folder),
                modelIdentifier=part.description.modelExchange.modelIdentifier,
                instanceName=part.name,
            )
            model.instantiate()
            self._models[part.name] = model
            self._sizes[part.name] = part.description.numberOfContinuousStates
        self._rounds = [self._tables(layer) for layer in system.rounds()]
        for name, model in self._models.items():
            model.setupExperiment(startTime=0.0, stopTime=stop)
            references = system.part(name).references
            for (part_name, variable), value in {**system.settings, **(parameters or {})}.items():
                if part_name == name:
                    model.setReal([references[variable]], [value])
            model.enterInitializationMode()
        self._exchange()
        for model in self._models.values():
            model.exitInitializationMode()
            self._settle(model)

    def __enter__(self) -> ConnectedModels:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for model in self._models.values():
            model.freeInstance()

    def _tables(
        self, layer: list[Any]
    ) -> list[tuple[Any, list[int], list[tuple[Any, list[int], list[int]]]]]:
        """For each source what to read; for each of its targets what to set, and from where."""
        tables = []
        for source in dict.fromkeys(wire.source for wire in layer):
            own = [wire for wire in layer if wire.source == source]
            names = list(dict.fromkeys(wire.output for wire in own))
            targets = []
            for target in dict.fromkeys(wire.target for wire in own):
                there = [wire for wire in own if wire.target == target]
                targets.append(
                    (
                        self._models[target],
                        [self.system.part(target).references[wire.input] for wire in there],
                        [names.index(wire.output) for wire in there],
                    )
                )
            read = [self.system.part(source).references[name] for name in names]
            tables.append((self._models[source], read, targets))
        return tables

    def _exchange(self) -> None:
        for layer in self._rounds:
            found = [(model.getReal(read), targets) for model, read, targets in layer]
            for values, targets in found:
                for target, references, places in targets:
                    target.setReal(references, [values[place] for place in places])

    def _settle(self, model: Any) -> None:
        """Event iteration, at the end of which continuous time goes on."""
        for _ in range(100):
            if not model.newDiscreteStates()[0]:
                break
        model.enterContinuousTimeMode()

    def _spread(self, time: float, x: Array) -> None:
        position = 0
        for name, model in self._models.items():
            size = self._sizes[name]
            model.setTime(time)
            if size:
                part = np.ascontiguousarray(x[position : position + size])
                model.setContinuousStates(_pointer(part), size)
            position += size
        self._exchange()

    def states(self) -> Array:
        found = []
        for name, model in self._models.items():
            part = np.zeros(self._sizes[name])
            if len(part):
                model.getContinuousStates(_pointer(part), len(part))
            found.append(part)
        return np.concatenate(found)

    def derivative(self, time: float, x: Array) -> Array:
        """The right-hand side; every call counts as one evaluation of the equations of motion."""
        self.evaluations += 1
        self._spread(time, x)
        found = []
        for name, model in self._models.items():
            part = np.zeros(self._sizes[name])
            if len(part):
                model.getDerivatives(_pointer(part), len(part))
            found.append(part)
        return np.concatenate(found)

    def accept(self, time: float, x: Array) -> bool:
        """Tell the parts that a step has ended; whether states mean something else now."""
        self._spread(time, x)
        changed = False
        for model in self._models.values():
            if model.completedIntegratorStep()[0]:
                model.enterEventMode()
                self._settle(model)
                changed = True
        return changed

    def values(self, places: list[PartVariable]) -> Array:
        """Variables after the last evaluation or accepted step."""
        found: dict[PartVariable, float] = {}
        for name in dict.fromkeys(part for part, _ in places):
            own = [place for place in places if place[0] == name]
            references = [self.system.part(name).references[variable] for _, variable in own]
            found |= zip(own, self._models[name].getReal(references), strict=True)
        return np.array([found[place] for place in places])


def _pointer(values: Array) -> Any:
    return values.ctypes.data_as(POINTER(c_double))


def rk4(f: Derivative, t: float, x: Array, h: float) -> Array:
    """One step of the classical method of Runge and Kutta."""
    a = f(t, x)
    b = f(t + h / 2, x + h / 2 * a)
    c = f(t + h / 2, x + h / 2 * b)
    return x + h / 6 * (a + 2 * b + 2 * c + f(t + h, x + h * c))


def euler(f: Derivative, t: float, x: Array, h: float) -> Array:
    """One step of the method of Euler."""
    return x + h * f(t, x)


Stepper = Callable[[Derivative, float, Array, float], Array]


def fixed(models: Any, stop: float, step: float, places: list[PartVariable], method: Stepper = rk4) -> Run:
    """Fixed steps of a Runge-Kutta method; a state that is not finite or that a part refuses ends the run."""
    run, count = Run(), round(stop / step)
    time, x = 0.0, models.states()
    begin = models.evaluations
    _note(run, models, time, x, places)
    try:
        for number in range(count):
            x = method(models.derivative, time, x, step)
            time = (number + 1) * step if number + 1 < count else stop
            if not np.isfinite(x).all():
                raise ArithmeticError("a state is not finite")
            if models.accept(time, x):
                run.events += 1
                x = models.states()
            run.steps += 1
            _note(run, models, time, x, places)
    except Exception as error:  # FMPy raises FMICallException, libraries for linear algebra their own
        run.failure = f"{time:.3g} s: {error}"
    run.evaluations = models.evaluations - begin
    return run


def adaptive(
    models: Any,
    stop: float,
    tolerance: float,
    places: list[PartVariable],
    method: type[OdeSolver] = RK45,
    most: int = 200_000,
    largest: float = np.inf,
) -> Run:
    """Steps controlled by their error: relative ``tolerance``, a thousandth of it absolute.

    After ``most`` evaluations the run ends as failed; no step is longer than ``largest``.
    """
    run = Run()
    time, x = 0.0, models.states()
    begin = models.evaluations
    _note(run, models, time, x, places)
    try:
        solver = _solver(method, models, time, x, stop, tolerance, largest)
        while solver.status == "running":
            sentence = solver.step()
            if solver.status == "failed":
                raise ArithmeticError(sentence)
            time, x = solver.t, solver.y
            run.steps += 1
            if models.accept(time, x):
                run.events += 1
                x = models.states()
                if time < stop:
                    solver = _solver(method, models, time, x, stop, tolerance, largest)
            _note(run, models, time, x, places)
            if models.evaluations - begin > most:
                raise ArithmeticError(f"more than {most} evaluations")
    except Exception as error:  # as above
        run.failure = f"{time:.3g} s: {error}"
    run.evaluations = models.evaluations - begin
    return run


def _solver(
    method: type[OdeSolver], models: Any, time: float, x: Array, stop: float, tolerance: float, largest: float
) -> Any:
    return method(models.derivative, time, x, stop, rtol=tolerance, atol=tolerance * 1e-3, max_step=largest)


def _note(run: Run, models: Any, time: float, x: Array, places: list[PartVariable]) -> None:
    run.times.append(time)
    run.states.append(x.copy())
    run.values.append(models.values(places))
