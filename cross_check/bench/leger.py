"""The tables of Léger's appendix A, and what he calls the complexity of a tree set, counted as he counts it.

He differentiates the kinematic equations twice, has Maple optimize the code of the resulting system, and
counts its additions, multiplications and functions (section 2.4 and appendix A of the thesis):

    M q'' + Phi_q^T lambda = F,    Phi_q q'' = gamma

In five tables gamma has Baumgarte's terms, gamma - 2 alpha (Phi_q q' - nu) - beta^2 Phi. The equations are
written out, so that their products with q'', lambda and q' count as well, two operations for an entry of M or
Phi_q; how they are solved is left to Maple and does not count. These are not the operations of generated
code, which closes the loops.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from element_views import JointType, joints_of, with_views
from scipy.stats import spearmanr

from fmugen.expr.code import count_operations
from fmugen.expr.dag import Expr, Operation
from fmugen.ir.dae import Constraint, Dae
from fmugen.ir.flow import Closure
from fmugen.ir.model import NamedTrees, SystemModel
from fmugen.phases.formulate import formulate
from fmugen.phases.graph import build_graph
from fmugen.phases.read import read_model
from fmugen.phases.triangularize import solution_flow
from fmugen.trees import select_trees

__all__ = ["OUTLIERS", "TABLES", "Counted", "counted", "mechanism", "rank_correlation"]

_ROOT = Path(__file__).resolve().parents[2]
TABLES: dict[str, Any] = json.loads((_ROOT / "tests/data/leger_tables.json").read_text(encoding="utf-8"))

_PRODUCT = 2
#: gamma - a (... - nu) - b Phi: two factors, three differences.
_STABILIZED_ROW = 5

#: Why complexities rank otherwise than in the thesis.
OUTLIERS = {
    "A.6": "the thesis counts row 3 dearer than row 1 and times it faster, as it is here",
    "A.9": "rows 4 and 6 have more equations with shorter entries; with closed loops the operations rank as "
    "the times of the thesis do (1.00)",
    "A.18": "rows 2, 4 and 6 have more equations with shorter entries: what is shared decides",
    "A.23": "the times of the thesis do not rank as its complexities either (-0.10); without Baumgarte's "
    "terms, which weigh on rows 3 and 4 with their many constraints, it is 0.90",
    "A.34": "row 6, in absolute coordinates, has the most equations and the shortest: third here",
    "A.39": "rows 7 to 10 have long chains and half as many equations: with every rotation shared they are "
    "the shortest here, and the dearest in the thesis; among the others it is 0.54",
}


@dataclass(frozen=True)
class Counted:
    """The equations of a tree set: their numbers, and their complexity."""

    coordinates: int
    constraints: int
    complexity: int


def mechanism(table: str) -> SystemModel:
    """The model of a table with trees ``1``, ``2``, ... for its rows, without outputs; no misprints."""
    content = TABLES[table]
    model = read_model(_ROOT / "examples" / content["example"] / "model.toml")
    rows = [row.get("corrected", row) for row in content["rows"]]
    trees = tuple(
        NamedTrees(str(number), tuple(row["translation"]), tuple(row["rotation"]))
        for number, row in enumerate(rows, 1)
    )
    virtual = content.get("virtual", True)
    joints = tuple(joint for joint in joints_of(model) if virtual or joint.type is not JointType.VIRTUAL)
    return with_views(model, trees=trees, joints=joints, outputs=())


@cache
def counted(table: str, number: int) -> Counted:
    """The equations of a row of a table, the first of which is number 1."""
    model = mechanism(table)
    graph = build_graph(model)
    # The thesis counts equations that are written out.
    dae = formulate(model, graph, select_trees(model, graph, str(number)), by_body=False)
    rows = [dae.constraints[row] for row in solution_flow(model, dae, Closure.NEWTON).rows]
    baumgarte = TABLES[table].get("baumgarte", False)
    return Counted(len(dae.coordinates), len(rows), _complexity(dae, rows, baumgarte))


def rank_correlation(table: str) -> float:
    """Spearman's correlation of our complexities with those that the table prints."""
    printed = {n: row["complexity"] for n, row in enumerate(TABLES[table]["rows"], 1) if row["complexity"]}
    ours = [counted(table, number).complexity for number in printed]
    return round(float(spearmanr(ours, list(printed.values())).statistic), 2)


def _complexity(dae: Dae, rows: list[Constraint], baumgarte: bool) -> int:
    entries = [*dae.mass.values(), *dae.force]
    for row in rows:
        entries += [*row.jacobian.values(), row.gamma, *((row.phi, row.nu) if baumgarte else ())]
    mass = sum(1 if row == column else 2 for row, column in dae.mass)
    jacobian = sum(len(row.jacobian) for row in rows)
    products = mass + (3 if baumgarte else 2) * jacobian
    stabilized = _STABILIZED_ROW * len(rows) if baumgarte else 0
    return count_operations((), entries, _is_given).total + _PRODUCT * products + stabilized


def _is_given(node: Expr) -> bool:
    return node.constant or node.operation is Operation.SYMBOL
