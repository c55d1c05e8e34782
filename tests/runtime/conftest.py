"""Builds the runtime with hand-written models and drives the result through FMPy."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import (
    FMU2Slave,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
    fmi2StepFinishedTYPE,
)

from fmugen.phases.compile.units import units_of

RUNTIME = Path(__file__).parents[2] / "templates" / "runtime"
MODELS = Path(__file__).parent / "models"
HEADERS = Path(fmpy.__file__).parent / "c-code"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")

GUIDS = {
    "pendulum": "{pendulum}",
    "slider_crank": "{slider-crank}",
    "parallelograms": "{parallelograms}",
    "tank": "{tank}",
}


def compiler() -> str:
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        pytest.fail("the runtime tests need a C compiler on PATH: cc, gcc or clang")
    return found


def compile_c(
    target: Path, model: str, *arguments: str | Path, level: str = "-O1", **defines: object
) -> Path:
    """The runtime, in the units that exports compile, with a sample model and whatever the arguments add."""
    folder = target.parent / f"{target.stem}_sources"
    folder.mkdir()
    names = [path.name for path in sorted(RUNTIME.glob("*.c"))]
    chosen = "".join(f"#define {name} {value}\n" for name, value in defines.items())
    (folder / "model.h").write_text(f'{chosen}#include "{model}/model.h"\n', encoding="utf-8")
    units = []
    for unit in units_of(dict.fromkeys(names, "") | {"model.h": chosen}, names):
        units.append(folder / unit.name if unit.text else RUNTIME / unit.name)
        if unit.text:
            units[-1].write_text(unit.text, encoding="utf-8")
    command = [
        compiler(),
        *STRICT,
        level,
        *(f"-I{each}" for each in (folder, RUNTIME, MODELS, HEADERS)),
        *map(str, arguments),
        *map(str, units),
        str(MODELS / model / "model.c"),
        "-lm",
        "-o",
        str(target),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return target


@dataclass
class Slave:
    """One FMU instance; ``messages`` collects what it says."""

    library: Path
    model: str
    messages: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.fmu = FMU2Slave(
            guid=GUIDS[self.model],
            unzipDirectory=str(self.library.parent),
            modelIdentifier=self.model,
            instanceName="it",
            libraryPath=str(self.library),
        )
        self._callbacks = fmi2CallbackFunctions()
        self._callbacks.logger = fmi2CallbackLoggerTYPE(self._log)
        self._callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE()
        self._callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE()
        self._callbacks.stepFinished = fmi2StepFinishedTYPE()
        self.fmu.instantiate(callbacks=self._callbacks)
        self.time = 0.0

    def _log(self, _env: object, _name: object, _status: int, _category: object, message: bytes) -> None:
        self.messages.append(message.decode())

    def initialize(self, start_time: float = 0.0, **values: float) -> Slave:
        self.fmu.setupExperiment(startTime=start_time)
        self.set(**values)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        self.time = start_time
        return self

    def set(self, **values: float) -> None:
        references = VARIABLES[self.model]
        self.fmu.setReal([references[name] for name in values], list(values.values()))

    def get(self, *names: str) -> Any:
        values = self.fmu.getReal([VARIABLES[self.model][name] for name in names])
        return values[0] if len(names) == 1 else np.array(values)

    def step(self, size: float) -> None:
        self.fmu.doStep(currentCommunicationPoint=self.time, communicationStepSize=size)
        self.time += size

    def run(self, stop: float, size: float, *names: str) -> np.ndarray:
        """The named variables after each step."""
        rows = []
        for _ in range(round((stop - self.time) / size)):
            self.step(size)
            rows.append(np.atleast_1d(self.get(*names)))
        return np.array(rows)

    def fails(self, action: Callable[[], object]) -> str:
        """The one sentence that a failing action leaves."""
        self.messages.clear()
        with pytest.raises(FMICallException):
            action()
        assert len(self.messages) == 1, self.messages
        return self.messages[0]

    def state_bytes(self) -> bytes:
        """The serialized FMU state."""
        state = self.fmu.getFMUState()
        serialized: bytes = self.fmu.serializeFMUState(state)
        self.fmu.freeFMUState(state)
        return serialized

    def close(self) -> None:
        self.fmu.freeInstance()


def _numbered(*names: str) -> dict[str, int]:
    return {name: reference for reference, name in enumerate(names)}


_SETTINGS = ("solver_step", "relative_tolerance", "absolute_tolerance", "max_steps", "method")
_DIAGNOSTICS = (
    *(f"state{i}" for i in range(12)),
    *(f"der{i}" for i in range(12)),
    *("residual", "iterations", "steps"),
)

#: Value references by name, as the comments in the model.h of each sample say.
VARIABLES = {
    "pendulum": _numbered(
        *("m", "l", "g", "start_angle", "start_omega"),
        *_SETTINGS,
        "torque",
        *("angle", "omega", "alpha", "energy", "reciprocal"),
        *_DIAGNOSTICS,
    ),
    "slider_crank": _numbered(
        *("l1", "l2", "m1", "m2", "m3", "g", "start_angle", "start_omega", "speed"),
        *_SETTINGS,
        "torque",
        *("crank", "rod", "s", "crank_rate", "rod_rate", "s_rate", "crank_acc", "rod_acc", "s_acc"),
        *("lambda_x", "lambda_y", "energy"),
        *_DIAGNOSTICS,
    ),
    "parallelograms": _numbered(
        *("g", "start_angle", "start_omega"),
        *_SETTINGS,
        *("first", "first_rate", "last", "energy"),
        *_DIAGNOSTICS,
    ),
    "tank": _numbered(
        *("capacity", "start_level", "start_outflow"),
        *_SETTINGS,
        "inflow",
        *("level", "outflow"),
        *_DIAGNOSTICS,
    ),
}

Build = Callable[..., Path]
Open = Callable[..., Slave]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """``build(model, MODEL_SOLVER="SOLVER_RK4", ...)``: a shared library, compiled once."""
    made: dict[tuple[object, ...], Path] = {}

    def build_once(model: str, **defines: object) -> Path:
        key = (model, *sorted(defines.items()))
        if key not in made:
            target = tmp_path_factory.mktemp(model) / f"{model}.so"
            made[key] = compile_c(target, model, "-fPIC", "-shared", "-fvisibility=hidden", **defines)
        return made[key]

    return build_once


@pytest.fixture
def open_slave(build: Build) -> Iterator[Open]:
    """``open_slave(model, **defines)``: an instance that is freed at the end of the test."""
    slaves: list[Slave] = []

    def opened(model: str, **defines: object) -> Slave:
        slaves.append(Slave(build(model, **defines), model))
        return slaves[-1]

    yield opened
    for slave in slaves:
        slave.close()
