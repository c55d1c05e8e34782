"""Overconstrained mechanisms: constraints that are left out as redundant are checked while an FMU runs."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

from fmugen.builder import ModelBuilder
from fmugen.errors import SimulationError
from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.pipeline import Export
from fmugen.study.spec import Reduction
from fmugen.study.worker import Runs, StudySetup, Subject
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.fmu.exchange import opened
from tests.models.overconstrained import Overconstrained, bennett, sarrus, side_rod, third_crank
from tests.store import exported

CASES = {case.model.name: case for case in (side_rod(), third_crank(), bennett(), sarrus())}
#: How many constraints of each follow from the others.
REDUNDANT = {"SideRod": 1, "ThirdCrank": 1, "Bennett": 3, "Sarrus": 1}
KINDS = ("CoSimulation", "ModelExchange")
OTHER_CLOSURES = [closure for closure in Closure if closure is not Closure.TRIANGULAR]


def export_of(name: str, fmi: int = 2, closure: Closure = Closure.TRIANGULAR) -> Export:
    options = ExportOptions("aac", fmi=FmiVersion(fmi), closure=closure)
    found = exported(CASES[name].model, options)
    assert len(found.compilation.program.left_out) == REDUNDANT[name]
    return found


@dataclass(frozen=True)
class Run:
    """What an importer sees: the largest residual that was read, what the FMU said, and how the run ended."""

    residual: float
    said: str
    failed: bool


Runner = Callable[..., Run]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Runs of 0.1 s, with parameters that are set before, and ones that are tuned in the middle."""

    def run(export: Export, kind: str, tuned: dict[str, float] | None = None, **values: float) -> Run:
        capsys.readouterr()
        step = _co_simulated if kind == "CoSimulation" else _exchanged
        try:
            residual = max(step(export, Path(tempfile.mkdtemp(dir=tmp_path)), values, tuned or {}))
        except FMICallException:
            return Run(math.nan, capsys.readouterr().out, failed=True)
        return Run(residual, capsys.readouterr().out, failed=False)

    return run


def _co_simulated(
    export: Export, folder: Path, values: dict[str, float], tuned: dict[str, float]
) -> Iterator[float]:
    description = export.compilation.description
    three = description.fmi is FmiVersion.THREE
    slave = (FMU3Slave if three else FMU2Slave)(
        guid=description.guid,
        unzipDirectory=fmpy.extract(str(export.path), unzipdir=str(folder)),
        modelIdentifier=description.identifier,
        instanceName="it",
    )
    references = {variable.name: variable.value_reference for variable in description.variables}
    write, read = (slave.setFloat64, slave.getFloat64) if three else (slave.setReal, slave.getReal)
    slave.instantiate()
    try:
        for name, value in values.items():
            write([references[name]], [value])
        if not three:
            slave.setupExperiment(startTime=0.0)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        for k in range(10):
            for name, value in tuned.items() if k == 5 else ():
                write([references[name]], [value])
            slave.doStep(0.01 * k, 0.01)
            yield read([references["closure.residual"]])[0]
    finally:
        slave.freeInstance()


def _exchanged(
    export: Export, folder: Path, values: dict[str, float], tuned: dict[str, float]
) -> Iterator[float]:
    """By Euler's method."""
    with opened(export, folder) as model:
        model.start(**values)
        for k in range(100):
            if k == 50:
                model.fmu.enterEventMode()
                for name, value in tuned.items():
                    model.set([model.reference(name)], [value])
                model.update()
                model.fmu.enterContinuousTimeMode()
            ahead = model.states + 0.001 * model.derivatives
            model.fmu.setTime(0.001 * (k + 1))
            model.states = ahead
            model.fmu.completedIntegratorStep()
            yield model.value("closure.residual")


# --- the mechanisms themselves ------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_the_motion_is_that_of_the_reference(name: str) -> None:
    assert verify_fmu(CASES[name].model, export_of(name).path).problems == ()


@pytest.mark.parametrize("name", CASES)
def test_parameters_that_keep_the_redundancy_are_solved(name: str) -> None:
    case = CASES[name]
    assert verify_fmu(case.model, export_of(name).path, parameters=case.keeping).problems == ()


# --- parameters that break the redundancy ----------------------------------------------------------------


def assert_refusal(case: Overconstrained, found: Run) -> None:
    assert found.failed
    assert f"'{case.joint}' is open by" in found.said
    assert "the present parameters break this redundancy" in found.said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_broken_at_initialization_the_joint_is_named(name: str, kind: str, run: Runner) -> None:
    case = CASES[name]
    assert_refusal(case, run(export_of(name), kind, **case.breaking))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_broken_between_steps_the_joint_is_named(name: str, kind: str, run: Runner) -> None:
    case = CASES[name]
    found = run(export_of(name), kind, case.breaking)
    assert_refusal(case, found)
    assert "t = 0.05 s" in found.said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_tuned_together_parameters_are_solved(name: str, kind: str, run: Runner) -> None:
    case = CASES[name]
    found = run(export_of(name), kind, case.keeping)
    assert not found.failed, found.said
    assert found.residual < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_fmi_3_refuses_as_well(kind: str, run: Runner) -> None:
    case, fmu = CASES["SideRod"], export_of("SideRod", fmi=3)
    assert_refusal(case, run(fmu, kind, **case.breaking))
    assert_refusal(case, run(fmu, kind, case.breaking))
    assert not run(fmu, kind, case.keeping).failed


@pytest.mark.parametrize("closure", OTHER_CLOSURES)
def test_every_closure_checks(closure: Closure, run: Runner) -> None:
    """Also those whose loops drift, which is not mistaken for an open joint."""
    case, fmu = CASES["ThirdCrank"], export_of("ThirdCrank", closure=closure)
    for kind in KINDS:
        assert not run(fmu, kind, **case.keeping).failed
        assert not run(fmu, kind, case.keeping).failed
        assert_refusal(case, run(fmu, kind, **case.breaking))
        assert_refusal(case, run(fmu, kind, case.breaking))


def test_the_residual_has_the_left_out_constraints(run: Runner) -> None:
    """A change that is too small to refuse is seen."""
    found = run(export_of("SideRod"), "CoSimulation", r2=0.3 + 1e-7)
    assert not found.failed
    assert 1e-8 < found.residual < 1e-6


def test_verification_fails_with_the_sentence() -> None:
    case = CASES["SideRod"]
    with pytest.raises(SimulationError, match="'pin3' is open by"):
        verify_fmu(case.model, export_of("SideRod").path, parameters=case.breaking)


def test_a_study_records_the_sentence() -> None:
    subject = Subject("x.fmu", export_of("SideRod").path.read_bytes())
    experiment = StudySetup((0.0, 0.1), ((("", "r2"),),), {}, ((("", "angle"), Reduction.FINAL),))
    runs = Runs(subject, experiment)
    broken, sound = runs.run(np.array([0.33])), runs.run(np.array([0.3]))
    runs.close()
    assert "'pin3' is open by" in broken.message
    assert np.isnan(broken.values).all()
    assert sound.message == ""
    assert np.isfinite(sound.values).all()


# --- redundancy that the motion breaks ---------------------------------------------------------------


def test_drivers_that_part_are_told() -> None:
    """Two drivers of one shaft agree at the start, up to their rates, and not later."""
    builder = (
        ModelBuilder("TwoMotors").body("shaft", mass=1, inertia=1).revolute("bearing", "ground", "shaft")
    )
    builder.rotation_driver("first", "ground", "shaft", "2*time")
    builder.rotation_driver("second", "ground", "shaft", "2*time + time^3")
    export = exported(builder.build(), ExportOptions("aac"))
    with pytest.raises(SimulationError, match=r"'second' is open by .*does not hold along this motion"):
        simulate_fmu(export.path, stop=1.0, step=0.1, outputs=["shaft.angle"])
