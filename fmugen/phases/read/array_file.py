"""Files of arrays (``.npz`` of numpy): their names, shapes and numbers."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from fmugen.components.base import Key, Shape
from fmugen.ir.arrays import Array, Arrays
from fmugen.suggestions import did_you_mean

__all__ = ["ArrayFileError", "read_arrays"]

#: The sizes of indices that count components.
_COMPONENTS = {"p": 3, "a": 3, "w": 6}


class ArrayFileError(Exception):
    """What is wrong with a file of arrays, with the fix."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def read_arrays(path: Path, key: Key) -> Arrays:
    """The arrays of a file; what the key of an element says of them holds.

    Raises
    ------
    ArrayFileError
        If the file cannot be read, or an array is missing, unknown, or has another shape.
    """
    found = _loaded(path)
    for name in found:
        if name not in key.shapes:
            known = f"the arrays are {', '.join(key.shapes)}"
            guess = did_you_mean(name, key.shapes)
            raise ArrayFileError(f"{path.name!r} has an unknown array {name!r}", f"{guess} {known}".strip())
    for name, shape in key.shapes.items():
        if shape.required and name not in found:
            told = _told(shape, key.counted)
            hint = f"save it with numpy.savez, of the shape {told}"
            raise ArrayFileError(f"{path.name!r} has no array {name!r}", hint)
    _check_shapes(path.name, found, key)
    return Arrays(path.name, found)


def _loaded(path: Path) -> dict[str, Array]:
    hint = "names of files are relative to the file that has them"
    try:
        file = np.load(path, allow_pickle=False)
        if isinstance(file, np.ndarray):
            message = f"{path.name!r} is a single array"
            raise ArrayFileError(message, "save several by name with numpy.savez")
        with file:
            return {name: _numbers(path.name, name, file) for name in file.files}
    except OSError as error:
        raise ArrayFileError(f"{path.name!r} cannot be read: {error.strerror or error}", hint) from None
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise ArrayFileError(f"{path.name!r} is not a file of arrays", "save it with numpy.savez") from None


def _numbers(file: str, name: str, arrays: Mapping[str, np.ndarray]) -> Array:
    try:
        array = arrays[name]
    except ValueError:  # objects of Python, which are not read
        raise ArrayFileError(f"{file!r}: the array {name!r} does not hold numbers") from None
    if array.dtype.kind not in "fiu":
        raise ArrayFileError(f"{file!r}: the array {name!r} does not hold real numbers")
    numbers = array.astype(float)
    if not np.isfinite(numbers).all():
        raise ArrayFileError(f"{file!r}: the array {name!r} has entries that are not finite")
    return numbers


def _check_shapes(file: str, arrays: Mapping[str, Array], key: Key) -> None:
    """All arrays have the sizes that the first of them says."""
    sizes = dict(_COMPONENTS)
    for name, shape in key.shapes.items():
        array = arrays.get(name)
        if array is None:
            continue
        if array.ndim == len(shape.indices):
            for letter, size in zip(shape.indices, array.shape, strict=True):
                sizes.setdefault(letter, size)
        wanted = tuple(sizes.get(letter, 0) for letter in shape.indices)
        if array.shape != wanted:
            known = f", here {_listed(wanted)}" if all(wanted) else ""
            message = f"{file!r}: the array {name!r} has the shape {_listed(array.shape)}"
            raise ArrayFileError(message, f"it must be {_told(shape, key.counted)}{known}")


def _listed(sizes: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, sizes))})"


def _told(shape: Shape, counted: Mapping[str, str]) -> str:
    """What its indices count in words."""
    words = (counted.get(letter) or str(_COMPONENTS[letter]) for letter in shape.indices)
    return f"({', '.join(words)})"
