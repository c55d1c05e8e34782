"""Roads: the plane z = 0 of a body, or a surface of heights over it, by a formula or a table.

A table is a cubic spline through its heights, natural in both directions, that goes on in straight lines
beyond them. It is written with cubes of distances: along an axis with the places x_k every such spline is

    a + b x + sum_k c_k |x - x_k|^3

which has no pieces, so that no event is needed where a wheel passes from one piece to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fmugen.components.tyre_law import magnitude
from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.expr.substitute import substitute
from fmugen.expr.vectors import Vector3
from fmugen.ir.arrays import Arrays
from fmugen.ir.formula import Formula
from fmugen.ir.motion import Motion

__all__ = ["PLACE", "ROAD_ARRAYS", "ROAD_COUNTED", "TangentPlane", "tangent_plane", "why_no_table"]

#: The names that a formula of heights has for the place on the road.
PLACE = ("road_x", "road_y")
#: The arrays of a table, and what their indices count.
ROAD_ARRAYS = {"x": "i", "y": "j", "z": "ij"}
ROAD_COUNTED = {"i": "places along x", "j": "places along y"}
#: Cubes of distances lose digits where there are many.
_MOST_PLACES = 60


@dataclass(frozen=True)
class TangentPlane:
    """The plane that touches the road under a point: its normal, and the point's distance from it."""

    normal: Vector3
    distance: Expr


def tangent_plane(at: Motion, point: Vector3, height: Formula, table: Arrays) -> TangentPlane:
    """The plane below ``point``, by components along the axes of the road."""
    dag = at.dag
    x, y = (dag.symbol(f"place {name}", SymbolRole.DIRECTION) for name in PLACE)
    surface = at.lowered(height, dict(zip(PLACE, (x, y), strict=True)))
    if table:
        surface = surface + _spline(x, y, table)
    if surface.is_zero:
        return TangentPlane((dag.zero, dag.zero, dag.one), point[2])
    place = {x: point[0], y: point[1]}
    along, across = (substitute(Tangent(dag, {way: dag.one})(surface), place) for way in (x, y))
    length = dag.call("sqrt", 1 + along * along + across * across)
    normal = (-along / length, -across / length, 1 / length)
    return TangentPlane(normal, (point[2] - substitute(surface, place)) / length)


def _spline(x: Expr, y: Expr, table: Arrays) -> Expr:
    dag = x.dag
    left, right = _weights(table["x"]), _weights(table["y"])
    mixed = left @ table["z"] @ right.T
    rows, columns = _powers(x, table["x"]), _powers(y, table["y"])
    inner = [_sum(dag, row, columns) for row in mixed]
    return dag.add(a * b for a, b in zip(rows, inner, strict=True))


def _sum(dag: Dag, weights: NDArray[np.float64], terms: list[Expr]) -> Expr:
    return dag.add(dag.number(Fraction(float(w))) * term for w, term in zip(weights, terms, strict=True))


def _powers(x: Expr, places: NDArray[np.float64]) -> list[Expr]:
    """1, x, and the cubes of the distances from the places; 1 alone where there is one place."""
    dag = x.dag
    if len(places) == 1:
        return [dag.one]
    return [dag.one, x, *(magnitude(dag, x - dag.number(Fraction(float(each)))) ** 3 for each in places)]


def _weights(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """What takes heights to the coefficients of 1, x and the cubes: sums of c_k and of c_k x_k vanish."""
    count = len(places)
    if count == 1:
        return np.ones((1, 1))
    system = np.zeros((count + 2, count + 2))
    system[:count, 0], system[:count, 1] = 1.0, places
    system[:count, 2:] = np.abs(places[:, None] - places[None, :]) ** 3
    system[count, 2:], system[count + 1, 2:] = 1.0, places
    given = np.vstack([np.eye(count), np.zeros((2, count))])
    return np.asarray(np.linalg.solve(system, given), dtype=np.float64)


def why_no_table(table: Arrays) -> str:
    """What is wrong with the arrays of a table; empty if nothing is."""
    for axis in "xy" if table else "":
        places = table[axis]
        if len(places) > _MOST_PLACES:
            return f"{len(places)} places along {axis} are too many: at most {_MOST_PLACES}"
        if np.any(np.diff(places) <= 0):
            return f"the places along {axis} do not increase"
    return ""
