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
from fmugen.phases.formulate.networks.matching import match

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
                attempt = match(equation, self._highest, assigned)
                if attempt.succeeded:
                    break
                equation = self._raise(equation, attempt.visited, attempt.partners_met, assigned)

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
            if not match(variable, rows.__getitem__, taken).succeeded:
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
