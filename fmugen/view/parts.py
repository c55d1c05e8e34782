"""A drawing of a split system as SVG: a box for every FMU, arrows for the values they exchange."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap

import networkx as nx

from fmugen.ir.split import SYSTEM, Connection, Part, SplitSystem
from fmugen.units import Unit, parse_unit
from fmugen.view.boxes import (
    BLUE,
    GREEN,
    GREY,
    HEADER,
    MARGIN,
    NARROW,
    ORANGE,
    WIDE,
    Box,
    opening,
    rectangle,
    text,
)

__all__ = ["parts_svg"]

_LINE, _GAP = 18.0, 34.0
_LONGEST_LINE = 44
#: How far apart the arrows there and back are, and how far their labels stand off.
_APART, _OFF = 7.0, 6.0
#: Room for two labels beside a box.
_ROOM = 2 * (_APART + _OFF + 12.0)
#: The order in which kinds of numbers are told.
_KINDS = (
    "position",
    "direction",
    "velocity",
    "acceleration",
    "mobility",
    "force",
    "torque",
    "inertia",
    "time",
)
#: How far an arrow between boxes of one column goes out.
_LOOP = 46.0


@dataclass(frozen=True)
class _Link:
    """What two parts exchange, as it is written: ``there`` from the first to the second, and back."""

    first: str
    second: str
    there: str
    back: str

    @property
    def length(self) -> float:
        return NARROW * max(len(self.there), len(self.back))


def parts_svg(system: SplitSystem, notes: Mapping[str, str]) -> str:
    """The part with the most connections is on the left, then its neighbours, and so on.

    ``notes`` are lines that go into the boxes of parts.
    """
    cards = {part.name: _card(system, part, notes.get(part.name, "")) for part in system.parts}
    links = _links(system)
    columns = _columns(system, links)
    places, size = _placed(cards, links, columns)
    title = f"{system.name}, {system.method.value}: {len(system.parts)} FMUs"
    sentence = f"{len(list(system.exchanged))} numbers from FMU to FMU at every exchange"
    width = max(size[0], 2 * MARGIN + WIDE * max(1.3 * len(title), len(sentence)))
    body = opening(width, size[1], title, sentence)
    level = {name: number for number, column in enumerate(columns) for name in column}
    for link in links:
        body += _drawn(link, places, level)
    for part in system.parts:
        colour = BLUE if part.name in columns[0] else GREEN
        body += _box(places[part.name], part.name, cards[part.name], colour if part.bodies else ORANGE)
    return "\n".join([*body, "</svg>", ""])


# --- what is written ------------------------------------------------------------------------------


def _card(system: SplitSystem, part: Part, note: str) -> list[str]:
    """The lines of a box below the name of its part."""
    inputs = [c.input for c in system.connections if (c.source, c.target) == (SYSTEM, part.name)]
    shown = sum((c.source, c.target) == (part.name, SYSTEM) for c in system.connections)
    texts = [", ".join(part.bodies) or "no body"]
    texts += [f"from outside: {', '.join(inputs)}"] if inputs else []
    texts += [f"shows {shown} output{'' if shown == 1 else 's'}"] if shown else []
    return [line for given in (*texts, note) for line in wrap(given, _LONGEST_LINE)]


def _links(system: SplitSystem) -> list[_Link]:
    units = {(part.name, output.name): output.unit for part in system.parts for output in part.model.outputs}
    exchanged = list(system.exchanged)
    pairs = dict.fromkeys(tuple(sorted((c.source, c.target))) for c in exchanged)
    return [
        _Link(one, other, _told(exchanged, units, one, other), _told(exchanged, units, other, one))
        for one, other in pairs
    ]


def _told(exchanged: list[Connection], units: Mapping[tuple[str, str], str], source: str, target: str) -> str:
    """How many numbers of which kind go from one part to another."""
    sent = [c for c in exchanged if (c.source, c.target) == (source, target)]
    kinds = Counter(_kind(units[c.source, c.output]) for c in sent)
    ordered = sorted(kinds, key=lambda kind: _KINDS.index(kind) if kind in _KINDS else -1)
    return ", ".join(f"{kinds[kind]} {kind}" for kind in ordered)


def _kind(unit: str) -> str:
    """What a unit measures in mechanics."""
    match parse_unit(unit):
        case Unit(kg=0, m=0, s=1):
            return "time"
        case Unit(kg=0, m=0, s=0, rad=0):
            return "direction"
        case Unit(kg=0, s=0):
            return "position"
        case Unit(kg=0, s=-1):
            return "velocity"
        case Unit(kg=0, s=-2):
            return "acceleration"
        case Unit(kg=1, m=1, s=-2):
            return "force"
        case Unit(kg=1, m=2, s=-2):
            return "torque"
        case Unit(kg=1, s=0):
            return "inertia"
        case Unit(kg=-1, s=0):
            return "mobility"
    return unit


# --- where it stands ------------------------------------------------------------------------------


def _columns(system: SplitSystem, links: list[_Link]) -> list[list[str]]:
    """Parts by how many others are between them and the one that most are linked with."""
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(part.name for part in system.parts)
    graph.add_edges_from((link.first, link.second) for link in links)
    order = {part.name: number for number, part in enumerate(system.parts)}
    hub = max(graph, key=lambda name: (graph.degree[name], -order[name]))
    distance = nx.single_source_shortest_path_length(graph, hub)
    far = max(distance.values()) + 1
    ranked = sorted(order, key=lambda name: (distance.get(name, far), order[name]))
    return [list(names) for _, names in groupby(ranked, key=lambda name: distance.get(name, far))]


def _placed(
    cards: Mapping[str, list[str]], links: list[_Link], columns: list[list[str]]
) -> tuple[dict[str, Box], tuple[float, float]]:
    """A box for every part, and the size of the drawing; a column of one box is as high as the others."""
    heights = {name: max(36.0 + _LINE * len(lines), _ROOM) for name, lines in cards.items()}
    needed = [sum(heights[name] for name in column) + _GAP * (len(column) - 1) for column in columns]
    tallest = max(needed)
    level = {name: number for number, column in enumerate(columns) for name in column}
    places: dict[str, Box] = {}
    left = MARGIN
    for number, column in enumerate(columns):
        width = max(_width(name, cards[name]) for name in column)
        top = HEADER + (0.0 if len(column) == 1 else (tallest - needed[number]) / 2)
        for name in column:
            height = tallest if len(column) == 1 else heights[name]
            places[name] = Box(left, top, width, height)
            top += height + _GAP
        left += width + max(_lengths_after(number, links, level), default=0.0) + 2 * MARGIN
    return places, (left - MARGIN, HEADER + tallest + MARGIN)


def _width(name: str, lines: list[str]) -> float:
    return 28.0 + max(WIDE * len(name), *(NARROW * len(line) for line in lines))


def _lengths_after(column: int, links: list[_Link], level: Mapping[str, int]) -> Iterator[float]:
    """The lengths of the links to the next column, and of those that leave a column and return to it."""
    for link in links:
        ends = {level[link.first], level[link.second]}
        if ends == {column, column + 1}:
            yield link.length
        elif ends == {column}:
            yield _LOOP + link.length


# --- how it is drawn ------------------------------------------------------------------------------


def _drawn(link: _Link, places: Mapping[str, Box], level: Mapping[str, int]) -> list[str]:
    first, second = link.first, link.second
    there, back = link.there, link.back
    if level[first] == level[second]:
        return _beside(places[first], places[second], there, back)
    if level[first] > level[second]:
        first, second, there, back = second, first, back, there
    near, far = places[first], places[second]
    # Level, where the higher of both reaches the middle of the other.
    y, end = (
        (near.middle, _within(far, near.middle))
        if near.height < far.height
        else (_within(near, far.middle), far.middle)
    )
    lines = []
    if there:
        lines.append(_arrow(near.right, y - _APART, far.left, end - _APART))
        lines.append(text(near.right + 16, y - _APART - _OFF, there, size=12, colour=GREY))
    if back:
        lines.append(_arrow(far.left, end + _APART, near.right, y + _APART))
        lines.append(text(near.right + 16, y + _APART + _OFF + 8, back, size=12, colour=GREY))
    return lines


def _within(place: Box, y: float) -> float:
    return min(max(y, place.top + _ROOM / 2), place.top + place.height - _ROOM / 2)


def _beside(one: Box, other: Box, there: str, back: str) -> list[str]:
    """Between boxes of one column: out to the right and back, downwards inside of upwards."""
    lines = []
    for begin, end, told in ((one, other, there), (other, one, back)):
        if told:
            side = _APART if begin.top < end.top else -_APART
            x, y0, y1 = begin.right, begin.middle + _APART, end.middle - _APART
            out = x + _LOOP - side
            lines.append(_curve(f"M{x:.1f} {y0:.1f} C{out:.1f} {y0:.1f} {out:.1f} {y1:.1f} {x:.1f} {y1:.1f}"))
            lines.append(text(x + _LOOP, (y0 + y1) / 2 + 4 - 2 * side, told, size=12, colour=GREY))
    return lines


def _arrow(x0: float, y0: float, x1: float, y1: float) -> str:
    bend = (x0 + x1) / 2
    return _curve(f"M{x0:.1f} {y0:.1f} C{bend:.1f} {y0:.1f} {bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}")


def _curve(path: str) -> str:
    return f'<path d="{path}" fill="none" stroke="{GREY}" stroke-width="1.2" marker-end="url(#box-head)"/>'


def _box(place: Box, name: str, lines: list[str], colour: str) -> list[str]:
    first = place.top + (place.height - 36.0 - _LINE * len(lines)) / 2
    body = [rectangle(place, colour, radius=6), text(place.left + 14, first + 23, name, bold=True)]
    return body + [
        text(place.left + 14, first + 44 + _LINE * number, line, size=12, colour=GREY)
        for number, line in enumerate(lines)
    ]
