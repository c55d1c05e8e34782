"""Shared test configuration."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the files of tests/golden")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update"))


@pytest.fixture(autouse=True, scope="session")
def compiled_libraries_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests share one cache of compiled libraries per run, not the user's."""
    import os

    if "FMUGEN_CACHE" not in os.environ:
        os.environ["FMUGEN_CACHE"] = str(tmp_path_factory.getbasetemp().parent / "fmugen-cache")
