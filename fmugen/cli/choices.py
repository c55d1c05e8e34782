"""What the user may choose on the command line, beside the options of an export."""

from __future__ import annotations

from enum import Enum

__all__ = ["EquationFormat"]


class EquationFormat(Enum):
    TEXT = "text"
    LATEX = "latex"
    JSON = "json"
