"""Platforms: this machine, and those the user names."""

from __future__ import annotations

import platform
import sys

import pytest

from fmugen.ir.platform import PLATFORMS, choose_platforms, host_platform


@pytest.mark.parametrize(
    ("system", "machine", "name"),
    [
        ("linux", "x86_64", "linux64"),
        ("linux", "aarch64", "linux-aarch64"),
        ("win32", "AMD64", "win64"),
        ("darwin", "x86_64", "darwin64"),
        ("darwin", "arm64", "darwin-aarch64"),
    ],
)
def test_this_machine(monkeypatch: pytest.MonkeyPatch, system: str, machine: str, name: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert host_platform() is PLATFORMS[name]


def test_an_uncommon_machine_has_the_name_of_its_tuple(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert host_platform().name == host_platform().folder(2) == "riscv64-linux"


def test_host_and_all_can_be_asked_for() -> None:
    assert choose_platforms(["host"]) == (host_platform(),)
    assert set(choose_platforms(["host", "all"])) >= set(PLATFORMS.values())


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no platform 'win32'; there are linux64, win64, .*, host, all"):
        choose_platforms(["win32"])
    with pytest.raises(ValueError, match="no platform is named"):
        choose_platforms([])
