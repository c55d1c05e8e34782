"""FMUs in tools of others; the whole matrix is `make importers`."""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.pipeline import export_fmu
from tests.support import example

FOLDER = Path(__file__).parents[2] / "cross_check" / "importers"


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("together")


@pytest.fixture(scope="module")
def fmus(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("fmus")
    model = example("pendulum")
    return {
        version.value: export_fmu(
            model, folder / f"{version.value}.fmu", ExportOptions(trees="aac", fmi=version)
        ).path
        for version in FmiVersion
    }


def driven(importer: str, fmu: Path, interface: str, folder: Path) -> NDArray[np.float64]:
    request = {
        "fmu": str(fmu),
        "interface": interface,
        "stop": 1.0,
        "step": 0.05,
        "outputs": ["angle", "pin_fx"],
        "inputs": ["drive_torque"],
    }
    folder.mkdir()
    (folder / "request.json").write_text(json.dumps(request))
    command = [sys.executable, "-P", str(FOLDER / "drivers.py"), importer, str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    values: NDArray[np.float64] = np.load(folder / "values.npy")
    return values


@pytest.mark.parametrize(
    ("importer", "package", "fmi", "interface"),
    [
        ("fmpy", "fmpy", 2, "ModelExchange"),
        ("fmpy", "fmpy", 3, "CoSimulation"),
        ("fmpy", "fmpy", 3, "ModelExchange"),
        ("ecos", "ecospy", 2, "CoSimulation"),
        ("libcosim", "libcosimpy", 2, "CoSimulation"),
    ],
)
def test_importers_agree(
    importer: str, package: str, fmi: int, interface: str, fmus: dict[int, Path], tmp_path: Path
) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    expected = driven("fmpy", fmus[2], "CoSimulation", tmp_path / "expected")
    told = driven(importer, fmus[fmi], interface, tmp_path / "told")
    scale = np.abs(expected).max(axis=0)
    assert told.shape == expected.shape
    assert np.nanmax(np.abs(told - expected) / scale) < 1e-6
    assert np.isnan(told).sum() <= 2  # libcosim has read no values before the first step


@pytest.mark.parametrize("fmi", [2, 3])
def test_casadi_finds_exact_derivatives(fmi: int, fmus: dict[int, Path], tmp_path: Path) -> None:
    pytest.importorskip("casadi", reason="CasADi is not installed")
    assert driven("casadi", fmus[fmi], "ModelExchange", tmp_path / "casadi")[0, 0] < 1e-7


def test_a_controller_in_python_drives_the_pendulum(fmus: dict[int, Path], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", str(FOLDER / "controller.py"), "-d"]
    subprocess.run([*command, str(tmp_path)], check=True, capture_output=True, timeout=120)
    through_fmu = driven("controlled", fmus[2], "CoSimulation", tmp_path / "controlled")
    directly = driven("controlled_directly", fmus[2], "CoSimulation", tmp_path / "direct")
    alone = driven("fmpy", fmus[2], "CoSimulation", tmp_path / "alone")
    assert np.array_equal(through_fmu, directly)
    assert np.abs(through_fmu[-1] - alone[-1]).max() > 1e-3


@pytest.mark.skipif(sys.platform != "linux", reason="the master uses POSIX threads and ELF libraries")
def test_two_instances_of_two_fmus_in_two_threads(together: ModuleType, tmp_path: Path) -> None:
    subjects = importlib.import_module("subjects")
    chosen: list[Any] = []
    for name in ("pendulum", "slider_crank"):
        model = example(name)
        fmu = export_fmu(model, tmp_path / f"{name}.fmu", ExportOptions("aac")).path
        outputs = tuple(output for output in model.outputs if output.name.endswith("angle"))
        chosen.append(subjects.Subject(name, model, {2: fmu}, outputs, *chosen))
    assert together.four_instances(chosen[-1], tmp_path) == 0.0


def test_what_is_missing_is_never_passed(together: ModuleType, tmp_path: Path) -> None:
    importers = importlib.import_module("importers")
    missing = importers.Importer("x", lambda: "no x", lambda subject, folder: 0.0)
    assert str(missing.judge(None, tmp_path)) == "not run: no x"
    worse = importers.Importer("x", lambda: None, lambda subject, folder: 1.0)
    assert str(worse.judge(None, tmp_path)) == "FAILED 1.0e+00"
    alone = importers.Importer("x", lambda: None, together.four_instances)
    subject = importlib.import_module("subjects").Subject("x", example("pendulum"), {}, ())
    assert str(alone.judge(subject, tmp_path)) == "not run: no companion"
