"""A mechanism at one instant as SVG: the animation's picture for static pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

import numpy as np

from fmugen.components import base as components
from fmugen.verify.rotations import Array, matrices
from fmugen.view.report.poses import Poses
from fmugen.view.report.scene import Connector, Marker, Outline, Scene, Spot, Symbol

__all__ = ["COLOURS", "GROUND_COLOUR", "drawing_svg", "drawings_svg"]

#: The colours of bodies, in turn.
COLOURS = ("#1d4ed8", "#c2410c", "#15803d", "#7e22ce", "#0f766e", "#a16207", "#be185d", "#475569")
GROUND_COLOUR = "#1f2328"
_GREY = "#8c959f"
_WIDTH, _TALLEST, _LOWEST, _MARGIN = 720.0, 460.0, 160.0, 48.0
_COILS = 12
#: The height of the title of one of several drawings.
_TITLE = 40.0


def drawing_svg(scene: Scene, poses: Poses, title: str) -> str:
    """The mechanism at the first of ``poses``, with the names of its bodies."""
    return _page(_Canvas(scene, [poses]), title)


def drawings_svg(scene: Scene, all_poses: Sequence[Poses], titles: Sequence[str], columns: int) -> str:
    """The mechanism at several poses side by side, all in one scale, each under its title."""
    canvases = [_Canvas(scene, [poses, *all_poses]) for poses in all_poses]
    width, height = _WIDTH, max(canvas.height for canvas in canvases) + _TITLE
    rows = -(-len(canvases) // columns)
    columns = min(columns, len(canvases))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns * width:.0f} {rows * height:.0f}" '
        f'width="{columns * width / 2:.0f}" height="{rows * height / 2:.0f}" '
        'font-family="Helvetica, Arial, sans-serif">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for place, (canvas, title) in enumerate(zip(canvases, titles, strict=True)):
        x, y = place % columns * width, place // columns * height
        lines += [
            f'<svg x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}">',
            f'<rect x="6" y="6" width="{width - 12:.0f}" height="{height - 12:.0f}" fill="none" '
            'stroke="#d0d7de" rx="10"/>',
            f'<text x="24" y="42" font-size="26" font-weight="bold" fill="{GROUND_COLOUR}">'
            f"{escape(title)}</text>",
            f'<g transform="translate(0 {_TITLE:.0f})">',
            *canvas.drawn(),
            "</g></svg>",
        ]
    return "\n".join([*lines, "</svg>", ""])


def _page(canvas: _Canvas, title: str) -> str:
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:.0f} {canvas.height:.0f}" '
        f'width="{_WIDTH:.0f}" height="{canvas.height:.0f}" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *canvas.drawn(),
    ]
    return "\n".join([*body, "</svg>", ""])


class _Canvas:
    """The scene seen by its camera, at the first of some poses; all of them have room."""

    def __init__(self, scene: Scene, framed: Sequence[Poses]) -> None:
        self._scene = scene
        found = []
        for poses in (*framed[1:], framed[0]):
            self._coordinates = {body: q[0] for body, q in poses.coordinates.items()}
            self._origins, self._rotations = poses.origins[0], matrices(poses.attitudes[0])
            found += [self._in_view(spot) for spot in _places(scene)]
        places = np.array(found)[:, :2]
        low, high = places.min(axis=0), places.max(axis=0)
        self._middle = (low + high) / 2
        room = np.array([_WIDTH, _TALLEST]) - 2 * _MARGIN
        self._scale = float(np.min(room / np.maximum(high - low, 1e-3 * scene.radius)))
        self.height = max(self._scale * float(high[1] - low[1]) + 2 * _MARGIN, _LOWEST)

    def drawn(self) -> Iterator[str]:
        scene = self._scene
        yield from (self._floor_line(line) for line in scene.floor)
        yield from (self._connector(connector) for connector in scene.connectors)
        yield from (self._outline(rail, _GREY) for rail in scene.rails)
        far_first = sorted(scene.outlines, key=self._depth)
        yield from (self._outline(outline, self._colour(outline.body)) for outline in far_first)
        for marker in scene.markers:
            yield from self._marker(marker)
        yield from (self._label(label) for label in scene.labels)

    def _in_view(self, spot: Spot) -> Array:
        """A place in the axes of the camera: right, up, towards the eye."""
        body, place = spot.body, np.array(spot.position)
        if spot.station is not None:
            place = self._scene.stations[spot.station].displaced(self._coordinates[body])
        world = self._origins[body] + self._rotations[body] @ place
        result: Array = self._scene.camera @ (world - self._scene.center)
        return result

    def _seen(self, spot: Spot) -> Array:
        """A place on the paper, and how near it is."""
        view = self._in_view(spot)
        x, y = (view[:2] - self._middle) * self._scale
        return np.array([_WIDTH / 2 + x, self.height / 2 - y, view[2]])

    def _depth(self, outline: Outline) -> float:
        return float(np.mean([self._seen(spot)[2] for spot in outline.spots]))

    def _colour(self, body: int) -> str:
        return GROUND_COLOUR if body == len(self._scene.bodies) else COLOURS[body % len(COLOURS)]

    def _outline(self, outline: Outline, colour: str) -> str:
        path = _path([self._seen(spot) for spot in outline.spots])
        if outline.filled:
            return (
                f'<path d="{path}Z" fill="{colour}" fill-opacity="0.16" stroke="{colour}" '
                'stroke-width="2" stroke-linejoin="round"/>'
            )
        width = 6.0 if outline.thick else 1.2 if outline.stations else 2.5
        line = f'stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"'
        return f'<path d="{path}" {line} fill="none"/>'

    def _floor_line(self, line: Outline) -> str:
        path = _path([self._seen(spot) for spot in line.spots])
        return f'<path d="{path}" stroke="#e4e8ec"/>'

    def _connector(self, connector: Connector) -> str:
        tail, head = (self._seen(spot) for spot in (connector.tail, connector.head))
        name = f"<title>{escape(connector.name)}</title>"
        if connector.symbol is components.Symbol.SPRING:
            coil = _path(_coil(tail[:2], head[:2]))
            return f'<path d="{coil}" stroke="#0f766e" stroke-width="1.6" fill="none">{name}</path>'
        driver = connector.symbol is components.Symbol.DRIVER
        style = 'stroke-width="2" stroke-dasharray="2 4"' if driver else 'stroke-width="4"'
        return f'<path d="{_path([tail, head])}" stroke="{_GREY}" {style}>{name}</path>'

    def _marker(self, marker: Marker) -> Iterator[str]:
        x, y, _ = self._seen(marker.spot)
        colour = self._colour(marker.spot.body)
        if marker.spot.body == len(self._scene.bodies) and marker.symbol is not Symbol.POINT:
            yield _support(x, y)
        name = f"<title>{escape(marker.name)}</title>" if marker.name else ""
        match marker.symbol:
            case Symbol.PIN | Symbol.BALL:
                fill = "#ffffff" if marker.symbol is Symbol.PIN else colour
                ring = f'fill="{fill}" stroke="{GROUND_COLOUR}" stroke-width="1.6"'
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" {ring}>{name}</circle>'
            case Symbol.WELD:
                square = f'x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"'
                yield f'<rect {square} fill="{colour}">{name}</rect>'
            case Symbol.CENTER:
                cross = f"M{x - 4:.1f} {y:.1f}h8M{x:.1f} {y - 4:.1f}v8"
                yield f'<path d="{cross}" stroke="{colour}" stroke-width="1"/>'
            case Symbol.POINT:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colour}"/>'

    def _label(self, label: Marker) -> str:
        x, y, _ = self._seen(label.spot)
        return (
            f'<text x="{x + 9:.1f}" y="{y - 9:.1f}" font-size="13" fill="{self._colour(label.spot.body)}" '
            f'stroke="#ffffff" stroke-width="4" paint-order="stroke">{escape(label.name)}</text>'
        )


def _places(scene: Scene) -> Iterator[Spot]:
    for outline in (*scene.outlines, *scene.rails):
        yield from outline.spots
    yield from (marker.spot for marker in scene.markers)
    for connector in scene.connectors:
        yield from (connector.tail, connector.head)


def _path(places: Sequence[Array]) -> str:
    return "M" + "L".join(f"{place[0]:.1f} {place[1]:.1f}" for place in places)


def _coil(tail: Array, head: Array) -> list[Array]:
    """A zigzag from tail to head."""
    way = head - tail
    length = float(np.linalg.norm(way)) or 1.0
    across = np.array([-way[1], way[0]]) / length * 6.0
    inner = [
        tail + way * (0.15 + 0.7 * (rank + 0.5) / _COILS) + across * (1.0 if rank % 2 else -1.0)
        for rank in range(_COILS)
    ]
    return [tail, tail + 0.15 * way, *inner, tail + 0.85 * way, head]


def _support(x: float, y: float) -> str:
    """The hatched triangle under a joint that is fixed to the ground."""
    hatching = "".join(f"M{x + shift:.1f} {y + 13:.1f}l-4 5" for shift in (-7, -1, 5, 11))
    return (
        f'<path d="M{x:.1f} {y:.1f}l-9 13h18z" fill="#eaeef2" stroke="{GROUND_COLOUR}"/>'
        f'<path d="M{x - 12:.1f} {y + 13:.1f}h24{hatching}" stroke="{GROUND_COLOUR}"/>'
    )
