"""The manipulator of the example, moved by the torques of its own inverse dynamics (Khan 4.0.3).

The torques become formulas of time, so that parts need no feed and every engine runs the same system.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fmpy
import numpy as np
from element_views import loads_of, with_views
from fmpy.fmi2 import FMU2Model
from numpy.polynomial.chebyshev import chebinterpolate, chebval

from fmugen.analysis.inverse import inverse_of
from fmugen.formulas import parse
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from split.manipulator import PERIOD, Array, applied, prescribed

__all__ = ["driven_manipulator", "feed_error"]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "three_rrr_driven" / "model.toml"
DEGREE = 60
#: The series reach beyond the motion, so that no rounding of times leaves them.
BEGIN, END = -0.1, PERIOD + 0.1
LEGS = (1, 2, 3)


def inverse_torques(folder: Path) -> Array:
    """Coefficients of Chebyshev series of the torques, a column a leg, from the FMU of inverse dynamics."""
    fmu = str(export_fmu(inverse_of(read_model(EXAMPLE)), folder / "inverse.fmu", ExportOptions("aac")).path)
    description = fmpy.read_model_description(fmu)
    references = {v.name: v.valueReference for v in description.modelVariables}
    model = FMU2Model(
        guid=description.guid,
        unzipDirectory=fmpy.extract(fmu, unzipdir=str(folder / "inverse")),
        modelIdentifier=description.modelExchange.modelIdentifier,
        instanceName="inverse",
    )
    model.instantiate()
    model.setupExperiment(startTime=0.0, stopTime=PERIOD)
    model.enterInitializationMode()
    model.exitInitializationMode()
    model.newDiscreteStates()
    model.enterContinuousTimeMode()
    given = [references[f"motor_{leg}_{kind}"] for kind in ("angle", "omega", "alpha") for leg in LEGS]
    wanted = [references[f"tau_{leg}"] for leg in LEGS]

    def torques(place: float) -> Array:
        time = (BEGIN + END) / 2 + (END - BEGIN) / 2 * place
        model.setTime(time)
        model.setReal(given, [float(value) for values in prescribed(time) for value in values])
        model.completedIntegratorStep()
        return np.array(model.getReal(wanted))

    # From the start on: of two assembly modes the FMU takes the one that continues the last.
    places = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    known = {place: torques(place) for place in sorted(places)}
    model.freeInstance()
    return np.column_stack(
        [chebinterpolate(lambda x, k=k: _looked_up(known, x, k), DEGREE) for k in range(3)]
    )


def _looked_up(known: dict[float, Array], places: Array, column: int) -> Array:
    nodes = np.array(list(known))
    return np.array([known[nodes[np.abs(nodes - place).argmin()]][column] for place in places])


def feed_error(coefficients: Array) -> float:
    """The largest difference of the series from torques that were computed by hand, in N m."""
    times = np.linspace(0.0, PERIOD, 301)
    found = chebval((2 * times - BEGIN - END) / (END - BEGIN), coefficients).T
    return float(max(np.abs(found[n] - applied(time)[::2][:3]).max() for n, time in enumerate(times)))


def driven_manipulator(coefficients: Array) -> SystemModel:
    """The example with its torques as formulas of time instead of inputs."""
    model = read_model(EXAMPLE)
    turn = f"acos((2*time - {BEGIN + END!r})/{END - BEGIN!r})"
    loads = []
    for leg in LEGS:
        series = " + ".join(f"({c:.17g})*cos({n}*{turn})" for n, c in enumerate(coefficients[:, leg - 1]))
        (load,) = (load for load in loads_of(model) if load.name == f"motor_{leg}")
        x, y, _ = load.torque
        loads.append(replace(load, torque=(x, y, parse(series))))
    return with_views(
        model,
        inputs=(),
        loads=tuple(loads),
        experiment=replace(model.experiment, stop=PERIOD, tolerance=1e-10),
    )
