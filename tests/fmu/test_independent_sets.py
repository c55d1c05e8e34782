"""FMUs hold sets of independent coordinates that leave no position of the declared motion to iteration."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.pipeline import Export
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.models.dead_centres import klann_leg, landing_flap, loader_crane, rocker_press
from tests.store import exported

corpus: Any = importlib.import_module("closures.corpus")


def export_of(model: SystemModel, *independent: str) -> Export:
    return exported(model, ExportOptions(trees="aac", independent=independent))


def iterating(model: SystemModel, fmu: Path) -> int:
    """At how many communication points of the declared motion the loops are closed by iteration."""
    experiment = model.experiment
    outputs = ["closure.iterations", "closure.residual"]
    run = simulate_fmu(fmu, stop=experiment.stop, step=experiment.step, outputs=outputs, time_limit=120)
    assert np.max(run.values["closure.residual"]) <= 1e-12
    return int(np.sum(run.values["closure.iterations"] > 0))


@pytest.mark.parametrize(
    "make", [rocker_press, landing_flap, pytest.param(loader_crane, marks=pytest.mark.slow)]
)
def test_no_position_of_the_motion_iterates(make: Callable[[], SystemModel]) -> None:
    model = make()
    assert iterating(model, export_of(model).path) == 0


def test_the_choice_that_passes_no_dead_centre_is_taken_alone() -> None:
    """The rocker turns back late in the motion; the crank, which never does, takes no more operations."""
    model = rocker_press()
    export, named = export_of(model), export_of(model, "rocker.angle")
    coordinates = export.compilation.dae.coordinates
    assert [[coordinates[k].name for k in each.independent] for each in export.compilation.flow.sets] == [
        ["crank.angle"]
    ]
    operations = [sum(b.operations for b in e.compilation.flow.blocks) for e in (export, named)]
    assert operations[0] <= operations[1]
    assert iterating(model, named.path) > 20


@pytest.mark.slow
def test_where_no_sets_are_exact_throughout_less_iterates_than_with_any_named_set() -> None:
    """At dead centres of the upper dyad of a Klann leg only sets with roots of sextics are good."""
    model = klann_leg()
    names = ("crank.angle", "upper.angle", "leg.angle")
    counts = [iterating(model, export_of(model, name).path) for name in names]
    assert iterating(model, export_of(model).path) < 0.1 * min(counts)


def test_changes_of_sets_keep_the_motion_right() -> None:
    model = landing_flap()
    export = export_of(model)
    assert len(export.compilation.flow.sets) > 1
    verification = verify_fmu(model, export.path, stop=2.0, step=0.05)
    assert verification.passed, verification.problems


def test_adaptive_steps_pass_near_a_dead_centre_without_iteration() -> None:
    """All sets of a swash plate come near one late in its motion, where fixed steps would lose accuracy."""
    (plate,) = (each for each in corpus.CORPUS if each.name == "SwashPlate")
    model = plate.model()
    adaptive, fixed = (
        exported(model, ExportOptions("aac", solver=each)) for each in (Solver.DOPRI5, Solver.RK4)
    )
    assert len(adaptive.compilation.flow.sets) > 1
    assert iterating(model, adaptive.path) == 0
    assert iterating(model, fixed.path) > 0
    verification = verify_fmu(model, adaptive.path, loose=())
    assert verification.passed, verification.problems
