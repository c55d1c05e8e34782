"""Modes of elements: a law that remembers enters by its class alone, and changes at events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fmpy
import numpy as np
import pytest

from fmugen.components.base import REGISTRY
from fmugen.errors import OutputError
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation, export_fmu
from fmugen.view.modelica import modelica_model

from .switching_type import enter_stages

MODEL = """
[model]
name = "Stages"
space = "planar"
[bodies.bead]
mass = 2.0
inertia = 1.0
[joints.guide]
type = "prismatic"
from = "ground"
to = "bead"
axis = [1, 0]
[forces.push]
type = "force"
on = "bead"
value = ["p", 0]
[springs.brake]
type = "stages"
from = "ground"
to = "bead"
force = "f"
gap = "gap"
[parameters]
p = 3.0
f = 4.0
gap = 0.25
[start]
fixed."guide.s" = 0.5
fixed."guide.v" = 1.0
[outputs]
s = "guide.s"
v = "guide.v"
mode = "brake.mode"
"""


@pytest.fixture(autouse=True)
def stages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The type is known during a test."""
    monkeypatch.setitem(REGISTRY, "springs", dict(REGISTRY["springs"]))
    enter_stages()
    yield


def closed_form(times: np.ndarray, p: float = 3.0, f: float = 4.0, gap: float = 0.25) -> list[list[float]]:
    """Arcs of constant acceleration, which end where the mode changes."""
    up, down, pull = {0: 1.0, 1: 2.0}, {1: 1.0 - gap, 2: 2.0 - gap}, (0.0, f, 3 * f)
    t, s, v, mode, found = 0.0, 0.5, 1.0, 0, []
    pending = list(times)
    while pending:
        a = (p - pull[mode]) / 2.0
        ends = [(_first(a, v, s - up[mode], 1), mode + 1)] if mode in up else []
        ends += [(_first(a, v, s - down[mode], -1), mode - 1)] if mode in down else []
        after, following = min(ends)
        while pending and pending[0] <= t + after:
            dt = pending.pop(0) - t
            found.append([s + v * dt + a * dt * dt / 2, v + a * dt, mode])
        t, s, v, mode = t + after, s + v * after + a * after * after / 2, v + a * after, following
    return found


def _first(a: float, v: float, s: float, direction: int) -> float:
    """When a s + v t + a t^2/2 first crosses zero in a direction."""
    if s * direction > 0:
        return 0.0
    roots = np.roots([a / 2, v, s]) if a else np.array([-s / v])
    real = [float(r.real) for r in roots if abs(r.imag) < 1e-12 and r.real > 1e-12]
    return min((r for r in real if (v + a * r) * direction > 0), default=np.inf)


@pytest.mark.parametrize("fmi", list(FmiVersion))
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_modes_follow_the_closed_form(kind: str, fmi: FmiVersion, tmp_path: Path) -> None:
    fmu = export_fmu(
        parse_model(MODEL, "stages.toml"), tmp_path / "s.fmu", ExportOptions("aac", fmi=fmi)
    ).path
    found = fmpy.simulate_fmu(
        str(fmu), fmi_type=kind, stop_time=7.0, output_interval=0.05, relative_tolerance=1e-9, solver="CVode"
    )
    keep = np.concatenate([[True], np.diff(found["time"]) > 1e-9])
    found = found[keep]
    expected = np.array(closed_form(found["time"]))
    away = np.abs(np.diff(expected[:, 2], prepend=expected[0, 2])) == 0
    assert {0.0, 1.0, 2.0} == set(expected[:, 2])
    np.testing.assert_allclose(found["s"], expected[:, 0], atol=2e-6)
    np.testing.assert_allclose(found["mode"][away], expected[away, 2])


def test_modelica_says_that_it_has_no_modes() -> None:
    made = Compilation(parse_model(MODEL, "stages.toml"), ExportOptions("aac"))
    with pytest.raises(OutputError, match=r"brake\.tight"):
        modelica_model(made.model, made.dae, made.flow, made.program)
