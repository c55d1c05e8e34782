"""Start values of networks: which of them are values of states, and whether they contradict one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmugen.errors import NetworkError
from fmugen.expr.calculus import Tangent, depends_on
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.expr.substitute import Sample, Substitution, substitute
from fmugen.ir.dae import Dae, State

__all__ = ["fixed_states"]

_CONTRADICTION = 1e-8


def fixed_states(dae: Dae, states: Sequence[State], given: Substitution, sample: Sample) -> dict[str, Expr]:
    """Residuals of the fixed start values; empty if each of them is the value of one state."""
    fixed = {name: start for name, start in dae.network_starts.items() if start.fixed}
    residuals = {name: given(start.quantity) - start.value for name, start in fixed.items()}
    direct = {state.name for state in states if state.fixed}
    if not dae.steady and direct.issuperset(residuals):
        return {}
    for name, residual in residuals.items():
        if not depends_on(residual, SymbolRole.STATE, SymbolRole.ITERATED):
            raise NetworkError(
                f"the start value of {name} cannot be fixed: it follows from sources, parameters or the "
                "mechanism, not from the states of the network"
            )
    _require_agreement(residuals, states, sample)
    return residuals


def _require_agreement(residuals: dict[str, Expr], states: Sequence[State], sample: Sample) -> None:
    """Raise if fixed start values that are linear in the states contradict one another."""
    plain = {n: r for n, r in residuals.items() if not depends_on(r, *_BESIDE_STATES)}
    if len(plain) < 2:
        return
    symbols = [state.symbol for state in states]
    origin = {symbol: symbol.dag.zero for symbol in symbols}
    matrix = np.array(
        [
            [sample(Tangent(symbol.dag, {symbol: symbol.dag.one})(residual)) for symbol in symbols]
            for residual in plain.values()
        ]
    )
    wanted = -np.array([sample(substitute(residual, origin)) for residual in plain.values()])
    found = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
    missed = np.abs(matrix @ found - wanted)
    if missed.max() > _CONTRADICTION * max(1.0, np.abs(wanted).max()):
        involved = [name for name, miss in zip(plain, missed, strict=True) if miss > _CONTRADICTION]
        raise NetworkError(
            f"the fixed start values of {', '.join(involved)} contradict one another: the network leaves "
            "them no freedom; make some of them guesses"
        )


#: What makes a residual depend on more than states and parameters.
_BESIDE_STATES = (
    SymbolRole.ITERATED,
    SymbolRole.COORDINATE,
    SymbolRole.VELOCITY,
    SymbolRole.ACCELERATION,
    SymbolRole.INPUT,
    SymbolRole.TIME,
)
