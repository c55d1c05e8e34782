"""How many coordinates an edge has as a branch (Léger, Table C.1), and Grübler's count (4.14).

Léger's graphs know no plane: a body is free in space, and a planar mechanism is one whose joints happen to
be parallel. His algorithms are therefore given the numbers of space for bodies, loads and springs even in
planar models, where only a virtual joint offers the coordinates of a plane.
"""

from __future__ import annotations

from fmugen.ir.graph import Displacement, DomainGraph, Edge, LinearGraph, Role

__all__ = ["ALWAYS_BRANCH", "ALWAYS_CHORD", "at_flexible_ends", "freedoms", "gruebler_freedoms", "is_joint"]

#: Their across variables are known functions (absolute branch heuristic, 3.1.1).
ALWAYS_BRANCH = frozenset({Role.ARM, Role.DRIVER})
#: Their through variables are known functions (absolute chord heuristic, 3.1.1).
ALWAYS_CHORD = frozenset({Role.FORCE})

_UNBOUND = ALWAYS_CHORD | {Role.BODY}
_SPATIAL_DIRECTIONS = 3


def is_joint(edge: Edge) -> bool:
    """Whether an edge is a joint, virtual ones included."""
    return edge.role not in _UNBOUND | ALWAYS_BRANCH


def at_flexible_ends(graphs: LinearGraph) -> frozenset[str]:
    """The edges at the end of a flexible arm, except the arm: those that keep it from being a leaf (4.1.5).

    Rigid arms are in the translational graph alone.
    """
    ends = {edge.head for edge in graphs.rotation.edges if edge.role is Role.ARM}
    edges = (edge for graph in (graphs.translation, graphs.rotation) for edge in graph.edges)
    return frozenset(
        edge.name for edge in edges if edge.role is not Role.ARM and ends & {edge.tail, edge.head}
    )


def freedoms(edge: Edge) -> int:
    """The number of across variables of an edge; Euler parameters count as the three rotations they are."""
    if edge.role in _UNBOUND:
        return _SPATIAL_DIRECTIONS
    return edge.freedoms


def gruebler_freedoms(graphs: LinearGraph) -> int:
    """Degrees of freedom in space by Grübler's formula, zero where it gives less (4.2.4)."""
    # The ends of flexible arms have frames of their own, but move with their bodies.
    frames = sum(edge.role is Role.ARM for edge in graphs.rotation.edges)
    bodies = len(graphs.rotation.nodes) - 1 - frames
    count = 2 * _SPATIAL_DIRECTIONS * bodies - len(graphs.constraints)
    for graph in (graphs.translation, graphs.rotation):
        count -= sum(_reactions(graph, edge) for edge in graph.edges)
    return max(count, 0)


def _reactions(graph: DomainGraph, edge: Edge) -> int:
    """The directions in which an edge reacts; those of a joint as it would have them in space."""
    if not is_joint(edge) or (isinstance(edge.across, Displacement) and edge.across.distance is not None):
        return edge.reactions
    return 0 if edge.role is Role.VIRTUAL else _SPATIAL_DIRECTIONS - freedoms(edge)
