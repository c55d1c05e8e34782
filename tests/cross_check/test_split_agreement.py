"""Split and whole move alike; parts are connected by model exchange, one exchange per evaluation."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmugen.cosim.export import export_split
from fmugen.cosim.split import split_model
from fmugen.ir.options import ExportOptions
from fmugen.ir.split import Method
from fmugen.master import connect, read_ssp
from fmugen.pipeline import export_fmu

SECONDS, STEP = 3.0, 0.002
TOLERANCE = 1e-6


def moved(system: Any, variables: list[str]) -> Any:
    """The variables over time, each from the first part that has it."""
    exchange = importlib.import_module("split.exchange")
    places = [
        (next(part.name for part in system.parts if variable in part.references), variable)
        for variable in variables
    ]
    with exchange.ConnectedModels(system, stop=SECONDS) as models:
        run = exchange.fixed(models, SECONDS, STEP, places)
    assert not run.failure
    return np.array(run.values)


def largest_difference(
    model: Any, partition: Any, method: Method, variables: list[str], folder: Path
) -> float:
    whole = export_fmu(model, folder / "whole.fmu", ExportOptions("aac")).path
    split = split_model(model, partition, method)
    package = export_split(split, folder / "split.ssp", ExportOptions("aac")).path
    expected = moved(connect({"whole": whole}, [], folder / "whole"), variables)
    found = moved(read_ssp(package, folder / "parted"), variables)
    assert np.ptp(expected, axis=0).min() > 0.1
    return float(np.abs(found - expected).max())


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("method", [Method.EXACT, Method.DENOC])
def test_the_manipulator_of_the_thesis_moves_as_a_whole(method: Method, tmp_path: Path) -> None:
    torques, khan = importlib.import_module("split.torques"), importlib.import_module("split.khan")
    model = torques.driven_manipulator(torques.inverse_torques(tmp_path))
    variables = ["platform.x", "platform.y", "platform.angle", "shank_1.angle", "thigh_3.angle"]
    found = largest_difference(model, khan.partition(method), method, variables, tmp_path)
    assert found < TOLERANCE


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("method", [Method.EXACT, Method.DENOC])
def test_a_gough_stewart_platform_on_six_legs_moves_as_a_whole(method: Method, tmp_path: Path) -> None:
    case = importlib.import_module("split.speed").stewart_gough()
    model = replace(case.model, outputs=case.model.outputs[:1])
    variables = ["m3.x", "m3.y", "m3.z", "m3.rxx", "m3.rzx", "m3.wx", "m2_1.z"]
    assert largest_difference(model, case.partition, method, variables, tmp_path) < TOLERANCE
