"""Tyre property files (`.tir`): coefficients by name, in SI."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

__all__ = ["TyreFileError", "read_tyre_file"]

#: The units that coefficients are in.
_SI = {
    "LENGTH": ("meter", "metre", "m"),
    "FORCE": ("newton", "n"),
    "ANGLE": ("radians", "radian", "rad"),
    "MASS": ("kg", "kilogram"),
    "TIME": ("second", "s", "sec"),
}
#: Kinds of the formulas (FITTYP) that are the ones of PAC2002, or of 6.1.
_KINDS = (5, 6, 51, 52, 61)
_FORMAT = "PAC2002"
_SIDES = {"LEFT": 1.0, "RIGHT": -1.0, "SYMMETRIC": 1.0}


class TyreFileError(Exception):
    """What is wrong with a tyre file, with the fix."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def read_tyre_file(path: Path) -> dict[str, float]:
    """The coefficients of a file; `TYRESIDE` is 1 for a left tyre and -1 for a right one.

    Raises
    ------
    TyreFileError
        If the file cannot be read, or has other formulas or units.
    """
    try:
        text = path.read_text(encoding="latin-1")
    except OSError as error:
        hint = "names of files are relative to the file that has them"
        raise TyreFileError(f"{path.name!r} cannot be read: {error.strerror}", hint) from None
    numbers: dict[str, float] = {}
    words: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        key, equals, value = line.partition("$")[0].partition("!")[0].partition("=")
        if equals:
            _enter(f"{path.name}:{number}", key.strip().upper(), value.strip(), numbers, words)
    if not numbers:
        raise TyreFileError(f"{path.name!r} has no coefficients", "name a tyre property file (.tir)")
    _check_formulas(path.name, numbers, words)
    _check_units(path.name, words)
    side = words.get("TYRESIDE", "LEFT").upper()
    if side not in _SIDES:
        raise TyreFileError(f"{path.name!r} has the TYRESIDE {side!r}", "write LEFT or RIGHT")
    return {**numbers, "TYRESIDE": _SIDES[side]}


def _enter(place: str, key: str, value: str, numbers: dict[str, float], words: dict[str, str]) -> None:
    if value[:1] in "'\"" and value:
        words[key] = value.strip("'\"")
        return
    try:
        number = float(value)
    except ValueError:
        raise TyreFileError(f"{place}: {key} is not a number: {value!r}") from None
    if not math.isfinite(number):
        raise TyreFileError(f"{place}: {key} is not a finite number")
    numbers[key] = number


def _check_formulas(file: str, numbers: Mapping[str, float], words: Mapping[str, str]) -> None:
    named = words.get("PROPERTY_FILE_FORMAT", "").upper()
    kind = numbers.get("FITTYP")
    if named == _FORMAT or kind in _KINDS:
        return
    found = named or (f"FITTYP {kind:g}" if kind is not None else "no PROPERTY_FILE_FORMAT and no FITTYP")
    raise TyreFileError(
        f"{file!r} has other formulas than PAC2002 and MF 6.1: {found}",
        "use a file of PAC2002 (MF 5.2) or with FITTYP = 61",
    )


def _check_units(file: str, words: Mapping[str, str]) -> None:
    for quantity, known in _SI.items():
        unit = words.get(quantity, known[0])
        if unit.lower() not in known:
            raise TyreFileError(f"{file!r} has {quantity} in {unit!r}", f"convert the file to {known[0]!r}")
