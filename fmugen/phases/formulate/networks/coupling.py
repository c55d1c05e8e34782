"""Dae with equations of a network -> Dae with states: the network solved, and its loads on the mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise

from fmugen.errors import NetworkError
from fmugen.expr.calculus import Gathered, Tangent, depends_on, symbols_of
from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.expr.substitute import Sample, Substitution
from fmugen.ir.dae import Dae, Equation, NetworkStart, NetworkVariable, State
from fmugen.phases.formulate.added_mass import sampled
from fmugen.phases.formulate.networks.blocks import BlockSolver
from fmugen.phases.formulate.networks.starts import fixed_states
from fmugen.phases.formulate.networks.structure import order_equations

__all__ = ["couple_network"]

#: What is added to the preference of a state whose start value is fixed, or guessed.
_FIXED, _GUESSED = 20, 10


def couple_network(dae: Dae, defaults: Mapping[str, float]) -> Dae:
    """The same system with the network in state form; ``defaults`` are values of parameters."""
    if not dae.network.equations:
        return dae
    solved = _solved(dae, sampled(defaults))
    for block in solved.network_blocks:
        for equation in block.equations:
            if depends_on(equation.residual, SymbolRole.ACCELERATION):
                raise NetworkError(
                    f"{equation.origin.edge}: what the network does to a joint depends on its acceleration "
                    f"through nonlinear equations ({block.name}); put an elastic or a damping element between"
                )
    return solved


def _solved(dae: Dae, sample: Sample) -> Dae:
    """All variables of the network replaced by expressions of states and iterated unknowns."""
    dag = dae.symbols.dag
    starts = {start.quantity: start for start in dae.network_starts.values()}
    preference = {symbol: _FIXED if start.fixed else _GUESSED for symbol, start in starts.items()}
    ordered = order_equations(dae.network.variables, dae.network.equations, _Differentiation(dae), preference)
    units = _units(dae.network.variables)
    guesses = {symbol: sample(start.value) for symbol, start in starts.items()}
    solver = BlockSolver(dag, sample, units, guesses)
    symbols = {symbol: dag.symbol(symbol.name, SymbolRole.STATE) for symbol, _ in ordered.states}
    solver.values |= symbols
    for equations, unknowns in ordered.blocks:
        solver.solve(equations, unknowns)
    rates = {symbols[symbol]: solver.values[rate] for symbol, rate in ordered.states}
    _complete_rates(dae, solver.values, rates)
    given = Substitution(solver.values)
    states = tuple(
        State(
            symbol.name,
            units.get(symbol, "1"),
            symbols[symbol],
            given(rate),
            *_start_of(symbol, starts),
        )
        for symbol, rate in ordered.states
    )
    quantities = {name: given(value) for name, value in dae.quantities.items()}
    roles = Gathered(lambda symbol: frozenset({symbol.role}))
    return replace(
        dae,
        force=tuple(_known(given(value), "a force") for value in dae.force),
        quantities={
            name: value for name, value in quantities.items() if SymbolRole.NETWORK not in roles(value)
        },
        outputs={name: _known(given(value), f"the output {name}") for name, value in dae.outputs.items()},
        states=states,
        iterated=tuple(solver.iterated),
        network_blocks=tuple(solver.blocks),
        fixed_states=fixed_states(dae, states, given, sample),
    )


def _start_of(symbol: Expr, starts: Mapping[Expr, NetworkStart]) -> tuple[Expr, bool]:
    """The start value of a state, and whether it is fixed; zero is a guess."""
    start = starts.get(symbol)
    return (symbol.dag.zero, False) if start is None else (start.value, start.fixed)


def _units(variables: Iterable[NetworkVariable]) -> dict[Expr, str]:
    """The units of variables and of their derivatives."""
    found: dict[Expr, str] = {}
    for variable in variables:
        found |= zip((variable.symbol, *variable.derivatives), variable.units, strict=False)
    return found


def _complete_rates(dae: Dae, values: dict[Expr, Expr], rates: dict[Expr, Expr]) -> None:
    """Velocities and accelerations that no equation asks for, from the displacements they belong to.

    Those of what follows from inputs or from iterated unknowns directly are not known.
    """
    rate_of = Tangent(dae.symbols.dag, _motion(dae) | rates)
    roles = Gathered(lambda symbol: frozenset({symbol.role}))
    unknown_rates = {SymbolRole.INPUT, SymbolRole.ITERATED, SymbolRole.ACCELERATION}
    for variable in dae.network.variables:
        chain = (variable.symbol, *variable.derivatives)[: len(variable.units)]
        for lower, higher in pairwise(chain):
            if higher in values or lower not in values:
                continue
            if unknown_rates.isdisjoint(roles(values[lower])):
                values[higher] = rate_of(values[lower])


def _known(value: Expr, what: str) -> Expr:
    for symbol in symbols_of((value,), SymbolRole.NETWORK):
        raise NetworkError(
            f"{what} uses {symbol.name}, which is not known: it is the derivative of what follows from an "
            "input or an iteration directly"
        )
    return value


def _motion(dae: Dae) -> dict[Expr, Expr]:
    """The time derivatives of the time, of inputs that have a rate, of positions and velocities."""
    motion = dict(dae.symbols.rates)
    for coordinate in dae.coordinates:
        motion[coordinate.position] = coordinate.velocity
        motion[coordinate.velocity] = coordinate.acceleration
    return motion


class _Differentiation:
    """The time derivative of equations whose variables have known derivatives."""

    def __init__(self, dae: Dae) -> None:
        self._dag: Dag = dae.symbols.dag
        self._motion = _motion(dae)

    def __call__(self, equation: Equation, rates: dict[Expr, Expr]) -> Equation:
        for symbol in symbols_of((equation.residual,), SymbolRole.INPUT, SymbolRole.ACCELERATION):
            if symbol not in self._motion:
                raise NetworkError(_no_rate(equation, symbol))
        rate = Tangent(self._dag, self._motion | rates)
        return Equation(equation.origin, rate(equation.residual))


def _no_rate(equation: Equation, symbol: Expr) -> str:
    where = equation.origin.edge
    if symbol.role is SymbolRole.INPUT:
        return (
            f"{where}: the derivative of the input {symbol.name!r} would be needed, as it drives a storage "
            "directly; give it a rate, or put an element between them, such as the resistance of the source"
        )
    return (
        f"{where}: the derivative of the acceleration {symbol.name!r} would be needed: a network cannot "
        "couple joints rigidly to each other or to a motion; put an elastic or a damping element between them"
    )
