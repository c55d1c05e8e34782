"""Dae: the symbolic equations of motion in branch coordinates.

M(q) q'' + Phi_q^T lambda = F(q, q', t, u),        Phi(q, t) = 0
Phi_q q' = nu,    Phi_q q'' = gamma                 (McPhee (88)-(91))

A network adds its terminal, circuit and cutset equations in across and through variables and their
derivatives (:class:`Network`); reduced, they are x' = f(x, z, q, q', t, u) and 0 = g(x, z, q, q', t, u).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from fmugen.expr.dag import Expr
from fmugen.ir.body_tree import BodyTree
from fmugen.ir.graph import Domain, Symbols
from fmugen.ir.network import Discipline

__all__ = [
    "UNIT_LENGTH",
    "Constraint",
    "Coordinate",
    "CoordinateKind",
    "CountedAngle",
    "Dae",
    "Equation",
    "IteratedBlock",
    "Network",
    "NetworkOrigin",
    "NetworkStart",
    "NetworkVariable",
    "Origin",
    "State",
    "Unknown",
]


#: The kind of origin of the equation of a coordinate that belongs to an element itself.
OWN_COORDINATE = "work"
#: The direction of the constraint that Euler parameters have unit length.
UNIT_LENGTH = "unit length"


@dataclass(frozen=True)
class Origin:
    """The edge whose cutset (a dynamic equation) or circuit (a constraint) gave an equation."""

    kind: str
    domain: Domain
    edge: str
    direction: str = ""

    @property
    def is_length(self) -> bool:
        """Whether it is the unit length of Euler parameters."""
        return self.direction == UNIT_LENGTH

    def __str__(self) -> str:
        direction = f", {self.direction}" if self.direction else ""
        return f"{self.domain.value} {self.kind} {self.edge}{direction}"


class CoordinateKind(Enum):
    """What a coordinate measures. The names are those of the runtime."""

    LENGTH = "length"
    ANGLE = "angle"
    #: A component of a quaternion.
    COMPONENT = "component"
    #: A displacement inside an element, which moves points by about as much as itself.
    DEFLECTION = "deflection"


@dataclass(frozen=True)
class Coordinate:
    """A branch coordinate: its names, its symbols, and the cutset that gives its equation."""

    name: str
    rate_name: str
    acceleration_name: str
    unit: str
    guess: float
    position: Expr
    velocity: Expr
    acceleration: Expr
    origin: Origin

    @property
    def is_own(self) -> bool:
        """Whether it is a coordinate of an element itself, such as a deflection, and not of a branch."""
        return self.origin.kind == OWN_COORDINATE

    @property
    def kind(self) -> CoordinateKind:
        match self.unit:
            case "rad":
                return CoordinateKind.ANGLE
            case "m":
                return CoordinateKind.DEFLECTION if self.is_own else CoordinateKind.LENGTH
            case _:
                return CoordinateKind.COMPONENT


@dataclass(frozen=True)
class Constraint:
    """One row of Phi with its multiplier.

    ``jacobian`` maps coordinate numbers to the non-zero entries of the row of Phi_q. The row alone may also
    vanish where the loop is open, for example if a driven angle is half a turn off. Where the loop is closed,
    the expressions ``closed`` vanish too and the cosines ``facing`` are positive.
    """

    name: str
    origin: Origin
    phi: Expr
    jacobian: dict[int, Expr]
    nu: Expr
    gamma: Expr
    multiplier: Expr
    closed: tuple[Expr, ...] = ()
    facing: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class CountedAngle:
    """An angle in space that is not a coordinate but counts turns.

    ``base`` is the angle up to whole turns. If it ``jumps`` by a turn, ``symbol`` is an angle close to the
    present one; otherwise ``symbol`` is the sum of the whole turns. Both change at accepted points only. At
    the start the angle is the one closest to ``start``, an expression of parameters and coordinates.
    """

    name: str
    symbol: Expr
    base: Expr
    start: Expr
    jumps: bool

    @property
    def added(self) -> Expr:
        """The whole turns that are added to ``base``."""
        return self.base.dag.call("turns", self.base, self.symbol) if self.jumps else self.symbol

    @property
    def value(self) -> Expr:
        return self.base + self.added

    @property
    def symbol_at_start(self) -> Expr:
        return self.start if self.jumps else self.base.dag.call("turns", self.base, self.start)


# --- networks --------------------------------------------------------------------------------


@dataclass(frozen=True)
class NetworkOrigin:
    """The edge, node or component of a network whose circuit, cutset, path or law gave an equation.

    ``discipline`` is ``None`` for what the network borrows from the mechanism.
    """

    kind: str
    discipline: Discipline | None
    edge: str

    def __str__(self) -> str:
        words = (self.discipline.value if self.discipline else "", self.kind, self.edge)
        return " ".join(word for word in words if word)


@dataclass(frozen=True)
class NetworkVariable:
    """An across or through variable of an edge, or the potential of a node.

    ``derivatives`` are the symbols of its time derivatives as far as terminal equations may use them, and
    ``units`` the units of the variable and of those derivatives that have a name.
    ``preference`` ranks it as a state: what is higher is taken first.
    """

    name: str
    symbol: Expr
    derivatives: tuple[Expr, ...] = ()
    units: tuple[str, ...] = ()
    preference: int = 0


@dataclass(frozen=True)
class Equation:
    """``residual`` = 0, and where it comes from."""

    origin: NetworkOrigin
    residual: Expr


@dataclass(frozen=True)
class Network:
    """The equations of all networks in branch-chord form.

    Circuits give the across variables of chords, cutsets the through variables of branches; what remains are
    terminal equations in branch across and chord through variables.
    """

    variables: tuple[NetworkVariable, ...] = ()
    equations: tuple[Equation, ...] = ()


@dataclass(frozen=True)
class State:
    """A first-order state x with x' = ``derivative`` and its start value, a guess unless it is ``fixed``."""

    name: str
    unit: str
    symbol: Expr
    derivative: Expr
    start: Expr
    fixed: bool = False


@dataclass(frozen=True)
class Mode:
    """A mode of an element: on while ``symbol`` is negative, which is the held sign of ``relation``.

    The relation itself depends on the symbol: a mode is left where another condition holds than that in
    which it is entered.
    """

    name: str
    symbol: Expr
    relation: Expr


@dataclass(frozen=True)
class NetworkStart:
    """The start value of a quantity of the network."""

    quantity: Expr
    value: Expr
    fixed: bool


@dataclass(frozen=True)
class Unknown:
    """An unknown that is found by iteration, which begins at ``guess``."""

    name: str
    unit: str
    symbol: Expr
    guess: float = 0.0


@dataclass(frozen=True)
class IteratedBlock:
    """Equations solved together for ``unknowns``, numbered as in ``Dae.iterated``."""

    name: str
    unknowns: tuple[int, ...]
    equations: tuple[Equation, ...]


@dataclass(frozen=True)
class Dae:
    """The equations, and every quantity of the model as an expression of q, q', q'', lambda, x and z.

    ``input_starts`` are the start values of the inputs, in the order of the symbols. ``mass`` holds the non-
    zero entries (i, j) with j <= i of the symmetric mass matrix. A Dae is reduced where no variable of
    ``network`` is left in any expression but those of ``network`` itself: then ``states``, ``iterated`` and
    ``network_blocks`` stand for its equations. ``fixed_states`` are the residuals of start values of the
    network that are not the values of states themselves; with ``steady`` velocities, accelerations and the
    derivatives of all states vanish at the start. ``angles`` are those whose turns are counted; the ones that
    jump come first. ``modes`` are those of elements. ``preferred`` are functions of position that are zero at
    the start where start values and constraints leave a choice. ``tree`` is there where M is that of a tree
    of bodies and nothing else: recursions solve with it.
    """

    symbols: Symbols
    coordinates: tuple[Coordinate, ...]
    constraints: tuple[Constraint, ...]
    mass: dict[tuple[int, int], Expr]
    force: tuple[Expr, ...]
    quantities: dict[str, Expr]
    outputs: dict[str, Expr]
    fixed_positions: dict[str, Expr]
    fixed_velocities: dict[str, Expr]
    guesses: dict[str, Expr]
    input_starts: tuple[float, ...] = ()
    network: Network = field(default_factory=Network)
    states: tuple[State, ...] = ()
    iterated: tuple[Unknown, ...] = ()
    network_blocks: tuple[IteratedBlock, ...] = ()
    network_starts: dict[str, NetworkStart] = field(default_factory=dict)
    fixed_states: dict[str, Expr] = field(default_factory=dict)
    steady: bool = False
    angles: tuple[CountedAngle, ...] = ()
    preferred: dict[str, Expr] = field(default_factory=dict)
    modes: tuple[Mode, ...] = ()
    tree: BodyTree | None = None

    @property
    def held_at_start(self) -> dict[Expr, Expr]:
        """Symbols that are constant between events or accepted points: counted angles and modes."""
        angles = {angle.symbol: angle.symbol_at_start for angle in self.angles}
        return angles | {mode.symbol: mode.symbol.dag.one for mode in self.modes}

    @property
    def known_at_start(self) -> dict[Expr, Expr]:
        """What is held at the start, and states, by what is said of them."""
        return self.held_at_start | {state.symbol: state.start for state in self.states}

    @property
    def unit_positions(self) -> frozenset[Expr]:
        """Coordinates without a unit: parameters of attitudes, which are never larger than one."""
        return frozenset(coordinate.position for coordinate in self.coordinates if coordinate.unit == "1")
