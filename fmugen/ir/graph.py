"""LinearGraph: nodes and directed edges, one graph for translation, one for rotation, one for each network.

An edge carries its terminal equations as data (McPhee, Table 4; Léger, appendix B): its across variable
(:class:`Displacement` or :class:`Rotation`, with motion space and reaction space) and its through
variable, positive on the head. Components build edges; the formulation knows only edges.

Edges of networks carry the symbols of their variables; the terminal equations of a component with several
edges belong to all of them (McPhee, 2.4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from fmugen.expr.dag import Dag, Expr
from fmugen.expr.vectors import Matrix3, Vector3
from fmugen.ir.motion import Direction, Gap, GeneralizedLaw, Law
from fmugen.ir.network import Discipline

__all__ = [
    "Alignment",
    "AngleReaction",
    "AxisTurn",
    "Displacement",
    "Domain",
    "DomainGraph",
    "Edge",
    "EdgeConstraint",
    "ElementMode",
    "ElementState",
    "FixedTurn",
    "Freedom",
    "LinearGraph",
    "MotionAxis",
    "NetworkEdge",
    "NetworkGraph",
    "QuaternionTurn",
    "Rank",
    "Role",
    "Rotation",
    "Symbols",
    "Term",
    "TerminalEquation",
    "Turn",
    "Work",
]


class Domain(Enum):
    TRANSLATION = "translation"
    ROTATION = "rotation"


class Role(Enum):
    """What an edge is for the choice of trees and for drawings."""

    ARM = "arm"
    DRIVER = "motion driver"
    BODY = "body"
    JOINT = "joint"
    VIRTUAL = "virtual joint"
    FORCE = "force"


@dataclass(frozen=True)
class MotionAxis:
    """The names of a branch coordinate, its derivatives and its unit; ``guess`` starts assembly."""

    coordinate: str
    rate: str
    acceleration: str
    unit: str
    guess: float = 0.0


@dataclass(frozen=True)
class Displacement:
    """The across variable of a T-edge, in the axes of the body ``frame``.

    It is ``given(t) + sum of coordinate * axis`` over ``motion``. ``reaction`` spans the reaction space.
    An edge with a ``distance`` keeps the length of its displacement instead: its reaction acts along it.
    """

    frame: str
    given: Vector3
    motion: tuple[tuple[Vector3, MotionAxis], ...] = ()
    reaction: tuple[Vector3, ...] = ()
    distance: Expr | None = None


@dataclass(frozen=True)
class FixedTurn:
    """A constant rotation."""

    matrix: Matrix3


@dataclass(frozen=True)
class AxisTurn:
    """A rotation by ``given(t)`` plus a coordinate about the unit vector ``axis``, in the axes so far.

    ``zero`` is a unit vector perpendicular to the axis: the angle is that by which it turns.
    """

    axis: Vector3
    zero: Vector3
    given: Expr
    motion: MotionAxis | None = None


@dataclass(frozen=True)
class QuaternionTurn:
    """A free rotation by four Euler parameters, which keep unit length."""

    motion: tuple[MotionAxis, MotionAxis, MotionAxis, MotionAxis]


Turn = FixedTurn | AxisTurn | QuaternionTurn


@dataclass(frozen=True)
class Alignment:
    """Perpendicular directions: ``tail`` in the axes of the tail's body, ``head`` in those of the head's.

    The circuit equation is ``tail . head = 0``; ``tail`` may be a function of time.
    """

    tail: Vector3
    head: Vector3


@dataclass(frozen=True)
class AngleReaction:
    """In the plane angles add: the angle of head relative to tail equals that of the turns."""


@dataclass(frozen=True)
class Rotation:
    """The across variable of an R-edge: turns that lead from the tail's axes to the head's.

    ``reaction`` spans the reaction space, one constraint of a chord each.
    """

    turns: tuple[Turn, ...] = ()
    reaction: tuple[Alignment | AngleReaction, ...] = ()


@dataclass(frozen=True)
class Edge:
    """A directed edge with its terminal equations.

    ``law`` gives its through variable; without one it is the reaction. An edge that is not ``branchable``
    does not describe its whole across variable, such as a driver of one angle in space: it can only be a
    chord.
    ``label`` is what lists call it. The force of a ``central`` edge acts along its displacement.
    """

    name: str
    role: Role
    tail: str
    head: str
    across: Displacement | Rotation
    law: Law | None = None
    branchable: bool = True
    label: str = ""
    central: bool = False

    @property
    def domain(self) -> Domain:
        return Domain.TRANSLATION if isinstance(self.across, Displacement) else Domain.ROTATION

    @property
    def displacement(self) -> Displacement:
        if not isinstance(self.across, Displacement):
            raise TypeError(f"{self.name} is an edge of the rotational graph")
        return self.across

    @property
    def rotation(self) -> Rotation:
        if not isinstance(self.across, Rotation):
            raise TypeError(f"{self.name} is an edge of the translational graph")
        return self.across

    @property
    def motion(self) -> tuple[MotionAxis, ...]:
        """The coordinates that the edge brings as a branch."""
        if isinstance(self.across, Displacement):
            return tuple(axis for _, axis in self.across.motion)
        found: list[MotionAxis] = []
        for turn in self.across.turns:
            if isinstance(turn, QuaternionTurn):
                found.extend(turn.motion)
            elif isinstance(turn, AxisTurn) and turn.motion is not None:
                found.append(turn.motion)
        return tuple(found)

    @property
    def freedoms(self) -> int:
        """The number of its across variables; Euler parameters count as the three rotations they are."""
        turns = self.across.turns if isinstance(self.across, Rotation) else ()
        return len(self.motion) - sum(isinstance(turn, QuaternionTurn) for turn in turns)

    @property
    def reactions(self) -> int:
        """How many constraints the edge brings as a chord."""
        distance = isinstance(self.across, Displacement) and self.across.distance is not None
        return 1 if distance else len(self.across.reaction)


@dataclass(frozen=True)
class DomainGraph:
    """The graph of one domain; the first node is the ground."""

    domain: Domain
    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]

    def edge(self, name: str) -> Edge:
        return self._by_name[name]

    def find(self, name: str) -> Edge | None:
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Edge]:
        return {edge.name: edge for edge in self.edges}


@dataclass(frozen=True)
class Term:
    """``direction`` . velocity of the head of ``edge`` relative to its tail.

    The direction is given in the axes of the body ``frame``: a constant one, or a function of position, which
    reads the motion of the edge. The velocity of a T-edge is the one seen from the frame of its displacement;
    that of an R-edge is an angular velocity.
    """

    edge: Edge
    frame: str
    direction: Vector3 | Direction


@dataclass(frozen=True)
class EdgeConstraint:
    """The sum of ``terms`` equals the prescribed ``rate``; the multiplier acts on all their edges.

    The time derivative of ``gap`` is that sum less the rate; it reads the motion of the first edge. Without a
    gap the constraint ties velocities only: it does not restrict positions.
    """

    element: str
    name: str
    terms: tuple[Term, ...]
    gap: Gap | None = None
    rate: Expr | None = None

    @property
    def domain(self) -> Domain:
        """The graph of the first edge."""
        return self.terms[0].edge.domain


@dataclass(frozen=True)
class Freedom:
    """A coordinate of an element itself, such as a deflection, with its symbols.

    ``given`` parts of several of its arms may depend on it: it moves all of them.
    """

    element: str
    axis: MotionAxis
    position: Expr
    velocity: Expr
    acceleration: Expr


@dataclass(frozen=True)
class Work:
    """The generalized forces on freedoms of an element, in addition to the forces that its arms transmit."""

    element: str
    freedoms: tuple[Freedom, ...]
    law: GeneralizedLaw


@dataclass(frozen=True)
class Symbols:
    """The symbols that formulas may use, by name.

    ``rates`` maps what changes by itself to its time derivative: time, and inputs whose rate is an input.
    """

    dag: Dag
    time: Expr
    parameters: dict[str, Expr]
    inputs: dict[str, Expr]
    rates: dict[Expr, Expr]


# --- networks --------------------------------------------------------------------------------


class Rank(Enum):
    """What an edge of a network is. A normal tree prefers its branches in this order."""

    ACROSS_DRIVER = "across driver"
    CAPACITIVE = "capacitive"
    COUPLED_ACROSS = "coupled, for the tree"
    RESISTIVE = "resistive"
    INDUCTIVE = "inductive"
    COUPLED_THROUGH = "coupled, for the cotree"
    THROUGH_DRIVER = "through driver"


@dataclass(frozen=True)
class NetworkEdge:
    """An edge of a network: the across and the through variable, each followed by derivatives."""

    name: str
    rank: Rank
    tail: str
    head: str
    component: str
    across: tuple[Expr, ...]
    through: tuple[Expr, ...]
    branchable: bool = True

    @property
    def label(self) -> str:
        return self.rank.value


@dataclass(frozen=True)
class NetworkGraph:
    """The graph of one discipline; the first node is the datum.

    ``potentials`` are, for every other node, the symbols of its across variable relative to the datum and
    of its derivatives.
    """

    domain: Discipline
    nodes: tuple[str, ...]
    edges: tuple[NetworkEdge, ...]
    potentials: dict[str, tuple[Expr, ...]]


@dataclass(frozen=True)
class TerminalEquation:
    """``residual`` = 0, a terminal equation of a component."""

    component: str
    residual: Expr


@dataclass(frozen=True)
class ElementState:
    """A state of a mechanical element: the symbols of its value and of its rate."""

    element: str
    kind: str
    unit: str
    symbol: Expr
    rate: Expr

    @property
    def name(self) -> str:
        return f"{self.element}.{self.kind}"


@dataclass(frozen=True)
class ElementMode:
    """A mode of an element other than its first: the element is in it where ``symbol`` is negative."""

    element: str
    mode: str
    symbol: Expr

    @property
    def name(self) -> str:
        return f"{self.element}.{self.mode}"

    @property
    def is_on(self) -> Expr:
        """One in the mode, zero in all others."""
        return 1 - self.symbol.dag.call("step", self.symbol)


@dataclass(frozen=True)
class LinearGraph:
    """The graphs of a mechanism and of the networks around it, over one expression DAG.

    ``body_of`` maps every node of the translational graph to its node of the rotational graph. In a
    ``planar`` graph all rotations are about z. ``terminals`` are the terminal equations of networks,
    ``network_symbols`` their variables by name. ``mechanism_quantities`` are the variables that stand for
    quantities of the mechanism: positions of joints with a flange, and what formulas of components name.
    ``states`` are those of mechanical elements; their symbols are among ``network_symbols``. ``works`` act on
    the freedoms of elements themselves. ``modes`` are those of elements that change between laws at events.
    """

    symbols: Symbols
    translation: DomainGraph
    rotation: DomainGraph
    body_of: dict[str, str]
    planar: bool
    constraints: tuple[EdgeConstraint, ...] = ()
    networks: tuple[NetworkGraph, ...] = ()
    terminals: tuple[TerminalEquation, ...] = ()
    network_symbols: dict[str, Expr] = field(default_factory=dict)
    mechanism_quantities: dict[str, tuple[Expr, ...]] = field(default_factory=dict)
    states: tuple[ElementState, ...] = ()
    works: tuple[Work, ...] = ()
    modes: tuple[ElementMode, ...] = ()

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The coordinates of elements themselves."""
        return tuple(freedom for work in self.works for freedom in work.freedoms)

    def turns_at_a_point(self, joint: str) -> int:
        """The number of turns of a joint that holds two points together; zero for every other edge."""
        slide, turn = (graph.find(joint) for graph in (self.translation, self.rotation))
        if slide is None or turn is None or slide.role is not Role.JOINT or slide.motion:
            return 0
        return turn.freedoms

    def domain(self, domain: Domain) -> DomainGraph:
        return self.translation if domain is Domain.TRANSLATION else self.rotation
