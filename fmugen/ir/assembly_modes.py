"""AssemblyModes: all real configurations in which a mechanism can start."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AssemblyMode", "AssemblyModes"]


@dataclass(frozen=True)
class AssemblyMode:
    """A configuration: its coordinates, and how far its bodies are from the start.

    ``distance`` is the norm over all bodies: displacements as parts of the mechanism's length, and changes
    of direction cosines. ``variants`` is the number of other configurations with all points of bodies in the
    same places: there links are turned about the line of their points. A ``singular`` configuration is not
    isolated, or two that coincide: other configurations may be as near to it as one likes.
    """

    positions: tuple[float, ...]
    distance: float
    variants: int = 0
    singular: bool = False


@dataclass(frozen=True)
class AssemblyModes:
    """The configurations with the same fixed start values, the start first, then by distance from it.

    ``held`` are the coordinates that keep their values of the start besides the fixed start values. ``how``
    says how the list was found. ``doubts`` say why configurations may be missing.
    """

    modes: tuple[AssemblyMode, ...]
    held: tuple[str, ...]
    how: tuple[str, ...]
    doubts: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        return not self.doubts
