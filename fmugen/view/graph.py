"""A drawing of the linear graphs, side by side, as SVG: branches bold, chords thin."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from fmugen.ir.graph import Domain, DomainGraph, Edge, LinearGraph, NetworkEdge, NetworkGraph, Rank, Role
from fmugen.ir.tree import SpanningTree, TreeSelection
from fmugen.view.layout import places_by_distance

__all__ = ["graphs_svg"]

_TITLES = {Domain.TRANSLATION: "T-graph", Domain.ROTATION: "R-graph"}
_MARGIN = 60.0
_HEADER = 64.0
#: How far captions stand above panels, and how wide a page is.
_CAPTION = 10.0
_PAGE = 1150.0
#: Of a legend of one row, and of every other row.
_LEGEND = 54.0
_LEGEND_ROW = 20.0
_LEGEND_LEFT = 24.0
_NODE_RADIUS = 6.0
#: How far parallel edges are bent apart, and by which part of their length their names are staggered.
_FAN = 44.0
_STAGGER = 0.14
_INK = "#1f2328"

_JOINT, _FORCE = "#c2410c", "#7e22ce"
_COLOURS: dict[Role | Rank, str] = {
    Role.BODY: "#1d4ed8",
    Role.ARM: "#57606a",
    Role.JOINT: _JOINT,
    Role.VIRTUAL: "#a16207",
    Role.DRIVER: "#15803d",
    Role.FORCE: _FORCE,
    Rank.ACROSS_DRIVER: "#15803d",
    Rank.CAPACITIVE: "#1d4ed8",
    Rank.COUPLED_ACROSS: "#a16207",
    Rank.RESISTIVE: _JOINT,
    Rank.INDUCTIVE: "#0f766e",
    Rank.COUPLED_THROUGH: "#a16207",
    Rank.THROUGH_DRIVER: _FORCE,
}
_FAMILIES: tuple[tuple[str, tuple[Role | Rank, ...]], ...] = (
    ("body", (Role.BODY,)),
    ("rigid arm", (Role.ARM,)),
    ("joint", (Role.JOINT,)),
    ("virtual joint", (Role.VIRTUAL,)),
    ("motion driver", (Role.DRIVER,)),
    ("force, gravity", (Role.FORCE,)),
    ("across driver", (Rank.ACROSS_DRIVER,)),
    ("capacitive", (Rank.CAPACITIVE,)),
    ("coupled", (Rank.COUPLED_ACROSS, Rank.COUPLED_THROUGH)),
    ("resistive", (Rank.RESISTIVE,)),
    ("inductive", (Rank.INDUCTIVE,)),
    ("through driver", (Rank.THROUGH_DRIVER,)),
)
#: How long an edge would like to be: points stay near their body, coincident points together.
_ARM, _HELD, _SLIDING = 0.8, 0.7, 0.9
_LONGEST = 1.4

XY = tuple[float, float]
_Graph = DomainGraph | NetworkGraph
_AnyEdge = Edge | NetworkEdge


def _sort(edge: _AnyEdge) -> Role | Rank:
    return edge.role if isinstance(edge, Edge) else edge.rank


@dataclass(frozen=True)
class _Panel:
    """One graph in its square of the drawing."""

    graph: _Graph
    tree: SpanningTree
    left: float
    top: float
    side: float
    #: Where its caption stands.
    caption: float


def graphs_svg(graph: LinearGraph, trees: TreeSelection, title: str) -> str:
    """The graphs of a mechanism and of its networks as one SVG image.

    Node positions come from a spring layout that depends on the graph alone, so that different trees
    of one mechanism give drawings that can be compared.
    """
    pairs = _pairs(graph, trees)
    panels, bottom = _laid_out(pairs)
    width = max(panel.left + panel.side for panel in panels)
    legend = list(_legend_rows([each for each, _ in pairs], width))
    height = bottom + _LEGEND + _LEGEND_ROW * (len(legend) - 1)
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _markers(),
        f'<text x="24" y="30" font-size="18" font-weight="bold" fill="{_INK}">{escape(title)}</text>',
    ]
    lengths = dict(_joint_lengths(graph))
    for panel in panels:
        body += _drawn(panel, lengths)
    body += _legend(legend, width, height)
    return "\n".join([*body, "</svg>", ""])


def _laid_out(pairs: Sequence[tuple[_Graph, SpanningTree]]) -> tuple[list[_Panel], float]:
    """Panels in rows no wider than a page, or than the first two, which are those of a mechanism.

    Also where the last row ends.
    """
    sides = [_side(graph) for graph, _ in pairs]
    widest = max(_PAGE, sum(sides[:2]))
    rows: list[list[int]] = [[]]
    for number, side in enumerate(sides):
        if rows[-1] and sum(sides[each] for each in rows[-1]) + side > widest:
            rows.append([])
        rows[-1].append(number)
    panels, top = [], _HEADER
    for row in rows:
        left, tallest = 0.0, max(sides[number] for number in row)
        for number in row:
            middle = top + (tallest - sides[number]) / 2
            panels.append(_Panel(*pairs[number], left, middle, sides[number], top - _CAPTION))
            left += sides[number]
        top += tallest + 2 * _CAPTION
    return panels, top - 2 * _CAPTION


def _pairs(graph: LinearGraph, trees: TreeSelection) -> list[tuple[_Graph, SpanningTree]]:
    """Graphs with their trees; a mechanism that is not there is not drawn."""
    pairs: list[tuple[_Graph, SpanningTree]] = list(zip(graph.networks, trees.networks, strict=True))
    if graph.translation.edges or not pairs:
        pairs = [(graph.domain(domain), trees.domain(domain)) for domain in Domain] + pairs
    return pairs


def _side(graph: _Graph) -> float:
    return max(380.0, 190.0 * math.sqrt(len(graph.nodes)))


def _markers() -> str:
    """An arrowhead for each colour: some viewers cannot take the colour of the line."""
    heads = [
        f'<marker id="{_head(colour)}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="10" '
        f'markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1 L10 5 L0 9 z" '
        f'fill="{colour}"/></marker>'
        for colour in dict.fromkeys(_COLOURS.values())
    ]
    return f"<defs>{''.join(heads)}</defs>"


def _head(colour: str) -> str:
    return f"head-{colour.removeprefix('#')}"


def _drawn(panel: _Panel, lengths: Mapping[str, float]) -> list[str]:
    """The edges, then the nodes over them, then the names over all."""
    places = _layout(panel, lengths)
    branches = set(panel.tree.branches)
    counted = f"{len(panel.graph.nodes)} nodes, {len(branches)} branches, {len(panel.tree.chords)} chords"
    lines = [
        f'<text x="{panel.left + 24:.0f}" y="{panel.caption:.0f}" font-size="13" '
        f'fill="#57606a">'
        f"{_title(panel.graph)}: {counted}</text>"
    ]
    labels: list[str] = []
    for edge, bend in _bends(panel.graph):
        curve = _Curve(places[edge.tail], places[edge.head], bend)
        towards_head = 0.5 + bend / _FAN * _STAGGER
        bold = edge.name in branches
        lines.append(_stroke(curve, edge, bold=bold))
        if _sort(edge) is not Role.ARM:  # an arm is named like the node at its head
            labels.append(_label(curve.at(towards_head), edge.name, _COLOURS[_sort(edge)], bold=bold))
    for node in panel.graph.nodes:
        lines.append(_node(places[node], ground=node == panel.graph.nodes[0]))
        x, y = _beside(node, panel.graph, places)
        half = 3.4 * len(node)  # names stay inside their panel
        x = min(max(x, panel.left + half), panel.left + panel.side - half)
        labels.append(_label((x, y), node, _INK, bold=False))
    return lines + labels


def _title(graph: _Graph) -> str:
    if isinstance(graph, DomainGraph):
        return _TITLES[graph.domain]
    return f"{graph.domain.value} network"


def _joint_lengths(graph: LinearGraph) -> Iterator[tuple[str, float]]:
    """How long the edges of joints would like to be, in either graph."""
    for edge in graph.translation.edges:
        if edge.role is Role.JOINT and edge.displacement.reaction and edge.freedoms < 2:
            yield edge.name, _SLIDING if edge.motion else _HELD


def _layout(panel: _Panel, lengths: Mapping[str, float]) -> dict[str, XY]:
    skeleton: dict[tuple[str, str], float] = {}
    for edge in panel.graph.edges:
        length = _ARM if _sort(edge) is Role.ARM else lengths.get(edge.name, _LONGEST)
        tail, head = sorted((edge.tail, edge.head))
        if tail != head:
            skeleton[tail, head] = min(length, skeleton.get((tail, head), _LONGEST))
    raw = places_by_distance(panel.graph.nodes, skeleton)
    columns = [[raw[node][axis] for node in panel.graph.nodes] for axis in (0, 1)]
    inner = panel.side - 2 * _MARGIN

    def scaled(value: float, among: list[float]) -> float:
        low, high = min(among), max(among)
        return inner / 2 if high - low < 1e-9 else inner * (value - low) / (high - low)

    return {
        node: (
            panel.left + _MARGIN + scaled(raw[node][0], columns[0]),
            panel.top + _MARGIN + scaled(raw[node][1], columns[1]),
        )
        for node in panel.graph.nodes
    }


def _beside(node: str, graph: _Graph, places: dict[str, XY]) -> XY:
    """Where the name of a node goes: on the side that its edges leave free."""
    others = [e.head if e.tail == node else e.tail for e in graph.edges if node in (e.tail, e.head)]
    x, y = places[node]
    towards = [_towards((0.0, 0.0), (places[o][0] - x, places[o][1] - y), 1.0) for o in others if o != node]
    free = (-sum(dx for dx, _ in towards), -sum(dy for _, dy in towards))
    if math.hypot(*free) < 0.2:  # edges all around: any side is as good as another
        free = (0.0, 1.0)
    dx, dy = _towards((0.0, 0.0), free, 1.0)
    return x + dx * (10.0 + 3.4 * len(node)), y + dy * 18.0


def _bends(graph: _Graph) -> list[tuple[_AnyEdge, float]]:
    """Edges with how far each is bent to its left; parallel edges fan out."""
    parallel: dict[frozenset[str], list[_AnyEdge]] = defaultdict(list)
    for edge in graph.edges:
        parallel[frozenset((edge.tail, edge.head))].append(edge)
    bends = []
    for fan in parallel.values():
        for rank, edge in enumerate(fan):
            bend = _FAN * (rank - (len(fan) - 1) / 2)
            # Seen from the other end, left is right.
            bends.append((edge, bend if edge.tail <= edge.head else -bend))
    return bends


@dataclass(frozen=True)
class _Curve:
    """A quadratic curve from tail to head, stopping short of the nodes."""

    tail: XY
    head: XY
    bend: float

    @property
    def control(self) -> XY:
        (x0, y0), (x1, y1) = self.tail, self.head
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        return (x0 + x1) / 2 + self.bend * (y1 - y0) / length, (y0 + y1) / 2 - self.bend * (x1 - x0) / length

    def at(self, fraction: float) -> XY:
        """The point at a fraction of the way from tail to head."""
        start, bow, end = (1 - fraction) ** 2, 2 * fraction * (1 - fraction), fraction**2
        (x0, y0), (x1, y1), (cx, cy) = self.tail, self.head, self.control
        return start * x0 + bow * cx + end * x1, start * y0 + bow * cy + end * y1

    @property
    def path(self) -> str:
        cx, cy = self.control
        x0, y0 = _towards(self.tail, self.control, _NODE_RADIUS)
        x1, y1 = _towards(self.head, self.control, _NODE_RADIUS + 1.5)
        return f"M{x0:.1f} {y0:.1f} Q{cx:.1f} {cy:.1f} {x1:.1f} {y1:.1f}"


def _towards(start: XY, target: XY, distance: float) -> XY:
    dx, dy = target[0] - start[0], target[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    return start[0] + distance * dx / length, start[1] + distance * dy / length


def _stroke(curve: _Curve, edge: _AnyEdge, *, bold: bool) -> str:
    use = "branch" if bold else "chord"
    return (
        f'<path d="{curve.path}" fill="none" stroke="{_COLOURS[_sort(edge)]}" '
        f'stroke-width="{3.2 if bold else 1.1}" marker-end="url(#{_head(_COLOURS[_sort(edge)])})">'
        f"<title>{escape(edge.name)}: {edge.label}, {use}</title></path>"
    )


def _label(place: XY, text: str, colour: str, *, bold: bool) -> str:
    return (
        f'<text x="{place[0]:.1f}" y="{place[1] + 4:.1f}" font-size="12" text-anchor="middle" '
        f'font-weight="{"bold" if bold else "normal"}" fill="{colour}" {_halo()}>{escape(text)}</text>'
    )


def _node(place: XY, *, ground: bool) -> str:
    x, y = place
    if ground:
        side = _NODE_RADIUS * 1.8
        return (
            f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}" '
            f'fill="{_INK}"/>'
        )
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_NODE_RADIUS}" fill="#ffffff" stroke="{_INK}"/>'


def _halo() -> str:
    return 'stroke="#ffffff" stroke-width="4" paint-order="stroke"'


@dataclass(frozen=True)
class _Entry:
    """A line of the legend's own, ``x`` from the left: what its colour or weight means."""

    x: float
    name: str
    colour: str
    weight: float


def _legend_rows(graphs: Sequence[_Graph], width: float) -> Iterator[list[_Entry]]:
    """The colours that occur, and what bold means; as many to a row as fit into the drawing."""
    present = {_sort(edge) for graph in graphs for edge in graph.edges}
    shown = [("branch", _INK, 3.2), ("chord", _INK, 1.1)]
    shown += [(name, _COLOURS[sorts[0]], 3.2) for name, sorts in _FAMILIES if present & set(sorts)]
    row: list[_Entry] = []
    x = _LEGEND_LEFT
    for name, colour, weight in shown:
        length = 46.0 + 7.0 * len(name)
        if row and x + length > width:
            yield row
            row, x = [], _LEGEND_LEFT
        row.append(_Entry(x, name, colour, weight))
        x += length
    yield row


def _legend(rows: Sequence[Sequence[_Entry]], width: float, height: float) -> Iterator[str]:
    top = height - 22.0 - _LEGEND_ROW * (len(rows) - 1)
    yield f'<line x1="0" x2="{width:.0f}" y1="{top - 22:.0f}" y2="{top - 22:.0f}" stroke="#d0d7de"/>'
    for number, row in enumerate(rows):
        y = top + _LEGEND_ROW * number
        for entry in row:
            yield (
                f'<line x1="{entry.x:.0f}" x2="{entry.x + 22:.0f}" y1="{y:.0f}" y2="{y:.0f}" '
                f'stroke="{entry.colour}" stroke-width="{entry.weight}"/>'
                f'<text x="{entry.x + 28:.0f}" y="{y + 4:.0f}" font-size="12" '
                f'fill="{_INK}">{entry.name}</text>'
            )
