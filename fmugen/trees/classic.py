"""The classic choices of coordinates: absolute, joint, and McPhee's preferred order.

Rigid arms are always in the translational tree (McPhee, 4.4); the rest is a ranking of edges by their
freedoms and Kruskal's algorithm, ties broken by declared order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from fmugen.ir.graph import Domain, DomainGraph, Edge, LinearGraph, Role
from fmugen.ir.model import NamedTrees
from fmugen.ir.tree import TreeSelection
from fmugen.trees.selection import make_selection
from fmugen.trees.topology import greedy_branches

__all__ = ["CLASSIC_METHODS", "classic_trees", "named_trees"]

#: McPhee's preferred order (4.4): what is known first, then the fewest unknown across variables.
_PREFERRED = {
    Role.ARM: 0,
    Role.DRIVER: 1,
    Role.JOINT: 2,
    Role.BODY: 2,
}

CLASSIC_METHODS = {
    "ac": "absolute coordinates",
    "jc": "joint coordinates",
    "aac": "absolute angular coordinates: McPhee's preferred order",
}


def classic_trees(graphs: LinearGraph, method: str) -> TreeSelection:
    """The trees of one of :data:`CLASSIC_METHODS`."""
    branches = {
        domain: greedy_branches(graphs.domain(domain), _ranked(graphs, domain, method)) for domain in Domain
    }
    return make_selection(graphs, method, branches, lambda *_: CLASSIC_METHODS[method])


def named_trees(graphs: LinearGraph, named: NamedTrees) -> TreeSelection:
    """Trees named by the user, completed by the arms, which flexible bodies have in both."""
    given = {Domain.TRANSLATION: named.translation, Domain.ROTATION: named.rotation}
    branches = {d: (*_with_role(graphs.domain(d), Role.ARM), *rest) for d, rest in given.items()}
    return make_selection(graphs, named.name, branches, lambda *_: f"named in trees.{named.name}")


def _ranked(graphs: LinearGraph, domain: Domain, method: str) -> list[str]:
    """The edges that a method takes as branches, the most preferred first."""
    graph = graphs.domain(domain)
    arms, bodies = _with_role(graph, Role.ARM), _with_role(graph, Role.BODY)
    if method == "ac":  # every body is a branch of both trees
        return [*arms, *bodies]
    if method == "jc":  # the same joints in both trees, and bodies where no joint reaches
        return [*arms, *_joints(graphs), *bodies]
    return _preferred(graphs, graph)


def _preferred(graphs: LinearGraph, graph: DomainGraph) -> list[str]:
    """Edges by what they are and by their freedoms; bodies span what is left.

    Of edges with equal freedoms a body comes first, then those with fewer freedoms in both graphs, then
    those with fewer coordinates.
    """
    both = _counted(graphs, lambda edge: edge.freedoms)

    def key(edge: Edge) -> tuple[int, ...]:
        ranked = edge.role in (Role.JOINT, Role.BODY)
        freedoms, in_both = (edge.freedoms, both[edge.name]) if ranked else (0, 0)
        return (
            _PREFERRED[edge.role],
            freedoms,
            edge.role is not Role.BODY,
            in_both,
            len(edge.motion),
        )

    return [edge.name for edge in sorted((e for e in graph.edges if e.role in _PREFERRED), key=key)]


def _joints(graphs: LinearGraph) -> list[str]:
    """Joints by their number of coordinates, so that loops are cut where most is free."""
    coordinates = _counted(graphs, lambda edge: len(edge.motion))
    joints = [e.name for e in graphs.translation.edges if e.role is Role.JOINT and e.branchable]
    return sorted(joints, key=coordinates.__getitem__)


def _counted(graphs: LinearGraph, count: Callable[[Edge], int]) -> dict[str, int]:
    """A number of every element, summed over its edges in both graphs."""
    found: Counter[str] = Counter()
    for edge in (*graphs.translation.edges, *graphs.rotation.edges):
        found[edge.name] += count(edge)
    return found


def _with_role(graph: DomainGraph, role: Role) -> list[str]:
    """Edges with a role, fewest branch coordinates first."""
    return [e.name for e in sorted((e for e in graph.edges if e.role is role), key=lambda e: len(e.motion))]
