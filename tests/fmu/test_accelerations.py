"""Accelerations of every mechanism without a network among the examples, at random consistent states, against the independent mechanism."""

from __future__ import annotations

import re

import numpy as np
import pytest

from fmugen.ir.flow import Closure
from fmugen.phases.read import read_model
from fmugen.phases.triangularize import solution_flow
from fmugen.verify.frames import sampled_motion
from fmugen.verify.reference import solve_reference
from tests.support import EXAMPLES, NumericDae, example, with_all_quantities

NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml") if not read_model(path).components)
ACCELERATION = re.compile(r"(ax|ay|az|alpha|alphax|alphay|alphaz)$")


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_equal_those_of_the_reference(name: str) -> None:
    model = with_all_quantities(example(name))
    bodies = {body.name for body in model.bodies}
    kept = [o for o in model.outputs if o.name.rpartition("__")[0] in bodies and not o.name[-1].isdigit()]
    model = type(model)(**{**model.__dict__, "outputs": tuple(kept)})
    inputs = {given.name: given.start for given in model.inputs}
    numeric = NumericDae(model, "jc", inputs)
    start = np.array(solution_flow(model, numeric.dae, Closure.NEWTON).positions)
    reference = solve_reference(model, np.array([0.0]))
    rng = np.random.default_rng(11)
    for _ in range(2):
        q, v = numeric.close(start + rng.uniform(-0.02, 0.02, numeric.n), rng.uniform(-1, 1, numeric.n))
        found = numeric.quantities(q, v)
        values = {key: np.array([value]) for key, value in found.items()}
        coordinates, rates = sampled_motion(reference.mechanism, values, reference.coordinates[:1])
        instant = reference.mechanism.motion(0.0, coordinates[0], rates[0], inputs)
        expected = reference.mechanism.quantities(instant)
        names = [key for key in found if ACCELERATION.search(key.rpartition(".")[2])]
        scale = max(1.0, *(abs(expected[key]) for key in names))
        worst = max(names, key=lambda key: abs(found[key] - expected[key]))
        assert abs(found[worst] - expected[worst]) <= 1e-9 * scale, worst
