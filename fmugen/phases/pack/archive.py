"""Description, binaries, sources and documentation -> ``.fmu``.

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
from fmugen.ir.platform import Platform

#: The earliest time a zip archive can tell.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
FILE_MODE = 0o100644
_LIBRARY_MODE = 0o100755


def pack(
    description_xml: bytes,
    binaries: Mapping[Platform, bytes],
    identifier: str,
    *,
    destination: Path,
    fmi: int = 2,
    documentation: Mapping[str, str] | None = None,
    sources: Mapping[str, str] | None = None,
    terminals: bytes | None = None,
) -> Path:
    """Write an FMU.

    Parameters
    ----------
    description_xml
        ``modelDescription.xml``.
    binaries
        The shared library of each platform.
    identifier
        The model identifier, which names the libraries.
    destination
        The file to write; an existing one is replaced in one step.
    fmi
        The version of the standard, 2 or 3, on which the names of folders depend.
    documentation
        Text files of the folder ``documentation``, by name; ``index.html`` is what importers open.
    sources
        Text files of the folder ``sources``, by name.
    terminals
        ``terminalsAndIcons.xml``.

    Returns
    -------
    Path
        The destination.

    Raises
    ------
    OutputError
        If the destination cannot be written.
    """
    entries = {"modelDescription.xml": (description_xml, FILE_MODE)}
    for folder, (platform, library) in _library_folders(binaries, fmi).items():
        entries[f"binaries/{folder}/{identifier}{platform.library_suffix}"] = (library, _LIBRARY_MODE)
    for folder, files in (("documentation", documentation), ("sources", sources)):
        for name, text in (files or {}).items():
            entries[f"{folder}/{name}"] = (text.encode("utf-8"), FILE_MODE)
    if terminals is not None:
        entries["terminalsAndIcons/terminalsAndIcons.xml"] = (terminals, FILE_MODE)
    return write_archive(destination, entries)


def write_archive(destination: Path, entries: Mapping[str, tuple[bytes, int]]) -> Path:
    """Write files, by name with their modes, to an archive that replaces ``destination`` in one step.

    Raises
    ------
    OutputError
        If the destination cannot be written.
    """
    _require_folder(destination)
    try:
        _replace_with_archive(destination, entries)
    except OSError as error:
        raise OutputError(f"{destination} cannot be written: {error.strerror or error}") from error
    return destination


def _library_folders(binaries: Mapping[Platform, bytes], fmi: int) -> dict[str, tuple[Platform, bytes]]:
    """The library of each folder of ``binaries``.

    Many importers of FMI 2.0 look for 64-bit libraries of any processor in ``linux64`` and ``darwin64``,
    which the standard means for x86: where there is no library for x86, that of another processor lies
    there too.
    """
    folders = {platform.folder(fmi): (platform, library) for platform, library in binaries.items()}
    if fmi == 2:
        for platform, library in binaries.items():
            folders.setdefault(platform.fmi2_folder, (platform, library))
    return folders


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
