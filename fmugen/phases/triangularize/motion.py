"""Positions that a mechanism reaches from its start: a little away from it, and along its motion.

What is well conditioned at the start may be singular where the mechanism moves to. A model does not say how
far it will move; so it is moved: along what its drivers prescribe, and along each of its freedoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from fmugen.phases.triangularize.assemble import Assembly
from fmugen.phases.triangularize.numeric import Numbers, Position, least_norm

__all__ = ["closed_position", "filled_positions", "nearby_positions", "radians", "reachable_positions"]

_CLOSED = 1e-12
_RANK = 1e-7

#: A step along the motion, in radians; a length is as far as this many radians a metre.
_STEP = 0.2
_RADIANS_A_METRE = 3.0
_STEPS = 8
#: Steps of a motion that leads through all positions of most mechanisms.
_MANY_STEPS = 40
#: Nothing that is further away is near, in radians.
_NEAR = 1.0
#: Positions that are filled in between two of a motion, at most; and in all of it, about.
_BETWEEN = 4
_FILLED = 500
#: Directions that are tried where there are several freedoms.
_DIRECTIONS = 2


def nearby_positions(assembly: Assembly, q: Numbers) -> list[Numbers]:
    """Consistent positions a little away from ``q``.

    Where the loops lead far away from an arbitrary position, one is taken that they allow at ``q``: a fine
    screw turns many times for a small slide.
    """
    random, scales = np.random.default_rng(1), radians(assembly)
    _, jacobian = assembly.constraints(q)
    found = []
    for _ in range(3):
        away = 0.02 * random.standard_normal(q.size)
        allowed = away - least_norm(jacobian, jacobian @ away, _RANK)
        for trial in (q + away, q + allowed):
            near = closed_position(assembly, trial, 0.0)
            if near is not None and np.abs((near - q) * scales).max(initial=0.0) <= _NEAR:
                found.append(near)
                break
    return found


def reachable_positions(assembly: Assembly, q: Numbers, stop: float, *, far: bool = False) -> list[Position]:
    """Positions on the way of the drivers until ``stop``, and along the freedoms, to either side."""
    steps = _MANY_STEPS if far else _STEPS
    random = np.random.default_rng(2)
    found = list(_driven(assembly, q, stop))
    for _ in range(_DIRECTIONS):
        direction = random.standard_normal(q.size)
        found += [
            Position(at) for sign in (1.0, -1.0) for at in _walked(assembly, q, sign * direction, steps)
        ]
    return found


def filled_positions(assembly: Assembly, positions: Sequence[Position]) -> list[Position]:
    """Positions on a motion with others between them."""
    found = list(positions[:1])
    between = min(_BETWEEN, _FILLED // max(len(positions), 1))
    for before, after in pairwise(positions):
        for share in np.arange(1, between + 1) / (between + 1):
            time = (1 - share) * before.time + share * after.time
            q = closed_position(assembly, (1 - share) * before.q + share * after.q, time)
            found += [] if q is None else [Position(q, time)]
        found.append(after)
    return found


def closed_position(assembly: Assembly, q: Numbers, time: float) -> Numbers | None:
    """The position near ``q`` that closes all loops."""
    for _ in range(30):
        value, jacobian = assembly.constraints(q, time=time)
        if np.abs(value).max(initial=0.0) < _CLOSED:
            return q
        q = q + least_norm(jacobian, -value, _RANK)
    return None


def radians(assembly: Assembly) -> Numbers:
    """By what each coordinate is multiplied to make lengths and angles comparable."""
    units = [coordinate.unit for coordinate in assembly.dae.coordinates]
    return np.array([_RADIANS_A_METRE if unit == "m" else 1.0 for unit in units])


def _driven(assembly: Assembly, q: Numbers, stop: float) -> Iterator[Position]:
    """Along the prescribed motion, in steps so small that the assembly mode does not change."""
    time, scales = 0.0, radians(assembly)
    for _ in range(2 * _STEPS):
        _, jacobian = assembly.constraints(q, time=time)
        rates, _ = assembly.rates(q, time=time)
        velocity = least_norm(jacobian, rates, _RANK)
        speed = np.abs(velocity * scales).max(initial=0.0)
        step = min(_STEP / max(speed, 1e-12), stop / (2 * _STEPS))
        time += step
        if not np.abs(rates).any() or time > stop:
            return
        closed = closed_position(assembly, q + step * velocity, time)
        if closed is None:
            return
        q = closed
        yield Position(q, time)


def _walked(assembly: Assembly, q: Numbers, direction: Numbers, steps: int) -> Iterator[Numbers]:
    """Straight along a degree of freedom, until the loops cannot be closed."""
    scales = radians(assembly)
    for _ in range(steps):
        _, jacobian = assembly.constraints(q)
        across = least_norm(jacobian, jacobian @ direction, _RANK)
        direction = direction - across
        size = np.abs(direction * scales).max(initial=0.0)
        if size < 1e-9:
            return
        closed = closed_position(assembly, q + _STEP / size * direction, 0.0)
        if closed is None or np.abs((closed - q) * scales).max() > 2 * _STEP:
            return
        q, direction = closed, direction / size
        yield q
