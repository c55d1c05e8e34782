"""Accelerations of mechanisms at random consistent states, against the independent mechanism.

Of mechanisms alone the equations are evaluated; of those that a network acts on, the FMU, since states
and unknowns of the network are solved for there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmugen.components.base import component_of
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.phases.triangularize import solution_flow
from fmugen.verify.frames import sampled_motion
from fmugen.verify.layout import own_quantities
from fmugen.verify.network.start import StartValues
from fmugen.verify.reference import Reference, solve_reference
from tests.fmu.exchange import opened, options
from tests.store import exported
from tests.support import EXAMPLES, NumericDae, example, trees_of, with_all_quantities

NAMES = [path.parent.name for path in sorted(EXAMPLES.glob("*/model.toml"))]
MECHANISMS = [name for name in NAMES if example(name).bodies]
WITH_NETWORK = [name for name in MECHANISMS if example(name).components]
_MANY_BODIES = 20
ACCELERATION = re.compile(r"(ax|ay|az|alpha|alphax|alphay|alphaz)$")


def with_quantities_of_bodies(model: SystemModel) -> SystemModel:
    """``model`` with the quantities of its bodies as outputs, but not those of single points."""
    outputs = with_all_quantities(model).outputs
    bodies = {body.name.replace(".", "__") for body in model.bodies}
    own = {name.replace(".", "__") for name in own_quantities(model)}
    kept = [
        output
        for output in outputs
        if output.name in own or (output.name.rpartition("__")[0] in bodies and not output.name[-1].isdigit())
    ]
    return replace(model, outputs=tuple(kept))


def require_accelerations(
    reference: Reference,
    found: Mapping[str, float],
    inputs: Mapping[str, float],
    network: Mapping[str, float] | None = None,
) -> None:
    """Quantities of bodies have accelerations that the reference has where it moves as they say.

    ``network`` are the values of the network's states.
    """
    mechanism = reference.mechanism
    values = {key: np.array([value]) for key, value in found.items()}
    coordinates, rates = (moments[0] for moments in sampled_motion(mechanism, values, reference.coordinates))
    states = np.zeros(0)
    if mechanism.drive is not None:
        system = mechanism.drive.system
        posture = mechanism.chart.posture(coordinates)
        point = mechanism.drive.at(0.0, posture, rates, inputs, np.zeros(system.tableau.states))
        states = system.start(point, StartValues(network or {}, {}))
    expected = mechanism.quantities(mechanism.motion(0.0, coordinates, rates, inputs, states))
    names = [key for key in found if ACCELERATION.search(key.rpartition(".")[2])]
    scale = max(1.0, *(abs(expected[key]) for key in names))
    worst = max(names, key=lambda key: abs(found[key] - expected[key]))
    assert abs(found[worst] - expected[worst]) <= 1e-9 * scale, worst


def by_bodies(names: list[str]) -> list[Any]:
    """The names, those of examples with many bodies as slow tests."""
    many = [name for name in names if len(example(name).bodies) > _MANY_BODIES]
    return [pytest.param(name, marks=pytest.mark.slow) if name in many else name for name in names]


def has_states(name: str) -> bool:
    """Whether elements have states of their own, as tyres and brakes have."""
    return any(component_of(element).states for element in example(name).elements if not element.ports)


MECHANICAL = [name for name in MECHANISMS if name not in WITH_NETWORK and not has_states(name)]


@pytest.mark.parametrize("name", by_bodies(MECHANICAL))
def test_accelerations_equal_those_of_the_reference(name: str) -> None:
    model = with_quantities_of_bodies(example(name))
    inputs = {variable.name: variable.start for variable in model.inputs}
    numeric = NumericDae(model, trees_of(name, "jc"), inputs)
    start = np.array(solution_flow(model, numeric.dae, Closure.NEWTON).positions)
    reference = solve_reference(model, np.array([0.0]))
    rng = np.random.default_rng(11)
    for _ in range(2):
        q, v = numeric.close(start + rng.uniform(-0.02, 0.02, numeric.n), rng.uniform(-1, 1, numeric.n))
        require_accelerations(reference, numeric.quantities(q, v), inputs)


@pytest.mark.parametrize("name", [name for name in WITH_NETWORK if not has_states(name)])
def test_accelerations_under_a_network_equal_those_of_the_reference(name: str, tmp_path: Path) -> None:
    model = with_quantities_of_bodies(example(name))
    inputs = {variable.name: variable.start for variable in model.inputs}
    reference = solve_reference(model, np.array([0.0]))
    assert reference.mechanism.drive is not None
    of_network = reference.mechanism.drive.system.tableau.quantities
    export = exported(model, options(trees="jc"))
    rng = np.random.default_rng(11)
    with opened(export, tmp_path) as fmu:
        fmu.start()
        start, names = fmu.states, [state.name for state in fmu.description.continuous_states]
        moving = sum(name not in of_network for name in names) // 2
        assert 0 < 2 * moving < len(names)
        # Positions and velocities as above, currents and pressures by a tenth.
        reach = np.array([*[0.02] * moving, *[1.0] * moving, *(0.1 + 0.1 * np.abs(start[2 * moving :]))])
        for _ in range(2):
            fmu.states = start + reach * rng.uniform(-1, 1, len(names))
            found = {output.name.replace("__", "."): fmu.value(output.name) for output in model.outputs}
            states = dict(zip(names, fmu.states.tolist(), strict=True))
            require_accelerations(
                reference, found, inputs, {name: states[name] for name in names if name in of_network}
            )
