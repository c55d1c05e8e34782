"""Bases on disk, by content, so that a block is solved once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from fmugen.cache import digest, keep
from fmugen.resources import default_cache_dir

__all__ = ["Kept", "cache_folder", "recall", "remember"]

#: Part of every key, so that results of another algorithm are not used.
_VERSION = "2"

#: A basis of less work than this is cheaper to compute than to read.
_WORTH_KEEPING = 2000


@dataclass(frozen=True)
class Kept:
    """Polynomials as texts, whether they are a whole basis, and the work that it was to find them."""

    polynomials: Sequence[str]
    complete: bool
    work: int


def cache_folder() -> Path:
    """The folder ``closure`` in the cache."""
    return default_cache_dir() / "closure"


def recall(key: str) -> Kept | None:
    """The result cached under ``key``; a damaged file counts as missing."""
    try:
        data = json.loads(_path(key).read_text(encoding="ascii"))
        return Kept([str(text) for text in data["polynomials"]], bool(data["complete"]), int(data["work"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(key: str, found: Kept) -> None:
    """Keep a basis, whole or not at all; a cache that cannot be written costs only time."""
    if found.work < _WORTH_KEEPING:
        return
    keep(_path(key), json.dumps(asdict(found)).encode("ascii"))


def _path(key: str) -> Path:
    return cache_folder() / f"{digest([_VERSION, key])}.json"
