"""Attitudes that are integrated whole: accuracy at loose tolerances, in loops and beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import fmpy
import numpy as np
import pytest

from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Export
from fmugen.verify.compare import TIGHT, verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.fmu.exchange import opened, options
from tests.fmu.test_fmi_derivatives import displace, worst_column
from tests.store import exported
from tests.support import example

#: A plate that swings and turns on three rods: its attitude is independent, its place follows from loops.
HUNG_PLATE = """
[model]
name = "HungPlate"
space = "spatial"
gravity = [0, 0, -9.81]
[experiment]
stop = 1.0
step = 0.02
[parameters]
rod = 1.0
[ground]
points = { a = [0.5, 0, 0], b = [-0.25, 0.45, 0], c = [-0.25, -0.4, 0] }
[bodies.plate]
mass = 2.0
inertia = [0.2, 0.3, 0.4]
points = { a = [0.4, 0, 0.05], b = [-0.2, 0.35, 0], c = [-0.2, -0.35, 0] }
[joints]
ra = { type = "rod", from = "ground.a", to = "plate.a", length = "rod" }
rb = { type = "rod", from = "ground.b", to = "plate.b", length = "rod" }
rc = { type = "rod", from = "ground.c", to = "plate.c", length = "rod" }
[outputs]
x = "plate.x"
rxx = "plate.rxx"
tension = "ra.tension"
[start.guess]
"plate.z" = -1
"plate.rxx" = 1
"plate.ryy" = 1
"plate.rzz" = 1
"plate.wz" = 3.0
"plate.vx" = 1.5
"""

#: A top that stands upright and spins fast, leaning a little.
SLEEPING_TOP = """
[model]
name = "SleepingTop"
space = "spatial"
gravity = [0, 0, -9.81]
[experiment]
stop = 2.0
step = 0.02
[bodies.top]
mass = 1.0
inertia = [0.01, 0.01, 0.02]
center = [0, 0, 0.1]
[joints.tip]
type = "spherical"
from = "ground"
to = "top"
[outputs]
lean = "top.rxz"
turn = "top.rxx"
[start.guess]
"top.rxx" = 1
"top.ryy" = 1
"top.rzz" = 1
"top.rxz" = 0.01
"top.wz" = 60
"""


#: Two shafts at an angle with a universal joint between them, which turn many times.
SHAFTS = """
[model]
name = "Shafts"
space = "spatial"
[experiment]
stop = 5.0
step = 0.05
[ground]
points = { out = { position = [0, 0, 0], sequence = "x", angles = [0.6] } }
[bodies]
first = { mass = 1, inertia = [0.1, 0.1, 0.02] }
second = { mass = 1, inertia = [0.1, 0.1, 0.03] }
[joints]
drive = { type = "revolute", from = "ground", to = "first" }
output = { type = "revolute", from = "ground.out", to = "second" }
cross = { type = "universal", from = "first", to = "second", axis = [1, 0, 0], second_axis = [0, 1, 0] }
[outputs]
speed = "second.wy"
turn = "first.rxx"
[start.guess]
"drive.angle" = 0
"drive.omega" = 40
"""


def free_bodies(count: int, more: str = "") -> SystemModel:
    """Bodies that tumble alone, and ``more``."""
    bodies = "".join(f"[bodies.b{i}]\nmass = 1\ninertia = [1, 2, 3]\n" for i in range(count))
    guesses = {"rxx": 1, "ryy": 1, "rzz": 1, "wx": 0.05, "wy": 6, "vx": 1}
    starts = "".join(f'"b{i}.{kind}" = {value}\n' for i in range(count) for kind, value in guesses.items())
    outputs = "".join(f'w{i} = "b{i}.wx"\nr{i} = "b{i}.rxy"\nx{i} = "b{i}.x"\n' for i in range(count))
    text = (
        f'[model]\nname = "Free"\nspace = "spatial"\n[experiment]\nstop = 3.0\nstep = 0.05\n{bodies}'
        f"{more}[outputs]\n{outputs}[start.guess]\n{starts}"
    )
    return parse_model(text, "free")


def export_of(model: SystemModel, **chosen: object) -> Export:
    return exported(model, ExportOptions(trees="aac", **chosen))  # type: ignore[arg-type]


def deviations(model: SystemModel, fmu: Path, tolerances: Sequence[float]) -> Iterator[float]:
    """The largest deviation of an output from a tight run, as a part of its size, at each tolerance."""
    names = [output.name for output in model.outputs]
    length = {"stop": model.experiment.stop, "step": model.experiment.step}
    tight = simulate_fmu(fmu, outputs=names, parameters=TIGHT, **length)
    for tolerance in tolerances:
        chosen = {
            "solver.relative_tolerance": tolerance,
            "solver.absolute_tolerance": 1e-2 * tolerance,
        }
        run = simulate_fmu(fmu, outputs=names, parameters=chosen, **length)
        yield max(
            float(np.max(np.abs(run.values[n] - tight.values[n])) / np.max(np.abs(tight.values[n])))
            for n in names
        )


def test_a_tumbling_body_is_as_accurate_as_a_plain_integration() -> None:
    """Plain: components, normalized, and body rates by the same method: 1e-4 at 1e-6, 8e-7 at 1e-8."""
    model = example("tumbling_body")
    loose, tighter = deviations(model, export_of(model).path, [1e-6, 1e-8])
    assert loose <= 2e-4
    assert tighter <= 2e-6


def test_an_importer_integrates_a_tumbling_body_at_a_common_default() -> None:
    """Nothing changes on the way: there is no event, and no alarm."""
    export = export_of(example("tumbling_body"))
    assert not export.compilation.flow.may_change
    run = fmpy.simulate_fmu(
        str(export.path), fmi_type="ModelExchange", relative_tolerance=1e-4, output=["spin_rate"]
    )
    assert run["time"][-1] == pytest.approx(10.0)


def test_a_sleeping_top_at_a_loose_tolerance() -> None:
    model = parse_model(SLEEPING_TOP, "top")
    (found,) = deviations(model, export_of(model).path, [1e-6])
    assert found <= 1e-4


@pytest.mark.parametrize(
    "closure", [Closure.TRIANGULAR, pytest.param(Closure.NEWTON_ALL, marks=pytest.mark.slow)]
)
def test_in_loops(closure: Closure) -> None:
    model = parse_model(HUNG_PLATE, "plate")
    export = export_of(model, closure=closure)
    verification = verify_fmu(model, export.path)
    assert verification.passed, verification.problems


@pytest.mark.parametrize("rods", [1, 3])
def test_derivatives_in_loops(rods: int, tmp_path: Path) -> None:
    """On one rod the attitude stays whole; on three it is better to start from other coordinates."""
    lines = HUNG_PLATE.splitlines()
    text = "\n".join(line for line in lines if rods == 3 or not line.startswith(("rb =", "rc =")))
    export = exported(parse_model(text, "plate"), options(trees="aac"))
    assert export.compilation.flow.whole
    with opened(export, tmp_path) as model:
        displace(model.start())
        assert worst_column(model) <= 1.0


def test_many_free_bodies_move_as_one_alone() -> None:
    """The numerical solution of the equations of motion against the one that is written out."""
    # A constraint keeps the bodies from being solved one by one, and they are too many to be written out.
    nut = "[bodies.nut]\nmass = 1\ninertia = [1, 1, 1]\n"
    screw = '[joints.screw]\ntype = "screw"\nfrom = "ground"\nto = "nut"\nlead = 0.1\n'
    many = export_of(free_bodies(4, nut + screw))
    written_out = many.compilation.program.motion is not None
    assert not written_out
    outputs = ["w0", "r0", "x0"]
    found = simulate_fmu(many.path, stop=3.0, step=0.05, outputs=outputs, parameters=TIGHT)
    one = export_of(free_bodies(1))
    assert one.compilation.program.motion is not None
    expected = simulate_fmu(one.path, stop=3.0, step=0.05, outputs=outputs, parameters=TIGHT)
    for name in outputs:
        np.testing.assert_allclose(found.values[name], expected.values[name], rtol=0, atol=1e-9)


def test_angles_that_grow_do_not_loosen_error_weights() -> None:
    """After thirty turns a relative error of the angle would be two hundred times that of its direction."""
    model = parse_model(SHAFTS, "shafts")
    (found,) = deviations(model, export_of(model).path, [1e-8])
    assert found <= 2e-5
