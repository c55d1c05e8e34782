"""``fmugen report`` and ``fmugen export --report``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fmugen.cli import app
from fmugen.cli import report as command
from fmugen.errors import VerificationError
from fmugen.view.report import fingerprint

PENDULUM = Path(__file__).parents[2] / "examples" / "pendulum" / "model.toml"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="fmugen")


def test_report_writes_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("report", PENDULUM, "-o", page, "--stop", "0.2")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("passed: largest deviation")
    assert f"report: {page}" in result.stdout
    assert fingerprint(PENDULUM) in page.read_text(encoding="utf-8")


def test_the_page_is_named_after_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("report", PENDULUM, "--stop", "0.1").exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["Pendulum.html"]


def test_a_failed_verification_is_reported_and_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("report", PENDULUM, "-o", page, "--stop", "0.2", "--solver", "euler", "--step", "0.01")
    assert result.exit_code == 3
    assert "FAILED: the FMU is wrong: largest deviation" in page.read_text(encoding="utf-8")
    result = run("report", PENDULUM, "-o", page, "--stop", "0.2", "--tolerance", "1e-30")
    assert result.exit_code == 3
    assert "not judged: the reference could not follow" in page.read_text(encoding="utf-8")


def test_a_motion_that_the_reference_cannot_follow_is_shown_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise VerificationError("the position at 0.1 s is singular")

    monkeypatch.setattr(command, "verify_fmu", give_up)
    page = tmp_path / "page.html"
    result = run("report", PENDULUM, "-o", page, "--stop", "0.2")
    assert result.exit_code == 3
    assert "not compared with the reference: the position at 0.1 s is singular" in result.stdout
    assert 'id="animation-data"' in page.read_text(encoding="utf-8")


def test_export_reports_on_the_fmu_it_writes(tmp_path: Path) -> None:
    model, fmu, page = tmp_path / "x.toml", tmp_path / "x.fmu", tmp_path / "x.html"
    text = PENDULUM.read_text(encoding="utf-8")
    model.write_text(re.sub(r"(?m)^stop = .*$", "stop = 0.2", text), encoding="utf-8")
    result = run("export", model, "-o", fmu, "--report", page)
    assert result.exit_code == 0, result.output
    assert fingerprint(fmu) in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("command_line", [("report", "-o"), ("export", "--report")])
def test_a_page_ends_in_html(command_line: tuple[str, str], tmp_path: Path) -> None:
    name, option = command_line
    result = run(name, PENDULUM, option, tmp_path / "page.pdf")
    assert result.exit_code == 2
    assert "does not end in .html" in result.stderr


def test_a_folder_that_is_not_there_is_refused_before_work_is_spent(tmp_path: Path) -> None:
    result = run("report", PENDULUM, "-o", tmp_path / "none" / "page.html")
    assert result.exit_code == 1
    assert "there is no folder" in result.stderr
    assert "compile" not in result.stderr
