"""What each value depends on, by the structure of the equations: all true dependencies, and no others.

Values that equations are solved for depend on whatever the equations that determine them contain. For a
square system these are found by matching unknowns to equations and following the strongly connected
components (the block-triangular form). In an underdetermined system, connected unknowns share the
dependencies of their equations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from fmugen.digraph import matching, strong_components
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Constraint, Dae
from fmugen.ir.flow import EMBEDDED, Closure, SolutionFlow
from fmugen.ir.fmu import Knowns
from fmugen.phases.lower.inertial import InertialTerms

__all__ = ["Dependencies"]

#: An input, a parameter or time by its symbol; a continuous state by its number.
Atom = Expr | int
Atoms = frozenset[Atom]
_NOTHING: Atoms = frozenset()


@dataclass(frozen=True)
class _Equation:
    """The unknowns an equation contains, and the expressions that contain all else."""

    unknowns: tuple[Expr, ...]
    knowns: tuple[Expr, ...]


class Dependencies:
    """The dependencies of a model at one instant, and at its start."""

    def __init__(self, dae: Dae, flow: SolutionFlow) -> None:
        self._dae, self._flow = dae, flow
        self._rows = [dae.constraints[row] for row in flow.rows]
        self._embedded = flow.closure in EMBEDDED
        self._projected = flow.closure is Closure.PROJECTION
        every = tuple(range(len(dae.coordinates)))
        #: The coordinates whose positions, and whose velocities, are integrated.
        self.positions = (*flow.independent, *flow.carried) if self._embedded else every
        self.velocities = flow.independent if self._embedded or self._projected else every

    def knowns(self, value: Expr, *, everywhere: bool = False) -> Knowns:
        """What ``value`` depends on.

        With ``everywhere``, at an instant it stands for the acceleration of any independent coordinate.
        """
        found = _atoms(value, self._instant)
        if everywhere:
            found = found.union(*(_atoms(c.acceleration, self._instant) for c in self._dae.coordinates))
        start = _atoms(value, self._start)
        inputs, parameters = self._dae.symbols.inputs, self._dae.symbols.parameters
        return Knowns(
            tuple(name for name, symbol in inputs.items() if symbol in found),
            tuple(sorted(atom for atom in found if isinstance(atom, int))),
            self._dae.symbols.time in found,
            tuple(name for name, symbol in (*parameters.items(), *inputs.items()) if symbol in start),
        )

    # --- the two situations -----------------------------------------------------------------------

    @cached_property
    def _instant(self) -> dict[Expr, Atoms]:
        """Given: time, inputs, states."""
        known = self._given()
        coordinates = self._dae.coordinates
        states = count()
        for k in self.positions:
            known[coordinates[k].position] = frozenset({next(states)})
        for k in self.velocities:
            known[coordinates[k].velocity] = frozenset({next(states)})
        for state in self._dae.states:
            known[state.symbol] = frozenset({next(states)})
        if self._embedded:
            self._close_loops(known, ("position", "velocity"))
        elif self._projected:
            self._close_loops(known, ("velocity",))
        return self._solve_motion(known)

    @cached_property
    def _start(self) -> dict[Expr, Atoms]:
        """Given: parameters, inputs."""
        dae = self._dae
        known = self._given()
        known[dae.symbols.time] = _NOTHING  # the start time is not a variable
        positions = [c.position for c in dae.coordinates]
        equations = [*(row.phi for row in self._rows), *dae.fixed_positions.values()]
        _solve([_split(value, positions) for value in equations], positions, known)
        velocities = [c.velocity for c in dae.coordinates]
        fixed = [_split(value, velocities) for value in dae.fixed_velocities.values()]
        _solve([*(self._velocity(row) for row in self._rows), *fixed], velocities, known)
        for state in dae.states:
            known[state.symbol] = _atoms(state.start, known)
        known = self._solve_motion(known)
        return self._steady(known) if dae.steady or dae.fixed_states else known

    def _given(self) -> dict[Expr, Atoms]:
        symbols = self._dae.symbols
        every = (*symbols.parameters.values(), *symbols.inputs.values(), symbols.time)
        return {symbol: frozenset({symbol}) for symbol in every}

    # --- systems ----------------------------------------------------------------------------------

    def _close_loops(self, known: dict[Expr, Atoms], levels: Sequence[str]) -> None:
        """Coordinates in loops depend on all states of loops, as any of them may become independent."""
        coordinates = self._dae.coordinates
        looped = {column for row in self._rows for column in row.jacobian}
        for level in levels:
            given = self.positions if level == "position" else self.velocities
            inside = [k for k in given if k in looped]
            unknowns = [getattr(coordinates[k], level) for k in sorted(looped)]
            equations = self._loop_equations(level, unknowns)
            if not inside:
                _solve(equations, unknowns, known)
                continue
            shared = _NOTHING.union(*(known[getattr(coordinates[k], level)] for k in inside))
            shared |= _NOTHING.union(*(_atoms(value, known) for eq in equations for value in eq.knowns))
            known |= dict.fromkeys(unknowns, shared)

    def _loop_equations(self, level: str, unknowns: Sequence[Expr]) -> list[_Equation]:
        if level == "position":
            return [_split(row.phi, unknowns) for row in self._rows]
        return [self._velocity(row) for row in self._rows]

    def _velocity(self, row: Constraint) -> _Equation:
        unknowns = tuple(self._dae.coordinates[column].velocity for column in row.jacobian)
        missed = (row.phi,) if self._projected else ()
        return _Equation(unknowns, (*row.jacobian.values(), row.nu, *missed))

    def _solve_motion(self, known: dict[Expr, Atoms]) -> dict[Expr, Atoms]:
        """Unknowns of the network, accelerations and multipliers."""
        dae = self._dae
        iterated = [unknown.symbol for unknown in dae.iterated]
        residuals = [equation.residual for block in dae.network_blocks for equation in block.equations]
        _solve([_split(value, iterated) for value in residuals], iterated, known)
        seconds = [c.acceleration for c in dae.coordinates]
        multipliers = [row.multiplier for row in self._rows]
        equations = [*self._balances(), *(self._acceleration(row) for row in self._rows)]
        _solve(equations, [*seconds, *multipliers], known)
        return known

    def _balances(self) -> Iterable[_Equation]:
        dae, inertial = self._dae, InertialTerms(self._dae)
        for k, force in enumerate(dae.force):
            seconds, masses = inertial.masses(k)
            reactions = {row.multiplier: row.jacobian[k] for row in self._rows if k in row.jacobian}
            yield _Equation((*seconds, *reactions), (*masses, *reactions.values(), force))

    def _acceleration(self, row: Constraint) -> _Equation:
        unknowns = [self._dae.coordinates[column].acceleration for column in row.jacobian]
        knowns = [*row.jacobian.values(), row.gamma]
        if self._flow.closure in (Closure.BAUMGARTE, Closure.PENALTY, Closure.PROJECTION):
            knowns += [row.phi, row.nu, *(self._dae.coordinates[column].velocity for column in row.jacobian)]
        if self._flow.closure is Closure.PENALTY:
            unknowns.append(row.multiplier)
            knowns += self._dae.mass.values()
        return _Equation(tuple(unknowns), tuple(knowns))

    def _steady(self, known: dict[Expr, Atoms]) -> dict[Expr, Atoms]:
        """A start that is found by iteration brings everything to bear on every state and coordinate."""
        dae = self._dae
        values = [*(state.derivative for state in dae.states), *dae.fixed_states.values()]
        moved = [coordinate.position for coordinate in dae.coordinates] if dae.steady else []
        if moved:
            values += [coordinate.acceleration for coordinate in dae.coordinates]
        everything = _NOTHING.union(*(_atoms(value, known) for value in values))
        for symbol in (*(state.symbol for state in dae.states), *moved):
            known[symbol] = known[symbol] | everything
        return self._solve_motion(known)


def _atoms(value: Expr, known: Mapping[Expr, Atoms]) -> Atoms:
    found = (known.get(symbol, _NOTHING) for symbol in symbols_of((value,)))
    return _NOTHING.union(*found)


def _split(value: Expr, unknowns: Sequence[Expr]) -> _Equation:
    wanted = set(unknowns)
    return _Equation(tuple(symbol for symbol in symbols_of((value,)) if symbol in wanted), (value,))


def _solve(equations: Sequence[_Equation], unknowns: Sequence[Expr], known: dict[Expr, Atoms]) -> None:
    """Add to ``known`` what the unknowns of a system depend on."""
    for unknown in unknowns:
        known[unknown] = _NOTHING
    contents = [
        _NOTHING.union(*(_atoms(value, known) for value in equation.knowns)) for equation in equations
    ]
    matched = _matching(equations, unknowns)
    total = _totals(contents, _needed(equations, matched))
    for number, equation in enumerate(equations):
        for unknown in equation.unknowns:
            if matched is None or matched[unknown] == number:
                known[unknown] = known[unknown] | total[number]


def _needed(equations: Sequence[_Equation], matched: Mapping[Expr, int] | None) -> dict[int, set[int]]:
    """For each equation, those that determine its unknowns.

    Where no equation belongs to an unknown, all that contain it determine it together.
    """
    needs: dict[int, set[int]] = {number: set() for number in range(len(equations))}
    for number, equation in enumerate(equations):
        for unknown in equation.unknowns:
            if matched is not None:
                needs[number].add(matched[unknown])
            else:
                needs[number].update(n for n, other in enumerate(equations) if unknown in other.unknowns)
    return needs


def _totals(contents: Sequence[Atoms], needs: Mapping[int, set[int]]) -> dict[int, Atoms]:
    """The dependencies of each equation and of all that it needs."""
    total: dict[int, Atoms] = {}
    for members in strong_components(needs):
        own = _NOTHING.union(*(contents[number] for number in members))
        earlier = set[int]().union(*(needs[number] for number in members)).difference(members)
        total |= dict.fromkeys(members, own.union(*(total[number] for number in earlier)))
    return total


def _matching(equations: Sequence[_Equation], unknowns: Sequence[Expr]) -> dict[Expr, int] | None:
    """The equation that determines each unknown; ``None`` if the system is not square or not regular."""
    if len(equations) != len(unknowns):
        return None
    choices: dict[Expr, list[int]] = {unknown: [] for unknown in unknowns}
    for number, equation in enumerate(equations):
        for unknown in equation.unknowns:
            choices[unknown].append(number)
    found = matching(choices)
    return found if len(found) == len(unknowns) else None
