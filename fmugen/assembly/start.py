"""Where a compilation starts: all assembly modes, and the one that its options name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property

from fmugen.assembly import assembly_modes, guesses_of_mode, with_guesses
from fmugen.ir.assembly_modes import AssemblyModes
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.graph import LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.ir.tree import TreeSelection
from fmugen.progress import Progress, stage
from fmugen.trees import formulate_briefly

__all__ = ["Starting"]


@dataclass(frozen=True)
class Starting(ABC):
    """The part of a compilation that concerns its start. The abstract nouns are computed by the whole."""

    source: SystemModel
    options: ExportOptions = field(default_factory=ExportOptions)
    progress: Progress | None = field(default=None, compare=False, repr=False)

    @property
    @abstractmethod
    def model(self) -> SystemModel:
        """The model, with the virtual joints that its trees use."""

    @property
    @abstractmethod
    def graph(self) -> LinearGraph:
        """Nodes and edges, one graph per domain."""

    @property
    @abstractmethod
    def trees(self) -> TreeSelection:
        """The spanning trees."""

    @property
    @abstractmethod
    def dae(self) -> Dae:
        """The equations that the flow solves."""

    @property
    @abstractmethod
    def flow(self) -> SolutionFlow:
        """The independent coordinates, and the steps that give all others."""

    @cached_property
    def started(self) -> SystemModel:
        """The source, with the independent coordinates and near the assembly mode that the options name."""
        source, mode = self.source, self.options.mode
        if mode is not None:
            first = replace(self, options=replace(self.options, mode=None))
            source = with_guesses(source, first.guesses_of_mode(mode))
        return replace(source, independent=self.options.independent or source.independent)

    @stage("modes", needs="flow")
    def modes(self) -> AssemblyModes:
        """All real configurations at the start; the first is the start itself."""
        return assembly_modes(self.model, self.dae, self.flow)

    def guesses_of_mode(self, number: int) -> dict[str, float]:
        """Guesses, by name, from which the start is the assembly mode with this number, from 1.

        Raises
        ------
        AssemblyError
            If there is no such mode, or it is not found again from guesses.
        """

        def formulated(model: SystemModel) -> Dae:
            return formulate_briefly(model, self.graph, self.trees, self.options.closure)

        return guesses_of_mode(self.model, self.dae, self.flow, self.modes, number, formulated)
