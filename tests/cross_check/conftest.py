"""The modules of cross_check, which are programs beside the package."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "cross_check"


@pytest.fixture(autouse=True)
def cross_check_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
