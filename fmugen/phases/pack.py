"""Description, binaries and documentation -> ``.fmu``.

The archive is a function of its contents alone: entries are sorted, times and permissions fixed.
It appears at its destination complete or not at all.
"""

from __future__ import annotations

import secrets
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from fmugen.errors import OutputError
from fmugen.ir.fmu import LIBRARY_SUFFIX

#: The earliest time a zip archive can tell.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_FILE_MODE = 0o100644
_LIBRARY_MODE = 0o100755


def pack(
    description_xml: bytes,
    binaries: Mapping[str, bytes],
    identifier: str,
    *,
    destination: Path,
    documentation: Mapping[str, str] | None = None,
) -> Path:
    """Write an FMU.

    Parameters
    ----------
    description_xml
        ``modelDescription.xml``.
    binaries
        The shared library of each FMI 2.0 platform (``linux64``, ``win64``, ...).
    identifier
        The model identifier, which names the libraries.
    destination
        The file to write; an existing one is replaced in one step.
    documentation
        Text files of the folder ``documentation``, by name; ``index.html`` is what importers open.

    Returns
    -------
    Path
        The destination.

    Raises
    ------
    OutputError
        If the destination cannot be written.
    """
    entries = {"modelDescription.xml": (description_xml, _FILE_MODE)}
    for platform, library in binaries.items():
        name = f"binaries/{platform}/{identifier}{LIBRARY_SUFFIX[platform]}"
        entries[name] = (library, _LIBRARY_MODE)
    for name, text in (documentation or {}).items():
        entries[f"documentation/{name}"] = (text.encode("utf-8"), _FILE_MODE)
    _require_folder(destination)
    try:
        _replace_with_archive(destination, entries)
    except OSError as error:
        raise OutputError(f"{destination} cannot be written: {error.strerror or error}") from error
    return destination


def _require_folder(destination: Path) -> None:
    folder = destination.parent
    if not folder.is_dir():
        raise OutputError(f"{destination} cannot be written: there is no folder {folder}; create it first")
    if destination.is_dir():
        raise OutputError(f"{destination} cannot be written: it is a folder; name a file in it")


def _replace_with_archive(destination: Path, entries: Mapping[str, tuple[bytes, int]]) -> None:
    temporary = destination.with_name(f".{destination.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as stream, zipfile.ZipFile(stream, "w") as archive:
            for entry in sorted(entries):
                content, mode = entries[entry]
                archive.writestr(_entry(entry, mode), content, zipfile.ZIP_DEFLATED, compresslevel=9)
        temporary.replace(destination)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def _entry(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.create_system = _UNIX
    entry.external_attr = mode << 16
    return entry
