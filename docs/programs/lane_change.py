"""Draw the lane change of the car as Uchida's figures 6.4 and 6.5 do, from its FMU.

python docs/programs/lane_change.py [examples/vehicle_double_wishbone/lane_change.svg]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import fmpy
import numpy as np

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/vehicle_double_wishbone"
STOP, STEP = 5.0, 0.02

WIDTH, HEIGHT, PANEL = 900, 560, (372, 210)
COLOURS, GREY, DARK = ("#0969da", "#e9a820"), "#d0d7de", "#24292f"
#: Of a panel: where its left upper corner is on the paper.
PLACES = ((64, 34), (512, 34), (64, 312), (512, 312))


@dataclass(frozen=True)
class Panel:
    """Curves by name over an abscissa; ``scale`` takes them to the unit that is drawn."""

    title: str
    across: str
    up: str
    abscissa: str
    curves: tuple[tuple[str, str], ...]
    scale: float = 1.0


DEGREE = 180 / np.pi
PANELS = (
    Panel("trajectory", "x [m]", "y [m]", "x", (("y", ""),)),
    Panel(
        "roll and pitch", "time [s]", "angle [deg]", "time", (("roll", "roll"), ("pitch", "pitch")), DEGREE
    ),
    Panel(
        "upper-arm angles",
        "time [s]",
        "angle [deg]",
        "time",
        (("front_left.upper_angle", "front left"), ("rear_left.upper_angle", "rear left")),
        DEGREE,
    ),
    Panel(
        "lateral tyre forces",
        "time [s]",
        "force [kN]",
        "time",
        (("front_left.lateral_force", "front left"), ("rear_left.lateral_force", "rear left")),
        1e-3,
    ),
)


def main(path: Path) -> None:
    """Run the FMU and write the picture."""
    names = sorted({name for panel in PANELS for name, _ in panel.curves} | {"x"})
    with tempfile.TemporaryDirectory() as folder:
        fmu = Path(folder) / "car.fmu"
        export_fmu(read_model(EXAMPLE / "model.toml"), fmu, ExportOptions("kingpin"))
        found = fmpy.simulate_fmu(str(fmu), stop_time=STOP, output_interval=STEP, output=names)
    pieces = [
        piece for panel, place in zip(PANELS, PLACES, strict=True) for piece in drawn(panel, place, found)
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
    style = f'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{DARK}"'
    paper = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    path.write_text("\n".join([f"{head} {style}>", paper, *pieces, "</svg>", ""]), encoding="utf-8")


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from ``low`` to ``high``."""
    rough = (high - low) / 5
    power = 10.0 ** np.floor(np.log10(rough))
    step = min((m * power for m in (1, 2, 5, 10)), key=lambda size: abs(size - rough))
    return [
        float(step * k) for k in range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1)
    ]


def drawn(panel: Panel, place: tuple[int, int], found: np.ndarray) -> list[str]:
    """The axes, the curves and their names."""
    (left, top), (width, height) = place, PANEL
    x = found[panel.abscissa]
    values = [panel.scale * found[name] for name, _ in panel.curves]
    low, high = min(map(np.min, values)), max(map(np.max, values))
    margin = 0.06 * (high - low)
    low, high, right = low - margin, high + margin, float(np.max(x))

    def at(across: float, up: float) -> tuple[float, float]:
        return left + width * across / right, top + height * (high - up) / (high - low)

    pieces = [f'<text x="{left}" y="{top - 10}" font-weight="bold">{panel.title}</text>']
    for mark in ticks(low, high):
        y = at(0, mark)[1]
        pieces.append(line((left, y), (left + width, y)))
        pieces.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{mark:.6g}</text>')
    for mark in ticks(0, right):
        px = at(mark, low)[0]
        pieces.append(line((px, top), (px, top + height)))
        pieces.append(f'<text x="{px:.1f}" y="{top + height + 16}" text-anchor="middle">{mark:.6g}</text>')
    middle = left + width / 2
    pieces.append(f'<text x="{middle}" y="{top + height + 34}" text-anchor="middle">{panel.across}</text>')
    pieces.append(f'<text x="{left + width}" y="{top - 10}" text-anchor="end">{panel.up}</text>')
    for number, (curve, (_, name)) in enumerate(zip(values, panel.curves, strict=True)):
        colour = COLOURS[number]
        points = " ".join("{:.1f},{:.1f}".format(*at(a, u)) for a, u in zip(x, curve, strict=True))
        pieces.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if name:
            where = f'x="{left + width - 8}" y="{top + 18 + 17 * number}" text-anchor="end"'
            pieces.append(f'<text {where} fill="{colour}">{name}</text>')
    return pieces


def line(a: Sequence[float], b: Sequence[float]) -> str:
    """A line of the grid."""
    return f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke="{GREY}"/>'


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLE / "lane_change.svg")
