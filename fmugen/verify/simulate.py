"""An FMU to its trajectory, by FMPy's co-simulation in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fmugen.archives import check_fmu
from fmugen.errors import RefusedError, SimulationError
from fmugen.signals import Feed, feed
from fmugen.verify import fmu_runner
from fmugen.verify.rotations import Array

#: Seconds after which an FMU counts as hanging.
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
    """Run an FMU from time 0 and record variables.

    Parameters
    ----------
    path
        The FMU.
    stop, step
        The last time, and the communication step.
    outputs
        Names of the variables to record, of any causality.
    parameters
        Values to set before initialization.
    inputs
        Signals by input name, set at each communication point and held until the next; or what they are fed
        with at these points, together with derivatives that tell how they go on.
    time_limit
        Seconds after which the run is given up.

    Raises
    ------
    RefusedError
        With the FMU's own words if it stopped with an error and said why.
    SimulationError
        If it stopped without a word, crashed, hung, gave a number that is not finite, or does not load.
    """
    if not path.is_file():
        raise SimulationError(f"there is no FMU {path}")
    check_fmu(path)
    times = communication_points(stop, step)
    fed = inputs if isinstance(inputs, Feed) else feed(inputs or {}, (), times)
    request = {
        "fmu": str(path.resolve()),
        "times": times.tolist(),
        "outputs": list(outputs),
        "parameters": dict(parameters or {}),
        "inputs": {name: column.tolist() for name, column in fed.values.items()},
        "derivatives": {name: rows.tolist() for name, rows in fed.derivatives.items()},
    }
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        directory = Path(folder)
        (directory / "request.json").write_text(json.dumps(request), encoding="utf-8")
        _run(path, directory, time_limit)
        messages = _check_response(path, directory)
        table = np.load(directory / "values.npy")
    values = {name: table[:, column] for column, name in enumerate(outputs)}
    _check_finite(path, times, values)
    return Trajectory(times, values, messages)


def _run(path: Path, directory: Path, time_limit: float) -> None:
    """Run the FMU; what it prints is kept out of the caller's terminal."""
    # -P: the runner's own folder must not shadow the modules of FMPy's dependencies.
    command = [sys.executable, "-P", str(Path(fmu_runner.__file__)), str(directory)]
    try:
        finished = subprocess.run(command, capture_output=True, timeout=time_limit, check=False)
    except subprocess.TimeoutExpired as error:
        raise SimulationError(f"{path.name} did not finish within {time_limit:g} s") from error
    if not (directory / "response.json").is_file():
        said = finished.stderr.decode("utf-8", "replace").strip().splitlines()
        how = f"signal {-finished.returncode}" if finished.returncode < 0 else f"exit {finished.returncode}"
        last = f": {said[-1]}" if said else ""
        raise SimulationError(f"{path.name} crashed ({how}){last}")


def _check_response(path: Path, directory: Path) -> tuple[str, ...]:
    response = json.loads((directory / "response.json").read_text(encoding="utf-8"))
    messages = tuple(response["messages"])
    if response["error"] is not None:
        # The FMU's own sentence says more than the name of the call that failed.
        begin = f"{path.name} stopped after t = {response['time']:g} s"
        if response["refusal"] is not None:
            raise RefusedError(f"{begin}: {response['refusal']}")
        raise SimulationError(f"{begin}: {response['error']}")
    return messages


def _check_finite(path: Path, times: Array, values: Mapping[str, Array]) -> None:
    for name, column in values.items():
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            raise SimulationError(f"{path.name}: {name} is not a finite number at t = {times[bad[0]]:g} s")
