"""The reference motion against closed forms, other integrators and published figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from element_views import SpringType, joints_of, model_of
from scipy.integrate import solve_ivp

from fmugen.errors import AssemblyError, VerificationError
from fmugen.ir.model import Input, quantities
from fmugen.verify.reference import Reference, solve_reference
from tests.verify import models
from tests.verify.models import (
    body,
    data,
    fixed,
    force,
    guesses,
    outputs,
    points,
    prismatic,
    revolute,
    rod,
    rotation_driver,
    spring,
    torque,
    translation_driver,
    vector,
    weld,
)


def check_leger(reference: Reference, figures: str, tolerance: float) -> None:
    expected = data(figures)
    for index, motion in enumerate(reference.bodies.values()):
        assert motion[-1, 2] - motion[0, 2] == pytest.approx(expected["phi"][index], abs=tolerance)
        assert motion[-1, 0] == pytest.approx(expected["x"][index], abs=tolerance)
        assert motion[-1, 5] == pytest.approx(expected["w"][index], abs=10 * tolerance)


def test_pendulum_against_its_ode_and_its_reactions() -> None:
    times = np.linspace(0.0, 2.0, 41)
    reference = solve_reference(models.pendulum(), times)
    m, length, g = 2.0, 0.7, 9.81

    def fall(_: float, state: np.ndarray) -> list[float]:
        return [state[1], -1.5 * g / length * math.sin(state[0])]

    angle, omega = solve_ivp(fall, (0.0, 2.0), [1.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-13).y
    alpha = -1.5 * g / length * np.sin(angle)
    np.testing.assert_allclose(reference.outputs["angle"], angle, atol=1e-9)
    np.testing.assert_allclose(reference.outputs["omega"], omega, atol=1e-9)
    np.testing.assert_allclose(reference.quantity("rod.alpha"), alpha, atol=1e-8)
    fx = m * length / 2 * (alpha * np.cos(angle) - omega**2 * np.sin(angle))
    fy = m * length / 2 * (alpha * np.sin(angle) + omega**2 * np.cos(angle)) + m * g
    np.testing.assert_allclose(reference.outputs["fx"], fx, atol=1e-7)
    np.testing.assert_allclose(reference.outputs["fy"], fy, atol=1e-7)
    assert reference.residual < 1e-13


def test_parameters_can_be_overridden() -> None:
    times = np.array([0.0, 0.3])
    model = models.pendulum(angle=0.01)
    reference = solve_reference(model, times, parameters={"l": 1.4})
    slow = math.sqrt(1.5 * 9.81 / 1.4)
    assert reference.outputs["angle"][-1] == pytest.approx(0.01 * math.cos(slow * 0.3), abs=1e-6)
    with pytest.raises(VerificationError, match="no parameter 'length'"):
        solve_reference(model, times, parameters={"length": 1.0})


def test_inputs_are_held_between_output_times() -> None:
    model = model_of(
        "Mass",
        inputs=(Input("push", start=7.0),),
        bodies=(body("mass", 2, 1),),
        joints=(prismatic("slide", "ground", "mass"),),
        loads=(force("load", "mass", ("push", 0)),),
        starts=fixed(slide__s=0, slide__v=0),
    )
    times = np.linspace(0.0, 1.0, 5)
    reference = solve_reference(model, times, inputs={"push": lambda time: 8.0 * time})
    speed = np.cumsum([0.0, *(8.0 * times[:-1] / 2.0 * 0.25)])
    np.testing.assert_allclose(reference.quantity("slide.v"), speed, atol=1e-12)
    assert reference.energy.largest < 1e-12
    resting = solve_reference(model, times)
    assert resting.quantity("slide.v")[-1] == pytest.approx(3.5)
    with pytest.raises(VerificationError, match="no input 'pull'"):
        solve_reference(model, times, inputs={"pull": math.sin})


def test_output_times_inside_steps_are_as_exact_as_those_at_their_ends() -> None:
    fine, coarse = (solve_reference(models.four_bar(), np.linspace(0.0, 2.0, n)) for n in (401, 21))
    assert np.max(np.abs(fine.coordinates[::20] - coarse.coordinates)) < 1e-10
    assert np.max(np.abs(fine.velocities[::20] - coarse.velocities)) < 1e-9
    assert fine.residual < 1e-13
    assert fine.energy.largest < 1e-10


def test_a_push_that_lasts_a_few_output_intervals_is_not_stepped_over() -> None:
    pulse = "exp(-((time - 5)/0.05)^2)"
    model = model_of(
        "Mass",
        bodies=(body("mass", 2, 1),),
        joints=(prismatic("slide", "ground", "mass"),),
        loads=(force("load", "mass", (pulse, 0)),),
        starts=fixed(slide__s=0, slide__v=0),
    )
    reference = solve_reference(model, np.linspace(0.0, 10.0, 201))
    assert reference.quantity("slide.v")[-1] == pytest.approx(0.05 * math.sqrt(math.pi) / 2, rel=1e-9)


def test_double_pendulum_keeps_its_energy() -> None:
    reference = solve_reference(models.double_pendulum(), np.linspace(0.0, 3.0, 61))
    assert reference.energy.largest < 1e-9
    total = reference.energy.kinetic + reference.energy.potential
    assert np.ptp(total) < 1e-8 * np.ptp(reference.energy.kinetic)


def test_every_quantity_of_the_model_is_there() -> None:
    for model in (models.slider_crank(), models.andrews()):
        reference = solve_reference(model, np.array([0.0, 1e-4]))
        for quantity in quantities(model):
            assert np.all(np.isfinite(reference.quantity(quantity.name)))
    with pytest.raises(VerificationError, match=r"no quantity 'nose\.angle'"):
        reference.quantity("nose.angle")


def test_four_bar_at_two_seconds() -> None:
    reference = solve_reference(models.four_bar(), np.linspace(0.0, 2.0, 41))
    check_leger(reference, "leger_fourbar_2s.json", 1e-9)
    assert reference.energy.largest < 1e-5


def test_three_rrr_at_one_second() -> None:
    reference = solve_reference(models.three_rrr(), np.linspace(0.0, 1.0, 21))
    check_leger(reference, "leger_3rrr_gravity_1s.json", 1e-8)


def test_slider_crank_at_ten_seconds() -> None:
    reference = solve_reference(models.slider_crank(), np.linspace(0.0, 10.0, 101))
    check_leger(reference, "leger_slidercrank_10s.json", 1e-6)
    pull = reference.quantity("s11.fx")
    np.testing.assert_allclose(pull, 0.0, atol=1e-9)


def test_andrews_squeezer() -> None:
    figures = data("andrews.json")
    reference = solve_reference(models.andrews(), np.linspace(0.0, 0.03, 31))
    for name, start, end in zip(figures["order_of_q"], figures["y0_q"], figures["q"], strict=True):
        assert reference.outputs[name][0] == pytest.approx(start, abs=1e-12)
        assert reference.outputs[name][-1] == pytest.approx(end, abs=1e-7)


def test_parallelogram_passes_its_singular_positions() -> None:
    """The N-four-bar with one window, against its exact reduction to one degree of freedom."""
    model = model_of(
        "Window",
        gravity=vector(models.GRAVITY),
        ground=points({"P": (0, 0), "Q": (1, 0)}),
        bodies=tuple(rod(name, 1.0, 1, "1/12") for name in ("left", "right", "coupler")),
        joints=(
            revolute("p", "ground.P", "left.A"),
            revolute("q", "ground.Q", "right.A"),
            revolute("r", "left.B", "coupler.A"),
            revolute("s", "coupler.B", "right.B"),
        ),
        starts=(*fixed(p__angle="pi/2", p__omega=-1), *guesses(q__angle="pi/2")),
    )
    times = np.linspace(0.0, 2.0, 41)
    reference = solve_reference(model, times)
    ratio = (1.0 + 1.0) / (2.0 / 3.0 + 1.0)

    def fall(_: float, state: np.ndarray) -> list[float]:
        return [state[1], -9.81 * ratio * math.cos(state[0])]

    start = [math.pi / 2, -1.0]
    angle = solve_ivp(fall, (0.0, 2.0), start, "DOP853", times, rtol=1e-12, atol=1e-13).y[0]
    assert angle[-1] < -math.pi
    np.testing.assert_allclose(reference.quantity("p.angle"), angle, atol=1e-6)
    np.testing.assert_allclose(reference.quantity("coupler.angle"), 0.0, atol=1e-6)


def test_driven_slider_crank_has_no_freedom_and_follows_its_driver() -> None:
    free = models.slider_crank()
    model = model_of(
        "Driven",
        gravity=free.gravity,
        ground=free.ground,
        bodies=free.bodies,
        joints=joints_of(free),
        drivers=(rotation_driver("motor", "ground", "m1", "1 + 4*pi*time"),),
        starts=guesses(h9__angle=-1.2, s11__s=0.3),
    )
    times = np.linspace(0.0, 1.0, 21)
    reference = solve_reference(model, times)
    angle = 1.0 + 4.0 * math.pi * times
    rod_x = np.sqrt(0.3**2 - (0.08 * np.sin(angle)) ** 2)
    np.testing.assert_allclose(reference.quantity("s11.s"), 0.08 * np.cos(angle) + rod_x, atol=1e-12)
    omega = 4.0 * math.pi
    speed = -0.08 * omega * np.sin(angle) * (1.0 + 0.08 * np.cos(angle) / rod_x)
    np.testing.assert_allclose(reference.quantity("s11.v"), speed, atol=1e-11)
    assert reference.energy.largest < 1e-5


def test_driver_torque_of_a_driven_wheel() -> None:
    model = model_of(
        "Wheel",
        bodies=(body("wheel", 1, 0.5),),
        joints=(revolute("axle", "ground", "wheel"),),
        drivers=(rotation_driver("motor", "ground", "wheel", "time^3"),),
    )
    times = np.linspace(0.0, 1.0, 11)
    reference = solve_reference(model, times)
    np.testing.assert_allclose(reference.quantity("motor.torque"), 0.5 * 6.0 * times, atol=1e-12)
    assert reference.energy.largest < 1e-12


def test_weld_carries_force_and_torque() -> None:
    """A beam clamped to the wall: the weld carries its weight and the couple of it."""
    model = model_of(
        "Bracket",
        gravity=vector(models.GRAVITY),
        bodies=(rod("beam", 1.0, 2, 0.2),),
        joints=(weld("clamp", "ground", "beam.A"),),
    )
    reference = solve_reference(model, np.array([0.0, 1.0]))
    np.testing.assert_allclose(reference.quantity("clamp.fy"), 2 * 9.81)
    np.testing.assert_allclose(reference.quantity("clamp.torque"), 2 * 9.81 * 0.5)


def test_weld_of_moving_bodies_keeps_its_angle() -> None:
    model = model_of(
        "Elbow",
        gravity=vector(models.GRAVITY),
        bodies=(rod("upper", 1.0), rod("lower", 0.6)),
        joints=(revolute("pin", "ground", "upper.A"), weld("glue", "upper.B", "lower.A", "pi/3")),
        starts=fixed(pin__angle=0.2, pin__omega=0),
    )
    reference = solve_reference(model, np.linspace(0.0, 1.0, 11))
    turn = reference.quantity("lower.angle") - reference.quantity("upper.angle")
    np.testing.assert_allclose(turn, math.pi / 3, atol=1e-13)
    assert reference.energy.largest < 1e-8


def test_prismatic_reaction_carries_an_offset_load() -> None:
    """A cart on a horizontal rail pressed by a force beside its attachment point."""
    model = model_of(
        "Cart",
        bodies=(body("cart", 1, 1, handle=(0.4, 0)),),
        joints=(prismatic("rail", "ground", "cart", (2, 0)),),
        loads=(force("press", "cart.handle", (0, -5)),),
        starts=fixed(rail__s=0.3, rail__v=0.1),
    )
    reference = solve_reference(model, np.array([0.0, 1.0]))
    np.testing.assert_allclose(reference.quantity("rail.s"), [0.3, 0.4], atol=1e-12)
    np.testing.assert_allclose(reference.quantity("rail.fy"), 5.0)
    np.testing.assert_allclose(reference.quantity("rail.torque"), 5.0 * 0.4)


def test_translation_drivers_in_full_and_along_an_axis() -> None:
    model = model_of(
        "Carried",
        gravity=vector(models.GRAVITY),
        bodies=(body("load", 3, 1),),
        drivers=(translation_driver("hand", "ground", "load", ("sin(time)", "time^2")),),
        starts=fixed(load__angle=0, load__omega=2),
    )
    times = np.linspace(0.0, 1.0, 11)
    reference = solve_reference(model, times)
    np.testing.assert_allclose(reference.quantity("load.x"), np.sin(times), atol=1e-12)
    np.testing.assert_allclose(reference.quantity("load.angle"), 2.0 * times, atol=1e-12)
    np.testing.assert_allclose(reference.quantity("hand.fx"), -3.0 * np.sin(times), atol=1e-11)
    np.testing.assert_allclose(reference.quantity("hand.fy"), 3.0 * (2.0 + 9.81), atol=1e-11)
    assert reference.energy.largest < 1e-9

    lift = model_of(
        "Lift",
        bodies=(body("load", 3, 1),),
        drivers=(translation_driver("lift", "ground", "load", ("time^2", 0), axis=(0, 2)),),
        starts=fixed(load__x=0, load__vx=1, load__angle=0, load__omega=0),
    )
    reference = solve_reference(lift, times)
    np.testing.assert_allclose(reference.quantity("load.y"), times**2, atol=1e-12)
    np.testing.assert_allclose(reference.quantity("load.x"), times, atol=1e-12)
    np.testing.assert_allclose(reference.quantity("lift.fy"), 6.0, atol=1e-11)


def test_actuator_along_the_axis_of_a_turning_body_leaves_no_spurious_couple() -> None:
    """A bead driven outward on a freely turning arm: the angular momentum stays."""
    model = model_of(
        "Turntable",
        bodies=(body("arm", 1, 2), body("bead", 0.5, 0.1)),
        joints=(revolute("axle", "ground", "arm"), prismatic("rail", "arm", "bead")),
        drivers=(translation_driver("winch", "arm", "bead", ("1 + time/2", 0), axis=(1, 0)),),
        starts=fixed(axle__angle=0, axle__omega=3),
    )
    times = np.linspace(0.0, 1.0, 11)
    reference = solve_reference(model, times)
    inertia = 2 + 0.1 + 0.5 * (1 + times / 2) ** 2
    np.testing.assert_allclose(inertia * reference.quantity("axle.omega"), 2.6 * 3, atol=1e-9)
    assert reference.energy.largest < 1e-7


def test_translational_spring_damper_against_its_closed_form() -> None:
    model = model_of(
        "Oscillator",
        bodies=(body("mass", 2, 1),),
        joints=(prismatic("slide", "ground", "mass"),),
        springs=(
            spring(
                "leg",
                "ground",
                "mass",
                SpringType.TRANSLATIONAL,
                stiffness=50,
                damping=4,
                free=1,
                actuator="0.5*slide.v - 0.5*slide.v",
            ),
        ),
        starts=fixed(slide__s=1.5, slide__v=0),
    )
    times = np.linspace(0.0, 2.0, 21)
    reference = solve_reference(model, times)
    natural, damped = 1.0, math.sqrt(50 / 2 - 1.0)
    swing = np.exp(-natural * times) * (np.cos(damped * times) + natural / damped * np.sin(damped * times))
    np.testing.assert_allclose(reference.quantity("leg.length"), 1 + 0.5 * swing, atol=1e-10)
    tension = 50 * (reference.quantity("leg.length") - 1) + 4 * reference.quantity("leg.speed")
    np.testing.assert_allclose(reference.quantity("leg.force"), tension, atol=1e-9)
    assert reference.energy.largest < 1e-6


def test_rotational_spring_and_load_that_uses_a_quantity() -> None:
    """A torsional oscillator whose damping comes from a load instead of a damper."""
    bodies = (body("disc", 1, 0.5),)
    joints = (revolute("pin", "ground", "disc"),)
    starts = fixed(pin__angle=0.7, pin__omega=0)
    kind = SpringType.ROTATIONAL
    damped = model_of(
        "Damped",
        bodies=bodies,
        joints=joints,
        starts=starts,
        springs=(spring("k", "ground", "disc", kind, stiffness=20, damping=0.3, free=0.1),),
    )
    loaded = model_of(
        "Loaded",
        bodies=bodies,
        joints=joints,
        starts=starts,
        springs=(spring("k", "ground", "disc", kind, stiffness=20, free=0.1),),
        loads=(torque("brake", "disc", "-0.3*pin.omega"),),
        outputs=outputs(power="brake.torque*disc.omega"),
    )
    times = np.linspace(0.0, 1.0, 11)
    first, second = solve_reference(damped, times), solve_reference(loaded, times)
    np.testing.assert_allclose(first.quantity("pin.angle"), second.quantity("pin.angle"), atol=1e-10)
    decay, beat = 0.3, math.sqrt(40 - 0.3**2)
    swing = np.exp(-decay * times) * (np.cos(beat * times) + decay / beat * np.sin(beat * times))
    np.testing.assert_allclose(first.quantity("k.angle"), 0.1 + 0.6 * swing, atol=1e-10)
    np.testing.assert_allclose(second.outputs["power"], -0.3 * second.quantity("disc.omega") ** 2)


def test_force_between_two_bodies_acts_on_both_in_the_axes_of_its_frame() -> None:
    model = model_of(
        "Push",
        bodies=(body("left", 1, 1), body("right", 2, 1)),
        loads=(force("push", "right", (6, 0), tail="left", frame="left"),),
        starts=fixed(
            left__x=0, left__y=0, left__angle="pi/2", left__vx=0, left__vy=0, left__omega=0,
            right__x=0, right__y=1, right__angle=0, right__vx=0, right__vy=0, right__omega=0,
        ),
    )  # fmt: skip
    reference = solve_reference(model, np.array([0.0, 1.0]))
    assert reference.quantity("right.ay")[0] == pytest.approx(3.0)
    assert reference.quantity("left.ay")[0] == pytest.approx(-6.0)
    assert reference.quantity("right.ax")[0] == pytest.approx(0.0, abs=1e-12)
    assert reference.energy.largest < 1e-12


def test_redundant_constraints_are_told() -> None:
    """A beam held by two welds: the motion is determined, the reactions are not."""
    model = model_of(
        "Twice",
        gravity=vector(models.GRAVITY),
        ground=points({"A": (0, 0), "B": (1, 0)}),
        bodies=(rod("beam", 1.0),),
        joints=(weld("left", "ground.A", "beam.A"), weld("right", "ground.B", "beam.B")),
    )
    reference = solve_reference(model, np.array([0.0, 1.0]))
    assert {"left.fy", "right.fx", "right.torque"} <= reference.undetermined
    total = reference.quantity("left.fy") + reference.quantity("right.fy")
    np.testing.assert_allclose(total, 9.81)
    assert not solve_reference(models.four_bar(), np.array([0.0, 0.01])).undetermined


def test_assembly_reaches_the_mode_of_the_guesses() -> None:
    reference = solve_reference(models.slider_crank(), np.array([0.0, 1e-3]))
    assert reference.quantity("s11.s")[0] > 0
    flipped = models.slider_crank()
    starts = (*fixed(h8__angle=1, h8__omega=0), *guesses(h9__angle=2.4, s11__s=-0.2))
    flipped = model_of(
        "Flipped", ground=flipped.ground, bodies=flipped.bodies, joints=joints_of(flipped), starts=starts
    )
    assert solve_reference(flipped, np.array([0.0, 1e-3])).quantity("s11.s")[0] < 0


def test_open_freedoms_are_counted_and_can_be_given() -> None:
    model = models.pendulum(starts=())
    reference = solve_reference(model, np.array([0.0, 0.1]))
    assert (reference.start.open_positions, reference.start.open_velocities) == (1, 1)
    given = solve_reference(model, np.array([0.0, 0.1]), initial={"rod.tip.x": 0.3, "pin.omega": 2.0})
    assert (given.start.open_positions, given.start.open_velocities) == (0, 0)
    assert given.outputs["x"][0] == pytest.approx(0.3, abs=1e-12)
    assert given.outputs["omega"][0] == pytest.approx(2.0, abs=1e-12)


def test_impossible_starts_say_what_is_wrong() -> None:
    bars = models.four_bar()
    far = model_of(
        "TooFar", ground=points({"O": (0, 0), "P": (9, 0)}), bodies=bars.bodies, joints=joints_of(bars)
    )
    with pytest.raises(AssemblyError, match=r"TooFar cannot be assembled .* constraint 'h1"):
        solve_reference(far, np.array([0.0, 1.0]))
    racing = models.pendulum(starts=fixed(pin__omega=1, rod__omega=2))
    with pytest.raises(AssemblyError, match="cannot start with its fixed velocities"):
        solve_reference(racing, np.array([0.0, 1.0]))
    with pytest.raises(AssemblyError, match=r"nose\.x"):
        solve_reference(models.pendulum(), np.array([0.0, 1.0]), initial={"nose.x": 1.0})


def test_massless_freedom_and_unreachable_driver_say_so() -> None:
    empty = model_of("Empty", bodies=(body("ghost", 0, 0),))
    with pytest.raises(VerificationError, match="without moving any mass"):
        solve_reference(empty, np.array([0.0, 1.0]))
    crank = models.slider_crank()
    model = model_of(
        "Overstretched",
        ground=crank.ground,
        bodies=crank.bodies,
        joints=joints_of(crank),
        drivers=(translation_driver("pull", "ground", "m3", ("0.3 + time", 0), axis=(1, 0)),),
        starts=guesses(h8__angle=1.2, h9__angle=-1.2),
    )
    with pytest.raises(VerificationError, match="a position it cannot reach"):
        solve_reference(model, np.linspace(0.0, 1.0, 11))


def test_progress_is_told() -> None:
    told: list[float] = []
    solve_reference(models.pendulum(), np.linspace(0.0, 0.1, 3), progress=told.append)
    assert told == [0.5, 1.0]
