"""SystemModel -> Terminals: inputs and the variables they work with, as flanges, pins and ports of FMI 3.0.

Where an element does what one input says, another system can take its place: a load becomes the flange of
its body, a rotation driver one that is moved, a source a pin or a port. The input and the variables of
the same port (the torque and the angle that it works on, voltage and current) are members of one terminal,
named as in the disciplines of networks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from fmugen.components.base import component_of
from fmugen.ir.fmu import FmuDescription, Terminal, TerminalMember
from fmugen.ir.formula import Formula, Name
from fmugen.ir.model import Element, Input, Space, SystemModel
from fmugen.ir.network import Component, Discipline
from fmugen.ir.options import FmiVersion
from fmugen.phases.describe.xml import add, set_attributes, to_bytes

__all__ = ["terminals_of", "terminals_xml"]

_KINDS = {
    Discipline.ELECTRICAL: "electrical pin",
    Discipline.HYDRAULIC: "hydraulic port",
    Discipline.TRANSLATIONAL: "translational flange",
    Discipline.ROTATIONAL: "rotational flange",
}
_SIGNAL, _INFLOW, _OUTFLOW = "signal", "inflow", "outflow"


def terminals_of(model: SystemModel, variables: Sequence[str]) -> tuple[Terminal, ...]:
    """The terminals of an FMU with these variables, none where an input has no partner among them."""
    book = _VariableIndex.of(model, variables)
    found: list[Terminal] = []
    for element in model.in_section("forces", "drivers"):
        found += _of_element(element, model.space, book)
    for component in model.components:
        found += _of_source(component, book)
    return tuple(found)


def terminals_xml(description: FmuDescription) -> bytes | None:
    """``terminalsAndIcons.xml``, which FMI 3 has; nothing if there are no terminals."""
    terminals = description.terminals if description.fmi is FmiVersion.THREE else ()
    if not terminals:
        return None
    root = set_attributes(etree.Element("fmiTerminalsAndIcons"), fmiVersion="3.0")
    group = add(root, "Terminals")
    for terminal in terminals:
        element = add(group, "Terminal", name=terminal.name, matchingRule="plug", terminalKind=terminal.kind)
        for member in terminal.members:
            add(
                element,
                "TerminalMemberVariable",
                variableName=member.variable,
                memberName=member.name,
                variableKind=member.kind,
            )
    return to_bytes(root)


@dataclass(frozen=True)
class _VariableIndex:
    """Which variable of the FMU shows a quantity, and the inputs by name."""

    shown: Mapping[str, str]
    inputs: Mapping[str, Input]

    @classmethod
    def of(cls, model: SystemModel, variables: Sequence[str]) -> _VariableIndex:
        shown = {name: name for name in variables}
        for output in model.outputs:
            if isinstance(output.value.root, Name):
                shown[output.value.root.text] = output.name
        return cls(shown, {variable.name: variable for variable in model.inputs})

    def input_of(self, value: Formula) -> Input | None:
        """The input that a formula is, if it is nothing else."""
        return self.inputs.get(value.root.text) if isinstance(value.root, Name) else None

    def members(self, quantities: Mapping[str, str], kind: str) -> Iterator[TerminalMember]:
        """Members for those of the quantities, by names of members, that the FMU shows."""
        for member, quantity in quantities.items():
            if quantity in self.shown:
                yield TerminalMember(member, self.shown[quantity], kind)


def _terminal(
    name: str, discipline: Discipline, given: TerminalMember, others: Iterator[TerminalMember]
) -> Iterator[Terminal]:
    partners = tuple(others)
    if partners:
        yield Terminal(name, _KINDS[discipline], (given, *partners))


def _of_element(element: Element, space: Space, book: _VariableIndex) -> Iterator[Terminal]:
    """A force, torque or rotation of one input, in a direction of the ground."""
    plugs = component_of(element).plugs(element, planar=space is Space.PLANAR)
    used = [(plug, given) for plug in plugs if (given := book.input_of(plug.value)) is not None]
    for plug, given in used:
        own, other = (_INFLOW, _SIGNAL) if plug.flows else (_SIGNAL, _INFLOW)
        member = TerminalMember(plug.member, given.name, own)
        name = element.name if len(used) == 1 else f"{element.name}.{plug.suffix}"
        rate = book.inputs.get(given.rate) if plug.rate else None
        between = () if rate is None else (TerminalMember(plug.rate, rate.name, own),)
        for terminal in _terminal(name, plug.discipline, member, book.members(plug.others, other)):
            yield Terminal(terminal.name, terminal.kind, (member, *between, *terminal.members[1:]))


def _of_source(component: Component, book: _VariableIndex) -> Iterator[Terminal]:
    """A source whose across or through variable is an input.

    The force of a mechanical source acts on the rest of the network; a current through a source leaves the
    rest where its voltage is counted from.
    """
    if len(component.ports) != 1:
        return
    port = component.ports[0]
    through = port.discipline.through[0]
    direction = _INFLOW if port.discipline.is_mechanical else _OUTFLOW
    kinds = {kind: unit for kind, _, unit in port.kinds() if kind not in ("a", "alpha")}
    for _, value in component.values:
        given = book.input_of(value)
        prescribed = [kind for kind, unit in kinds.items() if given is not None and unit == given.unit]
        if given is None or not prescribed:
            continue

        def flow(kind: str) -> str:
            return direction if kind == through else _SIGNAL

        own = TerminalMember(prescribed[0], given.name, flow(prescribed[0]))
        others = (
            member
            for kind in kinds
            if kind != own.name
            for member in book.members({kind: f"{component.name}.{kind}"}, flow(kind))
        )
        yield from _terminal(component.name, port.discipline, own, others)
