"""SystemModel, Partition -> Pieces: every element goes to a part, and what is between two parts is cut.

Two parts meet in *points*, where a planar revolute or a spherical joint is cut, or in *frames*, where both
have a share of a body. A body that n parts name is cut itself (Khan 3.1): each gets a fragment with 1/n of
its mass and inertia. Any other joint between two parts stays whole in one of them, which gets a share of the
body on the far side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction

from fmugen.components.base import component_class, component_of, named_bodies
from fmugen.components.joints import joint_of
from fmugen.cosim.partition import require_partition
from fmugen.errors import ModelError, Problem
from fmugen.ir.element import Value
from fmugen.ir.formula import Call, Formula, Number
from fmugen.ir.graph import Role
from fmugen.ir.model import (
    GROUND,
    Attachment,
    Element,
    Input,
    Output,
    Parameter,
    Point,
    Space,
    SystemModel,
    Tensor,
)
from fmugen.ir.quantity import FORCE_COMPONENTS
from fmugen.ir.split import Partition

__all__ = ["Cut", "CutKind", "Pieces", "Port", "cut_model"]


class CutKind(Enum):
    """The connection of two parts: a point, or a frame, which can also be rotated."""

    POINT = "point"
    FRAME = "frame"


@dataclass(frozen=True)
class Port:
    """One side of a cut: a place in a part."""

    part: str
    place: Attachment


@dataclass(frozen=True)
class Cut:
    """Two places that are to stay together; ``joint`` is the joint that held them, if it was one."""

    name: str
    kind: CutKind
    tail: Port
    head: Port
    joint: str = ""

    def port(self, part: str) -> Port:
        """The side of this part."""
        return self.tail if self.tail.part == part else self.head

    def other(self, part: str) -> str:
        """The part on the other side."""
        return self.head.part if self.tail.part == part else self.tail.part


@dataclass(frozen=True)
class Pieces:
    """A model in pieces: the elements of each part, without the cuts; ``hub`` comes first."""

    hub: str
    models: dict[str, SystemModel]
    cuts: tuple[Cut, ...]

    def cuts_of(self, part: str) -> list[Cut]:
        return [cut for cut in self.cuts if part in (cut.tail.part, cut.head.part)]


def cut_model(model: SystemModel, partition: Partition) -> Pieces:
    """Cut a model into parts.

    Raises
    ------
    ModelError
        Naming every element and output that uses what is in two parts.
    """
    require_partition(model, partition)
    return _Cutter(model, partition).pieces()


class _Cutter:
    def __init__(self, model: SystemModel, partition: Partition) -> None:
        self.model = model
        self.problems: list[Problem] = []
        self.source = partition.source
        members = {
            body: [p.name for p in partition.parts if body in p.bodies]
            for body in (body.name for body in model.in_section("bodies"))
        }
        names = [part.name for part in partition.parts]
        self.hub = partition.hub or _busiest(model, members, names)
        self.parts = sorted(names, key=lambda name: name != self.hub)
        self.shares = {body: sorted(parts, key=self.parts.index) for body, parts in members.items()}
        # Where each element is: outputs and loads that use it must be there, too.
        self.places: dict[str, list[str]] = {}
        #: Virtual joints between two parts: they carry no force and belong to no part.
        self.unassigned: set[str] = set()

    def pieces(self) -> Pieces:
        model = self.model
        for joint in model.in_section("joints"):
            if not self._common(_bodies_of(joint)) and not self._parts_at(joint):
                self._share(joint)
        self.places |= self.shares
        cuts = [cut for body in model.in_section("bodies") for cut in self._frames(body.name)]
        kept: dict[str, list[Element]] = {part: [] for part in self.parts}
        cuts += self._cut_joints(kept)
        for element in model.in_section("drivers", "springs", "forces"):
            if part := self._placed(element, f"{element.section}.{element.name}"):
                self._put(element, part, kept)
        outputs: dict[str, list[Output]] = {part: [] for part in self.parts}
        for output in model.outputs:
            if part := self._placed(output, f"outputs.{output.name}"):
                outputs[part].append(output)
        if self.problems:
            raise ModelError(self.source, tuple(self.problems))
        models = {part: self._piece(part, kept[part], outputs[part]) for part in self.parts}
        return Pieces(self.hub, models, tuple(cuts))

    # --- where things go -----------------------------------------------------------------------------

    def _common(self, bodies: Iterable[str]) -> list[str]:
        """The parts that have a share in all bodies; the hub first."""
        return [part for part in self.parts if all(part in self.shares[body] for body in bodies)]

    def _put(self, element: Element, part: str, kept: dict[str, list[Element]]) -> None:
        kept[part].append(element)
        self.places[element.name] = [part]

    def _placed(self, item: Element | Output, place: str) -> str | None:
        """The first part that has all elements an item uses; if there is none, a problem is reported."""
        used = {name for name in _used(item) if name in self.places or name in self.unassigned}
        parts = [p for p in self.parts if all(p in self.places.get(name, []) for name in used)]
        if parts:
            return parts[0]
        where = ", ".join(
            f"{name} in {' and '.join(self.places.get(name, ['none']))}" for name in sorted(used)
        )
        hint = "put these in one part, or leave it out"
        self.problems.append(Problem(place, f"uses elements of different parts: {where}", hint))
        return None

    def _cut_joints(self, kept: dict[str, list[Element]]) -> Iterator[Cut]:
        """Put the joints into the parts that have both of their bodies; the others are cut."""
        for joint in self.model.in_section("joints"):
            if common := self._common(_bodies_of(joint)):
                self._put(joint, common[0], kept)
            elif component_of(joint).role is Role.VIRTUAL:
                self.unassigned.add(joint.name)
            else:
                yield self._point(joint)

    # --- cuts ------------------------------------------------------------------------------------------

    def _parts_at(self, element: Element) -> bool:
        """Whether a joint is cut at its point: it leaves all rotations of its space free."""
        joint = joint_of(element)
        planar = self.model.space is Space.PLANAR
        return joint.role is Role.VIRTUAL or joint.is_pivot(planar=planar)

    def _share(self, joint: Element) -> None:
        """Keep a joint whole: the part that is not the hub's gets a share of the body on the far side."""
        tail, head = joint.tail.body, joint.head.body
        near, far = (tail, head) if self.hub in self.shares[head] else (head, tail)
        part = self.shares[near][0]
        self.shares[far] = sorted([*self.shares[far], part], key=self.parts.index)

    def _frames(self, body: str) -> Iterator[Cut]:
        """The first part that has a share of a body holds the shares of the others."""
        first, *others = self.shares[body]
        place = Attachment(body)
        for other in others:
            name = self._free(f"{body}_{other}")
            yield Cut(name, CutKind.FRAME, Port(first, place), Port(other, place))

    def _point(self, joint: Element) -> Cut:
        tail, head = self.shares[joint.tail.body][0], self.shares[joint.head.body][0]
        self.places[joint.name] = [tail, head]
        for output in self.model.outputs:
            for name in output.value.names():
                owner, _, kind = name.rpartition(".")
                if owner == joint.name and kind not in FORCE_COMPONENTS:
                    hint = f"output the angles of {joint.tail.body} and {joint.head.body} instead"
                    message = f"{name!r} is not known where the joint is cut"
                    self.problems.append(Problem(f"outputs.{output.name}", message, hint))
        ports = Port(tail, joint.tail), Port(head, joint.head)
        return Cut(self._free(joint.name), CutKind.POINT, *ports, joint=joint.name)

    def _free(self, name: str) -> str:
        """A name for a cut: what is told of it is called NAME_x and the like, as nothing else may be."""
        model = self.model
        variables: list[Parameter | Input | Output] = [*model.parameters, *model.inputs, *model.outputs]
        taken = [each.name for each in variables] + [each.name for each in model.elements]
        while any(other.startswith(f"{name}_") for other in taken):
            name += "_cut"
        return name

    # --- pieces ----------------------------------------------------------------------------------------

    def _piece(self, part: str, elements: list[Element], outputs: list[Output]) -> SystemModel:
        model = self.model
        bodies = tuple(
            _fragment(body, len(self.shares[body.name]))
            for body in model.in_section("bodies")
            if part in self.shares[body.name]
        )
        piece = replace(
            model,
            elements=(*bodies, *elements),
            name=f"{model.name}_{part}",
            description=f"{part} of {model.name}" + (f": {model.description}" if model.description else ""),
            outputs=tuple(outputs),
            trees=(),
            independent=(),
        )
        piece = replace(piece, ground=_fastened(piece))
        used = {name for formula in _formulas(replace(piece, starts=())) for name in formula.names()}
        inputs = _with_rates(used, model.inputs)
        return replace(
            piece,
            parameters=tuple(each for each in model.parameters if each.name in used),
            inputs=tuple(each for each in model.inputs if each.name in inputs),
        )


def _with_rates(used: Collection[str], inputs: Iterable[Input]) -> set[str]:
    """The inputs that are used, those that are their rates, and the rates of these."""
    rates = {each.name: each.rate for each in inputs}
    found = rates.keys() & set(used)
    while missing := {rates[name] for name in found if rates[name]} - found:
        found |= missing
    return found


def _fastened(piece: SystemModel) -> tuple[Point, ...]:
    """The points of the ground that a piece uses."""
    places = {place.node for element in piece.elements for place in element.places}
    named = {name.rpartition(".")[0] for formula in _formulas(piece) for name in formula.names()}
    return tuple(point for point in piece.ground if f"{GROUND}.{point.name}" in places | named)


def _fragment(body: Element, number: int) -> Element:
    """One of ``number`` equal shares of a body: values with a mass in their unit are divided."""
    if number == 1:
        return body
    shared = {key.name for key in component_class(body.section, body.type).table_keys() if "kg" in key.unit}
    values = {name: _share_of(value, number) for name, value in body.values.items() if name in shared}
    return replace(body, values={**body.values, **values})


def _share_of(value: Value, number: int) -> Value:
    if isinstance(value, Tensor):
        return Tensor(**{f.name: _divided(getattr(value, f.name), number) for f in fields(Tensor)})
    return _divided(value, number) if isinstance(value, Formula) else value


def _divided(formula: Formula, number: int) -> Formula:
    if formula.number == 0:
        return formula
    return Formula(f"({formula.text})/{number}", Call("/", (formula.root, Number(Fraction(number)))))


def _busiest(model: SystemModel, members: dict[str, list[str]], parts: list[str]) -> str:
    """The part with most cuts; of several the first."""
    count: Counter[str] = Counter()
    for joint in model.in_section("joints"):
        ends = [set(members[body]) for body in _bodies_of(joint)]
        real = component_of(joint).role is Role.JOINT
        if len(ends) == 2 and not ends[0] & ends[1] and real:
            count.update(ends[0] | ends[1])
    for shares in members.values():
        count.update(shares if len(shares) > 1 else ())
    return max(parts, key=lambda part: count[part])


def _bodies_of(element: Element) -> list[str]:
    return [place.body for place in element.places if place.body != GROUND]


def _used(item: Element | Output) -> Iterator[str]:
    """The bodies and elements that an item is fastened to, or whose quantities its formulas name."""
    if not isinstance(item, Output):
        yield from _bodies_of(item)
        yield from named_bodies(item)
    for formula in _formulas(item):
        for name in formula.names():
            while "." in name:  # every name that the owner of the quantity can have
                name = name.rpartition(".")[0]
                yield name


def _formulas(item: object) -> Iterator[Formula]:
    """Every formula in a piece of the model."""
    if isinstance(item, Formula):
        yield item
    elif isinstance(item, tuple | Mapping):
        for each in item.values() if isinstance(item, Mapping) else item:
            yield from _formulas(each)
    elif is_dataclass(item):
        for entry in fields(item):
            yield from _formulas(getattr(item, entry.name))
