"""Algebra of loop constraints: polynomials in what is unknown, their bases, and exact steps."""

from fmugen.algebra.budget import Budget, Meter
from fmugen.algebra.solve import BlockReport, BlockSolution, Unsolved, solve_block
from fmugen.algebra.stage import StageReport

__all__ = ["BlockReport", "BlockSolution", "Budget", "Meter", "StageReport", "Unsolved", "solve_block"]
