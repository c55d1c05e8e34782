"""Compilation C: clean under the strictest warnings, and cut into chunks that compilers can take."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import fmpy
import pytest

from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.emit import functions, parts
from fmugen.phases.read import model_from_tables
from fmugen.pipeline import Compilation, export_fmu
from fmugen.resources import template_dir
from fmugen.verify.simulate import simulate_fmu
from tests.runtime.conftest import STRICT, compiler
from tests.support import example

HEADERS = Path(fmpy.__file__).parent / "c-code"


def part(kind: str, tail: str, head: str, **values: object) -> dict[str, object]:
    return {"type": kind, "from": tail, "to": head, **values}


def ladder(cells: int, last: dict[str, object] | None = None) -> SystemModel:
    parts: dict[str, object] = {"V": part("voltage_source", "n0", "ground", voltage="u")}
    for k in range(1, cells + 1):
        parts[f"R{k}"] = part("resistor", f"n{k - 1}", f"n{k}", resistance="1 + time")
        parts[f"C{k}"] = part("capacitor", f"n{k}", "ground", capacitance="C")
    if last is not None:
        parts["last"] = last
    tables = {"model": {"name": "M"}, "inputs": {"u": {}}, "parameters": {"C": 1.0}, "electrical": parts}
    return model_from_tables(tables, "test")


@pytest.mark.parametrize(
    "model",
    [ladder(1), ladder(2, part("diode", "n2", "ground")), ladder(150)],
    ids=["states", "iterated", "chunks"],
)
def test_generated_code_compiles_without_a_warning(model: SystemModel, tmp_path: Path) -> None:
    sources = Compilation(model, ExportOptions("aac")).sources
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    folders = (tmp_path, template_dir() / "runtime", HEADERS)
    command = [compiler(), *STRICT, *(f"-I{folder}" for folder in folders), "-fsyntax-only"]
    done = subprocess.run([*command, str(tmp_path / "model.c")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def bare_rod() -> SystemModel:
    rod = {"mass": 1.0, "inertia": 0.1, "points": {"A": [0, 0.5]}}
    pin = part("revolute", "ground.O", "rod.A")
    ground = {"points": {"O": [0, 0]}}
    tables = {"model": {"name": "M"}, "ground": ground, "bodies": {"rod": rod}, "joints": {"pin": pin}}
    return model_from_tables(tables, "test")


def bare_network(**more: object) -> SystemModel:
    parts = {
        "V": part("voltage_source", "a", "ground", voltage="sin(time)"),
        "R": part("resistor", "a", "ground", resistance=2.0),
        **more,
    }
    return model_from_tables({"model": {"name": "M"}, "electrical": parts}, "test")


def compile_all(model: SystemModel, folder: Path, *command: str) -> None:
    """Compile the code of a model without parameters, and the runtime, with warnings as errors."""
    sources = Compilation(model, ExportOptions("aac")).sources
    assert "#define MODEL_NP 0" in sources["model.h"]
    for name, text in sources.items():
        (folder / name).write_text(text)
    runtime = template_dir() / "runtime"
    units = [str(folder / "model.c"), *map(str, sorted(runtime.glob("*.c")))]
    line = [*command, *(f"-I{place}" for place in (folder, runtime, HEADERS)), *units]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "model",
    [bare_rod(), bare_network(), bare_network(C=part("capacitor", "a", "ground", capacitance=1.0))],
    ids=["body", "stateless", "network"],
)
def test_a_model_without_parameters_compiles_without_a_warning(model: SystemModel, tmp_path: Path) -> None:
    """Nor inputs and outputs: sizes of zero, which make comparisons with constants that are always true."""
    compile_all(model, tmp_path, compiler(), *STRICT, "-fsyntax-only")


def test_the_compiler_for_all_platforms_warns_of_nothing(tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="ziglang is not installed")
    # Headers of the standard have declarations without prototypes, which this compiler calls pedantic.
    flags = [flag for flag in STRICT if flag not in ("-Wpedantic", "-O2")]
    compile_all(bare_rod(), tmp_path, sys.executable, "-m", "ziglang", "cc", *flags, "-O0", "-c")


def test_names_of_the_model_are_never_names_of_c(tmp_path: Path) -> None:
    """Macros of C libraries and of the runtime, equal names in capitals, keywords, letters of the code."""
    names = ["null", "NAN", "M_PI", "overflow", "entry", "model_nq", "R", "r", "double", "p", "w0", "sin_rod"]
    rod = {"mass": "+".join(names), "inertia": 0.1, "points": {"A": [0, 0.5]}}
    pin = part("revolute", "ground.O", "rod.A")
    tables = {
        "model": {"name": "M"},
        "parameters": {name: {"value": 1.0, "unit": "kg"} for name in names},
        "ground": {"points": {"O": [0, 0]}},
        "bodies": {"rod": rod},
        "joints": {"pin": pin},
    }
    sources = Compilation(model_from_tables(tables, "test"), ExportOptions("aac")).sources
    parameters = constants(sources["model.c"], "Parameters p")
    assert parameters[:8] == ["NULL_2", "NAN_2", "M_PI_3", "OVERFLOW_2", "ENTRY_2", "N_MODEL_NQ", "R", "R_2"]
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    folders = (tmp_path, template_dir() / "runtime", HEADERS)
    line = [
        compiler(),
        *STRICT,
        *(f"-I{folder}" for folder in folders),
        "-fsyntax-only",
        str(tmp_path / "model.c"),
    ]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["rectifier", "slider_crank"])
def test_functions_with_nothing_to_compute_are_one_line(name: str) -> None:
    sources = Compilation(example(name), ExportOptions("aac")).sources
    bodies = re.findall(r"^[a-z][^\n]*\) \{\n(.*?)^\}", sources["model.c"], re.M | re.S)
    assert len(bodies) > 8
    assert all(re.search(r"\] = |return true", body) for body in bodies)
    absent, result = ("model_constraints", "phi") if name == "rectifier" else ("model_derivatives", "dx")
    assert re.findall(rf"^.*\b{absent}\b.*$", sources["model.c"], re.M) == [
        f"void {absent}(const ModelPoint *at, double *{result}) {{ (void)at, (void){result}; }}"
    ]


def test_the_motion_says_what_it_computes() -> None:
    text = Compilation(example("five_bar"), ExportOptions("aac")).sources["model.c"]
    motion = text[text.index("model_motion(") :]
    headings = re.findall(r"^    /\* (\w+ \w+)", motion[: motion.index("\n}")], re.M)
    assert headings[0] == "velocities from"
    assert headings[1:] == ["reduced mass", "accelerations of", "accelerations of", "multipliers of"]
    assert "/* reduced mass of " in motion


def test_long_equations_of_motion_are_cut_into_parts_with_the_same_motion(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Through dead centres, where guards of a part speak for the whole."""
    texts, outputs = [], []
    for name, longest in (("whole", 8_000), ("parts", 100)):
        monkeypatch.setattr(functions, "LONGEST_MOTION", longest)
        monkeypatch.setattr(parts, "LONGEST_FUNCTION", longest)
        model = example("four_bar")
        made = export_fmu(model, tmp_path / f"{name}.fmu", ExportOptions("aac"))
        texts.append(made.compilation.sources["model.c"])
        shown = [output.name for output in model.outputs]
        run = simulate_fmu(made.path, stop=2.0, step=0.01, outputs=shown)
        outputs.append(run.values)
    assert "model_motion_2(" not in texts[0]
    assert "model_motion_2(" in texts[1]
    for name, values in outputs[0].items():
        assert outputs[1][name].tolist() == values.tolist(), name


def test_no_function_of_a_long_ladder_is_long() -> None:
    text = Compilation(ladder(150), ExportOptions("aac")).sources["model.c"]
    bodies = re.findall(r"^(?:static )?void model_\w+\([^\n]*\) \{\n(.*?)^\}", text, re.M | re.S)
    plain = [re.sub(r"/\*.*?\*/|\[\w+\]|along->", "", body) for body in bodies]
    words = [len(re.findall(r"[A-Za-z]\w*|\d+\.\d+", body)) for body in plain]
    assert 1_000 < max(words) <= 2_500
    assert "model_outputs_1(at, y, w);" in text


def test_the_code_of_a_ladder_grows_with_its_length() -> None:
    lengths = [
        len(Compilation(ladder(cells), ExportOptions("aac")).sources["model.c"]) for cells in (60, 120)
    ]
    assert lengths[1] < 2.2 * lengths[0]


def constants(text: str, title: str) -> list[str]:
    """The constants that name the elements of a vector, in order."""
    found = re.search(rf"/\* {title}.*?\*/\nenum \{{\n(.*?)\n\}};", text, re.S)
    assert found
    return re.findall(r"^    (\w+)", found[1], re.M)


@pytest.mark.parametrize("name", ["four_bar", "three_rrr", "stewart_gough"])
def test_rows_of_the_jacobian_list_all_that_is_not_zero(name: str) -> None:
    """Independent coordinates are judged by these entries alone."""
    generated = Compilation(example(name), ExportOptions("aac"))
    text = generated.sources["model.c"]
    coordinates, rows = (constants(text, title) for title in ("Coordinates q", "Constraints phi"))
    body = "".join(re.findall(r"void model_jacobian(?:_\d+)?\([^\n]*\) \{\n(.*?)^\}", text, re.M | re.S))
    entries = re.findall(r"phi_q\[ENTRY\((\w+), (\w+)\)\] = ([^;]+);", body)
    written = {
        (rows.index(row), coordinates.index(column)) for row, column, value in entries if value != "0.0"
    }
    begins, columns = (
        [int(value) for value in re.findall(r"-?\d+", listed)]
        for listed in re.findall(r"const int model_row_(?:begin|columns)\[\] = \{(.*?)\};", text, re.S)
    )
    listed_rows = [columns[begin:end] for begin, end in pairwise(begins)]
    assert [(i, column) for i, row in enumerate(listed_rows) for column in row] == sorted(written)
    assert len(listed_rows) == len(generated.program.constraint_names)
