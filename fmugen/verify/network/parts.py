"""The parts of a component of a network: edges, storages and laws.

An edge has an across and a through variable. Electrical and hydraulic edges have the drop and the flow from
tail to head. Mechanical edges have the velocity of the head relative to the tail, and the force or torque on
the head. The opposite acts on the tail. Displacements are integrals of velocities.

A law is a sum of terms that is zero. A storage is a variable whose rate appears in laws; its value is a
state. A tie is a rigid relation of displacements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from fmugen.verify.network.values import Constant, Value

GROUND = "ground"


class Domain(Enum):
    """A kind of edges, with the names of displacement, across, its rate, and through."""

    ELECTRICAL = (None, "v", None, "i")
    HYDRAULIC = (None, "p", None, "q")
    TRANSLATIONAL = ("s", "v", "a", "f")
    ROTATIONAL = ("phi", "w", "alpha", "tau")

    @property
    def mechanical(self) -> bool:
        return self.value[0] is not None

    @property
    def across(self) -> str:
        return str(self.value[1])

    @property
    def through(self) -> str:
        return str(self.value[3])


@dataclass(frozen=True)
class Edge:
    """An edge of a component; ``number`` distinguishes several edges of one domain."""

    component: str
    domain: Domain
    tail: str
    head: str
    number: str = ""


class VariableKind(Enum):
    """The kind of a variable of an edge or storage."""

    ACROSS = "across"
    THROUGH = "through"
    DISPLACEMENT = "displacement"
    RATE = "rate"


@dataclass(frozen=True)
class Variable:
    """A variable of an edge, or the rate of a storage; ``place`` counts within the component."""

    kind: VariableKind
    place: int = 0


#: A smooth function of one variable: its value and slope.
Shape = Callable[[float], tuple[float, float]]


@dataclass(frozen=True)
class Term:
    """``factor * variable``, or ``factor * shape(variable)``; a factor alone where there is no variable."""

    factor: Value
    variable: Variable | None = None
    shape: Shape | None = None


Law = tuple[Term, ...]


@dataclass(frozen=True)
class NetworkParts:
    """The contribution of one component: a law per edge, a storage per rate, and rigid ties."""

    edges: tuple[Edge, ...]
    laws: tuple[Law, ...]
    #: The variables that are states, in the order of their rates.
    storages: tuple[Variable, ...] = ()
    ties: tuple[Law, ...] = ()


def across(place: int = 0) -> Variable:
    return Variable(VariableKind.ACROSS, place)


def through(place: int = 0) -> Variable:
    return Variable(VariableKind.THROUGH, place)


def displacement(place: int = 0) -> Variable:
    return Variable(VariableKind.DISPLACEMENT, place)


def rate(place: int = 0) -> Variable:
    return Variable(VariableKind.RATE, place)


def plus(variable: Variable, shape: Shape | None = None) -> Term:
    return Term(Constant(1.0), variable, shape)


def minus(variable: Variable, shape: Shape | None = None) -> Term:
    return Term(Constant(-1.0), variable, shape)


def linear(*terms: tuple[Variable, float]) -> Law:
    """A law with constant coefficients."""
    return tuple(Term(Constant(factor), variable) for variable, factor in terms)


def exponential(saturation: float, thermal: float, limit: float, leakage: float) -> Shape:
    """The current of a diode: exponential up to ``limit`` thermal voltages, and its tangent beyond."""

    def current(voltage: float) -> tuple[float, float]:
        exponent = voltage / thermal
        top = float(np.exp(min(exponent, limit)))
        carried = top * (1.0 + max(exponent - limit, 0.0)) - 1.0
        return saturation * carried + voltage / leakage, saturation * top / thermal + 1.0 / leakage

    return current


def turbulent(exponent: float, smoothing: float) -> Shape:
    """``q |q|^(k-1)``, smoothed where the flow is smaller than ``smoothing``."""
    half = 0.5 * (exponent - 1.0)

    def head(flow: float) -> tuple[float, float]:
        square = flow * flow + smoothing * smoothing
        factor = float(square**half)
        return flow * factor, factor * (1.0 + 2.0 * half * flow * flow / square)

    return head


def quantity_names(edge: Edge) -> Iterator[tuple[str, str]]:
    """The quantities of an edge: each kind of ``Domain`` that exists, with its name."""
    for kind, letter in zip(("displacement", "across", "second", "through"), edge.domain.value, strict=True):
        if letter is not None:
            yield kind, f"{edge.component}.{letter}{edge.number}"
