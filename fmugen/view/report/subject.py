"""What a page is about."""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import FmuDescription
from fmugen.ir.graph import LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.ir.program import Program
from fmugen.ir.tree import TreeSelection
from fmugen.view.closure import ClosureSummary

__all__ = ["Subject"]


@dataclass(frozen=True)
class Subject:
    """A model and all that was made of it on the way to its FMU."""

    model: SystemModel
    graph: LinearGraph
    trees: TreeSelection
    dae: Dae
    flow: SolutionFlow
    program: Program
    closure: ClosureSummary
    description: FmuDescription
    options: ExportOptions
