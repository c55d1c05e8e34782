"""Panels of curves as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

__all__ = ["Curve", "Panel", "write_panels"]

Numbers = Sequence[float] | np.ndarray

WIDTH, SIZE = 900, (372, 210)
COLOURS, GREY, DARK = ("#0969da", "#e9a820", "#1a7f37", "#cf222e", "#8250df"), "#d0d7de", "#24292f"
#: Where the left upper corners of the panels of a row are, and how high a row is.
_LEFTS, _TOP, _ROW = (64, 512), 34, 278


@dataclass(frozen=True)
class Curve:
    """A curve with its name, which may be empty."""

    name: str
    x: Numbers
    y: Numbers


@dataclass(frozen=True)
class Panel:
    title: str
    across: str
    up: str
    curves: Sequence[Curve] = field(default=())
    #: Whether the names of the curves are below, not above.
    names_below: bool = False


def write_panels(path: Path, panels: Sequence[Panel]) -> None:
    """Two panels in a row, as a file."""
    rows = (len(panels) + 1) // 2
    pieces = [
        piece
        for number, panel in enumerate(panels)
        for piece in _drawn(panel, (_LEFTS[number % 2], _TOP + _ROW * (number // 2)))
    ]
    height = _ROW * rows + 4
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
    style = f'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{DARK}"'
    paper = f'<rect width="{WIDTH}" height="{height}" fill="white"/>'
    path.write_text("\n".join([f"{head} {style}>", paper, *pieces, "</svg>", ""]), encoding="utf-8")


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from ``low`` to ``high``."""
    rough = (high - low) / 5
    power = 10.0 ** np.floor(np.log10(rough))
    step = min((m * power for m in (1, 2, 5, 10)), key=lambda size: abs(size - rough))
    numbers = range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1)
    return [float(step * k) for k in numbers]


def _drawn(panel: Panel, place: tuple[int, int]) -> Iterator[str]:
    """The axes, the curves and their names."""
    (left, top), (width, height) = place, SIZE
    ups = np.concatenate([np.asarray(curve.y, float) for curve in panel.curves])
    acrosses = np.concatenate([np.asarray(curve.x, float) for curve in panel.curves])
    low, high, first, last = ups.min(), ups.max(), acrosses.min(), acrosses.max()
    margin = 0.06 * (high - low)
    low, high = low - margin, high + margin

    def at(across: float, up: float) -> tuple[float, float]:
        return left + width * (across - first) / (last - first), top + height * (high - up) / (high - low)

    yield f'<text x="{left}" y="{top - 10}" font-weight="bold">{panel.title}</text>'
    for mark in _ticks(low, high):
        y = at(first, mark)[1]
        yield _line((left, y), (left + width, y))
        yield f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{mark:.6g}</text>'
    for mark in _ticks(first, last):
        x = at(mark, low)[0]
        yield _line((x, top), (x, top + height))
        yield f'<text x="{x:.1f}" y="{top + height + 16}" text-anchor="middle">{mark:.6g}</text>'
    middle = left + width / 2
    yield f'<text x="{middle}" y="{top + height + 34}" text-anchor="middle">{panel.across}</text>'
    yield f'<text x="{left + width}" y="{top - 10}" text-anchor="end">{panel.up}</text>'
    for number, curve in enumerate(panel.curves):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join("{:.1f},{:.1f}".format(*at(a, u)) for a, u in zip(curve.x, curve.y, strict=True))
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        if curve.name:
            below = height - 12 - 17 * len(panel.curves) if panel.names_below else 0
            where = f'x="{left + width - 8}" y="{top + 18 + below + 17 * number}" text-anchor="end"'
            yield f'<text {where} fill="{colour}">{curve.name}</text>'


def _line(a: Sequence[float], b: Sequence[float]) -> str:
    """A line of the grid."""
    return f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke="{GREY}"/>'
