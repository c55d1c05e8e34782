"""A drawing of the solution flow as SVG: independent coordinates, blocks in order, what each block gives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import wrap
from xml.sax.saxutils import escape

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
from fmugen.view.closure import BlockSummary, ClosureSummary

__all__ = ["flow_svg"]

_INDEPENDENT, _EXACT, _ITERATED = BLUE, GREEN, ORANGE
_TIME = "time"
_LEGEND = 54.0
_CHIP_HEIGHT, _CHIP_GAP = 26.0, 10.0
_LINE = 18.0
_LONGEST_LINE = 64
_GAP_ACROSS, _GAP_DOWN = 90.0, 28.0


@dataclass(frozen=True)
class _Card:
    """A block as it is drawn; ``near`` are the needed coordinates that stand in the column before it."""

    block: BlockSummary
    heading: str
    lines: tuple[str, ...]
    near: tuple[str, ...]

    @property
    def colour(self) -> str:
        return _EXACT if self.block.is_exact else _ITERATED

    @property
    def width(self) -> float:
        longest = max((len(line) for line in self.lines), default=0)
        return 28.0 + max(WIDE * len(self.heading), NARROW * longest)

    @property
    def height(self) -> float:
        card = 34.0 + _LINE * len(self.lines) + 8.0
        return max(card, _chips_height(len(self.block.unknowns)))


def flow_svg(summary: ClosureSummary, title: str) -> str:
    """The flow from left to right: a block stands right of all that it needs."""
    plan = _Plan(summary)
    width, height = plan.size
    width = max(width, 2 * MARGIN + WIDE * max(1.3 * len(title), len(summary.sentence)), 480.0)
    body = [
        *opening(width, height, title, summary.sentence),
        *plan.drawn(),
        *_legend(width, height),
    ]
    return "\n".join([*body, "</svg>", ""])


class _Plan:
    """The layout. Arrows lead from one column to the next; inputs from further columns are listed by name."""

    def __init__(self, summary: ClosureSummary) -> None:
        is_timed = any(block.needs_time for block in summary.blocks)
        self.given = [*summary.independent, *summary.carried, *([_TIME] if is_timed else [])]
        self.sources: dict[str, Box] = {}
        levels = _levels(summary.blocks)
        level_of = dict.fromkeys(self.given, -1)
        for block, level in zip(summary.blocks, levels, strict=True):
            level_of.update(dict.fromkeys(block.unknowns, level))
        self.cards = [
            _card(number + 1, block, levels[number], level_of) for number, block in enumerate(summary.blocks)
        ]
        self._place(levels)

    def _place(self, levels: list[int]) -> None:
        columns: dict[int, list[int]] = defaultdict(list)
        for number, level in enumerate(levels):
            columns[level].append(number)
        heights = {level: _stack(self.cards[n].height for n in column) for level, column in columns.items()}
        chips = _chips_height(len(self.given))
        tallest = max([chips, *heights.values()], default=0.0)
        right = self._place_chips(self.given, MARGIN, HEADER + (tallest - chips) / 2)
        boxes: dict[int, Box] = {}
        for level in sorted(columns):
            left, top = right + _GAP_ACROSS, HEADER + (tallest - heights[level]) / 2
            width = max(self.cards[n].width for n in columns[level])
            for n in columns[level]:
                card = self.cards[n]
                boxes[n] = Box(left, top, width, card.height)
                first = top + (card.height - _chips_height(len(card.block.unknowns))) / 2
                right = max(right, self._place_chips(card.block.unknowns, left + width + 26.0, first))
                top += card.height + _GAP_DOWN
        self.places = [boxes[n] for n in range(len(self.cards))]
        self.size = (right + MARGIN, HEADER + tallest + _LEGEND + 20.0)

    def _place_chips(self, names: tuple[str, ...] | list[str], left: float, top: float) -> float:
        """Place coordinates below one another; where they end on the right."""
        right = left
        for name in names:
            self.sources[name] = Box(left, top, 24.0 + WIDE * len(name), _CHIP_HEIGHT)
            right = max(right, self.sources[name].right)
            top += _CHIP_HEIGHT + _CHIP_GAP
        return right

    def drawn(self) -> list[str]:
        """Lines first, so that cards lie over them."""
        lines = []
        for card, place in zip(self.cards, self.places, strict=True):
            lines += self._arrows(card, place)
        for name in self.given:
            lines.append(_chip(self.sources[name], name, _INDEPENDENT))
        for card, place in zip(self.cards, self.places, strict=True):
            lines += _drawn_card(card, place)
            lines += [_chip(self.sources[name], name, card.colour) for name in card.block.unknowns]
        return lines

    def _arrows(self, card: _Card, place: Box) -> list[str]:
        """From what the block needs, to what it gives."""
        needs = sorted(card.near, key=lambda name: self.sources[name].middle)
        arrows = []
        for rank, name in enumerate(needs, 1):
            source = self.sources[name]
            y = place.top + place.height * rank / (len(needs) + 1)
            arrows.append(_arrow(source.right, source.middle, place.left, y))
        for name in card.block.unknowns:
            chip = self.sources[name]
            arrows.append(_arrow(place.right, chip.middle, chip.left, chip.middle))
        return arrows


def _card(number: int, block: BlockSummary, level: int, level_of: dict[str, int]) -> _Card:
    loops = "loop" if len(block.loops) == 1 else "loops"
    heading = f"{number}. {loops} {', '.join(block.loops)}"
    needs = [*block.needs, *([_TIME] if block.needs_time else [])]
    near = tuple(name for name in needs if level_of[name] == level - 1)
    far = [name for name in needs if name not in near]
    lines = wrap(f"also needs {', '.join(far)}", _LONGEST_LINE) if far else []
    return _Card(block, heading, (*_solutions(block), *lines), near)


def _solutions(block: BlockSummary) -> list[str]:
    if not block.steps:
        unknowns = f"{len(block.unknowns)} unknown{'' if len(block.unknowns) == 1 else 's'}"
        return [f"{unknowns} by Newton, operations: {block.operations.total} an iteration"]
    lines = []
    for step in block.steps:
        roots = f"degree {step.degree}, {step.real_roots} real" if step.degree > 1 else "one root"
        lines.append(f"{step.unknown}: {step.equation}, {roots}, operations: {step.cost}")
    return lines


def _levels(blocks: tuple[BlockSummary, ...]) -> list[int]:
    """How many blocks must be solved before each, one after the other."""
    level_of: dict[str, int] = {}
    levels = []
    for block in blocks:
        level = max((level_of[name] + 1 for name in block.needs if name in level_of), default=0)
        level_of.update(dict.fromkeys(block.unknowns, level))
        levels.append(level)
    return levels


def _chips_height(count: int) -> float:
    return count * (_CHIP_HEIGHT + _CHIP_GAP) - _CHIP_GAP


def _stack(heights: Iterable[float]) -> float:
    values = list(heights)
    return sum(values) + _GAP_DOWN * (len(values) - 1)


def _arrow(x0: float, y0: float, x1: float, y1: float) -> str:
    reach = max(24.0, (x1 - x0) / 2) if x1 - x0 > 30.0 else (x1 - x0) / 2
    return (
        f'<path d="M{x0:.1f} {y0:.1f} C{x0 + reach:.1f} {y0:.1f} '
        f'{x1 - reach:.1f} {y1:.1f} {x1:.1f} {y1:.1f}" '
        f'fill="none" stroke="{GREY}" stroke-width="1.2" marker-end="url(#box-head)"/>'
    )


def _drawn_card(card: _Card, place: Box) -> list[str]:
    first = place.top + (place.height - 34.0 - _LINE * len(card.lines) - 8.0) / 2
    body = [
        rectangle(place, card.colour, radius=6),
        text(place.left + 14, first + 22, card.heading, bold=True),
    ]
    return body + [
        text(place.left + 14, first + 42 + _LINE * number, line, size=12, colour=GREY)
        for number, line in enumerate(card.lines)
    ]


def _chip(place: Box, name: str, colour: str) -> str:
    label = (
        f'<text x="{place.left + place.width / 2:.1f}" y="{place.middle + 4.5:.1f}" font-size="13" '
        f'text-anchor="middle" fill="{colour}">{escape(name)}</text>'
    )
    return rectangle(place, colour, radius=_CHIP_HEIGHT / 2) + label


def _legend(width: float, height: float) -> list[str]:
    entries = (
        ("independent", _INDEPENDENT),
        ("found in a fixed number of operations", _EXACT),
        ("found by iteration", _ITERATED),
    )
    y, x = height - 26.0, MARGIN
    lines = [
        f'<line x1="0" x2="{width:.0f}" y1="{height - 48:.0f}" y2="{height - 48:.0f}" stroke="#d0d7de"/>'
    ]
    for name, colour in entries:
        lines.append(
            rectangle(Box(x, y - 7, 22.0, 14.0), colour, radius=4) + text(x + 28, y + 4, name, size=12)
        )
        x += 48 + NARROW * len(name)
    return lines
