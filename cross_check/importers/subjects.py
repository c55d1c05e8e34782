"""What is run, and what comes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from drivers import Request

from fmugen.ir.model import SystemModel
from fmugen.verify.compare import Deviation

Array = np.ndarray[Any, np.dtype[np.float64]]

FAILED = "FAILED"
#: Seconds after which a run counts as hanging.
TIME_LIMIT = 300
_DRIVERS = Path(__file__).with_name("drivers.py")


@dataclass(frozen=True)
class Result:
    """``text`` of a cell of the table: a figure, or why there is none."""

    text: str

    @classmethod
    def figure(cls, value: float, tolerance: float) -> Result:
        return cls(f"{value:.1e}" if value <= tolerance else f"{FAILED} {value:.1e}")

    @classmethod
    def failure(cls, reason: str) -> Result:
        return cls(f"{FAILED}: {_one_line(reason)}")

    @classmethod
    def not_run(cls, reason: str) -> Result:
        return cls(f"not run: {reason}")

    def __str__(self) -> str:
        return self.text


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")[:160]


class ImporterError(Exception):
    """An importer crashed, hung or gave up."""


class NothingToRunError(Exception):
    """An FMU has nothing that the importer could work on."""


@dataclass(frozen=True)
class Subject:
    """An example as FMUs, by version of the standard, and its outputs beside the reference.

    ``companion`` is another FMU for importers that load two.
    """

    name: str
    model: SystemModel
    fmus: dict[int, Path]
    outputs: tuple[Deviation, ...]
    companion: Subject | None = None

    @property
    def names(self) -> list[str]:
        return [output.name for output in self.outputs]

    def request(self, fmi: int, interface: str) -> Request:
        experiment = self.model.experiment
        inputs = [variable.name for variable in self.model.inputs]
        span = (experiment.stop, experiment.step)
        return Request(str(self.fmus[fmi]), interface, *span, self.names, inputs=inputs)

    def references(self) -> tuple[str, list[int]]:
        """The guid of the FMI 2.0 FMU, and the value references of the outputs."""
        description = fmpy.read_model_description(str(self.fmus[2]), validate=False)
        numbers = {variable.name: variable.valueReference for variable in description.modelVariables}
        return description.guid, [numbers[name] for name in self.names]

    def deviation(self, values: Array) -> float:
        """The largest scaled deviation of a trajectory from the reference; NaN where nothing was read."""
        if len(values) != len(self.outputs[0].reference):
            raise ImporterError(f"{len(values)} rows instead of {len(self.outputs[0].reference)}")
        largest = 0.0
        for column, output in enumerate(self.outputs):
            difference = values[:, column] - output.reference
            if output.unit == "rad":
                difference = np.remainder(difference + np.pi, 2 * np.pi) - np.pi
            read = difference[~np.isnan(difference)]
            if len(read) < len(difference) - 1:
                raise ImporterError(f"{output.name} is no number")
            largest = max(largest, float(np.abs(read).max()) / output.scale)
        return largest


def run_driver(importer: str, request: Request, folder: Path) -> Array:
    """The trajectory that an importer gives, run in a process of its own."""
    place = folder / f"{importer}-{Path(request.fmu).stem}-{request.interface}"
    place.mkdir()
    (place / "request.json").write_text(json.dumps(asdict(request)), encoding="utf-8")
    run([sys.executable, "-P", str(_DRIVERS), importer, str(place)])
    values: Array = np.load(place / "values.npy")
    return values


def run(command: Sequence[str], environment: dict[str, str] | None = None) -> str:
    """What a program prints; a failure becomes a :class:`ImporterError` with its last words."""
    try:
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired as error:
        raise ImporterError(f"no end within {TIME_LIMIT} s") from error
    if result.returncode != 0:
        words = (result.stderr.strip() or result.stdout.strip()).splitlines()
        raise ImporterError(f"exit {result.returncode}: {words[-1] if words else 'nothing said'}")
    return result.stdout
