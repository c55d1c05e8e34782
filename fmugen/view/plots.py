"""A verification as pictures: an interactive page, and a plain SVG that needs no library."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from fmugen.verify.verdict import Deviation, Verification

_REFERENCE_COLOUR = "#b8c4d6"
_FMU_COLOUR = "#1f4e9c"
_ERROR_COLOUR = "#b5432a"
_TEXT_COLOUR = "#333333"
_FONT = "Helvetica, Arial, sans-serif"

_WIDTH, _PANEL, _GAP = 720, 150, 46
_LEFT, _RIGHT, _TOP = 86, 20, 58


def plot_verification(verification: Verification, path_html: Path) -> Path:
    """Write one self-contained page: outputs, deviations, closure residual and energy imbalance."""
    # Plotly takes a second to import; only this picture needs it.
    from plotly.subplots import make_subplots

    errors = dict(_errors(verification))
    titles = [
        *(_title(signal) for signal in verification.outputs),
        "scaled deviation of all signals",
        *errors,
    ]
    rows = len(titles)
    figure = make_subplots(
        rows=rows, cols=1, shared_xaxes=True, subplot_titles=titles, vertical_spacing=min(0.05, 0.3 / rows)
    )
    for row, signal in enumerate(verification.outputs, start=1):
        figure.add_trace(
            _line(verification, signal.reference, "reference", _REFERENCE_COLOUR, 5, row), row, 1
        )
        figure.add_trace(_line(verification, signal.fmu, "FMU", _FMU_COLOUR, 1.6, row), row, 1)
    signals = (*verification.outputs, *verification.bodies, *verification.components)
    for number, signal in enumerate(signals):
        trace = _line(verification, signal.errors, signal.name, None, 1, number + 2)
        figure.add_trace(trace, rows - len(errors), 1)
    for row, (name, values) in enumerate(errors.items(), start=rows - len(errors) + 1):
        figure.add_trace(_line(verification, values, name, _ERROR_COLOUR, 1.4, 2), row, 1)
    figure.update_xaxes(title_text="time [s]", row=rows, col=1)
    figure.update_yaxes(exponentformat="e")
    figure.update_layout(
        title=f"{verification.model}: {_verdict(verification)}",
        height=150 + 210 * rows,
        template="plotly_white",
        hovermode="x",
    )
    figure.write_html(path_html, include_plotlyjs=True, full_html=True)
    return path_html


def _errors(verification: Verification) -> Iterator[tuple[str, Any]]:
    """The residuals over time, by name."""
    if verification.closure is not None:
        yield "closure residual", verification.closure
    if verification.energy is not None:
        yield "energy imbalance relative to the turnover", verification.energy.imbalance
    if verification.power is not None:
        for domain, values in verification.power.imbalance.items():
            yield f"sum of {domain} powers relative to what flows", values


def _line(
    verification: Verification, values: Any, name: str, colour: str | None, width: float, row: int
) -> Any:
    from plotly.graph_objects import Scatter

    line = {"width": width} | ({} if colour is None else {"color": colour})
    return Scatter(
        x=verification.times,
        y=values,
        name=name,
        line=line,
        mode="lines",
        legendgroup=name,
        showlegend=row == 1,
    )


def plot_svg(verification: Verification, path: Path, names: Collection[str] | None = None) -> Path:
    """Write the outputs, or those named, FMU over reference, as a small SVG."""
    panels = [signal for signal in verification.outputs if names is None or signal.name in names]
    name = html.escape(verification.model)
    height = _TOP + len(panels) * (_PANEL + _GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" font-family="{_FONT}" font-size="12" fill="{_TEXT_COLOUR}">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="15" font-weight="bold">{name}</text>',
        *_svg_legend(),
    ]
    for number, signal in enumerate(panels):
        lines += _svg_panel(verification, signal, _TOP + number * (_PANEL + _GAP))
    lines.append("</svg>")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _svg_legend() -> Iterator[str]:
    entries = (("reference", _REFERENCE_COLOUR, 5.0), ("FMU", _FMU_COLOUR, 1.6))
    for number, (name, colour, width) in enumerate(entries):
        x = _WIDTH - _RIGHT - 180 + 110 * number
        yield f'<path d="M{x} 18h26" stroke="{colour}" stroke-width="{width}"/>'
        yield f'<text x="{x + 32}" y="22">{name}</text>'


def _svg_panel(verification: Verification, signal: Deviation, top: int) -> Iterator[str]:
    times = verification.times
    low, high = float(np.min(signal.reference)), float(np.max(signal.reference))
    if high - low < signal.scale * 1e-3:  # nearly constant: show it as constant, without its rounding
        low, high = low - 0.5 * signal.scale, high + 0.5 * signal.scale
    span = _WIDTH - _LEFT - _RIGHT

    def path_of(values: Any) -> str:
        x = _LEFT + span * (times - times[0]) / (times[-1] - times[0])
        y = top + _PANEL - _PANEL * (np.asarray(values) - low) / (high - low)
        return "M" + "L".join(f"{a:.2f} {b:.2f}" for a, b in zip(x, y, strict=True))

    yield f'<text x="{_LEFT}" y="{top - 8}">{html.escape(_title(signal))}</text>'
    yield (f'<rect x="{_LEFT}" y="{top}" width="{span}" height="{_PANEL}" fill="none" stroke="#dddddd"/>')
    for value, y in ((high, top + 4), (low, top + _PANEL + 4)):
        yield f'<text x="{_LEFT - 8}" y="{y}" text-anchor="end">{value:.4g}</text>'
    for value, x, anchor in ((times[0], _LEFT, "start"), (times[-1], _LEFT + span, "end")):
        yield f'<text x="{x}" y="{top + _PANEL + 16}" text-anchor="{anchor}">{value:.4g} s</text>'
    for values, colour, width in (
        (signal.reference, _REFERENCE_COLOUR, 5.0),
        (signal.fmu, _FMU_COLOUR, 1.6),
    ):
        yield (
            f'<path d="{path_of(values)}" fill="none" stroke="{colour}" stroke-width="{width}" '
            'stroke-linejoin="round"/>'
        )


def _title(signal: Deviation) -> str:
    unit = "" if signal.unit == "1" else f" [{signal.unit}]"
    return f"{signal.name}{unit}, largest deviation {signal.largest:.1e}"


def _verdict(verification: Verification) -> str:
    word = "passed" if verification.passed else "failed"
    return f"{word} at tolerance {verification.tolerance:g}, largest deviation {verification.largest:.1e}"
