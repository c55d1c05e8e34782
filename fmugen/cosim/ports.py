"""What is measured and what acts at a cut: directions, and the places that parts are wired at.

A direction has a motion (position, velocity, acceleration) and what acts in it (a force or a torque). Turning
in space has no coordinate of its own: there, the direction cosines of the two frames are compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from fmugen.components.base import element_of
from fmugen.components.forces import Force, Torque
from fmugen.cosim.cut import Cut, CutKind, Pieces
from fmugen.formulas import parse
from fmugen.ir.formula import ZERO, Call, Formula, Name, Term
from fmugen.ir.model import (
    Attachment,
    Element,
    Input,
    Output,
    Parameter,
    Space,
    SystemModel,
    Vector,
)
from fmugen.ir.split import SYSTEM, Connection

__all__ = ["COSINES", "Direction", "Wiring", "directions", "load_of"]

_GROUND = Attachment("ground")

#: The direction cosines of a frame in space.
COSINES = tuple(f"r{i}{j}" for i in "xyz" for j in "xyz")


@dataclass(frozen=True)
class Direction:
    """A direction of a port: the kinds of its quantities; ``position`` is empty for turning in space."""

    axis: int
    turning: bool
    position: str
    velocity: str
    acceleration: str
    through: str

    @property
    def unit(self) -> str:
        return "rad" if self.turning else "m"

    @property
    def through_unit(self) -> str:
        return "N.m" if self.turning else "N"

    def owner(self, place: Attachment) -> str:
        """The element whose quantities these are: a point moves, a body turns."""
        return place.body if self.turning else place.node


_SLIDES = tuple(
    Direction(axis, False, name, f"v{name}", f"a{name}", f"f{name}") for axis, name in enumerate("xyz")
)
_TURNS = tuple(
    Direction(axis, True, "", f"w{name}", f"alpha{name}", f"t{name}") for axis, name in enumerate("xyz")
)
_TURN = Direction(2, True, "angle", "omega", "alpha", "torque")


def directions(space: Space, kind: CutKind) -> tuple[Direction, ...]:
    """The directions in which a port is held."""
    if space is Space.PLANAR:
        return _SLIDES[:2] if kind is CutKind.POINT else (*_SLIDES[:2], _TURN)
    return _SLIDES if kind is CutKind.POINT else (*_SLIDES, *_TURNS)


def load_of(cut: Cut, part: str, values: dict[Direction, Formula], space: Space) -> list[Element]:
    """Loads on the port of a part; each direction has its value."""
    place, loads, planar = cut.port(part).place, [], space is Space.PLANAR
    for turning, suffix in ((False, "force"), (True, "torque")):
        given = {d.axis: value for d, value in values.items() if d.turning is turning}
        if not given:
            continue
        vector: Vector = (given.get(0, ZERO), given.get(1, ZERO), given.get(2, ZERO))
        name = f"{cut.name}_{suffix}"
        at = Attachment(place.body) if turning else place
        kind = Torque if turning else Force
        load = kind(value=vector, frame=_GROUND.body)
        loads.append(element_of(load, name, (_GROUND, at), planar=planar))
    return loads


@dataclass
class Wiring:
    """The parts while they are wired: what each gets in addition, and what goes where.

    ``driven`` are the parts that another part moves, and the cuts at which it does.
    """

    pieces: Pieces
    models: dict[str, SystemModel] = field(init=False)
    connections: list[Connection] = field(default_factory=list)
    driven: dict[str, list[Cut]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.models = dict(self.pieces.models)

    @property
    def space(self) -> Space:
        return self.models[self.pieces.hub].space

    def add(
        self,
        part: str,
        *,
        parameters: Iterable[Parameter] = (),
        inputs: Iterable[Input] = (),
        outputs: Iterable[Output] = (),
        elements: Iterable[Element] = (),
    ) -> None:
        """Add to a part."""
        model = self.models[part]
        self.models[part] = replace(
            model.with_elements(*elements),
            parameters=(*model.parameters, *parameters),
            inputs=(*model.inputs, *inputs),
            outputs=(*model.outputs, *outputs),
        )

    def connect(self, source: str, output: str, target: str, name: str) -> None:
        self.connections.append(Connection(source, output, target, name))

    def send(
        self, source: str, output: Output, target: str, name: str, *, rate: str = "", description: str = ""
    ) -> None:
        """An output of a part and the input of another that it goes to, stamped with its time."""
        if output.name not in {each.name for each in self.models[source].outputs}:
            self.add(source, outputs=[output])
        stamp = self.stamp(source, target)
        given = Input(name, unit=output.unit, description=description, rate=rate, stamp=stamp)
        self.add(target, inputs=[given])
        self.connect(source, output.name, target, name)

    def stamp(self, source: str, target: str) -> str:
        """The input with the time of the values from ``source``."""
        name, output = f"{source}_time", "sample_time"
        if name not in {variable.name for variable in self.models[target].inputs}:
            if output not in {each.name for each in self.models[source].outputs}:
                note = "time of all that is sent"
                self.add(source, outputs=[Output(output, parse("time"), "s", note)])
            note = f"time at which {source} took what it sends"
            self.add(target, inputs=[Input(name, unit="s", description=note)])
            self.connect(source, output, target, name)
        return name

    def show_reactions(self, element: str) -> None:
        """Outputs that show the reaction of a cut joint show what acts at its port instead.

        ``element`` is the end of the name of what acts there; a joint reacts on its head.
        """
        for cut in self.pieces.cuts:
            for port, sign in ((cut.head, 1), (cut.tail, -1)):
                found = {f"{cut.joint}.f{axis}": f"{cut.name}_{element}.f{axis}" for axis in "xyz"}
                self._rename(port.part, found, sign)

    def _rename(self, part: str, names: dict[str, str], sign: int) -> None:
        def visit(term: Term) -> Term:
            if isinstance(term, Name) and term.text in names:
                known = {element.name for element in self.models[part].in_section("forces", "drivers")}
                other = names[term.text]
                if other.rpartition(".")[0] not in known:
                    return term
                return Name(other) if sign > 0 else Call("neg", (Name(other),))
            if isinstance(term, Call):
                return Call(term.function, tuple(visit(argument) for argument in term.arguments))
            return term

        model = self.models[part]
        outputs = tuple(replace(o, value=replace(o.value, root=visit(o.value.root))) for o in model.outputs)
        self.models[part] = replace(model, outputs=outputs)

    def outside(self, outputs: Iterable[str]) -> None:
        """Connect what is left open: inputs of the whole system, and its outputs."""
        fed = {(c.target, c.input) for c in self.connections}
        for part, model in self.models.items():
            for variable in model.inputs:
                if (part, variable.name) not in fed:
                    self.connect(SYSTEM, variable.name, part, variable.name)
        wanted = list(outputs)
        for part, model in self.models.items():
            own = {output.name for output in model.outputs}
            for name in wanted:
                if name in own:
                    self.connect(part, name, SYSTEM, name)
