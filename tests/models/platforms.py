"""Platforms on rods."""

from __future__ import annotations

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel

__all__ = ["BASE", "LENGTHS", "PLATE", "six_sps"]

BASE = (
    *((1.0, 0.1, 0.0), (0.6, 0.9, 0.1), (-0.5, 0.8, 0.0)),
    *((-1.0, 0.0, 0.15), (-0.4, -0.9, 0.0), (0.5, -0.8, 0.05)),
)
PLATE = (
    *((0.6, -0.2, 0.0), (0.1, 0.5, 0.2), (-0.3, 0.4, 0.0)),
    *((-0.5, -0.2, 0.1), (-0.1, -0.5, -0.1), (0.4, -0.4, -0.1)),
)
LENGTHS = (0.9, 1.1, 0.95, 0.8, 0.9, 0.85)


def six_sps() -> SystemModel:
    """A platform on six rods with balls at both ends: the general case of 40 configurations."""
    builder = ModelBuilder(
        "SixSps", description="platform on six rods", space="spatial", gravity=[0, 0, -9.81]
    )
    points = {f"B{k}": list(point) for k, point in enumerate(PLATE, 1)}
    builder.body("plate", mass=1.0, inertia=[0.1, 0.1, 0.1], points=points)
    for k, (point, length) in enumerate(zip(BASE, LENGTHS, strict=True), 1):
        builder.ground_point(f"A{k}", *point)
        builder.add("joints", f"rod_{k}", "rod", f"ground.A{k}", f"plate.B{k}", length=length)
    builder.start("plate.z", 0.8, fixed=False)
    return builder.experiment(stop=0.1, step=0.01).build()
