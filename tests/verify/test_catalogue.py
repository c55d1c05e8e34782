"""The judge's catalogue: its keys, and types that tests enter into it, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from element_views import Load, LoadType, model_of, with_views
from scipy.linalg import expm

from fmugen.components.base import REGISTRY
from fmugen.errors import VerificationError
from fmugen.formulas import parse
from fmugen.ir.formula import ZERO, constant
from fmugen.ir.model import Attachment, Body, Output, Space, Start, SystemModel, Tensor, Vector
from fmugen.verify.catalogue import (
    Action,
    Element,
    ForceLaw,
    Observation,
    OwnState,
    Parts,
    Reader,
    Row,
    base,
    known_types,
    law,
)
from fmugen.verify.layout import triple
from fmugen.verify.measures import (
    BodyPoint,
    Combined,
    Composite,
    Cosine,
    Displacement,
    Jets,
    Length,
    NamedMeasure,
    Simple,
    Spin,
    Sum,
    Velocity,
)
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.reference import Reference, largest_slip, solve_reference
from fmugen.verify.rotations import IDENTITY, Array

from .models import at, prismatic

TIMES = np.linspace(0.0, 1.0, 11)


def compiler_types() -> set[tuple[str, str]]:
    """The sections and types that the compiler reads."""
    return {(section, kind) for section, kinds in REGISTRY.items() for kind in kinds}


def test_the_judge_has_a_law_for_every_type_the_compiler_reads_and_no_other() -> None:
    assert known_types() == compiler_types()


# --- types that tests enter ----------------------------------------------------------------------


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Callable[[base.Law], base.Law]]:
    """The decorator of the catalogue; what a test enters is forgotten after it."""
    monkeypatch.setattr(base, "_LAWS", dict(base._LAWS))
    return law


def element(section: str, kind: str, tail: str, head: str, **values: str | float) -> Element:
    """An element of a type that the compiler does not have."""
    ends = {"from": at(tail), "to": at(head)}
    return Element("toy", section, kind, ends, {key: parse(value) for key, value in values.items()})


def vector(x: float, y: float, z: float = 0.0) -> Vector:
    return constant(x), constant(y), constant(z)


def fixed(**values: float) -> tuple[Start, ...]:
    return tuple(
        Start(name.replace("__", "."), constant(value), fixed=True) for name, value in values.items()
    )


def solved(model: SystemModel, times: np.ndarray = TIMES) -> Reference:
    reference = solve_reference(model, times)
    assert reference.energy.largest < 2e-9
    return reference


def cart(toy: Element, **changes: object) -> SystemModel:
    """A mass of 2 kg on a guide along x, with a force element from the ground."""
    model = model_of(
        "cart",
        bodies=(Body("mass", constant(2.0), Tensor(zz=constant(1.0))),),
        joints=(prismatic("guide", "ground", "mass"),),
        springs=(toy,),  # type: ignore[arg-type]
        starts=fixed(guide__s=1.5, guide__v=-0.4),
    )
    return with_views(model, **changes)


def maxwell(at: Reader) -> Parts:
    """A spring in series with a damper; the state is the stretch of the damper."""
    length = Length(at.tail, at.head, at.ground)
    stiffness, damping = at.number("stiffness"), at.number("damping")

    def act(seen: Observation) -> Action:
        spring = seen.positions[0] - seen.states[0]
        force = stiffness * spring
        return Action(
            [-force],
            potential=0.5 * force * spring,
            power=-force * force / damping,
            quantities=((f"{at.name}.force", force),),
            rates=[force / damping],
        )

    measure = NamedMeasure(length, f"{at.name}.length")
    return Parts(
        measures=(measure,), actions=(ForceLaw((length,), act),), states=(OwnState("stretch", start=1.0),)
    )


def test_a_force_law_with_a_state_follows_the_closed_form(catalogue: Callable) -> None:
    catalogue("springs", "maxwell")(maxwell)
    k, c, m = 30.0, 4.0, 2.0
    toy = element("springs", "maxwell", "ground", "mass", stiffness=k, damping=c)
    watched = Output("stretch", parse("toy.stretch"), "m")
    starts = fixed(guide__s=1.5, guide__v=-0.4, toy__stretch=1.2)
    # Between samples the energy balance takes the states as cubics.
    times = np.linspace(0.0, 1.0, 301)
    reference = solved(cart(toy, starts=starts, outputs=(watched,)), times)
    system = np.array([[0.0, 1.0, 0.0], [-k / m, 0.0, k / m], [k / c, 0.0, -k / c]])
    exact = np.array([expm(system * time) @ [1.5, -0.4, 1.2] for time in times])
    found = np.column_stack([reference.quantity(f"guide.{kind}") for kind in "sv"])
    np.testing.assert_allclose(found, exact[:, :2], atol=1e-9)
    np.testing.assert_allclose(reference.outputs["stretch"], exact[:, 2], atol=1e-9)
    np.testing.assert_allclose(reference.quantity("toy.force"), k * (exact[:, 0] - exact[:, 2]), atol=1e-7)


def test_the_law_in_the_documentation_is_that_of_the_test(catalogue: Callable) -> None:
    page = (Path(__file__).parents[2] / "docs" / "judge.md").read_text(encoding="utf-8")
    exec(compile(page.split("```python\n")[1].split("```")[0], "judge.md", "exec"), {})
    toy = element("springs", "maxwell", "ground", "mass", stiffness=30, damping=4)
    model = cart(toy, starts=fixed(guide__s=1.5, guide__v=-0.4, toy__stretch=1.2))
    documented = solve_reference(model, TIMES[:3])
    catalogue("springs", "maxwell")(maxwell)
    np.testing.assert_array_equal(documented.coordinates, solve_reference(model, TIMES[:3]).coordinates)


def test_a_state_without_a_start_value_has_that_of_its_type(catalogue: Callable) -> None:
    catalogue("springs", "maxwell")(maxwell)
    toy = element("springs", "maxwell", "ground", "mass", stiffness=30, damping=4)
    assert solve_reference(cart(toy), TIMES[:2]).quantity("toy.stretch")[0] == 1.0


def test_a_load_may_read_a_state_of_another_element(catalogue: Callable) -> None:
    """The state is time itself, so the load is a ramp."""
    clock = Parts(actions=(ForceLaw((), lambda seen: Action([], rates=[1.0])),), states=(OwnState("t"),))
    catalogue("springs", "clock")(lambda at: clock)
    push = Load(
        "push", LoadType.FORCE, Attachment("ground"), Attachment("mass"), (parse("3*toy.t"), ZERO, ZERO)
    )
    reference = solved(cart(element("springs", "clock", "ground", "mass"), loads=(push,)))
    exact = 1.5 - 0.4 * TIMES + 3.0 / 2.0 * TIMES**3 / 6.0
    np.testing.assert_allclose(reference.quantity("guide.s"), exact, atol=1e-10)


def lagging(at: Reader) -> Parts:
    """A spring whose force follows the length with a lag."""
    length = Length(at.tail, at.head, at.ground)

    def act(seen: Observation) -> Action:
        force = 50.0 * (seen.states[0] - 1.0)
        power = -force * seen.rates[0]
        return Action([-force], power=power, rates=[(seen.positions[0] - seen.states[0]) / 0.1])

    return Parts(actions=(ForceLaw((length,), act),), states=(OwnState("lag"),))


def test_a_steady_start_settles_the_states_of_force_laws(catalogue: Callable) -> None:
    catalogue("springs", "lagging")(lagging)
    toy = element("springs", "lagging", "ground", "mass")
    starts = (Start("guide.s", constant(1.4), fixed=False),)
    model = cart(toy, gravity=vector(9.81, 0.0), starts=starts, steady=True)
    reference = solve_reference(model, TIMES[:3])
    expected = 1.0 + 2.0 * 9.81 / 50.0
    np.testing.assert_allclose(reference.quantity("guide.s"), expected, rtol=1e-9)
    np.testing.assert_allclose(reference.quantity("toy.lag"), expected, rtol=1e-9)


def skate(at: Reader) -> Parts:
    """A blade along the head's x axis: its point does not move sideways."""
    sideways = Velocity(at.tail, at.head, at.head.body, (0.0, 1.0, 0.0))
    row = Row(at.name, "sideways", sideways, at.head, velocity_only=True)
    return Parts((row,), reactions=at.force_kinds)


def test_a_skate_on_a_slope_follows_the_closed_form(catalogue: Callable) -> None:
    """It does not slide down: it drifts across the slope, on a cycloid."""
    catalogue("joints", "skate")(skate)
    mass, pull, turn = 3.0, 2.0, 1.7
    model = model_of(
        "skate",
        gravity=vector(pull, 0.0),
        bodies=(Body("blade", constant(mass), Tensor(zz=constant(0.5))),),
        joints=(element("joints", "skate", "ground", "blade"),),  # type: ignore[arg-type]
        starts=fixed(
            blade__x=0.0, blade__y=0.0, blade__angle=0.0, blade__vx=0.0, blade__vy=0.0, blade__omega=turn
        ),
    )
    times = np.linspace(0.0, 4.0, 21)
    reference = solved(model, times)
    angle = turn * times
    found = {kind: reference.quantity(f"blade.{kind}") for kind in ("x", "y", "angle")}
    np.testing.assert_allclose(found["angle"], angle, atol=1e-9)
    np.testing.assert_allclose(found["x"], pull / (2 * turn**2) * np.sin(angle) ** 2, atol=1e-9)
    exact = pull / (2 * turn**2) * (angle - 0.5 * np.sin(2 * angle))
    np.testing.assert_allclose(found["y"], exact, atol=1e-9)
    side = 2.0 * mass * pull * np.sin(angle)
    np.testing.assert_allclose(reference.quantity("toy.fx"), -side * np.sin(angle), atol=1e-7)
    np.testing.assert_allclose(reference.quantity("toy.fy"), side * np.cos(angle), atol=1e-7)
    assert reference.start.open_positions == 0
    assert reference.start.open_velocities == 0


def rolling(at: Reader) -> Parts:
    """A ball that rolls on the plane z = 0, which moves along x with the speed ``belt``."""
    radius = at.number("radius")
    x, y, z = IDENTITY
    height = Row(at.name, "height", at.in_ground(z), at.head, at.formula("radius"))

    def moving(direction: np.ndarray) -> Velocity:
        return Velocity(at.tail, at.head, at.ground, triple(direction))

    def spinning(direction: np.ndarray) -> Spin:
        return Spin(at.tail.body, at.head.body, at.ground, triple(direction))

    along = Sum(((1.0, moving(x)), (-radius, spinning(y))))
    across = Sum(((1.0, moving(y)), (radius, spinning(x))))
    rolls = (
        Row(at.name, "rolls along x", along, at.head, at.formula("belt"), velocity_only=True),
        Row(at.name, "rolls along y", across, at.head, velocity_only=True),
    )
    return Parts((height, *rolls), reactions=at.force_kinds)


def ball(belt: str, gravity: Vector) -> SystemModel:
    radius, mass = 0.3, 2.0
    sphere = constant(0.4 * mass * radius**2)
    belt_speed = 0.0 if belt == "0" else 0.5
    return model_of(
        "ball",
        space=Space.SPATIAL,
        gravity=gravity,
        bodies=(Body("ball", constant(mass), Tensor(sphere, sphere, sphere)),),
        joints=(element("joints", "rolling", "ground", "ball", radius=radius, belt=belt),),  # type: ignore[arg-type]
        starts=fixed(
            ball__x=0.0,
            ball__y=0.0,
            ball__vx=belt_speed,
            ball__vy=0.7,
            ball__wz=1.3,
            ball__rxx=1.0,
            ball__rxy=0.0,
            ball__ryz=0.0,
        ),
    )


def test_a_ball_rolls_down_a_slope_by_the_closed_form(catalogue: Callable) -> None:
    catalogue("joints", "rolling")(rolling)
    slope = 0.4
    model = ball("0", vector(9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope)))
    reference = solved(model)
    falling = 5.0 / 7.0 * 9.81 * math.sin(slope)
    np.testing.assert_allclose(reference.quantity("ball.x"), 0.5 * falling * TIMES**2, atol=1e-9)
    np.testing.assert_allclose(reference.quantity("ball.y"), 0.7 * TIMES, atol=1e-9)
    np.testing.assert_allclose(reference.quantity("ball.wy"), falling * TIMES / 0.3, atol=1e-8)
    np.testing.assert_allclose(reference.quantity("ball.wz"), 1.3, atol=1e-9)
    friction = -2.0 / 7.0 * 2.0 * 9.81 * math.sin(slope)
    np.testing.assert_allclose(reference.quantity("toy.fx"), friction, atol=1e-8)


def test_a_constraint_may_prescribe_a_velocity_that_changes(catalogue: Callable) -> None:
    """A belt under a ball: the ball gains two sevenths of the belt's speed."""
    catalogue("joints", "rolling")(rolling)
    reference = solved(ball("0.5 + sin(3*time)", vector(0.0, 0.0, -9.81)))
    np.testing.assert_allclose(reference.quantity("ball.vx"), 0.5 + 2.0 / 7.0 * np.sin(3 * TIMES), atol=1e-9)


@dataclass(frozen=True)
class Contact(Composite):
    """Measures of the contact point of a disc: its height, and its velocity along two ground axes.

    The arm from the centre to the contact is c = -radius (z - (a.z) a) / sqrt(1 - (a.z)^2), for the axis a.
    """

    hub: BodyPoint
    ground: int
    radius: float
    #: 0 or 1 for the velocity along x or y, 2 for the height.
    along: int

    @property
    def parts(self) -> tuple[Simple, ...]:
        datum, axes = BodyPoint(self.ground), [triple(axis) for axis in IDENTITY]
        axis = [Cosine(self.ground, way, self.hub.body, axes[2]) for way in axes]
        if self.along == 2:
            return Displacement(datum, self.hub, self.ground, axes[2]), axis[2]
        spins = [Spin(self.ground, self.hub.body, self.ground, way) for way in axes]
        return Velocity(datum, self.hub, self.ground, axes[self.along]), *spins, *axis

    def combine(self, parts: Jets, memory: Array) -> Combined:
        if self.along == 2:
            cosine, rate = parts.value[1], parts.rate[1]
            sine = math.sqrt(1.0 - cosine**2)
            slope, bend = self.radius * cosine / sine, self.radius / sine**3
            return Combined(
                float(parts.value[0] - self.radius * sine),
                parts.jacobian[0] + slope * parts.jacobian[1],
                float(parts.bias[0] + slope * parts.bias[1] + bend * rate * rate),
            )
        axis, turning = parts.value[4:], parts.rate[4:]
        sine = math.sqrt(1.0 - axis[2] ** 2)
        up, rising = IDENTITY[2] - axis[2] * axis, -turning[2] * axis - axis[2] * turning
        arm = -self.radius * up / sine
        arm_rate = -self.radius * (rising / sine + up * axis[2] * turning[2] / sine**3)
        # The velocity of the contact is v + w x arm, which is linear in w.
        lever, lever_rate = (
            np.cross(IDENTITY, arm)[:, self.along],
            np.cross(IDENTITY, arm_rate)[:, self.along],
        )
        return Combined(
            0.0,
            parts.jacobian[0] + lever @ parts.jacobian[1:4],
            float(parts.bias[0] + lever @ parts.bias[1:4] + lever_rate @ parts.rate[1:4]),
        )


def disc(at: Reader) -> Parts:
    """A thin disc that rolls on the plane z = 0, with a measure of its own."""
    contact = [Contact(at.head, at.ground, at.number("radius"), along) for along in range(3)]
    rolls = [Row(at.name, label, contact[n], at.head, velocity_only=True) for n, label in enumerate("xy")]
    return Parts((Row(at.name, "height", contact[2], at.head), *rolls))


def test_a_spinning_disc_settles_on_a_table_by_the_closed_form(catalogue: Callable) -> None:
    """Its centre rests while its axis turns about the vertical at the rate sqrt(4 g / (R sin tilt))."""
    catalogue("joints", "disc")(disc)
    radius, mass, tilt = 0.2, 1.5, 0.6
    rate = math.sqrt(4.0 * 9.81 / (radius * math.sin(tilt)))
    spin = rate * math.sin(tilt)
    flat, thick = constant(mass * radius**2 / 4.0), constant(mass * radius**2 / 2.0)
    model = model_of(
        "disc",
        space=Space.SPATIAL,
        gravity=vector(0.0, 0.0, -9.81),
        bodies=(Body("disc", constant(mass), Tensor(flat, flat, thick)),),
        joints=(element("joints", "disc", "ground", "disc", radius=radius),),  # type: ignore[arg-type]
        starts=fixed(
            disc__x=0.0,
            disc__y=0.0,
            disc__rxz=math.sin(tilt),
            disc__ryz=0.0,
            disc__rxy=0.0,
            disc__wx=-spin * math.cos(tilt),
            disc__wy=0.0,
            disc__wz=spin * math.sin(tilt),
        ),
    )
    times = np.linspace(0.0, 0.2, 11)
    reference = solved(model, times)
    for axis, height in zip("xyz", (0.0, 0.0, radius * math.sin(tilt)), strict=True):
        np.testing.assert_allclose(reference.quantity(f"disc.{axis}"), height, atol=1e-8)
    exact = math.sin(tilt) * np.cos(rate * times)
    np.testing.assert_allclose(reference.quantity("disc.rxz"), exact, atol=1e-8)


def test_velocities_that_violate_a_constraint_on_velocities_are_measured(catalogue: Callable) -> None:
    catalogue("joints", "rolling")(rolling)
    reference = solved(ball("0", vector(1.0, 0.0, -9.81)))
    motion = reference.mechanism, reference.times, reference.coordinates
    assert largest_slip(*motion, reference.velocities) < 1e-12
    wrong = reference.velocities.copy()
    wrong[:, 0] += 0.01
    assert largest_slip(*motion, wrong) == pytest.approx(0.01)


def test_a_type_without_a_law_is_an_error_that_names_it() -> None:
    with pytest.raises(VerificationError, match="no law for the type 'gluon' of section 'springs'"):
        Mechanism(cart(element("springs", "gluon", "ground", "mass")))


def test_a_law_that_forgets_the_rate_of_a_state_is_an_error(catalogue: Callable) -> None:
    forgetful = Parts(actions=(ForceLaw((), lambda seen: Action([])),), states=(OwnState("x"),))
    catalogue("springs", "forgetful")(lambda at: forgetful)
    with pytest.raises(VerificationError, match="0 rates for 1 states"):
        solve_reference(cart(element("springs", "forgetful", "ground", "mass")), TIMES)
