"""Files that elements name, here those of tyres."""

from __future__ import annotations

from pathlib import Path

import pytest

from fmugen.builder import ModelBuilder
from fmugen.errors import ModelError
from fmugen.ir.model import SystemModel
from fmugen.phases.read import parse_model, read_model

TYRE = Path(__file__).parents[1] / "data" / "wheels" / "own_tyre.tir"
MODEL = """
[model]
name = "Wheel"
space = "spatial"
[parameters]
grip = 0.8
[bodies.wheel]
mass = 20
inertia = [0.5, 0.9, 0.5]
[forces.tyre]
type = "tyre"
on = "wheel"
COEFFICIENTS
"""


def model(coefficients: str, folder: Path) -> SystemModel:
    path = folder / "wheel.toml"
    path.write_text(MODEL.replace("COEFFICIENTS", coefficients))
    return read_model(path)


def coefficients_of(model: SystemModel) -> dict[str, str]:
    values = model.element("tyre").values["coefficients"]
    assert isinstance(values, tuple)
    return {name: formula.text for name, formula in values}  # type: ignore[misc, union-attr]


def test_a_file_is_relative_to_the_model(tmp_path: Path) -> None:
    (tmp_path / "own.tir").write_bytes(TYRE.read_bytes())
    found = coefficients_of(model('coefficients = "own.tir"', tmp_path))
    assert float(found["PCX1"]) == 1.58 and float(found["TYRESIDE"]) == 1


def test_a_table_replaces_coefficients_of_its_file(tmp_path: Path) -> None:
    found = coefficients_of(model(f'coefficients = {{ file = "{TYRE}", LMUX = "grip" }}', tmp_path))
    assert found["LMUX"] == "grip" and float(found["PCX1"]) == 1.58


def test_the_builder_reads_the_same_file(tmp_path: Path) -> None:
    builder = ModelBuilder("Wheel", space="spatial").parameter("grip", 0.8)
    builder.body("wheel", mass=20, inertia=[0.5, 0.9, 0.5])
    builder.add("forces", "tyre", "tyre", "ground", "wheel", coefficients=str(TYRE))
    assert coefficients_of(builder.build()) == coefficients_of(model(f'coefficients = "{TYRE}"', tmp_path))


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        (("PCX1                    = 1.58", "PCX1 = soft"), "own.tir:75: PCX1 is not a number: 'soft'", ""),
        (("PCX1                    = 1.58", ""), "PCX1 is missing", "give it in the file"),
        (("'PAC2002'", "'FTIRE'"), "other formulas than PAC2002 and MF 6.1: FTIRE", "PAC2002"),
        (("'meter'", "'mm'"), "has LENGTH in 'mm'", "convert the file"),
    ],
)
def test_mistakes_in_a_file_are_told(
    change: tuple[str, str], message: str, hint: str, tmp_path: Path
) -> None:
    text = TYRE.read_text()
    assert change[0] in text
    text = text.replace("FITTYP                  = 6", "") if "FTIRE" in change[1] else text
    (tmp_path / "own.tir").write_text(text.replace(*change))
    with pytest.raises(ModelError) as caught:
        model('coefficients = "own.tir"', tmp_path)
    problem = caught.value.problems[0]
    assert message in problem.message and hint in problem.hint
    assert "coefficients" in problem.place


def test_a_missing_file_is_told() -> None:
    with pytest.raises(ModelError) as caught:
        parse_model(MODEL.replace("COEFFICIENTS", 'coefficients = "none.tir"'), "wheel.toml")
    assert "'none.tir' cannot be read" in caught.value.problems[0].message


def test_an_option_is_one_of_its_words() -> None:
    text = MODEL.replace("COEFFICIENTS", f'coefficients = "{TYRE}"\nside = "top"')
    with pytest.raises(ModelError) as caught:
        parse_model(text, "wheel.toml")
    assert "must be 'left' or 'right'" in caught.value.problems[0].message
