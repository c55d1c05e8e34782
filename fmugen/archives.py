"""FMUs and SSP packages as archives: entries that lead out of the folder are refused.

Archives are not trusted. The names in it become paths on this machine: those of its entries, those of
the FMUs in a package, and the model identifier, after which the library of an FMU is named.
"""

from __future__ import annotations

import posixpath
import re
import stat
import zipfile
from pathlib import Path, PurePosixPath, PureWindowsPath

from lxml import etree

from fmugen.errors import SimulationError

__all__ = ["check_entries", "check_fmu", "check_identifier", "entry_of", "fmu_description", "leaves_folder"]

_DESCRIPTION = "modelDescription.xml"
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def leaves_folder(name: str) -> bool:
    """Whether a name, appended to a folder, may lead out of it on some system.

    >>> [leaves_folder(name) for name in ("resources/a.fmu", "../a.fmu", "/a.fmu", "C:a.fmu", "a\\\\..\\\\b")]
    [False, True, True, True, True]
    """
    paths = (PurePosixPath(name), PureWindowsPath(name))
    return "\0" in name or any(path.anchor or ".." in path.parts for path in paths)


def check_entries(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse an archive, called ``name``, with entries that lead out of the folder it is unpacked into.

    Raises
    ------
    SimulationError
        If the path of an entry is absolute or has ``..``, or if an entry is a link.
    """
    for entry in archive.infolist():
        if leaves_folder(entry.orig_filename):
            raise SimulationError(
                f"{name} is not unpacked: its entry {entry.orig_filename!r} would lie outside of the folder"
            )
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise SimulationError(f"{name} is not unpacked: its entry {entry.filename!r} is a link")


def check_identifier(identifier: str, name: str) -> None:
    """Refuse a model identifier of the FMU ``name`` that cannot be that of a C function: it becomes a path.

    Raises
    ------
    SimulationError
        If the identifier has other characters than letters, digits and underscores.
    """
    if not _IDENTIFIER.fullmatch(identifier):
        raise SimulationError(
            f"{name} is not loaded: its model identifier {identifier!r} is not an identifier"
        )


def fmu_description(path: Path) -> etree._Element:
    """The root of the description in an FMU.

    Raises
    ------
    SimulationError
        If the file is not an FMU, or if an entry leads out of the folder it is unpacked into.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            check_entries(archive, path.name)
            return etree.fromstring(archive.read(_DESCRIPTION), etree.XMLParser(resolve_entities=False))
    except FileNotFoundError:
        raise SimulationError(f"{path}: there is no such file") from None
    except OSError as error:
        raise SimulationError(f"{path} cannot be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, KeyError):
        raise SimulationError(f"{path} is not an FMU: no archive with a {_DESCRIPTION}") from None
    except etree.XMLSyntaxError as error:
        raise SimulationError(f"{path} is not an FMU: {_DESCRIPTION} is not XML: {error}") from None


def check_fmu(path: Path) -> None:
    """Refuse an FMU that would be unpacked or loaded outside of the folder it is unpacked into.

    Raises
    ------
    SimulationError
        If the file is not an FMU, or if an entry or a model identifier leads out of the folder.
    """
    for element in fmu_description(path):
        identifier = element.get("modelIdentifier")
        if identifier is not None:
            check_identifier(identifier, path.name)


def entry_of(archive: zipfile.ZipFile, source: str) -> str | None:
    """The entry of an archive that a relative path names, if there is one."""
    entry = posixpath.normpath(source)
    return entry if not leaves_folder(source) and entry in archive.namelist() else None
