"""LinearGraph: nodes and directed edges, one graph for translation and one for rotation.

An edge carries its terminal equations as data (McPhee, Table 4; Léger, appendix B). Relative to the
axes of its ``frame`` (a body, or the ground), the across variable of an edge is

    displacement  =  given(t)  +  sum of coordinate * axis   over its motion space,

its reaction space is spanned by ``reaction``, and its through variable, positive on the head, is what
``through`` says. Components build edges; the formulation knows only edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fmugen.expr.dag import Dag, Expr
from fmugen.expr.vectors import Vector3
from fmugen.ir.formula import Formula

__all__ = [
    "Domain",
    "DomainGraph",
    "Edge",
    "EdgeKind",
    "GivenThrough",
    "Inertial",
    "LinearGraph",
    "MotionAxis",
    "Passive",
    "SpringDamper",
    "Symbols",
    "Through",
    "Weight",
]


class Domain(Enum):
    TRANSLATION = "translation"
    ROTATION = "rotation"


class EdgeKind(Enum):
    """What an edge is; tree selection ranks kinds."""

    BODY = "body"
    ARM = "arm"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    WELD = "weld"
    VIRTUAL = "virtual"
    MOTION_DRIVER = "motion driver"
    LOAD = "load"
    SPRING = "spring"
    GRAVITY = "gravity"


@dataclass(frozen=True)
class MotionAxis:
    """One direction of a motion space and the names of the coordinate along it."""

    axis: Vector3
    coordinate: str
    rate: str
    acceleration: str
    unit: str


@dataclass(frozen=True)
class Passive:
    """No through variable but the reaction."""


@dataclass(frozen=True)
class Inertial:
    """A mass (translation) or moment of inertia (rotation): McPhee (75), (76)."""

    amount: Expr


@dataclass(frozen=True)
class Weight:
    """A constant force in ground axes."""

    force: Vector3


@dataclass(frozen=True)
class GivenThrough:
    """A force or torque given by formulas, in the axes of ``frame``."""

    components: tuple[Formula, Formula, Formula]
    frame: str


@dataclass(frozen=True)
class SpringDamper:
    """Spring, damper and actuator in parallel, along the line (translation) or about the axis."""

    stiffness: Expr
    damping: Expr
    free: Expr
    actuator: Formula


Through = Passive | Inertial | Weight | GivenThrough | SpringDamper


@dataclass(frozen=True)
class Edge:
    """A directed edge with its terminal equations; see the module docstring."""

    name: str
    domain: Domain
    kind: EdgeKind
    tail: str
    head: str
    frame: str
    given: Vector3
    motion: tuple[MotionAxis, ...] = ()
    reaction: tuple[Vector3, ...] = ()
    through: Through = Passive()


@dataclass(frozen=True)
class DomainGraph:
    """The graph of one domain; the first node is the ground."""

    domain: Domain
    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]

    def edge(self, name: str) -> Edge:
        return self._by_name[name]

    @property
    def _by_name(self) -> dict[str, Edge]:
        return {edge.name: edge for edge in self.edges}


@dataclass(frozen=True)
class Symbols:
    """The symbols that formulas may use, by name."""

    dag: Dag
    time: Expr
    parameters: dict[str, Expr]
    inputs: dict[str, Expr]


@dataclass(frozen=True)
class LinearGraph:
    """Both graphs of a mechanism, over one expression DAG.

    ``body_of`` maps every node of the translational graph to its node of the rotational graph.
    """

    symbols: Symbols
    translation: DomainGraph
    rotation: DomainGraph
    body_of: dict[str, str]

    def domain(self, domain: Domain) -> DomainGraph:
        return self.translation if domain is Domain.TRANSLATION else self.rotation
