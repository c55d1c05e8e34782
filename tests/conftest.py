"""Shared test configuration."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="session")
def compiled_libraries_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests share one cache of compiled libraries per run, not the user's."""
    import os

    if "FMUGEN_CACHE" not in os.environ:
        os.environ["FMUGEN_CACHE"] = str(tmp_path_factory.getbasetemp().parent / "fmugen-cache")
