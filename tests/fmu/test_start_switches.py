"""Switches have their true values at initialization, whatever they depend on."""

from __future__ import annotations

from pathlib import Path

import fmpy
import pytest

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel
from fmugen.pipeline import Export
from fmugen.verify.compare import verify_fmu
from tests.fmu.exchange import opened, options
from tests.store import exported

#: Prescribed heights of platforms, and what they are at the start.
DRIVEN = {
    "if((time - c)*(1.3 - time), 0.03*time^2 + 0.01, 0)": 0.0,
    "0.01*sign((time - c)*(time - 2))": 0.01,
    "0.01*abs((time - 0.5*c)*(1.3 - time))": 0.0065,
    "max(0.01*time^2 - 0.02, -0.03*time^2 - 0.01)": -0.01,
    "min(0.01*time^2 - 0.02, -0.03*time^2 - 0.01)": -0.02,
    "0.01*step(time^2 - c)": 0.0,
    "if(time^2 - c, 0.1, if(0.5 - time^2, 0.02, 0.3))": 0.02,
    "if(time - 1, 0.1, 0.04)": 0.04,
}

#: Forces on masses at the position 0.25 m and at rest, and what they are at the start.
FORCES = {
    "if(MASS.y - 0.3, 5, -5)": -5.0,
    "if(MASS.y - 0.25, 5, -5)": 5.0,
    "sign(MASS.vy)": 0.0,
    "abs(MASS.vy) - step(-MASS.vy)": -1.0,
    "max(MASS.vy, MASS.y)": 0.25,
    "min(MASS.vy - 0.25, MASS.y)": -0.25,
    "if(-time, 3, -3)": 3.0,
    "sign(time)": 0.0,
    "sign(-time)": 0.0,
    "step(-time)": 1.0,
    "step(time)": 1.0,
    "max(time, 0) + min(time, 0) + abs(time)": 0.0,
    "if(-time^2, 3, -3)": 3.0,
    "sign(time^2 - c)": -1.0,
}


def on_platforms() -> SystemModel:
    """Masses that fall onto driven platforms; all of them begin at 0.25 m."""
    builder = ModelBuilder("Platforms", gravity=(0, -9.81)).parameter("c", 1.0, "s")
    for number, value in enumerate(DRIVEN):
        base, mass = f"base{number}", f"m{number}"
        builder.body(base, mass=1, inertia=1).body(mass, mass=1, inertia=0.1)
        builder.prismatic(f"hold{number}", "ground", base, axis=(0, 1))
        builder.prismatic(f"slide{number}", base, mass, axis=(0, 1))
        builder.translation_driver(f"drive{number}", "ground", base, value, axis=(0, 1))
        builder.output(f"height{number}", f"{base}.y").output(f"y{number}", f"{mass}.y")
        builder.start(f"{mass}.y", 0.25)
    return builder.experiment(stop=0.02, step=0.01).build()


def pushed() -> SystemModel:
    builder = ModelBuilder("Pushed").parameter("c", 1.0, "s")
    for number, value in enumerate(FORCES):
        mass = f"m{number}"
        builder.body(mass, mass=1, inertia=0.1)
        builder.prismatic(f"slide{number}", "ground", mass, axis=(0, 1))
        builder.force(f"push{number}", mass, (0, value.replace("MASS", mass)))
        builder.output(f"force{number}", f"push{number}.fy")
        builder.start(f"{mass}.y", 0.25).start(f"{mass}.vy", 0.0)
    return builder.experiment(stop=0.02, step=0.01).build()


@pytest.fixture(scope="module", params=[2, 3])
def platforms(request: pytest.FixtureRequest) -> Export:
    return exported(on_platforms(), options(request.param, trees="aac"))


@pytest.fixture(scope="module")
def masses() -> Export:
    return exported(pushed(), options(trees="aac"))


def first_row(export: Export, kind: str, names: list[str], **start: float) -> dict[str, float]:
    begin = start.pop("start_time", 0.0)
    rows = fmpy.simulate_fmu(
        str(export.path),
        fmi_type=kind,
        start_time=begin,
        stop_time=begin + 0.01,
        output_interval=0.01,
        start_values=start,
        output=names,
    )
    return {name: float(rows[name][0]) for name in names}


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_drivers_begin_where_their_conditions_say(platforms: Export, kind: str) -> None:
    names = [f"{name}{number}" for number in range(len(DRIVEN)) for name in ("height", "y")]
    found = first_row(platforms, kind, names)
    for number, (value, height) in enumerate(DRIVEN.items()):
        assert found[f"height{number}"] == pytest.approx(height, abs=1e-12), value
        assert found[f"y{number}"] == pytest.approx(0.25, abs=1e-12), value


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize(("start", "height"), [({"c": -1.0}, 0.01), ({"start_time": 1.1}, 0.0463)])
def test_other_parameters_and_times_turn_the_switch(
    platforms: Export, kind: str, start: dict[str, float], height: float
) -> None:
    found = first_row(platforms, kind, ["height0", "y0"], **start)
    assert found["height0"] == pytest.approx(height, abs=1e-12)
    assert found["y0"] == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize("platforms", [2], indirect=True)
def test_platforms_move_as_the_reference(platforms: Export) -> None:
    assert verify_fmu(on_platforms(), platforms.path).problems == ()


def test_forces_begin_with_their_true_values(masses: Export, tmp_path: Path) -> None:
    names = [f"force{number}" for number in range(len(FORCES))]
    found = first_row(masses, "CoSimulation", names)
    with opened(masses, tmp_path) as model:
        model.initialize()
        exchanged = {name: model.value(name) for name in names}
    for number, (value, force) in enumerate(FORCES.items()):
        assert found[f"force{number}"] == pytest.approx(force, abs=1e-12), value
        assert exchanged[f"force{number}"] == pytest.approx(force, abs=1e-12), value
    assert verify_fmu(pushed(), masses.path).problems == ()
