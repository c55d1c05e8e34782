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

from fmugen.ir.fmu import FmuDescription, Terminal, TerminalMember
from fmugen.ir.formula import Formula, Name
from fmugen.ir.model import GROUND, Driver, DriverType, Input, Load, LoadType, Space, SystemModel
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
    for load in model.loads:
        found += _of_load(load, model.space, book)
    for driver in model.drivers:
        found += _of_driver(driver, model.space, book)
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
        return cls(shown, {given.name: given for given in model.inputs})

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


def _of_load(load: Load, space: Space, book: _VariableIndex) -> Iterator[Terminal]:
    """A force or torque of one input, from the ground, in a direction of the ground."""
    if GROUND not in (load.tail.body, load.frame) or load.tail.body != load.frame:
        return
    place = load.head.node
    if load.type is LoadType.TORQUE:
        given = book.input_of(load.torque[2])
        if given is not None and space is Space.PLANAR:
            motion = {"phi": f"{load.head.body}.angle", "w": f"{load.head.body}.omega"}
            tau = TerminalMember("tau", given.name, _INFLOW)
            yield from _terminal(load.name, Discipline.ROTATIONAL, tau, book.members(motion, _SIGNAL))
        return
    driven = [
        (axis, given)
        for axis, value in zip("xyz", load.force, strict=True)
        if (given := book.input_of(value)) is not None
    ]
    for axis, given in driven:
        motion = {"s": f"{place}.{axis}", "v": f"{place}.v{axis}"}
        force = TerminalMember("f", given.name, _INFLOW)
        name = load.name if len(driven) == 1 else f"{load.name}.{axis}"
        yield from _terminal(name, Discipline.TRANSLATIONAL, force, book.members(motion, _SIGNAL))


def _of_driver(driver: Driver, space: Space, book: _VariableIndex) -> Iterator[Terminal]:
    """A rotation that an input prescribes; the driver's torque is what it takes."""
    given = book.input_of(driver.angle)
    if driver.type is not DriverType.ROTATION or given is None or space is not Space.PLANAR:
        return
    angle = TerminalMember("phi", given.name, _SIGNAL)
    torque = book.members({"tau": f"{driver.name}.torque"}, _INFLOW)
    rate = book.inputs.get(given.rate)
    between = () if rate is None else (TerminalMember("w", rate.name, _SIGNAL),)
    for terminal in _terminal(driver.name, Discipline.ROTATIONAL, angle, torque):
        yield Terminal(terminal.name, terminal.kind, (angle, *between, *terminal.members[1:]))


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
