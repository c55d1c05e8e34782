"""TreeSelection: a spanning tree per domain, and why each branch is in it."""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.ir.graph import Domain
from fmugen.ir.network import Discipline

__all__ = ["SpanningTree", "TreeSelection", "TreeStep"]


@dataclass(frozen=True)
class TreeStep:
    """A node hung below its parent by a branch; ``forward`` if the branch points away from the root."""

    node: str
    parent: str
    branch: str
    forward: bool


@dataclass(frozen=True)
class SpanningTree:
    """A rooted spanning tree of one graph.

    ``steps`` lists every node but the root, parents before children. ``cutsets[branch]`` and
    ``circuits[chord]`` are the fundamental cutsets and circuits, as (edge, sign) without the
    defining edge itself, whose sign is +1.
    """

    domain: Domain | Discipline
    root: str
    branches: tuple[str, ...]
    chords: tuple[str, ...]
    steps: tuple[TreeStep, ...]
    cutsets: dict[str, tuple[tuple[str, int], ...]]
    circuits: dict[str, tuple[tuple[str, int], ...]]


@dataclass(frozen=True)
class TreeSelection:
    """The trees of both domains and of the networks; ``reasons`` says why each branch was taken.

    ``notes`` say what was added to trees that the user named, and what could not be in them.
    """

    name: str
    translation: SpanningTree
    rotation: SpanningTree
    reasons: dict[tuple[Domain, str], str]
    networks: tuple[SpanningTree, ...] = ()
    notes: tuple[str, ...] = ()

    def domain(self, domain: Domain) -> SpanningTree:
        return self.translation if domain is Domain.TRANSLATION else self.rotation
