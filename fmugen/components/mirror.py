"""How numbers of elements change where a sub-assembly is mirrored."""

from __future__ import annotations

from enum import Enum

__all__ = ["Mirror"]


class Mirror(Enum):
    """The change of a number in a mirrored assembly; vectors change by their form."""

    KEPT = "keeps its sign"
    REVERSED = "changes its sign, as an angle about an axis and the lead of a screw do"
    ALONG_Y = "changes its sign, as a length along y does, in a mirror across y"
    ALONG_Z = "changes its sign, as a length along z does, in a mirror across z"
    ABOUT_X = "changes its sign as an angle about x does: not in a mirror across x"
    ABOUT_Z = "changes its sign as an angle about z does: not in a mirror across z"
