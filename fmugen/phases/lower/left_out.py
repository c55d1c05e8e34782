"""Redundant constraints: they are not solved, but an FMU checks that they hold."""

from __future__ import annotations

from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.graph import Domain
from fmugen.ir.program import LeftOut, Result

__all__ = ["left_out_constraints", "left_out_results"]

_UNITS = {Domain.TRANSLATION: "m", Domain.ROTATION: "rad"}


def left_out_results(dae: Dae, flow: SolutionFlow) -> list[Result]:
    """The residuals of the redundant constraints."""
    rows = [dae.constraints[row] for row in flow.redundant]
    return [Result("phi", i, row.phi, str(row.origin)) for i, row in enumerate(rows)]


def left_out_constraints(dae: Dae, flow: SolutionFlow) -> tuple[LeftOut, ...]:
    """The description of each of them in an FMU."""
    origins = [dae.constraints[row].origin for row in flow.redundant]
    return tuple(
        LeftOut(origin.edge, origin.direction, _UNITS[origin.domain], flow.size_of(origin.domain))
        for origin in origins
    )
