"""A loop that is open never leaves the initialization, nor an accepted step."""

from __future__ import annotations

import fmpy
import numpy as np
import pytest

from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import SymbolRole
from fmugen.ir.model import SystemModel
from fmugen.phases.read import read_model
from fmugen.phases.triangularize import partition
from fmugen.pipeline import Export
from fmugen.verify.compare import verify_fmu
from tests.fmu.exchange import options
from tests.store import exported

#: A shaft with a left-hand and a right-hand screw between two cranks on the ground. The screws
#: read their angles from bodies that the loops turn, since the joints of the nuts are in the rotational tree.
JACK = """
[model]
name = "Jack"
space = "spatial"
gravity = [0, 0, -9.81]

[experiment]
stop = 0.1

[parameters]
lead = { value = 0.02, unit = "m" }

[ground]
points = { left = [-0.5, 0, 0], right = [0.5, 0, 0] }

[bodies.shaft]
mass = 0.5
inertia = [0.001, 0.001, 0.001]
points = { left = [-0.6, 0, 0], right = [0.6, 0, 0] }

[joints.spin]
type = "revolute"
from = "housing"
to = "shaft"
axis = [1, 0, 0]

[bodies.housing]
mass = 0.5
inertia = [0.001, 0.001, 0.001]

[joints.guide]
type = "prismatic"
from = "ground"
to = "housing"
axis = [0, 0, 1]
"""

SIDE = """
[bodies.crank_{side}]
mass = 1
inertia = [0.01, 0.01, 0.01]
points = {{ low = [0, 0, -0.15], high = [0, 0, 0.15] }}

[bodies.nut_{side}]
mass = 0.5
inertia = [0.001, 0.001, 0.001]

[joints.hinge_{side}]
type = "revolute"
from = "ground.{side}"
to = "crank_{side}.low"
axis = [0, 1, 0]

[joints.pin_{side}]
type = "revolute"
from = "crank_{side}.high"
to = "nut_{side}"
axis = [0, 1, 0]

[joints.screw_{side}]
type = "screw"
from = "nut_{side}"
to = "shaft.{side}"
axis = [1, 0, 0]
lead = "{sign}lead"
"""

START = """
[outputs]
height = "guide.s"
left = "crank_left.x"

[trees.slid]
translation = ["hinge_left", "hinge_right", "guide", "spin", "screw_left", "screw_right"]
rotation = ["hinge_left", "hinge_right", "pin_left", "pin_right", "guide", "spin"]

[start.fixed]
"spin.angle" = 1.0
"spin.omega" = 5.0

[start.guess]
"hinge_left.angle" = -0.35
"hinge_right.angle" = 0.35
"pin_left.angle" = 0.35
"pin_right.angle" = -0.35
"guide.s" = 0.28
"""


@pytest.fixture(scope="module")
def jack(tmp_path_factory: pytest.TempPathFactory) -> SystemModel:
    path = tmp_path_factory.mktemp("jack") / "model.toml"
    sides = [SIDE.format(side="left", sign=""), SIDE.format(side="right", sign="-")]
    path.write_text("".join([JACK, *sides, START]), encoding="utf-8")
    return read_model(path)


@pytest.fixture(scope="module")
def export(jack: SystemModel) -> Export:
    return exported(jack, options(trees="slid"))


def test_a_row_needs_no_unknown_of_a_later_block(export: Export) -> None:
    dae, flow = export.compilation.dae, export.compilation.flow
    numbers = {coordinate.position: number for number, coordinate in enumerate(dae.coordinates)}

    def present(row: int) -> set[int]:
        constraint = dae.constraints[row]
        symbols = symbols_of((constraint.phi, *constraint.closed), SymbolRole.COORDINATE)
        return {numbers[symbol] for symbol in symbols}

    hidden = [row for row in flow.rows if present(row) - set(dae.constraints[row].jacobian)]
    assert hidden, "the Jacobian of a screw does not have all that its angle is read from"
    known = set(flow.independent)
    for block in flow.blocks:
        known |= set(block.unknowns)
        assert all(present(row) <= known for row in block.rows), block.name


def test_the_jack_starts_and_runs_with_closed_loops(jack: SystemModel, export: Export) -> None:
    rows = fmpy.simulate_fmu(
        str(export.path), stop_time=0.1, output_interval=0.02, output=["closure.residual"]
    )
    assert np.abs(rows["closure.residual"]).max() < 1e-12
    assert verify_fmu(jack, export.path).problems == ()


def test_loops_that_blocks_leave_open_are_closed_by_iteration(
    jack: SystemModel, export: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks in an order that only the Jacobian tells are in a wrong order."""
    monkeypatch.setattr(partition, "_contained", lambda constraint, numbers: set(constraint.jacobian))
    wrong = exported(jack, options(trees="slid"))
    assert wrong.compilation.flow.blocks != export.compilation.flow.blocks
    names = ["closure.residual", "height", "left"]
    right, found = (
        fmpy.simulate_fmu(str(each.path), stop_time=0.1, output_interval=0.02, output=names)
        for each in (export, wrong)
    )
    assert np.abs(found["closure.residual"]).max() < 1e-9
    for name in ("height", "left"):
        np.testing.assert_allclose(found[name], right[name], atol=1e-7)
