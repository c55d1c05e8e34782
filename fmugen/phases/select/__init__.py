"""LinearGraph -> TreeSelection: which edges are branches, and so which coordinates are used."""

from fmugen.phases.select.classic import METHODS, select_trees

__all__ = ["METHODS", "select_trees"]
