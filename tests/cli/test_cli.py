"""The command line as a user meets it: results, exit codes, and errors in sentences."""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from fmugen import __version__
from fmugen.cli import app

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PENDULUM = str(EXAMPLES / "pendulum" / "model.toml")
SLIDER_CRANK = str(EXAMPLES / "slider_crank" / "model.toml")

# A parallelogram with a third crank: one constraint more than the motion needs.
PARALLELOGRAM = """
[model]
name = "Parallelogram"
[ground]
points = { A = [0, 0], B = [1, 0], C = [2, 0] }
[bodies.left]
mass = 1
inertia = 0.1
points = { bottom = [-0.5, 0], top = [0.5, 0] }
[bodies.middle]
mass = 1
inertia = 0.1
points = { bottom = [-0.5, 0], top = [0.5, 0] }
[bodies.right]
mass = 1
inertia = 0.1
points = { bottom = [-0.5, 0], top = [0.5, 0] }
[bodies.coupler]
mass = 1
inertia = 0.1
points = { left = [-1, 0], middle = [0, 0], right = [1, 0] }
[joints]
a = { type = "revolute", from = "ground.A", to = "left.bottom" }
b = { type = "revolute", from = "ground.B", to = "middle.bottom" }
c = { type = "revolute", from = "ground.C", to = "right.bottom" }
d = { type = "revolute", from = "left.top", to = "coupler.left" }
e = { type = "revolute", from = "middle.top", to = "coupler.middle" }
f = { type = "revolute", from = "right.top", to = "coupler.right" }
[start.fixed]
"a.angle" = 1.0
[start.guess]
"b.angle" = 1.0
"c.angle" = 1.1
"""


class Outcome:
    """What a command left behind: its exit code and its two streams."""

    def __init__(self, *arguments: str) -> None:
        result = CliRunner().invoke(app, list(arguments), prog_name="fmugen")
        # Anything but an exit is a traceback on the user's screen.
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        self.code = result.exit_code
        self.out = result.stdout
        self.err = result.stderr


def rows_of(text: str) -> dict[str, list[str]]:
    """Lines of a table by their first word."""
    return {words[0]: words[1:] for words in map(str.split, text.splitlines()) if words}


@pytest.fixture(scope="module")
def pendulum_fmu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fmu") / "pendulum.fmu"
    outcome = Outcome("export", PENDULUM, "-o", str(path))
    assert outcome.code == 0, outcome.err
    return path


# --- the program ----------------------------------------------------------------------------------


def test_version() -> None:
    assert Outcome("--version").out == f"fmugen {__version__}\n"


def test_help_names_every_command() -> None:
    out = Outcome("--help").out
    for command in ("check", "graph", "equations", "export", "simulate", "verify"):
        assert command in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("check",),
        ("equations", SLIDER_CRANK, "--format", "word"),
        ("export", PENDULUM, "--closure", "glue"),
        ("export", PENDULUM, "--step", "-1"),
        ("export", PENDULUM, "--step", "nan"),
        ("simulate", PENDULUM, "--stop", "0"),
        ("simulate", PENDULUM, "--plot", "plot.pdf"),
        ("verify", PENDULUM, "--tolerance", "inf"),
        ("verify", PENDULUM, "--plot", "plot.png"),
    ],
)
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...]) -> None:
    outcome = Outcome(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err


def test_help_starts_fast(tmp_path: Path) -> None:
    """CPU seconds of the whole process, the best of four: a busy machine must not decide.

    As for a user, Python compiles the modules in the first run only.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def cpu_seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "fmugen", "--help"],
            env=environment,
            check=True,
            capture_output=True,
            timeout=60,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(cpu_seconds() for _ in range(4)) < 0.3


def test_help_imports_no_numerical_library() -> None:
    code = (
        "import sys, fmugen.cli\n"
        "heavy = {'numpy', 'sympy', 'networkx', 'scipy', 'fmpy', 'plotly', 'lxml', 'pydantic', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_interruption_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fmugen.cli.check.check_model", interrupted)
    outcome = Outcome("check", PENDULUM)
    assert outcome.code == 130
    assert outcome.err == "interrupted\n"


# --- model errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "graph", "equations", "export", "simulate", "verify"])
def test_a_missing_file_is_a_model_error(command: str, tmp_path: Path) -> None:
    outcome = Outcome(command, str(tmp_path / "none.toml"))
    assert outcome.code == 1
    assert outcome.out == ""
    assert "there is no such file" in outcome.err


def test_a_folder_or_a_broken_file_is_a_model_error(tmp_path: Path) -> None:
    assert "is a directory" in Outcome("check", str(tmp_path)).err
    broken = tmp_path / "broken.toml"
    broken.write_text("[model\n", encoding="utf-8")
    outcome = Outcome("check", str(broken))
    assert outcome.code == 1
    assert "not TOML" in outcome.err
    broken.write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in Outcome("check", str(broken)).err


def test_all_problems_of_a_file_are_printed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(
        '[model]\nname = "X"\n[bodies.b]\nmas = 1\ninertia = "J"\n'
        '[joints.j]\ntype = "revolute"\nfrom = "ground"\nto = "c"\n',
        encoding="utf-8",
    )
    outcome = Outcome("check", str(path))
    assert outcome.code == 1
    assert "did you mean 'mass'?" in outcome.err
    assert "'J'" in outcome.err
    assert "'c'" in outcome.err
    assert "model.toml:4" in outcome.err


def test_every_tree_of_the_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(
        PARALLELOGRAM
        + '[trees.short]\ntranslation = ["a"]\nrotation = ["left"]\n'
        + '[trees.odd]\ntranslation = ["b"]\nrotation = ["middle"]\n',
        encoding="utf-8",
    )
    outcome = Outcome("check", str(path))
    assert outcome.code == 1
    assert "trees.short" in outcome.err
    assert "trees.odd" in outcome.err


def test_unknown_trees_are_named_with_the_choices() -> None:
    outcome = Outcome("equations", SLIDER_CRANK, "--trees", "oak")
    assert outcome.code == 1
    assert "'oak'" in outcome.err
    assert "mcphee" in outcome.err


# --- check ----------------------------------------------------------------------------------------


def test_check_summarizes_the_mechanism() -> None:
    outcome = Outcome("check", SLIDER_CRANK)
    assert outcome.code == 0, outcome.err
    rows = rows_of(outcome.out)
    assert rows["degrees"] == ["of", "freedom", "1"]
    assert rows["Grübler's"] == ["count", "1"]
    assert rows["ac"] == ["9", "8", "17"]
    assert rows["aac"] == ["2", "1", "3"]
    assert rows["cheapest"] == ["2", "1", "3", "chosen"]
    phases = [line.split()[0] for line in outcome.err.splitlines()]
    assert phases == ["trees", "formulate", "closure", "lower", "emit", "trial"]
    assert outcome.out.index("bodies") < outcome.out.index("independent")
    assert "start positions: fixed (1 degree of freedom)" in outcome.out
    assert "assembly moved the guesses" in outcome.out


def test_check_counts_the_equations_of_the_squeezer() -> None:
    """McPhee, Table 5."""
    rows = rows_of(Outcome("check", str(EXAMPLES / "andrews" / "model.toml"), "--trees", "aac").out)
    assert [int(rows[trees][2]) for trees in ("ac", "jc", "aac")] == [41, 13, 13]


def test_check_explains_redundant_constraints(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(PARALLELOGRAM, encoding="utf-8")
    outcome = Outcome("check", str(path), "--trees", "aac")
    assert outcome.code == 0, outcome.err
    rows = rows_of(outcome.out)
    assert rows["degrees"] == ["of", "freedom", "1"]
    assert re.search(r"^ *Grübler's count +0 *$", outcome.out, re.MULTILINE)
    assert "Grübler's count is 1 too low" in outcome.out
    assert "redundant constraint, left out: translation circuit" in outcome.out
    assert "  c.angle by -0.1" in outcome.out
    assert "start velocities: 0 of 1 degree of freedom fixed" in outcome.out


# --- graph ----------------------------------------------------------------------------------------


def test_graph_lists_edges_with_their_place_in_the_trees() -> None:
    outcome = Outcome("graph", SLIDER_CRANK, "--trees", "mcphee", "--matrices")
    assert outcome.code == 0
    translation, _, rotation = outcome.out.partition("R-graph")
    assert rows_of(translation.split("incidence")[0])["s11"] == ["prismatic", "ground.O", "->", "m3", "chord"]
    assert rows_of(rotation.split("incidence")[0])["m1"] == [
        "body",
        "ground",
        "->",
        "m1",
        "branch",
        "m1.angle",
    ]
    for title in ("incidence matrix A, 9 x 16", "f-cutset matrix", "f-circuit matrix"):
        assert title in translation


def test_graph_drawing_shows_every_edge_once(tmp_path: Path) -> None:
    path = tmp_path / "graphs.svg"
    assert Outcome("graph", SLIDER_CRANK, "--svg", str(path)).code == 0
    root = ElementTree.parse(path).getroot()
    namespace = {"svg": "http://www.w3.org/2000/svg"}
    titles = [title.text for title in root.iterfind("svg:path/svg:title", namespace)]
    assert len(titles) == 16 + 7
    assert "h9: revolute, branch" in titles
    assert "h9: revolute, chord" in titles
    assert list(tmp_path.iterdir()) == [path]


# --- equations ------------------------------------------------------------------------------------


def test_equations_as_text_say_where_they_come_from() -> None:
    out = Outcome("equations", SLIDER_CRANK, "--trees", "mcphee").out
    assert (
        "Phi[s11, normal] = crank_length*sin(m1.angle) - rod_length*cos(m2.angle)"
        "    # translation circuit s11, normal" in out
    )
    assert "**" not in out


def test_equations_as_json_are_formulas_of_the_model_language() -> None:
    from fmugen.formulas import parse

    document = json.loads(Outcome("equations", SLIDER_CRANK, "--trees", "aac", "--format", "json").out)
    assert document["model"] == "SliderCrank"
    assert [coordinate["name"] for coordinate in document["coordinates"]] == ["m1.angle", "m2.angle"]
    [constraint] = document["constraints"]
    assert set(parse(constraint["phi"]).names()) == {"crank_length", "m1.angle", "rod_length", "m2.angle"}
    assert set(constraint["jacobian"]) == {"m1.angle", "m2.angle"}
    assert constraint["origin"]["edge"] == "s11"
    for entry in document["mass"]:
        parse(entry["value"])


def test_long_equations_name_their_shared_terms() -> None:
    document = json.loads(
        Outcome("equations", str(EXAMPLES / "andrews" / "model.toml"), "--format", "json").out
    )
    assert document["terms"]
    assert max(len(coordinate["force"]) for coordinate in document["coordinates"]) < 2000


def test_equations_as_latex_are_a_balanced_document() -> None:
    out = Outcome("equations", SLIDER_CRANK, "--trees", "aac", "--format", "latex").out
    assert out.startswith("\\documentclass")
    assert out.endswith("\\end{document}\n")
    assert out.count("\\begin{align*}") == out.count("\\end{align*}") > 0
    assert out.count("{") == out.count("}")
    assert "\\theta_{\\mathrm{m1}}" in out


# --- export ---------------------------------------------------------------------------------------


def test_export_prints_phases_and_counts(tmp_path: Path) -> None:
    sources = tmp_path / "c"
    path = tmp_path / "x.fmu"
    outcome = Outcome("export", SLIDER_CRANK, "-o", str(path), "--keep-sources", str(sources))
    assert outcome.code == 0, outcome.err
    phases = [line.split()[0] for line in outcome.err.splitlines()]
    assert phases == ["read", "trees", "formulate", "closure", "lower", "emit", "compile", "trial", "pack"]
    rows = rows_of(outcome.out)
    assert rows["coordinates"][:5] == ["2", "(1", "independent,", "1", "dependent),"]
    assert rows["equations"] == ["3", "(2", "dynamic,", "1", "kinematic)"]
    assert path.is_file()
    assert {file.name for file in sources.iterdir()} == {"model.c", "model.h"}


def test_export_names_the_fmu_after_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Outcome("export", PENDULUM).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["Pendulum.fmu"]


def test_a_failed_export_leaves_nothing_and_spoils_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.fmu"
    path.write_text("kept", encoding="utf-8")
    outcome = Outcome("export", PENDULUM, "-o", str(path), "--trees", "oak")
    assert outcome.code == 1
    assert path.read_text(encoding="utf-8") == "kept"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("command", [("export", "-o"), ("verify", "--fmu"), ("simulate", "-o")])
def test_an_impossible_destination_is_refused(command: tuple[str, str], tmp_path: Path) -> None:
    name, option = command
    missing = Outcome(name, PENDULUM, option, str(tmp_path / "none" / "x.fmu"))
    assert missing.code == 1
    assert "create it first" in missing.err
    folder = Outcome(name, PENDULUM, option, str(tmp_path))
    assert folder.code == 1
    assert "it is a folder" in folder.err


# --- simulate -------------------------------------------------------------------------------------


def test_simulate_writes_what_it_shows(pendulum_fmu: Path, tmp_path: Path) -> None:
    table, page = tmp_path / "x.csv", tmp_path / "x.html"
    outcome = Outcome(
        "simulate", str(pendulum_fmu), "--stop", "1", "--step", "0.1", "-o", str(table), "--plot", str(page)
    )
    assert outcome.code == 0, outcome.err
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 11
    assert float(rows[-1]["time"]) == 1.0
    final = float(rows_of(outcome.out)["angle"][1])
    assert final == pytest.approx(float(rows[-1]["angle"]), rel=1e-5)
    assert "plotly" in page.read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv", "x.html"]


def test_simulate_sets_parameters_and_inputs(tmp_path: Path) -> None:
    fmu = tmp_path / "x.fmu"
    assert Outcome("export", SLIDER_CRANK, "-o", str(fmu)).code == 0
    signal = tmp_path / "force.csv"
    signal.write_text("time,slider_force\n0,3\n1,3\n", encoding="utf-8")

    def crank_angle(*options: str) -> float:
        outcome = Outcome("simulate", str(fmu), "--stop", "0.2", *options)
        assert outcome.code == 0, outcome.err
        return float(rows_of(outcome.out)["crank_angle"][1])

    plain = crank_angle()
    pushed = crank_angle("--input", "slider_force=3")
    assert abs(pushed - plain) > 1e-3
    assert crank_angle("--input", str(signal)) == pushed
    assert abs(crank_angle("--set", "g=0") - plain) > 1e-3


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--set", "masss=1", "did you mean"),
        ("--set", "mass", "NAME=NUMBER"),
        ("--set", "mass=heavy", "NAME=NUMBER"),
        ("--input", "wind=1", "has no input"),
    ],
)
def test_wrong_settings_are_usage_errors(pendulum_fmu: Path, option: str, value: str, words: str) -> None:
    outcome = Outcome("simulate", str(pendulum_fmu), option, value)
    assert outcome.code == 2
    assert words in " ".join(outcome.err.split())


def test_a_wrong_signal_file_is_reported_in_full(pendulum_fmu: Path, tmp_path: Path) -> None:
    signal = tmp_path / "in.csv"
    signal.write_text("time,f\n0,1\n1\n2,x\n", encoding="utf-8")
    outcome = Outcome("simulate", str(pendulum_fmu), "--input", str(signal))
    assert outcome.code == 1
    assert "in.csv:3: has 1 values, not 2" in outcome.err
    assert "in.csv:4: f: 'x' is not a number" in outcome.err


def test_a_file_that_is_no_fmu_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.fmu"
    path.write_text("no archive", encoding="utf-8")
    outcome = Outcome("simulate", str(path))
    assert outcome.code == 1
    assert "is not an FMU" in outcome.err


# --- verify ---------------------------------------------------------------------------------------


def test_verify_passes_and_keeps_what_was_asked_for(tmp_path: Path) -> None:
    fmu, plot = tmp_path / "x.fmu", tmp_path / "x.svg"
    outcome = Outcome("verify", PENDULUM, "--stop", "0.5", "--fmu", str(fmu), "--plot", str(plot))
    assert outcome.code == 0, outcome.err
    assert "passed: largest deviation" in outcome.out
    assert float(rows_of(outcome.out)["angle"][1]) < 1e-6
    assert "energy imbalance" in outcome.out
    assert fmu.is_file()
    assert plot.read_text(encoding="utf-8").startswith("<svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.fmu", "x.svg"]


# --- streams --------------------------------------------------------------------------------------


def test_a_pipe_gets_plain_text() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "fmugen", "graph", SLIDER_CRANK],
        env=environment,
        check=True,
        capture_output=True,
        timeout=60,
    )
    assert b"\x1b" not in done.stdout + done.stderr
