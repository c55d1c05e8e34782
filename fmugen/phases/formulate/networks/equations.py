"""The branch-chord equations of networks (McPhee, 2.3 to 2.5).

Circuit equations give the across variables of chords from those of branches, cutset equations the through
variables of branches from those of chords. A long circuit goes over the potentials of nodes instead, and a
long cutset over the vertex of the branch: partial sums that are shared keep a long line of elements
linear in its length. Where elements store energy or are coupled, circuits and cutsets are kept whole: only
these show which of them depend on each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from fmugen.expr.dag import Dag, Expr
from fmugen.ir.dae import Equation, Network, NetworkOrigin, NetworkVariable
from fmugen.ir.graph import LinearGraph, NetworkEdge, NetworkGraph, Rank
from fmugen.ir.tree import SpanningTree, TreeSelection
from fmugen.phases.formulate.networks.sentences import require_drivers_apart

__all__ = ["network_equations"]

#: Circuits and cutsets of more edges than this go over partial sums.
_LONG = 6
_WHOLE_CIRCUITS = (Rank.ACROSS_DRIVER, Rank.CAPACITIVE, Rank.COUPLED_ACROSS, Rank.COUPLED_THROUGH)
_WHOLE_CUTSETS = (Rank.INDUCTIVE, Rank.COUPLED_ACROSS, Rank.COUPLED_THROUGH, Rank.THROUGH_DRIVER)

#: How much is said for a variable as a state; more for what has a fixed start value.
_BRANCH_STORES, _CHORD_STORES, _PLAIN, _AUXILIARY = 4, 3, 2, 1


def network_equations(graph: LinearGraph, trees: TreeSelection) -> Network:
    """Variables and equations of all networks; equations of borrowed quantities are not among them."""
    variables: list[NetworkVariable] = []
    equations: list[Equation] = []
    for network, tree in zip(graph.networks, trees.networks, strict=True):
        require_drivers_apart(network, tree)
        variables += _variables(network, tree)
        equations += _BranchChord(graph.symbols.dag, network, tree).equations()
    origins = {edge.component: network.domain for network in graph.networks for edge in network.edges}
    for terminal in graph.terminals:
        origin = NetworkOrigin("law of", origins[terminal.component], terminal.component)
        equations.append(Equation(origin, terminal.residual))
    return Network(tuple(variables), tuple(equations))


def _variables(network: NetworkGraph, tree: SpanningTree) -> Iterator[NetworkVariable]:
    branches = set(tree.branches)
    across = tuple(unit for _, _, unit in network.domain.across)
    through = (network.domain.through[2],)
    for edge in network.edges:
        stores_across = edge.rank is Rank.CAPACITIVE and edge.name in branches
        stores_through = edge.rank is Rank.INDUCTIVE and edge.name not in branches
        rank = _BRANCH_STORES if stores_across else _PLAIN
        yield _variable(edge.across, across, rank)
        yield _variable(edge.through, through, _CHORD_STORES if stores_through else _PLAIN)
    for symbols in network.potentials.values():
        yield _variable(symbols, across, _AUXILIARY)


def _variable(symbols: tuple[Expr, ...], units: tuple[str, ...], preference: int) -> NetworkVariable:
    return NetworkVariable(symbols[0].name, symbols[0], symbols[1:], units, preference)


class _BranchChord:
    def __init__(self, dag: Dag, network: NetworkGraph, tree: SpanningTree) -> None:
        self._dag, self._network, self._tree = dag, network, tree
        self._edges = {edge.name: edge for edge in network.edges}
        self._at: dict[str, list[tuple[NetworkEdge, int]]] = defaultdict(list)
        for edge in network.edges:
            self._at[edge.tail].append((edge, 1))
            self._at[edge.head].append((edge, -1))

    def equations(self) -> Iterator[Equation]:
        yield from (self._circuit(chord) for chord in self._tree.chords)
        yield from (self._cutset(step.branch, step.node) for step in self._tree.steps)
        yield from self._potentials()

    def _circuit(self, chord: str) -> Equation:
        edge, circuit = self._edges[chord], self._tree.circuits[chord]
        if len(circuit) <= _LONG or edge.rank in _WHOLE_CIRCUITS:
            terms = [sign * self._edges[branch].across[0] for branch, sign in circuit]
        else:
            sign = self._sense
            terms = [-sign * self._potential(edge.head), sign * self._potential(edge.tail)]
        return self._equation("circuit", chord, [edge.across[0], *terms])

    def _cutset(self, branch: str, node: str) -> Equation:
        edge, cutset = self._edges[branch], self._tree.cutsets[branch]
        if len(cutset) <= _LONG or edge.rank in _WHOLE_CUTSETS:
            terms = [sign * self._edges[chord].through[0] for chord, sign in cutset]
            return self._equation("cutset", branch, [edge.through[0], *terms])
        at_node = self._at[node]
        own = next(sign for other, sign in at_node if other is edge)
        return self._equation("cutset", branch, [own * sign * other.through[0] for other, sign in at_node])

    def _potentials(self) -> Iterator[Equation]:
        """The potential of each node is that of its parent in the tree and what the branch adds."""
        for step in self._tree.steps:
            sign = self._sense if step.forward else -self._sense
            across = sign * self._edges[step.branch].across[0]
            terms = [self._potential(step.node), -self._potential(step.parent), -across]
            yield self._equation("path to", step.node, terms)

    @property
    def _sense(self) -> int:
        """+1 where across variables are those of the head less those of the tail, else -1."""
        return 1 if self._network.domain.is_mechanical else -1

    def _potential(self, node: str) -> Expr:
        symbols = self._network.potentials.get(node)
        return symbols[0] if symbols else self._dag.zero

    def _equation(self, kind: str, edge: str, terms: list[Expr]) -> Equation:
        return Equation(NetworkOrigin(kind, self._network.domain, edge), self._dag.add(terms))
