"""Every example, as a user would use it: exported, validated, run, and judged against the reference."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

from fmugen.ir.model import Experiment
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.phases.read import parse_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import Run, Trajectory, simulate_fmu, simulate_runs
from fmugen.verify.verdict import Verification, shared_scales
from tests.store import exported
from tests.support import EXAMPLES, by_size, example, trees_of

NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))
DATA = Path(__file__).parents[1] / "data"
TIGHT = {"solver.relative_tolerance": 1e-12, "solver.absolute_tolerance": 1e-13}


def fmu_of(name: str) -> Path:
    return exported(example(name), ExportOptions(trees_of(name))).path


#: Communication steps of the beginning of a motion.
_BEGINNING = 50
#: Their whole motion is compared with another reference elsewhere: the judge takes minutes a second of it.
_LONG = {"vehicle_14dof", "vehicle_double_wishbone"}


@pytest.mark.parametrize("name", by_size(NAMES))
def test_example_is_valid_and_begins_as_the_reference(name: str) -> None:
    fmu = fmu_of(name)
    assert validate_fmu(str(fmu)) == []
    experiment = example(name).experiment
    check_motion(name, fmu, min(experiment.stop, _BEGINNING * experiment.step))


@pytest.mark.parametrize("name", ["four_bar", "rectifier", "vibrating_system"])
def test_small_example_runs_in_every_way(name: str, tmp_path: Path) -> None:
    experiment = example(name).experiment
    check_all_ways(name, tmp_path, min(experiment.stop, 4 * _BEGINNING * experiment.step))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in _LONG])
def test_example_runs_in_every_way_until_its_end(name: str, tmp_path: Path) -> None:
    check_all_ways(name, tmp_path, example(name).experiment.stop)


#: A deviation below this is rounding, and need not shrink.
_ROUNDING = 1e-9
#: Explicit Euler is not exact; it has blown up where most signals deviate by more than so often their scale.
_BLOWN_UP = 3.0


def check_all_ways(name: str, folder: Path, stop: float) -> None:
    """FMI 2 and 3, co-simulation and model exchange, at tight, default and loose tolerances, fixed steps."""
    model = example(name)
    fmus = [exported(model, ExportOptions(trees_of(name), fmi=fmi)).path for fmi in FmiVersion]
    verification = check_motion(name, fmus[0], stop)
    for fmu in fmus:
        check_co_simulation(verification, fmu, model.experiment)
        check_model_exchange(verification, fmu, model.experiment)
        check_fixed_steps(verification, fmu, model.experiment)


def deviations(verification: Verification, fmu: Path, runs: list[Run]) -> list[np.ndarray]:
    """For each run the largest deviation of every signal, at the samples of the verification."""
    found = []
    for run, made in zip(runs, simulate_runs(fmu, runs), strict=True):
        assert isinstance(made, Trajectory), f"{run.interface}, {run.solver}, {run.tolerance}: {made}"
        places = np.searchsorted(made.times, verification.times - 0.5 * run.step)
        scales = shared_scales(verification.signals)
        errors = [
            np.abs(made.values[signal.name][places] - signal.reference) / scales[signal.unit]
            for signal in verification.signals
        ]
        found.append(np.max(errors, axis=1))
    return found


def run_of(verification: Verification, experiment: Experiment, **others: Any) -> Run:
    outputs = [signal.name for signal in verification.signals]
    return Run(float(verification.times[-1]), others.pop("step", experiment.step), outputs, **others)


def check_co_simulation(verification: Verification, fmu: Path, experiment: Experiment) -> None:
    """At the communication steps of the model, errors are within what verification allows."""
    loose = verification.looseness[1:]
    settings = [
        {"solver.relative_tolerance": run.tolerance, "solver.absolute_tolerance": 1e-2 * run.tolerance}
        for run in loose
    ]
    runs = [run_of(verification, experiment, parameters=each) for each in ({}, *settings)]
    for found, judged in zip(deviations(verification, fmu, runs), verification.looseness, strict=True):
        assert found.max() <= judged.allowed, judged.tolerance


def check_model_exchange(verification: Verification, fmu: Path, experiment: Experiment) -> None:
    """CVode's errors shrink with its tolerance, from 1e-4 to 1e-6 and 1e-8."""
    tolerances = (1e-4, 1e-6, 1e-8, None)
    runs = [
        run_of(verification, experiment, interface="ModelExchange", tolerance=each) for each in tolerances
    ]
    coarse, middle, fine, default = (each.max() for each in deviations(verification, fmu, runs))
    assert middle <= max(0.5 * coarse, _ROUNDING)
    assert fine <= max(0.05 * coarse, _ROUNDING)
    assert default <= max(0.05 * coarse, _ROUNDING)


def check_fixed_steps(verification: Verification, fmu: Path, experiment: Experiment) -> None:
    """Explicit Euler comes to the end in steps of the declared size."""
    step = float(fmpy.read_model_description(str(fmu)).defaultExperiment.stepSize)
    assert step <= experiment.step
    euler = run_of(verification, experiment, step=step, interface="ModelExchange", solver="Euler")
    (found,) = deviations(verification, fmu, [euler])
    assert np.median(found) <= _BLOWN_UP


def check_motion(name: str, fmu: Path, stop: float) -> Verification:
    verification = verify_fmu(example(name), fmu, stop=stop)
    assert verification.passed, verification.problems
    if verification.closure is not None:
        assert np.max(verification.closure) <= 1e-12
        assert verification.violation <= 1e-12
    if verification.power is not None:
        assert verification.power.largest <= 1e-9
    return verification


@pytest.mark.parametrize("name", NAMES)
def test_example_says_what_it_is(name: str) -> None:
    text = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    assert f"fmugen export examples/{name}/model.toml" in text
    assert f"fmugen verify examples/{name}/model.toml" in text


def test_andrews_squeezer_reproduces_the_published_solution() -> None:
    """IVP test set, t = 0.03 s: every angle within 1e-6 relative to beta (27 values are published)."""
    published = json.loads((DATA / "andrews.json").read_text(encoding="utf-8"))
    names = published["order_of_q"]
    run = simulate_fmu(fmu_of("andrews"), stop=0.03, step=3e-4, outputs=names, parameters=TIGHT)
    for name, wanted in zip(names, published["q"], strict=True):
        assert abs(run.values[name][-1] - wanted) <= 1e-6 * abs(published["q"][0]), name


@pytest.mark.parametrize(
    ("name", "data", "bodies"),
    [
        ("four_bar", "leger_fourbar_2s.json", ["m1", "m2", "m3"]),
        ("three_rrr", "leger_3rrr_gravity_1s.json", ["m1", "m3", "m5", "m2", "m4", "m6", "m7"]),
        ("slider_crank", "leger_slidercrank_10s.json", ["m1", "m2", "m3"]),
    ],
)
def test_end_states_of_legers_mechanisms(name: str, data: str, bodies: list[str]) -> None:
    wanted = json.loads((DATA / data).read_text(encoding="utf-8"))
    model = example(name)
    signals = [f"{body}.{kind}" for body in bodies for kind in ("angle", "x", "omega")]
    run = simulate_fmu(
        fmu_of(name),
        stop=model.experiment.stop,
        step=model.experiment.step,
        outputs=signals,
        parameters=TIGHT,
    )
    for index, body in enumerate(bodies):
        angle = run.values[f"{body}.angle"]
        assert angle[-1] - angle[0] == pytest.approx(wanted["phi"][index], abs=1e-6)
        assert run.values[f"{body}.x"][-1] == pytest.approx(wanted["x"][index], abs=1e-6)
        assert run.values[f"{body}.omega"][-1] == pytest.approx(wanted["w"][index], abs=2e-6)


@pytest.mark.parametrize("windows", [1, 2, 5])
def test_n_four_bar_passes_its_singular_positions(windows: int) -> None:
    """IFToMM A02: ten seconds through positions in which all bars lie on one line."""
    space: dict[str, object] = {"__name__": "generate"}
    source = (EXAMPLES / "n_four_bar" / "generate.py").read_text(encoding="utf-8")
    exec(compile(source, "generate.py", "exec"), space)
    model = parse_model(space["model_file"](windows), "generated")  # type: ignore[operator]
    fmu = exported(model, ExportOptions("aac")).path
    with (DATA / "nfourbar.csv").open(encoding="utf-8") as stream:
        rows = {int(row["N"]): row for row in csv.DictReader(stream)}
    names = ["B0_x", "B0_y", "B0_vx", "B0_vy"]
    run = simulate_fmu(fmu, stop=10.0, step=0.01, outputs=[*names, "closure.residual"], parameters=TIGHT)
    assert np.max(run.values["closure.residual"]) <= 1e-12
    for name in names:
        assert run.values[name][-1] == pytest.approx(float(rows[windows][name]), abs=2e-6)


def test_parameters_take_effect_at_initialization() -> None:
    """A longer rod, set in the FMU, moves as the model with the longer rod does."""
    model = example("slider_crank")
    fmu = fmu_of("slider_crank")
    changed = {"rod_length": 0.33}
    assert changed["rod_length"] != next(p.value for p in model.parameters if p.name == "rod_length")
    verification = verify_fmu(model, fmu, stop=1.0, parameters=changed)
    assert verification.passed, verification.problems


def test_equal_models_give_equal_bytes(tmp_path: Path) -> None:
    first, second = (
        export_fmu(example("four_bar"), tmp_path / f"{name}.fmu", ExportOptions("aac")).path for name in "ab"
    )
    assert first.read_bytes() == second.read_bytes()
