"""Pages about a model: the report, and its light form inside the FMU.

- subject: a model and all that was made of it
- poses: where its bodies are
- shapes: plain geometry of drawings
- scene: what there is to draw of a mechanism
- drawing: a scene at one instant, as SVG
- modes: a table and a drawing of each assembly mode
- animation: a scene over time, to be played
- equations: the equations, drawn
- sections: the other parts of a page that need no run
- evidence: the comparison of a run with its reference
- provenance: how it was produced
- page: all of it on one page
"""

from fmugen.view.report.evidence import Evidence
from fmugen.view.report.page import documentation_page, report_page
from fmugen.view.report.provenance import Provenance, fingerprint

__all__ = ["Evidence", "Provenance", "documentation_page", "fingerprint", "report_page"]
