"""Positions on a motion that is followed roughly."""

from __future__ import annotations

from typing import Any

import numpy as np

from fmugen.ir.model import default_parameters
from fmugen.ir.options import ExportOptions
from fmugen.phases.triangularize import dynamics
from fmugen.phases.triangularize.assemble import Assembly
from fmugen.phases.triangularize.dynamics import trajectory_positions
from fmugen.pipeline import Compilation
from tests.support import example


def test_a_motion_ends_where_a_force_leaves_the_range_of_numbers(monkeypatch: Any) -> None:
    """Steps that are too long for stiff forces may diverge; the positions before that still count."""
    model = example("four_bar")
    made = Compilation(model, ExportOptions("aac"))
    defaults = default_parameters(model)
    parameters = [defaults[name] for name in made.formulated.symbols.parameters]
    assembly = Assembly(made.formulated, parameters)
    start = np.array(made.flow.positions), np.array(made.flow.velocities)
    whole = trajectory_positions(made.formulated, assembly, parameters, *start, 1.0)
    assert whole is not None and len(whole) > 10

    late = whole[5].time
    step = dynamics._Dynamics.step

    def overflowing(self: Any, q: Any, v: Any, time: float, h: float) -> Any:
        if time >= late:
            raise OverflowError("math range error")
        return step(self, q, v, time, h)

    monkeypatch.setattr(dynamics._Dynamics, "step", overflowing)
    found = trajectory_positions(made.formulated, assembly, parameters, *start, 1.0)
    assert found is not None
    assert [each.time for each in found] == [each.time for each in whole[:6]]
