"""What only spatial examples can show: published results, conserved quantities, every attitude."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import numpy as np
import pytest
from element_views import drivers_of, loads_of, springs_of

from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation
from fmugen.verify.simulate import Trajectory, simulate_fmu
from tests.store import exported
from tests.support import EXAMPLES, example

DATA = Path(__file__).parents[1] / "data" / "modelica"


def run(model: SystemModel, outputs: list[str], tolerance: float = 1e-10) -> Trajectory:
    fmu = exported(model, ExportOptions("aac")).path
    settings = {"solver.relative_tolerance": tolerance, "solver.absolute_tolerance": tolerance * 1e-2}
    experiment = model.experiment
    return simulate_fmu(
        fmu, stop=experiment.stop, step=experiment.step, outputs=outputs, parameters=settings, time_limit=120
    )


@pytest.mark.parametrize(
    ("name", "file", "columns"),
    [
        ("double_pendulum_modelica", "DoublePendulum.csv", ["revolute1.phi", "revolute2.phi"]),
        ("engine1a", "Engine1a.csv", ["inertia.phi"]),
        ("fourbar_modelica", "Fourbar_analytic.csv", ["j1.phi"]),
    ],
)
def test_modelica_references(name: str, file: str, columns: list[str]) -> None:
    """The references are DASSL at 1e-6: angles to 1e-3 rad."""
    with (DATA / file).open(encoding="utf-8") as stream:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(stream)]
    times = np.array([row["time"] for row in rows])
    outputs = [column.replace(".", "_") for column in columns]
    trajectory = run(example(name), outputs)
    for column, output in zip(columns, outputs, strict=True):
        ours = np.interp(times, trajectory.times, trajectory.values[output])
        published = np.array([row[column] for row in rows])
        inside = times <= trajectory.times[-1]
        assert np.abs(ours - published)[inside].max() <= 1e-3


def is_conservative(model: SystemModel) -> bool:
    """Nothing drives or damps it, and it reports its energy."""
    damped = any(spring.damping.number != 0 for spring in springs_of(model))
    driven = drivers_of(model) or loads_of(model) or model.inputs
    return not damped and not driven and any(output.name == "energy" for output in model.outputs)


SPATIAL = sorted(
    path.parent.name
    for path in EXAMPLES.glob("*/model.toml")
    if 'space = "spatial"' in path.read_text(encoding="utf-8")
)
CONSERVATIVE = [name for name in SPATIAL if is_conservative(example(name))]


def test_there_are_conservative_examples() -> None:
    assert len(CONSERVATIVE) >= 6, CONSERVATIVE


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_energy_is_conserved(name: str) -> None:
    """Drift below 1e-8 of the energy that moves, over the whole run, with dopri5 at 1e-10."""
    energy = run(example(name), ["energy"]).values["energy"]
    scale = max(np.abs(energy).max(), 1e-3)
    assert np.abs(energy - energy[0]).max() <= 1e-8 * scale


def test_free_bodies_keep_their_momentum() -> None:
    """Three bodies in free flight: linear momentum grows by the weight alone, angular momentum not at all."""
    model = example("three_bodies")
    mass = {body.name: 2.0 for body in model.bodies}
    tensor = np.diag([1.0, 0.1, 1.0])
    kinds = ["x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", *(f"r{i}{j}" for i in "xyz" for j in "xyz")]
    names = [f"{body}.{kind}" for body in mass for kind in kinds]
    trajectory = run(model, names, 1e-12)
    values = trajectory.values

    def vectors(body: str, *kind: str) -> np.ndarray:
        return np.column_stack([values[f"{body}.{k}"] for k in kind])

    total = sum(mass.values())
    center = sum(m * vectors(b, "x", "y", "z") for b, m in mass.items()) / total
    drift = sum(m * vectors(b, "vx", "vy", "vz") for b, m in mass.items()) / total
    fall = np.outer(trajectory.times, [0.0, 0.0, -9.81])
    assert np.abs(drift - drift[0] - fall).max() <= 1e-10 * max(1.0, np.abs(drift).max())
    angular = np.zeros_like(center)
    size = 0.0
    for body, m in mass.items():
        arm, speed = vectors(body, "x", "y", "z") - center, vectors(body, "vx", "vy", "vz") - drift
        rotation = np.array([[values[f"{body}.r{i}{j}"] for j in "xyz"] for i in "xyz"]).transpose(2, 0, 1)
        spin = vectors(body, "wx", "wy", "wz")
        own = np.einsum("nij,jk,nlk,nl->ni", rotation, tensor, rotation, spin)
        angular += own + m * np.cross(arm, speed)
        size = max(size, np.abs(own).max())
    assert np.abs(angular - angular[0]).max() <= 1e-10 * max(1.0, size)


def test_a_tumbling_body_passes_through_every_attitude() -> None:
    """Spinning near its intermediate axis, the body turns over; Euler parameters never fail."""
    model = example("tumbling_body")
    names = [f"body.r{i}{j}" for i in "xyz" for j in "xyz"]
    trajectory = run(model, [*names, "closure.residual"])
    # The attitudes in which Euler angles of the sequences zyx, xyz, xzy fail, and those of zxz and xyx.
    for name in ("body.rzx", "body.rxz", "body.rxy", "body.rzz", "body.rxx"):
        assert np.abs(trajectory.values[name]).max() > 0.999, name
    for name in ("body.rxx", "body.ryy", "body.rzz"):
        assert trajectory.values[name].min() < -0.999, name
    assert trajectory.values["closure.residual"].max() <= 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stewart_gough", "spatial_parallel_3dof"])
def test_large_mechanisms_formulate_and_export_quickly(name: str) -> None:
    model = example(name)
    begin = time.process_time()
    assert Compilation(model, ExportOptions("jc")).formulated
    assert time.process_time() - begin < 3.0
    begin = time.process_time()
    exported(model, ExportOptions("aac"))
    assert time.process_time() - begin < 60.0
