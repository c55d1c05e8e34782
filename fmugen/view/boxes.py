"""Common parts of drawings of boxes and arrows, as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "HEADER",
    "INK",
    "MARGIN",
    "NARROW",
    "ORANGE",
    "WIDE",
    "Box",
    "opening",
    "rectangle",
    "text",
]

INK, GREY, _PAPER = "#1f2328", "#57606a", "#ffffff"
BLUE, GREEN, ORANGE = "#1d4ed8", "#15803d", "#c2410c"
_TINT = {BLUE: "#eff6ff", GREEN: "#f0fdf4", ORANGE: "#fff7ed"}
#: The height of the title, and the margin.
HEADER, MARGIN = 76.0, 24.0
#: Widths of an average character at the two sizes of text.
WIDE, NARROW = 7.4, 6.0


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.top + self.height / 2

    @property
    def right(self) -> float:
        return self.left + self.width


def opening(width: float, height: float, title: str, sentence: str) -> list[str]:
    """The beginning of a drawing: its paper, the head of arrows (``url(#box-head)``), title and sentence."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
        f'<defs><marker id="box-head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" '
        f'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1 L10 5 L0 9 z" '
        f'fill="{GREY}"/></marker></defs>',
        text(MARGIN, 30, title, size=18, bold=True),
        text(MARGIN, 54, sentence, size=13, colour=GREY),
    ]


def rectangle(place: Box, colour: str, *, radius: float) -> str:
    return (
        f'<rect x="{place.left:.1f}" y="{place.top:.1f}" width="{place.width:.1f}" '
        f'height="{place.height:.1f}" rx="{radius:.0f}" fill="{_TINT[colour]}" stroke="{colour}"/>'
    )


def text(x: float, y: float, content: str, *, size: int = 13, bold: bool = False, colour: str = INK) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{weight} fill="{colour}">{escape(content)}</text>'
    )
