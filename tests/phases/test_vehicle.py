"""The vehicle of Uchida (2011), chapter 6: one corner as a sub-assembly, used four times."""

from __future__ import annotations

import pytest

from fmugen.cli.check import gruebler_count
from fmugen.ir.model import SystemModel
from tests.support import EXAMPLES, example


@pytest.fixture(scope="module")
def car() -> SystemModel:
    return example("vehicle_double_wishbone")


def test_it_is_described_in_less_than_150_lines() -> None:
    files = (EXAMPLES / "vehicle_double_wishbone").glob("*.toml")
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) < 150


def test_it_has_fourteen_degrees_of_freedom(car: SystemModel) -> None:
    # Each arm, carrier and wheel has its own; a universal joint and a ball leave none to the tie rod.
    assert gruebler_count(car) == 14


@pytest.mark.parametrize("axle", ["front", "rear"])
def test_tyres_on_the_right_are_mirrored(car: SystemModel, axle: str) -> None:
    left, right = (car.element(f"{axle}_{side}.tyre").values for side in ("left", "right"))
    assert (left["side"], right["side"]) == ("left", "right")
    outward = [values["axle"] for values in (left, right)]
    assert [[float(part.number) for part in axis] for axis in outward] == [[0, 1, 0], [0, -1, 0]]  # type: ignore[union-attr]
    assert left["coefficients"] == right["coefficients"]


def test_outputs_of_mirrored_corners_keep_their_units(car: SystemModel) -> None:
    units = {output.name: output.unit for output in car.outputs}
    assert units["front_right.upper_angle"] == "rad"
    assert units["rear_right.lateral_force"] == "N"


def test_a_parameter_of_the_road_takes_the_place_of_coefficients(car: SystemModel) -> None:
    coefficients = dict(car.element("rear_left.tyre").values["coefficients"])  # type: ignore[arg-type]
    assert coefficients["LMUX"].text == coefficients["LMUY"].text == "grip"  # type: ignore[union-attr]
