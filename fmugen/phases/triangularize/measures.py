"""SystemModel -> Measures: the quantities in which the distance of a start from its guesses is measured."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fmugen.formulas import evaluate
from fmugen.ir.formula import Formula
from fmugen.ir.model import SystemModel, default_parameters, quantities
from fmugen.ir.quantity import Level
from fmugen.phases.triangularize.assemble import Measures

__all__ = ["measures_of"]


def measures_of(model: SystemModel) -> Measures:
    """The units of all quantities of position, and the longest arm or rod, 1 m if there is none."""
    units = {
        quantity.name: quantity.unit
        for quantity in quantities(model)
        if quantity.level is Level.POSITION and not quantity.network
    }
    defaults = default_parameters(model)

    def number(formula: Formula) -> float:
        value = evaluate(formula, defaults)
        return value if value is not None and math.isfinite(value) else 0.0

    arms = [math.hypot(*(number(part) for part in arm)) for arm in _arms(model)]
    joints = model.in_section("joints")
    rods = [number(joint.formula("length")) for joint in joints if "length" in joint.values]
    return Measures(units, max((*arms, *rods), default=0.0) or 1.0)


def _arms(model: SystemModel) -> Iterator[tuple[Formula, ...]]:
    for point in model.ground:
        yield point.position
    for body in model.bodies:
        yield body.center
        yield from (point.position for point in body.points)
