"""Laws of tyres with few numbers against what they are made of, and surfaces of roads."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from fmugen.components.road import _powers, _weights
from fmugen.components.simple_tyre_laws import BrushLaw, FialaLaw, LinearLaw, SimpleLaw, TyreNumbers
from fmugen.components.tyre_law import Contact
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Dag, Expr, SymbolRole

RADIUS, NOMINAL, SLIP, CORNERING, FRICTION, LENGTH = 0.3, 3000.0, 50e3, 40e3, 0.9, 0.16


def exact(dag: Dag, x: float) -> Expr:
    return dag.number(Fraction(x))


def numbers(dag: Dag, *given: float) -> TyreNumbers:
    return TyreNumbers(*(exact(dag, x) for x in given))


def forces_of(make: Callable[[Dag, TyreNumbers], SimpleLaw]) -> Callable[..., list[float]]:
    """F_x, F_y and M_z by load, slip and the tangent of the slip angle."""
    dag = Dag()
    given = (RADIUS, NOMINAL, 2e5, 0, SLIP, CORNERING, 0.1, 0.3, 0.01, 1)
    load, slip, tangent = (dag.symbol(name, SymbolRole.COORDINATE) for name in ("load", "slip", "tangent"))
    found = make(dag, numbers(dag, *given)).patch(
        Contact(load, slip, tangent, exact(dag, 0.05), exact(dag, 10))
    )
    evaluate = compile_python([found.fx, found.fy, found.mz], {"x": (load, slip, tangent)})
    return lambda *at: evaluate(at)


def bristles(load: float, slip: float, tangent: float, stiffness: float) -> np.ndarray:
    """A contact of bristles that stick until friction is exceeded, summed along its length."""
    half = LENGTH / 2
    x = half - (np.arange(20000) + 0.5) / 20000 * LENGTH  # from the front to the rear
    pressure = 0.75 * load / half * (1 - (x / half) ** 2)
    per_length = stiffness * load / NOMINAL / (2 * half**2)
    bent = np.array([slip, -tangent])[:, None] / (1 + slip) * (half - x) * per_length
    size = np.hypot(*bent)
    held = np.where(size > FRICTION * pressure, bent * FRICTION * pressure / np.maximum(size, 1e-300), bent)
    step = LENGTH / 20000
    return np.array([held[0].sum() * step, held[1].sum() * step, (held[1] * x).sum() * step])


@pytest.mark.parametrize(
    "at", [(2000.0, 0.01, 0.0), (3500.0, 0.0, 0.04), (2500.0, 0.03, -0.05), (3000.0, -0.2, 0.3)]
)
def test_the_brush_is_the_sum_of_its_bristles(at: tuple[float, float, float]) -> None:
    """With equal stiffness along and across, as the formula of the moment has it."""
    stiffness, dag = 45e3, Dag()
    given = (RADIUS, NOMINAL, 2e5, 0, stiffness, stiffness, 0.1, 0.3, 0, 1)
    law = BrushLaw(dag, numbers(dag, *given), exact(dag, FRICTION), exact(dag, LENGTH))
    load, slip, tangent = (exact(dag, x) for x in at)
    found = law.patch(Contact(load, slip, tangent, dag.zero, exact(dag, 10)))
    values = compile_python([found.fx, found.fy, found.mz], {})()
    summed = bristles(*at, stiffness)
    assert values == pytest.approx(summed, rel=2e-4, abs=2e-4 * FRICTION * at[0] * LENGTH)


def test_a_locked_brush_slides_against_its_motion() -> None:
    law = forces_of(lambda dag, n: BrushLaw(dag, n, exact(dag, FRICTION), exact(dag, LENGTH)))
    fx, fy, mz = law(3000.0, -1.0, 0.4)
    assert math.hypot(fx, fy) == pytest.approx(FRICTION * 3000, rel=1e-12)
    assert mz == pytest.approx(0, abs=1e-9)


def fiala(load: float, slip: float, tangent: float) -> tuple[float, float, float]:
    """By branches."""
    whole = min(math.hypot(slip, tangent), 1.0)
    held = load * (1.0 - 0.3 * whole)
    along, across = SLIP * load / NOMINAL, CORNERING * load / NOMINAL
    fx = along * slip
    if abs(slip) >= held / (2 * along):
        fx = math.copysign(held - held**2 / (4 * abs(slip) * along), slip)
    left = 1 - across * abs(tangent) / (3 * held)
    if left <= 0:
        return fx, -math.copysign(held, tangent), 0.0
    size = held * (1 - left**3)
    return fx, -math.copysign(size, tangent), math.copysign(held * 0.17 * (1 - left) * left**3, tangent)


@pytest.mark.parametrize("at", [(2000.0, 0.01, 0.02), (3500.0, 0.4, -0.04), (2500.0, -0.9, 0.7)])
def test_fiala_without_branches_is_fiala_with_branches(at: tuple[float, float, float]) -> None:
    law = forces_of(lambda dag, n: FialaLaw(dag, n, exact(dag, 1.0), exact(dag, 0.7), exact(dag, 0.17)))
    assert law(*at) == pytest.approx(fiala(*at), rel=1e-12, abs=1e-9)


def test_small_slips_have_the_given_stiffnesses() -> None:
    laws = [
        forces_of(lambda dag, n: LinearLaw(dag, n, dag.zero, exact(dag, 0.03))),
        forces_of(lambda dag, n: FialaLaw(dag, n, exact(dag, 1.0), exact(dag, 0.7), exact(dag, 0.17))),
        forces_of(lambda dag, n: BrushLaw(dag, n, exact(dag, FRICTION), exact(dag, LENGTH))),
    ]
    for law in laws:
        assert law(NOMINAL, 1e-7, 0.0)[0] / 1e-7 == pytest.approx(SLIP, rel=1e-4)
        assert law(NOMINAL, 0.0, 1e-7)[1] / 1e-7 == pytest.approx(-CORNERING, rel=1e-4)
        assert law(0.0, 0.1, 0.1) == pytest.approx([0, 0, 0], abs=1e-12)


def test_cubes_of_distances_are_the_natural_spline() -> None:
    """Heights of up to 3 m; the cubes lose some digits where there are many places."""
    draw = np.random.default_rng(7)
    places = np.cumsum(draw.uniform(0.3, 1.5, 25)) - 4.0
    heights = draw.normal(size=25)
    spline = CubicSpline(places, heights, bc_type="natural")
    dag = Dag()
    x = dag.symbol("x", SymbolRole.COORDINATE)
    evaluate = compile_python(_powers(x, places), {"x": (x,)})
    weights = _weights(places) @ heights
    for at in np.linspace(places[0], places[-1], 101):
        assert np.dot(weights, evaluate([at])) == pytest.approx(float(spline(at)), abs=1e-9)
    beyond = places[-1] + 2.0
    line = heights[-1] + 2.0 * float(spline(places[-1], 1))
    assert np.dot(weights, evaluate([beyond])) == pytest.approx(line, abs=1e-9)
