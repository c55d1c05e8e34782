"""What gets installed: the templates are found from a wheel and from the source tree."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import fmugen
from fmugen import resources
from fmugen.errors import FmugenError

ROOT = Path(__file__).parents[1]

ASK_FOR_TEMPLATES = """
import sys
sys.path.insert(0, sys.argv[1])
import fmugen.resources as resources
print(resources.template_dir())
print(*(path.name for path in resources.runtime_sources()))
"""


def run_python(*arguments: str, folder: Path) -> str:
    command = [sys.executable, *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def unpacked_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = "from hatchling.build import build_wheel; import sys; build_wheel(sys.argv[1])"
    run_python("-c", build, str(folder), folder=ROOT)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_wheel_finds_its_own_templates(unpacked_wheel: Path) -> None:
    # Isolated mode and another working folder keep the source tree out of the way.
    output = run_python("-I", "-c", ASK_FOR_TEMPLATES, str(unpacked_wheel), folder=unpacked_wheel)
    folder, names = output.splitlines()
    assert Path(folder) == unpacked_wheel.resolve() / "fmugen" / "_templates"
    assert names.split() == [path.name for path in resources.runtime_sources()]


def test_wheel_carries_every_template_and_is_typed(unpacked_wheel: Path) -> None:
    def files(folder: Path) -> set[str]:
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}

    assert files(unpacked_wheel / "fmugen" / "_templates") == files(ROOT / "templates")
    assert (unpacked_wheel / "fmugen" / "py.typed").is_file()


def test_source_tree_uses_the_templates_of_the_repository() -> None:
    assert resources.template_dir() == (ROOT / "templates").resolve()


def test_runtime_sources_are_sorted_c_files() -> None:
    names = [path.name for path in resources.runtime_sources()]
    assert names == sorted(names)
    assert {Path(name).suffix for name in names} == {".c", ".h"}


def test_incomplete_installation_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resources, "_PLACES", (tmp_path / "a", tmp_path / "b"))
    with pytest.raises(FmugenError, match="install fmugen again"):
        resources.template_dir()


def test_importing_the_package_imports_nothing_else() -> None:
    probe = "import sys; before = set(sys.modules); import fmugen; print(*sorted(set(sys.modules) - before))"
    output = run_python("-c", probe, folder=ROOT)
    assert set(output.split()) <= {"__future__", "fmugen", "fmugen.version"}


def test_licence_in_the_metadata_is_the_licence_in_the_tree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "BSD-3-Clause"
    assert (ROOT / "LICENSE").read_text().startswith("BSD 3-Clause License")
    assert fmugen.__version__.count(".") == 2
