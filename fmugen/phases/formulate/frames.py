"""Vectors that remember the frame they are resolved in, until they are projected.

A :class:`FrameVector` is a sum of vectors, each with constant axes of its own body. A rigid arm is
constant in the frame of its body, so its dot and cross products with other arms of that body are
parameters, and only products across frames need a rotation matrix (McPhee, step 4: "evaluating the
dot products").
"""

from __future__ import annotations

from fmugen.expr.affine import Affine, FrameVector, Unknown
from fmugen.expr.dag import Dag, Expr
from fmugen.expr.vectors import (
    Matrix3,
    Vector3,
    add3,
    cross,
    dot,
    identity,
    matmul,
    matvec,
    null,
    transpose,
)

__all__ = ["Affine", "FrameVector", "Frames", "Unknown"]

#: A vector with parts in more frames than this is resolved in the ground frame.
_MOST_FRAMES = 3


class Frames:
    """The orientation of every body: a tree of relative rotations whose root is the ground.

    Rotations compose as products of matrices along the tree (Léger, 2.1).
    """

    def __init__(self, dag: Dag, ground: str) -> None:
        self.dag = dag
        self.ground = ground
        self.null = FrameVector({})
        self._parent: dict[str, str] = {}
        self._relative: dict[str, Matrix3] = {}
        self._depth = {ground: 0}
        self._rotations: dict[tuple[str, str], Matrix3] = {}
        #: By body: the frame of its joint, and the constant matrix that resolves its vectors there.
        self._mounted: dict[str, tuple[str, Matrix3]] = {}
        self._simplest: dict[tuple[str, Vector3], FrameVector] = {}

    def add(self, body: str, parent: str, relative: Matrix3, mounting: Matrix3 | None = None) -> None:
        """Add ``body``; ``relative`` resolves its vectors in the axes of ``parent``.

        With a ``mounting``, which resolves them in the axes of the joint, ``relative`` resolves those.
        """
        self._parent[body] = parent
        self._depth[body] = self._depth[parent] + 1
        if mounting is None:
            self._relative[body] = relative
            return
        joint = f"{body} on {parent}"
        self._parent[joint], self._relative[joint], self._depth[joint] = parent, relative, self._depth[body]
        self._relative[body] = matmul(relative, mounting)
        self._mounted[body] = joint, mounting

    def joint_frame(self, body: str) -> str:
        """The frame of the joint that carries ``body``."""
        return self._mounted[body][0]

    def _in_joint_frame(self, frame: str, part: Vector3) -> tuple[str, Vector3]:
        """A vector in the axes of the joint of its body.

        It is constant in that frame, which is one rotation closer to the other bodies.
        """
        if frame not in self._mounted:
            return frame, part
        joint, mounting = self._mounted[frame]
        return joint, matvec(mounting, part)

    def rotation(self, to: str, source: str) -> Matrix3:
        """The matrix that resolves vectors of frame ``source`` in frame ``to``."""
        key = (to, source)
        known = self._rotations.get(key)
        if known is None:
            known = self._rotations[key] = self._compute_rotation(to, source)
        return known

    def _compute_rotation(self, to: str, source: str) -> Matrix3:
        if to == source:
            return identity(self.dag)
        if self._depth[source] < self._depth[to]:
            return transpose(self.rotation(source, to))
        for body, other in ((source, to), (to, source)):
            joint, mounting = self._mounted.get(body, (None, None))
            if joint == other and mounting is not None:
                return mounting if body == source else transpose(mounting)
        return matmul(self.rotation(to, self._parent[source]), self._relative[source])

    def in_simplest_frame(self, frame: str, part: Vector3) -> FrameVector:
        """A vector in the frame nearest to the ground in which it has the same components.

        An axis that two bodies share is thus a vector of the first of them; in a planar model every
        rotation vector becomes one of the ground.
        """
        known = self._simplest.get((frame, part))
        if known is None:
            simplest = frame
            while simplest != self.ground and matvec(self._relative[simplest], part) == part:
                simplest = self._parent[simplest]
            known = self._simplest[frame, part] = FrameVector({simplest: part})
        return known

    def resolve(self, vector: FrameVector, frame: str) -> Vector3:
        """All of ``vector`` in the axes of ``frame``."""
        total = null(self.dag)
        for source, part in vector.parts.items():
            total = add3(total, matvec(self.rotation(frame, source), part))
        return total

    def in_ground(self, vector: FrameVector) -> Vector3:
        return self.resolve(vector, self.ground)

    def compact(self, vector: FrameVector) -> FrameVector:
        """``vector``, resolved in the ground frame if it has parts in many frames."""
        if len(vector.parts) <= _MOST_FRAMES:
            return vector
        return FrameVector({self.ground: self.in_ground(vector)})

    def compact_affine(self, vector: Affine) -> Affine:
        coefficients = {unknown: self.compact(part) for unknown, part in vector.coefficients.items()}
        return Affine(self.compact(vector.const), coefficients)

    def dot(self, a: FrameVector, b: FrameVector) -> Expr:
        return self.dag.add(
            dot(part, matvec(self.rotation(frame, other), other_part))
            for frame, part in a.parts.items()
            for other, other_part in b.parts.items()
        )

    def position_dot(self, a: FrameVector, b: FrameVector) -> Expr:
        """The dot product of vectors used for positions only.

        Each part is expressed in the axes of its joint, where an angle about the axis of the joint has the
        simplest form.
        """
        pairs = [(one, other) for one in a.parts.items() for other in b.parts.items()]
        alike = [dot(one, other) for (frame, one), (source, other) in pairs if frame == source]
        move = self._in_joint_frame
        apart = [(move(*one), move(*other)) for one, other in pairs if one[0] != other[0]]
        across = [dot(one, matvec(self.rotation(f, s), other)) for (f, one), (s, other) in apart]
        return self.dag.add((*alike, *across))

    def cross(self, a: FrameVector, b: FrameVector) -> FrameVector:
        """``a x b``, each part in the frame of the part of ``b`` it comes from."""
        total = self.null
        for frame, part in b.parts.items():
            total = total + self.in_simplest_frame(frame, cross(self.resolve(a, frame), part))
        return total

    def cross_affine(self, a: FrameVector, b: Affine) -> Affine:
        coefficients = {unknown: self.cross(a, part) for unknown, part in b.coefficients.items()}
        return Affine(self.cross(a, b.const), coefficients)

    def cross_affine_left(self, a: Affine, b: FrameVector) -> Affine:
        coefficients = {unknown: self.cross(part, b) for unknown, part in a.coefficients.items()}
        return Affine(self.cross(a.const, b), coefficients)
