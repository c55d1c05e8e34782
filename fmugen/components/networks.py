"""Components of a model -> graphs of networks with their variables and terminal equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from fmugen.components.base import REGISTRY, SECTIONS
from fmugen.components.formulas import lower
from fmugen.components.network import NetworkComponent, Variables
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.ir.formula import Formula
from fmugen.ir.graph import NetworkEdge, NetworkGraph, Rank, Symbols, TerminalEquation
from fmugen.ir.model import GROUND, SystemModel
from fmugen.ir.network import FLANGE, Component, Discipline, Port, flange_joint

__all__ = ["COMPONENTS", "FLANGES", "NetworkComponent", "Networks", "flange_load", "network_class"]

#: The quantity of a joint that moves a flange of each discipline.
FLANGES = {Discipline.ROTATIONAL: "angle", Discipline.TRANSLATIONAL: "s"}


#: The class of every component of a network, by section and type.
COMPONENTS: dict[str, dict[str, type[NetworkComponent]]] = {
    section: cast("dict[str, type[NetworkComponent]]", REGISTRY[section])
    for section, about in SECTIONS.items()
    if about.network
}


def network_class(section: str, kind: str) -> type[NetworkComponent]:
    """The class of a component, by its section in a model file and its type."""
    return cast("type[NetworkComponent]", REGISTRY[section][kind])


def flange_load(joint: str, discipline: Discipline, symbols: Symbols) -> Expr:
    """The force or torque of the networks on the head of a joint with a flange."""
    return -symbols.dag.symbol(f"{FLANGE}{joint}.{discipline.through[0]}", SymbolRole.NETWORK)


@dataclass(frozen=True)
class _PortSymbols:
    across: tuple[Expr, ...]
    through: tuple[Expr, ...]


class Networks:
    """The networks of a model, over one expression DAG.

    ``symbols_by_name`` are the variables that formulas may name. ``mechanism_quantities`` maps
    quantities of the mechanism that networks use to the variables that stand for them.
    """

    def __init__(self, model: SystemModel, symbols: Symbols) -> None:
        self._model, self._symbols = model, symbols
        self._dag = symbols.dag
        self.symbols_by_name: dict[str, Expr] = {}
        self.mechanism_quantities: dict[str, tuple[Expr, ...]] = {}
        self._ports = {
            component.name: tuple(self._port_symbols(component.name, port) for port in component.ports)
            for component in model.components
        }
        self.graphs = tuple(self._graphs())
        self.terminals = tuple(self._terminals())

    # --- variables -------------------------------------------------------------------------------

    def _port_symbols(self, owner: str, port: Port) -> _PortSymbols:
        discipline = port.discipline
        across = self._across(owner, discipline, port.suffix)
        kind, *_ = discipline.through
        through = self._derivatives([f"{owner}.{kind}{port.suffix}"])
        return _PortSymbols(across, through)

    def _across(self, owner: str, discipline: Discipline, suffix: str = "") -> tuple[Expr, ...]:
        return self._derivatives([f"{owner}.{kind}{suffix}" for kind, *_ in discipline.across])

    def _derivatives(self, names: list[str]) -> tuple[Expr, ...]:
        """The symbols of a variable and the derivatives that have a name, then of one more derivative."""
        found = {name: self._dag.symbol(name, SymbolRole.NETWORK) for name in names}
        self.symbols_by_name |= found
        return (*found.values(), self._dag.symbol(f"der({names[-1]})", SymbolRole.NETWORK))

    # --- graphs ----------------------------------------------------------------------------------

    def _graphs(self) -> Iterator[NetworkGraph]:
        for discipline in Discipline:
            edges = list(self._edges(discipline))
            if not edges:
                continue
            nodes = dict.fromkeys([GROUND, *(node for edge in edges for node in (edge.tail, edge.head))])
            flanges = [node for node in nodes if flange_joint(node)]
            edges += [self._flange(discipline, node) for node in flanges]
            potentials = {node: self._across(node, discipline) for node in nodes if node != GROUND}
            yield NetworkGraph(discipline, tuple(nodes), tuple(edges), potentials)

    def _edges(self, discipline: Discipline) -> Iterator[NetworkEdge]:
        for component in self._model.components:
            shape = network_class(component.section, component.type).edges_for(dict(component.terminals))
            pairs = zip(component.ports, self._ports[component.name], shape, strict=True)
            for port, symbols, edge in pairs:
                if port.discipline is discipline:
                    name = f"{component.name}.{port.suffix}" if port.suffix else component.name
                    yield NetworkEdge(
                        name,
                        edge.rank,
                        port.tail,
                        port.head,
                        component.name,
                        symbols.across,
                        symbols.through,
                    )

    def _flange(self, discipline: Discipline, node: str) -> NetworkEdge:
        """The joint as a driver: the mechanism moves the flange, the network loads the joint."""
        joint = node.removeprefix(FLANGE)
        across = self._across(f"{node}.joint", discipline)
        through = self._derivatives([f"{node}.{discipline.through[0]}"])
        self.mechanism_quantities[f"{joint}.{FLANGES[discipline]}"] = across
        return NetworkEdge(node, Rank.ACROSS_DRIVER, GROUND, node, node, across, through)

    # --- terminal equations ----------------------------------------------------------------------

    def _terminals(self) -> Iterator[TerminalEquation]:
        for component in self._model.components:
            law = network_class(component.section, component.type)()
            symbols = tuple((port.across, port.through) for port in self._ports[component.name])
            values = {name: self._value(component, formula) for name, formula in component.values}
            for residual in law.equations(Variables(self._dag, symbols, values)):
                yield TerminalEquation(component.name, residual)

    def _value(self, component: Component, formula: Formula) -> Expr:
        return lower(formula, self._symbols, self._quantity)

    def _quantity(self, name: str) -> Expr:
        """A variable of a network, or one that stands for a quantity of the mechanism."""
        known = self.symbols_by_name.get(name)
        if known is not None:
            return known
        if name not in self.mechanism_quantities:
            self.mechanism_quantities[name] = (
                self._dag.symbol(f"mechanism:{name}", SymbolRole.NETWORK),
                self._dag.symbol(f"der(mechanism:{name})", SymbolRole.NETWORK),
            )
        return self.mechanism_quantities[name][0]
