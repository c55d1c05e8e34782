"""Well-known mechanisms with rough guesses: trees, FMU and judge start alike, and the FMU is right."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fmugen.cli.report import ReportOptions, report_export
from fmugen.errors import SimulationError
from fmugen.evaluation import values_at_start
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import Run, simulate_fmu, simulate_runs
from fmugen.verify.verdict import Verification
from tests.models.named_mechanisms import (
    delta,
    goldberg,
    jansen,
    mcpherson,
    scissor_lift,
    seat,
    six_rss,
    wiper,
)
from tests.store import exported

TREES = ("aac", "jc", "ac")


def pose_names(model: SystemModel) -> list[str]:
    planar = model.space.value == "planar"
    kinds = ("x", "y", "angle") if planar else ("x", "y", "z", "rxx", "ryy", "rzz", "rxy", "ryz", "rzx")
    return [f"{body.name}.{kind}" for body in model.bodies for kind in kinds]


def start_of(model: SystemModel, trees: str) -> tuple[SolutionFlow, np.ndarray]:
    dae = Compilation(model, ExportOptions(trees)).formulated
    flow = solution_flow(model, dae, Closure.NEWTON)
    names = pose_names(model)
    return flow, np.array(values_at_start(model, dae, flow, [dae.quantities[name] for name in names]))


def fmu_of(model: SystemModel, trees: str = "aac") -> Path:
    return exported(model, ExportOptions(trees=trees)).path


def judged(model: SystemModel, trees: str = "aac", stop: float | None = None) -> Verification:
    return verify_fmu(model, fmu_of(model, trees), stop=stop, loose=())


STRUTS = {
    "ball": mcpherson(),
    "slide": mcpherson(strut="prismatic"),
    "cross": mcpherson(top="universal"),
    "bar": mcpherson(steering="balls"),
    "rack": mcpherson(steering="universal"),
    "rods": mcpherson(arm="rods", size=0.5),
    "rods and bar": mcpherson(arm="rods", top="universal", steering="balls", size=0.5),
    "no guesses": mcpherson(guesses={}),
}
OTHERS = {
    "goldberg": goldberg(),
    "jansen": jansen(),
    "lift": scissor_lift(),
    "high lift": scissor_lift(3),
    "seat": seat(),
    "wiper": wiper(),
    "delta": delta(),
}
ALL = STRUTS | OTHERS
ASSEMBLED_QUICKLY = {"cross", "no guesses", "jansen", "lift", "high lift", "seat", "wiper"}


@pytest.mark.slow
def test_a_strut_has_a_report(tmp_path: Path) -> None:
    model = mcpherson()
    page, source, options = tmp_path / "strut.html", tmp_path / "strut.toml", ExportOptions(trees="aac")
    source.write_text("# the page tells the digest of this file\n")
    made = exported(model, options)
    report_export(source, model, made, ReportOptions(options, page))
    text = page.read_text(encoding="utf-8")
    assert "knuckle" in text and "passed" in text


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ASSEMBLED_QUICKLY else pytest.mark.slow) for name in ALL],
)
def test_all_trees_start_in_the_same_position(name: str) -> None:
    starts = [start_of(ALL[name], trees)[1] for trees in TREES]
    for found in starts[1:]:
        np.testing.assert_allclose(found, starts[0], atol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("goldberg", marks=pytest.mark.slow),
        pytest.param("jansen", marks=pytest.mark.slow),
        *("lift", "seat", "wiper"),
    ],
)
def test_the_fmu_starts_where_the_compiler_does_and_is_right(name: str) -> None:
    model = OTHERS[name]
    fmu = fmu_of(model)
    _, expected = start_of(model, "jc")
    told = simulate_fmu(fmu, stop=0.01, step=0.01, outputs=pose_names(model))
    found = [told.values[variable][0] for variable in pose_names(model)]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    verification = verify_fmu(model, fmu, stop=0.2, loose=())
    assert verification.passed, verification.problems
    assert not verification.other_mode


@pytest.mark.slow
@pytest.mark.parametrize("trees", ["aac", "jc"])
@pytest.mark.parametrize("name", ["cross", "rods and bar", "no guesses"])
def test_struts_are_verified(name: str, trees: str) -> None:
    verification = judged(STRUTS[name], trees)
    assert verification.passed, verification.problems


def test_a_strut_is_verified() -> None:
    verification = judged(STRUTS["ball"], stop=0.1)
    assert verification.passed, verification.problems


@pytest.mark.slow
def test_a_platform_on_cranks_closes_by_its_pose() -> None:
    """The pose counts as a set of independent coordinates although Euler parameters are four."""
    model = six_rss()
    made = Compilation(model, ExportOptions(trees="jc"))
    assert all(block.steps for block in made.flow.blocks)
    verification = judged(model, "jc")
    assert verification.passed, verification.sentence


@pytest.mark.slow
def test_a_delta_robot_on_rods_is_verified() -> None:
    verification = judged(delta(), stop=0.1)
    assert verification.passed, verification.problems
    assert verification.largest < 1e-9


def test_joints_of_goldbergs_linkage_start_near_their_guesses() -> None:
    """Each angle is the one, of those that differ by whole turns, that is nearest to its guess."""
    model = goldberg()
    dae, (flow, _) = Compilation(model, ExportOptions("jc")).formulated, start_of(model, "jc")
    starts = {c.name: value for c, value in zip(dae.coordinates, flow.positions, strict=True)}
    told = simulate_fmu(fmu_of(model), stop=0.01, step=0.01, outputs=["angle"])
    assert told.values["angle"][0] == pytest.approx(starts["joint2.angle"], abs=1e-9)
    assert starts.pop("joint1.angle") == 0.5
    assert all(abs(value - 1.5) <= math.pi for value in starts.values())


# --- freedoms that no guess concerns ---------------------------------------------------------------


@pytest.mark.parametrize("trees", ["aac", "jc", "ac"])
def test_a_table_without_a_guess_is_not_upside_down(trees: str) -> None:
    """Its slot would also fit if it were turned by half a turn."""
    model = scissor_lift()
    flow, poses = start_of(model, trees)
    assert poses[pose_names(model).index("table.angle")] == pytest.approx(0.0, abs=1e-9)
    assert len(flow.distances) > 1


@pytest.mark.parametrize("trees", ["aac", "jc", "ac", "formulation"])
def test_a_spin_that_no_guess_concerns_is_not_a_mode(trees: str) -> None:
    flow, _ = start_of(mcpherson(), trees)
    near = [distance for distance in flow.distances if distance < 0.5]
    assert len(near) == 2


# --- steps that lose digits ------------------------------------------------------------------------


def test_a_strut_goes_on_where_numerator_and_denominator_of_a_step_vanish() -> None:
    """By this Euler parameter of the tie rod the others are nearly 0/0: there iteration takes over."""
    fmu = fmu_of(replace(STRUTS["bar"], independent=("mount.p3", "inner.p1", "slide.s")), "jc")
    follow_strut(fmu, 1e-9)


def test_a_strut_keeps_away_from_coordinates_that_barely_determine_the_others() -> None:
    """All sets are iterated, and those with the fewest operations are near to singular at all times."""
    made = exported(STRUTS["bar"], ExportOptions(trees="jc"))
    assert made.compilation.flow.quality > 0.9
    follow_strut(made.path, 1e-11)


def follow_strut(fmu: Path, residual: float) -> None:
    outputs = ["closure.residual", "height"]
    fixed = {"solver.method": 2, "solver.step": 0.001}
    runs = [Run(0.08, step, outputs, parameters=fixed) for step in (0.01, 0.001)]
    runs += [Run(0.08, 0.01, outputs), Run(0.08, 0.001, outputs, interface="ModelExchange", tolerance=1e-9)]
    for made in simulate_runs(fmu, runs):
        assert not isinstance(made, SimulationError), made
        assert made.values["closure.residual"].max() < residual
        assert made.values["height"][-1] == pytest.approx(0.10654636, abs=1e-7)


# --- singular positions ----------------------------------------------------------------------------


def test_a_scissor_lift_is_judged_through_its_upright_position() -> None:
    """Where all bars are upright at a sample, the table is held by a single point."""
    model = scissor_lift(2, drive="pi/2 - 0.1 + time", stop=0.2)
    verification = judged(model)
    assert verification.passed, verification.sentence
    assert verification.largest < 1e-9


def test_a_driven_wiper_is_judged_for_two_turns() -> None:
    verification = judged(wiper())
    assert verification.passed, verification.problems
