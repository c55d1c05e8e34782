"""Packages: valid SSP 1.0, the same result in engines that are not ours, and close to the whole."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import read_ssd
from lxml import etree

from fmugen.cosim.export import export_split
from fmugen.cosim.partition import read_partition
from fmugen.cosim.split import split_model
from fmugen.cosim.ssp import structure_xml
from fmugen.ir.options import ExportOptions
from fmugen.ir.split import Method
from fmugen.pipeline import export_fmu
from tests.cosim.models import LEGS, LINKS, double_pendulum, steered_manipulator
from tests.support import EXAMPLES, example

STEP, STEPS = 0.001, 300
#: What is read at the end: the part, and its output.
READ = (("top", "upper_angle"), ("top", "tip_vx"), ("bottom", "lower_angle"))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    system = split_model(double_pendulum(), LINKS, Method.EXACT)
    folder = tmp_path_factory.mktemp("package")
    return export_split(system, folder / "Swing.ssp", ExportOptions("aac")).path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    path = export_fmu(
        double_pendulum(), tmp_path_factory.mktemp("whole") / "w.fmu", ExportOptions("aac")
    ).path
    result = simulate_fmu(str(path), stop_time=STEP * STEPS, output_interval=STEP)
    return [float(result[name][-1]) for _, name in READ]


@pytest.mark.parametrize("method", [Method.PENALTY, Method.DENOC, Method.EXACT])
def test_the_structure_is_valid(method: Method, tmp_path: Path) -> None:
    system = split_model(double_pendulum(), LINKS, method)
    path = tmp_path / "empty.ssp"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("SystemStructure.ssd", structure_xml(system))
    structure = read_ssd(str(path))  # FMPy holds it against the schema
    assert [element.name for element in structure.system.elements] == [part.name for part in system.parts]
    assert len(structure.system.connections) == len(list(system.exchanged))
    assert [link.startElement for link in structure.system.connections].count(None) == 0
    parameters = structure.system.elements[0].parameterBindings[0].parameterValues[0].parameters
    assert "length" in {parameter.name for parameter in parameters}


def test_the_package_is_complete_and_repeatable(package: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(package) as archive:
        assert archive.namelist() == ["SystemStructure.ssd", "resources/bottom.fmu", "resources/top.fmu"]
        root = etree.fromstring(archive.read("SystemStructure.ssd"))
    assert root.get("version") == "1.0"
    system = split_model(double_pendulum(), LINKS, Method.EXACT)
    again = export_split(system, tmp_path / "again.ssp", ExportOptions("aac")).path
    assert again.read_bytes() == package.read_bytes()


FMPY = """
from fmpy.ssp.simulation import simulate_ssp
result = simulate_ssp({path!r}, stop_time={stop} - {step} / 2, step_size={step})
print(*(repr(float(result[part + "." + name][-1])) for part, name in {read}))
"""
ECOS = """
import ctypes, sys
from pathlib import Path
for library in sorted((Path(sys.prefix) / "lib").glob("libtbb.so.*")):
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
from ecospy import EcosSimulation
with EcosSimulation(step_size={step}, ssp_path={path!r}) as simulation:
    simulation.init()
    simulation.step({steps})
    print(*(repr(simulation.get_real(part + "::" + name)) for part, name in {read}))
"""
LIBCOSIM = """
import tempfile, zipfile
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimObserver import CosimObserver
folder = tempfile.mkdtemp()
zipfile.ZipFile({path!r}).extractall(folder)
execution = CosimExecution.from_ssp_file(folder, step_size=round({step} * 1e9))
observer = CosimObserver.create_last_value()
execution.add_observer(observer)
for _ in range({steps}):
    execution.step()
values = []
for part, name in {read}:
    slave = execution.slave_index_from_instance_name(part)
    [reference] = [v.reference for v in execution.slave_variables(slave) if v.name.decode() == name]
    values += observer.last_real_values(slave, [reference])
print(*map(repr, values))
"""


def run(
    program: str,
    package: Path,
    refine: int = 1,
    *,
    read: Sequence[tuple[str, str]] = READ,
    steps: int = STEPS,
) -> list[float]:
    """The values at the end, from a process of its own: foreign code may crash or hang."""
    step, stop = STEP / refine, STEP * steps
    text = program.format(path=str(package), step=step, steps=steps * refine, stop=stop, read=tuple(read))
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    last = [line for line in done.stdout.splitlines() if line and line[0] != "["][-1]
    return [float(word) for word in last.split()]


@pytest.mark.slow
def test_a_manipulator_in_co_simulation_follows_the_whole(tmp_path: Path) -> None:
    model = steered_manipulator()
    whole = export_fmu(model, tmp_path / "whole.fmu", ExportOptions("aac")).path
    result = simulate_fmu(str(whole), stop_time=3.0, output_interval=0.01)
    package = export_split(
        split_model(model, LEGS, Method.EXACT), tmp_path / "split.ssp", ExportOptions("aac")
    ).path
    split = simulate_ssp(str(package), stop_time=3.0 - STEP / 2, step_size=STEP)
    for name in ("platform_x", "platform_y", "platform_angle", "platform_omega"):
        assert abs(split[f"platform.{name}"][-1] - result[name][-1]) < 1e-6


def test_a_co_simulation_nears_the_whole_with_its_step(package: Path, whole: list[float]) -> None:
    errors = [np.abs(np.subtract(run(FMPY, package, refine), whole)).max() for refine in (1, 4)]
    assert errors[0] < 1e-6
    assert errors[1] < errors[0] / 30  # third order, though the links move at the start


in_other_engines = pytest.mark.parametrize(
    ("engine", "program"), [("ecospy", ECOS), ("libcosimpy", LIBCOSIM)], ids=["ecos", "libcosim"]
)


@in_other_engines
def test_engines_agree(engine: str, program: str, package: Path) -> None:
    _require(engine)
    assert np.allclose(run(program, package), run(FMPY, package), rtol=0, atol=1e-9)


@pytest.mark.slow
@in_other_engines
@pytest.mark.parametrize(
    ("name", "method"),
    [
        *(("three_rrr_driven", method) for method in Method),
        ("stewart_gough", Method.EXACT),
        ("stewart_gough", Method.DENOC),
    ],
)
def test_engines_agree_on_every_package(
    name: str, method: Method, engine: str, program: str, tmp_path: Path
) -> None:
    _require(engine)
    partition = read_partition(EXAMPLES / name / "parts.toml")
    system = split_model(example(name), partition, method)
    path = export_split(system, tmp_path / "split.ssp", ExportOptions(trees="aac")).path
    read = sorted({(link.source, link.output) for link in system.exchanged})[::7]
    found, expected = (run(each, path, read=read, steps=50) for each in (program, FMPY))
    assert np.ptp(expected) > 0
    assert np.allclose(found, expected, rtol=1e-7, atol=1e-7)


def _require(engine: str) -> None:
    if find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed (pip install 'fmugen[importers]')")
