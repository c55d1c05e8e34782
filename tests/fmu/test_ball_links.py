"""Links with a ball at both ends, which spin freely: closed by their lengths, run, and verified."""

from __future__ import annotations

from dataclasses import replace

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.verify.compare import verify_fmu
from tests.store import exported


def held_plate() -> SystemModel:
    """A plate on a ball, two corners of which are held by links: one freedom, and the spins of both."""
    corners = {"left": [0.1, 0.4, 0.3], "right": [0.4, -0.1, 0.3]}
    ends = {"left": [0.02, -0.5, 0.01], "right": [-0.5, 0.02, 0.03]}
    builder = (
        ModelBuilder("HeldPlate", space="spatial", gravity=[0, 0, -9.81])
        .ground_point("left", 0.2, 0.9, 0.3)
        .ground_point("right", 0.9, -0.1, 0.25)
        .body("plate", mass=1, inertia=[0.1, 0.12, 0.15], points={"foot": [0, 0, 0], **corners})
        .spherical("ball", "ground", "plate.foot", attitude="xyz")
    )
    for side, end in ends.items():
        own = {"position": [0, 0, 0], "toward": "end"}
        builder.body(side, mass=0.5, inertia=[0.05, 0.02, 0.04], points={"own": own, "end": end})
        builder.spherical(f"{side}_end", f"{side}.end", f"plate.{side}", attitude="zyx")
        builder.spherical(f"{side}_foot", f"ground.{side}", f"{side}.own", attitude="xyz")
    branches = ["ball", "left_foot", "right_foot"]
    return builder.trees("chain", branches, branches).build()


def test_links_between_balls_are_closed_by_their_lengths() -> None:
    model = held_plate()
    model = replace(model, experiment=replace(model.experiment, stop=1.0))
    generated, fmu = exported(model, ExportOptions(trees="chain"))
    rows = {row.name for row in generated.dae.constraints}
    assert {"left_end, length", "right_end, length"} <= rows
    assert generated.flow.iterated == 0
    verification = verify_fmu(model, fmu)
    assert verification.passed, verification.problems
    assert verification.largest < 1e-9
