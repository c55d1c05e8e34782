"""The exact closure: nothing iterates, loops stay closed, and every parameter stays adjustable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.ir.steps import PolynomialStep
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import export_fmu, formulate_model
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.support import example

#: Mechanisms whose loops are solved without any iteration, with trees that show it, and a length of each.
TRIANGULAR = [
    ("slider_crank", "aac", "rod_length"),
    ("slider_crank", "jc", "crank_length"),
    ("four_bar", "aac", "coupler_length"),
    ("five_bar", "aac", "link_length"),
    ("quick_return", "aac", "link_length"),
    ("three_rrr", "aac", "thigh_length"),
    ("three_rrr_uchida", "platform_pose", "thigh_length"),
    ("three_rpr", "aac", "thigh_length"),
    ("peaucellier_lipkin", "aac", "side_length"),
    ("andrews", "aac", "zt"),
    ("n_four_bar", "aac", "length"),
    ("spatial_slider_crank", "aac", "rod_length"),
    ("spatial_four_bar", "jc", "rod_length"),
    ("spatial_four_bar_skew", "jc", "rod_length"),
    ("fourbar_modelica", "jc", "rod_length"),
    ("engine1a", "aac", "rod_length"),
    ("stewart_gough", "row3", "height"),
    ("double_wishbone", "kingpin", "I_x"),
    ("excavator", "aac", "link_length"),
    ("four_loops", "aac", "top_left"),
]
MECHANISMS = [(name, trees) for name, trees, _ in TRIANGULAR]
#: Their code takes long to compile.
LARGE = ("stewart_gough", "double_wishbone")


def by_size(cases: Sequence[tuple[str, ...]]) -> list[Any]:
    return [pytest.param(*case, marks=[pytest.mark.slow] if case[0] in LARGE else []) for case in cases]


def flow_of(model: SystemModel, trees: str) -> tuple[Dae, SolutionFlow]:
    dae = formulate_model(model, trees).dae
    return dae, solution_flow(model, dae, Closure.TRIANGULAR)


def polynomial_degrees(flow: SolutionFlow) -> list[int]:
    steps = (step for block in flow.blocks for step in block.steps if isinstance(step, PolynomialStep))
    return [len(step.coefficients) - 1 for step in steps]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """The FMU of a mechanism, made once for all tests of it."""

    @cache
    def export(name: str, trees: str) -> Path:
        path = tmp_path_factory.mktemp(name) / "x.fmu"
        return export_fmu(example(name), path, ExportOptions(trees=trees)).path

    return export


@pytest.mark.parametrize(("name", "trees"), MECHANISMS)
def test_nothing_is_left_to_iteration(name: str, trees: str) -> None:
    _, flow = flow_of(example(name), trees)
    assert flow.iterated == 0
    assert not polynomial_degrees(flow)


@pytest.mark.parametrize("name", ["stephenson_iii", "landing_gear"])
def test_one_polynomial_is_left(name: str) -> None:
    """Uchida 4.2.2 and 4.2.3: a sextic, then closed forms."""
    _, flow = flow_of(example(name), "aac")
    assert flow.iterated == 0
    assert polynomial_degrees(flow) == [6]


@pytest.mark.parametrize(("trees", "iterated"), [("mixed", 5), ("aac", 4)])
def test_five_link_suspension_iterates_over_its_carrier_alone(trees: str, iterated: int) -> None:
    """Uchida 5.1: the links follow from the carrier, each by closed forms."""
    dae, flow = flow_of(example("five_link_suspension"), trees)
    (block,) = [block for block in flow.blocks if not block.steps]
    assert flow.iterated == iterated
    assert all(dae.constraints[row].name.endswith("length") for row in block.rows)
    assert block.reason


@pytest.mark.parametrize(("name", "trees"), by_size(MECHANISMS))
def test_loops_stay_closed_to_rounding(name: str, trees: str, exported: Callable[[str, str], Path]) -> None:
    model = example(name)
    stop = min(model.experiment.stop, 2.0)
    run = simulate_fmu(
        exported(name, trees),
        stop=stop,
        step=max(model.experiment.step, stop / 200),
        outputs=["closure.residual", "closure.iterations"],
        time_limit=120,
    )
    assert np.max(run.values["closure.residual"]) <= 1e-13
    # Newton may help out for an instant where a guard fails, never as a rule.
    assert np.mean(run.values["closure.iterations"] > 0) <= 0.05


@pytest.mark.parametrize(("name", "trees", "parameter"), by_size(TRIANGULAR))
def test_a_length_changed_in_the_fmu_needs_no_new_basis(
    name: str, trees: str, parameter: str, exported: Callable[[str, str], Path]
) -> None:
    """Ten per cent more, set as an FMU parameter, moves as the changed model does."""
    model = example(name)
    value = next(p.value for p in model.parameters if p.name == parameter)
    stop = min(model.experiment.stop / 4, 0.2)
    verification = verify_fmu(
        model, exported(name, trees), stop=stop, step=stop / 10, parameters={parameter: 1.1 * value}
    )
    assert verification.passed, verification.problems
    assert np.max(verification.closure) <= 1e-13


# --- independent coordinates by name ----------------------------------------------------------------


def driven(name: str, coordinate: str) -> SystemModel:
    """An example without its drivers, moved by one coordinate."""
    return replace(example(name), drivers=(), outputs=(), independent=(coordinate,))


@pytest.mark.parametrize("coordinate", ["h9.angle", "h11.angle", "s12.s"])
def test_slider_crank_driven_by_any_coordinate(coordinate: str) -> None:
    dae, flow = flow_of(driven("slider_crank_uchida", coordinate), "joint")
    assert [dae.coordinates[number].name for number in flow.independent] == [coordinate]
    assert flow.iterated == 0
    assert not polynomial_degrees(flow)


@pytest.mark.parametrize(("leg", "degrees"), [("leg_1", [6]), ("leg_3", []), ("leg_4", [])])
def test_stephenson_six_bar_driven_by_a_leg(leg: str, degrees: list[int]) -> None:
    """Uchida 4.2.2: one unknown is iterated if the leg that drives is one of two in series, else none."""
    dae, flow = flow_of(driven("stephenson_iii", f"{leg}.angle"), "aac")
    assert [dae.coordinates[number].name for number in flow.independent] == [f"{leg}.angle"]
    assert flow.iterated == 0
    assert polynomial_degrees(flow) == degrees


def test_loops_driven_from_the_end_are_solved_together() -> None:
    """Uchida 3.3.1: triangularizability depends on which coordinate is known."""
    _, flow = flow_of(driven("four_loops", "left_arm.angle"), "aac")
    assert polynomial_degrees(flow) == [6]


def test_exact_and_iterated_closure_give_the_same_motion(tmp_path: Path) -> None:
    model = example("andrews")
    values = []
    for closure in (Closure.TRIANGULAR, Closure.NEWTON):
        fmu = export_fmu(model, tmp_path / f"{closure.value}.fmu", ExportOptions("aac", closure)).path
        tight = {"solver.relative_tolerance": 1e-12, "solver.absolute_tolerance": 1e-13}
        run = simulate_fmu(fmu, stop=0.03, step=3e-4, outputs=["beta", "gamma"], parameters=tight)
        values.append([run.values["beta"][-1], run.values["gamma"][-1]])
    assert np.allclose(values[0], values[1], rtol=0, atol=1e-9)
