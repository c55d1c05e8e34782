"""Method III: parts free at their ports, and a coupling step of its own that finds the wrenches (Khan 2.4).

Every part tells how its ports would accelerate without the wrenches at them, a0, and its mobility
G = da/dw. The coupling solves

    S w = -(a0_head - a0_tail + 2 sigma c' + sigma^2 c),        S = sum over the parts of +G (head), -G (tail)

for the wrenches w at all cuts, in one L D L^T factorization written out, and sends them back. S is symmetric
and positive definite as long as the cuts do not contradict each other. c are the gaps: they stay where they
are if sigma is 0, and vanish like exp(-sigma t) otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fmugen.cosim.cut import Cut, CutKind
from fmugen.cosim.penalty import turned
from fmugen.cosim.ports import COSINES, Direction, Wiring, directions, load_of
from fmugen.formulas import parse
from fmugen.ir.formula import Formula
from fmugen.ir.model import Input, Output, Parameter, Space, SystemModel

__all__ = ["COUPLING", "couple_centrally"]

#: The part that finds the wrenches.
COUPLING = "coupling"
_SIGMA = "sigma"


@dataclass(frozen=True)
class _Row:
    """A direction of a cut: one unknown wrench, one equation."""

    cut: Cut
    direction: Direction

    @property
    def wrench(self) -> str:
        return f"{self.cut.name}_{self.direction.through}"

    def sign(self, part: str) -> int:
        """The wrench acts on the head, and its opposite on the tail."""
        return 1 if self.cut.head.part == part else -1

    def holds(self, part: str) -> bool:
        return part in (self.cut.head.part, self.cut.tail.part)


def couple_centrally(wiring: Wiring, sigma: float = 10.0) -> None:
    """Wire all cuts to one coupling."""
    rows = [_Row(cut, d) for cut in wiring.pieces.cuts for d in directions(wiring.space, cut.kind)]
    parts = list(wiring.models)
    hub = wiring.models[wiring.pieces.hub]
    whole = hub.name.removesuffix(f"_{wiring.pieces.hub}")
    note = "rate at which gaps at the cuts vanish; 0 leaves them"
    wiring.models[COUPLING] = SystemModel(
        f"{whole}_{COUPLING}",
        f"coupling of the parts of {whole}",
        parameters=(Parameter(_SIGMA, sigma, "1/s", note, minimum=0.0),),
        experiment=hub.experiment,
    )
    for part in parts:
        own = [row for row in rows if row.holds(part)]
        _push(wiring, part, own)
        _tell(wiring, part, own)
    wiring.add(COUPLING, outputs=_solution(wiring.space, rows, parts))
    for part in parts:
        _receive(wiring, part, [row for row in rows if row.holds(part)])
    wiring.show_reactions("force")


def _push(wiring: Wiring, part: str, rows: list[_Row]) -> None:
    """The wrenches as loads on a part."""
    for cut in dict.fromkeys(row.cut for row in rows):
        values: dict[Direction, Formula] = {}
        for row in rows:
            if row.cut is cut:
                values[row.direction] = parse(row.wrench if row.sign(part) > 0 else f"-{row.wrench}")
        wiring.add(part, elements=load_of(cut, part, values, wiring.space))


def _receive(wiring: Wiring, part: str, rows: list[_Row]) -> None:
    stamp = wiring.stamp(COUPLING, part)
    for row in rows:
        given = Input(row.wrench, unit=row.direction.through_unit, description=_described(row), stamp=stamp)
        wiring.add(part, inputs=[given])
        wiring.connect(COUPLING, row.wrench, part, row.wrench)


def _described(row: _Row) -> str:
    return f"{row.direction.through} of {row.cut.name} on {row.cut.head.part}"


def _tell(wiring: Wiring, part: str, rows: list[_Row]) -> None:
    """Motion of ports, acceleration without wrenches, and mobility, from a part to the coupling."""
    wrenches = tuple(row.wrench for row in rows)
    sent: dict[str, Output] = {}
    for number, row in enumerate(rows):
        d, owner = row.direction, row.direction.owner(row.cut.port(part).place)
        motion = [(d.velocity, f"{d.unit}/s")]
        if d.position:
            motion.append((d.position, d.unit))
        elif wiring.space is Space.SPATIAL and row.cut.kind is CutKind.FRAME:
            motion += [(kind, "1") for kind in COSINES]
        for kind, unit in motion:
            name = f"{row.cut.name}_{kind}"
            sent[name] = Output(name, parse(f"{owner}.{kind}"), unit, f"{kind} of {row.cut.name}")
        acceleration = parse(f"{owner}.{d.acceleration}")
        name = f"{row.cut.name}_{d.acceleration}"
        note = f"{d.acceleration} of {row.cut.name} without wrenches at the cuts"
        sent[name] = Output(name, acceleration, f"{d.unit}/s2", note, without=wrenches)
        for other in rows[: number + 1]:
            name = _mobility(row, other)
            unit = "1/" + {0: "kg", 1: "(kg.m)", 2: "(kg.m2)"}[d.turning + other.direction.turning]
            note = f"{d.acceleration} of {row.cut.name} by {other.wrench}"
            sent[name] = Output(name, acceleration, unit, note, by=other.wrench)
    rates = {
        f"{row.cut.name}_{d.position}": f"{row.cut.name}_{d.velocity}"
        for row in rows
        if (d := row.direction).position
    }
    for output in sent.values():
        name, note = f"{part}_{output.name}", f"{output.description}, in {part}"
        rate = f"{part}_{rates[output.name]}" if output.name in rates else ""
        wiring.send(part, output, COUPLING, name, rate=rate, description=note)


def _mobility(row: _Row, other: _Row) -> str:
    return f"mobility_{row.wrench}_{other.wrench}"


def _solution(space: Space, rows: list[_Row], parts: list[str]) -> list[Output]:
    """S, its factors, and the wrenches, each by those before it.

    S = L D L^T with L_ii = 1 and F = L D; z solves L z = r, and L^T w = z / D.
    """
    size = range(len(rows))
    matrix = {(i, j): _entry(rows, i, j, parts) for i in size for j in range(i + 1)}
    factors = _Factors(matrix)
    for i in size:
        own = factors.add_row(i)
        right = factors.define(f"r_{i + 1}", _right(space, rows[i]))
        known = [f"{factors.lower(i, k)}*z_{k + 1}" for k in own]
        factors.define(f"z_{i + 1}", _minus(right, known))
    for i in reversed(size):
        row = rows[i]
        above = [f"{factors.lower(k, i)}*{rows[k].wrench}" for k in size if (k, i) in factors.filled]
        factors.define(row.wrench, _minus(f"z_{i + 1}/D_{i + 1}", above))
        last = factors.values[-1]
        factors.values[-1] = replace(last, unit=row.direction.through_unit, description=_described(row))
    return factors.values


class _Factors:
    """L, D and F = L D of a symmetric matrix of formulas, row by row, as outputs; zeros are left out."""

    def __init__(self, matrix: dict[tuple[int, int], str]) -> None:
        self.matrix = matrix
        self.values: list[Output] = []
        self.filled: set[tuple[int, int]] = set()

    def define(self, name: str, text: str) -> str:
        self.values.append(Output(name, parse(text)))
        return name

    def lower(self, i: int, j: int) -> str:
        return f"L_{i + 1}_{j + 1}"

    def add_row(self, i: int) -> list[int]:
        """Define a row of the factors; its columns that are not zero."""
        own: list[int] = []
        for j in range(i):
            terms = [self._product(i, j, k) for k in own if (j, k) in self.filled]
            if self.matrix[i, j] or terms:
                scaled = self.define(f"F_{i + 1}_{j + 1}", _minus(self.matrix[i, j] or "0", terms))
                self.define(self.lower(i, j), f"{scaled}/D_{j + 1}")
                self.filled.add((i, j))
                own.append(j)
        self.define(f"D_{i + 1}", _minus(self.matrix[i, i], [self._product(i, i, k) for k in own]))
        return own

    def _product(self, i: int, j: int, k: int) -> str:
        return f"F_{i + 1}_{k + 1}*{self.lower(j, k)}"


def _minus(first: str, terms: list[str]) -> str:
    return f"{first} - ({' + '.join(terms)})" if terms else first


def _entry(rows: list[_Row], i: int, j: int, parts: list[str]) -> str:
    """An entry of S: how the gap of row i accelerates by the wrench of row j, whose sign the mobility has."""
    terms = []
    for part in parts:
        if rows[i].holds(part) and rows[j].holds(part):
            sign = "+" if rows[i].sign(part) > 0 else "-"
            terms.append(f"{sign} {part}_{_mobility(rows[i], rows[j])}")
    return " ".join(terms)


def _right(space: Space, row: _Row) -> str:
    head, tail = f"{row.cut.head.part}_{row.cut.name}_", f"{row.cut.tail.part}_{row.cut.name}_"
    d = row.direction
    free = f"{head}{d.acceleration} - {tail}{d.acceleration}"
    rate = f"{head}{d.velocity} - {tail}{d.velocity}"
    gap = f"{head}{d.position} - {tail}{d.position}" if d.position else turned(tail, head, d.axis)
    return f"-({free} + 2*{_SIGMA}*({rate}) + {_SIGMA}^2*({gap}))"
