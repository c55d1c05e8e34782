"""Unit strings: dimensions, factors, and what is said about the wrong ones."""

from __future__ import annotations

import math

import pytest
from element_views import Joint, JointType, Spring, SpringType, model_of

from fmugen.errors import FormulaError
from fmugen.ir.formula import ONE
from fmugen.ir.model import Attachment as At
from fmugen.ir.model import Body, quantities
from fmugen.units import Unit, coherent_text, parse_unit


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("1", Unit()),
        ("m", Unit(m=1)),
        ("m/s2", Unit(m=1, s=-2)),
        ("N.m", Unit(kg=1, m=2, s=-2)),
        ("N.m.s/rad", Unit(kg=1, m=2, s=-1, rad=-1)),
        ("kg.m2", Unit(kg=1, m=2)),
        ("1/s", Unit(s=-1)),
        ("s-1", Unit(s=-1)),
        ("J/(kg.K)", Unit(m=2, s=-2, K=-1)),
        ("Ohm.F", Unit(s=1)),
        ("H/Ohm", Unit(s=1)),
        ("mm", Unit(m=1, factor=1e-3)),
        ("mm2", Unit(m=2, factor=1e-6)),
        ("kN", Unit(kg=1, m=1, s=-2, factor=1e3)),
        ("deg", Unit(rad=1, factor=math.pi / 180)),
        ("km/h", Unit(m=1, s=-1, factor=1e3 / 3600)),
    ],
)
def test_meaning(text: str, unit: Unit) -> None:
    parsed = parse_unit(text)
    assert parsed.exponents == unit.exponents
    assert parsed.factor == pytest.approx(unit.factor, rel=1e-15)
    assert parsed.offset == 0.0


def test_units_of_si_are_coherent_and_others_are_not() -> None:
    assert parse_unit("N.m/rad").is_coherent
    assert not parse_unit("g").is_coherent


def test_an_angle_counts_as_a_number_in_comparisons() -> None:
    assert parse_unit("rad/s").same_dimension(parse_unit("1/s"))
    assert not parse_unit("rad").same_dimension(parse_unit("m"))


@pytest.mark.parametrize(
    ("text", "coherent"), [("N.mm/deg", "N.m/rad"), ("rev/min", "rad/s"), ("g", "kg"), ("MPa", "Pa")]
)
def test_coherent_text_is_the_same_dimension_without_a_factor(text: str, coherent: str) -> None:
    assert coherent_text(text) == coherent
    assert parse_unit(coherent).is_coherent
    assert parse_unit(coherent).exponents == parse_unit(text).exponents


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Nm", "did you mean 'N.m'?"),
        ("N*m", "did you mean 'N.m'?"),
        ("m^2", "did you mean 'm2'?"),
        ("kg.m\N{SUPERSCRIPT TWO}", "did you mean 'kg.m2'?"),
        ("Kg", "did you mean 'kg'?"),
        ("J/kg.K", "'J/(kg.K)'"),
        ("m/s/s", "'m/(s.s)'"),
        ("furlong", "units are made of m, s"),
        ("", "unknown unit"),
        ("m/", "unknown unit"),
        ("kmin", "unknown unit"),
    ],
)
def test_errors_suggest(text: str, words: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_unit(text)
    assert words in caught.value.message


def test_every_unit_of_a_quantity_is_known_and_coherent() -> None:
    ends = At("ground"), At("crank")
    model = model_of(
        name="m",
        bodies=(Body("crank", ONE, ONE),),
        joints=tuple(Joint(kind.value, kind, *ends) for kind in JointType),
        springs=tuple(Spring(f"{kind.value}_spring", kind, *ends) for kind in SpringType),
    )
    units = {quantity.unit for quantity in quantities(model)}
    assert len(units) >= 8
    assert all(parse_unit(unit).is_coherent for unit in units)
