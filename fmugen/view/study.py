"""The findings of a study as an interactive page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fmugen.study import Findings, Study

__all__ = ["plot_study"]

_POINT_COLOUR = "#1f4e9c"
_BEST_COLOUR = "#b5432a"
#: More points than these make a page slow, and show nothing more.
_MOST_POINTS = 5000


def plot_study(title: str, study: Study, table: Any, findings: Findings, path: Path) -> None:
    """Write one self-contained page.

    A row for each measure: its distribution, then its values over each parameter, with the best run marked;
    and the influence of the parameters where the study tells it.
    """
    # Plotly takes a second to import; only this picture needs it.
    from plotly.graph_objects import Bar, Histogram, Scatter
    from plotly.subplots import make_subplots

    parameters, measures = list(study.variations), [measure.name for measure in study.measures]
    rows = len(measures) + bool(findings.influences)
    columns = 1 + len(parameters)
    figure = make_subplots(rows=rows, cols=columns, vertical_spacing=0.3 / rows)
    shown = _shown(findings)
    for row, name in enumerate(measures, start=1):
        values = table[name].to_numpy()
        figure.add_trace(Histogram(y=values, marker_color=_POINT_COLOUR), row, 1)
        figure.update_yaxes(title_text=name, row=row, col=1)
        figure.update_xaxes(title_text="runs", row=row, col=1)
        for column, parameter in enumerate(parameters, start=2):
            x = table[parameter].to_numpy()
            dots = {"color": _POINT_COLOUR, "size": 4, "opacity": 0.5}
            figure.add_trace(Scatter(x=x[shown], y=values[shown], mode="markers", marker=dots), row, column)
            if findings.best is not None:
                star = {"color": _BEST_COLOUR, "size": 11, "symbol": "star"}
                best = Scatter(
                    x=x[[findings.best]], y=values[[findings.best]], mode="markers", marker=star, name="best"
                )
                figure.add_trace(best, row, column)
            figure.update_xaxes(title_text=parameter, row=row, col=column)
    for number, name in enumerate(measures if findings.influences else ()):
        of_measure = [influence for influence in findings.influences if influence.measure == name]
        names = [influence.parameter for influence in of_measure]
        totals = [influence.total for influence in of_measure]
        bars = Bar(x=names, y=totals, name=f"influence on {name}", marker_color=_POINT_COLOUR)
        figure.add_trace(bars, rows, 1 + number % columns)
        figure.update_yaxes(title_text=f"influence on {name}", row=rows, col=1 + number % columns)
    figure.update_layout(
        title=f"{title}: {findings.runs} runs",
        height=120 + 300 * rows,
        template="plotly_white",
        showlegend=False,
    )
    figure.write_html(path, include_plotlyjs=True, full_html=True)


def _shown(findings: Findings) -> Any:
    """Runs drawn one by one: all, or as many spread over all."""
    stride = -(-findings.runs // _MOST_POINTS)
    return np.arange(0, findings.runs, stride)
