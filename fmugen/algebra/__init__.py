"""Algebra of loop constraints: polynomials in the unknowns, their bases, and exact steps.

``recursion`` has the recursions over trees of bodies.
"""

from fmugen.algebra.budget import Budget, Meter
from fmugen.algebra.solve import BlockReport, BlockSolution, Unsolved, solve_block
from fmugen.algebra.stage import StageReport

__all__ = ["BlockReport", "BlockSolution", "Budget", "Meter", "StageReport", "Unsolved", "solve_block"]
