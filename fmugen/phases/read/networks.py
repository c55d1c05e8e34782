"""Tables -> components of networks, with their nodes checked."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.joints import flanged_joints
from fmugen.components.networks import FLANGES, NetworkComponent, network_class
from fmugen.ir.formula import Formula
from fmugen.ir.model import GROUND, Element
from fmugen.ir.network import FLANGE, Discipline, flange_joint
from fmugen.phases.read.draft import ELEMENT_SECTIONS, NETWORK_SECTIONS, DraftModel
from fmugen.phases.read.problems import KeyPath, ProblemLog
from fmugen.phases.read.schema import ElementTable
from fmugen.suggestions import choice_hint

__all__ = ["read_components"]


def read_components(draft: DraftModel, problems: ProblemLog) -> Iterator[Element]:
    """The components of a draft; what is wrong with their nodes is logged."""
    nodes = _Nodes(draft, problems)
    for section in NETWORK_SECTIONS:
        for name, table in draft.elements[section].items():
            kind = network_class(section, table.component.type)
            terminals = _terminals(kind, table)
            nodes.check((section, name), kind, terminals)
            values = {value.name: _formula(table, value.name) for value in kind.values}
            nodes.check_two_nodes((section, name), kind, terminals)
            yield kind.element(name, terminals, values, getattr(table, "description", ""))


def _terminals(kind: type[NetworkComponent], table: ElementTable) -> dict[str, str]:
    """The node of every terminal; a default may be the node of another one."""
    nodes: dict[str, str] = {}
    for terminal in kind.terminals:
        node = getattr(table, f"end_{terminal.name}")
        nodes[terminal.name] = nodes[node[1:]] if node.startswith("=") else node
    return nodes


def _formula(table: ElementTable, name: str) -> Formula:
    formula = getattr(table, f"value_{name}")
    if not isinstance(formula, Formula):
        raise TypeError(f"{name} is not a formula")
    return formula


class _Nodes:
    """Remembers the discipline of every node."""

    def __init__(self, draft: DraftModel, problems: ProblemLog) -> None:
        self._draft, self._problems = draft, problems
        self._known: dict[str, tuple[Discipline, str]] = {}
        sections = (*ELEMENT_SECTIONS, *NETWORK_SECTIONS)
        self._taken = {name: section for section in sections for name in draft.names[section]}

    def check(self, place: KeyPath, kind: type[NetworkComponent], terminals: dict[str, str]) -> None:
        for terminal in kind.terminals:
            node = terminals[terminal.name]
            if node == GROUND:
                continue
            where: KeyPath = (*place, terminal.name)
            joint = flange_joint(node)
            if joint is not None:
                self._check_flange(where, joint, terminal.discipline)
            elif not node.isascii() or not all(part.isidentifier() for part in node.split(".")):
                hint = f"use letters a-z, digits and _; '{FLANGE}pin' is the flange of the joint pin"
                self._problems.add(where, f"{node!r} cannot be the name of a node", hint)
            elif node in self._taken:
                message = f"the node {node!r} has the name of {self._taken[node]}.{node}"
                self._problems.add(where, message, "rename one of them")
            else:
                self._check_discipline(where, node, terminal.discipline, str(place[-1]))

    def _check_discipline(self, place: KeyPath, node: str, discipline: Discipline, owner: str) -> None:
        known, first = self._known.setdefault(node, (discipline, owner))
        if known is not discipline:
            message = f"the node {node!r} is {known.value} (see {first}), not {discipline.value}"
            self._problems.add(place, message, "components of two disciplines share no node but the ground")

    def _check_flange(self, place: KeyPath, joint: str, discipline: Discipline) -> None:
        joints = self._draft.names["joints"]
        if joint not in joints:
            hint = choice_hint(joint, joints, "the joints are")
            self._problems.add(place, f"there is no joint {joint!r}", hint)
            return
        table = self._draft.elements["joints"].get(joint)
        if discipline not in FLANGES:
            self._problems.add(place, f"a joint has no {discipline.value} flange")
        elif table is not None and table.component.type not in (fitting := flanged_joints(discipline)):
            message = f"{joint!r} is a {table.component.type} joint, which has no {discipline.value} flange"
            self._problems.add(place, message, f"name a {' or '.join(fitting)} joint")

    def check_two_nodes(
        self, place: KeyPath, kind: type[NetworkComponent], terminals: dict[str, str]
    ) -> None:
        for edge in kind.edges_for(terminals):
            tail, head = terminals.get(edge.tail, GROUND), terminals.get(edge.head, GROUND)
            if tail == head:
                terminal = edge.head if edge.head in terminals else edge.tail
                message = f"both ends of this {kind.type} are at the node {tail!r}"
                self._problems.add((*place, terminal), message, "connect it between two nodes")
