"""Loads that are formulas of accelerations: a body may give a share of its inertia to a load."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from element_views import Load, LoadType, loads_of, with_views

from fmugen.builder import ModelBuilder
from fmugen.errors import ModelError
from fmugen.formulas import parse
from fmugen.ir.formula import ZERO, Call, Formula, Name
from fmugen.ir.model import GROUND, Attachment, Output, Space, SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.store import exported
from tests.support import example

SHARE = parse("0.4")


def product(*factors: Formula) -> Formula:
    root = factors[0].root
    for factor in factors[1:]:
        root = Call("*", (root, factor.root))
    return Formula("product", root)


def with_a_share_as_load(model: SystemModel, name: str) -> SystemModel:
    """The same mechanism: of one body, two fifths of mass and inertia are loads."""
    body = next(body for body in model.bodies if body.name == name)
    assert body.center_node == name
    rest = parse("0.6")

    def pulled(axis: str, gravity: Formula) -> Formula:
        relative = Call("-", (gravity.root, Name(f"{name}.a{axis}")))
        return product(body.mass, SHARE, Formula("relative", relative))

    axes = "xy" if model.space is Space.PLANAR else "xyz"
    force = [pulled(axis, gravity) for axis, gravity in zip(axes, model.gravity, strict=False)]
    x, y, z = (*force, ZERO)[:3]
    here = (Attachment(GROUND), Attachment(name))
    loads = [Load("carried", LoadType.FORCE, *here, force=(x, y, z))]
    spins = ["alpha"] if model.space is Space.PLANAR else ["alphax", "alphay", "alphaz"]
    carried = product(body.inertia.zz, SHARE)  # alike about all axes: without a gyroscopic torque

    def less(value: Formula) -> Formula:
        return Formula("less", Call("-", (value.root, carried.root)))

    torques = [product(parse("-1"), carried, parse(f"{name}.{spin}")) for spin in spins]
    x, y, z = [ZERO] * (3 - len(torques)) + torques
    loads.append(Load("turned", LoadType.TORQUE, *here, torque=(x, y, z)))
    inertia = replace(body.inertia, zz=less(body.inertia.zz))
    if model.space is Space.SPATIAL:
        inertia = replace(inertia, xx=less(inertia.xx), yy=less(inertia.yy))
    lighter = replace(body, mass=product(body.mass, rest), inertia=inertia)
    return with_views(
        model,
        bodies=tuple(lighter if other is body else other for other in model.bodies),
        loads=(*loads_of(model), *loads),
        outputs=(*model.outputs, Output("carried_x", parse("carried.fx"), "N")),
    )


@pytest.mark.parametrize(("name", "body"), [("four_bar", "m2"), ("spatial_slider_crank", "m2")])
def test_a_share_of_a_body_may_be_a_load(name: str, body: str) -> None:
    model = example(name)
    shared = with_a_share_as_load(model, body)
    outputs = [output.name for output in model.outputs]
    runs = []
    for each in (model, shared):
        export = exported(each, ExportOptions("aac"))
        runs.append(simulate_fmu(export.path, stop=0.5, step=0.01, outputs=outputs).values)
    for output in outputs:
        scale = np.max(np.abs(runs[0][output]), initial=1.0)
        np.testing.assert_allclose(runs[1][output], runs[0][output], atol=1e-7 * scale)
    # The reference agrees, with the force that the load itself tells, and on the work it does.
    verification = verify_fmu(shared, export.path, stop=0.2, step=0.02)
    assert verification.problems == ()


def hub(force: list[str]) -> SystemModel:
    builder = ModelBuilder("Hub").body("hub", mass=1, inertia=0.1, points={"P": [0.3, 0.1]})
    for name in ("A_xx", "A_xy", "A_yx", "A_yy", "b_x", "b_y"):
        builder.input(name, 0.5)
    return builder.force("port", "hub.P", force).build()


def test_inputs_may_be_inertias() -> None:
    model = hub(["-(A_xx*hub.P.ax + A_xy*hub.P.ay) - b_x", "-(A_xy*hub.P.ax + A_yy*hub.P.ay) - b_y"])
    dae = Compilation(model, ExportOptions("aac")).formulated
    used = {symbol for entry in dae.mass.values() for symbol in ("A_xx", "A_xy") if symbol in str(entry)}
    assert used == {"A_xx", "A_xy"}


@pytest.mark.parametrize(
    ("force", "why"),
    [
        (["-hub.P.ax^2", "0"], "the force on hub.angle is not linear in accelerations"),
        (["-A_xy*hub.P.ay", "-A_yx*hub.P.ax"], "their matrix is not symmetric"),
    ],
)
def test_what_no_inertia_does_is_refused(force: list[str], why: str) -> None:
    with pytest.raises(ModelError, match=r"forces\.port: the forces? on hub") as raised:
        assert Compilation(hub(force), ExportOptions("aac")).formulated
    assert why in str(raised.value)


def test_reactions_are_still_no_names_of_forces() -> None:
    builder = ModelBuilder("Wrong").body("bar", mass=1, inertia=1).revolute("pin", "ground", "bar")
    with pytest.raises(ModelError, match=r"'pin\.fx' cannot be used here"):
        builder.torque("brake", "bar", "-0.1*pin.fx").build()
