"""An assembled start as guesses for other coordinates of the same mechanism: it need not be sought again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import SystemModel, default_parameters
from fmugen.phases.triangularize.measures import measures_of
from fmugen.phases.triangularize.numeric import Residuals

__all__ = ["poses_at", "with_poses"]


def poses_at(model: SystemModel, dae: Dae, flow: SolutionFlow) -> dict[str, float]:
    """The measured positions at the start of ``flow``."""
    units = measures_of(model).units
    measured = {name: value for name, value in dae.quantities.items() if name in units}
    defaults = default_parameters(model)
    parameters = [defaults[name] for name in dae.symbols.parameters]
    values = Residuals(dae, list(measured.values()), parameters, jacobian=[{} for _ in measured])
    return dict(zip(measured, values(np.array(flow.positions))[0].tolist(), strict=True))


def with_poses(dae: Dae, poses: Mapping[str, float]) -> Dae:
    """``dae`` with guesses of all positions in place of its own."""
    if not poses:
        return dae
    dag = dae.symbols.dag
    guesses = {name: dae.quantities[name] - dag.number(Fraction(value)) for name, value in poses.items()}
    return replace(
        dae, guesses={name: value for name, value in dae.guesses.items() if name not in poses} | guesses
    )
