"""The bounds of a step hold: no path of the generated C takes more operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions, Solver
from fmugen.pipeline import Compilation
from fmugen.trial import worst
from tests.counting import count_operations_of
from tests.support import example

#: Changes of the runtime that force a path; the keys begin with the name of a file.
FORCED = {
    "as it is": {},
    "guards fail": {"exact.h": ("if (!(discriminant > EXACT_BLURRED * scale)) {", "if (true) {")},
    "no written motion": {"embedding.c": ("return set && set->motion ?", "return false && set->motion ?")},
    "singular": {
        "embedding.c": ("return set && set->motion ?", "return false && set->motion ?"),
        "embedding.c, limit": (
            "return undetermined < 0 ? evaluate_regular(self, at, point)\n"
            "                            : evaluate_limit(self, point, undetermined)",
            "return undetermined < -1 ? evaluate_regular(self, at, point)\n"
            "                            : evaluate_limit(self, point, 0)",
        ),
    },
    "iterations to their limits": {
        "exact.h": ("if (!(discriminant > EXACT_BLURRED * scale)) {", "if (true) {"),
        "loops.c": (
            "        if (after < before) {\n            return after;",
            "        if (trial == halvings) {\n            return after * 0.999;",
        ),
        "loops.c, end": ("if (!(after < residual)) {", "if (false) {"),
        "loops.c, small": ("if (negligible(n, unknowns, point->q, work->correction)) {", "if (false) {"),
    },
    "reviews always": {
        "partition.c": ("if (state->at.verdict == MOTION_GOOD && !changed) {", "if (false) {")
    },
}


def counted_and_bound(
    name: str, options: ExportOptions, path: str, folder: Path
) -> tuple[int, int, int, worst.WorstStep]:
    """Operations of the longest evaluation and step of 20, of a written right-hand side, and the bounds."""
    model = example(name)
    generated = Compilation(model, options)
    counted = count_operations_of(generated.sources, folder, model.experiment.step, 20, FORCED[path])
    assert counted.points > 0
    bound = worst.worst_step_of(generated.program, generated.description, model.experiment.step)
    return counted.evaluation, counted.step, generated.closure.operations.total, bound


@pytest.mark.parametrize(
    "path",
    [
        "as it is",
        "singular",
        "iterations to their limits",
        *(
            pytest.param(path, marks=pytest.mark.slow)
            for path in ("guards fail", "no written motion", "reviews always")
        ),
    ],
)
def test_no_path_of_a_fixed_step_exceeds_its_bound(path: str, tmp_path: Path) -> None:
    options = ExportOptions("aac", solver=Solver.RK4)
    evaluation, step, written, bound = counted_and_bound("n_four_bar", options, path, tmp_path)
    assert written < evaluation <= bound.evaluation
    assert step <= bound.communication_step
    least = {"as it is": 1, "reviews always": 1, "singular": 10, "iterations to their limits": 30}
    assert evaluation > least.get(path, 1.5) * written, "the path is not the one that was to be forced"


@pytest.mark.parametrize(
    "closure", [pytest.param(Closure.PROJECTION, marks=pytest.mark.slow), Closure.BAUMGARTE]
)
def test_bounds_without_iteration_are_near_to_what_is_counted(closure: Closure, tmp_path: Path) -> None:
    """Nothing in these can take longer than usual: the bound is the count, but for a few operations."""
    options = ExportOptions("aac", closure, Solver.RK4)
    evaluation, step, _, bound = counted_and_bound("four_bar", options, "as it is", tmp_path)
    assert 0.9 * bound.evaluation <= evaluation <= bound.evaluation
    assert step <= bound.communication_step


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("four_bar", ExportOptions("aac", Closure.AUGMENTED, Solver.RK4)),
        ("four_bar", ExportOptions("aac", Closure.PENALTY, Solver.RK4)),
        ("four_bar", ExportOptions("aac", Closure.NEWTON_ALL, Solver.EULER)),
        ("tumbling_body", ExportOptions("aac", solver=Solver.RK4)),
        ("motor_slider_crank", ExportOptions("aac", solver=Solver.RK4)),
        ("rectifier", ExportOptions("aac", solver=Solver.RK4)),
        ("spatial_four_bar_skew", ExportOptions("aac", solver=Solver.RK4)),
        ("three_rrr", ExportOptions("aac", solver=Solver.RK4)),
    ],
)
def test_bounds_hold_for_other_closures_and_elements(
    name: str, options: ExportOptions, tmp_path: Path
) -> None:
    evaluation, step, _, bound = counted_and_bound(name, options, "as it is", tmp_path)
    assert evaluation <= bound.evaluation
    assert step <= bound.communication_step


def test_a_bound_grows_with_every_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Compilation(example("landing_gear"), ExportOptions("aac")).program
    limit = worst._limit
    before = worst.worst_step(program, Solver.RK4, 0.0, 0.01, 100)
    # The roots of polynomials are not on the longest path until their limit is large.
    factors = {"MAX_ITERATIONS": 2, "MAX_HALVINGS": 2, "POLISHING_ITERATIONS": 2, "EXACT_ITERATIONS": 1000}
    for name, factor in factors.items():

        def raised(file: str, asked: str, name: str = name, factor: int = factor) -> int:
            return limit(file, asked) * (factor if asked == name else 1)

        monkeypatch.setattr(worst, "_limit", raised)
        after = worst.worst_step(program, Solver.RK4, 0.0, 0.01, 100)
        assert after.evaluation > before.evaluation, name
        assert after.internal_step > before.internal_step, name


def test_fixed_steps_are_counted_and_adaptive_ones_are_not_bounded() -> None:
    program = Compilation(example("four_bar"), ExportOptions("aac")).program
    one, ten = (worst.worst_step(program, Solver.RK4, step, 0.01, 100) for step in (0.0, 0.001))
    assert (one.internal_steps, ten.internal_steps) == (1, 10)
    assert ten.communication_step - one.communication_step == 9 * one.internal_step
    assert not one.adaptive
    adaptive = worst.worst_step(program, Solver.DOPRI5, 0.0, 0.01, 100)
    assert adaptive.adaptive
    assert adaptive.internal_steps == 100
