"""SystemModel -> LinearGraph, TreeSelection: which edges are branches, and so which coordinates are used.

The one public function of the compiler is :func:`choose_trees`. ``classic`` ranks edges by their role,
``variable`` and ``formulation`` are Léger's algorithms, ``candidates`` proposes pairs of trees, ``search``
formulates and prices them by ``price``, ``virtual`` proposes virtual joints, ``store`` keeps results on disk.
"""

from __future__ import annotations

from fmugen.ir.flow import Closure
from fmugen.ir.graph import LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.options import THOROUGH
from fmugen.ir.tree import TreeSelection
from fmugen.phases.graph import build_graph
from fmugen.trees.candidates import neighbours, promising_trees
from fmugen.trees.forms import formulate_briefly
from fmugen.trees.methods import CHEAPEST, METHODS, select_trees, tied_trees
from fmugen.trees.search import SHORT_EFFORT, CandidateProgress, SearchEffort
from fmugen.trees.store import cheapest_trees
from fmugen.trees.virtual import require_reactions

__all__ = [
    "CHEAPEST",
    "METHODS",
    "choose_trees",
    "formulate_briefly",
    "neighbours",
    "promising_trees",
    "require_reactions",
    "select_trees",
    "tied_trees",
]

#: What is searched for trees that are called by these names.
_EFFORTS = {CHEAPEST: SHORT_EFFORT, THOROUGH: SearchEffort()}


def choose_trees(
    model: SystemModel, method: str, closure: Closure, progress: CandidateProgress | None = None
) -> tuple[SystemModel, LinearGraph, TreeSelection]:
    """The trees of a method, of the model file, or the cheapest, with the model and graph they are of.

    ``thorough`` are the cheapest trees of a longer search. They may use virtual joints that the search
    proposes. The returned model then has them.
    A model without bodies has one normal tree per network, so nothing is searched.
    """
    if method not in _EFFORTS or any(named.name == method for named in model.trees):
        graph = build_graph(model)
        return model, graph, select_trees(model, graph, method)
    if not model.bodies:
        graph = build_graph(model)
        return model, graph, select_trees(model, graph, next(iter(METHODS)))
    return cheapest_trees(model, build_graph(model), closure, _EFFORTS[method], progress)
