"""Structural analysis: index reduction, choice of states, order of solution.

Equations and variables form a bipartite graph. Pantelides' algorithm finds the equations that constrain
variables whose derivatives occur, and differentiates them: capacitor loops, inductor cutsets and rigidly
coupled inertias lose their excess states that way. Of what then may be integrated, a greedy matching
leaves the variables with the highest preference as states; all others are matched to equations, which are put
in order by Tarjan's algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fmugen.errors import NetworkError
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.ir.dae import Equation, NetworkOrigin, NetworkVariable

__all__ = ["Incidence", "Ordered", "order_equations"]

#: Equations that must be differentiated more often than this contradict one another.
_MOST_DERIVATIVES = 6
Differentiate = Callable[[Equation, dict[Expr, Expr]], Equation]


@dataclass(frozen=True)
class Ordered:
    """States, each with the symbol of its derivative, and blocks of equations with their unknowns."""

    states: tuple[tuple[Expr, Expr], ...]
    blocks: tuple[tuple[tuple[Equation, ...], tuple[Expr, ...]], ...]


def order_equations(
    variables: Sequence[NetworkVariable],
    equations: Sequence[Equation],
    differentiate: Differentiate,
    start_preference: Mapping[Expr, int],
) -> Ordered:
    """Reduce the index, choose states, and order what remains.

    ``start_preference`` adds to the preference of single symbols as states; derivatives of the same variable
    get half of it.
    """
    incidence = Incidence(variables, equations, differentiate, start_preference)
    incidence.reduce_index()
    matched, states = incidence.choose_states()
    return Ordered(
        tuple((incidence.symbols[state], incidence.symbols[incidence.rate[state]]) for state in states),
        tuple(incidence.blocks(matched, set(states))),
    )


class Incidence:
    """Equations and variables by number, with their incidence."""

    def __init__(
        self,
        variables: Sequence[NetworkVariable],
        equations: Sequence[Equation],
        differentiate: Differentiate,
        start_preference: Mapping[Expr, int],
    ) -> None:
        self._start_preference = start_preference
        self._differentiate = differentiate
        self.symbols: list[Expr] = []
        self.preference: list[int] = []
        self.number: dict[Expr, int] = {}
        self.rate: dict[int, int] = {}
        self.equations: list[Equation] = []
        self.incidence: list[list[int]] = []
        self._derivative_of: dict[int, int] = {}
        self._times: dict[int, int] = {}
        used = {symbol for each in equations for symbol in symbols_of((each.residual,))}
        for variable in variables:
            self._enter(variable, used)
        for equation in equations:
            self._add(equation)

    def _enter(self, variable: NetworkVariable, used: set[Expr]) -> None:
        """Number a variable and its derivatives, up to the highest that any equation uses."""
        chain = (variable.symbol, *variable.derivatives)
        orders = [order for order, symbol in enumerate(chain) if symbol in used]
        kin = max(self._start_preference.get(symbol, 0) for symbol in chain) // 2
        for order in range(max(orders, default=-1) + 1):
            self.number[chain[order]] = len(self.symbols)
            if order:
                self.rate[len(self.symbols) - 1] = len(self.symbols)
            self.symbols.append(chain[order])
            said = self._start_preference.get(chain[order], kin)
            self.preference.append(variable.preference + said)

    def _add(self, equation: Equation) -> int:
        numbers = [self.number[s] for s in symbols_of((equation.residual,)) if s in self.number]
        self.equations.append(equation)
        self.incidence.append(sorted(numbers))
        return len(self.equations) - 1

    # --- index reduction (Pantelides) --------------------------------------------------------------

    def reduce_index(self) -> None:
        """Differentiate equations until every one of the highest derivatives can be given an equation."""
        assigned: dict[int, int] = {}
        for start in range(len(self.equations)):
            equation = start
            while True:
                path, met, tried = self._augmenting_path(equation, assigned)
                if path is not None:
                    for number, variable in path:
                        assigned[variable] = number
                    break
                equation = self._raise(equation, tried, met, assigned)

    def _raise(self, equation: int, tried: list[int], met: set[int], assigned: dict[int, int]) -> int:
        """Differentiate the equations of a failed search.

        Each derivative inherits the assignment of its original.
        """
        if not self.incidence[equation]:
            raise NetworkError(_overdetermined(self.equations[equation].origin))
        for variable in sorted(met):
            if variable not in self.rate:
                self._new_rate(variable)
        for number in tried:
            self._derive(number)
        for variable in sorted(met):
            assigned[self.rate[variable]] = self._derivative_of[assigned[variable]]
        return self._derivative_of[equation]

    def _new_rate(self, variable: int) -> None:
        symbol = self.symbols[variable]
        rate = symbol.dag.symbol(f"der({symbol.name})", SymbolRole.NETWORK)
        self.rate[variable] = self.number[rate] = len(self.symbols)
        self.symbols.append(rate)
        self.preference.append(self.preference[variable])

    def _derive(self, number: int) -> None:
        for variable in self.incidence[number]:
            if variable not in self.rate:
                self._new_rate(variable)
        seeds = {self.symbols[v]: self.symbols[self.rate[v]] for v in self.incidence[number]}
        times = self._times.get(number, 0) + 1
        if times > _MOST_DERIVATIVES:
            raise NetworkError(_overdetermined(self.equations[number].origin))
        self._times[len(self.equations)] = times
        self._derivative_of[number] = self._add(self._differentiate(self.equations[number], seeds))

    def _augmenting_path(
        self, start: int, assigned: dict[int, int]
    ) -> tuple[list[tuple[int, int]] | None, set[int], list[int]]:
        """A path to a highest derivative without equation.

        If there is none: the variables and equations that were visited.
        """
        met: set[int] = set()
        tried = [start]
        path: list[tuple[int, int]] = []
        stack: list[tuple[int, Iterator[int]]] = [(start, iter(self._highest(start)))]
        while stack:
            equation, ahead = stack[-1]
            free = next((v for v in self._highest(equation) if v not in assigned), None)
            if free is not None:
                return [*path, (equation, free)], met, tried
            variable = next((v for v in ahead if v not in met), None)
            if variable is None:
                stack.pop()
                if path:
                    path.pop()
                continue
            met.add(variable)
            following = assigned[variable]
            path.append((equation, variable))
            tried.append(following)
            stack.append((following, iter(self._highest(following))))
        return None, met, tried

    def _highest(self, equation: int) -> list[int]:
        return [variable for variable in self.incidence[equation] if variable not in self.rate]

    # --- states ------------------------------------------------------------------------------------

    def choose_states(self) -> tuple[dict[int, int], list[int]]:
        """An equation for every variable but the states, which are those with the highest preference."""
        rows: list[list[int]] = [[] for _ in self.symbols]
        for number, variables in enumerate(self.incidence):
            for variable in variables:
                rows[variable].append(number)
        order = sorted(range(len(self.symbols)), key=lambda v: (v in self.rate, self.preference[v], -v))
        taken: dict[int, int] = {}  # equation -> variable
        states = []
        for variable in order:
            if not _give_equation(variable, rows, taken):
                if variable not in self.rate:
                    raise NetworkError(_undetermined(self.symbols[variable].name))
                states.append(variable)
        if len(taken) < len(self.equations):
            surplus = next(number for number in range(len(self.equations)) if number not in taken)
            raise NetworkError(_overdetermined(self.equations[surplus].origin))
        return {variable: equation for equation, variable in taken.items()}, sorted(states)

    # --- order -------------------------------------------------------------------------------------

    def blocks(
        self, matched: dict[int, int], states: set[int]
    ) -> Iterator[tuple[tuple[Equation, ...], tuple[Expr, ...]]]:
        """Strongly connected equations with their unknowns, what is needed first coming first."""
        variable_of = {equation: variable for variable, equation in matched.items()}
        import networkx as nx

        needs: nx.DiGraph[int] = nx.DiGraph()
        needs.add_nodes_from(range(len(self.equations)))
        for number, variables in enumerate(self.incidence):
            needs.add_edges_from((number, matched[v]) for v in variables if v not in states)
        for component in nx.strongly_connected_components(needs):
            numbers = sorted(component)
            yield (
                tuple(self.equations[number] for number in numbers),
                tuple(self.symbols[variable_of[number]] for number in numbers),
            )


def _give_equation(start: int, rows: list[list[int]], taken: dict[int, int]) -> bool:
    """Match a variable to an equation, changing other matches if needed; false if there is none for it."""
    seen: set[int] = set()
    path: list[tuple[int, int]] = []
    stack = [(start, iter(rows[start]))]
    while stack:
        variable, ahead = stack[-1]
        free = next((row for row in rows[variable] if row not in taken), None)
        if free is not None:
            for mover, row in [*path, (variable, free)]:
                taken[row] = mover
            return True
        following = next((row for row in ahead if row not in seen), None)
        if following is None:
            stack.pop()
            if path:
                path.pop()
            continue
        seen.add(following)
        path.append((variable, following))
        stack.append((taken[following], iter(rows[taken[following]])))
    return False


def _overdetermined(origin: NetworkOrigin) -> str:
    return (
        f"the network has more equations than unknowns: the {origin} repeats or contradicts the others; look "
        "for sources that prescribe the same variable, and for ideal elements in parallel or in series"
    )


def _undetermined(name: str) -> str:
    return (
        f"the network does not determine {name}: an element that gives it a value is missing, or an ideal "
        "element leaves it open"
    )
