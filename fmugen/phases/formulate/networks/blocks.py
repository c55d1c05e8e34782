"""Blocks of equations -> values of their unknowns: linear ones written out, the rest iterated.

Unknowns that a block contains only linearly are eliminated from all of its equations. What is left are
equations in the others; those of them that are linear as a whole, such as cutsets of pipes, give one
unknown each by substitution. The rest are the unknowns of a Newton block (tearing).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fmugen.errors import NetworkError
from fmugen.expr.calculus import Tangent, symbols_of
from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.expr.substitute import Substitution, substitute
from fmugen.ir.dae import Equation, IteratedBlock, Unknown
from fmugen.phases.formulate.networks.elimination import Row, eliminate

__all__ = ["BlockSolver"]

#: A pivot is taken for zero where it is this much smaller than the coefficients it came from.
_ZERO = 1e-14


class BlockSolver:
    """Solves blocks in order.

    ``values`` maps each variable to its expression in known symbols. ``iterated`` and ``blocks`` are the
    Newton blocks that were needed; ``guesses`` are their initial values.
    """

    def __init__(
        self,
        dag: Dag,
        sample: Callable[[Expr], float],
        units: Mapping[Expr, str],
        guesses: Mapping[Expr, float],
    ) -> None:
        self._dag, self._sample, self._units, self._guesses = dag, sample, units, guesses
        self.values: dict[Expr, Expr] = {}
        self.iterated: list[Unknown] = []
        self.blocks: list[IteratedBlock] = []

    def solve(self, equations: Sequence[Equation], unknowns: Sequence[Expr]) -> None:
        """Find the values of ``unknowns`` from as many equations."""
        # Equations are small in their own variables; substituting the values of known ones would make them
        # deep.
        nonlinear, partials = self._partials([equation.residual for equation in equations], unknowns)
        linear = [unknown for unknown in unknowns if unknown not in nonlinear]
        solved, left = eliminate(self._rows(equations, linear, partials), self._sample)
        if len(solved) < len(linear):
            self._refuse(equations, unknowns)
        torn = [unknown for unknown in unknowns if unknown in nonlinear]
        found = self._tear(torn, [(equations[row.label], row.rest) for row in left])
        for step in reversed(solved):
            value = step.value(found)
            found[step.unknown] = value
        if torn:
            iterated = Substitution({unknown: found[unknown] for unknown in torn})
            found = {unknown: iterated(value) for unknown, value in found.items()}
        self.values |= found

    def _rows(
        self, equations: Sequence[Equation], linear: Sequence[Expr], partials: Sequence[Mapping[Expr, Expr]]
    ) -> list[Row]:
        """The equations as coefficients of the unknowns that all of them are linear in, and the rest."""
        absent = dict.fromkeys(linear, self._dag.zero)
        rows = []
        for number, equation in enumerate(equations):
            given = Substitution(self.values)
            entries = {u: given(c) for u, c in partials[number].items() if u in absent}
            rest = given(substitute(equation.residual, absent))
            rows.append(Row({u: c for u, c in entries.items() if not c.is_zero}, rest, number))
        return rows

    def _partials(
        self, residuals: Sequence[Expr], unknowns: Sequence[Expr]
    ) -> tuple[set[Expr], list[dict[Expr, Expr]]]:
        """The unknowns that occur nonlinearly anywhere, and the partial derivatives of each residual."""
        inside = set(unknowns)
        nonlinear: set[Expr] = set()
        partials = []
        for residual in residuals:
            entries = {}
            for unknown in symbols_of((residual,)):
                if unknown not in inside:
                    continue
                entry = Tangent(self._dag, {unknown: self._dag.one})(residual)
                if not entry.is_zero:
                    entries[unknown] = entry
                factors = [symbol for symbol in symbols_of((entry,)) if symbol in inside]
                if factors:
                    nonlinear.update([unknown, *factors])
            partials.append(entries)
        return nonlinear, partials

    def _refuse(self, equations: Sequence[Equation], unknowns: Sequence[Expr]) -> None:
        names = ", ".join(unknown.name for unknown in unknowns[:6])
        origins = ", ".join(dict.fromkeys(equation.origin.edge for equation in equations[:8]))
        raise NetworkError(
            f"the network does not determine {names}: the equations of {origins} are singular with the "
            "values of the model; look for resistances, masses or ratios that are zero and for ideal "
            "elements in parallel or in series"
        )

    # --- tearing -----------------------------------------------------------------------------------

    def _tear(self, torn: list[Expr], left: list[tuple[Equation, Expr]]) -> dict[Expr, Expr]:
        """Values of the nonlinear unknowns: some by linear equations among them, the others iterated."""
        found: dict[Expr, Expr] = {}
        open_ = list(torn)
        while (choice := self._linear_choice(open_, left)) is not None:
            place, unknown, pivot = choice
            _, residual = left.pop(place)
            value = -substitute(residual, {unknown: self._dag.zero}) / pivot
            replaced = Substitution({unknown: value})
            left = [(other, replaced(rest)) for other, rest in left]
            found = {name: replaced(known) for name, known in found.items()} | {unknown: value}
            open_.remove(unknown)
        if open_:
            symbols = self._iterate(open_, left)
            found = {name: substitute(value, symbols) for name, value in found.items()} | symbols
        return found

    def _linear_choice(
        self, unknowns: list[Expr], left: list[tuple[Equation, Expr]]
    ) -> tuple[int, Expr, Expr] | None:
        """An equation that is linear in all of the unknowns, one of them, and its coefficient."""
        for place, (_, residual) in enumerate(left):
            nonlinear, (partials,) = self._partials([residual], unknowns)
            if nonlinear or not partials:
                continue
            unknown = max(partials, key=lambda u: (abs(self._sample(partials[u])), -u.serial))
            if abs(self._sample(partials[unknown])) > _ZERO:
                return place, unknown, partials[unknown]
        return None

    def _iterate(self, unknowns: list[Expr], left: list[tuple[Equation, Expr]]) -> dict[Expr, Expr]:
        """Enter a Newton block; the symbols that stand for its unknowns."""
        symbols = {unknown: self._dag.symbol(unknown.name, SymbolRole.ITERATED) for unknown in unknowns}
        first = len(self.iterated)
        self.iterated += [
            Unknown(unknown.name, self._units.get(unknown, "1"), symbol, self._guesses.get(unknown, 0.0))
            for unknown, symbol in symbols.items()
        ]
        equations = tuple(Equation(each.origin, substitute(rest, symbols)) for each, rest in left)
        name = ", ".join(unknown.name for unknown in unknowns)
        self.blocks.append(IteratedBlock(name, tuple(range(first, len(self.iterated))), equations))
        return dict(symbols)
