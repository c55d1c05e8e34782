"""A seat on a base that a measured road moves: positions alone, with rates, and contradictions."""

from __future__ import annotations

import zipfile
from functools import partial
from math import pi
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from fmpy.simulation import simulate_fmu as simulate_with_fmpy
from scipy.integrate import solve_ivp
from typer.testing import CliRunner, Result

from fmugen.builder import ModelBuilder
from fmugen.cli import app
from fmugen.errors import ModelError, SimulationError
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.phases.read import parse_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import verify_fmu
from fmugen.verify.crosscheck import read_cross_check
from fmugen.verify.fmu_file import read_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.fmu.parts import START, leg
from tests.store import exported

SEAT = """
[model]
name = "Seat"

[experiment]
stop = 1.0
step = 0.01

[parameters]
stiffness = { value = 8000, unit = "N/m" }
damping = { value = 600, unit = "N.s/m" }

[inputs]
road = { unit = "m", rate = "road_rate", description = "height of the road" }
road_rate = { unit = "m/s", rate = "road_acceleration" }
road_acceleration = { unit = "m/s2" }

[outputs]
height = "seat.y"
comfort = "seat.ay"
shaken = "base.ay"
push = "shaker.fy"

[bodies.base]
mass = 10
inertia = 1

[bodies.seat]
mass = 80
inertia = 1

[joints.post]
type = "prismatic"
from = "ground"
to = "base"
axis = [0, 1]

[joints.guide]
type = "prismatic"
from = "base"
to = "seat"
axis = [0, 1]

[drivers.shaker]
type = "translation"
from = "ground"
to = "base"
axis = [0, 1]
value = "road"

[forces.suspension]
type = "force"
on = "seat"
from = "base"
value = [0, "-stiffness*guide.s - damping*guide.v"]

[start.fixed]
"guide.s" = 0
"guide.v" = 0
"""
OMEGA, HEIGHT = 4 * pi, 0.05
ROWS = np.linspace(0.0, 1.0, 101)
RATES = ("road", "road_rate", "road_acceleration")


def road(times: Any, order: int = 0) -> Any:
    return HEIGHT * OMEGA**order * np.sin(OMEGA * times + order * pi / 2)


def comfort(times: np.ndarray) -> np.ndarray:
    """The acceleration of the seat on a road that is a sine."""

    def acceleration(time: Any, y: Any) -> Any:
        return (8000 * (road(time) - y[0]) + 600 * (road(time, 1) - y[1])) / 80

    start = [0.0, road(0.0, 1)]
    motion = solve_ivp(
        lambda time, y: [y[1], acceleration(time, y)], (0, 1), start, "DOP853", times, rtol=1e-11, atol=1e-13
    )
    return np.asarray(acceleration(motion.t, motion.y))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model, FMUs of it, and files of the road."""
    folder = tmp_path_factory.mktemp("seat")
    (folder / "seat.toml").write_text(SEAT)
    model = parse_model(SEAT, "seat")
    for version in FmiVersion:
        export_fmu(model, folder / f"seat{version.value}.fmu", ExportOptions("aac", fmi=version))
    columns = [road(ROWS, order) for order in range(3)]
    write(folder / "position.csv", columns[:1])
    write(folder / "all.csv", columns)
    write(folder / "wrong.csv", [columns[0], 2 * columns[1], columns[2]])
    write(folder / "jump.csv", [np.where(ROWS < 0.5, 0.0, 0.1)])
    return folder


def write(path: Path, columns: list[np.ndarray]) -> None:
    header = ",".join(("time", *RATES[: len(columns)]))
    table = np.column_stack([ROWS, *columns])
    path.write_text("\n".join([header, *(",".join(map(repr, row)) for row in table.tolist())]) + "\n")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="fmugen")


def simulated(folder: Path, *options: object) -> dict[str, np.ndarray]:
    result = run("simulate", folder / "seat2.fmu", "-o", folder / "out.csv", *options)
    assert result.exit_code == 0, result.output
    table = np.genfromtxt(folder / "out.csv", delimiter=",", names=True)
    return {name: table[name] for name in table.dtype.names}


# --- simulate -------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [0.01, 0.004])
def test_a_measured_position_moves_the_seat_as_the_road_does(folder: Path, step: float) -> None:
    found = simulated(folder, "--input", folder / "position.csv", "--step", step)
    expected = comfort(found["time"])
    assert np.abs(expected).max() > 8.0
    assert np.abs(found["comfort"] - expected).max() < 1e-5 * np.abs(expected).max()
    assert np.abs(found["shaken"] - road(found["time"], 2)).max() < 2e-4 * HEIGHT * OMEGA**2


def test_columns_that_agree_give_the_same_motion(folder: Path) -> None:
    alone = simulated(folder, "--input", folder / "position.csv")
    together = simulated(folder, "--input", folder / "all.csv")
    assert np.array_equal(alone["comfort"], together["comfort"])


def test_columns_that_disagree_are_refused_by_name(folder: Path) -> None:
    result = run("simulate", folder / "seat2.fmu", "--input", folder / "wrong.csv")
    assert result.exit_code == 1
    assert "road_rate is " in result.output and "but road implies" in result.output
    assert " at t = " in result.output and "leave road_rate out" in result.output


def test_a_road_that_jumps_is_smoothed_with_a_word(folder: Path) -> None:
    result = run("simulate", folder / "seat2.fmu", "--input", folder / "jump.csv")
    assert result.exit_code == 0
    assert "road jumps by 0.1 between t = 0.49 s and 0.5 s" in result.output


def test_a_constant_road_is_at_rest(folder: Path) -> None:
    found = simulated(folder, "--input", "road=0.1")
    assert found["height"] == pytest.approx(0.1)
    assert np.abs(found["comfort"]).max() < 1e-9 and not found["shaken"].any()


# --- verify, report, cross-check, study -----------------------------------------------------------


def test_the_reference_follows_the_same_road(folder: Path) -> None:
    signals = {"road": road}
    verification = verify_fmu(parse_model(SEAT, "seat"), folder / "seat2.fmu", stop=0.3, inputs=signals)
    assert verification.passed and verification.largest < 1e-10
    assert max(np.abs(signal.reference).max() for signal in verification.outputs) > 5.0


@pytest.mark.parametrize("options", [(), ("--input", "position.csv"), ("--input", "road=0.1")])
def test_such_a_model_is_verified_and_reported(folder: Path, options: tuple[str, ...]) -> None:
    given = [folder / option if option.endswith(".csv") else option for option in options]
    usual = (folder / "seat.toml", "--trees", "aac", "--stop", "0.2", *given)
    verified = run("verify", *usual)
    assert verified.exit_code == 0, verified.output
    reported = run("report", *usual, "-o", folder / "seat.html")
    assert reported.exit_code == 0, reported.output
    assert "passed" in (folder / "seat.html").read_text()


@pytest.mark.parametrize("fed", [False, True])
def test_such_a_model_has_a_cross_check(folder: Path, tmp_path: Path, fed: bool) -> None:
    options = ("--input", folder / "position.csv") if fed else ()
    result = run("cross-check", folder / "seat.toml", "--trees", "aac", "-o", tmp_path, *options)
    assert result.exit_code == 0, result.output
    check = read_cross_check(tmp_path)
    assert {signal.name for signal in check.signals} >= {"comfort", "push"}
    told = np.genfromtxt(tmp_path / "Seat_in.csv", delimiter=",", names=True)
    assert told.dtype.names == ("time", *RATES)
    if fed:  # an importer that sets what the file tells stays within the tolerances
        found = imported(tmp_path / "Seat.fmu", "CoSimulation", 3)
        comfort_of = {signal.name: signal for signal in check.signals}["comfort"]
        assert np.abs(comfort_of.reference).max() > 8.0
        assert comfort_of.error(found["comfort"]) < 1.0


def test_start_values_of_rates_move_a_driver_in_the_reference() -> None:
    text = SEAT.replace(
        'road_acceleration = { unit = "m/s2" }', 'road_acceleration = { start = 2, unit = "m/s2" }'
    )
    model = parse_model(text, "seat")
    export = exported(model, ExportOptions("aac"))
    verification = verify_fmu(model, export.path, stop=0.3)
    assert verification.passed
    [shaken] = [signal for signal in verification.outputs if signal.name == "shaken"]
    assert shaken.fmu == pytest.approx(2.0)


def test_a_leg_with_loops_is_judged_where_inputs_move_its_tip() -> None:
    """Outputs that are derivatives by the acceleration inputs are judged as well."""
    signals = {
        "px": lambda time: START[0] + 0.05 * np.sin(5 * time),
        "py": lambda time: START[1] + 0.05 * (1 - np.cos(4 * time)),
    }
    export = exported(leg(), ExportOptions("aac"))
    verification = verify_fmu(leg(), export.path, stop=0.1, inputs=signals)
    assert verification.passed and verification.largest < 1e-9
    assert {"bx", "mxx", "fx"} <= {signal.name for signal in verification.outputs}


def test_a_frame_in_space_is_turned_by_an_input() -> None:
    model = (
        ModelBuilder("Gyro", space="spatial", gravity=(0, 0, -9.81))
        .input("tilt", 0.2, "rad", rate="tilt_rate")
        .input("tilt_rate", 0, "rad/s", rate="tilt_second")
        .input("tilt_second", 0, "rad/s2")
        .body("frame", mass=1, inertia=(1, 2, 3))
        .body("rotor", mass=1, inertia=(1, 2, 3), points={"P": (0.1, 0, 0)})
        .revolute("pin", "ground", "frame", axis=(0, 1, 0))
        .revolute("spin", "frame", "rotor.P", axis=(0, 0, 1))
        .rotation_driver("motor", "ground", "frame", "2*tilt", axis=(0, 1, 0))
        .output("torque", "motor.ty")
        .output("turn", "spin.alpha")
        .start("spin.angle", 0.3)
        .start("spin.omega", 2)
        .experiment(stop=0.2, step=0.01, tolerance=1e-10)
        .build()
    )
    export = exported(model, ExportOptions("jc"))
    signals = {"tilt": lambda time: 0.2 + 0.3 * np.sin(3 * time)}
    for inputs in ({}, signals):
        verification = verify_fmu(model, export.path, inputs=inputs)
        assert verification.passed and verification.largest < 1e-9


def test_a_rate_belongs_to_one_input() -> None:
    text = SEAT.replace("[outputs]", 'other = { unit = "m", rate = "road_rate" }\n[outputs]')
    with pytest.raises(ModelError, match="'road_rate' is the rate of 'road' too"):
        parse_model(text, "seat")


def test_a_study_rides_the_road(folder: Path) -> None:
    pytest.importorskip("dask")
    from fmugen.cli.study import _experiment
    from fmugen.master import load_system
    from fmugen.study import read_study
    from fmugen.study.worker import Runs, Subject

    path = folder / "ride.toml"
    path.write_text(
        '[study]\nsubject = "seat2.fmu"\nmethod = "grid"\n[parameters]\ndamping = { values = [600] }\n'
        '[inputs]\nroad = "position.csv"\n[results]\npeak = "peak(comfort)"\n'
    )
    fmu = folder / "seat2.fmu"
    experiment = _experiment(path, read_study(path), load_system(fmu, folder / "unpacked"))
    runs = Runs(Subject(fmu.name, fmu.read_bytes()), experiment)
    outcomes = [runs.run(np.array([600.0])) for _ in range(2)]  # the second after a reset
    runs.close()
    for outcome in outcomes:
        assert outcome.message == ""
        assert outcome.values[0] == pytest.approx(np.abs(comfort(ROWS)).max(), rel=1e-5)


# --- other importers ------------------------------------------------------------------------------


def imported(fmu: Path, kind: str, orders: int) -> Any:
    """A run with FMPy, which feeds the road and some of its derivatives, linear between the rows."""
    names = ["time", *RATES[:orders]]
    signals = np.array(
        list(zip(ROWS, *(road(ROWS, order) for order in range(orders)), strict=True)),
        dtype=[(name, float) for name in names],
    )
    return simulate_with_fmpy(
        str(fmu),
        fmi_type=kind,
        stop_time=1.0,
        output_interval=0.01,
        step_size=0.01,
        input=signals,
        output=["comfort", "shaken"],
        debug_logging=False,
    )


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("orders", [1, 2])
def test_a_position_without_its_derivatives_is_refused(
    folder: Path, capfd: pytest.CaptureFixture[str], version: int, kind: str, orders: int
) -> None:
    with pytest.raises(Exception, match=r"fmi. ?DoStep|fmi.(DoStep|CompletedIntegratorStep)"):
        imported(folder / f"seat{version}.fmu", kind, orders)
    said = "".join(capfd.readouterr())
    assert f"the input {RATES[orders - 1]} prescribes a motion" in said
    assert f"feed {RATES[orders]} with the derivative of {RATES[orders - 1]}" in said
    assert ("fmi2SetRealInputDerivatives" in said) == (version == 2 and kind == "CoSimulation")


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(("kind", "allowed"), [("CoSimulation", 1e-2), ("ModelExchange", 2e-3)])
def test_an_importer_that_feeds_all_of_them_is_right(
    folder: Path, version: int, kind: str, allowed: float
) -> None:
    found = imported(folder / f"seat{version}.fmu", kind, 3)
    expected = comfort(found["time"])
    assert np.abs(found["comfort"] - expected).max() < allowed * np.abs(expected).max()


def told(step: float, orders: int) -> dict[str, Any]:
    """A run of FMI 2 co-simulation that sets inputs and reads outputs before each step."""
    signals = {name: partial(road, order=order) for order, name in enumerate(RATES[:orders])}
    return {"stop": 1.0, "step": step, "outputs": ["comfort"], "inputs": signals}


@pytest.mark.parametrize("orders", [1, 2])
def test_reading_outputs_explains_no_position(folder: Path, orders: int) -> None:
    with pytest.raises(SimulationError, match=f"{RATES[orders - 1]} prescribes a motion"):
        simulate_fmu(folder / "seat2.fmu", **told(0.01, orders))


def test_the_error_of_values_alone_is_of_second_order(folder: Path) -> None:
    errors = []
    for step in (0.01, 0.0025):
        found = simulate_fmu(folder / "seat2.fmu", **told(step, 3))
        errors.append(np.abs(found.values["comfort"] - comfort(found.times)).max())
    assert errors[1] < errors[0] / 12  # 16 in the limit


def test_derivatives_of_a_position_are_its_rates(folder: Path, tmp_path: Path) -> None:
    fmu = folder / "seat2.fmu"
    description = fmpy.read_model_description(str(fmu))
    number = {variable.name: variable.valueReference for variable in description.modelVariables}
    slave = FMU2Slave(
        guid=description.guid,
        unzipDirectory=fmpy.extract(str(fmu), unzipdir=str(tmp_path)),
        modelIdentifier="Seat",
        instanceName="it",
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)

    def tell(time: float) -> None:
        slave.setReal([number["road"]], [road(time)])
        values = [road(time, order) for order in (1, 2, 3)]
        slave.setRealInputDerivatives([number["road"]] * 3, [1, 2, 3], values)

    tell(0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    found = []
    for time in ROWS[:-1].tolist():
        found.append(slave.getReal([number["comfort"], number["shaken"], number["road_rate"]]))
        slave.doStep(time, 0.01)
        tell(time + 0.01)
    slave.terminate()
    slave.freeInstance()
    times = ROWS[:-1]
    expected = np.column_stack([comfort(times), road(times, 2), road(times, 1)])
    assert np.abs(np.array(found) - expected).max() < 4e-3 * np.abs(expected).max()


def test_the_fmu_says_what_to_feed(folder: Path) -> None:
    for version in (2, 3):
        description = fmpy.read_model_description(str(folder / f"seat{version}.fmu"))
        found = {variable.name: variable for variable in description.modelVariables}
        assert found["road"].description == (
            "height of the road; prescribes a motion: feed road_rate and road_acceleration, its derivatives, "
            "with it"
        )
        assert found["road_rate"].derivative is found["road"]
        assert found["road_acceleration"].derivative is found["road_rate"]
    [chain] = read_fmu(folder / "seat2.fmu").chains()
    assert chain.names == RATES
    with zipfile.ZipFile(folder / "seat2.fmu") as archive:
        page = archive.read("documentation/index.html").decode()
    assert "prescribes a motion: feed road_rate" in page
