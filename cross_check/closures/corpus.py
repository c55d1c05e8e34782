"""All mechanisms of the corpus."""

from __future__ import annotations

from closures.description import Mechanism
from closures.planar import PLANAR
from closures.platforms import ROBOTS, SUSPENSIONS
from closures.spatial import SPATIAL

__all__ = ["CORPUS"]

CORPUS: tuple[Mechanism, ...] = (*PLANAR, *SPATIAL, *ROBOTS, *SUSPENSIONS)
