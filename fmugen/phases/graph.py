"""SystemModel -> LinearGraph: the translational and the rotational graph (McPhee, 4.1).

Nodes of the T-graph are the ground, mass centres and points; the R-graph has one node a body, all
points of a body being shrunk to it.
"""

from __future__ import annotations

from fmugen.components.multibody import Multibody
from fmugen.components.networks import Networks
from fmugen.expr.dag import Dag, SymbolRole
from fmugen.ir.formula import TIME
from fmugen.ir.graph import Domain, DomainGraph, LinearGraph, Symbols
from fmugen.ir.model import Space, SystemModel, start_parameter

__all__ = ["build_graph"]


def build_graph(model: SystemModel) -> LinearGraph:
    """Both linear graphs of ``model``, with terminal equations lowered to one expression DAG."""
    dag = Dag()
    names = [parameter.name for parameter in model.parameters]
    names += [start_parameter(start) for start in model.starts if start.adjustable]
    time = dag.symbol(TIME, SymbolRole.TIME)
    inputs = {variable.name: dag.symbol(variable.name, SymbolRole.INPUT) for variable in model.inputs}
    rates = {inputs[variable.name]: inputs[variable.rate] for variable in model.inputs if variable.rate}
    symbols = Symbols(
        dag,
        time,
        {name: dag.symbol(name, SymbolRole.PARAMETER) for name in names},
        inputs,
        {time: dag.one, **rates},
    )
    components = Multibody(model, symbols)
    networks = Networks(model, symbols)
    edges, body_of = tuple(components.edges()), components.frames

    def graph(domain: Domain, nodes: tuple[str, ...]) -> DomainGraph:
        return DomainGraph(domain, nodes, tuple(edge for edge in edges if edge.domain is domain))

    return LinearGraph(
        symbols,
        graph(Domain.TRANSLATION, tuple(body_of)),
        graph(Domain.ROTATION, tuple(dict.fromkeys(body_of.values()))),
        body_of,
        model.space is Space.PLANAR,
        tuple(components.constraints),
        networks.graphs,
        networks.terminals,
        networks.symbols_by_name | {state.name: state.symbol for state in components.states},
        networks.mechanism_quantities,
        components.states,
        tuple(components.works),
        components.modes,
    )
