"""Choices of the command line that are not options of an export."""

from __future__ import annotations

from enum import Enum

__all__ = ["EquationFormat"]


class EquationFormat(Enum):
    TEXT = "text"
    LATEX = "latex"
    JSON = "json"
