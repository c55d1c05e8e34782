"""Dae -> SolutionFlow: assemble, find redundant constraints, choose independent coordinates, order blocks."""

from fmugen.phases.triangularize.flow import solution_flow
from fmugen.phases.triangularize.iteration import limit_iteration
from fmugen.phases.triangularize.poses import poses_at, with_poses
from fmugen.phases.triangularize.variants import close_loops

__all__ = ["close_loops", "limit_iteration", "poses_at", "solution_flow", "with_poses"]
