"""An FMU -> its trajectory, by FMPy in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from fmugen.archives import check_fmu
from fmugen.errors import RefusedError, SimulationError
from fmugen.signals import Feed, feed
from fmugen.verify import fmu_runner
from fmugen.verify.rotations import Array

#: The default time limit of an FMU's runs, in seconds.
TIME_LIMIT = 600.0


@dataclass(frozen=True)
class Trajectory:
    """Values of FMU variables at the communication points, and the warnings the FMU logged."""

    times: Array
    values: dict[str, Array]
    messages: tuple[str, ...] = ()


def communication_points(stop: float, step: float) -> Array:
    """Times from 0 to ``stop``, ``step`` apart; a last shorter step ends at ``stop`` exactly."""
    count = int(np.floor(stop / step * (1.0 + 1e-12)))
    times = step * np.arange(count + 1, dtype=np.float64)
    if stop - times[-1] > 1e-9 * step:
        return np.append(times, stop)
    times[-1] = stop
    return times


@dataclass(frozen=True)
class Run:
    """A run of an FMU from time 0.

    ``step`` is the communication step in co-simulation, and the output interval in model exchange.
    ``outputs`` names the variables to record, of any causality; ``parameters`` are values to set before
    initialization. ``inputs`` are signals by input name, held from one communication point to the next, or
    a :class:`Feed` of values and derivatives at these points.

    Model exchange is integrated by ``solver``: CVode with the relative ``tolerance``, by default the one that
    the FMU declares, or explicit Euler in steps of ``step``.
    """

    stop: float
    step: float
    outputs: Sequence[str]
    parameters: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, Callable[[float], float]] | Feed = field(default_factory=dict)
    interface: Literal["CoSimulation", "ModelExchange"] = "CoSimulation"
    solver: Literal["CVode", "Euler"] = "CVode"
    tolerance: float | None = None


def simulate_fmu(
    path: Path,
    *,
    stop: float,
    step: float,
    outputs: Sequence[str],
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Callable[[float], float]] | Feed | None = None,
    time_limit: float = TIME_LIMIT,
) -> Trajectory:
    """Run an FMU by co-simulation from time 0 and record variables; see :class:`Run`.

    Raises
    ------
    RefusedError
        If the FMU stopped with an error message, which it contains.
    SimulationError
        If it stopped without a message, crashed, hung, gave a number that is not finite, or does not load.
    """
    (made,) = simulate_runs(path, [Run(stop, step, outputs, parameters or {}, inputs or {})], time_limit)
    if isinstance(made, SimulationError):
        raise made
    return made


def simulate_runs(
    path: Path, runs: Sequence[Run], time_limit: float = TIME_LIMIT
) -> list[Trajectory | SimulationError]:
    """Make several runs of an FMU, one after the other in one process; a run that fails gives its error.

    If the FMU crashes or hangs, the remaining runs fail as well. ``time_limit`` is that of all runs
    together, in seconds.
    """
    if not path.is_file():
        raise SimulationError(f"there is no FMU {path}")
    check_fmu(path)
    request = {"fmu": str(path.resolve()), "runs": [_request(run) for run in runs]}
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        directory = Path(folder)
        (directory / "request.json").write_text(json.dumps(request), encoding="utf-8")
        failure = _call_runner(path, directory, time_limit)
        return [_made(path, directory, number, run, failure) for number, run in enumerate(runs)]


def _request(run: Run) -> dict[str, object]:
    times = communication_points(run.stop, run.step)
    fed = run.inputs if isinstance(run.inputs, Feed) else feed(run.inputs, (), times)
    return {
        "times": times.tolist(),
        "outputs": list(run.outputs),
        "parameters": dict(run.parameters),
        "inputs": {name: column.tolist() for name, column in fed.values.items()},
        "derivatives": {name: rows.tolist() for name, rows in fed.derivatives.items()},
        "interface": run.interface,
        "solver": run.solver,
        "tolerance": run.tolerance,
    }


def _call_runner(path: Path, directory: Path, time_limit: float) -> str:
    """Run the FMU without its printed output; return why the process failed, if it did."""
    # -P: the runner's own folder must not shadow the modules of FMPy's dependencies.
    command = [sys.executable, "-P", str(Path(fmu_runner.__file__)), str(directory)]
    try:
        finished = subprocess.run(command, capture_output=True, timeout=time_limit, check=False)
    except subprocess.TimeoutExpired:
        return f"{path.name} did not finish within {time_limit:g} s"
    said = finished.stderr.decode("utf-8", "replace").strip().splitlines()
    how = f"signal {-finished.returncode}" if finished.returncode < 0 else f"exit {finished.returncode}"
    last = f": {said[-1]}" if said else ""
    return f"{path.name} crashed ({how}){last}"


def _made(path: Path, directory: Path, number: int, run: Run, failure: str) -> Trajectory | SimulationError:
    """The trajectory of a run, or its error."""
    answer = directory / f"response-{number}.json"
    if not answer.is_file():
        return SimulationError(failure)
    response = json.loads(answer.read_text(encoding="utf-8"))
    messages = tuple(response["messages"])
    if response["error"] is not None:
        # The FMU's message says more than the name of the call that failed.
        begin = f"{path.name} stopped after t = {response['time']:g} s"
        if response["refusal"] is not None:
            return RefusedError(f"{begin}: {response['refusal']}")
        return SimulationError(f"{begin}: {response['error']}")
    times = communication_points(run.stop, run.step)
    table = np.load(directory / f"values-{number}.npy")
    for name, column in zip(run.outputs, table.T, strict=True):
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            return SimulationError(f"{path.name}: {name} is not a finite number at t = {times[bad[0]]:g} s")
    values = {name: table[:, column] for column, name in enumerate(run.outputs)}
    return Trajectory(times, values, messages)
