"""What a component of a network is: terminals, values, edges, terminal equations.

A component is one class in one of the modules ``electrical``, ``hydraulic``, ``translational``,
``rotational`` and ``couplers``::

    class Varistor(NetworkComponent):
        \"\"\"i = k v^3.\"\"\"

        section = "electrical"
        type = "varistor"
        terminals = ends(Discipline.ELECTRICAL)
        values = (Value("coefficient", "A/V3", "give the current at 1 V", free=True),)
        edges = (between("from", "to", Rank.RESISTIVE),)

        def equations(self, at: Variables) -> Iterator[Expr]:
            yield at.through() - at["coefficient"] * at.across() ** 3

Laws that several disciplines share, such as sources, are in the module ``laws``.
Being a subclass enters it into the registry: the model file, the builder, the quantities and the formulation
know it from there. Each edge needs one terminal equation, an expression that vanishes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from fmugen.components.base import REQUIRED, Component, End, Form, FormulaScope, Key, register
from fmugen.expr.dag import Dag, Expr
from fmugen.ir.element import Element
from fmugen.ir.formula import Formula, constant
from fmugen.ir.graph import Rank
from fmugen.ir.model import GROUND
from fmugen.ir.network import Discipline, Port
from fmugen.ir.quantity import Quantity

__all__ = [
    "EdgeBetween",
    "NetworkComponent",
    "Terminal",
    "Value",
    "Variables",
    "between",
    "ends",
]


@dataclass(frozen=True)
class Terminal:
    """A place where a component is connected; ``default`` is the node it has if none is named.

    A default that begins with ``=`` is the node of another terminal.
    """

    name: str
    discipline: Discipline
    default: str | None = None


@dataclass(frozen=True)
class Value:
    """A number of a component, or a formula of parameters.

    A ``free`` value may change while the model runs: its formula may use inputs, time and quantities.
    """

    name: str
    unit: str
    help: str
    default: float | None = None
    free: bool = False

    @property
    def default_formula(self) -> Formula | None:
        return None if self.default is None else constant(self.default)

    @property
    def key(self) -> Key:
        """The value as a key of the file."""
        default = REQUIRED if self.default_formula is None else self.default_formula
        hint = f"{self.help} in {self.unit}" if self.unit != "1" else self.help
        scope = FormulaScope.VALUE if self.free else FormulaScope.CONSTANT
        return Key(self.name, Form.FORMULA, self.help, self.unit, default, scope, hint=hint)


@dataclass(frozen=True)
class EdgeBetween:
    """An edge from terminal ``tail`` to terminal ``head`` or the ground, and its ``rank`` in normal trees."""

    tail: str
    head: str
    rank: Rank
    suffix: str = ""


def between(tail: str, head: str, rank: Rank, suffix: str = "") -> EdgeBetween:
    return EdgeBetween(tail, head, rank, suffix)


def ends(
    discipline: Discipline, tail: str | None = None, head: str | None = None
) -> tuple[Terminal, Terminal]:
    """The terminals ``from`` and ``to``, with their default nodes."""
    return Terminal("from", discipline, tail), Terminal("to", discipline, head)


@dataclass(frozen=True)
class Variables:
    """The symbols of the edges of one component, and its values.

    ``symbols[k]`` are the across variable of edge k and its derivatives, then the through variable and its
    derivatives.
    """

    dag: Dag
    symbols: tuple[tuple[tuple[Expr, ...], tuple[Expr, ...]], ...]
    values: Mapping[str, Expr]

    def across(self, edge: int = 0, order: int = 0) -> Expr:
        """The across variable of an edge, or a derivative of it."""
        return self.symbols[edge][0][order]

    def through(self, edge: int = 0, order: int = 0) -> Expr:
        """The through variable of an edge, or a derivative of it."""
        return self.symbols[edge][1][order]

    def __getitem__(self, value: str) -> Expr:
        return self.values[value]


class NetworkComponent(Component):
    """Base of all components; a subclass with a ``type`` is entered into the registry."""

    terminals: ClassVar[tuple[Terminal, ...]] = ()
    values: ClassVar[tuple[Value, ...]] = ()
    edges: ClassVar[tuple[EdgeBetween, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.type:
            hint = "name the node of the terminal {!r}"
            cls.ends = tuple(End(each.name, each.default, hint.format(each.name)) for each in cls.terminals)
            register(cls)

    @classmethod
    def table_keys(cls) -> tuple[Key, ...]:
        return tuple(value.key for value in cls.values)

    @classmethod
    def element(
        cls, name: str, nodes: Mapping[str, str], values: Mapping[str, Formula], description: str = ""
    ) -> Element:
        """The element of a model at the given nodes."""
        ports = cls.ports_for(nodes)
        own = tuple(Quantity(name, *each, network=True) for port in ports for each in port.kinds())
        return Element(name, cls.section, cls.type, nodes, values, own, ports, description)

    @classmethod
    def edges_for(cls, nodes: Mapping[str, str]) -> tuple[EdgeBetween, ...]:
        """The edges between the given nodes; what is not connected may be left out."""
        return cls.edges

    @classmethod
    def ports_for(cls, nodes: Mapping[str, str]) -> tuple[Port, ...]:
        """The edges of :meth:`edges_for` as ports."""
        disciplines = {terminal.name: terminal.discipline for terminal in cls.terminals}
        return tuple(
            Port(
                disciplines[edge.tail if edge.tail != GROUND else edge.head],
                nodes.get(edge.tail, GROUND),
                nodes.get(edge.head, GROUND),
                edge.suffix,
            )
            for edge in cls.edges_for(nodes)
        )

    @abstractmethod
    def equations(self, at: Variables) -> Iterator[Expr]:
        """The terminal equations, as expressions that vanish: one for each edge."""
