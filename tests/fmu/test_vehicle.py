"""The car of Uchida's chapter 6 changes lanes: its FMU against a model in minimal coordinates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fmugen.ir.options import ExportOptions, Solver
from fmugen.verify.simulate import Run, Trajectory, simulate_runs
from tests.store import exported
from tests.support import example, trees_of

CAR = "vehicle_double_wishbone"
#: Columns of the reference, and the outputs that they are of.
COLUMNS = {
    **{name: name for name in ("x", "y", "z", "yaw", "pitch", "roll")},
    **{"upper_FL": "front_left.upper_angle", "upper_RL": "rear_left.upper_angle"},
    **{"Fy_FL": "front_left.lateral_force", "Fy_RL": "rear_left.lateral_force", "Fz_FL": "front_left.load"},
}


@pytest.fixture(scope="module")
def reference() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[1] / "data" / "wheels" / "vehicle_lane_change.csv"
    table = np.genfromtxt(path, delimiter=",", names=True)
    return {name: table[name] for name in table.dtype.names}


def lane_change(run: Run) -> dict[str, np.ndarray]:
    (found,) = simulate_runs(exported(example(CAR), ExportOptions(trees_of(CAR))).path, [run])
    assert isinstance(found, Trajectory), found
    assert found.values["closure.iterations"].max() == 0
    return found.values


@pytest.mark.slow
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_the_lane_change_is_that_of_minimal_coordinates(
    interface: str, reference: dict[str, np.ndarray]
) -> None:
    outputs = [*COLUMNS.values(), "closure.iterations"]
    found = lane_change(Run(5.0, 0.1, outputs, interface=interface))  # type: ignore[arg-type]
    bounds = {"x": 1e-6, "y": 1e-6, "z": 1e-8, "yaw": 1e-7, "pitch": 1e-8, "roll": 1e-8}
    for column, name in COLUMNS.items():
        scale = np.abs(reference[column]).max()
        bound = bounds.get(column, 1e-6 * scale)
        assert np.abs(found[name] - reference[column]).max() <= bound, column


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "bound"), [(Solver.EULER, 6e-3), (Solver.RK4, 1e-6)])
def test_fixed_steps_of_a_millisecond_are_enough(
    solver: Solver, bound: float, reference: dict[str, np.ndarray]
) -> None:
    settings = {"solver.method": 1.0 + list(Solver).index(solver), "solver.step": 1e-3}
    found = lane_change(Run(5.0, 0.1, ["y", "closure.iterations"], settings))
    assert np.abs(found["y"] - reference["y"]).max() <= bound
