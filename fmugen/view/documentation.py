"""The page inside an FMU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fmugen.cache import keep, kept_text, place_of

if TYPE_CHECKING:
    from fmugen.pipeline import Compilation

__all__ = ["documentation"]


def documentation(made: Compilation) -> str:
    """The page, drawn once and kept: importing what draws equations takes a second."""
    said = replace(made.trial, worst_seconds=0.0, worst_time=0.0, mean_seconds=0.0)
    made_from = (made.description.guid, *map(repr, (made.model, made.trees, made.options, said)))
    place = place_of("pages", made_from, ".html")
    page = kept_text(place)
    if page is None:
        from fmugen.view.report import documentation_page

        page = documentation_page(made)
        keep(place, page.encode())
    return page
