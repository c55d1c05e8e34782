"""Masters of split systems, on two masses whose motion is known in closed form."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from fmugen.builder import ModelBuilder
from fmugen.errors import SimulationError
from fmugen.ir.options import ExportOptions
from fmugen.master import Cosimulation, Scheme, System, Wire, connect
from fmugen.pipeline import export_fmu

MASSES, STIFFNESSES = (2.0, 0.5), (30.0, 8.0)
STOP = 1.0


def exact(time: float) -> Any:
    """Positions and velocities: the first mass on a spring to the ground, the second on one to it."""
    (m, n), (k, c) = MASSES, STIFFNESSES
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = [[-(k + c) / m, c / m], [c / n, -c / n]]
    return expm(A * time) @ [0.1, 0.0, 0.0, 0.0]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("split")
    base = (
        ModelBuilder("Base")
        .input("pull")
        .body("mass", mass=MASSES[0], inertia=1)
        .prismatic("rail", "ground", "mass", axis=(1, 0))
        .force("springs", "mass", (f"-{STIFFNESSES[0]}*mass.x + pull", 0))
        .output("x", "mass.x")
        .start("rail.s", 0.1)
        .build()
    )
    tip = (
        ModelBuilder("Tip")
        .input("x_base", start=0.1)
        .body("mass", mass=MASSES[1], inertia=1)
        .prismatic("rail", "ground", "mass", axis=(1, 0))
        .force("spring", "mass", (f"-{STIFFNESSES[1]}*(mass.x - x_base)", 0))
        .output("x", "mass.x")
        .output("tension", f"{STIFFNESSES[1]}*(mass.x - x_base)")
        .start("rail.s", 0)
        .build()
    )
    fmus = {
        model.name.lower(): export_fmu(model, folder / f"{model.name}.fmu", ExportOptions(trees="aac")).path
        for model in (base, tip)
    }
    wires = [Wire("base", "x", "tip", "x_base"), Wire("tip", "tension", "base", "pull")]
    return folder, connect(fmus, wires, folder)


@pytest.fixture
def system(built: Any) -> Any:
    return built[1]


@pytest.fixture
def folder(built: Any) -> Path:
    """Where the master is compiled once."""
    return Path(built[0])


PLACES = [("base", "x"), ("tip", "x")]


def error(times: Any, values: Any) -> float:
    return max(np.abs(np.asarray(v) - exact(t)[:2]).max() for t, v in zip(times, values, strict=True))


def test_wires_are_followed_in_the_order_of_their_dependencies(system: Any) -> None:
    assert [[wire.output for wire in layer] for layer in system.rounds()] == [["x"], ["tension"]]


def test_outputs_that_need_each_other_are_named(system: Any) -> None:
    looped = System(system.parts, (Wire("tip", "tension", "tip", "x_base"),))
    with pytest.raises(SimulationError, match=r"without a delay: tip\.tension"):
        looped.rounds()


def test_connected_by_model_exchange_parts_are_one_differential_equation(system: Any) -> None:
    exchange = importlib.import_module("split.exchange")
    with exchange.ConnectedModels(system) as models:
        run = exchange.adaptive(models, STOP, 1e-9, PLACES)
    assert not run.failure
    assert error(run.times, run.values) < 1e-8
    errors = []
    for step in (0.02, 0.01):
        with exchange.ConnectedModels(system) as models:
            run = exchange.fixed(models, STOP, step, PLACES)
        assert (run.steps, run.evaluations) == (round(STOP / step), 4 * round(STOP / step))
        errors.append(error(run.times, run.values))
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.1)


def test_an_unstable_run_ends_with_a_sentence(system: Any) -> None:
    exchange = importlib.import_module("split.exchange")
    with exchange.ConnectedModels(system) as models:
        run = exchange.fixed(models, 2000.0, 2.0, PLACES, exchange.euler)
    assert run.failure
    assert run.steps < 1000


@pytest.mark.skipif(sys.platform != "linux", reason="the master uses fork and shared memory of Linux")
def test_schemes_of_the_master_agree_on_any_number_of_processes(system: Any, folder: Path) -> None:
    cosimulation = importlib.import_module("split.cosimulation")
    serial, errors = {}, {}
    for scheme, groups in {"jacobi": (), "gauss_seidel": (["base"], ["tip"])}.items():
        for step in (0.01, 0.005):
            run = cosimulation.cosimulate(system, STOP, step, PLACES, folder, groups=groups, repeats=2)
            assert not run.failure
            assert len(run.seconds) == 2
            serial[scheme, step] = run.values
            errors[scheme, step] = error(run.times, run.values)
        parted = cosimulation.cosimulate(
            system, STOP, 0.01, PLACES, folder, groups=groups, workers=(["base"], ["tip"])
        )
        assert np.array_equal(parted.values, serial[scheme, 0.01])
        other = Cosimulation(system, Scheme.GAUSS_SEIDEL if groups else Scheme.JACOBI)
        values = other.run(run.times, PLACES)
        assert np.abs(values - serial[scheme, 0.005]).max() < 1e-14
        again = other.run(run.times, PLACES)
        other.close()
        assert np.array_equal(again, values), "nothing of a run is left after a reset"
        # Values are held during a step: errors are in proportion to it.
        assert errors[scheme, 0.01] / errors[scheme, 0.005] == pytest.approx(2, rel=0.1)
    assert not np.array_equal(serial["jacobi", 0.01], serial["gauss_seidel", 0.01])


@pytest.mark.skipif(sys.platform != "linux", reason="the master uses fork and shared memory of Linux")
def test_the_master_says_what_failed(system: Any, folder: Path) -> None:
    cosimulation = importlib.import_module("split.cosimulation")
    for workers in ((), (["base"], ["tip"])):
        run = cosimulation.cosimulate(
            system,
            STOP,
            0.01,
            PLACES,
            folder,
            workers=workers,
            parameters={("tip", "solver.max_steps"): 0.0},
        )
        assert "tip" in run.failure
