"""Judging spatial FMUs: trajectories that are right, or wrong in one respect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from element_views import joints_of, with_views

from fmugen.ir.model import Experiment, SystemModel
from fmugen.verify import compare
from fmugen.verify.compare import Verification, verify_fmu
from fmugen.verify.frames import body_kinds
from fmugen.verify.reference import solve_reference
from fmugen.verify.rotations import turned
from fmugen.verify.simulate import Run, Trajectory, communication_points
from tests.verify.models import fixed, guesses, outputs
from tests.verify.spatial_models import body, joint, on_joint, spatial, vector

Values = dict[str, np.ndarray]
Judge = Callable[..., Verification]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Judge the trajectory of one model, edited, as if an FMU of another had made it."""

    def run(model: SystemModel, made_by: SystemModel, edit: Callable[[Values], None]) -> Verification:
        times = communication_points(model.experiment.stop, model.experiment.step)
        reference = solve_reference(made_by, times)
        values = {
            f"{part.name}.{kind}": reference.quantity(f"{part.name}.{kind}").copy()
            for part in model.bodies
            for kind in body_kinds(model)
        }
        values |= {name: column.copy() for name, column in reference.outputs.items()}
        values["closure.residual"] = np.zeros(len(times))
        edit(values)

        def simulate(path: Path, runs: Sequence[Run], time_limit: float) -> list[Trajectory]:
            return [Trajectory(times, values) for _ in runs]

        monkeypatch.setattr(compare, "simulate_runs", simulate)
        return verify_fmu(model, Path("any.fmu"), loose=())

    return run


def chain() -> SystemModel:
    """A part with its mass centre off its frame on a cylindrical joint, and a second one on a ball."""
    first = on_joint("cylindrical")
    return with_views(
        first,
        bodies=(*first.bodies, body("bob", 1, (0.02, 0.03, 0.01), center=(0.1, 0, 0), A=(0, 0, 0.3))),
        joints=(*joints_of(first), joint("ball", "spherical", "part.B", "bob.A", attitude="zyx")),
        starts=(
            *first.starts,
            *fixed(ball__angle1=0.1, ball__angle2=0.4, ball__angle3=0, ball__omega1=1),
            *fixed(ball__omega2=0.5, ball__omega3=0),
        ),
        outputs=outputs(turn="j.angle", slide="j.s", fx="ball.fx", cosine="bob.rxy"),
        experiment=Experiment(stop=0.5, step=0.02),
    )


def unchanged(_: Values) -> None:
    pass


def test_a_right_trajectory_passes(judge: Judge) -> None:
    verification = judge(chain(), chain(), unchanged)
    assert verification.problems == ()
    assert verification.largest < 1e-12
    assert verification.violation < 1e-12
    assert {"bob.z", "bob.rzy", "part.rxx"} <= {deviation.name for deviation in verification.bodies}


def test_angles_are_compared_with_their_turns(judge: Judge) -> None:
    def add(turns: float) -> Callable[[Values], None]:
        def shift(values: Values) -> None:
            values["turn"] += 2 * np.pi * turns

        return shift

    assert judge(chain(), chain(), add(0)).passed
    assert any("turn" in problem for problem in judge(chain(), chain(), add(1)).problems)
    assert any("turn" in problem for problem in judge(chain(), chain(), add(-1)).problems)


def test_an_angle_that_wraps_is_found(judge: Judge) -> None:
    spinning = replace(
        on_joint("cylindrical"),
        starts=fixed(j__angle=0.3, j__omega=9, j__s=0, j__v=0),
        outputs=outputs(turn="j.angle"),
        experiment=Experiment(stop=0.5, step=0.02),
    )

    def wrap(values: Values) -> None:
        assert values["turn"][-1] > np.pi
        values["turn"] = np.angle(np.exp(1j * values["turn"]))

    assert judge(spinning, spinning, unchanged).passed
    assert not judge(spinning, spinning, wrap).passed


def test_a_turned_body_is_found(judge: Judge) -> None:
    def turn(values: Values) -> None:
        cosines = [f"part.r{i}{j}" for i in "xyz" for j in "xyz"]
        matrices = np.column_stack([values[name] for name in cosines]).reshape(-1, 3, 3)
        for number, column in enumerate((turned("x", [1e-5]) @ matrices).reshape(-1, 9).T):
            values[cosines[number]] = column

    problems = judge(chain(), chain(), turn).problems
    assert any("part.r" in problem for problem in problems)
    assert any("violate the constraints" in problem for problem in problems)


def test_wrong_velocities_are_found_by_the_energy(judge: Judge) -> None:
    def hasten(values: Values) -> None:
        values["bob.wx"] = values["bob.wx"] * (1 + np.linspace(0.0, 1e-2, len(values["bob.wx"])))

    problems = judge(chain(), chain(), hasten).problems
    assert any("energy is out of balance" in problem for problem in problems)


def free_body(**starts: float) -> SystemModel:
    return spatial(
        "Free",
        gravity=vector((0, 0, -1)),
        bodies=(body("plate", 2, (1, 2, 3), center=(0.1, 0.2, -0.1)),),
        starts=guesses(**starts),
        experiment=Experiment(stop=0.4, step=0.02),
    )


def test_open_freedoms_are_taken_from_the_fmu(judge: Judge) -> None:
    matrix = turned("zyx", [2.0, -1.0, 2.5])
    cosines = {f"plate__r{i}{j}": matrix["xyz".index(i), "xyz".index(j)] for i in "xyz" for j in "xyz"}
    moving = free_body(**cosines, plate__x=1.0, plate__wx=1.0, plate__wy=4.0, plate__vz=0.3)
    verification = judge(free_body(), moving, unchanged)
    assert verification.problems == ()
