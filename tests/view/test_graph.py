"""The drawing of the graphs knows every kind of edge."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from fmugen.ir.graph import Domain
from fmugen.phases.graph import build_graph
from fmugen.trees import select_trees
from fmugen.view.graph import graphs_svg
from tests.support import example

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["slider_crank", "spatial_four_bar", "five_link_suspension", "engine1a"])
def test_every_edge_is_drawn(name: str) -> None:
    model = example(name)
    graph = build_graph(model)
    drawing = ElementTree.fromstring(graphs_svg(graph, select_trees(model, graph, "aac"), name))
    titles = {title.text for title in drawing.iterfind(f".//{SVG}path/{SVG}title")}
    for domain in Domain:
        for edge in graph.domain(domain).edges:
            assert any(text and text.startswith(f"{edge.name}: {edge.label}") for text in titles)


@pytest.mark.parametrize("name", ["mcphee_electrical", "slider_crank", "motor_slider_crank"])
def test_the_legend_stays_inside_the_drawing(name: str) -> None:
    model = example(name)
    graph = build_graph(model)
    drawing = ElementTree.fromstring(graphs_svg(graph, select_trees(model, graph, "aac"), name))
    width, height = (float(drawing.attrib[side]) for side in ("width", "height"))
    separator = next(line for line in drawing.iterfind(f"{SVG}line") if line.get("x1") == "0")
    below = float(separator.attrib["y1"])
    entries = [text for text in drawing.iterfind(f"{SVG}text") if float(text.attrib["y"]) > below]
    assert {"branch", "chord"} < {text.text for text in entries}
    for text in entries:
        # A letter of this size is at most 7 wide.
        assert float(text.attrib["x"]) + 7 * len(text.text or "") <= width
        assert float(text.attrib["y"]) < height


def test_many_graphs_stand_in_rows_as_wide_as_a_page() -> None:
    model = example("motor_slider_crank")
    graph = build_graph(model)
    assert len(graph.networks) == 3
    drawing = ElementTree.fromstring(graphs_svg(graph, select_trees(model, graph, "aac"), model.name))
    captions = [text for text in drawing.iterfind(f"{SVG}text") if "branches" in (text.text or "")]
    assert len(captions) == 5
    assert len({text.attrib["y"] for text in captions}) > 1
    assert float(drawing.attrib["width"]) < 1500
