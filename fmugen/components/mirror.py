"""How numbers of elements change where a sub-assembly is mirrored."""

from __future__ import annotations

from enum import Enum

__all__ = ["Mirror"]


class Mirror(Enum):
    """The change of a number in a mirrored assembly; vectors change by their form."""

    KEPT = "keeps its sign"
    REVERSED = "changes its sign, as an angle about an axis and the lead of a screw do"
    ABOUT_Z = "changes its sign as an angle about z does: not in a mirror across z"
