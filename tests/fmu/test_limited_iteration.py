"""A fixed number of Newton steps, and FMUs that never iterate."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fmugen.cli import app
from fmugen.errors import ClosureError, RefusedError
from fmugen.expr.code import compile_python
from fmugen.ir.flow import Closure
from fmugen.ir.model import default_parameters
from fmugen.ir.options import ExportOptions, InterfaceType, Solver
from fmugen.phases.triangularize import limit_iteration
from fmugen.pipeline import Compilation
from fmugen.trial import worst_step_of
from fmugen.verify.simulate import Trajectory, simulate_fmu
from tests.runtime.conftest import RUNTIME, compiler
from tests.store import exported
from tests.support import EXAMPLES, example

#: Evaluations of a step of RK4.
_STAGES = 4


def options(iterations: int | None) -> ExportOptions:
    face = (InterfaceType.CO_SIMULATION,)
    return ExportOptions("aac", Closure.NEWTON, Solver.RK4, interfaces=face, iterations=iterations)


def run(iterations: int, step: float = 0.01) -> Trajectory:
    made = exported(example("four_bar"), options(iterations))
    names = ("m1.angle", "m2.angle", "m3.angle")
    outputs = ["closure.residual", "closure.iterations", *names]
    return simulate_fmu(made.path, stop=1.0, step=step, outputs=outputs)


@pytest.mark.parametrize("iterations", [1, 2])
def test_every_evaluation_takes_the_same_number_of_newton_steps(iterations: int) -> None:
    counted = run(iterations).values["closure.iterations"]
    assert set(counted[1:]) == {iterations * _STAGES}


def test_the_residual_tells_what_the_steps_leave_open() -> None:
    """It is that of the constraints at the coordinates that the FMU shows, and shrinks with each step."""
    largest = {}
    made = Compilation(example("four_bar"), options(1))
    dae, defaults = made.dae, default_parameters(made.model)
    for iterations in (1, 2):
        values = run(iterations).values
        evaluate = compile_python(
            [row.phi for row in dae.constraints],
            {
                "p": list(dae.symbols.parameters.values()),
                "q": [coordinate.position for coordinate in dae.coordinates],
            },
        )
        parameters = [defaults[name] for name in dae.symbols.parameters]
        shown = np.array([values[coordinate.name] for coordinate in dae.coordinates]).T
        open_by = np.array([max(map(abs, evaluate(parameters, list(q)))) for q in shown])
        assert values["closure.residual"] == pytest.approx(open_by, rel=1e-6, abs=1e-15)
        largest[iterations] = values["closure.residual"].max()
    assert 1e-9 < largest[1] < 1e-4
    assert largest[2] < 1e-3 * largest[1]


def test_too_few_steps_end_the_run_with_a_sentence() -> None:
    with pytest.raises(RefusedError, match=r"after 1 Newton step.*--iterations"):
        run(1, 0.2)


_STEP_AFTER_NEWTON = r"""
#include <stdio.h>
#include "exact.h"

int main(void)
{
    printf("%d %d\n", exact_unit(0.6, 0.8 + 1e-9), exact_unit(0.6, 0.81));
    return 0;
}
"""


@pytest.mark.parametrize(("iterations", "holds"), [(None, "0"), ("2", "1"), ("0", "0")])
def test_exact_steps_after_an_iterated_block_hold_with_its_residual(
    iterations: str | None, holds: str, tmp_path: Path
) -> None:
    """They do not fall back to Newton because what they know is less accurate than rounding."""
    source, program = tmp_path / "step.c", tmp_path / "step"
    source.write_text(_STEP_AFTER_NEWTON)
    given = [] if iterations is None else [f"-DMODEL_ITERATIONS={iterations}"]
    command = [compiler(), "-std=c99", *given, f"-I{RUNTIME}", str(source), "-lm", "-o", str(program)]
    subprocess.run(command, check=True)
    found = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    assert found.split() == [holds, "0"]


def test_the_bound_of_a_step_follows_the_number_of_newton_steps() -> None:
    made = Compilation(example("four_bar"), options(None))
    program = made.program
    evaluations = []
    for iterations in (1, 2, None):
        first = replace(program.sets[0], flow=replace(program.flow, iterations=iterations))
        bound = worst_step_of(replace(program, sets=(first,)), made.description, 0.01)
        evaluations.append(bound.evaluation)
    assert evaluations[0] < evaluations[1] < 0.5 * evaluations[2]


def test_the_closure_says_how_many_steps_there_are() -> None:
    summary = Compilation(example("four_bar"), options(2)).closure
    assert "2 unknowns by Newton in a block of 2, 2 Newton steps" in summary.sentence
    assert any("is in closure.residual" in note for note in summary.notes)


# --- never ----------------------------------------------------------------------------------------


def test_an_fmu_that_never_iterates_stops_where_a_guard_fails() -> None:
    """Where parallelograms line up, only Newton iteration goes on."""
    model = example("n_four_bar")
    never = exported(model, ExportOptions("aac", iterations=0))
    outputs = ["closure.iterations"]
    before = simulate_fmu(never.path, stop=1.2, step=0.01, outputs=outputs)
    assert not before.values["closure.iterations"].any()
    with pytest.raises(RefusedError, match=r"loop right_\d .* would be closed by Newton .* --never-iterate"):
        simulate_fmu(never.path, stop=2.0, step=0.01, outputs=outputs)


def test_a_model_that_needs_iteration_is_refused_with_its_loops_and_unknowns() -> None:
    model = example("stephenson_iii")
    with pytest.raises(ClosureError) as refused:
        _ = Compilation(model, ExportOptions("aac", iterations=0)).flow
    text = str(refused.value)
    assert "by a polynomial of degree 6" in text
    assert "loop" in text
    assert "--independent" in text
    with pytest.raises(ClosureError, match=r"m2.angle, m3.angle.*h14.*by Newton iteration"):
        _ = Compilation(example("four_bar"), options(0)).flow


def test_iterated_unknowns_of_a_network_are_refused() -> None:
    with pytest.raises(ClosureError, match=r"d4.v, d3.v: .* by Newton iteration"):
        _ = Compilation(example("rectifier"), ExportOptions(iterations=0)).flow


def test_sets_that_iterate_are_left_out() -> None:
    exact = Compilation(example("four_bar"), ExportOptions("aac"))
    iterated = Compilation(example("four_bar"), options(None)).flow
    flow = replace(exact.flow, alternatives=(exact.flow, iterated))
    assert limit_iteration(exact.dae, flow, 0).alternatives == (exact.flow,)
    assert limit_iteration(exact.dae, flow, 3).alternatives == (exact.flow, iterated)


def test_closures_without_newton_steps_have_none_to_limit() -> None:
    with pytest.raises(ClosureError, match="'projection' has no Newton steps"):
        _ = Compilation(example("four_bar"), ExportOptions("aac", Closure.PROJECTION, iterations=1)).flow


def test_the_options_of_the_command_line_exclude_each_other() -> None:
    model = str(EXAMPLES / "four_bar" / "model.toml")
    both = CliRunner().invoke(app, ["closure", model, "--iterations", "2", "--never-iterate"])
    assert both.exit_code == 2
    assert "exclude each other" in both.output
    refused = CliRunner().invoke(
        app, ["closure", model, "--trees", "aac", "--closure", "newton", "--never-iterate"]
    )
    assert refused.exit_code == 1
    assert "this model needs iteration" in refused.output
