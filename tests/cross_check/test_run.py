"""The runner: importers against committed references, and published solutions."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from fmugen.verify.crosscheck import ALLOWED, read_cross_check
from tests.support import EXAMPLES, example

FOLDERS = sorted(path.parent for path in (EXAMPLES.parent / "cross_check").glob("references/*/*_ref.csv"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_reference_belongs_to_the_example_of_its_name(folder: Path) -> None:
    check = read_cross_check(folder)
    model = example(folder.name)
    outputs = {output.name: output.unit for output in model.outputs}
    assert check.model == model.name
    assert {signal.name: signal.unit for signal in check.signals}.items() <= outputs.items()
    assert check.stop <= model.experiment.stop * (1 + 1e-9)
    assert np.diff(check.times) == pytest.approx(check.step)
    for signal in check.signals:
        assert 0.0 < signal.tolerance.value <= 0.01 * max(np.abs(signal.reference).max(), 1e3 * ALLOWED)
        assert signal.tolerance.reason


def test_an_importer_is_judged_by_the_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = importlib.import_module("run")
    monkeypatch.setattr(run, "IMPORTERS", run.IMPORTERS[:1])
    (row,) = run.rows("double_pendulum", tmp_path)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:3] == ["double_pendulum", "FMPy", "FMI 2 CS"]
    assert float(cells[3]) < 1.0
    assert cells[5] == "passed"


def test_an_example_without_reference_fails_and_says_what_to_do(tmp_path: Path) -> None:
    run = importlib.import_module("run")
    (row,) = run.rows("no_such_example", tmp_path)
    assert "FAILED" in row
    assert "fmugen cross-check MODEL" in row


def test_errors_beyond_the_tolerance_fail() -> None:
    run = importlib.import_module("run")
    assert run.figure(0.5) == "5.0e-01 | passed"
    assert run.figure(1.5) == "1.5e+00 | FAILED"
    assert run.figure(float("nan")).endswith("FAILED")


def test_rows_between_those_of_the_reference_are_left_out() -> None:
    run = importlib.import_module("run")
    check = read_cross_check(FOLDERS[0])
    exact = np.array([signal.reference for signal in check.signals]).T
    between = np.repeat(exact, 3, axis=0)[: 3 * (len(exact) - 1) + 1]
    between[1::3] = 1e9
    assert run._motion(check, exact) == run._motion(check, between) == 0.0
    with pytest.raises(run.ImporterError, match="rows instead of"):
        run._motion(check, between[:-1])


def test_published_solutions_are_complete() -> None:
    published = importlib.import_module("published")
    solutions = {solution.title: solution for solution in published.published_solutions()}
    assert solutions["Andrews' squeezer"].count == 27
    assert {f"N-four-bar, N = {windows}" for windows in (1, 2, 5, 10)} <= set(solutions)
    assert sum(title.startswith("Modelica's") for title in solutions) == 6
    for solution in solutions.values():
        assert all(figures.tolerance > 0.0 for figures in solution.figures)


def test_a_published_solution_is_met_and_a_wrong_one_is_not(tmp_path: Path) -> None:
    published = importlib.import_module("published")
    solution = next(s for s in published.published_solutions() if s.title == "Modelica's RotationalFirst")
    assert solution.error(tmp_path) < 1.0
    figures = solution.figures[0]
    wrong = published.Figures(figures.formula, figures.values + 10 * figures.tolerance, figures.tolerance)
    other = published.Published(
        "wrong", "", "", solution.model, solution.times, (wrong, *solution.figures[1:])
    )
    (tmp_path / "wrong").mkdir()
    assert other.error(tmp_path / "wrong") > 1.0
