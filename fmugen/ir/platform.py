"""Platforms an FMU can carry binaries for, and what each is called in the standards."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["PLATFORMS", "Platform", "choose_platforms", "host_platform"]

_SUFFIXES = {"linux": ".so", "windows": ".dll", "darwin": ".dylib"}
_FMI2_FOLDERS = {"linux": "linux64", "windows": "win64", "darwin": "darwin64"}


@dataclass(frozen=True)
class Platform:
    """An operating system on a processor; ``name`` is what the command line calls it."""

    name: str
    architecture: str
    system: str

    @property
    def tuple(self) -> str:
        """The platform tuple of FMI 3.0, such as ``x86_64-linux``."""
        return f"{self.architecture}-{self.system}"

    @property
    def library_suffix(self) -> str:
        return _SUFFIXES[self.system]

    @property
    def fmi2_folder(self) -> str:
        """The folder of FMI 2.0 for this system on x86, which many importers use for every processor."""
        return _FMI2_FOLDERS[self.system]

    def folder(self, fmi: int) -> str:
        """The folder in ``binaries`` of an FMU of this version of the standard.

        FMI 2.0 names platforms with x86 processors only; for all others FMI 2.0.5 asks for the tuples of
        FMI 3.0.

        >>> host = PLATFORMS["linux64"]
        >>> host.folder(2), host.folder(3), PLATFORMS["linux-aarch64"].folder(2)
        ('linux64', 'x86_64-linux', 'aarch64-linux')
        """
        return self.fmi2_folder if fmi == 2 and self.architecture == "x86_64" else self.tuple


#: Every platform that can be asked for, by name.
PLATFORMS = {
    item.name: item
    for item in (
        Platform("linux64", "x86_64", "linux"),
        Platform("win64", "x86_64", "windows"),
        Platform("darwin64", "x86_64", "darwin"),
        Platform("linux-aarch64", "aarch64", "linux"),
        Platform("darwin-aarch64", "aarch64", "darwin"),
    )
}


def host_platform() -> Platform:
    """This machine; one that is not in :data:`PLATFORMS` gets the name of its tuple."""
    machine = platform.machine().lower()
    architecture = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    system = {"win32": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    known = (item for item in PLATFORMS.values() if item.tuple == f"{architecture}-{system}")
    return next(known, Platform(f"{architecture}-{system}", architecture, system))


def choose_platforms(names: Iterable[str]) -> tuple[Platform, ...]:
    """The platforms that names mean, each once; ``host`` is this machine and ``all`` is every one.

    Raises
    ------
    ValueError
        If a name means nothing; the message lists those that do.

    >>> [item.name for item in choose_platforms(["win64", "linux64", "win64"])]
    ['win64', 'linux64']
    """
    chosen: dict[str, Platform] = {}
    for name in names:
        if name == "all":
            chosen |= PLATFORMS
        elif name == "host":
            host = host_platform()
            chosen[host.name] = host
        elif name in PLATFORMS:
            chosen[name] = PLATFORMS[name]
        else:
            known = ", ".join([*PLATFORMS, "host", "all"])
            raise ValueError(f"there is no platform {name!r}; there are {known}")
    if not chosen:
        raise ValueError("no platform is named; for this machine say host")
    return tuple(chosen.values())
