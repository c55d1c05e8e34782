"""Every component: as many terminal equations as edges, values with units, terminals that are used."""

from __future__ import annotations

import pytest

from fmugen.components.network import NetworkComponent, Variables
from fmugen.components.networks import COMPONENTS
from fmugen.expr.dag import Dag, SymbolRole
from fmugen.units import parse_unit

ALL = [component for section in COMPONENTS.values() for component in section.values()]


def symbols(component: type[NetworkComponent], dag: Dag) -> Variables:
    nodes = {terminal.name: terminal.name for terminal in component.terminals}
    edges = component.edges_for(nodes)

    def chain(name: str) -> tuple[object, ...]:
        return tuple(dag.symbol(f"{name}{order}", SymbolRole.NETWORK) for order in range(4))

    ports = tuple((chain(f"a{number}_"), chain(f"t{number}_")) for number in range(len(edges)))
    values = {value.name: dag.symbol(value.name, SymbolRole.PARAMETER) for value in component.values}
    return Variables(dag, ports, values)  # type: ignore[arg-type]


@pytest.mark.parametrize("component", ALL, ids=lambda component: component.__name__)
def test_a_component_has_one_terminal_equation_for_each_edge(component: type[NetworkComponent]) -> None:
    at = symbols(component, Dag())
    equations = list(component().equations(at))
    assert len(equations) == len(at.symbols)
    assert all(not equation.constant for equation in equations)


@pytest.mark.parametrize("component", ALL, ids=lambda component: component.__name__)
def test_a_component_says_what_it_is(component: type[NetworkComponent]) -> None:
    assert component.__doc__
    for value in component.values:
        assert value.help
        parse_unit(value.unit)
    nodes = {terminal.name: terminal.name for terminal in component.terminals}
    used = {end for edge in component.edges_for(nodes) for end in (edge.tail, edge.head)}
    assert used - {"ground"} <= set(nodes)


def test_a_rod_side_that_is_open_has_no_edge() -> None:
    cylinder = COMPONENTS["couplers"]["cylinder"]
    nodes = {"head": "a", "rod": "ground", "from": "ground", "to": "b"}
    assert [port.suffix for port in cylinder.ports_for(nodes)] == ["1", ""]
    assert [port.suffix for port in cylinder.ports_for({**nodes, "rod": "c"})] == ["1", "", "2"]
