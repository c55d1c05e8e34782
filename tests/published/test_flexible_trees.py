"""Léger's slider-crank with a flexible rod (A.5): the numbers of equations of all rows of table A.9."""

from __future__ import annotations

import pytest

from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation
from tests.support import example

#: Dynamic and kinematic equations as printed; rows 1 and 5 are the choices of the variable-based algorithm.
ROWS = {"row1": (4, 1), "row2": (5, 2), "row3": (5, 2), "row4": (6, 3), "row5": (4, 1), "row6": (5, 2)}


@pytest.mark.parametrize("row", ROWS)
def test_numbers_of_dynamic_and_kinematic_equations(row: str) -> None:
    dae = Compilation(example("flexible_slider_crank"), ExportOptions(trees=row)).dae
    assert (len(dae.coordinates), len(dae.constraints)) == ROWS[row]


def test_the_variable_based_algorithm_has_the_fewest_equations() -> None:
    dae = Compilation(example("flexible_slider_crank"), ExportOptions(trees="variable")).dae
    assert (len(dae.coordinates), len(dae.constraints)) == ROWS["row1"]
