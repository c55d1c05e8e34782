"""Networks that act on joints: the motion and the reactions do not depend on the trees of the mechanism."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fmugen.errors import NetworkError
from fmugen.expr.code import compile_python
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel, default_parameters
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation
from tests.support import EXAMPLES

LOADS = """
[rotational.rotor]
type = "inertia"
to = "n"
inertia = 1e-3
[rotational.gear]
type = "gear"
from = "n"
to = "joint:{revolute}"
ratio = 4
[rotational.drive]
type = "torque"
to = "n"
torque = 0.5
[translational.ballast]
type = "mass"
to = "joint:{prismatic}"
mass = 0.7
[translational.push]
type = "force"
to = "joint:{prismatic}"
force = 3
"""


def loaded(example: str, revolute: str, prismatic: str, outputs: str) -> SystemModel:
    """An example with a geared rotor on one of its joints and a mass on another."""
    head, tail = (EXAMPLES / example / "model.toml").read_text().split("[outputs]")
    loads = LOADS.format(revolute=revolute, prismatic=prismatic)
    start = tail[tail.index("[start") :]
    return parse_model(f"{head}{loads}[outputs]\n{outputs}\n{start}", "model.toml")


def at_the_start(model: SystemModel, trees: str) -> NDArray[np.float64]:
    """The outputs at the start, accelerations and multipliers by the equations of motion."""
    dae = Compilation(model, ExportOptions(trees)).formulated
    flow = solution_flow(model, dae, Closure.NEWTON)
    size, zero, defaults = len(dae.coordinates), dae.symbols.dag.zero, default_parameters(model)
    rows = [dae.constraints[row] for row in flow.rows]
    arguments = {
        "p": list(dae.symbols.parameters.values()),
        "u": list(dae.symbols.inputs.values()),
        "t": [dae.symbols.time],
        "q": [coordinate.position for coordinate in dae.coordinates],
        "v": [coordinate.velocity for coordinate in dae.coordinates],
    }
    parameters = [defaults[name] for name in dae.symbols.parameters]
    here = (parameters, [0.3] * len(model.inputs), [0.0], flow.positions, flow.velocities)
    mass = [dae.mass.get((max(i, j), min(i, j)), zero) for i in range(size) for j in range(size)]
    jacobian = [row.jacobian.get(column, zero) for row in rows for column in range(size)]
    right = [*dae.force, *(row.gamma for row in rows)]
    values = compile_python([*mass, *jacobian, *right], arguments)(*here)
    m = np.array(values[: size**2]).reshape(size, size)
    phi = np.array(values[size**2 : size**2 + len(jacobian)]).reshape(len(rows), size)
    system = np.block([[m, phi.T], [phi, np.zeros((len(rows), len(rows)))]])
    found = np.linalg.solve(system, values[size**2 + len(jacobian) :])
    arguments["a"] = [coordinate.acceleration for coordinate in dae.coordinates]
    arguments["l"] = [row.multiplier for row in rows]
    outputs = compile_python([dae.outputs[output.name] for output in model.outputs], arguments)
    return np.array(outputs(*here, found[:size], found[size:]))


@pytest.mark.parametrize(
    ("example", "revolute", "prismatic", "outputs"),
    [
        (
            "slider_crank",
            "h8",
            "s11",
            'a = "s11.a"\nb = "h8.alpha"\nc = "s11.fy"\nd = "h8.fx"',
        ),
        ("spatial_slider_crank", "h9", "s12", 'a = "s12.a"\nb = "h9.alpha"\nc = "s12.fy"\nd = "h9.fx"'),
    ],
)
def test_loads_on_joints_are_the_same_in_all_trees(
    example: str, revolute: str, prismatic: str, outputs: str
) -> None:
    model = loaded(example, revolute, prismatic, outputs)
    first, *others = (at_the_start(model, trees) for trees in ("jc", "aac", "variable", "formulation"))
    for other in others:
        assert other == pytest.approx(first, rel=1e-9)


def test_a_gear_between_two_joints_is_refused_in_words() -> None:
    text = (EXAMPLES / "slider_crank" / "model.toml").read_text()
    gear = '[rotational.gear]\ntype = "gear"\nfrom = "joint:h8"\nto = "joint:h9"\nratio = 2\n'
    model = parse_model(text.replace("[outputs]", f"{gear}[outputs]"), "model.toml")
    with pytest.raises(NetworkError, match="a network cannot couple joints rigidly"):
        assert Compilation(model, ExportOptions("jc")).formulated
