"""Parts condensed to their effect on the part that moves them: methods ``exact`` and ``projection``.

The hub integrates the common motion. It moves the ports of the other parts, which answer with the wrench that
this takes: affine in the acceleration a of the port, A a + b, with the condensed inertia A and the bias b.
The hub feels the load -(A a + b) and knows its own a, so that one exchange per evaluation is all that is
needed, and nothing is stiff. A part that carries others answers for them as well.

In ``exact`` the other parts close their loops exactly; in ``projection`` they integrate their own coordinates
and are drawn to the port by first-order stabilization (Khan 2.3).
"""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.components.base import element_of
from fmugen.components.drivers import RotationDriver, TranslationDriver
from fmugen.cosim.cut import Cut, CutKind
from fmugen.cosim.ports import Direction, Wiring, directions, load_of
from fmugen.errors import ModelError, Problem
from fmugen.formulas import parse
from fmugen.ir.formula import ZERO
from fmugen.ir.model import Z_AXIS, Attachment, Element, Output, Space, Vector

__all__ = ["connect_condensed"]

_GROUND = Attachment("ground")


@dataclass(frozen=True)
class _Freedom:
    """A direction of a port, with the names of its exchanged quantities."""

    cut: Cut
    direction: Direction

    def name(self, kind: str) -> str:
        return f"{self.cut.name}_{kind}"

    @property
    def label(self) -> str:
        return self.name(self.direction.through)


def connect_condensed(wiring: Wiring) -> None:
    """Wire all cuts from the hub outwards."""
    _require_planes_or_points(wiring)
    for carrier, carried, cuts in _carriers(wiring):
        freedoms = [_Freedom(cut, d) for cut in cuts for d in directions(wiring.space, cut.kind)]
        for freedom in freedoms:
            _move(wiring, carrier, carried, freedom)
        for cut in cuts:
            wiring.add(carried, elements=_drivers(cut, carried, wiring.space))
        _answer(wiring, carrier, carried, freedoms)
        for cut in cuts:
            values = {
                freedom.direction: parse(_load(carrier, freedom, freedoms))
                for freedom in freedoms
                if freedom.cut is cut
            }
            wiring.add(carrier, elements=load_of(cut, carrier, values, wiring.space))
        wiring.driven[carried] = cuts
    wiring.show_reactions("force")
    wiring.show_reactions("motion")


def _require_planes_or_points(wiring: Wiring) -> None:
    problems = [
        Problem(cut.name, "the cut is a frame in space, which exact and projection cannot move", hint)
        for hint in ("cut at spherical joints, or choose penalty or denoc",)
        for cut in wiring.pieces.cuts
        if cut.kind is CutKind.FRAME and wiring.space is Space.SPATIAL
    ]
    if problems:
        raise ModelError("parts", tuple(problems))


def _carriers(wiring: Wiring) -> list[tuple[str, str, list[Cut]]]:
    """Which part moves which others, and at which cuts; a part comes after those it moves.

    Raises
    ------
    ModelError
        If a part would be carried by several.
    """
    depth = {wiring.pieces.hub: 0}
    reached = [wiring.pieces.hub]
    for part in reached:
        for cut in wiring.pieces.cuts_of(part):
            if (other := cut.other(part)) not in depth:
                depth[other] = depth[part] + 1
                reached.append(other)
    problems, found = [], []
    for part in reached[1:]:
        cuts = [cut for cut in wiring.pieces.cuts_of(part) if depth[cut.other(part)] <= depth[part]]
        carriers = list(dict.fromkeys(cut.other(part) for cut in cuts))
        if len(carriers) > 1:
            message = f"is held by {' and '.join(carriers)}, but only one of them can move it"
            problems.append(Problem(f"parts.{part}", message, "join parts, or choose penalty or denoc"))
        found.append((carriers[0], part, cuts))
    problems += [
        Problem(f"parts.{part}", "is connected to no other part", "export it as a model of its own")
        for part in wiring.models
        if part not in depth
    ]
    if problems:
        raise ModelError("parts", tuple(problems))
    return list(reversed(found))


def _move(wiring: Wiring, carrier: str, carried: str, freedom: _Freedom) -> None:
    """The motion of a port, from the part that makes it to the one that follows."""
    d, owner = freedom.direction, freedom.direction.owner(freedom.cut.port(carrier).place)
    kinds = (d.position, d.velocity, d.acceleration)
    units = (d.unit, f"{d.unit}/s", f"{d.unit}/s2")
    for kind, unit, rate in zip(kinds, units, (d.velocity, d.acceleration, ""), strict=True):
        output = Output(freedom.name(kind), parse(f"{owner}.{kind}"), unit, f"{kind} of {freedom.cut.name}")
        rate = freedom.name(rate) if rate else ""
        wiring.send(carrier, output, carried, freedom.name(kind), rate=rate, description=output.description)


def _drivers(cut: Cut, part: str, space: Space) -> list[Element]:
    place, planar, held = cut.port(part).place, space is Space.PLANAR, directions(space, cut.kind)
    given = [parse(f"{cut.name}_{d.position}") for d in held if not d.turning]
    displacement: Vector = (given[0], given[1], given[2] if len(given) > 2 else ZERO)
    moved = TranslationDriver(value=displacement, axis=None)
    drivers = [element_of(moved, f"{cut.name}_motion", (_GROUND, place), planar=planar)]
    for d in held:
        if d.turning:
            turned = RotationDriver(value=parse(f"{cut.name}_{d.position}"), axis=Z_AXIS)
            ends = (_GROUND, Attachment(place.body))
            drivers.append(element_of(turned, f"{cut.name}_turning", ends, planar=planar))
    return drivers


def _exerted(freedom: _Freedom) -> str:
    """The force or torque of the driver on the part that follows."""
    driver = "turning" if freedom.direction.turning else "motion"
    return f"{freedom.cut.name}_{driver}.{freedom.direction.through}"


def _answer(wiring: Wiring, carrier: str, carried: str, freedoms: list[_Freedom]) -> None:
    """Bias and condensed inertia, from the part that follows to the one that moves it."""
    accelerations = tuple(freedom.name(freedom.direction.acceleration) for freedom in freedoms)
    for number, freedom in enumerate(freedoms):
        exerted, unit = parse(_exerted(freedom)), freedom.direction.through_unit
        note = f"{freedom.direction.through} that {freedom.cut.name} takes without acceleration"
        bias = Output(f"{freedom.label}_bias", exerted, unit, note, without=accelerations)
        wiring.send(carried, bias, carrier, bias.name, description=note)
        for other in freedoms[: number + 1]:
            name = _inertia(freedom, other)
            by = other.name(other.direction.acceleration)
            unit = "kg" + {0: "", 1: ".m", 2: ".m2"}[freedom.direction.turning + other.direction.turning]
            note = f"{freedom.label} by {by}"
            wiring.send(carried, Output(name, exerted, unit, note, by=by), carrier, name, description=note)


def _inertia(one: _Freedom, other: _Freedom) -> str:
    return f"inertia_{one.label}_{other.label}"


def _load(carrier: str, freedom: _Freedom, freedoms: list[_Freedom]) -> str:
    """The load -(A a + b) on the part that moves a port."""
    number, terms = freedoms.index(freedom), [f"{freedom.label}_bias"]
    for index, other in enumerate(freedoms):
        name = _inertia(freedom, other) if index <= number else _inertia(other, freedom)
        owner = other.direction.owner(other.cut.port(carrier).place)
        terms.append(f"{name}*{owner}.{other.direction.acceleration}")
    return f"-({' + '.join(terms)})"
