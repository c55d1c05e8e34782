"""One page about a model: in full with the run of its FMU, or light, for the FMU itself.

The full page carries plotly and two small scripts, so that it needs no network. The light one has no scripts,
and is the same text for the same model.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from fmugen.resources import template_dir
from fmugen.view.report.animation import motion_section
from fmugen.view.report.equations import equations_section
from fmugen.view.report.evidence import Evidence, verdict_of, verification_section
from fmugen.view.report.markup import ReportSection, table
from fmugen.view.report.provenance import Provenance, provenance_section
from fmugen.view.report.sections import (
    closure_section,
    coordinates_section,
    graphs_section,
    interface_section,
    key_facts,
    mechanism_section,
    modes_section,
    operations_section,
)

if TYPE_CHECKING:
    from fmugen.pipeline import Compilation

__all__ = ["documentation_page", "report_page"]

#: Equations of more expressions than this are not drawn in the page of an FMU: exports must not wait for it.
_MOST_EXPRESSIONS = 200


def documentation_page(subject: Compilation) -> str:
    """The light page: no run, no scripts."""
    sections = [
        mechanism_section(subject),
        graphs_section(subject),
        coordinates_section(subject),
        equations_section(subject, _MOST_EXPRESSIONS),
        closure_section(subject),
        operations_section(subject),
        interface_section(subject),
        provenance_section(subject),
    ]
    return _page(subject, "", sections, [])


def report_page(subject: Compilation, evidence: Evidence, provenance: Provenance) -> str:
    """The full page: also the motion, the comparison with the reference, and where all of it comes from."""
    # Plotly takes a second to import; only this page needs it.
    from plotly.offline import get_plotlyjs

    motion = motion_section(subject.model, evidence.times, evidence.values)
    sections = [
        mechanism_section(subject),
        *([motion] if motion is not None else []),
        graphs_section(subject),
        coordinates_section(subject),
        equations_section(subject),
        closure_section(subject),
        modes_section(subject),
        operations_section(subject),
        verification_section(evidence),
        interface_section(subject),
        provenance_section(subject, provenance),
    ]
    verdict = verdict_of(evidence)
    badge = f'<p class="verdict {verdict.word}">{escape(verdict.sentence)}</p>'
    scripts = [_template("animation.js")] if motion is not None else []
    times = subject.measured_closure.time_facts
    return _page(subject, badge, sections, [*scripts, get_plotlyjs(), _template("plots.js")], times)


def _page(
    subject: Compilation,
    badge: str,
    sections: Sequence[ReportSection],
    scripts: Sequence[str],
    times: Sequence[tuple[str, str]] = (),
) -> str:
    """``times`` depend on the machine, and are not in the page of an FMU."""
    description = subject.model.description
    words = f"<p>{escape(description)}</p>" if description else ""
    lead = "\n".join(piece for piece in (words, badge, table((), [*key_facts(subject), *times])) if piece)
    environment = Environment(
        loader=FileSystemLoader(template_dir() / "report"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html.j2").render(
        title=subject.model.name,
        style=Markup(_template("page.css")),
        lead=Markup(lead),
        sections=[section for section in sections if section.content],
        scripts=[Markup(script) for script in scripts],
    )


def _template(name: str) -> str:
    return (template_dir() / "report" / name).read_text(encoding="utf-8")
