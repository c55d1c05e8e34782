"""``fmugen cross-check``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from fmugen.cli import app
from fmugen.cli import cross_check as command
from fmugen.errors import VerificationError
from fmugen.verify.crosscheck import read_cross_check
from fmugen.verify.simulate import simulate_fmu

PENDULUM = Path(__file__).parents[2] / "examples" / "pendulum" / "model.toml"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="fmugen")


def test_a_folder_is_written_that_its_fmu_agrees_with(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pendulum"
    result = run("cross-check", PENDULUM, "-o", folder)
    assert result.exit_code == 0, result.output
    assert f"in {folder}" in result.stdout
    check = read_cross_check(folder)
    names = [signal.name for signal in check.signals]
    trajectory = simulate_fmu(folder / "Pendulum.fmu", stop=check.stop, step=check.step, outputs=names)
    values = np.column_stack([trajectory.values[name] for name in names])
    assert check.error(values) < 1.0
    assert check.error(values + 1.0) > 1.0
    again = run("cross-check", PENDULUM, "-o", folder)
    assert again.exit_code == 0, again.output


def test_without_reference_nothing_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise VerificationError("the position at 0.1 s is singular")

    monkeypatch.setattr(command, "verify_fmu", give_up)
    result = run("cross-check", PENDULUM, "-o", tmp_path)
    assert result.exit_code == 3
    assert "no cross-check: the position at 0.1 s is singular" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("cross-check", PENDULUM, "-o", tmp_path / "file" / "folder")
    assert result.exit_code == 1
    assert "cannot be made" in result.stderr
