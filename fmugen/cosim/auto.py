"""SystemModel -> Partition: parts of a model, found in its linear graph.

Bodies that something else than a joint cut at a point ties together stay together. What is left is a graph
of clusters and of joints that can be cut. Candidates are a cluster and what remains without it (the platform
of a parallel robot and its legs), the two sides of a single joint, and two halves with few joints in between
(Kernighan and Lin). The best has the smallest largest part, each cut counting as half a body: parts run at
the same time, and wait for what they exchange.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import networkx as nx

from fmugen.components.base import named_bodies
from fmugen.components.joints import joints_of
from fmugen.cosim.partition import NETWORK
from fmugen.errors import ModelError, Problem
from fmugen.ir.graph import Role
from fmugen.ir.model import GROUND, Space, SystemModel
from fmugen.ir.quantity import FORCE_COMPONENTS
from fmugen.ir.split import Members, Partition

__all__ = ["find_partition"]

#: What a cut costs, in bodies of the largest part.
_CUT = 0.5
_SOURCE = "parts found automatically"


def find_partition(model: SystemModel) -> Partition:
    """Parts that are balanced in their bodies and meet in few joints.

    Raises
    ------
    ModelError
        If no joint can be cut, or the model has a network.
    """
    if model.components:
        raise ModelError(_SOURCE, (NETWORK,))
    clusters = _clusters(model)
    candidates = list(_candidates(clusters))
    if not candidates:
        message = f"{model.name} has no joint between bodies that can be cut at its point"
        raise ModelError(_SOURCE, (Problem("parts", message, "name the parts in a file"),))
    best = min(candidates, key=lambda parts: _score(clusters, parts))
    order = {body.name: number for number, body in enumerate(model.bodies)}
    bodies = [
        sorted((b for c in part for b in clusters.nodes[c]["bodies"]), key=order.__getitem__) for part in best
    ]
    hub, *others = bodies
    parts = [Members("hub", tuple(hub))]
    others.sort(key=lambda part: order[part[0]])
    parts += [Members(f"part_{number}", tuple(part)) for number, part in enumerate(others, start=1)]
    return Partition(tuple(parts), hub="hub", source=_SOURCE)


def _clusters(model: SystemModel) -> nx.Graph[int]:
    """Clusters of bodies that stay together, and how many joints each two have in common."""
    tied: nx.Graph[str] = nx.Graph()
    tied.add_nodes_from(body.name for body in model.bodies)
    for group in _ties(model):
        tied.add_edges_from(combinations(sorted(group), 2))
    graph: nx.Graph[int] = nx.Graph()
    cluster: dict[str, int] = {}
    for number, found in enumerate(sorted(map(sorted, nx.connected_components(tied)))):
        graph.add_node(number, bodies=tuple(found))
        cluster |= dict.fromkeys(found, number)
    for element, joint in joints_of(model):
        ends = [cluster[place.body] for place in element.places if place.body != GROUND]
        if len(set(ends)) == 2 and joint.role is Role.JOINT:
            one, other = ends
            known = graph.edges[one, other]["weight"] if graph.has_edge(one, other) else 0
            graph.add_edge(one, other, weight=known + 1)
    return graph


def _ties(model: SystemModel) -> Iterator[set[str]]:
    """Bodies that must be in one part: whatever is between them cannot be cut."""
    planar = model.space is Space.PLANAR
    bodies = {body.name for body in model.in_section("bodies")}
    ends = {
        each.name: {place.body for place in each.places} - {GROUND}
        for each in model.elements
        if each.name not in bodies
    }
    for element, joint in joints_of(model):
        if joint.role is Role.JOINT and not joint.is_pivot(planar=planar):
            yield ends[element.name]

    def used(names: Iterable[str]) -> set[str]:
        found: set[str] = set()
        for name in names:
            owner, _, kind = name.rpartition(".")
            while owner and owner not in bodies and owner not in ends:
                owner = owner.rpartition(".")[0]
            reaction = kind in FORCE_COMPONENTS
            found |= {owner} if owner in bodies else set() if reaction else ends.get(owner, set())
        return found

    for element in model.in_section("drivers", "forces", "springs"):
        yield ends[element.name] | used(element.names()) | set(named_bodies(element))
    for output in model.outputs:
        yield used(output.value.names())


def _candidates(graph: nx.Graph[int]) -> Iterator[list[set[int]]]:
    """Partitions of the clusters; the first part of each is the hub."""
    for node in graph:
        without = graph.copy()
        without.remove_node(node)
        rest = list(nx.connected_components(without))
        if len(rest) > 1 and graph.degree(node) > 0:
            yield [{node}, *rest]
    for one, other in graph.edges:
        cut = graph.copy()
        cut.remove_edge(one, other)
        if not nx.has_path(cut, one, other):
            sides = (nx.node_connected_component(cut, end) for end in (one, other))
            yield sorted(sides, key=len, reverse=True)
    if len(graph) > 1:
        yield list(nx.algorithms.community.kernighan_lin_bisection(graph, seed=0))


def _score(graph: nx.Graph[int], parts: list[set[int]]) -> tuple[float, int]:
    largest = max(sum(len(graph.nodes[c]["bodies"]) for c in part) for part in parts)
    owner = {cluster: number for number, part in enumerate(parts) for cluster in part}
    cuts = sum(data["weight"] for a, b, data in graph.edges(data=True) if owner.get(a) != owner.get(b))
    return largest + _CUT * cuts, len(parts)
