"""One statement: all commands and the FMU agree on coordinates, closure and iteration."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from fmugen.cli import app
from fmugen.errors import CompileError
from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions, FmiVersion, InterfaceType, Solver
from fmugen.ir.trial import TrialRun
from fmugen.phases import compile as compile_phase
from fmugen.phases.read import read_model
from fmugen.pipeline import Compilation, export_fmu
from fmugen.trial import try_motion
from fmugen.verify.simulate import simulate_fmu
from fmugen.view.report import documentation_page
from tests.support import EXAMPLES, example, fact

#: A crank that turns over, so that its slide passes dead centres.
CRANK = """
[model]
name = "Crank"
gravity = [0, -9.81]
[experiment]
stop = 2
step = 0.01
[ground]
points = { O = [0, 0] }
[bodies.crank]
mass = 1
inertia = 0.01
points = { O = [-0.1, 0], B = [0.1, 0] }
[bodies.rod]
mass = 0.5
inertia = 0.01
points = { B = [-0.3, 0], C = [0.3, 0] }
[bodies.slider]
mass = 1
inertia = 0.01
[joints]
bearing = { type = "revolute", from = "ground.O", to = "crank.O" }
pin = { type = "revolute", from = "crank.B", to = "rod.B" }
wrist = { type = "revolute", from = "slider", to = "rod.C" }
guide = { type = "prismatic", from = "ground.O", to = "slider", axis = [1, 0] }
[start.fixed]
"bearing.angle" = 0.5
"bearing.omega" = 12
[start.guess]
"guide.s" = 0.75
"rod.angle" = -0.2
[trees.slide]
rotation = ["bearing", "wrist", "guide"]
translation = ["bearing", "wrist", "guide"]
"""

#: A torque that an input gives.
PUSHED = """
[inputs]
push = { start = 0, unit = "N.m" }
[forces]
motor = { type = "torque", on = "crank", value = "push" }
"""

#: A force along the line from the frame to the slider.
PULLED = """
[springs]
pull = { type = "translational", from = "ground.O", to = "slider", stiffness = 40, free = 0.6 }
"""

#: A dyad whose end is driven out of reach at t = 0.4.
OVERREACHING = """
[model]
name = "Overreaching"
[experiment]
stop = 1
step = 0.01
[ground]
points = { O = [0, 0] }
[bodies.upper]
mass = 1
inertia = 0.1
points = { O = [0, 0], B = [0.6, 0] }
[bodies.lower]
mass = 1
inertia = 0.1
points = { B = [0, 0], C = [0.6, 0] }
[bodies.cart]
mass = 1
inertia = 0.1
[joints]
a = { type = "revolute", from = "ground.O", to = "upper.O" }
b = { type = "revolute", from = "upper.B", to = "lower.B" }
c = { type = "revolute", from = "cart", to = "lower.C" }
guide = { type = "prismatic", from = "ground.O", to = "cart", axis = [1, 0] }
[drivers]
pull = { type = "translation", from = "ground.O", to = "cart", axis = [1, 0], value = "1 + 0.5*time" }
[start.guess]
"upper.angle" = 0.58
"lower.angle" = -0.58
"guide.s" = 1
"""


def said(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="fmugen")
    assert result.exit_code == 0, result.output
    return result.stdout


def page_fact(text: str, name: str) -> str:
    """The cell beside the first that has this name."""
    found = re.search(rf"<tr><td>{name}</td><td[^>]*>(.*?)</td></tr>", text)
    assert found is not None, name
    return html.unescape(found[1])


def written(folder: Path, text: str) -> Path:
    path = folder / "model.toml"
    path.write_text(text, encoding="utf-8")
    return path


def iterating_points(fmu: Path, stop: float, step: float) -> tuple[int, int]:
    """The points at which the FMU reports iterations, and how many there are in all."""
    run = simulate_fmu(fmu, stop=stop, step=step, outputs=["closure.iterations"])
    return int(np.sum(run.values["closure.iterations"] > 0)), len(run.times)


# --- all commands ---------------------------------------------------------------------------------


def agree(path: Path, folder: Path, *options: str) -> str:
    """What check, closure, export and the page of the FMU say of iteration, which must be one sentence."""
    fmu = folder / "x.fmu"
    shown = said("closure", path, *options)
    exported = said("export", path, "-o", fmu, *options)
    iteration, independent = fact(shown, "iteration"), fact(shown, "independent")
    sentence = fact(shown, "closure")
    for text in (exported, said("check", path, *options)):
        assert fact(text, "independent") == independent
        assert fact(text, "iteration") == iteration
        assert fact(text, "closure") == f"triangular: {sentence}"
    assert fact(exported, "longest step") == fact(shown, "longest step")
    assert fact(exported, "worst internal step") == fact(shown, "worst internal step")
    made = Compilation(read_model(path), ExportOptions(*options[1:2]))
    first = made.flow.sets[0].independent
    assert (", ".join(made.program.coordinate_names[k] for k in first) or "none") == independent
    assert made.measured_closure.sentence == sentence
    experiment = read_model(path).experiment
    counted = iterating_points(fmu, experiment.stop, experiment.step)
    assert counted == (made.trial.points_with_iteration, made.trial.points)
    return iteration


@pytest.mark.parametrize(
    "name",
    ["slider_crank", *(pytest.param(n, marks=pytest.mark.slow) for n in ("four_bar", "quick_return"))],
)
def test_commands_agree_on_motions_that_never_iterate(name: str, tmp_path: Path) -> None:
    """With the default trees, which are measured."""
    path = EXAMPLES / name / "model.toml"
    iteration = agree(path, tmp_path)
    points = round(read_model(path).experiment.stop / read_model(path).experiment.step) + 1
    assert iteration.startswith(f"none at {points} points")
    assert fact(said("closure", path), "closure").endswith(", no iteration")


@pytest.mark.parametrize(
    "addition",
    [pytest.param("", id="free", marks=pytest.mark.slow), pytest.param(PULLED, id="with a line force")],
)
def test_commands_agree_where_the_independent_coordinate_passes_dead_centres(
    addition: str, tmp_path: Path
) -> None:
    """The slide has two dead centres a turn; near them other coordinates are taken, or loops iterated."""
    independent = '[closure]\nindependent = ["guide.s"]\n'
    path = written(tmp_path, CRANK + addition + independent)
    iteration = agree(path, tmp_path, "--trees", "slide")
    assert re.match(r"\d+ of 201 points, .* t = ", iteration)
    assert "bearing.angle" in iteration
    text = said("closure", path, "--trees", "slide")
    assert "no iteration" not in text
    assert "nothing iterates" not in text
    assert re.search(r"^ changes of coordinates +[1-9]", text, re.MULTILINE)
    other = written(tmp_path, CRANK + addition)
    assert fact(said("closure", other, "--trees", "slide"), "closure").endswith(", no iteration")


def test_commands_agree_on_singular_positions(tmp_path: Path) -> None:
    """Parallelograms line up: there guards fail, and the motion is a limit."""
    iteration = agree(EXAMPLES / "n_four_bar" / "model.toml", tmp_path, "--trees", "aac")
    assert re.match(r"\d+ of 1001 points", iteration)


@pytest.mark.parametrize("closure", ["newton", "newton-all"])
def test_a_closure_by_iteration_says_so(closure: str, tmp_path: Path) -> None:
    path, fmu = EXAMPLES / "four_bar" / "model.toml", tmp_path / "x.fmu"
    options = ("--trees", "aac", "--closure", closure)
    shown, exported = said("closure", path, *options), said("export", path, "-o", fmu, *options)
    points, of = iterating_points(fmu, 2.0, 0.005)
    assert points > 0
    assert fact(shown, "iteration") == fact(exported, "iteration")
    assert fact(shown, "iteration").startswith(f"{points} of {of} points")
    assert f"Newton iteration at {points} of {of} points" in fact(shown, "closure")


def test_the_report_says_what_export_says(tmp_path: Path) -> None:
    path, page = EXAMPLES / "slider_crank" / "model.toml", tmp_path / "x.html"
    said("report", path, "-o", page, "--trees", "row6", "--stop", "0.05")
    text, shown = page.read_text(encoding="utf-8"), said("closure", path, "--trees", "row6")
    for name in ("iteration", "worst evaluation", "worst internal step", "longest step"):
        assert page_fact(text, name) == fact(shown, name)
    assert page_fact(text, "independent coordinates") == fact(shown, "independent")
    assert page_fact(text, "closure") == f"triangular: {fact(shown, 'closure')}"


def test_trees_have_one_default() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    defaults = {
        name: parameter.default
        for name, command in commands.items()
        for parameter in command.params
        if "--trees" in parameter.opts
    }
    assert {"check", "closure", "export", "report", "verify"} <= set(defaults)
    assert set(defaults.values()) == {ExportOptions().trees} == {"cheapest"}


# --- what is not measured, or not whole -------------------------------------------------------------


def test_without_a_compiler_nothing_is_said_of_iteration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise CompileError("no C compiler for this machine was found")

    monkeypatch.setattr(compile_phase, "find_compiler", missing)
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path))
    text = said("closure", EXAMPLES / "four_bar" / "model.toml", "--trees", "aac")
    assert fact(text, "iteration") == "not measured: no C compiler for this machine was found"
    assert fact(text, "closure").endswith("; where it iterates was not measured")
    assert "no iteration" not in text
    assert "bounded cost" not in text


def test_a_run_that_stops_early_says_when(tmp_path: Path) -> None:
    text = said("closure", written(tmp_path, OVERREACHING), "--trees", "aac")
    stopped = re.search(r"the run stops after t = (\S+) s: t = ", fact(text, "iteration"))
    assert stopped is not None
    assert float(stopped[1]) == pytest.approx(0.39, abs=0.011)
    assert not fact(text, "closure").endswith("no iteration")


def test_a_model_whose_fmu_does_not_start_is_not_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = TrialRun(1.0, problem="t = 0 s: loop a stays open", refused=True)
    monkeypatch.setattr("fmugen.pipeline.try_motion", lambda *_: refusal)
    result = CliRunner().invoke(app, ["check", str(EXAMPLES / "pendulum" / "model.toml"), "--trees", "aac"])
    assert result.exit_code == 1
    assert "the FMU does not start: t = 0 s: loop a stays open" in result.stderr
    assert "sound" not in result.stdout


def test_an_fmu_for_model_exchange_alone_is_tried_as_well() -> None:
    options = ExportOptions("aac", interfaces=(InterfaceType.MODEL_EXCHANGE,))
    alone, both = (
        Compilation(example("four_bar"), options),
        Compilation(example("four_bar"), ExportOptions("aac")),
    )
    assert alone.trial.points == both.trial.points == 401
    assert alone.trial.iterations == both.trial.iterations == 0


# --- the run itself -------------------------------------------------------------------------------


def test_iterations_between_communication_points_count() -> None:
    """With long communication steps dead centres lie between points, where a point alone shows nothing."""
    model = example("n_four_bar")
    rough = replace(model, experiment=replace(model.experiment, step=0.5))
    fine, coarse = (Compilation(each, ExportOptions("aac")).trial for each in (model, rough))
    assert coarse.points == 21
    assert coarse.points_with_iteration >= 5
    assert len(fine.spans) >= coarse.points_with_iteration - 2
    assert {part.why for part in fine.parts} >= {"a guard of a step fails"}


@pytest.mark.parametrize("fmi", list(FmiVersion))
def test_inputs_between_steps_do_not_hide_iterations(fmi: FmiVersion, tmp_path: Path) -> None:
    """Inputs that are set between steps cause a further evaluation, whose iterations are added."""
    path = written(tmp_path, CRANK + PUSHED)
    options = ExportOptions("aac", Closure.NEWTON, fmi=fmi)
    fmu = export_fmu(read_model(path), tmp_path / "x.fmu", options).path
    counts = [
        simulate_fmu(fmu, stop=0.2, step=0.01, outputs=["closure.iterations"], inputs=inputs).values
        for inputs in ({}, {"push": lambda time: 1e-9 * time})
    ]
    held, pushed = (each["closure.iterations"][1:] for each in counts)
    assert np.all(held > 0)
    assert np.all(pushed >= held)


def test_times_and_counts_of_a_run() -> None:
    model = Compilation(example("four_bar"), ExportOptions("aac", solver=Solver.RK4))
    trial = model.trial
    assert trial.steps == trial.points - 1 == 400
    assert trial.evaluations >= 4 * trial.steps
    assert 0.0 < trial.mean_seconds <= trial.worst_seconds < 0.1
    assert trial.is_complete
    again = try_motion(model.sources, model.program, example("four_bar").experiment)
    assert again == trial, "kept in the cache, times included"


def test_the_unknowns_that_iterate_are_named() -> None:
    trial = Compilation(example("four_bar"), ExportOptions("aac", Closure.NEWTON)).trial
    [part] = trial.parts
    assert part.unknowns == trial.unknowns == ("m2.angle", "m3.angle")
    assert part.loops[0].startswith("loop ")
    assert part.why == "there are no exact steps"
    assert trial.spans[-1][1] == 2.0


def test_the_page_of_an_fmu_does_not_depend_on_how_long_steps_take() -> None:
    """Else the same model would give another FMU every time."""
    pages = []
    for factor in (1.0, 2.0):
        generated = Compilation(example("pendulum"), ExportOptions("aac"))
        trial = replace(generated.trial, worst_seconds=factor, worst_time=factor, mean_seconds=factor)
        vars(generated)["trial"] = trial
        pages.append(documentation_page(generated))
    assert pages[0] == pages[1]
    assert "none at 1001 points" in pages[0]
