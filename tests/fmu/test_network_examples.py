"""What only networks can show: published results, random networks as FMUs, long ladders, joints on motors."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fmugen.errors import SimulationError
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.phases.test_random_networks import Generator, NodalAnalysis, model_of
from tests.store import exported
from tests.support import example

DATA = Path(__file__).parents[1] / "data" / "modelica"
TIGHT = {"solver.relative_tolerance": 1e-12, "solver.absolute_tolerance": 1e-13}


@pytest.mark.parametrize(
    ("name", "file", "step"),
    [
        ("cauer_low_pass", "CauerLowPassAnalog.csv", 0.012),
        ("rotational_first", "RotationalFirst.csv", 0.002),
        ("translational_oscillator", "TranslationalOscillator.csv", 0.002),
    ],
)
def test_modelica_references(name: str, file: str, step: float) -> None:
    """The references are DASSL at 1e-6: every signal to 1e-3 of its range."""
    with (DATA / file).open(encoding="utf-8") as stream:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(stream)]
    times = np.array([row["time"] for row in rows])
    columns = [column for column in rows[0] if column != "time"]
    model = example(name)
    fmu = exported(model, ExportOptions("aac")).path
    outputs = [column.replace(".", "_") for column in columns]
    run = simulate_fmu(fmu, stop=model.experiment.stop, step=step, outputs=outputs, parameters=TIGHT)
    for column, output in zip(columns, outputs, strict=True):
        published = np.array([row[column] for row in rows])
        ours = np.interp(times, run.times, run.values[output])
        assert np.abs(ours - published).max() <= 1e-3 * np.ptp(published), column


def test_a_switch_whose_cause_hangs_on_it_does_not_go_to_and_fro() -> None:
    """Either law of a diode puts its voltage at the edge between them up to rounding, on the wrong side."""
    values = {
        "amplitude": 13.491916533952477,
        "frequency": 50.574789511484944,
        "source_resistance": 0.3528946719513518,
        "smoothing": 0.0013789226306895484,
        "load_resistance": 58.830052894934596,
        "saturation": 7.373546708559975e-07,
        "thermal": 0.04568881133976094,
    }
    model = example("rectifier")
    fmu = exported(model, ExportOptions("aac")).path
    verification = verify_fmu(model, fmu, stop=0.01, parameters=values)
    assert verification.passed, verification.problems


@pytest.mark.parametrize("seed", [7, 41, 112])
def test_random_networks_as_fmus(seed: int) -> None:
    """From rest, every voltage and current to 1e-6 after a second; dependent storages included."""
    network = Generator(seed)
    assert network.reduced
    fmu = exported(model_of(network.edges), ExportOptions("aac")).path
    nodal = NodalAnalysis(network.edges)
    y, rates = nodal.run(np.zeros(len(nodal.E)), 1.0, 250)
    expected = nodal.told(y, rates, 1.0)
    run = simulate_fmu(fmu, stop=1.0, step=0.1, outputs=list(expected), parameters=TIGHT)
    scale = max(abs(value) for value in expected.values())
    for name, value in expected.items():
        assert abs(run.values[name][-1] - value) <= 1e-6 * scale, name


def ladder(cells: int) -> str:
    """A model file of a chain of RC cells behind a source."""

    def lines() -> Iterator[str]:
        yield '[model]\nname = "Ladder"\n[experiment]\nstop = 0.5\nstep = 0.1\n[inputs]\nu = { start = 1.0 }'
        yield '[parameters]\nR = { value = 1.0, unit = "Ohm" }\nC = { value = 0.01, unit = "F" }'
        yield '[electrical.source]\ntype = "voltage_source"\nfrom = "n0"\nto = "ground"\nvoltage = "u"'
        for cell in range(1, cells + 1):
            ends = f'from = "n{cell - 1}"\nto = "n{cell}"'
            yield f'[electrical.R{cell}]\ntype = "resistor"\n{ends}\nresistance = "R"'
            ends = f'from = "n{cell}"\nto = "ground"'
            yield f'[electrical.C{cell}]\ntype = "capacitor"\n{ends}\ncapacitance = "C"'
        yield f'[outputs]\nfirst = "C1.v"\nfifth = "C5.v"\nlast = "C{cells}.v"'

    return "\n".join(lines())


@pytest.mark.slow
def test_a_long_ladder_runs() -> None:
    """A thousand cells: exported, and every voltage and current as the reference has it."""
    model = parse_model(ladder(1000), "ladder")
    fmu = exported(model, ExportOptions("aac")).path
    verification = verify_fmu(model, fmu)
    assert verification.passed, verification.problems[:3]
    assert len(verification.components) == 2 * 2001


@pytest.mark.slow
def test_the_cost_of_a_ladder_is_linear() -> None:
    """Twice the cells: at most 2.3 times the operations of a right-hand side and the length of the code."""
    small, large = (
        Compilation(parse_model(ladder(cells), "ladder"), ExportOptions("aac")) for cells in (1000, 2000)
    )
    assert large.program.right_hand_side.total <= 2.3 * small.program.right_hand_side.total
    assert len(large.sources["model.c"]) <= 2.3 * len(small.sources["model.c"])
    assert large.program.network.blocks == ()


FILLED = """
[model]
name = "Filled"

[electrical.source]
type = "current_source"
from = "ground"
to = "a"
current = 1

[electrical.store]
type = "capacitor"
from = "a"
to = "ground"
capacitance = 2

[start]
steady = true
"""


def test_a_start_that_is_never_steady_is_refused_by_the_fmu() -> None:
    export = exported(parse_model(FILLED, "filled.toml"), ExportOptions("aac"))
    with pytest.raises(SimulationError, match="does not come to rest"):
        simulate_fmu(export.path, stop=1.0, step=0.5, outputs=["store.v"])
