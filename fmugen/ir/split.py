"""SplitSystem: one model as several, each of which becomes an FMU, and the signals between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from fmugen.ir.flow import Closure
from fmugen.ir.model import Experiment, SystemModel

__all__ = ["AUTO", "SYSTEM", "Connection", "Members", "Method", "Part", "Partition", "SplitSystem"]

#: The side of a connection that is outside of all parts: an input or an output of the whole system.
SYSTEM = ""

#: What stands in place of a file where the parts are to be found.
AUTO = "auto"


class Method(Enum):
    """How parts are held together where they were cut (Khan 2.2 to 2.4, and one that is exact)."""

    PENALTY = "penalty"
    PROJECTION = "projection"
    DENOC = "denoc"
    EXACT = "exact"


@dataclass(frozen=True)
class Members:
    """The bodies of a part; a body that several parts name is cut itself."""

    name: str
    bodies: tuple[str, ...]


@dataclass(frozen=True)
class Partition:
    """What the user said of the parts: ``hub`` integrates the common motion, none leaves the choice open."""

    parts: tuple[Members, ...]
    method: Method | None = None
    hub: str = ""
    source: str = "partition"


@dataclass(frozen=True)
class Part:
    """A model that becomes an FMU of its own; ``bodies`` are those of the whole that it has a share in."""

    name: str
    model: SystemModel
    closure: Closure = Closure.TRIANGULAR
    bodies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Connection:
    """The output of a part goes to the input of another; :data:`SYSTEM` is the outside."""

    source: str
    output: str
    target: str
    input: str


@dataclass(frozen=True)
class SplitSystem:
    """Parts and connections, in an order in which each part can be initialized after those before it."""

    name: str
    method: Method
    parts: tuple[Part, ...]
    connections: tuple[Connection, ...]
    experiment: Experiment
    description: str = ""

    @property
    def exchanged(self) -> Iterator[Connection]:
        """The signals between parts."""
        return (c for c in self.connections if SYSTEM not in (c.source, c.target))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs of the whole system."""
        return tuple(dict.fromkeys(c.output for c in self.connections if c.source == SYSTEM))

    @property
    def outputs(self) -> tuple[str, ...]:
        """The outputs of the whole system."""
        return tuple(c.input for c in self.connections if c.target == SYSTEM)
