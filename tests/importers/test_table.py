"""Rows of the table of importers: kept while nothing changed, and run again otherwise."""

from __future__ import annotations

import importlib
import runpy
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.support import EXAMPLES

FOLDER = Path(__file__).parents[2] / "cross_check" / "importers"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path / "cache"))
    return importlib.import_module("table")


class Runner:
    """Gives rows, and remembers which; stops like a user before the example ``stops_at``."""

    def __init__(self, table: ModuleType, stops_at: str = "", fails: str = "") -> None:
        self.table, self.stops_at, self.fails = table, stops_at, fails
        self.ran: list[str] = []

    def __call__(self, names: Sequence[str]) -> Iterator[list[str]]:
        for name in names:
            if name == self.stops_at:
                raise KeyboardInterrupt
            self.ran.append(name)
            figure = "FAILED 1.0e+00" if name == self.fails else "1.0e-09"
            yield [name, *[figure] * len(self.table.IMPORTERS), "7"]


def places(table: ModuleType, *names: str, folder: Path = EXAMPLES) -> dict[str, Path]:
    return {name: table.place_of_row(name, 100, folder) for name in names}


def test_a_run_that_was_stopped_goes_on_where_it_was(table: ModuleType) -> None:
    wanted = places(table, "pendulum", "four_bar", "five_bar")
    with pytest.raises(KeyboardInterrupt):
        table.finished_rows(wanted, Runner(table, stops_at="four_bar"), lambda words: None)
    second, told = Runner(table), list[str]()
    rows = table.finished_rows(wanted, second, told.append)
    assert second.ran == ["four_bar", "five_bar"]
    assert [cells[0] for cells in rows] == list(wanted)
    assert told[0] == "1 of 3 rows are kept from before"
    assert told[-1] == "3 of 3: five_bar passed, 7 s"


def test_what_failed_is_shown_and_run_again(table: ModuleType) -> None:
    wanted, told = places(table, "pendulum"), list[str]()
    rows = table.finished_rows(wanted, Runner(table, fails="pendulum"), told.append)
    assert told[0].startswith("1 of 1: pendulum FAILED in validator 2, validator 3, FMPy 2 CS")
    assert "0 of 1 examples pass" in table.page(rows, 100)
    second = Runner(table)
    rows = table.finished_rows(wanted, second, told.append)
    assert second.ran == ["pendulum"]
    assert "1 of 1 examples pass" in table.page(rows, 100)


def test_a_row_that_was_damaged_is_run_again(table: ModuleType) -> None:
    wanted = places(table, "pendulum")
    table.finished_rows(wanted, Runner(table), lambda words: None)
    whole = wanted["pendulum"].read_text()
    longer, foreign = whole.replace('"7"', '"7", "8"'), whole.replace("pendulum", "four_bar")
    for damaged in (whole[:20], "[]", longer, foreign):
        wanted["pendulum"].write_text(damaged)
        again = Runner(table)
        table.finished_rows(wanted, again, lambda words: None)
        assert again.ran == ["pendulum"], damaged


def test_a_row_belongs_to_its_example_program_and_machine(
    table: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("pendulum", "four_bar", table.COMPANION)
    for name in names:
        shutil.copytree(EXAMPLES / name, tmp_path / name)
    before = places(table, *names, folder=tmp_path)
    assert before == places(table, *names)  # wherever it lies
    assert len(set(before.values())) == 3

    def changed() -> set[str]:
        after = places(table, *names, folder=tmp_path)
        return {name for name in names if after[name] != before[name]}

    (tmp_path / "pendulum" / "README.md").write_text("other words")
    assert changed() == set()
    model = tmp_path / "pendulum" / "model.toml"
    model.write_text(model.read_text() + "\n# other words\n")
    assert changed() == {"pendulum"}
    companion = tmp_path / table.COMPANION / "model.toml"
    companion.write_text(companion.read_text() + "\n# other words\n")
    assert changed() == set(names)
    for name in ("pendulum", table.COMPANION):
        shutil.copy(EXAMPLES / name / "model.toml", tmp_path / name)
    assert changed() == set()
    assert table.place_of_row("pendulum", 99) != before["pendulum"]
    with monkeypatch.context() as other:
        other.setattr("fmugen.cache.program_digest", lambda: "another version")
        assert changed() == set(names)
    with monkeypatch.context() as other:
        other.setattr(table, "version", lambda package: "0.0")
        assert changed() == set(names)


def test_every_row_has_a_cell_for_every_column(table: ModuleType) -> None:
    rows = table.finished_rows(places(table, "pendulum"), Runner(table), lambda words: None)
    lines = [line for line in table.page(rows, 100).splitlines() if line.startswith("|")]
    assert len(lines) == 4
    assert len({line.count("|") for line in lines}) == 1


def outcome(table: ModuleType, runner: Runner, page: Path, *names: str) -> int:
    """The exit code of the program, with rows of ``runner``."""
    main = runpy.run_path(str(FOLDER / "__main__.py"), run_name="program")["main"]
    main.__globals__["_run"] = lambda names, steps, workers: runner(names)
    code: int = main([*names, "--output", str(page)])
    return code


def test_a_page_is_written_when_all_of_it_is_there(table: ModuleType, tmp_path: Path) -> None:
    page, names = tmp_path / "PAGE.md", ("pendulum", "four_bar")
    page.write_text("a page from before")
    assert outcome(table, Runner(table, stops_at="four_bar"), page, *names) == 130
    assert page.read_text() == "a page from before"
    assert outcome(table, Runner(table, fails="four_bar"), page, *names) == 3
    assert "1 of 2 examples pass" in page.read_text()
    assert outcome(table, Runner(table), page, *names) == 0
    assert "2 of 2 examples pass" in page.read_text()
    anew = Runner(table)
    assert outcome(table, anew, page, *names, "--fresh") == 0
    assert anew.ran == list(names)
    assert [path.name for path in tmp_path.glob("*PAGE*")] == ["PAGE.md"]


def test_an_example_that_is_not_there_is_named(
    table: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        outcome(table, Runner(table), tmp_path / "PAGE.md", "pendlum")
    assert "there is no example pendlum; there are andrews, " in capsys.readouterr().err
