"""A trajectory as an interactive page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fmugen.verify.simulate import Trajectory

__all__ = ["plot_trajectory"]


def plot_trajectory(title: str, trajectory: Trajectory, units: Mapping[str, str], path: Path) -> None:
    """Write one self-contained page with a panel for each unit."""
    # Plotly takes a second to import; only this picture needs it.
    from plotly.graph_objects import Scatter
    from plotly.subplots import make_subplots

    panels = list(dict.fromkeys(units[name] for name in trajectory.values))
    rows = max(len(panels), 1)
    figure = make_subplots(rows=rows, cols=1, shared_xaxes=True, vertical_spacing=min(0.06, 0.3 / rows))
    for name, values in trajectory.values.items():
        row = panels.index(units[name]) + 1
        figure.add_trace(Scatter(x=trajectory.times, y=values, name=name, mode="lines"), row, 1)
    for row, unit in enumerate(panels, start=1):
        figure.update_yaxes(title_text=unit, exponentformat="e", row=row, col=1)
    figure.update_xaxes(title_text="time [s]", row=rows, col=1)
    figure.update_layout(title=title, height=150 + 260 * rows, template="plotly_white", hovermode="x")
    figure.write_html(path, include_plotlyjs=True, full_html=True)
