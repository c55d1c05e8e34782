"""Pieces of HTML."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

__all__ = ["ReportSection", "data", "figure", "folded", "heading", "packed", "paragraph", "section", "table"]


@dataclass(frozen=True)
class ReportSection:
    """A part of the page with a title and a place to jump to; without content it is left out."""

    title: str
    anchor: str
    content: Markup


def section(title: str, *content: str) -> ReportSection:
    anchor = "-".join(title.lower().split())
    return ReportSection(title, anchor, Markup("\n".join(piece for piece in content if piece)))


def heading(text: str) -> str:
    return f"<h3>{escape(text)}</h3>"


def paragraph(sentence: str, kind: str = "") -> str:
    """A sentence as a paragraph, with a capital and a full stop."""
    style = f' class="{kind}"' if kind else ""
    return f"<p{style}>{escape(sentence[0].upper() + sentence[1:].removesuffix('.'))}.</p>"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; without rows it is nothing, without columns it has no head."""
    body = list(rows)
    if not body:
        return ""
    heads = (_cell("th", name, _style(below)) for name, below in zip(columns, body[0], strict=bool(columns)))
    head = [f"<tr>{''.join(heads)}</tr>"] if columns else []
    lines = [f"<tr>{''.join(_cell('td', value, _style(value)) for value in row)}</tr>" for row in body]
    return "\n".join(['<div class="scroll"><table>', *head, *lines, "</table></div>"])


def _cell(tag: str, value: object, style: str) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f"<{tag}{style}>{text if isinstance(value, Markup) else escape(text)}</{tag}>"


def _style(value: object) -> str:
    """Numbers and their heads are flush right."""
    return ' class="number"' if isinstance(value, int | float) else ""


def figure(svg: str, caption: str = "", *, wide: bool = False) -> str:
    """A drawing; a wide one keeps its size and is scrolled."""
    kind = ' class="wide"' if wide else ""
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure{kind}>\n{svg}{words}</figure>"


def folded(summary: str, content: str) -> str:
    """Something that is shown when it is asked for."""
    return f"<details><summary>{escape(summary)}</summary>\n{content}\n</details>"


def data(identifier: str, document: object) -> str:
    """Data for a script of the page."""
    text = document if isinstance(document, str) else json.dumps(document, separators=(",", ":"))
    # In a script "</" would be read by the parser of the page.
    safe = text.replace("</", "<\\/")
    return f'<script type="application/json" id="{identifier}">{safe}</script>'


def packed(values: NDArray[np.float64]) -> str:
    """Single-precision numbers, the lowest byte first, as text."""
    return b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()
