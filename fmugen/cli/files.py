"""Files that appear complete or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fmugen.errors import OutputError

__all__ = ["replacing", "require_writable", "write_text"]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A place to write to; what is there when the block ends takes the place of ``path`` in one step."""
    require_writable(path)
    temporary = path.with_name(f".{secrets.token_hex(4)}-{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file: a reader sees the old content or the new, never a part."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def require_writable(path: Path | None) -> None:
    """Refuse a destination that cannot become a file, before work is spent on its content."""
    if path is None:
        return
    if path.is_dir():
        raise OutputError(f"{path} cannot be written: it is a folder; name a file in it")
    if not path.parent.is_dir():
        raise OutputError(f"{path} cannot be written: there is no folder {path.parent}; create it first")
