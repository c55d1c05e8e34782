"""Inputs that change between communication points: those whose derivatives are inputs as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import factorial

import numpy as np
from scipy.interpolate import BPoly

from fmugen.errors import VerificationError
from fmugen.ir.driving import rate_chains
from fmugen.ir.model import Input, SystemModel
from fmugen.signals import Chain, Feed, Signal, feed
from fmugen.verify.rotations import Array

__all__ = ["Moved", "fed_inputs", "moved_inputs"]

#: The inputs with derivatives at a time, by name.
Moved = Callable[[float], dict[str, float]]


def fed_inputs(model: SystemModel, signals: Mapping[str, Signal] | None, times: Array) -> Feed:
    """The signals of the inputs of a model.

    Raises
    ------
    VerificationError
        If the model has no input of a signal's name.
    """
    unknown = sorted(set(signals or ()) - {variable.name for variable in model.inputs})
    if unknown:
        raise VerificationError(f"{model.name} has no input {unknown[0]!r}")
    chains = [
        Chain(tuple(variable.name for variable in chain), tuple(variable.start for variable in chain))
        for chain in rate_chains(model)
    ]
    return feed(signals or {}, chains, times)


def moved_inputs(model: SystemModel, fed: Feed | None = None) -> Moved:
    """The inputs with derivatives, and these derivatives, as functions of time.

    Between communication points they are polynomials of degree five with value, rate and acceleration at both
    ends. Inputs without a signal are polynomials by their start values.
    """
    levels: dict[str, Callable[[float], float]] = {}
    for chain in rate_chains(model):
        levels |= _fed(chain, fed) if fed is not None and chain[0].name in fed.values else _unfed(chain)
    return lambda time: {name: float(value(time)) for name, value in levels.items()}


def _fed(chain: tuple[Input, ...], fed: Feed) -> dict[str, Callable[[float], float]]:
    rest = np.zeros(len(fed.times))
    known = [fed.values[variable.name] for variable in chain[:3]] + [rest] * (3 - len(chain[:3]))
    motion = BPoly.from_derivatives(fed.times, np.column_stack(known))
    return {each.name: motion.derivative(level) if level else motion for level, each in enumerate(chain)}


def _unfed(chain: tuple[Input, ...]) -> dict[str, Callable[[float], float]]:
    starts = [variable.start for variable in chain]

    def polynomial(level: int) -> Callable[[float], float]:
        terms = [start / factorial(power) for power, start in enumerate(starts[level:])]
        return lambda time: sum(term * time**power for power, term in enumerate(terms))

    return {variable.name: polynomial(level) for level, variable in enumerate(chain)}
