"""Results on disk, each under a digest of everything it depends on.

A cache that is damaged, or cannot be read or written, costs only time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from fmugen.resources import default_cache_dir, template_dir

__all__ = ["digest", "keep", "kept_text", "place_of", "program_digest"]

#: Packages whose versions are part of the digest.
_RELIED_ON = ("python-flint", "sympy")


def digest(parts: Iterable[str]) -> str:
    """A digest of texts in order; it depends on where one ends and the next begins."""
    found = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8")
        found.update(len(encoded).to_bytes(8, "little"))
        found.update(encoded)
    return found.hexdigest()


@cache
def program_digest() -> str:
    """A digest of this program, so that results of another version are not used."""
    package, templates = Path(__file__).resolve().parent, template_dir()
    sources = sorted(package.rglob("*.py"))
    files = [*sources, *sorted(path for path in templates.rglob("*") if path.is_file())]
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in files)
    return digest([*map(version, _RELIED_ON), *texts])


def place_of(kind: str, parts: Iterable[str], suffix: str) -> Path:
    """Where this program keeps what it made from ``parts``: a file in the folder ``kind`` of the cache."""
    return default_cache_dir() / kind / f"{digest([program_digest(), *parts])}{suffix}"


def kept_text(place: Path) -> str | None:
    """The text that is kept at ``place``, if there is one that can be read."""
    with suppress(OSError, UnicodeDecodeError):
        return place.read_text(encoding="utf-8")
    return None


def keep(place: Path, content: bytes) -> None:
    """Put ``content`` into the cache, whole or not at all."""
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(name).replace(place)
        finally:
            with suppress(FileNotFoundError):
                Path(name).unlink()
