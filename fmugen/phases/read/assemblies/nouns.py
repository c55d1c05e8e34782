"""The nouns of sub-assemblies: where a use puts its assembly, and where flattened entries come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fmugen.phases.read.problems import EntryOrigin, KeyPath

__all__ = ["Flattened", "Number", "Placement", "Raw", "Reflection"]

#: A table of a file.
Raw = Mapping[str, object]
#: A number of a file: itself, a formula, or a number with its unit.
Number = str | int | float


@dataclass(frozen=True)
class Reflection:
    """A mirror across a coordinate plane, by the signs of the three axes; no mirror has no minus."""

    signs: tuple[int, int, int] = (1, 1, 1)

    @classmethod
    def across(cls, axis: str) -> Reflection:
        """The mirror that reverses an axis; ``None`` for an empty name."""
        x, y, z = (-1 if letter == axis else 1 for letter in "xyz")
        return cls((x, y, z))

    @property
    def turn(self) -> int:
        """The sign of an angle about an axis that is mirrored itself."""
        return self.signs[0] * self.signs[1] * self.signs[2]

    def axial(self, axis: int) -> int:
        """The sign of a component of a torque or an angular velocity."""
        return self.turn * self.signs[axis]

    @property
    def exists(self) -> bool:
        return self.turn < 0


@dataclass(frozen=True)
class Placement:
    """Where a use puts the frame of its assembly: mirrored first, then turned, then moved.

    In the plane ``sequence`` is ``z`` or empty.
    """

    mirror: Reflection = Reflection()
    position: tuple[Number, ...] = ()
    sequence: str = ""
    angles: tuple[Number, ...] = ()

    @property
    def turned(self) -> bool:
        return bool(self.sequence)

    @property
    def moved(self) -> bool:
        return self.turned or any(component != 0 for component in self.position)


@dataclass(frozen=True)
class Flattened:
    """Tables without uses, and the origin of every entry that came from an assembly, by its place.

    ``aliases`` are the points of assemblies that are other names of places.
    """

    tables: dict[str, dict[str, object]]
    origins: Mapping[KeyPath, EntryOrigin] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
