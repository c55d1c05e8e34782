"""Which form of the equations of a tree of bodies takes fewer operations: by body, or written out."""

from __future__ import annotations

from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure
from fmugen.ir.graph import Domain, LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.tree import TreeSelection
from fmugen.phases.formulate import formulate, has_loops
from fmugen.phases.graph import build_graph
from fmugen.trees.price import cost_of

__all__ = ["formulate_briefly"]

#: Recursions of trees with more coordinates always took fewer operations. Writing all out takes minutes.
_FEW_COORDINATES = 8


def formulate_briefly(model: SystemModel, graph: LinearGraph, trees: TreeSelection, closure: Closure) -> Dae:
    """The equations of motion in the form that takes fewer operations.

    Both are tried on graphs of their own: what one shares would change how the other is written.
    """
    coordinates = sum(
        len(graph.domain(domain).edge(name).motion)
        for domain in Domain
        for name in trees.domain(domain).branches
    )
    if coordinates > _FEW_COORDINATES or has_loops(graph, trees):
        return formulate(model, graph, trees)
    tried = formulate(model, build_graph(model), trees)
    if tried.tree is None:
        return formulate(model, graph, trees, by_body=False)
    written = formulate(model, build_graph(model), trees, by_body=False)
    by_body, flat = (cost_of(model, form, closure).operations for form in (tried, written))
    return formulate(model, graph, trees, by_body=by_body < flat)
