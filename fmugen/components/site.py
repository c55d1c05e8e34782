"""Where an element is built: its ends, axes and formulas, and the edges that freedoms and laws become.

Every element is made of the same pieces: directions in which it slides and those in which it reacts, axes
about which it turns and directions that it keeps aligned (McPhee (1998), Table 4; Léger, appendix B). A
planar model is the special case in which sliding happens in x and y, turning about z, and angles add.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fmugen.components.axes import Axes, orthonormal
from fmugen.components.formulas import lower, lower_vector
from fmugen.components.freedoms import About, Anywhere, Ball, Cross, Freedoms, Held, Line, Locked, Plane
from fmugen.expr.affine import Affine
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.expr.vectors import (
    Matrix3,
    Vector3,
    identity,
    matmul,
    matvec,
    null,
    rotation_about,
    scale3,
    transpose,
)
from fmugen.ir.element import GROUND, QUATERNION, X_AXIS, Attachment, Element, Space, Vector
from fmugen.ir.formula import Formula
from fmugen.ir.graph import (
    Alignment,
    AngleReaction,
    AxisTurn,
    Displacement,
    Edge,
    FixedTurn,
    Freedom,
    MotionAxis,
    QuaternionTurn,
    Role,
    Rotation,
    Symbols,
    Turn,
)
from fmugen.ir.model import SystemModel
from fmugen.ir.motion import Law, Motion
from fmugen.ir.quantity import derivative_names

__all__ = ["Context", "Site"]


@dataclass(frozen=True)
class Context:
    """Data shared by all elements of a model.

    ``frames`` maps every node of the translational graph to its node of the rotational graph.
    """

    model: SystemModel
    symbols: Symbols
    axes: Axes
    frames: Mapping[str, str]

    @property
    def planar(self) -> bool:
        return self.model.space is Space.PLANAR


class Site:
    """One element in its model; ``role`` and ``label`` are those of the edges it makes."""

    def __init__(self, context: Context, element: Element, role: Role, label: str) -> None:
        self.context, self.element = context, element
        self.name, self.role, self.label = element.name, role, label
        self.planar, self.symbols, self.axes = context.planar, context.symbols, context.axes
        self.zero, self.null = self.symbols.dag.zero, null(self.symbols.dag)
        unit = identity(self.symbols.dag)
        self.x, self.y, self.z = unit
        #: The directions of translation.
        self.directions: tuple[Vector3, ...] = unit[:2] if self.planar else unit

    def __getitem__(self, formula: Formula) -> Expr:
        """The expression of a formula of parameters, inputs and time."""
        return lower(formula, self.symbols)

    def vector(self, vector: Vector) -> Vector3:
        return lower_vector(vector, self.symbols)

    @property
    def tail(self) -> Attachment:
        return self.element.tail

    @property
    def head(self) -> Attachment:
        return self.element.head

    @property
    def tail_frame(self) -> str:
        """The node of the tail in the rotational graph."""
        return self.context.frames[self.tail.node]

    @property
    def head_frame(self) -> str:
        """The node of the head in the rotational graph."""
        return self.context.frames[self.head.node]

    # --- edges -------------------------------------------------------------------------------------------

    def edge(
        self,
        across: Displacement | Rotation,
        law: Law | None = None,
        *,
        tail: str | None = None,
        head: str | None = None,
        name: str = "",
        branchable: bool = True,
        central: bool = False,
    ) -> Edge:
        """An edge between the ends of the element, or between other nodes."""
        moves = isinstance(across, Displacement)
        if tail is None:
            tail = self.tail.node if moves else self.tail_frame
        if head is None:
            head = self.head.node if moves else self.head_frame
        return Edge(
            name or self.name, self.role, tail, head, across, law, branchable, self.label, central=central
        )

    def arm(self, tail: str, head: str, way: Vector3, frame: str, name: str = "") -> Edge:
        """A rigid arm (McPhee (70)) of a body."""
        return Edge(name or head, Role.ARM, tail, head, Displacement(frame, way), label="arm")

    def flexible_arm(self, head: str, way: Vector3, turns: Sequence[AxisTurn]) -> Iterator[Edge]:
        """An arm from the frame of a flexible body to a point with a frame of its own (Léger, 4.1.5).

        Both graphs have it. ``way`` and the angles of ``turns`` depend on freedoms of the body.
        """
        yield self.arm(self.name, head, way, self.name)
        yield Edge(head, Role.ARM, self.name, head, Rotation(tuple(turns)), label="flexible arm")

        def moments(motion: Motion) -> Affine:
            return -motion.moments()

        # The frame of the point has no inertia; it carries the moments of joints that slide along it.
        carried = Rotation(self.attitude(QUATERNION))
        yield Edge(f"{head}.frame", Role.FORCE, GROUND, head, carried, moments, False, "frame")

    def freedom(self, name: str, unit: str) -> Freedom:
        """A coordinate of the element itself."""
        position, rate, second = (f"{self.name}.{kind}" for kind in derivative_names(name))
        axis = MotionAxis(position, rate, second, unit)
        dag = self.symbols.dag
        return Freedom(
            self.name,
            axis,
            dag.symbol(axis.coordinate, SymbolRole.COORDINATE),
            dag.symbol(axis.rate, SymbolRole.VELOCITY),
            dag.symbol(axis.acceleration, SymbolRole.ACCELERATION),
        )

    def joint(self, freedoms: Freedoms) -> Iterator[Edge]:
        """The edges of a motion space, with its complement as reactions."""
        yield self.edge(self.translation(freedoms))
        yield self.edge(self.rotation(freedoms))

    def between(self, law: Law) -> Edge:
        """A force between two points, which may move in all directions."""
        free = Displacement(GROUND, self.null, self.slides(self.name, self.directions))
        return self.edge(free, law)

    def about(self, axis: Vector, law: Law) -> Edge:
        """A torque between two bodies about an axis."""
        along, zero, _ = orthonormal(self.axes, axis, None)
        turns = self.between_axes((self.turn(along, zero, self.zero),))
        return self.edge(Rotation(turns), law, branchable=self.planar)

    def turning(self, law: Law) -> Edge:
        """A torque between two bodies, which may turn in all directions."""
        return self.edge(Rotation(self.attitude(QUATERNION)), law)

    # --- motion and reaction spaces ----------------------------------------------------------------------

    def translation(self, freedoms: Freedoms) -> Displacement:
        """Motion and reaction space of translation, in the axes of the tail's body where anything slides."""
        frame, name = self.tail_frame, self.name
        match freedoms.slides:
            case Line(axis):
                along, across, third = self.triad(axis, X_AXIS)
                normal = (across, third)[: len(self.directions) - 1]
                slide = ((along, MotionAxis(f"{name}.s", f"{name}.v", f"{name}.a", "m")),)
                return Displacement(frame, self.null, slide, normal)
            case Plane(normal_axis, toward):
                along, across, third = self.triad(normal_axis, toward)
                return Displacement(frame, self.null, self.slides(name, (across, third)), (along,))
            case Anywhere():
                axes = [matvec(self.axes.of(self.tail), axis) for axis in self.directions]
                return Displacement(frame, self.null, self.slides(name, axes))
            case Held():
                return Displacement(GROUND, self.null, (), tuple(self.directions))

    def rotation(self, freedoms: Freedoms) -> Rotation:
        """Turns from the tail's body to the head's, and the directions that they keep aligned."""
        if self.planar:
            return self._planar_rotation(freedoms)
        before, after = self.axes.of(self.tail), self.axes.of(self.head)
        turns: tuple[Turn, ...]
        kept: tuple[tuple[Vector3, Vector3], ...]
        match freedoms.turns:
            case About(axis, toward):
                along, across, third = orthonormal(self.axes, axis, toward)
                turns = (self.turn(along, across, self.zero),)
                kept = ((across, along), (third, along))
            case Cross(first, second):
                along, across, _ = orthonormal(self.axes, first, second)
                turns = (
                    self.turn(along, across, self.zero, suffix="1"),
                    self.turn(across, along, self.zero, suffix="2"),
                )
                kept = ((along, across),)
            case Ball(attitude):
                turns, kept = self.attitude(attitude), ()
            case Locked(angle):
                before = matmul(before, rotation_about(self.z, self[angle]))
                turns, kept = (), ((self.x, self.y), (self.y, self.z), (self.z, self.x))
        reaction = tuple(Alignment(matvec(before, u), matvec(after, w)) for u, w in kept)
        return Rotation(self._between(before, turns, after), reaction)

    def _planar_rotation(self, freedoms: Freedoms) -> Rotation:
        if isinstance(freedoms.turns, Locked):
            given = self[freedoms.turns.angle]
            return Rotation((self.turn(self.z, self.x, given, moves=False),), (AngleReaction(),))
        return Rotation((self.turn(self.z, self.x, self.zero),))

    def triad(self, axis: Vector, toward: Vector | None) -> tuple[Vector3, Vector3, Vector3]:
        """An axis, and two directions perpendicular to it, in the axes of the tail's body."""
        along, across, third = orthonormal(self.axes, axis, toward, planar=self.planar)
        axes = self.axes.of(self.tail)
        return matvec(axes, along), matvec(axes, across), matvec(axes, third)

    # --- prescribed motions ------------------------------------------------------------------------------

    def driven_displacement(self, displacement: Vector) -> Displacement:
        """All components of the displacement are given."""
        axes = self.axes.of(self.tail)
        given = matvec(axes, self.vector(displacement))
        return Displacement(self.tail_frame, given, (), tuple(matvec(axes, axis) for axis in self.directions))

    def driven_slide(self, axis: Vector, value: Formula) -> Displacement:
        """The displacement along an axis is given; the other directions are free."""
        along, *others = self.triad(axis, None)
        labels = ("n",) if self.planar else ("n1", "n2")
        name = self.name
        free = tuple(
            (normal, MotionAxis(f"{name}.{label}", f"{name}.v{label}", f"{name}.a{label}", "m"))
            for normal, label in zip(others, labels, strict=False)
        )
        return Displacement(self.tail_frame, scale3(self[value], along), free, (along,))

    def driven_turn(self, axis: Vector, value: Formula) -> Rotation:
        """The angle about an axis is given."""
        angle = self[value]
        if self.planar:
            return Rotation((self.turn(self.z, self.x, angle, moves=False),), (AngleReaction(),))
        along, zero, third = orthonormal(self.axes, axis, None)
        turn = self.turn(along, zero, angle, moves=False)
        # The zero direction of the head is perpendicular to the third direction, turned with the angle.
        follower = matvec(rotation_about(along, angle), third)
        before, after = self.axes.of(self.tail), self.axes.of(self.head)
        kept = Alignment(matvec(before, follower), matvec(after, zero))
        return Rotation(self._between(before, (turn,), after), (kept,))

    # --- pieces ------------------------------------------------------------------------------------------

    def slides(self, owner: str, axes: Sequence[Vector3]) -> tuple[tuple[Vector3, MotionAxis], ...]:
        return tuple(
            (axis, MotionAxis(f"{owner}.{c}", f"{owner}.v{c}", f"{owner}.a{c}", "m"))
            for axis, c in zip(axes, "xyz", strict=False)
        )

    def turn(
        self, axis: Vector3, zero: Vector3, given: Expr, *, suffix: str = "", moves: bool = True
    ) -> AxisTurn:
        angle, omega, alpha = (f"{self.name}.{kind}{suffix}" for kind in ("angle", "omega", "alpha"))
        motion = MotionAxis(angle, omega, alpha, "rad") if moves else None
        return AxisTurn(axis, zero, given, motion)

    def attitude(self, attitude: str) -> tuple[Turn, ...]:
        """A free rotation: about z in the plane, by Euler angles, or by Euler parameters."""
        if self.planar:
            return (self.turn(self.z, self.x, self.zero),)
        name = self.name
        if attitude == QUATERNION:
            p0, p1, p2, p3 = (
                MotionAxis(f"{name}.p{i}", f"{name}.dp{i}", f"{name}.ddp{i}", "1", guess=float(i == 0))
                for i in range(4)
            )
            return (QuaternionTurn((p0, p1, p2, p3)),)
        unit = {"x": self.x, "y": self.y, "z": self.z}
        following = {"x": self.y, "y": self.z, "z": self.x}
        return tuple(
            self.turn(unit[axis], following[axis], self.zero, suffix=str(number + 1))
            for number, axis in enumerate(attitude)
        )

    def between_axes(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """Turns between the axes of the two attachments, as turns between their bodies."""
        return self._between(self.axes.of(self.tail), turns, self.axes.of(self.head))

    def _between(self, before: Matrix3, turns: tuple[Turn, ...], after: Matrix3) -> tuple[Turn, ...]:
        unit = identity(self.symbols.dag)
        first = () if before == unit else (FixedTurn(before),)
        last = () if after == unit else (FixedTurn(transpose(after)),)
        return (*first, *turns, *last)
