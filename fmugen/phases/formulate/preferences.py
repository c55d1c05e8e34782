"""The preferred start without start values: all joints and attitudes at zero."""

from __future__ import annotations

from fractions import Fraction

from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Matrix3, identity, matmul, transpose
from fmugen.ir.model import SystemModel
from fmugen.phases.formulate.angles import fixed_parts
from fmugen.phases.formulate.kinematics import Kinematics
from fmugen.phases.formulate.resolver import Quantities
from fmugen.phases.formulate.unspecified import unspecified_positions

__all__ = ["preferred_positions"]

#: With this factor, one by the root of two, the cosines of a small turn have about the size of its angle.
_SMALL_TURN = Fraction(7, 10)


def preferred_positions(model: SystemModel, kinematics: Kinematics, resolve: Quantities) -> dict[str, Expr]:
    """Expressions that are preferably zero at the start.

    In space turns are measured by direction cosines: they are smooth in every position and the same for all
    trees.
    """
    open_at_start, frames = unspecified_positions(model), kinematics.frames
    found = {name: resolve(name) for name in open_at_start.lengths}
    if kinematics.graph.planar:
        return found | {
            f"{name}.angle": resolve(f"{name}.angle")
            for name in (*open_at_start.joints, *open_at_start.bodies)
        }
    for joint in open_at_start.joints:
        edge = kinematics.graph.rotation.edge(joint)
        before, after = fixed_parts(edge)
        between = matmul(transpose(before), frames.rotation(edge.tail, edge.head))
        found |= _turned(joint, matmul(between, transpose(after)))
    for body in open_at_start.bodies:
        found |= _turned(body, frames.rotation(frames.ground, body))
    return found


def _turned(name: str, rotation: Matrix3) -> dict[str, Expr]:
    """The deviations of the direction cosines of a rotation from those of no rotation."""
    upright = identity(rotation[0][0].dag)
    return {
        f"{name}.r{'xyz'[i]}{'xyz'[j]}": _SMALL_TURN * (rotation[i][j] - upright[i][j])
        for i in range(3)
        for j in range(3)
    }
