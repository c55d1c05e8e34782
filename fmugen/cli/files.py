"""Files are written completely or not at all, and never replace a file of the user."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from fmugen.errors import OutputError

__all__ = ["replacing", "require_writable", "write_files", "write_text"]

#: Every text that fmugen writes under a name of its own choice has this word within its first characters.
_MARK, _HEAD = "fmugen", 1000


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file to write to; at the end of the block it replaces ``path`` in one step."""
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
    """Write a text file: a reader sees the old content or the new, never a part. Ends of lines stay."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write text files into a folder, which is made if need be.

    The user names the folder alone. A file that is there already is therefore replaced only if it says that
    fmugen wrote it; nothing is written if one of them does not.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"the folder {folder} cannot be made: {error.strerror or error}") from error
    for name in texts:
        if (folder / name).is_file() and not _is_own(folder / name):
            raise OutputError(
                f"{folder / name} was not written by fmugen, and is not replaced: name another folder"
            )
    for name, text in texts.items():
        write_text(folder / name, text)


def _is_own(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return _MARK.encode() in stream.read(_HEAD)
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror or error}") from error


def require_writable(path: Path | None, *sources: Path) -> None:
    """Refuse a destination that cannot become a file, before work is spent on its content.

    ``sources`` are the files that the command reads: none of them is replaced by what it writes.
    """
    if path is None:
        return
    if any(path.exists() and source.exists() and path.samefile(source) for source in sources):
        raise OutputError(f"{path} cannot be written: this command reads it; name another file")
    if path.is_dir():
        raise OutputError(f"{path} cannot be written: it is a folder; name a file in it")
    if not path.parent.is_dir():
        raise OutputError(f"{path} cannot be written: there is no folder {path.parent}; create it first")
