"""Draw the excavator of the README: poses of its FMU, and its outputs beside the reference.

    python docs/programs/picture.py [docs/images/excavator.svg]

Everything that moves is read from a co-simulation of the FMU with FMPy. The dots come from
``cross_check/references/excavator``, which is computed without the FMU.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Iterator, Sequence
from math import cos, sin
from pathlib import Path

import fmpy
import numpy as np

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "cross_check/references/excavator/Excavator_ref.csv"

#: Seconds at which the excavator is drawn; the last pose is drawn solid.
POSES = (0.0, 0.6, 0.8, 1.0, 1.2, 1.4)
STOP, STEP = 2.0, 0.02

WIDTH, HEIGHT = 900, 372
#: Pixels per metre, and the place of the foot of the boom on the paper.
SCALE, FOOT = 53.0, (126.0, 288.0)
YELLOW, DARK, GREY, RED, BLUE = "#e9a820", "#24292f", "#8c959f", "#cf222e", "#0969da"

Point = tuple[float, float]

#: Outlines in the axes of their body, in m.
BOOM: tuple[Point, ...] = (
    (-0.12, -0.1), (2.1, 0.2), (4.68, -0.12), (4.7, 0.1), (2.45, 0.82), (2.05, 0.82), (-0.12, 0.12),
)  # fmt: skip
ARM: tuple[Point, ...] = (
    (-0.85, 0.2), (-0.1, -0.16), (2.25, -0.08), (2.28, 0.08), (0.35, 0.64), (0.05, 0.64), (-0.8, 0.36),
)  # fmt: skip
BUCKET = ((-0.1, -0.1), (-0.1, 0.42), (0.35, 0.62), (0.8, 0.45), (1.1, -0.3), (0.92, -0.1), (0.3, -0.14))
CAB: tuple[Point, ...] = (
    (-1.55, -0.62), (-1.55, 0.35), (-0.95, 0.35), (-0.95, 1.15), (-0.25, 1.15), (0.15, 0.1),
    (0.75, -0.3), (0.75, -0.62),
)  # fmt: skip
TRACKS = ((-1.75, -1.05), (-1.6, -1.28), (0.95, -1.28), (1.1, -1.05), (0.95, -0.82), (-1.6, -0.82))

#: Cylinders: where the barrel and the rod are pinned, as (body, x, y).
CYLINDERS = (
    (("ground", 0.6, -0.5), ("boom", 2.1, 0.35)),
    (("boom", 2.2, 0.75), ("arm", -0.75, 0.25)),
    (("arm", 0.2, 0.55), ("rocker", 0.45, 0.0)),
)
BODIES = ("boom", "arm", "bucket", "rocker", "link")


class Motion:
    """What the FMU gives at its communication points."""

    def __init__(self, fmu: Path) -> None:
        poses = [f"{body}.{part}" for body in BODIES for part in ("x", "y", "angle")]
        self._table = fmpy.simulate_fmu(
            str(fmu),
            fmi_type="CoSimulation",
            stop_time=STOP,
            output_interval=STEP,
            output=[*poses, "teeth_x", "teeth_y", "boom_force"],
        )
        self.times = self._table["time"]

    def values(self, name: str) -> np.ndarray:
        return np.asarray(self._table[name])

    def place(self, time: float, body: str, x: float, y: float) -> Point:
        """Where a point of a body is at a time, in m."""
        if body == "ground":
            return x, y
        row = self._table[int(np.argmin(abs(self.times - time)))]
        angle = row[f"{body}.angle"]
        right = row[f"{body}.x"] + x * cos(angle) - y * sin(angle)
        return right, row[f"{body}.y"] + x * sin(angle) + y * cos(angle)


def main(path: Path) -> None:
    model = read_model(ROOT / "examples/excavator/model.toml")
    with tempfile.TemporaryDirectory() as folder:
        fmu = export_fmu(model, Path(folder) / "excavator.fmu", ExportOptions(trees="aac")).path
        motion = Motion(fmu)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{DARK}">',
        "<title>An excavator moved by its FMU, and two of its outputs over the reference</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *mechanism(motion),
        *plots(motion),
        "</svg>",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


# --- the mechanism --------------------------------------------------------------------------------


def mechanism(motion: Motion) -> Iterator[str]:
    yield polygon(TRACKS, "#57606a")
    yield polygon(CAB, "#d0d7de", GREY)
    yield line([(-2.3, -1.28), (6.0, -1.28)], GREY, 1.5)
    for number, time in enumerate(POSES):
        last = number == len(POSES) - 1
        opacity = 1.0 if last else 0.13 + 0.06 * number
        yield f'<g opacity="{opacity:.2f}">'
        yield from pose(motion, time)
        yield "</g>"
    teeth = list(zip(motion.values("teeth_x"), motion.values("teeth_y"), strict=True))
    yield line(teeth, RED, 1.8, "5 3")
    for time in POSES:
        x, y = paper(motion.place(time, "bucket", 1.1, -0.3))
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{RED}"/>'
    times = ", ".join(f"{time:g}" for time in POSES)
    yield f'<text x="505" y="26" text-anchor="end">poses of the FMU at {times} s</text>'
    yield f'<text x="505" y="44" text-anchor="end" fill="{RED}">path of the teeth in {STOP:g} s</text>'


def pose(motion: Motion, time: float) -> Iterator[str]:
    def places(body: str, corners: Sequence[Point]) -> list[Point]:
        return [motion.place(time, body, *corner) for corner in corners]

    pins: list[Point] = [(0.0, 0.0)]
    for barrel, rod in CYLINDERS:
        tail, head = (motion.place(time, *end) for end in (barrel, rod))
        length = float(np.hypot(head[0] - tail[0], head[1] - tail[1]))
        end = tuple(tail[k] + (head[k] - tail[k]) * 1.2 / length for k in (0, 1))
        yield line([tail, head], GREY, 4)
        yield line([tail, (end[0], end[1])], "#57606a", 8)
        pins += [tail, head]
    for body, length in (("rocker", 0.45), ("link", 0.42)):
        ends = places(body, [(0.0, 0.0), (length, 0.0)])
        yield line(ends, "#57606a", 5)
        pins += ends
    yield polygon(places("bucket", BUCKET), "#57606a")
    yield polygon(places("arm", ARM), YELLOW)
    yield polygon(places("boom", BOOM), YELLOW)
    pins += places("arm", [(0.0, 0.0), (2.2, 0.0)])
    for x, y in map(paper, pins):
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="#fff" stroke="{DARK}"/>'


def paper(place: Point) -> Point:
    return FOOT[0] + SCALE * place[0], FOOT[1] - SCALE * place[1]


def polygon(corners: Sequence[Point], fill: str, stroke: str = DARK) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(paper, corners))
    return f'<polygon points="{points}" fill="{fill}" stroke="{stroke}" stroke-linejoin="round"/>'


def line(places: Sequence[Point], colour: str, width: float, dashes: str = "") -> str:
    return path_of([paper(place) for place in places], colour, width, dashes)


def path_of(points: Sequence[Point], colour: str, width: float, dashes: str = "") -> str:
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="{width:g}"{dashed}/>'


# --- the outputs ----------------------------------------------------------------------------------


def plots(motion: Motion) -> Iterator[str]:
    with REFERENCE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    times = [float(row["time"]) for row in rows]
    for top, name, factor, low, high, title in (
        (34.0, "teeth_y", 1.0, -1.0, 3.0, "height of the teeth, m"),
        (202.0, "boom_force", 1e-3, -300.0, 300.0, "tension of the boom cylinder, kN"),
    ):
        reference = [factor * float(row[name]) for row in rows]
        yield from plot(motion, top, (low, high), factor * motion.values(name), times, reference, title)
    x, y = 560.0, HEIGHT - 10.0
    yield path_of([(x, y - 4), (x + 26, y - 4)], BLUE, 2)
    yield f'<text x="{x + 32}" y="{y}">FMU</text>'
    yield f'<circle cx="{x + 84}" cy="{y - 4}" r="2.6" fill="none" stroke="{DARK}"/>'
    yield f'<text x="{x + 94}" y="{y}">independent reference</text>'
    yield f'<text x="880" y="{y}" text-anchor="end">time, s</text>'


def plot(
    motion: Motion,
    top: float,
    limits: tuple[float, float],
    values: np.ndarray,
    times: Sequence[float],
    reference: Sequence[float],
    title: str,
) -> Iterator[str]:
    left, width, height = 560.0, 320.0, 122.0

    def at(time: float, value: float) -> Point:
        part = (value - limits[0]) / (limits[1] - limits[0])
        return left + width * time / STOP, top + height * (1 - part)

    yield f'<text x="{left}" y="{top - 8}">{title}</text>'
    for value in np.linspace(*limits, 5)[::2]:
        yield path_of([at(0, value), at(STOP, value)], "#d0d7de", 1)
        x, y = at(0, value)
        yield f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="#57606a">{value:g}</text>'
    for time in np.linspace(0, STOP, 5):
        x, _ = at(time, 0)
        place = f'x="{x:.1f}" y="{top + height + 16:.1f}"'
        yield f'<text {place} text-anchor="middle" fill="#57606a">{time:g}</text>'
    curve = [at(time, value) for time, value in zip(motion.times, values, strict=True)]
    yield path_of(curve, BLUE, 2)
    for time, value in list(zip(times, reference, strict=True))[::2]:
        x, y = at(time, value)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="none" stroke="{DARK}"/>'


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images/excavator.svg")
