"""Arrays of numbers by name, such as those of a body from a finite-element model."""

from __future__ import annotations

import hashlib
from collections.abc import ItemsView, Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Arrays"]

Array = NDArray[np.float64]


class Arrays:
    """Read-only arrays from the file ``name``; equal where all numbers are."""

    def __init__(self, name: str = "", arrays: Mapping[str, Array] | None = None) -> None:
        self.name = name
        self._arrays = {key: np.array(value, dtype=float) for key, value in sorted((arrays or {}).items())}
        digest = hashlib.sha256()
        for key, value in self._arrays.items():
            value.flags.writeable = False
            digest.update(f"{key}{value.shape}".encode())
            digest.update(value.tobytes())
        self._digest = digest.hexdigest()

    def __getitem__(self, key: str) -> Array:
        return self._arrays[key]

    def __contains__(self, key: str) -> bool:
        return key in self._arrays

    def __bool__(self) -> bool:
        return bool(self._arrays)

    def items(self) -> ItemsView[str, Array]:
        return self._arrays.items()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Arrays) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        """Names results that are kept, so that it has to tell different numbers apart."""
        return f"Arrays({self.name!r}, {self._digest})"
