"""The trees of a method, by its name."""

from __future__ import annotations

from dataclasses import replace

from fmugen.errors import TreeError
from fmugen.ir.graph import Domain, LinearGraph, Role
from fmugen.ir.model import NamedTrees, SystemModel
from fmugen.ir.options import CHEAPEST, THOROUGH
from fmugen.ir.tree import TreeSelection
from fmugen.trees.classic import CLASSIC_METHODS, classic_trees, named_trees
from fmugen.trees.formulation import formulation_based_trees
from fmugen.trees.growth import GrownTree
from fmugen.trees.selection import make_selection
from fmugen.trees.topology import require_edges
from fmugen.trees.variable import Factors, variable_based_trees

__all__ = ["CHEAPEST", "METHODS", "select_trees", "tied_trees"]

_VARIABLE, _FORMULATION = "variable", "formulation"

METHODS = {
    **CLASSIC_METHODS,
    _VARIABLE: "as few coordinates as possible, near the ground (Léger, chapter 3)",
    _FORMULATION: "few body torques and forces in the equations (Léger, chapter 4)",
}


#: Ties of symmetric mechanisms are many and alike.
_TIES = 16


def select_trees(model: SystemModel, graph: LinearGraph, method: str) -> TreeSelection:
    """The trees of ``method``: one of :data:`METHODS`, or the name of trees in the model file."""
    return tied_trees(model, graph, method)[0]


def tied_trees(
    model: SystemModel, graph: LinearGraph, method: str, limit: int = _TIES
) -> tuple[TreeSelection, ...]:
    """All trees between which ``method`` does not decide, at most ``limit``; its first choice first."""
    named = {trees.name: trees for trees in model.trees}
    if method in named:
        trees = named[method]
        return (completed_trees(graph, trees) if trees.complete else named_trees(graph, trees),)
    if method in CLASSIC_METHODS:
        return (classic_trees(graph, method),)
    if method == _VARIABLE:
        pairs = variable_based_trees(graph, limit)
        return tuple(_variable_based(graph, number, pair) for number, pair in enumerate(pairs))
    if method == _FORMULATION:
        grown = formulation_based_trees(graph, limit)
        return tuple(_formulation_based(graph, number, pair) for number, pair in enumerate(grown))
    choices = ", ".join([CHEAPEST, THOROUGH, *METHODS, *named])
    raise TreeError(f"there are no trees {method!r}; the model offers {choices}")


def completed_trees(graph: LinearGraph, named: NamedTrees) -> TreeSelection:
    """Edges that the user requires, with what the formulation-based algorithm adds (Léger, 4.2.5)."""
    required = {Domain.TRANSLATION: named.translation, Domain.ROTATION: named.rotation}
    for domain, edges in required.items():
        require_edges(graph.domain(domain), edges)
    grown = formulation_based_trees(graph, 1, required)[0]
    branches = {domain: tree.branches for domain, tree in grown.items()}

    def why(domain: Domain, branch: str) -> str:
        return f"named in trees.{named.name}" if branch in required[domain] else "added to complete the tree"

    notes = []
    for domain in Domain:
        known = {edge.name for edge in graph.domain(domain).edges if edge.role is Role.ARM}
        added = [branch for branch in branches[domain] if branch not in {*required[domain], *known}]
        left = [edge for edge in required[domain] if edge not in branches[domain]]
        tree = f"the {domain.value} tree of trees.{named.name}"
        notes += [f"added to {tree}: {', '.join(added)}"] if added else []
        closes = "each closes a loop with other branches"
        notes += [f"left out of {tree}: {', '.join(left)}; {closes}"] if left else []
    return replace(make_selection(graph, named.name, branches, why), notes=tuple(notes))


def _variable_based(
    graph: LinearGraph, number: int, pair: dict[Domain, tuple[GrownTree, dict[str, Factors]]]
) -> TreeSelection:
    branches = {domain: tree.branches for domain, (tree, _) in pair.items()}
    name = _numbered(_VARIABLE, number)
    return make_selection(graph, name, branches, lambda domain, branch: str(pair[domain][1][branch]))


def _formulation_based(graph: LinearGraph, number: int, pair: dict[Domain, GrownTree]) -> TreeSelection:
    def why(domain: Domain, branch: str) -> str:
        # The last digit of the weight is the similarity of the trees.
        weight, unlike = divmod(pair[domain].weights[branch], 10)
        return f"weight {weight} when it was taken" + ("" if unlike else ", in the other tree too")

    branches = {domain: tree.branches for domain, tree in pair.items()}
    return make_selection(graph, _numbered(_FORMULATION, number), branches, why)


def _numbered(method: str, number: int) -> str:
    return method if number == 0 else f"{method}-{number + 1}"
