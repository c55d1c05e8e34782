"""A real browser: Chromium, without a window."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium of the machine, else the one that Playwright has installed."""
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    with sync_playwright() as playwright:
        try:
            # The sandbox refuses to start for root; the pages are our own.
            started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        except Error as error:
            if program is not None or "Executable doesn't exist" not in error.message:
                raise
            pytest.skip(
                "no Chromium: install the package chromium, or run python -m playwright install chromium"
            )
        yield started
        started.close()
