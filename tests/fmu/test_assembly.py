"""FMUs keep their assembly mode from the default parameters to others, and the judge starts where they do."""

from __future__ import annotations

import numpy as np
import pytest

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.models.hard_to_assemble import myard, rccc, three_prs
from tests.store import exported
from tests.support import example


def four_bar() -> SystemModel:
    """A four-bar whose second pin on the ground is too near to the crank between (2, -2) and (-2, 2)."""
    builder = ModelBuilder("FourBar", gravity=[0, -9.81])
    builder.parameter("px", 2.0, "m").parameter("py", -2.0, "m").ground_point("P", "px", "py")
    for name, length in (("crank", 0.2), ("coupler", 2.5), ("rocker", 1.0)):
        builder.body(name, mass=1, inertia=0.1, points={"end": [length, 0]})
    builder.revolute("a", "ground", "crank").revolute("b", "crank.end", "coupler")
    builder.revolute("c", "coupler.end", "rocker.end").revolute("d", "ground.P", "rocker")
    builder.start("a.angle", 1.0).start("coupler.angle", -1.0, fixed=False)
    return builder.output("angle", "rocker.angle").experiment(stop=0.1, step=0.01).build()


def test_a_way_around_parameters_without_a_position_is_found() -> None:
    model = four_bar()
    fmu = exported(model, ExportOptions(trees="aac")).path
    verification = verify_fmu(model, fmu, parameters={"px": -2.0, "py": 2.0}, loose=())
    assert verification.passed, verification.problems


def test_attitudes_follow_changed_parameters() -> None:
    """Euler parameters in loops, with all lengths a quarter longer or a fifth shorter."""
    model = example("spatial_four_bar")
    fmu = exported(model, ExportOptions(trees="ac")).path
    lengths = {"crank_length": 1.2, "rod_length": 5.0, "follower_length": 2.5, "ground_length": 6.0}
    found = simulate_fmu(fmu, stop=0.01, step=0.01, outputs=["closure.residual"], parameters=lengths)
    assert np.max(found.values["closure.residual"]) < 1e-11


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(rccc(), id="rccc", marks=pytest.mark.slow),
        pytest.param(myard((0.5, 1.0, 1.0, 1.0, 1.0)), id="myard"),
        pytest.param(three_prs(), id="tripod", marks=pytest.mark.slow),
    ],
)
def test_rough_guesses_are_exported_and_verified(model: SystemModel) -> None:
    fmu = exported(model, ExportOptions(trees="aac")).path
    verification = verify_fmu(model, fmu, stop=0.05, loose=())
    assert verification.passed, verification.problems


def test_angles_stay_near_where_they_are_continued() -> None:
    """A single step to these lengths would close the loops of the landing gear a turn away."""
    model = example("landing_gear")
    fmu = exported(model, ExportOptions(trees="aac")).path
    changed = {
        "strut_bx": 56.794, "strut_by": 86.785, "strut_fx": 21.956, "strut_fy": -287.555,
        "fuselage_dx": 170.733, "fuselage_dy": 62.627, "drag_cx": 4.501, "drag_cy": 12.177,
        "drag_length": 184.331, "link_length": 202.633, "rod_length": 107.707,
        "cylinder_length": 181.189, "deployed_length": 181.535, "scale": 0.005,
    }  # fmt: skip
    bodies = ["strut.angle", "drag.angle", "link.angle", "cylinder.angle"]
    for parameters in ({}, changed):
        found = simulate_fmu(fmu, stop=0.01, step=0.01, outputs=bodies, parameters=parameters)
        assert all(-np.pi < found.values[name][0] < np.pi for name in bodies)
