"""What the law of an element may read, and what it gives: the through variable of its edge.

A law is a function of a :class:`Motion`, which is that of one edge: its displacement or rotation, and the
formulas and states of its element. The formulation implements it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fmugen.expr.affine import Affine, AffineScalar
from fmugen.expr.dag import Dag, Expr
from fmugen.expr.vectors import Matrix3, Vector3
from fmugen.ir.element import Vector
from fmugen.ir.formula import Formula

__all__ = ["Direction", "Gap", "GeneralizedLaw", "Law", "ModeSwitch", "Motion"]


@dataclass(frozen=True)
class ModeSwitch:
    """A change of the mode of an element, from ``before`` to ``after``, where ``when`` becomes positive."""

    before: str
    after: str
    when: Expr


class Motion(Protocol):
    """The motion across one edge, of its head relative to its tail.

    ``order`` counts time derivatives.
    """

    @property
    def dag(self) -> Dag: ...

    def __getitem__(self, formula: Formula) -> Expr:
        """The value of a formula of the element."""

    def lowered(self, formula: Formula, names: Mapping[str, Expr]) -> Expr:
        """The value of a formula that has names of its own, such as the place on a road."""

    def own(self, quantity: str) -> Expr:
        """A quantity of the element, by the last word of its name."""

    def state(self, name: str) -> Expr:
        """A state of the element."""

    def mode(self, name: str) -> Expr:
        """One while the element is in a mode, else zero."""

    def freedom(self, name: str, order: int = 0) -> Expr:
        """A freedom of the element, or its rate."""

    def second(self, name: str) -> AffineScalar:
        """The second derivative of a freedom of the element."""

    # --- scalars -------------------------------------------------------------------------------------

    def angle(self, order: int = 0) -> Expr:
        """The angle about the first axis of a rotation."""

    def length(self, order: int = 0) -> Expr:
        """The distance of the two points, or its rate."""

    # --- vectors -------------------------------------------------------------------------------------

    @property
    def translation(self) -> Motion:
        """The motion of the element's edge in the translational graph."""

    def slides(self, order: int = 0) -> Vector3:
        """The displacement along the axes of the edge, or its rate as seen from them."""

    def spin(self) -> Vector3:
        """The angular velocity of the head relative to the tail, along the axes of the edge."""

    def direction(self, fixed: Vector | Vector3) -> Vector3:
        """The unit vector along a direction fixed in the body of the head, along the axes of the edge."""

    def velocity(self, frame: str) -> Vector3:
        """The velocity of the head relative to the tail, by components in the axes of a body."""

    def acceleration(self) -> Affine:
        """The acceleration of the head."""

    def omega(self) -> Vector3:
        """The angular velocity of the frame of the head, in its own axes."""

    def alpha(self) -> Affine:
        """The angular acceleration of the frame of the head."""

    def components(self, vector: Affine) -> tuple[AffineScalar, AffineScalar, AffineScalar]:
        """A vector by components in the axes of the frame of the head."""

    # --- through variables ---------------------------------------------------------------------------

    def pull(self, tension: Expr) -> Affine:
        """A force that pulls the two points together."""

    def along(self, force: Expr) -> Affine:
        """A force along the first axis in which the edge slides."""

    def along_axes(self, components: Vector3) -> Affine:
        """A force or torque by components along the axes of the edge."""

    def about(self, torque: Expr) -> Affine:
        """A torque about the first axis about which the edge turns."""

    def vector(self, components: Vector3, frame: str) -> Affine:
        """A force or torque by components in the axes of a body."""

    def composed(self, components: Sequence[AffineScalar]) -> Affine:
        """A force or torque by components in the axes of the frame of the head."""

    def moments(self) -> Affine:
        """``sum of r x F`` over the arms of the frame of the head, which the frame carries."""

    def inertia(self, tensor: Matrix3) -> Affine:
        """``-J alpha - omega x J omega`` of the head, less the moments of the forces on its arms."""


#: The through variable of an edge, on its head.
Law = Callable[[Motion], Affine]
#: The generalized forces on the freedoms of an element, inertia included.
GeneralizedLaw = Callable[[Motion], Sequence[AffineScalar]]
#: A function of position that a constraint keeps at zero.
Gap = Callable[[Motion], Expr]
#: A direction that depends on position, in the axes of a body.
Direction = Callable[[Motion], Vector3]
