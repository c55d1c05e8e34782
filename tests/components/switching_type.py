"""A force law with modes that the project does not have: a brake of three stages with hysteresis."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.base import Symbol, component, value
from fmugen.components.forces import ForceElement
from fmugen.components.site import Site
from fmugen.expr.dag import Expr
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Edge, EdgeConstraint, Role
from fmugen.ir.motion import ModeSwitch, Motion


def enter_stages() -> None:
    """Enter the type into the registry."""

    @component
    class Stages(ForceElement):
        """Pulls with no force, `force`, or three times that; further apart than 1 m and 2 m the next begins.

        A stage ends where the points are nearer by `gap` than where it began.
        """

        section, type, symbol = "springs", "stages", Symbol.SPRING
        role, label = Role.FORCE, "spring"
        modes = ("loose", "tight", "tighter")
        force: Formula = value("N", "force of the second stage")
        gap: Formula = value("m", "width of the hysteresis")

        def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
            yield at.between(lambda motion: motion.pull(self.tension(motion)))

        def tension(self, at: Motion) -> Expr:
            return at[self.force] * (at.mode("tight") + 3 * at.mode("tighter"))

        def switches(self, at: Motion) -> Iterator[ModeSwitch]:
            length, gap = at.length(), at[self.gap]
            yield ModeSwitch("loose", "tight", length - 1)
            yield ModeSwitch("tight", "tighter", length - 2)
            yield ModeSwitch("tighter", "tight", 2 - gap - length)
            yield ModeSwitch("tight", "loose", 1 - gap - length)
