"""The classic choices of coordinates: absolute, joint, and McPhee's preferred order.

Rigid arms are always in the translational tree (McPhee, 4.4); the rest is a ranking of edge kinds
and Kruskal's algorithm, ties broken by declared order.
"""

from __future__ import annotations

from fmugen.ir.graph import Domain, DomainGraph, EdgeKind, LinearGraph
from fmugen.ir.model import NamedTrees
from fmugen.ir.tree import TreeSelection
from fmugen.trees.selection import make_selection
from fmugen.trees.topology import greedy_branches

__all__ = ["CLASSIC_METHODS", "classic_trees", "named_trees"]

_Ranking = tuple[EdgeKind, ...]

_LAST = (EdgeKind.VIRTUAL, EdgeKind.SPRING, EdgeKind.LOAD, EdgeKind.GRAVITY)

#: Absolute coordinates: every body is a branch of both trees.
_ABSOLUTE: dict[Domain, _Ranking] = {
    Domain.TRANSLATION: (EdgeKind.ARM, EdgeKind.BODY),
    Domain.ROTATION: (EdgeKind.BODY,),
}

#: Joint coordinates: joints, the same in both trees, those with the fewest freedoms first, so that loops
#: are cut where most is free; bodies where no joint reaches.
_JOINTS = (
    EdgeKind.WELD,
    EdgeKind.REVOLUTE,
    EdgeKind.PRISMATIC,
    EdgeKind.SCREW,
    EdgeKind.UNIVERSAL,
    EdgeKind.CYLINDRICAL,
    EdgeKind.SPHERICAL,
    EdgeKind.PLANAR,
    EdgeKind.TRANSLATIONAL,
    EdgeKind.FREE,
)

#: McPhee's preferred order (4.4): the elements with the fewest unknown across variables first.
_PREFERRED: dict[Domain, _Ranking] = {
    Domain.TRANSLATION: (
        EdgeKind.ARM,
        EdgeKind.MOTION_DRIVER,
        EdgeKind.WELD,
        EdgeKind.REVOLUTE,
        EdgeKind.UNIVERSAL,
        EdgeKind.SPHERICAL,
        EdgeKind.PRISMATIC,
        EdgeKind.CYLINDRICAL,
        EdgeKind.SCREW,
        EdgeKind.PLANAR,
        EdgeKind.BODY,
        EdgeKind.TRANSLATIONAL,
        EdgeKind.FREE,
        *_LAST,
    ),
    Domain.ROTATION: (
        EdgeKind.MOTION_DRIVER,
        EdgeKind.WELD,
        EdgeKind.PRISMATIC,
        EdgeKind.TRANSLATIONAL,
        EdgeKind.BODY,
        EdgeKind.REVOLUTE,
        *_LAST,
    ),
}

#: In space a body brings three or four coordinates of rotation, so that joints with fewer come first.
_PREFERRED_SPATIAL_ROTATION: _Ranking = (
    EdgeKind.MOTION_DRIVER,
    EdgeKind.WELD,
    EdgeKind.PRISMATIC,
    EdgeKind.TRANSLATIONAL,
    EdgeKind.REVOLUTE,
    EdgeKind.CYLINDRICAL,
    EdgeKind.SCREW,
    EdgeKind.PLANAR,
    EdgeKind.UNIVERSAL,
    EdgeKind.BODY,
    EdgeKind.SPHERICAL,
    EdgeKind.FREE,
)

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
    """Trees named by the user, completed by the arms."""
    arms = _of_kinds(graphs.translation, (EdgeKind.ARM,))
    branches = {Domain.TRANSLATION: (*arms, *named.translation), Domain.ROTATION: named.rotation}
    return make_selection(graphs, named.name, branches, lambda *_: f"named in trees.{named.name}")


def _ranked(graphs: LinearGraph, domain: Domain, method: str) -> list[str]:
    graph = graphs.domain(domain)
    if method == "ac":
        return _of_kinds(graph, _ABSOLUTE[domain])
    if method == "jc":
        return [*_of_kinds(graph, (EdgeKind.ARM,)), *_joints(graphs), *_of_kinds(graph, (EdgeKind.BODY,))]
    if domain is Domain.ROTATION and not graphs.planar:
        return _of_kinds(graph, _PREFERRED_SPATIAL_ROTATION)
    return _of_kinds(graph, _PREFERRED[domain])


def _joints(graphs: LinearGraph) -> list[str]:
    """Joints by their number of freedoms, then in declared order."""
    freedoms = {edge.name: len(edge.motion) for edge in graphs.translation.edges if edge.kind in _JOINTS}
    for edge in graphs.rotation.edges:
        if edge.name in freedoms:
            freedoms[edge.name] += len(edge.motion)
    return sorted(freedoms, key=freedoms.__getitem__)


def _of_kinds(graph: DomainGraph, kinds: _Ranking) -> list[str]:
    """Edges of the given kinds, kind by kind; within a kind, fewest branch coordinates first."""
    return [
        edge.name
        for kind in kinds
        for edge in sorted((e for e in graph.edges if e.kind is kind), key=lambda e: len(e.motion))
    ]
