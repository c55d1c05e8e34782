"""Method I: parts free at their ports, held together by virtual springs and dampers (Khan 2.2).

Each part sends the motion of its ports and computes, from its own state and the last it heard of the other,
the load k c + d c' on its own side.
"""

from __future__ import annotations

import math

from fmugen.cosim.cut import Cut, CutKind
from fmugen.cosim.ports import COSINES, Direction, Wiring, directions, load_of
from fmugen.formulas import parse
from fmugen.ir.formula import Formula
from fmugen.ir.model import Output, Parameter, Space

__all__ = ["hold_by_springs"]

_STIFFNESS, _DAMPING = "penalty_stiffness", "penalty_damping"


def hold_by_springs(wiring: Wiring, stiffness: float = 1e5) -> None:
    """Wire all cuts as virtual springs and dampers, with d = 2 sqrt(k) (Khan 4.1)."""
    for part in wiring.models:
        note = "of a virtual {} at a cut, per metre and per radian"
        parameters = [
            Parameter(_STIFFNESS, stiffness, "N/m", note.format("spring"), minimum=0.0),
            Parameter(_DAMPING, 2 * math.sqrt(stiffness), "N.s/m", note.format("damper"), minimum=0.0),
        ]
        wiring.add(part, parameters=parameters)
    for cut in wiring.pieces.cuts:
        for source, target in ((cut.tail.part, cut.head.part), (cut.head.part, cut.tail.part)):
            rates = {d.position: d.velocity for d in directions(wiring.space, cut.kind) if d.position}
            for kind, owner, unit in _sent(wiring.space, cut, source):
                output = Output(f"{cut.name}_{kind}", parse(f"{owner}.{kind}"), unit)
                other, note = f"{cut.name}_other", f"{kind} of {cut.name} in {source}"
                rate = f"{other}_{rates[kind]}" if kind in rates else ""
                wiring.send(source, output, target, f"{other}_{kind}", rate=rate, description=note)
        for part in (cut.tail.part, cut.head.part):
            values = {d: _pull(wiring.space, cut, part, d) for d in directions(wiring.space, cut.kind)}
            wiring.add(part, elements=load_of(cut, part, values, wiring.space))
    wiring.show_reactions("force")


def _sent(space: Space, cut: Cut, part: str) -> list[tuple[str, str, str]]:
    """The port quantities that a part sends: kind, owner and unit."""
    place = cut.port(part).place
    sent = []
    for d in directions(space, cut.kind):
        if d.position:
            sent.append((d.position, d.owner(place), d.unit))
        sent.append((d.velocity, d.owner(place), f"{d.unit}/s"))
    if space is Space.SPATIAL and cut.kind is CutKind.FRAME:
        sent += [(kind, place.body, "1") for kind in COSINES]
    return sent


def _pull(space: Space, cut: Cut, part: str, d: Direction) -> Formula:
    owner, other = d.owner(cut.port(part).place), f"{cut.name}_other"
    damper = f"{_DAMPING}*({other}_{d.velocity} - {owner}.{d.velocity})"
    if d.position:
        return parse(f"{_STIFFNESS}*({other}_{d.position} - {owner}.{d.position}) + {damper}")
    return parse(f"{_STIFFNESS}*({turned(owner + '.', other + '_', d.axis)}) + {damper}")


def turned(own: str, other: str, axis: int) -> str:
    """The small rotation from one frame to another about an axis: half the sum of e_j x e_j'."""
    first, second = "xyz"[(axis + 1) % 3], "xyz"[(axis + 2) % 3]
    crossed = " + ".join(
        f"{own}r{first}{j}*{other}r{second}{j} - {own}r{second}{j}*{other}r{first}{j}" for j in "xyz"
    )
    return f"({crossed})/2"
