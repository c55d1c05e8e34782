"""Curves over time with a logarithmic scale, as a small SVG."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

__all__ = ["Curve", "curves_svg"]

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 860, 420, 70, 40, 190, 40
_COLOURS = ("#1b6ca8", "#d1495b", "#3a7d44", "#8d6a9f", "#e08e2b", "#5c677d", "#00798c", "#a23b72", "#6b4226")


@dataclass(frozen=True)
class Curve:
    name: str
    times: Sequence[float]
    values: Sequence[float]


def curves_svg(title: str, curves: Sequence[Curve], low: float = 1e-16) -> str:
    """Draw curves; what is below ``low`` is drawn there."""
    positive = [max(v, low) for curve in curves for v in curve.values]
    bottom, top = floor(log10(min(positive))), floor(log10(max(positive))) + 1
    end = max(time for curve in curves for time in curve.times)
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x(time: float) -> float:
        return _LEFT + wide * time / end

    def y(value: float) -> float:
        return _TOP + high * (top - log10(max(value, low))) / (top - bottom)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" font-family="sans-serif" font-size="12" fill="#222222">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="15" font-weight="bold">{html.escape(title)}</text>',
    ]
    for power in range(bottom, top + 1, max(1, (top - bottom) // 8)):
        level = y(10.0**power)
        lines.append(f'<path d="M{_LEFT} {level:.1f}h{wide}" stroke="#dddddd"/>')
        lines.append(f'<text x="{_LEFT - 8}" y="{level + 4:.1f}" text-anchor="end">1e{power}</text>')
    for n in range(4):
        time = end * n / 3
        lines.append(f'<text x="{x(time):.1f}" y="{_HEIGHT - 16}" text-anchor="middle">{time:g} s</text>')
    for n, curve in enumerate(curves):
        colour = _COLOURS[n % len(_COLOURS)]
        dash = ' stroke-dasharray="6 3"' if n >= len(_COLOURS) else ""
        points = "L".join(f"{x(t):.1f} {y(v):.1f}" for t, v in zip(curve.times, curve.values, strict=True))
        lines.append(f'<path d="M{points}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>')
        row = _TOP + 18 * n + 10
        lines.append(
            f'<path d="M{_WIDTH - _RIGHT + 14} {row - 4}h22" stroke="{colour}" stroke-width="2"{dash}/>'
        )
        lines.append(f'<text x="{_WIDTH - _RIGHT + 42}" y="{row}">{html.escape(curve.name)}</text>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"
