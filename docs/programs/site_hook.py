"""Hooks of MkDocs: files of the repository outside of docs/ that pages link to become a part of the site.

A page links to them as in the repository, ``../examples/four_bar/README.md``. In the site they keep
their place relative to the root of the repository, beside the pages of docs/.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

_ROOT = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def on_files(files: Files, config: Any) -> Files:
    """Add what pages link to, and what those files link to."""
    waiting = [file.src_uri for file in files.documentation_pages()]
    while waiting:
        for place in _linked(waiting.pop()):
            if files.get_file_from_path(place) is None:
                path = str(_ROOT / place)
                added = File.generated(config, place, abs_src_path=path, inclusion=InclusionLevel.NOT_IN_NAV)
                files.append(added)
                if place.endswith(".md"):
                    waiting.append(place)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links lead to places in the site."""
    source = page.file.src_uri

    def moved(match: re.Match[str]) -> str:
        place = _place_in_site(source, match[2])
        if place is None:
            return match[0]
        return match[1] + posixpath.relpath(place, posixpath.dirname(source) or ".") + match[3]

    parts = _FENCE.split(markdown)
    return "".join(part if part.startswith("```") else _LINK.sub(moved, part) for part in parts)


def _linked(source: str) -> Iterator[str]:
    """The files outside of docs/ that a page links to, by their places in the site."""
    text = _FENCE.sub("", (_ROOT / _place_in_repository(source)).read_text(encoding="utf-8"))
    for match in _LINK.finditer(text):
        place = _place_in_site(source, match[2])
        if place is not None and not (_ROOT / "docs" / place).exists():
            yield place


def _place_in_repository(source: str) -> str:
    inside = posixpath.join("docs", source)
    return inside if (_ROOT / inside).is_file() else source


def _place_in_site(source: str, target: str) -> str | None:
    """Where the target of a link is in the site; None for addresses of the web."""
    if re.match(r"[a-z]+:", target):
        return None
    folder = posixpath.dirname(_place_in_repository(source))
    place = posixpath.normpath(posixpath.join(folder, target))
    if (_ROOT / place).is_dir():
        place = posixpath.join(place, "README.md")
    return place.removeprefix("docs/")
