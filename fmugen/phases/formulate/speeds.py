"""Constraints of velocities: fewer independent speeds than positions, by an exact linear solution.

A row ``e . v = nu`` without a position level is solved for the speeds of coordinates that no loop closes.
Their positions become states of their own, x' = v(q, v, t). What is left are the equations of the other
coordinates,

    v = T w + c,   a = T w' + d,   (T^T M T) w' + ... = T^T (F - M d),   lambda = e . (F - M a) / (e . e)

Where an entry of the row is constant, one speed follows from the others. Else two speeds whose entries have a
constant norm, such as sine and cosine, follow from one speed along the constraint: the pivot never vanishes.
Else the rows of an element are solved together for the speeds that they determine best near the start.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from fmugen.errors import TreeError
from fmugen.expr.calculus import Tangent, symbols_of
from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.expr.generic import Generic
from fmugen.expr.substitute import Substitution
from fmugen.ir.dae import Constraint, Coordinate, Dae, IteratedBlock, State
from fmugen.phases.formulate.speed_rows import MOST_ROWS, combined, is_void

__all__ = ["with_independent_speeds"]

_K = TypeVar("_K")


def with_independent_speeds(dae: Dae, rows: Sequence[Constraint], defaults: Mapping[str, float]) -> Dae:
    """``dae`` with the velocity constraints ``rows`` solved, which have numbers for ``defaults``.

    A row that follows from those before it has no reaction.

    Raises
    ------
    TreeError
        If no coordinates can be found whose speeds a row gives.
    """
    left = list(rows)
    while left:
        row = left[0]
        if is_void(row):
            dae, left = _put_in(dae, Substitution({row.multiplier: row.multiplier.dag.zero})), left[1:]
            continue
        pivot = _pivot_of(dae, row)
        if pivot is not None:
            dae, left = _Elimination(dae, row, pivot, left[1:]).apply()
        else:
            dae, left = _solved_together(dae, left, defaults)
    return dae


def _solved_together(
    dae: Dae, rows: Sequence[Constraint], defaults: Mapping[str, float]
) -> tuple[Dae, list[Constraint]]:
    """The first row and, if it takes them, others of its element, solved for other speeds."""
    free = _free(dae, rows)
    same = [row for row in rows if row.origin.edge == rows[0].origin.edge and not is_void(row)]
    for group in (same[: min(len(same), MOST_ROWS)], same[:1]):
        found = combined(dae, group, free, defaults)
        if found is None:
            continue
        dae = _put_in(dae, Substitution(found.multipliers))
        left = [*found.rows, *(row for row in rows if row not in group)]
        for solved in [dae.coordinates[k] for k in found.columns]:
            pivot = _Pivot((dae.coordinates.index(solved),), dae.symbols.dag.one)
            dae, left = _Elimination(dae, left[0], pivot, left[1:]).apply()
        return dae, left
    raise TreeError(
        f"{rows[0].origin}: the velocity constraint cannot be solved for a coordinate outside of "
        "loops; choose other trees, in which the element is a branch"
    )


@dataclass(frozen=True)
class _Pivot:
    """The coordinates whose positions become states, and the squared norm of their entries."""

    columns: tuple[int, ...]
    norm: Expr


@dataclass(frozen=True)
class _Start:
    """The start value of a position, and the quantity that it is said of."""

    value: Expr
    name: str = ""
    fixed: bool = False


def _pivot_of(dae: Dae, row: Constraint) -> _Pivot | None:
    """The coordinates whose speeds the row alone gives everywhere, if there are any."""
    entries, free = row.jacobian, _free(dae, [row])
    constant = [k for k in free if entries[k].constant]
    if constant:
        column = min(constant, key=lambda k: (dae.coordinates[k].unit != "m", k))
        return _Pivot((column,), entries[column] ** 2)
    for pair in combinations(free, 2):
        norm = _constant_norm(dae.symbols.dag, [entries[k] for k in pair])
        if norm is not None:
            return _Pivot(pair, norm)
    return None


def _free(dae: Dae, rows: Sequence[Constraint]) -> list[int]:
    """The coordinates in the rows that neither loops nor counted angles are closed with."""
    closing = dae.constraints
    parts = [
        e for row in closing for e in (row.phi, row.nu, *row.closed, *row.facing, *row.jacobian.values())
    ]
    parts += [e for angle in dae.angles for e in (angle.base, angle.start)]
    found = set(symbols_of(parts, SymbolRole.COORDINATE))
    bound = {k for k, c in enumerate(dae.coordinates) if c.position in found}
    bound |= {k for row in closing for k in row.jacobian}
    return sorted({k for row in rows for k in row.jacobian} - bound)


def _constant_norm(dag: Dag, entries: Sequence[Expr]) -> Expr | None:
    """The sum of squares, if no coordinate changes it and it is not zero."""
    norm, generic, zero = dag.add(entry**2 for entry in entries), Generic(), dag.zero
    changing = symbols_of((norm,), SymbolRole.COORDINATE, SymbolRole.STATE, SymbolRole.TIME, SymbolRole.INPUT)
    for symbol in changing:
        if not generic.are_equal(Tangent(dag, {symbol: dag.one})(norm), zero):
            return None
    norm = Substitution(dict.fromkeys(changing, zero))(norm)
    return None if generic.are_equal(norm, zero) else norm


class _Elimination:
    """Solves ``row`` for ``pivot``; ``others`` are the constraints of velocities that are not solved yet."""

    def __init__(self, dae: Dae, row: Constraint, pivot: _Pivot, others: Sequence[Constraint]) -> None:
        self._dae, self._row, self._others = dae, row, others
        self._dag: Dag = dae.symbols.dag
        self._pivot = pivot
        kept = [k for k in range(len(dae.coordinates)) if k not in self._pivot.columns]
        path = () if len(self._pivot.columns) == 1 else (self._path(),)
        #: The coordinates that are left, and the numbers of those that stay.
        self._left = (*(dae.coordinates[k] for k in kept), *path)
        self._places = {k: place for place, k in enumerate(kept)}

    # --- which speeds ----------------------------------------------------------------------------------

    def _path(self) -> Coordinate:
        """The way along the constraint, whose speed is independent."""
        first = self._dae.coordinates[self._pivot.columns[0]]
        name, origin = f"{self._row.origin.edge}.{self._row.origin.direction}".replace(" ", "_"), first.origin
        names = (f"{name}_{kind}" for kind in ("path", "speed", "acceleration"))
        position, rate, second = names
        return Coordinate(
            position,
            rate,
            second,
            first.unit,
            0.0,
            self._dag.symbol(position, SymbolRole.COORDINATE),
            self._dag.symbol(rate, SymbolRole.VELOCITY),
            self._dag.symbol(second, SymbolRole.ACCELERATION),
            replace(origin, edge=self._row.origin.edge, direction=f"path of {self._row.origin.direction}"),
        )

    # --- the transformation -----------------------------------------------------------------------------

    def _speeds(self) -> Iterator[tuple[int, dict[int, Expr], Expr]]:
        """``v_k`` of the pivots: their parts of T, by the place of the coordinate that is left, and of c."""
        entries, (columns, norm) = self._row.jacobian, (self._pivot.columns, self._pivot.norm)
        if len(columns) == 2:
            root = self._dag.call("sqrt", norm) if norm != self._dag.one else self._dag.one
            along = {columns[0]: entries[columns[1]] / root, columns[1]: -entries[columns[0]] / root}
        else:
            along = {}
        for k in columns:
            share = entries[k] / norm if len(columns) == 2 else 1 / entries[k]
            part = {self._places[m]: -share * entry for m, entry in entries.items() if m in self._places}
            if k in along:
                part[len(self._places)] = along[k]
            yield k, part, share * self._row.nu

    def apply(self) -> tuple[Dae, list[Constraint]]:
        dae, dag = self._dae, self._dag
        size, left = range(len(dae.coordinates)), self._left
        tangent: dict[int, dict[int, Expr]] = {k: {place: dag.one} for k, place in self._places.items()}
        given: dict[int, Expr] = dict.fromkeys(size, dag.zero)
        for k, part, rest in self._speeds():
            tangent[k], given[k] = part, rest
        speeds = {
            k: dag.add([given[k], *(entry * left[j].velocity for j, entry in tangent[k].items())])
            for k in size
        }
        seeds = dict(dae.symbols.rates) | {state.symbol: state.derivative for state in dae.states}
        rate = Tangent(dag, seeds | {dae.coordinates[k].position: speeds[k] for k in size})
        drift = {k: rate(speeds[k]) for k in size}
        seconds = {
            k: dag.add([drift[k], *(entry * left[j].acceleration for j, entry in tangent[k].items())])
            for k in size
        }
        excess = [dag.add([dae.force[k], *(-self._mass(k, m) * drift[m] for m in size)]) for k in size]
        force = [self._across(tangent, i, excess) for i in range(len(left))]
        mass = self._projected_mass(tangent)
        others = [self._transformed(row, tangent, given, drift) for row in self._others]
        return self._finished(mass, force, speeds, seconds, others)

    def _across(self, tangent: dict[int, dict[int, Expr]], column: int, values: Sequence[Expr]) -> Expr:
        """A column of T times a vector."""
        return self._dag.add(
            tangent[k][column] * value for k, value in enumerate(values) if column in tangent[k]
        )

    def _projected_mass(self, tangent: dict[int, dict[int, Expr]]) -> dict[tuple[int, int], Expr]:
        """T^T M T on and below its diagonal."""
        size, left = range(len(self._dae.coordinates)), range(len(self._left))
        rows = [[self._mass(k, m) for m in size] for k in size]
        moved = [[self._across(tangent, j, row) for row in rows] for j in left]
        return {(i, j): self._across(tangent, i, moved[j]) for i in left for j in range(i + 1)}

    def _transformed(
        self,
        row: Constraint,
        tangent: dict[int, dict[int, Expr]],
        given: dict[int, Expr],
        drift: dict[int, Expr],
    ) -> Constraint:
        """Another constraint of velocities in the coordinates that are left."""
        dag, entries = self._dag, row.jacobian
        jacobian: dict[int, Expr] = {}
        for k, entry in entries.items():
            for j, part in tangent[k].items():
                jacobian[j] = jacobian.get(j, dag.zero) + entry * part
        jacobian = {j: entry for j, entry in sorted(jacobian.items()) if not entry.is_zero}
        nu = dag.add([row.nu, *(-entry * given[k] for k, entry in entries.items())])
        gamma = dag.add([row.gamma, *(-entry * drift[k] for k, entry in entries.items())])
        return replace(row, jacobian=jacobian, nu=nu, gamma=gamma)

    def _mass(self, row: int, column: int) -> Expr:
        return self._dae.mass.get((max(row, column), min(row, column)), self._dag.zero)

    def _multiplier(self) -> Expr:
        dae, dag = self._dae, self._dag
        terms = []
        for k in self._pivot.columns:
            parts = [dae.force[k]]
            parts += [-self._mass(k, m) * c.acceleration for m, c in enumerate(dae.coordinates)]
            parts += [-row.jacobian[k] * row.multiplier for row in self._others if k in row.jacobian]
            terms.append(self._row.jacobian[k] * dag.add(parts))
        return dag.add(terms) / self._pivot.norm

    # --- the equations that are left ----------------------------------------------------------------------

    def _finished(
        self,
        mass: dict[tuple[int, int], Expr],
        force: Sequence[Expr],
        speeds: dict[int, Expr],
        seconds: dict[int, Expr],
        others: Sequence[Constraint],
    ) -> tuple[Dae, list[Constraint]]:
        dae = self._dae
        solved = [dae.coordinates[k] for k in self._pivot.columns]
        symbols = {c.position: self._dag.symbol(c.name, SymbolRole.STATE) for c in solved}
        known = self._known(symbols, speeds, seconds)
        new = Substitution(known)
        starts = self._starts(solved)
        begun = Substitution({position: start.value for position, start in starts.items()})
        said = {start.name for start in starts.values()}
        fixed = _mapped(_without(dae.fixed_positions, said), new)
        of_states = {name: value for name, value in fixed.items() if symbols_of((value,), SymbolRole.STATE)}
        states = [
            State(c.name, c.unit, symbols[c.position], known[c.velocity], start.value, start.fixed)
            for c, start in zip(solved, starts.values(), strict=True)
        ]
        put = _put_in(dae, new)
        found = replace(
            put,
            coordinates=self._left,
            constraints=self._loops(),
            mass={place: new(entry) for place, entry in mass.items() if not entry.is_zero},
            force=tuple(map(new, force)),
            fixed_positions=_without(fixed, of_states),
            guesses=_mapped(_mapped(_without(dae.guesses, said), begun), new),
            states=(*put.states, *states),
            fixed_states=put.fixed_states | of_states,
            tree=None,
            preferred=_mapped(_without(dae.preferred, said), begun),
        )
        return found, [
            replace(row, jacobian=_mapped(row.jacobian, new), nu=new(row.nu), gamma=new(row.gamma))
            for row in others
        ]

    def _known(
        self, symbols: dict[Expr, Expr], speeds: dict[int, Expr], seconds: dict[int, Expr]
    ) -> dict[Expr, Expr]:
        """What takes the place of positions, velocities and accelerations that are solved, and of lambda."""
        placed, known = Substitution(symbols), dict(symbols)
        for k in self._pivot.columns:
            c = self._dae.coordinates[k]
            known |= {c.velocity: placed(speeds[k]), c.acceleration: placed(seconds[k])}
        known[self._row.multiplier] = Substitution(known)(self._multiplier())
        return known

    def _loops(self) -> tuple[Constraint, ...]:
        """The constraints of loops, by the numbers of the coordinates that are left."""
        return tuple(
            replace(row, jacobian={self._places[k]: entry for k, entry in row.jacobian.items()})
            for row in self._dae.constraints
        )

    def _starts(self, solved: Sequence[Coordinate]) -> dict[Expr, _Start]:
        """The start values that the model gives to positions, fixed or as guesses; else their own guesses."""
        dae, dag = self._dae, self._dag
        found = {c.position: _Start(dag.number(Fraction(c.guess))) for c in solved}
        for given, fixed in ((dae.guesses, False), (dae.fixed_positions, True)):
            for name, residual in given.items():
                unknown = symbols_of(
                    (residual,), SymbolRole.COORDINATE, SymbolRole.VELOCITY, SymbolRole.STATE
                )
                if len(unknown) != 1 or unknown[0] not in found:
                    continue
                slope = Tangent(dag, {unknown[0]: dag.one})(residual)
                if slope.is_number and not (fixed and found[unknown[0]].fixed):
                    rest = Substitution({unknown[0]: dag.zero})(residual)
                    found[unknown[0]] = _Start(-rest / slope, name, fixed)
        return found


def _put_in(dae: Dae, use: Substitution) -> Dae:
    """``dae`` with all that is solved put into what is read from a motion, not into its equations."""
    return replace(
        dae,
        quantities=_mapped(dae.quantities, use),
        outputs=_mapped(dae.outputs, use),
        fixed_velocities=_mapped(dae.fixed_velocities, use),
        states=tuple(replace(s, derivative=use(s.derivative)) for s in dae.states),
        network_blocks=_blocks(dae, use),
        fixed_states=_mapped(dae.fixed_states, use),
        modes=tuple(replace(mode, relation=use(mode.relation)) for mode in dae.modes),
    )


def _mapped(values: Mapping[_K, Expr], use: Substitution) -> dict[_K, Expr]:
    return {key: use(value) for key, value in values.items()}


def _without(values: Mapping[str, Expr], names: Collection[str]) -> dict[str, Expr]:
    return {name: value for name, value in values.items() if name not in names}


def _blocks(dae: Dae, use: Substitution) -> tuple[IteratedBlock, ...]:
    """The blocks of networks with all that is solved put in."""
    return tuple(
        replace(block, equations=tuple(replace(e, residual=use(e.residual)) for e in block.equations))
        for block in dae.network_blocks
    )
