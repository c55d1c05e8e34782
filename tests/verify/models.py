"""Mechanisms for the tests of the judge, written with the nouns of ``fmugen.ir.model`` alone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from element_views import Driver, DriverType, Joint, JointType, Load, LoadType, Spring, SpringType, model_of

from fmugen.formulas import parse
from fmugen.ir.formula import ZERO
from fmugen.ir.model import (
    Attachment,
    Body,
    Experiment,
    Output,
    Parameter,
    Point,
    Start,
    SystemModel,
    Tensor,
    Vector,
)

DATA = Path(__file__).parent.parent / "data"

Text = str | int | float
Pair = tuple[Text, Text]

GRAVITY = (0, "-9.81")


def data(name: str) -> dict[str, Any]:
    """A table of figures from tests/data."""
    table: dict[str, Any] = json.loads((DATA / name).read_text())
    return table


def vector(pair: Pair) -> Vector:
    return parse(pair[0]), parse(pair[1]), ZERO


def at(text: str) -> Attachment:
    body, _, point = text.partition(".")
    return Attachment(body, point or None)


def points(places: Mapping[str, Pair]) -> tuple[Point, ...]:
    return tuple(Point(name, vector(pair)) for name, pair in places.items())


def body(name: str, mass: Text, inertia: Text, **places: Pair) -> Body:
    return Body(name, parse(mass), Tensor(zz=parse(inertia)), points(places))


def rod(name: str, length: float, mass: Text = 1, inertia: Text = 1) -> Body:
    return body(name, mass, inertia, A=(-length / 2, 0), B=(length / 2, 0))


def revolute(name: str, tail: str, head: str) -> Joint:
    return Joint(name, JointType.REVOLUTE, at(tail), at(head))


def prismatic(name: str, tail: str, head: str, axis: Pair = (1, 0), angle: Text = 0) -> Joint:
    return Joint(name, JointType.PRISMATIC, at(tail), at(head), vector(axis), angle=parse(angle))


def weld(name: str, tail: str, head: str, angle: Text = 0) -> Joint:
    return Joint(name, JointType.WELD, at(tail), at(head), angle=parse(angle))


def rotation_driver(name: str, tail: str, head: str, angle: Text) -> Driver:
    return Driver(name, DriverType.ROTATION, at(tail), at(head), angle=parse(angle))


def translation_driver(name: str, tail: str, head: str, way: Pair, axis: Pair | None = None) -> Driver:
    along = None if axis is None else vector(axis)
    return Driver(name, DriverType.TRANSLATION, at(tail), at(head), displacement=vector(way), axis=along)


def torque(name: str, head: str, value: Text, tail: str = "ground") -> Load:
    return Load(name, LoadType.TORQUE, at(tail), at(head), torque=(ZERO, ZERO, parse(value)))


def force(name: str, head: str, value: Pair, tail: str = "ground", frame: str = "ground") -> Load:
    return Load(name, LoadType.FORCE, at(tail), at(head), force=vector(value), frame=frame)


def spring(name: str, tail: str, head: str, kind: SpringType, **values: Text) -> Spring:
    formulas = {key: parse(value) for key, value in values.items()}
    return Spring(name, kind, at(tail), at(head), **formulas)


def fixed(**values: Text) -> tuple[Start, ...]:
    """Exact start values; a double underscore stands for the dot."""
    return tuple(Start(name.replace("__", "."), parse(value), True) for name, value in values.items())


def guesses(**values: Text) -> tuple[Start, ...]:
    return tuple(Start(name.replace("__", "."), parse(value), False) for name, value in values.items())


def outputs(**values: str) -> tuple[Output, ...]:
    return tuple(Output(name, parse(value)) for name, value in values.items())


def pendulum(angle: float = 1.0, omega: float = 0.0, **changes: Any) -> SystemModel:
    """A rod of length l that hangs from the origin; its angle counts from the downward vertical."""
    fields: dict[str, Any] = {
        "gravity": vector((0, "-g")),
        "parameters": (Parameter("m", 2.0), Parameter("l", 0.7), Parameter("g", 9.81)),
        "ground": points({"O": (0, 0)}),
        "bodies": (body("rod", "m", "m*l^2/12", A=(0, "l/2"), tip=(0, "-l/2")),),
        "joints": (revolute("pin", "ground.O", "rod.A"),),
        "outputs": outputs(angle="pin.angle", omega="pin.omega", x="rod.tip.x", fx="pin.fx", fy="pin.fy"),
        "starts": fixed(pin__angle=angle, pin__omega=omega),
        "experiment": Experiment(stop=2.0, step=0.02),
    }
    return model_of("Pendulum", **(fields | changes))


def double_pendulum() -> SystemModel:
    return model_of(
        "DoublePendulum",
        gravity=vector(GRAVITY),
        ground=points({"O": (0, 0)}),
        bodies=(rod("upper", 1.0, 1.0, 0.1), rod("lower", 0.8, 0.7, 0.05)),
        joints=(revolute("shoulder", "ground.O", "upper.A"), revolute("elbow", "upper.B", "lower.A")),
        starts=fixed(shoulder__angle=0.3, shoulder__omega=1, elbow__angle=0.4, elbow__omega=-2),
    )


def four_bar() -> SystemModel:
    """Léger A.1."""
    return model_of(
        "FourBar",
        gravity=vector(GRAVITY),
        ground=points({"O": (0, 0), "P": (2, 0)}),
        bodies=(rod("m1", 1.0), rod("m2", 2.0), rod("m3", 2.0)),
        joints=(
            revolute("h11", "ground.O", "m1.A"),
            revolute("h12", "m1.B", "m2.A"),
            revolute("h13", "m2.B", "m3.B"),
            revolute("h14", "ground.P", "m3.A"),
        ),
        loads=(torque("td15", "m1", "75*sin(2*pi*time)"),),
        starts=(*fixed(h11__angle=0, h11__omega=0), *guesses(h12__angle=1.31812, h14__angle=1.82348)),
        outputs=outputs(crank="m1.angle", coupler="m2.angle"),
    )


def slider_crank() -> SystemModel:
    """Léger A.4, with gravity along -Y."""
    return model_of(
        "SliderCrank",
        gravity=vector(GRAVITY),
        ground=points({"O": (0, 0)}),
        bodies=(rod("m1", 0.08, 0.12, 0.0001), rod("m2", 0.3, 0.5, 0.004), body("m3", 2, 0.0001)),
        joints=(
            revolute("h8", "ground.O", "m1.A"),
            revolute("h9", "m1.B", "m2.A"),
            revolute("h10", "m3", "m2.B"),
            prismatic("s11", "ground.O", "m3"),
        ),
        starts=(*fixed(h8__angle=1, h8__omega=0), *guesses(h9__angle=-1.2, s11__s=0.3)),
        outputs=outputs(stroke="s11.s", guide="s11.fy"),
    )


def three_rrr() -> SystemModel:
    """Léger A.7 under gravity, started in the posture of Khan's table."""
    radius = 0.4 / math.sqrt(3.0)
    corners = {
        f"C{leg}": (radius * math.cos(turn), radius * math.sin(turn))
        for leg, turn in zip((1, 2, 3), (math.radians(210), math.radians(330), math.radians(90)), strict=True)
    }
    legs = (1, 2, 3)
    joints = [
        joint
        for leg in legs
        for joint in (
            revolute(f"ankle{leg}", f"ground.G{leg}", f"shank{leg}.A"),
            revolute(f"knee{leg}", f"shank{leg}.B", f"thigh{leg}.A"),
            revolute(f"hip{leg}", f"thigh{leg}.B", f"platform.C{leg}"),
        )
    ]
    return model_of(
        "ThreeRrr",
        gravity=vector(GRAVITY),
        ground=points({"G1": (0, 0), "G2": (1, 0), "G3": ("1/2", "sqrt(3)/2")}),
        bodies=(
            *(rod(f"shank{leg}", 0.4, 3, 0.04) for leg in legs),
            *(rod(f"thigh{leg}", 0.6, 4, 0.12) for leg in legs),
            body("platform", 8, 0.0817, **corners),
        ),
        joints=tuple(joints),
        starts=(
            *fixed(ankle1__angle="pi/3", ankle2__angle="4*pi/3", ankle3__angle="11*pi/6"),
            *fixed(ankle1__omega=0, ankle2__omega=0, ankle3__omega=0),
            *guesses(knee1__angle=-0.865, knee2__angle=-2.102, knee3__angle=-0.976),
            *guesses(platform__x=0.728, platform__y=0.233),
        ),
    )


def andrews() -> SystemModel:
    """The squeezing mechanism of the IVP test set."""
    figures = data("andrews.json")
    beta, _, gamma, phi, delta, omega, epsilon = figures["y0_q"]
    return model_of(
        "Andrews",
        parameters=tuple(Parameter(name, value) for name, value in figures["parameters"].items()),
        ground=points({"O": (0, 0), "A": ("xa", "ya"), "B": ("xb", "yb"), "C": ("xc", "yc")}),
        bodies=(
            body("K1", "m1", "i1", O=("-ra", 0), P=("rr-ra", 0)),
            body("K2", "m2", "i2", P=("da", 0), E=("da-d", 0)),
            body("K3", "m3", "i3", B=("-sb", "sa"), E=("-sb", "sa-ss"), D=("sd-sb", "sa-sc")),
            body("K4", "m4", "i4", G=(0, "e-ea"), E=(0, "-ea")),
            body("K5", "m5", "i5", A=("-ta", "-tb"), G=("zt-ta", "-tb")),
            body("K6", "m6", "i6", H=("fa-zf", 0), E=("fa", 0)),
            body("K7", "m7", "i7", A=("ub", "ua"), H=("ub", "ua-u")),
        ),
        joints=(
            revolute("o", "ground.O", "K1.O"),
            revolute("p", "K1.P", "K2.P"),
            revolute("b", "ground.B", "K3.B"),
            revolute("a5", "ground.A", "K5.A"),
            revolute("a7", "ground.A", "K7.A"),
            revolute("g", "K5.G", "K4.G"),
            revolute("h", "K7.H", "K6.H"),
            revolute("e3", "K2.E", "K3.E"),
            revolute("e4", "K2.E", "K4.E"),
            revolute("e6", "K2.E", "K6.E"),
        ),
        loads=(torque("drive", "K1", "mom"),),
        springs=(spring("cd", "ground.C", "K3.D", SpringType.TRANSLATIONAL, stiffness="c0", free="l0"),),
        starts=(
            *fixed(p__angle=0, p__omega=0),
            *guesses(K1__angle=beta, K3__angle=gamma, K5__angle=delta, K7__angle=epsilon),
            *guesses(K4__angle=phi + delta, K6__angle=omega + epsilon),
        ),
        outputs=outputs(
            beta="o.angle",
            Theta="p.angle",
            gamma="b.angle",
            Phi="g.angle",
            delta="a5.angle",
            Omega="h.angle",
            epsilon="a7.angle",
        ),
    )


def number_of(start: Start) -> float:
    """The number of a start value that is a literal."""
    assert start.value.number is not None
    return start.value.number
