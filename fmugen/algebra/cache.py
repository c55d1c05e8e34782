"""Bases on disk, by content: a block that did not change costs nothing the next time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from fmugen.cache import digest, keep
from fmugen.resources import default_cache_dir

__all__ = ["cache_folder", "recall", "remember"]

#: Part of every key: results of another algorithm are not taken for ours.
_VERSION = "1"

#: A basis that took less CPU time than this (seconds) is cheaper to compute than to read.
_WORTH_KEEPING = 0.005

Terms = dict[tuple[int, ...], int]


def cache_folder() -> Path:
    """The folder ``closure`` in the cache."""
    return default_cache_dir() / "closure"


def recall(key: str) -> tuple[list[Terms], bool] | None:
    """The polynomials kept under ``key`` and whether they are a whole basis; a damaged file is no file."""
    try:
        data = json.loads(_path(key).read_text(encoding="ascii"))
        terms = [{tuple(e): int(n) for e, n in part} for part in data["polynomials"]]
        return terms, bool(data["complete"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(key: str, polynomials: Sequence[Terms], complete: bool, seconds: float) -> None:
    """Keep a basis, whole or not at all; a cache that cannot be written costs only time."""
    if seconds < _WORTH_KEEPING:
        return
    parts = [[(list(e), str(n)) for e, n in part.items()] for part in polynomials]
    keep(_path(key), json.dumps({"complete": complete, "polynomials": parts}).encode("ascii"))


def _path(key: str) -> Path:
    return cache_folder() / f"{digest([_VERSION, key])}.json"
