"""Drawings of split systems: every FMU and everything that is exchanged, and no box over another."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest

from fmugen.cosim.split import split_model
from fmugen.ir.formula import ZERO
from fmugen.ir.model import Experiment, Output, SystemModel
from fmugen.ir.split import Connection, Method, Part, SplitSystem
from fmugen.view.parts import parts_svg
from tests.cosim.models import LINKS, double_pendulum

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_parts_and_what_they_tell_each_other() -> None:
    said = texts(parts_svg(split_model(double_pendulum(), LINKS, Method.EXACT), {"top": "2 states"}))
    assert said[:2] == ["Swing, exact: 2 FMUs", "13 numbers from FMU to FMU at every exchange"]
    assert "2 position, 2 velocity, 2 acceleration, 1 time" in said
    assert "2 force, 3 inertia, 1 time" in said
    assert {"top", "bottom", "upper", "from outside: push", "shows 3 outputs", "2 states"} <= set(said)


@pytest.mark.parametrize("pairs", ["ab ba", "ab bc cd", "ab bc ca", "ab ac ad ba ca da bc cb", "ab cd"])
def test_boxes_and_arrows_of_any_system(pairs: str) -> None:
    """The first of a pair sends a length to the second."""
    model = SystemModel("Any", outputs=(Output("x", ZERO, "m"),))
    names = sorted(set(pairs) - {" "})
    system = SplitSystem(
        "Any",
        Method.PENALTY,
        tuple(Part(name, model, bodies=("link",)) for name in names),
        tuple(Connection(source, "x", target, f"from_{source}") for source, target in pairs.split()),
        Experiment(),
    )
    root = ElementTree.fromstring(parts_svg(system, {}))
    width, height = (float(root.attrib[key]) for key in ("width", "height"))
    boxes = [
        tuple(float(box.attrib[key]) for key in ("x", "y", "width", "height"))
        for box in root.iter(f"{SVG}rect")
        if "x" in box.attrib
    ]
    assert len(boxes) == len(names)
    for x, y, w, h in boxes:
        assert 0 < x < x + w < width
        assert 0 < y < y + h < height
    for (x, y, w, h), (p, q, r, s) in combinations(boxes, 2):
        assert x + w < p or p + r < x or y + h < q or q + s < y
    said = [element.text for element in root.iter(f"{SVG}text")]
    arrows = [path for path in root.iter(f"{SVG}path") if "marker-end" in path.attrib]
    assert len(arrows) == said.count("1 position") == len(pairs.split())
