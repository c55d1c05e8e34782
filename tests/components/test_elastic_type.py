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
SPIN_UP_REFERENCE = {REFERENCE}
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
[outputs]
slider_x = "slider.x"
"""


@pytest.fixture(autouse=True)
def beam(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The type is known during a test."""
    monkeypatch.setitem(REGISTRY, "bodies", dict(REGISTRY["bodies"]))
    enter_beam()
    yield


def read(text: str) -> SystemModel:
    return parse_model(text, "beam.toml")
