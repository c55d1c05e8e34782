"""LinearGraph -> TreeSelection: which edges are branches, and so which coordinates are used.

``classic`` ranks kinds of edges, ``variable`` and ``formulation`` are Léger's algorithms, and
``candidates`` proposes pairs of trees that are worth formulating to see what they cost.
"""

from fmugen.phases.select.candidates import neighbours, promising_trees
from fmugen.phases.select.choose import MEASURED, METHODS, select_trees, tied_trees

__all__ = ["MEASURED", "METHODS", "neighbours", "promising_trees", "select_trees", "tied_trees"]
