"""The exact closure: nothing iterates, loops stay closed, and every parameter stays adjustable."""

from __future__ import annotations

import json
from pathlib import Path

import fmpy
import numpy as np
import pytest
from element_views import with_views
from fmpy.fmi2 import FMU2Slave

from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.ir.steps import PolynomialStep
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.store import exported
from tests.support import by_size, example

DATA = Path(__file__).parents[1] / "data"

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
    ("stewart_gough_uchida", "mixed", "segment_length"),
    ("double_wishbone", "kingpin", "I_x"),
    ("excavator", "aac", "link_length"),
    ("four_loops", "aac", "top_left"),
]
MECHANISMS = [(name, trees) for name, trees, _ in TRIANGULAR]
#: Mechanisms of which something is iterated: one unknown of a polynomial, or the carrier of the suspension.
BLOCK_TRIANGULAR = [
    ("stephenson_iii", "aac", "leg_3_length"),
    ("landing_gear", "aac", "strut_bx"),
    ("five_link_suspension", "mixed", "length_1"),
]
#: No independent coordinates are good for their whole motion: several sets share it.
SHARED_MOTION = ["three_rrr", "three_rrr_driven"]


def flow_of(model: SystemModel, trees: str) -> tuple[Dae, SolutionFlow]:
    dae = Compilation(model, ExportOptions(trees)).formulated
    return dae, solution_flow(model, dae, Closure.TRIANGULAR)


def polynomial_degrees(flow: SolutionFlow) -> list[int]:
    steps = (step for block in flow.blocks for step in block.steps if isinstance(step, PolynomialStep))
    return [len(step.coefficients) - 1 for step in steps]


def fmu_of(name: str, trees: str) -> Path:
    return exported(example(name), ExportOptions(trees=trees)).path


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


@pytest.mark.parametrize(("name", "trees", "parameter"), by_size([*TRIANGULAR, *BLOCK_TRIANGULAR]))
def test_loops_stay_closed_to_rounding(name: str, trees: str, parameter: str) -> None:
    """Over the whole motion that the example declares."""
    experiment = example(name).experiment
    run = simulate_fmu(
        fmu_of(name, trees),
        stop=experiment.stop,
        step=max(experiment.step, experiment.stop / 400),
        outputs=["closure.residual", "closure.iterations"],
        time_limit=120,
    )
    assert np.max(run.values["closure.residual"]) <= 1e-13
    if (name, trees) in MECHANISMS:
        # Newton helps out for an instant where parallelograms line up, which is singular for every choice.
        # All evaluations of a communication step count, not only the one at its end.
        allowed = 0.03 if name == "n_four_bar" else 0.0
        assert np.mean(run.values["closure.iterations"] > 0) <= allowed


@pytest.mark.parametrize(("name", "trees", "parameter"), by_size([*TRIANGULAR, *BLOCK_TRIANGULAR]))
def test_a_length_changed_in_the_fmu_needs_no_new_basis(name: str, trees: str, parameter: str) -> None:
    """Ten per cent more, set as an FMU parameter, moves as the changed model does."""
    model = example(name)
    value = next(p.value for p in model.parameters if p.name == parameter)
    stop = min(model.experiment.stop / 4, 0.2)
    verification = verify_fmu(
        model, fmu_of(name, trees), stop=stop, step=stop / 10, parameters={parameter: 1.1 * value}
    )
    assert verification.passed, verification.problems
    assert np.max(verification.closure) <= 1e-13


def test_fixed_steps_past_dead_centres() -> None:
    """The 3-RRR falls through positions that are singular for its independent angles, to Leger's end state.

    Newton iteration from other angles, with the same steps, is as far from it.
    """
    wanted = json.loads((DATA / "leger_3rrr_gravity_1s.json").read_text(encoding="utf-8"))
    options = ExportOptions("aac", solver=Solver.RK4, step=1e-3)
    fmu = exported(example("three_rrr"), options).path
    run = simulate_fmu(fmu, stop=1.0, step=0.01, outputs=["m7.angle", "m7.x", "closure.iterations"])
    angle = run.values["m7.angle"]
    assert angle[-1] - angle[0] == pytest.approx(wanted["phi"][6], abs=2e-5)
    assert run.values["m7.x"][-1] == pytest.approx(wanted["x"][6], abs=2e-5)
    assert not run.values["closure.iterations"].any()


# --- several sets of independent coordinates ----------------------------------------------------------


@pytest.mark.parametrize("name", SHARED_MOTION)
def test_alternative_sets_close_all_loops_from_other_coordinates(name: str) -> None:
    _, flow = flow_of(example(name), "aac")
    assert 1 <= len(flow.alternatives) <= 3
    assert len({each.independent for each in flow.sets}) == len(flow.sets)
    for alternative in flow.alternatives:
        assert alternative.rows == flow.rows
        assert alternative.iterated == 0
        assert not polynomial_degrees(alternative)
        solved = {step.unknown for block in alternative.blocks for step in block.steps}
        assert solved == set(alternative.dependent)


def test_no_alternatives_where_the_first_set_is_good_all_along() -> None:
    for name in ("four_bar", "slider_crank", "andrews", "three_rpr"):
        assert not flow_of(example(name), "aac")[1].alternatives


def test_a_body_tumbles_without_iteration() -> None:
    """Each of the four Euler parameters passes zero, where the three others do not determine it."""
    experiment = example("tumbling_body").experiment
    run = simulate_fmu(
        fmu_of("tumbling_body", "aac"),
        stop=experiment.stop,
        step=experiment.stop / 1000,
        outputs=["closure.residual", "closure.iterations"],
    )
    assert not run.values["closure.iterations"].any()
    assert np.max(run.values["closure.residual"]) <= 1e-13


def test_a_saved_state_knows_its_set() -> None:
    """At 0.4 s the second set of the 3-RRR is in use; others follow."""
    folder = fmpy.extract(str(fmu_of("three_rrr", "aac")))
    description = fmpy.read_model_description(folder)
    reference = next(v.valueReference for v in description.modelVariables if v.name == "m7.angle")
    slave = FMU2Slave(
        guid=description.guid,
        unzipDirectory=folder,
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="it",
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()

    def angles(first: int, last: int) -> list[float]:
        found = []
        for k in range(first, last):
            slave.doStep(currentCommunicationPoint=k / 100, communicationStepSize=0.01)
            found += slave.getReal([reference])
        return found

    angles(0, 40)
    saved = slave.serializeFMUState(slave.getFMUState())
    onward = angles(40, 100)
    slave.setFMUState(slave.deserializeFMUState(saved))
    assert angles(40, 100) == onward
    slave.terminate()
    slave.freeInstance()


def test_a_change_of_the_set_is_an_event_in_model_exchange(capsys: pytest.CaptureFixture[str]) -> None:
    fmu = str(fmu_of("three_rrr", "aac"))
    runs = [
        fmpy.simulate_fmu(
            fmu,
            fmi_type=kind,
            stop_time=1.0,
            output_interval=0.01,
            relative_tolerance=1e-9,
            output=["m7.angle", "closure.iterations"],
            debug_logging=True,
        )
        for kind in ("CoSimulation", "ModelExchange")
    ]
    ends = [run["m7.angle"][-1] for run in runs]
    assert ends[0] == pytest.approx(ends[1], abs=1e-5)
    assert not runs[1]["closure.iterations"].any()
    assert capsys.readouterr().out.count("independent coordinates") >= 8


# --- independent coordinates by name ----------------------------------------------------------------


def driven(name: str, coordinate: str) -> SystemModel:
    """An example without its drivers, moved by one coordinate."""
    return with_views(example(name), drivers=(), outputs=(), independent=(coordinate,))


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


def test_exact_and_iterated_closure_give_the_same_motion() -> None:
    model = example("andrews")
    values = []
    for closure in (Closure.TRIANGULAR, Closure.NEWTON):
        fmu = exported(model, ExportOptions("aac", closure)).path
        tight = {"solver.relative_tolerance": 1e-12, "solver.absolute_tolerance": 1e-13}
        run = simulate_fmu(fmu, stop=0.03, step=3e-4, outputs=["beta", "gamma"], parameters=tight)
        values.append([run.values["beta"][-1], run.values["gamma"][-1]])
    assert np.allclose(values[0], values[1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["quick_return", "stephenson_iii"])
def test_the_direction_of_an_angle_that_a_linear_step_gives_is_known_to_later_steps(name: str) -> None:
    """With joint coordinates a driver gives the angle of its joint, and later loops read the sine of it."""
    model = example(name)
    fmu = exported(model, ExportOptions(trees="jc")).path
    verification = verify_fmu(model, fmu, stop=20 * model.experiment.step)
    assert verification.passed, verification.problems
