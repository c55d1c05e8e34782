"""Packages as a system to run: the same as in FMPy, near the whole, and what is refused."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import Parameter, ParameterSet

from fmugen.cosim.export import export_split
from fmugen.cosim.split import split_model
from fmugen.errors import SimulationError
from fmugen.ir.options import ExportOptions
from fmugen.ir.split import Method
from fmugen.master import Cosimulation, PartVariable, Scheme, System, connect, read_ssp
from fmugen.pipeline import export_fmu
from fmugen.verify.simulate import communication_points
from tests.cosim.models import LINKS, double_pendulum

STOP, STEP = 0.3, 0.001
TIMES = communication_points(STOP, STEP).tolist()
WATCHED = [("top", "upper_angle"), ("top", "tip_vx"), ("bottom", "lower_angle")]
LENGTH = ("top", "length")
STRUCTURE = "SystemStructure.ssd"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    system = split_model(double_pendulum(), LINKS, Method.EXACT)
    return export_split(system, tmp_path_factory.mktemp("master") / "Swing.ssp", ExportOptions("aac")).path


@pytest.fixture(scope="module")
def system(package: Path) -> System:
    return read_ssp(package, package.parent / "unpacked")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[float], Any]:
    """The end of the whole mechanism with a length."""
    path = export_fmu(
        double_pendulum(), tmp_path_factory.mktemp("whole") / "w.fmu", ExportOptions("aac")
    ).path

    def end(length: float) -> Any:
        start = {"length": length}
        result = simulate_fmu(str(path), stop_time=STOP, output_interval=STOP, start_values=start)
        return np.array([result[name][-1] for _, name in WATCHED])

    return end


def test_packages_can_be_unpacked_into_a_relative_folder(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Cosimulation(read_ssp(package, Path("unpacked"))).close()


def end_of(system: System, scheme: Scheme, *values: Mapping[PartVariable, float]) -> Any:
    master = Cosimulation(system, scheme)
    try:
        return master.run(TIMES, WATCHED, *values)[-1]
    finally:
        master.close()


def test_a_run_is_that_of_fmpy_from_the_same_start(system: System, package: Path) -> None:
    """FMPy sends nothing before the first step: it is told what the master sent."""
    master = Cosimulation(system)
    inputs = [(wire.target, wire.input) for wire in system.wires]
    for length in (1.0, 1.05):
        table = master.run(TIMES, [*WATCHED, *inputs], {LENGTH: length})
        told = {LENGTH: length} | dict(zip(inputs, table[0, len(WATCHED) :], strict=True))
        given = ParameterSet(parameters=[Parameter(name=".".join(p), value=told[p]) for p in told])
        other = simulate_ssp(str(package), stop_time=STOP - STEP / 2, step_size=STEP, parameter_set=given)
        found = [other[".".join(place)] for place in WATCHED]
        # FMPy's rows are of the ends of steps.
        assert np.abs(table[1:, : len(WATCHED)].T - found).max() < 1e-12
    master.close()


@pytest.mark.parametrize(("scheme", "bound"), [(Scheme.JACOBI, 5e-7), (Scheme.GAUSS_SEIDEL, 5e-8)])
@pytest.mark.parametrize("length", [1.0, 1.05])
def test_parts_follow_the_whole_with_any_parameter(
    scheme: Scheme, bound: float, length: float, system: System, whole: Callable[[float], Any]
) -> None:
    assert np.abs(end_of(system, scheme, {LENGTH: length}) - whole(length)).max() < bound


def test_names_of_a_system(system: System) -> None:
    parameters = system.named("parameter")
    assert parameters["top.length"] == parameters["length"] == (LENGTH,)
    assert parameters["solver.step"] == (("top", "solver.step"), ("bottom", "solver.step"))
    assert system.named("input") == {"bottom.push": (("bottom", "push"),), "push": (("bottom", "push"),)}
    assert (system.name, system.stop, system.step) == ("Swing", 0.5, 0.001)


def test_an_input_is_held(system: System) -> None:
    pushed = end_of(system, Scheme.JACOBI, {}, {("bottom", "push"): 1.0})
    # 1 N m on 0.1 kg m^2 and more, for 0.3 s: less than 0.45 rad, and much more than nothing.
    assert 0.05 < pushed[2] - end_of(system, Scheme.JACOBI)[2] < 0.45


def test_values_bound_in_the_package_come_before_those_of_a_run(package: Path, tmp_path: Path) -> None:
    bound = changed(
        package, tmp_path, '<ssv:Real value="1.0" unit="m"/>', '<ssv:Real value="1.05" unit="m"/>'
    )
    system = read_ssp(bound, tmp_path)
    assert system.settings[LENGTH] == 1.05
    other = read_ssp(package, tmp_path / "other")
    assert np.array_equal(end_of(system, Scheme.JACOBI), end_of(other, Scheme.JACOBI, {LENGTH: 1.05}))
    assert np.array_equal(end_of(system, Scheme.JACOBI, {LENGTH: 1.0}), end_of(other, Scheme.JACOBI))


@pytest.mark.parametrize("part", ["top", "bottom"])
def test_a_refusal_names_the_part_and_leaves_the_system_usable(part: str, system: System) -> None:
    master = Cosimulation(system)
    with pytest.raises(SimulationError, match=rf"{part}: .*solver\.max_steps"):
        master.run(TIMES, WATCHED, {(part, "solver.max_steps"): 0.0})
    found = master.run(TIMES, WATCHED)[-1]
    master.close()
    assert np.array_equal(found, end_of(system, Scheme.JACOBI))


# --- refusals -------------------------------------------------------------------------------------


def changed(package: Path, folder: Path, before: str, after: str) -> Path:
    """A copy of a package with another structure."""
    path = folder / "changed.ssp"
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == STRUCTURE:
                text = content.decode()
                assert text.count(before) == 1
                content = text.replace(before, after).encode()
            new.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("<ssd:Connections>", "<ssd:Connection>", "changed.ssp: "),
        (
            'endConnector="top_time"/>',
            'endConnector="noon"/>',
            "at bottom.noon, which is not a real variable",
        ),
        (
            'endConnector="top_time"/>',
            'endConnector="top_time"><ssc:LinearTransformation factor="2"/></ssd:Connection>',
            "connections that transform what they carry",
        ),
        (
            '<ssv:Parameter name="length"',
            '<ssv:Parameter name="lenght"',
            "sets top.lenght, which is not a real",
        ),
        (
            "</ssd:Elements>",
            '<ssd:System name="inner"/></ssd:Elements>',
            "systems inside of systems, which cannot be run",
        ),
    ],
)
def test_packages_that_cannot_be_run(
    before: str, after: str, words: str, package: Path, tmp_path: Path
) -> None:
    with pytest.raises(SimulationError, match=words):
        read_ssp(changed(package, tmp_path, before, after), tmp_path)


def test_files_that_are_no_packages(package: Path, tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="there is no such file"):
        read_ssp(tmp_path / "none.ssp", tmp_path)
    shutil.copy(__file__, tmp_path / "text.ssp")
    with pytest.raises(SimulationError, match="is not an SSP package: no archive with a"):
        read_ssp(tmp_path / "text.ssp", tmp_path)
    with pytest.raises(SimulationError, match="is not an FMU"):
        connect({"part": package}, (), tmp_path)
