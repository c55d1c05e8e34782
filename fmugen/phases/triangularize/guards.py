"""Exact steps along a motion, as the running model takes them (see exact.h): where do all guards hold?

Steps are taken in order, each from the results of those before it. The digits that a step loses thus reach
the guards of later steps. The known position serves as the prediction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fmugen.algebra.costs import expressions_of
from fmugen.expr.generic import ValueTable
from fmugen.expr.sizes import size_of
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Block
from fmugen.ir.steps import (
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)
from fmugen.phases.triangularize.check import table_of
from fmugen.phases.triangularize.numeric import Numbers, Position

__all__ = ["BLURRED", "CANCELLED", "CONSISTENT", "Guards"]

#: A discriminant below this part of its terms is nearly a double root, as in exact.h.
BLURRED = 1e-4
#: Sine and cosine are consistent if their squares add up to one this well, twice, as in exact.h.
CONSISTENT = 1e-13
#: A denominator below this part of its terms has lost digits, as in exact.h.
CANCELLED = 1e-5
_ITERATIONS = 40
_EPSILON = float(np.finfo(float).eps)

Truths = NDArray[np.bool_]


class Guards:
    """Where on a motion the guards of exact steps hold, for the default parameters."""

    def __init__(self, dae: Dae, positions: Sequence[Position], parameters: Sequence[float]) -> None:
        self._dae, self._positions, self._parameters = dae, positions, parameters
        self._known = np.array([position.q for position in positions]).reshape(len(positions), -1)

    def __call__(self, blocks: Sequence[Block]) -> Truths:
        """Whether all steps of the blocks can be relied on, by position."""
        steps = [step for block in blocks for step in block.steps]
        table = table_of(self._dae, self._positions, self._parameters, without={s.unknown for s in steps})
        hold = np.ones(len(self._positions), dtype=bool)
        with np.errstate(all="ignore"):
            for step in steps:
                hold &= self._take(step, table)
        return hold

    def _take(self, step: ExactStep, table: ValueTable) -> Truths:
        """Whether the guard of a step holds; its result is put into the table."""
        try:
            terms = [np.array(table(expression)) for expression in expressions_of(step)]
        except KeyError:  # it names an unknown of a later block, which cancels: the guard cannot be evaluated
            return np.zeros(len(self._positions), dtype=bool)
        known = self._known[:, step.unknown]
        match step:
            case LinearStep():
                size = np.array(table(size_of(step.denominator, self._dae.unit_positions)))
                least = np.maximum(_EPSILON * np.abs(terms[0]), CANCELLED * size)
                hold = np.abs(terms[1]) > least
                self._put(step.unknown, table, np.where(hold, terms[0] / terms[1], known))
            case QuadraticStep():
                hold, found = _quadratic(terms, known)
                if step.b.is_zero:
                    size = np.array(table(size_of(step.c, self._dae.unit_positions)))
                    hold &= np.abs(terms[2]) > BLURRED * size
                self._put(step.unknown, table, np.where(hold, found, known))
            case PolynomialStep(half_angle=False):
                hold, found = _polynomial(terms, known)
                self._put(step.unknown, table, np.where(hold, found, known))
            case _:
                hold, sine, cosine = _direction(step, terms, np.sin(known), np.cos(known))
                sine, cosine = np.where(hold, sine, np.sin(known)), np.where(hold, cosine, np.cos(known))
                turn = np.arctan2(sine * np.cos(known) - cosine * np.sin(known), 1.0)
                self._put(step.unknown, table, known + turn, sine, cosine)
        return np.asarray(hold)

    def _put(
        self,
        unknown: int,
        table: ValueTable,
        found: Numbers,
        sine: Numbers | None = None,
        cosine: Numbers | None = None,
    ) -> None:
        symbol = self._dae.coordinates[unknown].position
        table.put(symbol, found.tolist())
        if sine is not None and cosine is not None:
            table.put(symbol.dag.call("sin", symbol), sine.tolist())
            table.put(symbol.dag.call("cos", symbol), cosine.tolist())


def _quadratic(terms: Sequence[Numbers], known: Numbers) -> tuple[Truths, Numbers]:
    a, b, c = terms
    discriminant = b * b - 4.0 * a * c
    hold = discriminant > BLURRED * (b * b + np.abs(4.0 * a * c))
    large = -0.5 * (b + np.where(b < 0.0, -1.0, 1.0) * np.sqrt(np.maximum(discriminant, 0.0)))
    first = np.where(a != 0.0, large / a, c / large)
    second = np.where(large != 0.0, c / large, first)
    found = np.where(np.abs(first - known) <= np.abs(second - known), first, second)
    return hold & np.isfinite(found), found


def _polynomial(coefficients: Sequence[Numbers], known: Numbers) -> tuple[Truths, Numbers]:
    """A root by Newton's method, step bounded; found where the value is but rounding."""
    at, done = known.copy(), np.zeros(known.shape, dtype=bool)
    for _ in range(_ITERATIONS):
        value, slope = coefficients[-1].copy(), np.zeros_like(at)
        size = np.abs(value)
        for coefficient in coefficients[-2::-1]:
            slope = slope * at + value
            value = value * at + coefficient
            size = size * np.abs(at) + np.abs(coefficient)
        done |= ~(np.abs(value) > 4.0 * _EPSILON * size)
        if done.all():
            break
        limit = 0.5 * (1.0 + np.abs(at))
        step = np.where(slope != 0.0, value / slope, limit)
        at = np.where(done, at, at - np.clip(step, -limit, limit))
    return done & np.isfinite(at), at


def _direction(
    step: ExactStep, terms: Sequence[Numbers], sine: Numbers, cosine: Numbers
) -> tuple[Truths, Numbers, Numbers]:
    """Whether a guard holds, sine and cosine of the angle that a step gives near the known ones."""
    match step:
        case LinearAngleStep():
            s, c = terms[0] / terms[2], terms[1] / terms[2]
            return np.abs(s * s + c * c - 1.0) <= 2.0 * CONSISTENT, s, c
        case GoniometricStep():
            a, b, c = terms
            square = a * a + b * b
            root = np.copysign(np.sqrt(np.maximum(square - c * c, 0.0)), b * sine - a * cosine)
            hold = square - c * c > BLURRED * square
            return hold, (a * c + b * root) / square, (b * c - a * root) / square
        case _:
            forward = cosine >= 0.0
            ends = (terms, list(reversed(terms)))
            ordered = [np.where(forward, one, other) for one, other in zip(*ends, strict=True)]
            start = np.where(forward, sine / (1.0 + cosine), sine / (1.0 - cosine))
            hold, found = _polynomial(ordered, start)
            tangent = np.where(forward, found, 1.0 / found)
            share = 1.0 / (1.0 + tangent * tangent)
            return hold & np.isfinite(tangent), 2.0 * tangent * share, (1.0 - tangent * tangent) * share
