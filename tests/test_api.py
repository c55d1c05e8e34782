"""The calls of Python users: paths, texts, builders, numbers and arrays in, arrays out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fmugen
from tests.support import EXAMPLES

PENDULUM = EXAMPLES / "pendulum" / "model.toml"


def cart() -> fmugen.ModelBuilder:
    """A mass that an input pushes: x = F t^2 / (2 m)."""
    return (
        fmugen.ModelBuilder("Cart")
        .parameter("m", 2.0, "kg")
        .input("push", unit="N")
        .body("box", mass="m", inertia=1)
        .prismatic("rail", "ground", "box", axis=(1, 0))
        .force("hand", "box", ("push", 0))
        .output("x", "rail.s")
        .experiment(stop=1, step=0.1)
    )


@pytest.mark.parametrize("model", [str(PENDULUM), PENDULUM, PENDULUM.read_text(encoding="utf-8")])
def test_a_model_is_a_path_or_a_text(model: str | Path) -> None:
    assert fmugen.read(model).name == "Pendulum"


def test_numbers_functions_and_arrays_are_inputs(tmp_path: Path) -> None:
    made = fmugen.export(cart(), tmp_path / "cart.fmu", trees="aac", interfaces=["cs"])
    assert made.path.is_file()
    assert made.compilation.flow.degrees_of_freedom == 1
    times = np.linspace(0, 1, 3)
    csv = tmp_path / "push.csv"
    csv.write_text("time,push\n0,4\n1,4\n", encoding="utf-8")
    for push in (4.0, lambda time: 4.0, (times, np.full(3, 4.0))):
        found = fmugen.simulate(made.path, inputs={"push": push})
        np.testing.assert_allclose(found["x"], found.times**2, atol=1e-7)
    np.testing.assert_allclose(fmugen.simulate(made.path, inputs=csv)["x"], found["x"], atol=1e-9)
    heavy = fmugen.simulate(made.path, inputs={"push": 4}, parameters={"m": 4.0}, stop=0.5)
    np.testing.assert_allclose(heavy["x"][-1], 0.125, atol=1e-7)
    assert "<td>x</td><td>m</td>" in found._repr_html_()


def test_wrong_names_are_refused_in_words(tmp_path: Path) -> None:
    made = fmugen.export(cart(), tmp_path / "cart.fmu", trees="aac", interfaces=["cs"])
    with pytest.raises(fmugen.FmugenError, match="no input 'pusch'; did you mean"):
        fmugen.simulate(made.path, inputs={"pusch": 1})
    with pytest.raises(fmugen.FmugenError, match="no parameter 'mass'"):
        fmugen.simulate(made.path, parameters={"mass": 1})
    with pytest.raises(fmugen.FmugenError, match="increasing times"):
        fmugen.simulate(made.path, inputs={"push": ([0, 0], [1, 2])})


def test_verify_is_a_call_whatever_was_imported_before() -> None:
    """The package of the judge has the name of the call."""
    text = f"import fmugen, fmugen.verify.compare; print(fmugen.verify({str(PENDULUM)!r}, stop=0.5).passed)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
    assert fmugen.verify(PENDULUM, stop=0.2).passed


def test_importing_the_package_imports_nothing_heavy() -> None:
    text = "import sys, fmugen; print(sorted({'numpy', 'sympy', 'scipy', 'networkx'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
