"""FMUs against published solutions: signals, figures, tolerances and the reasons for these.

Figures are in tests/data, with their sources.
"""

from __future__ import annotations

import csv
import json
import math
import runpy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmugen.formulas import parse
from fmugen.ir.model import Output, SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model, read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import TIGHT
from fmugen.verify.simulate import simulate_fmu

__all__ = ["Figures", "Published", "published_solutions"]

_ROOT = Path(__file__).resolve().parents[1]
_EXAMPLES, _DATA = _ROOT / "examples", _ROOT / "tests" / "data"
#: Communication steps of a run whose end alone is published.
_STEPS = 100
#: What published times are multiples of.
_RESOLUTION = 1e-6

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Figures:
    """The published values of a formula at the sample times, and what an FMU may deviate by."""

    formula: str
    values: Array
    tolerance: float


@dataclass(frozen=True)
class Published:
    """A solution: figures at ``times`` and why they tolerate what."""

    title: str
    source: str
    reason: str
    model: SystemModel
    times: Array
    figures: tuple[Figures, ...]

    @property
    def count(self) -> int:
        return sum(len(figures.values) for figures in self.figures)

    def error(self, folder: Path) -> float:
        """The largest deviation of an FMU, exported to ``folder``, as a multiple of its tolerance."""
        outputs = {f"signal_{number}": figures for number, figures in enumerate(self.figures)}
        asked = tuple(Output(name, parse(figures.formula)) for name, figures in outputs.items())
        fmu = export_fmu(
            replace(self.model, outputs=asked), folder / "published.fmu", ExportOptions("aac")
        ).path
        step = self._step()
        run = simulate_fmu(
            fmu, stop=float(self.times[-1]), step=step, outputs=list(outputs), parameters=TIGHT
        )
        rows = np.rint(self.times / step).astype(int)
        return max(
            float(np.abs(run.values[name][rows] - figures.values).max()) / figures.tolerance
            for name, figures in outputs.items()
        )

    def _step(self) -> float:
        """The largest step that meets all times; a few where the end alone is published."""
        if len(self.times) == 1:
            return float(self.times[0]) / _STEPS
        return int(np.gcd.reduce(np.rint(self.times / _RESOLUTION).astype(int))) * _RESOLUTION


def published_solutions() -> Iterator[Published]:
    """All of them, one after the other."""
    yield _andrews()
    for windows in (1, 2, 5, 10):
        yield _n_four_bar(windows)
    yield _leger("four_bar", "leger_fourbar_2s.json", ("m1", "m2", "m3"), 2.0)
    bodies = ("m1", "m3", "m5", "m2", "m4", "m6", "m7")
    yield _leger("three_rrr", "leger_3rrr_gravity_1s.json", bodies, 1.0)
    yield _leger("slider_crank", "leger_slidercrank_10s.json", ("m1", "m2", "m3"), 10.0)
    for example, file in _MODELICA.items():
        yield _modelica(example, file)


def _example(name: str) -> SystemModel:
    return read_model(_EXAMPLES / name / "model.toml")


def _json(name: str) -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads((_DATA / name).read_text(encoding="utf-8"))
    return content


# --- Andrews' squeezer ---------------------------------------------------------------------------

#: The coordinates of the test set: angles of bodies, some relative to another.
_ANGLES = (("K1", ""), ("K2", "K1"), ("K3", ""), ("K4", "K5"), ("K5", ""), ("K6", "K7"), ("K7", ""))
#: The multipliers of the test set are the forces on the heads of the joints at F.
_PINS = ("h10", "h12", "h15")


def _andrews() -> Published:
    data = _json("andrews.json")
    groups = {key: [_relative(kind, *pair) for pair in _ANGLES] for key, kind in _ANDREWS_KINDS.items()}
    groups["lambda"] = [f"{pin}.{part}" for pin in _PINS for part in ("fx", "fy")]
    figures = [
        Figures(formula, np.array([value]), 1e-6 * max(map(abs, data[key])))
        for key, formulas in groups.items()
        for formula, value in zip(formulas, data[key], strict=True)
    ]
    return Published(
        "Andrews' squeezer",
        "IVP test set",
        "1e-6 of the largest of each kind: the motion amplifies errors of 1e-12 by five orders",
        _example("andrews"),
        np.array([data["t"]]),
        tuple(figures),
    )


_ANDREWS_KINDS = {"q": "angle", "v": "omega", "w": "alpha"}


def _relative(kind: str, body: str, other: str) -> str:
    return f"{body}.{kind} - {other}.{kind}" if other else f"{body}.{kind}"


# --- N-four-bar ----------------------------------------------------------------------------------


def _n_four_bar(windows: int) -> Published:
    generator = runpy.run_path(str(_EXAMPLES / "n_four_bar" / "generate.py"), run_name="generate")
    with (_DATA / "nfourbar.csv").open(encoding="utf-8") as stream:
        (row,) = (row for row in csv.DictReader(stream) if int(row["N"]) == windows)
    turned = float(row["phi_minus_half_pi_at_10s"]) + math.pi / 2
    values = {"rod_0.angle": turned} | {
        f"rod_0.B.{kind}": float(row[f"B0_{kind}"]) for kind in ("x", "y", "vx", "vy")
    }
    return Published(
        f"N-four-bar, N = {windows}",
        "IFToMM A02, exact reduction to one degree of freedom",
        "2e-6 after ten turns through singular positions",
        parse_model(generator["model_file"](windows), f"n_four_bar {windows}"),
        np.array([10.0]),
        tuple(Figures(formula, np.array([value]), 2e-6) for formula, value in values.items()),
    )


# --- Léger's mechanisms --------------------------------------------------------------------------


def _leger(example: str, file: str, bodies: Sequence[str], stop: float) -> Published:
    data = _json(file)
    kinds = {"x": ("x", 1e-6), "w": ("omega", 2e-6)}
    return Published(
        f"Léger's {example.replace('_', ' ')}",
        "absolute coordinates, DOP853 at 1e-11",
        "1e-6 m and 2e-6 rad/s: what the motion makes of 1e-11",
        _example(example),
        np.array([stop]),
        tuple(
            Figures(f"{body}.{name}", np.array([data[key][index]]), tolerance)
            for key, (name, tolerance) in kinds.items()
            for index, body in enumerate(bodies)
        ),
    )


# --- Modelica ------------------------------------------------------------------------------------

_MODELICA = {
    "double_pendulum_modelica": "DoublePendulum.csv",
    "engine1a": "Engine1a.csv",
    "fourbar_modelica": "Fourbar_analytic.csv",
    "cauer_low_pass": "CauerLowPassAnalog.csv",
    "rotational_first": "RotationalFirst.csv",
    "translational_oscillator": "TranslationalOscillator.csv",
}


def _modelica(example: str, file: str) -> Published:
    model = _example(example)
    with (_DATA / "modelica" / file).open(encoding="utf-8", newline="") as stream:
        header, *rows = list(csv.reader(stream))
    table = np.array(rows, dtype=np.float64)
    outputs = {output.name: output.value.text for output in model.outputs}
    return Published(
        f"Modelica's {file.removesuffix('.csv')}",
        "reference results of the Modelica Standard Library, DASSL at 1e-6",
        "1e-3 of the largest value: what the motion makes of 1e-6",
        model,
        table[:, 0],
        tuple(
            Figures(
                outputs[name.replace(".", "_")],
                table[:, column],
                1e-3 * float(np.abs(table[:, column]).max()),
            )
            for column, name in enumerate(header)
            if column > 0
        ),
    )
