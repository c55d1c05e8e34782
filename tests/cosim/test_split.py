"""Split systems against the whole: connected through model exchange, one exchange per evaluation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu
from split.exchange import ConnectedModels, fixed

from fmugen.cosim.export import export_split
from fmugen.cosim.split import split_model
from fmugen.errors import ModelError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.ir.split import SYSTEM, Members, Method, Partition
from fmugen.master import read_ssp
from fmugen.pipeline import export_fmu
from tests.cosim.models import (
    LEGS,
    LINKS,
    ROD_AND_BEAD,
    THIRDS,
    bead,
    double_pendulum,
    steered_manipulator,
)
from tests.support import example


def end_of_whole(model: SystemModel, folder: Path) -> dict[str, float]:
    path = export_fmu(model, folder / "whole.fmu", ExportOptions("aac")).path
    result = simulate_fmu(str(path), stop_time=model.experiment.stop, output_interval=0.01)
    return {output.name: float(result[output.name][-1]) for output in model.outputs}


def largest_deviation(
    model: SystemModel, partition: Partition, method: Method, steps: int, folder: Path, **parameters: float
) -> float:
    """The largest difference of an output at the end, as a part of its size (at least 1)."""
    system = split_model(model, partition, method)
    package = export_split(system, folder / "split.ssp", ExportOptions("aac")).path
    whole = end_of_whole(model, folder)
    shown = [(link.source, link.output) for link in system.connections if link.target == SYSTEM]
    assert {name for _, name in shown} == whole.keys()
    connected = read_ssp(package, folder)
    settings = {place: value for name, value in parameters.items() for place in connected.named()[name]}
    with ConnectedModels(connected, settings) as models:
        run = fixed(models, model.experiment.stop, model.experiment.stop / steps, shown)
    assert not run.failure
    split = {name: value for (_, name), value in zip(shown, run.values[-1], strict=True)}
    return max(abs(split[name] - value) / max(1.0, abs(value)) for name, value in whole.items())


@pytest.mark.parametrize("method", [Method.EXACT, Method.DENOC])
def test_two_links_hold_together(method: Method, tmp_path: Path) -> None:
    assert largest_deviation(double_pendulum(), LINKS, method, 200, tmp_path) < 1e-8


@pytest.mark.parametrize("method", [Method.PROJECTION, pytest.param(Method.EXACT, marks=pytest.mark.slow)])
def test_a_frame_is_carried(method: Method, tmp_path: Path) -> None:
    assert largest_deviation(bead(), ROD_AND_BEAD, method, 200, tmp_path) < 1e-8


def test_springs_err_less_the_stiffer_they_are(tmp_path: Path) -> None:
    model = double_pendulum()
    errors = [
        largest_deviation(
            model,
            LINKS,
            Method.PENALTY,
            1000,
            tmp_path,
            penalty_stiffness=stiffness,
            penalty_damping=2 * stiffness**0.5,
        )
        for stiffness in (1e4, 1e5)
    ]
    assert errors[1] < errors[0] / 5
    assert errors[0] < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    ("partition", "method"),
    [(LEGS, Method.EXACT), (LEGS, Method.DENOC), (THIRDS, Method.DENOC), (LEGS, Method.PROJECTION)],
)
def test_a_manipulator_in_parts_follows_the_whole_for_three_seconds(
    partition: Partition, method: Method, tmp_path: Path
) -> None:
    assert largest_deviation(steered_manipulator(), partition, method, 3000, tmp_path) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("method", [Method.EXACT, Method.DENOC])
def test_a_platform_and_its_six_legs_follow_the_whole(method: Method, tmp_path: Path) -> None:
    model = example("stewart_gough")
    legs = [Members(f"leg_{leg}", (f"m1_{leg}", f"m2_{leg}")) for leg in range(1, 7)]
    partition = Partition((Members("platform", ("m3",)), *legs))
    assert largest_deviation(model, partition, method, 1000, tmp_path) < 1e-6


# --- the start --------------------------------------------------------------------------------------------


def test_wrenches_start_as_the_reactions_of_the_whole() -> None:
    system = split_model(example("three_rrr_driven"), LEGS, Method.DENOC)
    platform = next(part for part in system.parts if part.name == "platform")
    found = [variable.start for variable in platform.model.inputs if variable.name.startswith("hip")]
    # Reactions of the hips at the start, by the reference solver in absolute coordinates.
    expected = [10.496051, -3.706308, -8.003460, -1.651381, 4.116451, 8.739132]
    assert np.allclose(found, expected, atol=1e-6)


def test_every_input_starts_with_what_its_source_sends() -> None:
    system = split_model(double_pendulum(), LINKS, Method.EXACT)
    bottom = next(part for part in system.parts if part.name == "bottom")
    starts = {variable.name: variable.start for variable in bottom.model.inputs}
    assert starts["knee_cut_x"] == pytest.approx(np.sin(0.5))
    assert starts["knee_cut_y"] == pytest.approx(-np.cos(0.5))
    assert system.inputs == ("push",)
    assert set(system.outputs) == {"upper_angle", "lower_angle", "knee_fy", "tip_vx"}


# --- refusals -----------------------------------------------------------------------------------------------


def test_a_part_that_cannot_follow_is_refused() -> None:
    parts = Partition(
        (Members("rod", ("m2",)), Members("crank", ("m1",)), Members("rocker", ("m3",))), hub="rod"
    )
    with pytest.raises(ModelError, match=r"parts.crank: cannot follow all motions of"):
        split_model(example("four_bar"), parts, Method.EXACT)
