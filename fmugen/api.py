"""The calls of Python users: ``fmugen.export``, ``fmugen.simulate``, ``fmugen.verify``.

A model is a path to a model file, the text of one, a :class:`~fmugen.builder.ModelBuilder` or what it built.
Results are numpy arrays. A :class:`Results` prints as a table in a notebook.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmugen.builder import ModelBuilder
from fmugen.errors import SimulationError
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, FmiVersion, InterfaceType, Solver
from fmugen.phases.read import parse_model, read_model
from fmugen.pipeline import Export, export_fmu
from fmugen.progress import Progress
from fmugen.signals import Samples, Signal, constant, feed, read_signals
from fmugen.suggestions import choice_hint
from fmugen.verify.compare import verify_fmu
from fmugen.verify.fmu_file import read_fmu, require_fit
from fmugen.verify.simulate import Trajectory, communication_points, simulate_fmu
from fmugen.verify.tolerances import LOOSE
from fmugen.verify.verdict import Verification

if TYPE_CHECKING:
    import pandas

__all__ = ["Inputs", "ModelLike", "Results", "experiment_of", "export", "read", "simulate", "verify"]

ModelLike = str | os.PathLike[str] | ModelBuilder | SystemModel
#: A number, a function of time, or times with values.
InputLike = float | Callable[[float], float] | tuple[ArrayLike, ArrayLike]
#: By name, or a CSV file with a column ``time`` and a column for each input.
Inputs = Mapping[str, InputLike] | str | os.PathLike[str]

_DEFAULT_STOP = 1.0
#: Communication points of a run whose FMU proposes no step.
_DEFAULT_POINTS = 500
_MOST_POINTS = 10_000_000


class _Proposal(Protocol):
    """A proposed experiment; ``None`` where there is no proposal."""

    @property
    def stop(self) -> float | None: ...

    @property
    def step(self) -> float | None: ...


@dataclass(frozen=True)
class Results(Mapping[str, NDArray[np.float64]]):
    """The variables of a run by name, as arrays over ``times``."""

    name: str
    trajectory: Trajectory
    units: Mapping[str, str]
    #: Notes for the user about the inputs.
    notes: tuple[str, ...] = ()

    @property
    def times(self) -> NDArray[np.float64]:
        return self.trajectory.times

    @property
    def messages(self) -> tuple[str, ...]:
        """The warnings that the FMU logged."""
        return self.trajectory.messages

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return self.trajectory.values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.trajectory.values)

    def __len__(self) -> int:
        return len(self.trajectory.values)

    def frame(self) -> pandas.DataFrame:
        """The same as a pandas frame with the index ``time``; it needs pandas."""
        import pandas as pd

        return pd.DataFrame(dict(self), index=pd.Index(self.times, name="time"))

    def rows(self) -> Iterator[tuple[str, str, float, float, float]]:
        """Name, unit, final, smallest and largest value of each variable."""
        for name, values in self.items():
            yield name, self.units[name], float(values[-1]), float(values.min()), float(values.max())

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{cell}</th>" for cell in ("variable", "unit", "final", "smallest", "largest"))
        body = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(unit)}</td>"
            + "".join(f"<td>{number:.6g}</td>" for number in numbers)
            + "</tr>"
            for name, unit, *numbers in self.rows()
        )
        span = f"{len(self.times)} points from {self.times[0]:g} s to {self.times[-1]:g} s"
        return f"<table><caption>{escape(self.name)}: {span}</caption><tr>{head}</tr>{body}</table>"


def read(model: ModelLike) -> SystemModel:
    """The model of a file, a text or a builder.

    Raises
    ------
    ModelError
        With every problem of the model: where it is, what it is and what to do.
    """
    if isinstance(model, SystemModel):
        return model
    if isinstance(model, ModelBuilder):
        return model.build()
    if isinstance(model, str) and "\n" in model:
        return parse_model(model, "text")
    return read_model(Path(model))


def export(
    model: ModelLike,
    path: str | os.PathLike[str] | None = None,
    *,
    trees: str = ExportOptions.trees,
    closure: str | Closure = ExportOptions.closure,
    solver: str | Solver = ExportOptions.solver,
    step: float = ExportOptions.step,
    independent: Sequence[str] = (),
    platforms: str | Sequence[str] = "host",
    sources: bool = False,
    fmi: int = 2,
    interfaces: Sequence[str] = ("cs", "me"),
    iterations: int | None = None,
    mode: int | None = None,
    progress: Progress | None = None,
) -> Export:
    """Export an FMU; without ``path`` it is named after the model, in the current folder.

    The options are those of ``fmugen export --help``; ``iterations=0`` is ``--never-iterate``. The result has
    the ``path`` and the ``compilation``: graph, trees, equations, solution flow, program and generated C.
    """
    options = ExportOptions(
        trees,
        Closure(closure),
        Solver(solver),
        step,
        tuple(independent),
        (platforms,) if isinstance(platforms, str) else tuple(platforms),
        sources,
        FmiVersion(fmi),
        tuple(InterfaceType(each) for each in interfaces),
        iterations,
        mode,
    )
    subject = read(model)
    destination = Path(path) if path is not None else Path(f"{subject.name}.fmu")
    return export_fmu(subject, destination, options, progress)


def simulate(
    model: ModelLike,
    *,
    stop: float | None = None,
    step: float | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    outputs: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Results:
    """Run a model, exported on the way, or an FMU, by co-simulation.

    ``stop`` and ``step`` are by default those of the experiment. ``outputs`` names the variables to record:
    by default the outputs, or all variables of a model without outputs.

    Raises
    ------
    SimulationError
        If the FMU stops, or a name is not one of its variables.
    """
    with _fmu_of(model, progress) as path:
        fmu = read_fmu(path)
        stop, step = experiment_of(fmu, stop, step)
        recorded = list(outputs) if outputs is not None else fmu.names("output") or fmu.names("local")
        given = dict(parameters or {})
        _require_known(given, fmu.names("parameter"), "parameter")
        _require_known(recorded, [variable.name for variable in fmu.variables], "variable")
        fed = feed(_signals(inputs, fmu.names("input")), fmu.chains(), communication_points(stop, step))
        trajectory = simulate_fmu(path, stop=stop, step=step, outputs=recorded, parameters=given, inputs=fed)
        units = {name: fmu.unit(name) for name in recorded}
        return Results(fmu.name, trajectory, units, tuple(fed.notes))


def verify(
    model: ModelLike,
    fmu: str | os.PathLike[str] | None = None,
    *,
    tolerance: float = 1e-6,
    stop: float | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    progress: Callable[[float], None] | None = None,
) -> Verification:
    """Compare an FMU of ``model``, made on the way if none is given, with an independent reference.

    ``passed`` and ``sentence`` of the result are the verdict.

    Raises
    ------
    SimulationError
        If the FMU does not run to the end, or is not one of this model.
    VerificationError
        If there is no reference.
    """
    subject = read(model)
    with _fmu_of(subject, None) if fmu is None else _existing(Path(fmu)) as path:
        found = read_fmu(path)
        require_fit(found, subject)
        controls_error = Solver(found.method).controls_error if found.method else True
        return verify_fmu(
            subject,
            path,
            tolerance=tolerance,
            stop=stop,
            parameters=parameters,
            inputs=_signals(inputs, [variable.name for variable in subject.inputs]),
            loose=LOOSE if controls_error else (),
            progress=progress,
        )


def experiment_of(fmu: _Proposal, stop: float | None, step: float | None) -> tuple[float, float]:
    """Stop time and communication step: those given, else those that the FMU or package proposes.

    Raises
    ------
    SimulationError
        If the run has too many communication points.
    """
    stop = stop or fmu.stop or _DEFAULT_STOP
    step = step or fmu.step or stop / _DEFAULT_POINTS
    if stop / step > _MOST_POINTS:
        raise SimulationError(f"a step of {step:g} s makes more than {_MOST_POINTS} points of {stop:g} s")
    return stop, step


@contextmanager
def _fmu_of(model: ModelLike, progress: Progress | None) -> Iterator[Path]:
    """The FMU that ``model`` is or, in a temporary folder, becomes."""
    if not isinstance(model, SystemModel | ModelBuilder) and str(model).lower().endswith(".fmu"):
        yield Path(model)
        return
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        subject = read(model)
        options = ExportOptions(interfaces=(InterfaceType.CO_SIMULATION,))
        yield export_fmu(subject, Path(folder) / f"{subject.name}.fmu", options, progress).path


@contextmanager
def _existing(path: Path) -> Iterator[Path]:
    yield path


def _signals(inputs: Inputs | None, known: list[str]) -> dict[str, Signal]:
    if inputs is None:
        return {}
    if isinstance(inputs, str | os.PathLike):
        signals: dict[str, Signal] = {**read_signals(Path(inputs))}
    else:
        signals = {name: _signal(name, variable) for name, variable in inputs.items()}
    _require_known(signals, known, "input")
    return signals


def _signal(name: str, given: InputLike) -> Signal:
    if callable(given):
        return given
    if isinstance(given, tuple):
        times, values = (np.asarray(part, dtype=np.float64) for part in given)
        if times.ndim != 1 or times.shape != values.shape or np.any(np.diff(times) <= 0):
            raise SimulationError(f"the input {name!r} needs increasing times, and as many values")
        return Samples(times, values, name)
    return constant(float(given))


def _require_known(names: Mapping[str, object] | Sequence[str], known: list[str], what: str) -> None:
    for name in names:
        if name not in known:
            hint = choice_hint(name, known, "it has")
            raise SimulationError(f"the model has no {what} {name!r}; {hint}")
