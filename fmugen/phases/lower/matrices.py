"""Matrices of the equations of motion, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence

from fmugen.ir.dae import Constraint, Dae
from fmugen.ir.program import Result

__all__ = ["jacobian_results", "mass_results", "phi_results"]


def jacobian_results(dae: Dae, rows: Sequence[Constraint]) -> list[Result]:
    size, zero = len(dae.coordinates), dae.symbols.dag.zero
    return [
        Result("phi_q", i * size + j, row.jacobian.get(j, zero), str(row.origin))
        for i, row in enumerate(rows)
        for j in range(size)
    ]


def mass_results(dae: Dae) -> list[Result]:
    size, zero = len(dae.coordinates), dae.symbols.dag.zero
    return [
        Result("mass", i * size + j, dae.mass.get((max(i, j), min(i, j)), zero), str(row.origin))
        for i, row in enumerate(dae.coordinates)
        for j in range(size)
    ]


def phi_results(rows: Sequence[Constraint]) -> list[Result]:
    """The constraints, row by row."""
    return [Result("phi", i, row.phi, str(row.origin)) for i, row in enumerate(rows)]
