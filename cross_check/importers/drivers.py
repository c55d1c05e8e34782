"""Runs one FMU in one importer, as a program of its own.

    python drivers.py IMPORTER FOLDER

An importer is foreign code that may crash or hang: it runs in a process that the caller can end. The program
reads ``request.json`` in the folder and writes ``values.npy`` there, a row a communication point, a
column an output.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]

#: Relative tolerance asked of solvers of importers; in co-simulation the FMU has its own. Near singular
#: positions derivatives are rounded to some 1e-12 of their size: CVode cannot follow a motion more closely.
TOLERANCE = 1e-11


@dataclass(frozen=True)
class Request:
    """An FMU, its interface (``CoSimulation`` or ``ModelExchange``), the run, and what to record."""

    fmu: str
    interface: str
    stop: float
    step: float
    outputs: list[str]
    inputs: list[str] = field(default_factory=list)
    #: Relative, of the importer's solver.
    tolerance: float = TOLERANCE

    @property
    def steps(self) -> int:
        return round(self.stop / self.step)


def run_fmpy(request: Request, folder: Path) -> Array:
    import fmpy

    result = fmpy.simulate_fmu(
        request.fmu,
        fmi_type=request.interface,
        stop_time=request.stop,
        step_size=request.step,
        output_interval=request.step,
        relative_tolerance=request.tolerance if request.interface == "ModelExchange" else None,
        record_events=False,
        output=request.outputs,
        timeout=300,
    )
    return np.array([result[name] for name in request.outputs]).T


def run_ecos(request: Request, folder: Path) -> Array:
    _load_tbb()
    from ecospy import EcosSimulation, EcosSimulationStructure

    with EcosSimulationStructure() as structure:
        structure.add_model("fmu", request.fmu)
        with EcosSimulation(structure=structure, step_size=request.step) as simulation:
            simulation.init()
            rows = []
            for number in range(request.steps + 1):
                rows.append([simulation.get_real(f"fmu::{name}") for name in request.outputs])
                if number < request.steps:
                    simulation.step()
            simulation.terminate()
    return np.array(rows)


def _load_tbb() -> None:
    """ecos needs oneTBB, which the package ``tbb`` installs where the loader does not look."""
    for library in sorted((Path(sys.prefix) / "lib").glob("libtbb.so.*")):
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


def run_libcosim(request: Request, folder: Path) -> Array:
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    execution = CosimExecution.from_step_size(round(request.step * 1e9))
    # libcosimpy destroys a slave with the object that made it: it must be kept.
    local = CosimLocalSlave(fmu_path=request.fmu, instance_name="fmu")
    slave = execution.add_local_slave(local)
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    variables = execution.slave_variables(slave)
    references = {item.name.decode(): item.reference for item in variables}
    watched = [references[name] for name in request.outputs]
    # Before the first step libcosim has read no values.
    rows = [[np.nan] * len(watched)]
    for _ in range(request.steps):
        execution.step()
        rows.append(list(observer.last_real_values(slave, watched)))
    return np.array(rows)


def run_casadi(request: Request, folder: Path) -> Array:
    """No trajectory, but what CasADi makes of the FMU for model exchange, in the first entry.

    The largest relative difference between its exact Jacobian of state derivatives and outputs, and central
    differences of it at states a little off the start; not a number if there are no states.
    """
    import casadi

    builder = casadi.DaeBuilder("fmu", _unzipped(request.fmu, folder), {})
    if not builder.x():
        return np.full((1, 1), np.nan)
    function = builder.create("f", ["x", "u"], ["ode", "y"])
    x = _start(builder, builder.x()) + 1e-3 * np.sin(np.arange(len(builder.x())))
    u = _start(builder, builder.u()) + 0.1
    at = np.concatenate([x, u])

    def values(point: Array) -> Array:
        results = function(*np.split(point, [len(x)]))
        return np.concatenate([np.array(result, dtype=float).ravel() for result in results])

    blocks = function.jacobian()(x, u, *(np.zeros(function.size_out(k)) for k in range(2)))
    exact = np.vstack([np.hstack([np.array(block) for block in blocks[k : k + 2]]) for k in (0, 2)])
    numerical = _differences(values, at)
    scale = np.maximum(np.abs(exact).max(axis=1, keepdims=True), 1e-3)
    return np.array([[np.max(np.abs(exact - numerical) / scale)]])


def _differences(values: Callable[[Array], Array], at: Array) -> Array:
    """The Jacobian by central differences of order four.

    Long steps cut off the series, short ones round: every entry is taken where two steps agree best, which
    knows nothing of the exact value.
    """

    def with_step(size: float) -> Array:
        columns = [
            (8 * (values(at + e) - values(at - e)) - (values(at + 2 * e) - values(at - 2 * e)))
            / (12 * e.sum())
            for e in np.diag(size * np.maximum(1.0, np.abs(at)))
        ]
        return np.array(columns).T

    tries = np.array([with_step(size) for size in (1e-3, 3e-4, 1e-4, 3e-5, 1e-5)])
    best = np.abs(np.diff(tries, axis=0)).argmin(axis=0)
    return np.take_along_axis((tries[1:] + tries[:-1]) / 2, best[np.newaxis], axis=0)[0]


def _start(builder: Any, names: list[str]) -> Array:
    return np.array([builder.start(name) for name in names], dtype=float).reshape(-1)


def run_controlled(request: Request, folder: Path) -> Array:
    """Our mechanism and a controller in an FMU of PythonFMU, in a loop of communication steps."""
    from fmpy.fmi2 import FMU2Slave

    controller = _Slave(FMU2Slave, str(folder.parent / "Controller.fmu"), folder / "controller")

    def command(time: float, measured: float) -> float:
        controller.set(measured=measured)
        controller.fmu.doStep(time, request.step)
        return controller.get("command")

    return _closed_loop(request, folder, command)


def run_controlled_directly(request: Request, folder: Path) -> Array:
    """The same loop with the law of the controller called as a function."""
    sys.path.insert(0, str(Path(__file__).parent))
    import controller

    return _closed_loop(request, folder, lambda time, measured: controller.command(measured))


def _closed_loop(request: Request, folder: Path, command: Callable[[float, float], float]) -> Array:
    """The first output is measured; the command is added to the last input, as a part of its size."""
    from fmpy.fmi2 import FMU2Slave

    ours = _Slave(FMU2Slave, request.fmu, folder / "ours")
    measured, driven = request.outputs[0], request.inputs[-1]
    start = ours.get(driven)
    rows = []
    for number in range(request.steps):
        time = number * request.step
        ours.set(**{driven: start + max(1.0, abs(start)) * command(time, ours.get(measured))})
        ours.fmu.doStep(time, request.step)
        rows.append([ours.get(name) for name in request.outputs])
    return np.array(rows)


class _Slave:
    """A co-simulation FMU with its variables by name, initialized."""

    def __init__(self, kind: Any, path: str, folder: Path) -> None:
        import fmpy

        description = fmpy.read_model_description(path, validate=False)
        self._references = {item.name: item.valueReference for item in description.modelVariables}
        self.fmu = kind(
            guid=description.guid,
            unzipDirectory=fmpy.extract(path, unzipdir=str(folder)),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="one",
        )
        self.fmu.instantiate()
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def set(self, **values: float) -> None:
        self.fmu.setReal([self._references[name] for name in values], list(values.values()))

    def get(self, name: str) -> float:
        return float(self.fmu.getReal([self._references[name]])[0])


def _unzipped(fmu: str, folder: Path) -> str:
    import fmpy

    return str(fmpy.extract(fmu, unzipdir=str(folder / "unzipped")))


DRIVERS: dict[str, Callable[[Request, Path], Array]] = {
    "fmpy": run_fmpy,
    "ecos": run_ecos,
    "libcosim": run_libcosim,
    "casadi": run_casadi,
    "controlled": run_controlled,
    "controlled_directly": run_controlled_directly,
}


def main(importer: str, folder: Path) -> None:
    request = Request(**json.loads((folder / "request.json").read_text(encoding="utf-8")))
    np.save(folder / "values.npy", DRIVERS[importer](request, folder))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
