"""The model files of any size that the timings of exports use."""

from __future__ import annotations

import pytest
from bench.sizes import MODELS, car, ring, robot, truss

from fmugen.phases.read import parse_model


@pytest.mark.parametrize("name", [name for name in MODELS if not name.endswith(("50", "40", "25"))])
def test_every_file_is_a_valid_model(name: str) -> None:
    assert parse_model(MODELS[name](), name).bodies


@pytest.mark.parametrize(
    ("text", "freedoms"),
    [(robot(3), 3), (ring(4), 2), (truss(2), 2)],
    ids=["robot", "ring", "truss"],
)
def test_grueblers_count(text: str, freedoms: int) -> None:
    model = parse_model(text, "text")
    each = 3 if model.space.value == "planar" else 6
    assert each * len(model.bodies) - (each - 1) * len(model.in_section("joints")) == freedoms


def test_the_car_has_fourteen_freedoms() -> None:
    model = parse_model(car(), "car")
    held = {"revolute": 5, "spherical": 3, "universal": 4}
    assert 6 * len(model.bodies) - sum(held[joint.type] for joint in model.in_section("joints")) == 14
