"""The nodal formulation of networks (McPhee, 2.5), for comparison: it needs no tree and has more equations.

    A tau = 0                vertex equations, one a node (4)
    alpha = A^T alpha_n      nodal transformation, one an edge (14)
    terminal equations       one an edge

with the reduced incidence matrix A: 2e + b equations for as many across, through and nodal variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.expr.dag import Dag, Expr
from fmugen.ir.dae import Equation, Network, NetworkOrigin, NetworkVariable
from fmugen.ir.graph import LinearGraph, NetworkGraph

__all__ = ["nodal_equations"]


def nodal_equations(graph: LinearGraph) -> Network:
    """Variables and equations of all networks in nodal form."""
    dag = graph.symbols.dag
    variables: list[NetworkVariable] = []
    equations: list[Equation] = []
    for network in graph.networks:
        variables += _variables(network)
        equations += _vertices(dag, network)
        equations += _transformation(dag, network)
    origins = {edge.component: network.domain for network in graph.networks for edge in network.edges}
    for terminal in graph.terminals:
        origin = NetworkOrigin("law of", origins[terminal.component], terminal.component)
        equations.append(Equation(origin, terminal.residual))
    return Network(tuple(variables), tuple(equations))


def _variables(network: NetworkGraph) -> Iterator[NetworkVariable]:
    for edge in network.edges:
        for symbols in (edge.across, edge.through):
            yield NetworkVariable(symbols[0].name, symbols[0], symbols[1:])
    for symbols in network.potentials.values():
        yield NetworkVariable(symbols[0].name, symbols[0], symbols[1:])


def _vertices(dag: Dag, network: NetworkGraph) -> Iterator[Equation]:
    """The sum of what leaves each node but the datum, the first."""
    for node in network.nodes[1:]:
        leaving: list[Expr] = [edge.through[0] for edge in network.edges if edge.tail == node]
        arriving: list[Expr] = [-edge.through[0] for edge in network.edges if edge.head == node]
        yield Equation(NetworkOrigin("vertex", network.domain, node), dag.add([*leaving, *arriving]))


def _transformation(dag: Dag, network: NetworkGraph) -> Iterator[Equation]:
    """Across variables as differences of nodal ones: drops, or in mechanics the head's less the tail's."""
    sense = -1 if network.domain.is_mechanical else 1
    for edge in network.edges:
        ends = ((edge.tail, -sense), (edge.head, sense))
        terms = [sign * network.potentials[node][0] for node, sign in ends if node in network.potentials]
        origin = NetworkOrigin("nodal transformation", network.domain, edge.name)
        yield Equation(origin, dag.add([edge.across[0], *terms]))
