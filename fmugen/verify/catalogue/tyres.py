"""Tyres: contact with a road, slips, and the wrench of a law of tyres on the wheel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.interpolate import CubicSpline

from fmugen.ir.arrays import Arrays
from fmugen.ir.formula import Formula
from fmugen.ir.model import Vector
from fmugen.verify.catalogue.base import Action, ForceLaw, Observation, OwnState, Parts, Reader, law
from fmugen.verify.catalogue.tyre_formulas import Brush, Fiala, Pacejka, Pacejka61, Simple, larger
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.layout import triple
from fmugen.verify.measures import Cosine, Spin
from fmugen.verify.tape.scalar import asin, atan, choose, exp, sqrt

_GRAVITY = 9.80665
#: The steps of the differences that give the slope of a road, in m.
_STEP = 1e-3
_SIMPLE: dict[str, type[Simple]] = {"linear_tyre": Simple, "fiala_tyre": Fiala, "brush_tyre": Brush}

# --- roads ---------------------------------------------------------------------------------------

_Height = Callable[[Any, Any], Any]


def _height(at: Reader) -> _Height | None:
    """The height of the road over a place; ``None`` if it is level."""
    formula, table = at.formula("height"), cast(Arrays, at.element.values["heights"])
    if formula.number == 0.0 and not table:
        return None
    numbers = {name: at.layout.parameters[name] for name in formula.names() if name in at.layout.parameters}
    given = compile_formula(formula)
    added = _table(table) if table else lambda x, y: 0.0

    def height(x: Any, y: Any) -> Any:
        return given({**numbers, "road_x": x, "road_y": y}) + added(x, y)

    return height


def _table(table: Arrays) -> _Height:
    """Natural splines along x through splines along y."""
    xs, ys, heights = table["x"], table["y"], table["z"]
    along, across = _cardinal(xs), _cardinal(ys)

    def height(x: Any, y: Any) -> Any:
        left, right = along(x), across(y)
        return sum(left[i] * heights[i, j] * right[j] for i in range(len(xs)) for j in range(len(ys)))

    return height


def _cardinal(places: np.ndarray) -> Callable[[Any], list[Any]]:
    """The natural splines that are one at a place and zero at the others, with straight lines beyond."""
    count = len(places)
    if count == 1:
        return lambda x: [1.0]
    spline = CubicSpline(places, np.eye(count), bc_type="natural")
    slopes = spline(places[[0, -1]], 1)
    starts = [*places[:-1], places[-1]]
    # A row of each piece: coefficients of 1, d, d^2, d^3 with the distance d from its start.
    pieces = [spline.c[::-1, number, :] for number in range(count - 1)]
    last = np.zeros((4, count))
    last[0, -1], last[1] = 1.0, slopes[1]
    pieces.append(last)

    def piece(number: int, which: int, x: Any) -> Any:
        d, (a, b, c, e) = x - starts[number], pieces[number][:, which]
        return a + d * (b + d * (c + d * e))

    def value(which: int, x: Any) -> Any:
        found: Any = float(which == 0) + slopes[0][which] * (x - places[0])
        for number, start in enumerate(starts):
            found = choose(x - start, piece(number, which, x), found)
        return found

    return lambda x: [value(which, x) for which in range(count)]


def _slope(height: _Height, x: Any, y: Any, ways: tuple[float, float]) -> Any:
    """The slope along a way, by central differences of the fourth order."""
    near, far = (
        height(x + k * _STEP * ways[0], y + k * _STEP * ways[1])
        - height(x - k * _STEP * ways[0], y - k * _STEP * ways[1])
        for k in (1, 2)
    )
    return (8 * near - far) / (12 * _STEP)


# --- tyres ---------------------------------------------------------------------------------------


def _formulas(at: Reader) -> Any:
    """The law with the numbers of the element."""
    kind = at.element.type
    if kind in _SIMPLE:
        keys = [key for key, value in at.element.values.items() if isinstance(value, Formula)]
        return _SIMPLE[kind]({key: at.number(key) for key in keys if key != "height"})
    given = cast("tuple[tuple[str, Formula], ...]", at.element.values["coefficients"])
    numbers = {name: at.layout.number(formula) for name, formula in given}
    return (Pacejka61 if numbers.get("FITTYP") == 61 else Pacejka)(numbers)


class _Lag(NamedTuple):
    """Slips, and the rates of the deflections of the contact."""

    kappa: Any
    tangent: Any
    rates: tuple[Any, ...]


@law("forces", "tyre")
@law("forces", "linear_tyre")
@law("forces", "fiala_tyre")
@law("forces", "brush_tyre")
def tyre(at: Reader) -> Parts:
    """Load, friction and moments at the contact, as efforts along displacements and spins of the wheel."""
    formulas, height = _formulas(at), _height(at)
    mounted = 1.0 if at.text("side") == "left" else -1.0
    image = mounted * formulas.side
    axle = at.layout.vector(cast(Vector, at.element.values["axle"]))
    axle = mounted * axle / np.linalg.norm(axle)
    lagging = at.text("slip") == "lag"
    ratio = at.number("damping_ratio")
    road = at.tail_axes.T
    centers = tuple(at.in_tail(way) for way in road)
    spins = tuple(Spin(at.tail.body, at.head.body, at.tail.body, triple(way)) for way in road)
    cosines = tuple(Cosine(at.tail.body, triple(way), at.head.body, triple(axle)) for way in road)

    def slip_of(load: Any, gamma: Any, slides: tuple[Any, Any], speed: Any, states: list[float]) -> _Lag:
        low = formulas.low_speed
        if not lagging:
            over = larger(abs(speed), low)
            return _Lag(-slides[0] / over, slides[1] / over, ())
        least = formulas.radius / 50
        along, across = (larger(length, least) for length in formulas.relaxation(load, gamma))
        still = exp(-((speed / low) ** 2))
        # Stiffness over load, which has a limit where the wheel lifts off.
        touched = larger(load, 1e-9 * formulas.nominal)
        kx, ky = formulas.stiffness_x(touched) / touched, abs(formulas.stiffness_y(touched, gamma)) / touched
        drag_x, drag_y = (2 * ratio / sqrt(k * s * _GRAVITY) for k, s in ((kx, along), (ky, across)))
        x, y = states
        return _Lag(
            x / along - still * drag_x * slides[0],
            y / across + still * drag_y * slides[1],
            (
                -slides[0] - (abs(speed) + still * abs(slides[0])) * x / along,
                slides[1] - abs(speed) * y / across,
            ),
        )

    def act(seen: Observation) -> Action:
        center, velocity = np.array(seen.positions[:3]), np.array(seen.rates[:3])
        spin, n = np.array(seen.rates[3:6]), np.array(seen.positions[6:])
        lean_x = _slope(height, center[0], center[1], (1.0, 0.0)) if height else 0.0
        lean_y = _slope(height, center[0], center[1], (0.0, 1.0)) if height else 0.0
        steep = sqrt(1 + lean_x**2 + lean_y**2)
        up = np.array([-lean_x / steep, -lean_y / steep, 1 / steep])
        distance = (center[2] - (height(center[0], center[1]) if height else 0.0)) / steep
        forward = np.cross(n, up)
        level = sqrt(forward @ forward)
        forward = forward / level
        left = np.cross(up, forward)
        gamma = asin(n @ up)
        radius = distance / level
        arm = -radius * (up - (n @ up) * n) / level
        sliding = velocity + np.cross(spin, arm)
        deflection, turning = formulas.radius - radius, spin @ n
        load = formulas.load(deflection, -(sliding @ up), turning)
        effective = formulas.effective_radius(deflection, load, turning)
        speed = velocity @ forward
        slides = speed - turning * effective, sliding @ left
        kappa, tangent, rates = slip_of(load, image * gamma, slides, speed, seen.states)
        alpha = atan(tangent)
        load = formulas.yielded(load, kappa, image * alpha, image * gamma, speed)
        fx, fy, mx, my, mz = formulas.wrench(load, kappa, image * alpha, image * gamma, speed)
        fy, mx, mz = image * fy, image * mx, image * mz
        force = fx * forward + fy * left + load * up
        moment = np.cross(arm, force) + mx * forward + my * left + mz * up
        kinds = {
            **{"load": load, "deflection": deflection, "inclination": gamma},
            **{"slip": kappa, "slip_angle": alpha, "longitudinal_force": fx, "lateral_force": fy},
            **{"overturning_moment": mx, "rolling_moment": my, "aligning_moment": mz},
        }
        return Action(
            [*force, *moment, 0.0, 0.0, 0.0],
            power=force @ velocity + moment @ spin,
            quantities=tuple((f"{at.name}.{kind}", value) for kind, value in kinds.items()),
            rates=list(rates),
        )

    states = (OwnState("slip_x"), OwnState("slip_y")) if lagging else ()
    return Parts(actions=(ForceLaw((*centers, *spins, *cosines), act),), states=states)
