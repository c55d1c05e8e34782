"""Dae: the symbolic equations of motion in branch coordinates.

M(q) q'' + Phi_q^T lambda = F(q, q', t, u),        Phi(q, t) = 0
Phi_q q' = nu,    Phi_q q'' = gamma                 (McPhee (88)-(91))
"""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.expr.dag import Expr
from fmugen.ir.graph import Domain, Symbols

__all__ = ["Constraint", "Coordinate", "Dae", "Origin"]


@dataclass(frozen=True)
class Origin:
    """The edge whose cutset (a dynamic equation) or circuit (a constraint) gave an equation."""

    kind: str
    domain: Domain
    edge: str
    direction: str = ""

    def __str__(self) -> str:
        direction = f", {self.direction}" if self.direction else ""
        return f"{self.domain.value} {self.kind} {self.edge}{direction}"


@dataclass(frozen=True)
class Coordinate:
    """A branch coordinate: its names, its symbols, and the cutset that gives its equation."""

    name: str
    rate: str
    acceleration: str
    unit: str
    guess: float
    position: Expr
    velocity: Expr
    second: Expr
    origin: Origin


@dataclass(frozen=True)
class Constraint:
    """One row of Phi with its multiplier.

    ``jacobian`` maps coordinate numbers to the non-zero entries of the row of Phi_q. ``closed`` vanishes too
    where the loop is closed: the row alone may also be met where it is not.
    """

    name: str
    origin: Origin
    phi: Expr
    jacobian: dict[int, Expr]
    nu: Expr
    gamma: Expr
    multiplier: Expr
    closed: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Dae:
    """The equations, and every quantity of the model as an expression of q, q', q'', lambda.

    ``mass`` holds the non-zero entries (i, j) with j <= i of the symmetric mass matrix.
    """

    symbols: Symbols
    coordinates: tuple[Coordinate, ...]
    constraints: tuple[Constraint, ...]
    mass: dict[tuple[int, int], Expr]
    force: tuple[Expr, ...]
    quantities: dict[str, Expr]
    outputs: dict[str, Expr]
    fixed_positions: dict[str, Expr]
    fixed_velocities: dict[str, Expr]
    guesses: dict[str, Expr]
