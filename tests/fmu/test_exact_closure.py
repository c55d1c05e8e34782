"""The exact closure: nothing iterates, loops stay closed, and every parameter stays adjustable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.options import ExportOptions
from fmugen.ir.steps import PolynomialStep
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import export_fmu, formulate_model
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.support import example

#: Mechanisms whose loops are solved without any iteration, with trees that show it.
TRIANGULAR = [
    ("slider_crank", "aac"),
    ("slider_crank", "jc"),
    ("four_bar", "aac"),
    ("five_bar", "aac"),
    ("quick_return", "aac"),
    ("three_rrr", "aac"),
    ("three_rrr_uchida", "platform_pose"),
    ("three_rpr", "aac"),
    ("peaucellier_lipkin", "aac"),
    ("andrews", "aac"),
    ("n_four_bar", "aac"),
    ("spatial_slider_crank", "aac"),
    ("spatial_four_bar", "jc"),
    ("spatial_four_bar_skew", "jc"),
    ("fourbar_modelica", "jc"),
    ("engine1a", "aac"),
    ("stewart_gough", "row3"),
]


def flow_of(name: str, trees: str) -> SolutionFlow:
    model = example(name)
    return solution_flow(model, formulate_model(model, trees).dae, Closure.TRIANGULAR)


@pytest.mark.parametrize(("name", "trees"), TRIANGULAR)
def test_nothing_is_left_to_iteration(name: str, trees: str) -> None:
    flow = flow_of(name, trees)
    assert flow.iterated == 0
    assert not any(isinstance(step, PolynomialStep) for block in flow.blocks for step in block.steps)


@pytest.mark.parametrize(
    ("name", "trees", "degree"), [("stephenson_iii", "aac", 6), ("landing_gear", "aac", 6)]
)
def test_one_polynomial_is_left(name: str, trees: str, degree: int) -> None:
    """Uchida 4.2.2 and 4.2.3: a sextic, then closed forms."""
    flow = flow_of(name, trees)
    steps = [step for block in flow.blocks for step in block.steps if isinstance(step, PolynomialStep)]
    assert flow.iterated == 0
    assert [len(step.coefficients) - 1 for step in steps] == [degree]


@pytest.mark.parametrize(("name", "trees"), TRIANGULAR)
def test_loops_stay_closed_to_rounding(name: str, trees: str, tmp_path: Path) -> None:
    model = example(name)
    options = ExportOptions(trees=trees, closure=Closure.TRIANGULAR)
    fmu = export_fmu(model, tmp_path / "x.fmu", options).path
    stop = min(model.experiment.stop, 2.0)
    run = simulate_fmu(
        fmu,
        stop=stop,
        step=max(model.experiment.step, stop / 200),
        outputs=["closure.residual", "closure.iterations"],
        time_limit=120,
    )
    assert np.max(run.values["closure.residual"]) <= 1e-13
    # Newton may help out for an instant where a guard fails, never as a rule.
    assert np.mean(run.values["closure.iterations"] > 0) <= 0.05


@pytest.mark.parametrize(
    ("name", "trees", "parameter"),
    [
        ("four_bar", "aac", "coupler_length"),
        ("slider_crank", "aac", "rod_length"),
        ("three_rrr", "aac", "thigh_length"),
        ("spatial_slider_crank", "jc", "rod_length"),
    ],
)
def test_a_length_changed_in_the_fmu_needs_no_new_basis(
    name: str, trees: str, parameter: str, tmp_path: Path
) -> None:
    """Ten per cent more, set as an FMU parameter, moves as the changed model does."""
    model = example(name)
    value = next(p.value for p in model.parameters if p.name == parameter)
    options = ExportOptions(trees=trees, closure=Closure.TRIANGULAR)
    fmu = export_fmu(model, tmp_path / "x.fmu", options).path
    stop = min(model.experiment.stop, 0.5)
    verification = verify_fmu(model, fmu, stop=stop, step=stop / 50, parameters={parameter: 1.1 * value})
    assert verification.passed, verification.problems


def test_exact_and_iterated_closure_give_the_same_motion(tmp_path: Path) -> None:
    model = example("andrews")
    values = []
    for closure in (Closure.TRIANGULAR, Closure.NEWTON):
        fmu = export_fmu(model, tmp_path / f"{closure.value}.fmu", ExportOptions("aac", closure)).path
        tight = {"solver.relative_tolerance": 1e-12, "solver.absolute_tolerance": 1e-13}
        run = simulate_fmu(fmu, stop=0.03, step=3e-4, outputs=["beta", "gamma"], parameters=tight)
        values.append([run.values["beta"][-1], run.values["gamma"][-1]])
    assert np.allclose(values[0], values[1], rtol=0, atol=1e-9)
