"""A loop that is open never leaves the initialization, nor an accepted step."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

from fmugen.errors import SimulationError
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Role
from fmugen.ir.model import SystemModel
from fmugen.phases.read import read_model
from fmugen.phases.triangularize import partition
from fmugen.pipeline import Compilation, Export, export_fmu
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.fmu.exchange import opened, options

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
def export(jack: SystemModel, tmp_path_factory: pytest.TempPathFactory) -> Export:
    return export_fmu(jack, tmp_path_factory.mktemp("fmu") / "Jack.fmu", options(trees="slid"))


def test_a_row_needs_no_unknown_of_a_later_block(export: Export) -> None:
    dae, flow = export.compilation.dae, export.compilation.flow
    numbers = {coordinate.position: number for number, coordinate in enumerate(dae.coordinates)}

    def present(row: int) -> set[int]:
        constraint = dae.constraints[row]
        symbols = symbols_of((constraint.phi, *constraint.closed), Role.COORDINATE)
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


def test_an_open_loop_ends_the_initialization_with_its_name(
    jack: SystemModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Blocks in an order that only the Jacobian tells are in a wrong order."""
    monkeypatch.setattr(partition, "_contained", lambda constraint, numbers: set(constraint.jacobian))
    export = export_fmu(jack, tmp_path / "x.fmu", options(trees="slid"))
    with pytest.raises(SimulationError, match=r"t = 0 s: constraint 'screw_.* is open by .* newton-all"):
        simulate_fmu(export.path, stop=0.1, step=0.1, outputs=["height"])
    with opened(export, tmp_path) as exchanged, pytest.raises(fmpy.fmi1.FMICallException):
        exchanged.start()
    assert "is open by" in capsys.readouterr().out


def test_screws_that_point_from_the_shaft_are_generated(tmp_path: Path) -> None:
    """Terms of the two sides cancel in the mass matrix; the search for common factors ends all the same."""
    turned = SIDE.replace('from = "nut_{side}"', 'from = "shaft.{side}"').replace(
        'to = "shaft.{side}"', 'to = "nut_{side}"'
    )
    sides = [turned.format(side="left", sign=""), turned.format(side="right", sign="-")]
    (tmp_path / "model.toml").write_text("".join([JACK, *sides, START]), encoding="utf-8")
    generated = Compilation(read_model(tmp_path / "model.toml"), options(trees="aac"))
    assert "model.c" in generated.sources
