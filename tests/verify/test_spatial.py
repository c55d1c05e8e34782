"""The reference in space against closed forms, other integrators and planar models."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from element_views import joints_of, with_views
from scipy.integrate import solve_ivp

from fmugen.errors import AssemblyError
from fmugen.ir.model import Space, SystemModel, quantities
from fmugen.verify.reference import Reference, solve_reference
from tests.verify import models
from tests.verify.models import fixed, guesses, number_of, outputs
from tests.verify.spatial_models import (
    JOINT_STARTS,
    body,
    force,
    joint,
    leg,
    on_joint,
    points,
    rotation_driver,
    spatial,
    torque,
    torsion,
    translation_driver,
    vector,
)

BALL = (0.01, 0.01, 0.01)


def columns(reference: Reference, owner: str, kinds: str) -> np.ndarray:
    return np.column_stack([reference.quantity(f"{owner}.{kind}") for kind in kinds.split()])


def attitude(reference: Reference, owner: str) -> np.ndarray:
    cosines = " ".join(f"r{i}{j}" for i in "xyz" for j in "xyz")
    return columns(reference, owner, cosines).reshape(-1, 3, 3)


# --- one body ----------------------------------------------------------------------------------------


def test_tumbling_body_follows_eulers_equations_and_keeps_its_momentum() -> None:
    """Spun about its middle axis a body turns over again and again."""
    starts = {"plate__wx": 0.01, "plate__wy": 5, "plate__wz": 0}
    model = spatial(
        "Tumbling",
        gravity=vector((0, 0, 0)),
        bodies=(body("plate", 2, (1, 2, 3), center=(0.1, 0.2, -0.1)),),
        starts=fixed(
            plate__rxx=1, plate__ryy=1, plate__rzz=1, plate__x=0, plate__y=0, plate__z=0,
            plate__vx=1, plate__vy=0, plate__vz=0, **starts,
        ),
    )  # fmt: skip
    times = np.linspace(0.0, 6.0, 61)
    reference = solve_reference(model, times)
    inertia = np.diag([1.0, 2.0, 3.0])

    def euler(_: float, spin: np.ndarray) -> np.ndarray:
        return np.linalg.solve(inertia, -np.cross(spin, inertia @ spin))

    expected = solve_ivp(euler, (0.0, 6.0), [0.01, 5.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-14).y.T
    assert expected[:, 1].min() < -4.9
    turns, spins = attitude(reference, "plate"), columns(reference, "plate", "wx wy wz")
    in_body = np.einsum("nji,nj->ni", turns, spins)
    np.testing.assert_allclose(in_body, expected, atol=5e-6)  # the motion is unstable
    momentum = np.einsum("nij,nj->ni", turns, in_body @ inertia)
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-9)
    assert np.ptp(reference.energy.kinetic) < 1e-9
    center = columns(reference, "plate", "x y z") + turns @ [0.1, 0.2, -0.1]
    speed = np.array([1.0, 0.0, 0.0]) + np.cross([0.01, 5.0, 0.0], [0.1, 0.2, -0.1])
    np.testing.assert_allclose(center, center[0] + np.outer(times, speed), atol=1e-9)


@pytest.mark.parametrize("kind", JOINT_STARTS)
def test_joint_coordinates_start_as_told_and_have_their_rates(kind: str) -> None:
    model = on_joint(kind)
    h = 1e-3
    times = np.arange(5) * h
    reference = solve_reference(model, times)
    for start in model.starts:
        assert reference.quantity(start.quantity)[0] == pytest.approx(number_of(start), abs=1e-11)
    names = {quantity.name for quantity in quantities(model)}
    assert names <= reference.quantities.keys()
    assert (reference.start.open_positions, reference.start.open_velocities) == (0, 0)
    below = {"omega": "angle", "alpha": "omega", "v": "s", "a": "v"}
    below |= {f"v{axis}": axis for axis in "xyz"} | {f"a{axis}": f"v{axis}" for axis in "xyz"}
    below |= {f"alpha{axis}": f"w{axis}" for axis in "xyz"}
    below |= {f"{k}{n}": f"{v}{n}" for k, v in list(below.items()) if k in ("omega", "alpha") for n in "123"}
    for quantity in quantities(model):
        if quantity.kind in below:
            x = reference.quantity(f"{quantity.owner}.{below[quantity.kind]}")
            slope = (x[0] - 8 * x[1] + 8 * x[3] - x[4]) / (12 * h)
            assert reference.quantity(quantity.name)[2] == pytest.approx(slope, abs=1e-7), quantity.name
    assert reference.residual < 1e-13


@pytest.mark.parametrize("kind", JOINT_STARTS)
def test_reactions_balance_the_motion(kind: str) -> None:
    """Newton and Euler for the body, with the wrench of its joint at its own attachment."""
    reference = solve_reference(on_joint(kind), np.linspace(0.0, 0.5, 6))
    turns = attitude(reference, "part")
    spins, spin_rates = (columns(reference, "part", f"{w}x {w}y {w}z") for w in ("w", "alpha"))
    pull, twist = columns(reference, "j", "fx fy fz"), columns(reference, "j", "tx ty tz")
    tensor = np.array([[0.3, 0.02, -0.03], [0.02, 0.5, 0.05], [-0.03, 0.05, 0.4]])
    tensors = turns @ tensor @ turns.transpose(0, 2, 1)
    arm, center = turns @ [0.2, 0.3, -0.25], turns @ [0.1, -0.2, 0.05]
    acceleration = columns(reference, "part", "ax ay az") + np.cross(spin_rates, center)
    acceleration += np.cross(spins, np.cross(spins, center))
    np.testing.assert_allclose(pull, 2 * np.add(acceleration, [0, 0, 9.81]), atol=1e-9)
    momenta = np.einsum("nij,nj->ni", tensors, spins)
    torque_needed = np.einsum("nij,nj->ni", tensors, spin_rates) + np.cross(spins, momenta)
    np.testing.assert_allclose(twist + np.cross(arm, pull), torque_needed, atol=1e-9)
    assert reference.energy.largest < 1e-6


# --- pendulums and tops --------------------------------------------------------------------------------


def test_spherical_pendulum_against_its_ode() -> None:
    """A ball that hangs from a ball joint without spinning about its arm."""
    tilt, around, g, length = 0.8, 1.5, 9.81, 0.6
    moment = 2 * length**2 + 0.01
    model = spatial(
        "Spherical",
        bodies=(body("bob", 2, BALL, A=(0, 0, length)),),
        joints=(joint("ball", "spherical", "ground", "bob.A", attitude="zyx"),),
        starts=fixed(
            ball__angle1=0, ball__angle2=-tilt, ball__angle3=0, bob__vy=around * length * math.sin(tilt),
            bob__vz=0, bob__wz=around * math.sin(tilt) ** 2,
        ),
    )  # fmt: skip
    times = np.linspace(0.0, 3.0, 31)
    reference = solve_reference(model, times)
    constant = around * math.sin(tilt) ** 2

    def swing(_: float, y: np.ndarray) -> list[float]:
        turning = constant / math.sin(y[0]) ** 2
        fall = 2 * g * length / moment * math.sin(y[0])
        return [y[1], math.sin(y[0]) * math.cos(y[0]) * turning**2 - fall, turning]

    theta, _, phi = solve_ivp(swing, (0, 3), [tilt, 0, 0], "DOP853", times, rtol=1e-12, atol=1e-13).y
    np.testing.assert_allclose(reference.quantity("bob.z"), -length * np.cos(theta), atol=1e-9)
    np.testing.assert_allclose(reference.quantity("bob.x"), length * np.sin(theta) * np.cos(phi), atol=1e-9)
    assert np.ptp(reference.energy.kinetic + reference.energy.potential) < 1e-9


def test_universal_joint_is_two_revolutes_with_a_massless_cross() -> None:
    shapes = body("bob", 2, (0.3, 0.2, 0.1, 0.01, 0.02, 0.03), A=(0, 0, 0.7), B=(0, 0, 0.7))
    cross_piece = body("cross", 0, (0, 0, 0))
    common = {"starts": fixed(u__angle1=0.6, u__omega1=1, u__angle2=-0.4, u__omega2=2)}
    joints = (joint("u", "universal", "ground", "bob.A", axis=(1, 0, 0), second_axis=(0, 1, 0)),)
    whole = spatial("Whole", bodies=(shapes,), joints=joints, **common)
    split = spatial(
        "Split",
        bodies=(shapes, cross_piece),
        joints=(
            joint("a", "revolute", "ground", "cross", axis=(1, 0, 0)),
            joint("b", "revolute", "cross", "bob.A", axis=(0, 1, 0)),
        ),
        starts=fixed(a__angle=0.6, a__omega=1, b__angle=-0.4, b__omega=2),
    )
    times = np.linspace(0.0, 2.0, 21)
    first, second = solve_reference(whole, times), solve_reference(split, times)
    for one, other in (
        ("angle1", "a.angle"),
        ("angle2", "b.angle"),
        ("omega1", "a.omega"),
        ("alpha2", "b.alpha"),
    ):
        np.testing.assert_allclose(first.quantity(f"u.{one}"), second.quantity(other), atol=1e-8)
    for component in ("fx", "fy", "fz", "tx", "ty", "tz"):
        np.testing.assert_allclose(
            first.quantity(f"u.{component}"), second.quantity(f"b.{component}"), atol=1e-7
        )


def test_steady_precession_of_a_heavy_top() -> None:
    """Its azimuth counts turns, its nutation rests."""
    tilt, rate, mass, length, transverse, axial = 0.5, 5.0, 0.5, 0.1, 0.004, 0.004
    about_pivot = transverse + mass * length**2
    spin = (mass * 9.81 * length + about_pivot * rate**2 * math.cos(tilt)) / (axial * rate)
    model = spatial(
        "Top",
        bodies=(
            body("top", mass, (transverse, transverse, axial), center=(0, 0, length), attitude="zxz"),
        ),
        joints=(joint("tip", "spherical", "ground", "top"),),
        starts=fixed(
            top__angle1=0, top__angle2=tilt, top__angle3=0,
            top__omega1=rate, top__omega2=0, top__omega3=spin - rate * math.cos(tilt),
        ),
        outputs=outputs(azimuth="top.angle1"),
    )  # fmt: skip
    times = np.linspace(0.0, 2.0, 41)
    reference = solve_reference(model, times)
    np.testing.assert_allclose(reference.outputs["azimuth"], rate * times, atol=1e-8)
    np.testing.assert_allclose(reference.quantity("top.angle2"), tilt, atol=1e-8)
    np.testing.assert_allclose(
        reference.quantity("top.angle3"), (spin - rate * math.cos(tilt)) * times, atol=1e-7
    )


def test_rod_pendulum_swings_on_its_length() -> None:
    length, mass = 0.8, 1.3
    model = spatial(
        "Rod",
        ground=points({"O": (0, 0, 1)}),
        bodies=(body("ball", mass, BALL),),
        joints=(joint("rod", "rod", "ground.O", "ball", length=length),),
        starts=fixed(
            ball__y=0, ball__vy=0, ball__x=length * math.sin(0.9), ball__vx=0, ball__wx=0, ball__wy=0,
            ball__wz=1, ball__rxx=1, ball__ryy=1, ball__rzz=1,
        )
        + guesses(ball__z=0),
    )  # fmt: skip
    times = np.linspace(0.0, 2.0, 41)
    reference = solve_reference(model, times)

    def fall(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -9.81 / length * math.sin(y[0])]

    theta, omega = solve_ivp(fall, (0.0, 2.0), [0.9, 0.0], "DOP853", times, rtol=1e-12, atol=1e-13).y
    np.testing.assert_allclose(reference.quantity("ball.x"), length * np.sin(theta), atol=1e-9)
    tension = mass * (9.81 * np.cos(theta) + length * omega**2)
    np.testing.assert_allclose(reference.quantity("rod.tension"), tension, atol=1e-8)
    np.testing.assert_allclose(reference.quantity("rod.fx"), -tension * np.sin(theta), atol=1e-8)


# --- joints with closed forms -----------------------------------------------------------------------------


def test_screw_falls_slowly_and_counts_its_turns() -> None:
    mass, axial, lead = 2.0, 0.05, 0.3
    model = spatial(
        "Screw",
        bodies=(body("nut", mass, (0.1, 0.1, axial)),),
        joints=(joint("thread", "screw", "ground", "nut", lead=lead),),
        starts=fixed(thread__angle=10, thread__omega=0),
    )
    times = np.linspace(0.0, 3.0, 31)
    reference = solve_reference(model, times)
    per_radian = lead / (2 * math.pi)
    angle = 10 - 0.5 * 9.81 * mass * per_radian / (axial + mass * per_radian**2) * times**2
    assert angle[-1] < -20 * math.pi
    np.testing.assert_allclose(reference.quantity("thread.angle"), angle, atol=1e-7)
    np.testing.assert_allclose(reference.quantity("thread.s"), per_radian * angle, atol=1e-8)
    np.testing.assert_allclose(reference.quantity("nut.rxx"), np.cos(angle), atol=1e-7)
    assert np.ptp(reference.energy.kinetic + reference.energy.potential) < 1e-7


def test_revolute_angle_and_its_spring_count_turns() -> None:
    """A wheel wound up by many turns swings back and forth about the rest angle of its spring."""
    model = spatial(
        "Wound",
        bodies=(body("wheel", 1, (0.2, 0.5, 0.3)),),
        joints=(joint("axle", "revolute", "ground", "wheel", axis=(0, 1, 0)),),
        springs=(torsion("k", "ground", "wheel", (0, 1, 0), stiffness=2, free=1),),
        starts=(*fixed(axle__angle=21, axle__omega=0), *guesses(k__angle=21)),
    )
    times = np.linspace(0.0, 5.0, 51)
    reference = solve_reference(model, times)
    swing = 1 + 20 * np.cos(2 * times)
    np.testing.assert_allclose(reference.quantity("axle.angle"), swing, atol=1e-7)
    np.testing.assert_allclose(reference.quantity("k.angle"), swing, atol=1e-7)
    np.testing.assert_allclose(reference.quantity("k.torque"), -40 * np.cos(2 * times), atol=1e-6)
    assert np.ptp(reference.energy.kinetic + reference.energy.potential) < 1e-6


def in_space(planar: SystemModel) -> SystemModel:
    """A planar model of rods as a spatial one: its plane is x and y, gravity along -y."""
    flat = tuple(
        replace(part, inertia=replace(part.inertia, xx=part.inertia.zz, yy=part.inertia.zz))
        for part in planar.bodies
    )
    joints = tuple(replace(pin, axis=vector((0, 0, 1))) for pin in joints_of(planar))
    return with_views(planar, space=Space.SPATIAL, bodies=flat, joints=joints, outputs=())


def test_planar_four_bar_in_space_moves_as_in_the_plane() -> None:
    """Three of its constraints are redundant: reactions out of the plane cannot be told."""
    planar = models.four_bar()
    times = np.linspace(0.0, 1.0, 21)
    flat, full = solve_reference(planar, times), solve_reference(in_space(planar), times)
    for name in ("h11.angle", "h12.angle", "h13.omega", "h14.alpha", "m2.x", "m3.vy", "h12.fx", "h14.fy"):
        np.testing.assert_allclose(full.quantity(name), flat.quantity(name), atol=1e-7)
    np.testing.assert_allclose(full.quantity("m2.z"), 0.0, atol=1e-12)
    assert "h12.fz" in full.undetermined
    assert not {"h12.fx", "h14.fy"} & full.undetermined
    assert full.start.open_positions == 0


def test_spatial_slider_crank_closes_over_a_rod() -> None:
    """A crank in the plane x = 0 drives a slider along x by a rod with two balls."""
    crank, length, offset = 0.1, 0.4, 0.05
    model = spatial(
        "Rssp",
        ground=points({"guide": (0, offset, 0.1)}),
        bodies=(
            body("crank", 1, BALL, tip=(0, crank, 0)),
            body("slider", 1, BALL),
        ),
        joints=(
            joint("pin", "revolute", "ground", "crank", axis=(1, 0, 0)),
            joint("rod", "rod", "crank.tip", "slider", length=length),
            joint("rail", "prismatic", "ground.guide", "slider"),
        ),
        drivers=(rotation_driver("motor", "ground", "crank", "0.3 + 6*time", (1, 0, 0)),),
        starts=guesses(rail__s=0.4),
    )
    times = np.linspace(0.0, 2.0, 41)
    reference = solve_reference(model, times)
    angle = 0.3 + 6 * times
    across = (crank * np.cos(angle) - offset) ** 2 + (crank * np.sin(angle) - 0.1) ** 2
    np.testing.assert_allclose(reference.quantity("rail.s"), np.sqrt(length**2 - across), atol=1e-12)
    np.testing.assert_allclose(reference.quantity("motor.angle"), angle, atol=1e-11)
    np.testing.assert_allclose(reference.quantity("pin.angle"), angle, atol=1e-11)
    assert reference.energy.largest < 1e-4
    other = replace(model, name="Other", starts=guesses(rail__s=-0.4))
    assert solve_reference(other, times[:2]).quantity("rail.s")[0] < 0


def test_spatial_four_bar_with_ball_and_universal_joint_keeps_its_energy() -> None:
    """RSUR: two cranks about skew axes, and a coupler between a ball and a universal joint."""
    model = spatial(
        "Rsur",
        ground=points({"P": ((1.2, 0.3, 0), "x", ("pi/2",))}),
        bodies=(
            body("crank", 1, (0.02, 0.02, 0.02), center=(0.15, 0, 0), tip=(0.3, 0, 0)),
            body("coupler", 1.5, (0.01, 0.1, 0.1), A=(-0.5, 0, 0), B=(0.5, 0, 0)),
            body("rocker", 1, (0.03, 0.03, 0.03), center=(0, 0.3, 0), tip=(0, 0.6, 0)),
        ),
        joints=(
            joint("o", "revolute", "ground", "crank"),
            joint("ball", "spherical", "crank.tip", "coupler.A"),
            joint("u", "universal", "coupler.B", "rocker.tip", axis=(0, 0, 1), second_axis=(1, 0, 0)),
            joint("p", "revolute", "ground.P", "rocker"),
        ),
        starts=(*fixed(o__angle=0.4, o__omega=3), *guesses(p__angle=0.1)),
    )
    reference = solve_reference(model, np.linspace(0.0, 2.0, 41))
    assert reference.residual < 1e-13
    assert reference.start.open_positions == 0
    total = reference.energy.kinetic + reference.energy.potential
    assert np.ptp(total) < 1e-8 * np.ptp(reference.energy.kinetic)
    assert not reference.undetermined


# --- drivers, loads, springs ------------------------------------------------------------------------------


def test_drivers_in_turned_axes() -> None:
    """A carriage led along a curve in turned axes, and an arm turned upon it, with their reactions."""
    model = spatial(
        "Led",
        ground=points({"P": ((1, 0, 0), "z", ("pi/2",))}),
        bodies=(body("carriage", 2, BALL), body("arm", 1, (0.1, 0.2, 0.3))),
        joints=(
            joint("keep", "translational", "ground.P", "carriage"),
            joint("hinge", "revolute", "carriage", "arm", axis=(0, 1, 0)),
        ),
        drivers=(
            translation_driver("lead", "ground.P", "carriage", ("time^2", "2*time", "sin(time)")),
            rotation_driver("motor", "carriage", "arm", "4*time^2", (0, 1, 0)),
        ),
    )
    times = np.linspace(0.0, 3.0, 31)
    reference = solve_reference(model, times)
    np.testing.assert_allclose(reference.quantity("carriage.x"), 1 - 2 * times, atol=1e-12)
    np.testing.assert_allclose(reference.quantity("carriage.y"), times**2, atol=1e-12)
    np.testing.assert_allclose(reference.quantity("lead.fy"), 6.0, atol=1e-10)
    np.testing.assert_allclose(reference.quantity("lead.fz"), 3 * (9.81 - np.sin(times)), atol=1e-10)
    np.testing.assert_allclose(reference.quantity("hinge.angle"), 4 * times**2, atol=1e-11)
    turns = attitude(reference, "arm")
    axis = np.broadcast_to([0.0, 1.0, 0.0], (31, 3))
    torques = columns(reference, "motor", "tx ty tz")
    # The axes of P are turned about z by a right angle: its y is the ground's -x.
    np.testing.assert_allclose(np.abs(torques @ [1.0, 0.0, 0.0]), 0.2 * 8.0, atol=1e-10)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", turns, axis)[:, 0], -1.0, atol=1e-12)
    assert reference.energy.largest < 1e-6

    lift = spatial(
        "Lift",
        bodies=(body("load", 3, BALL),),
        joints=(joint("keep", "translational", "ground", "load"),),
        drivers=(translation_driver("lift", "ground", "load", ("time^2", 0, 0), axis=(0, 0, 2)),),
        starts=fixed(load__x=0, load__vx=1, load__y=0, load__vy=0),
    )
    reference = solve_reference(lift, np.linspace(0.0, 1.0, 11))
    np.testing.assert_allclose(reference.quantity("lift.fz"), 3 * 11.81, atol=1e-10)
    np.testing.assert_allclose(reference.quantity("load.x"), reference.times, atol=1e-12)


def test_loads_between_bodies_act_in_the_axes_of_their_frame() -> None:
    """A free pair under inner loads: total momentum, linear and angular, stays."""
    still = {f"{b}__{kind}": 0.0 for b in ("a", "b") for kind in ("vx", "vy", "vz", "wx", "wy", "wz")}
    model = spatial(
        "Pair",
        gravity=vector((0, 0, 0)),
        bodies=(
            body("a", 1, (0.2, 0.3, 0.4), attitude="zyx", P=(0.1, 0.2, 0)),
            body("b", 2, (0.5, 0.4, 0.3), center=(0, 0.1, 0), Q=(0, 0, 0.3)),
        ),
        loads=(
            torque("t", "b", (1, "2*cos(time)", -1), tail="a", frame="a"),
            force("f", "b.Q", ("-0.1*b.vx", 0, 0), tail="b.Q"),
        ),
        springs=(leg("s", "a.P", "b.Q", stiffness=8, damping=0.5, free=0.8, actuator="0.2*s.speed"),),
        starts=(
            *fixed(a__x=0, a__y=0, a__z=0, a__angle1=0.3, a__angle2=0.2, a__angle3=0.1),
            *fixed(b__x=1, b__y=0, b__z=0.5, b__rxx=1, b__ryy=1, b__rzz=1, **still),
        ),
    )
    reference = solve_reference(model, np.linspace(0.0, 1.0, 51))
    angular = np.zeros((51, 3))
    for name, mass, tensor, offset in (("a", 1, (0.2, 0.3, 0.4), 0.0), ("b", 2, (0.5, 0.4, 0.3), 0.1)):
        turns, spins = attitude(reference, name), columns(reference, name, "wx wy wz")
        center = turns @ [0.0, offset, 0.0]
        speed = columns(reference, name, "vx vy vz") + np.cross(spins, center)
        place = columns(reference, name, "x y z") + center
        tensors = turns @ np.diag(tensor) @ turns.transpose(0, 2, 1)
        angular += np.einsum("nij,nj->ni", tensors, spins) + mass * np.cross(place, speed)
    np.testing.assert_allclose(angular, 0.0, atol=1e-9)
    first = attitude(reference, "a")[0] @ [1.0, 2.0, -1.0]
    np.testing.assert_allclose(columns(reference, "t", "tx ty tz")[0], first, atol=1e-12)
    assert reference.energy.largest < 1e-6


def test_virtual_joint_tells_coordinates_and_constrains_nothing() -> None:
    arm = on_joint("planar")
    watch = joint(
        "watch",
        "virtual",
        "ground.P",
        "part.A",
        axis=(1, 2, 2),
        second_axis=(2, 1, -2),
        like=joints_of(arm)[0].type,
    )
    reference = solve_reference(with_views(arm, joints=(*joints_of(arm), watch)), np.linspace(0.0, 0.3, 4))
    for kind in ("x", "y", "angle", "vx", "omega", "ay", "alpha"):
        np.testing.assert_allclose(
            reference.quantity(f"watch.{kind}"), reference.quantity(f"j.{kind}"), atol=1e-12
        )


def test_parts_are_not_assembled_upside_down() -> None:
    """The start value asks for a flipped axis, which the joint's constraints alone would allow."""
    arm = on_joint("revolute")
    flipped = replace(arm, starts=fixed(part__rzz=-1, part__rxx=-1, part__ryy=1))
    with pytest.raises(AssemblyError, match="cannot be assembled"):
        solve_reference(flipped, np.array([0.0, 0.1]))
