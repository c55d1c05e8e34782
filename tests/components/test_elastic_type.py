"""Freedoms that an element shares among its arms: a flexible body enters by its class alone.

The references are geometrically exact beams with 16 and 32 cubic Hermite elements; their own errors are below
2e-6 m and 1e-8 m.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fmpy
import numpy as np
import pytest

from fmugen.components.base import REGISTRY
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation, export_fmu

from .elastic_type import enter_beam

#: A beam that a driver turns about its base from rest to 6 rad/s (Kane, Ryan and Banerjee 1987).
SPIN_UP = """
[model]
name = "SpinUp"
space = "planar"
[bodies.rod]
type = "bending_beam"
mass = "2766.67*7.2968e-5*8"
length = 8
rigidity = "6.8952e10*8.2189e-9"
points.tip = [8, 0]
[joints.pin]
type = "revolute"
from = "ground"
to = "rod"
[drivers.turn]
type = "rotation"
from = "ground"
to = "rod"
value = "0.4*(time^2/2 + (7.5/pi)^2*(cos(2*pi*time/15) - 1))"
[outputs]
deflection = "rod.e1 + rod.e2 + rod.e3"
"""
#: Deflection of the tip, in m, at these times, in s.
SPIN_UP_REFERENCE = {
    2.5: -0.214299,
    5.0: -0.623144,
    6.5: -0.750413,
    7.5: -0.707031,
    10.0: -0.43734,
    12.5: -0.123472,
    15.0: 0.00148311,
}
#: A slider-crank whose rod bends (Léger, A.5, with a diameter of 6 mm).
SLIDER_CRANK = """
[model]
name = "FlexibleSliderCrank"
space = "planar"
[bodies.crank]
mass = 0.01
inertia = 1e-4
points.end = [0.15, 0]
[bodies.rod]
type = "bending_beam"
mass = "7870*pi*0.003^2*0.3"
length = 0.3
rigidity = "2e11*pi*0.006^4/64"
points.tip = [0.3, 0]
[bodies.slider]
mass = "7870*pi*0.003^2*0.15"
inertia = 1e-6
[joints.main]
type = "revolute"
from = "ground"
to = "crank"
[joints.big_end]
type = "revolute"
from = "crank.end"
to = "rod"
[joints.small_end]
type = "revolute"
from = "rod.tip"
to = "slider"
[joints.guide]
type = "prismatic"
from = "ground"
to = "slider"
axis = [1, 0]
[drivers.turn]
type = "rotation"
from = "ground"
to = "crank"
value = "150*time"
[start]
guess."guide.s" = 0.45
guess."rod.angle" = 0
fixed."rod.e1" = 0
fixed."rod.e2" = 0
fixed."rod.e3" = 0
fixed."rod.de1" = 0
fixed."rod.de2" = 0
fixed."rod.de3" = 0
[outputs]
slider_x = "slider.x"
rod_angle = "rod.angle"
"""
#: Position of the slider, in m, and angle of the rod at the crank, in rad, at these times, in s.
SLIDER_CRANK_REFERENCE = {
    0.0133333333: (0.2047529, -0.452045),
    0.0266666667: (0.17964204, 0.379616),
    0.04: (0.44103655, 0.114774),
    0.0533333333: (0.23888965, -0.505393),
    0.0666666667: (0.16282607, 0.278469),
}


@pytest.fixture(autouse=True)
def beam(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The type is known during a test."""
    monkeypatch.setitem(REGISTRY, "bodies", dict(REGISTRY["bodies"]))
    enter_beam()
    yield


def read(text: str) -> SystemModel:
    return parse_model(text, "beam.toml")


@pytest.mark.parametrize("trees", ["jc", pytest.param("aac", marks=pytest.mark.slow)])
def test_a_spinning_beam_stiffens(trees: str, tmp_path: Path) -> None:
    fmu = export_fmu(read(SPIN_UP), tmp_path / "beam.fmu", ExportOptions(trees=trees)).path
    found = fmpy.simulate_fmu(str(fmu), stop_time=15.0, output_interval=0.5, relative_tolerance=1e-8)
    times, expected = np.array(list(SPIN_UP_REFERENCE.items())).T
    deviation = np.interp(times, found["time"], found["deflection"]) - expected
    # Three polynomials and terms of second order: 0.6 % of the peak.
    assert np.abs(deviation).max() < 0.007 * np.abs(expected).max()


@pytest.mark.parametrize("trees", ["jc", pytest.param("aac", marks=pytest.mark.slow)])
def test_a_loop_through_a_beam_closes_exactly(trees: str, tmp_path: Path) -> None:
    model, options = read(SLIDER_CRANK), ExportOptions(trees=trees)
    made = Compilation(model, options)
    independent = {made.dae.coordinates[number].name for number in made.flow.independent}
    assert independent == {"rod.e1", "rod.e2", "rod.e3"}
    assert all(block.steps for block in made.flow.blocks)
    fmu = export_fmu(model, tmp_path / "beam.fmu", options).path
    found = fmpy.simulate_fmu(
        str(fmu),
        stop_time=1 / 15,
        output_interval=1 / 750,
        relative_tolerance=1e-8,
        output=["slider_x", "rod_angle"],
    )
    for time, (slider_x, angle) in SLIDER_CRANK_REFERENCE.items():
        row = found[np.argmin(np.abs(found["time"] - time))]
        assert abs(row["slider_x"] - slider_x) < 5e-6
        assert abs(row["rod_angle"] - angle) < 1e-3  # of 0.05 rad by which the rod bends
