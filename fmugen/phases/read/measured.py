"""Numbers that carry a unit: it has the dimension that the key expects."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.base import Form
from fmugen.phases.read.draft import DraftModel
from fmugen.phases.read.fields import Measured
from fmugen.phases.read.names import Scope
from fmugen.phases.read.problems import KeyPath, ProblemLog
from fmugen.phases.read.schema import ElementTable, Table, formulas_of
from fmugen.units import parse_unit

__all__ = ["check_measured"]


def check_measured(draft: DraftModel, scope: Scope, problems: ProblemLog) -> None:
    """Check that the unit of every number of the draft has the dimension of its key."""
    for place, unit, expected in _units(draft, scope):
        if unit and not parse_unit(unit).same_dimension(parse_unit(expected)):
            plain = "a plain number" if expected == "1" else f"a unit like {expected!r}"
            message = f"the unit {unit!r} does not fit: {plain} is expected"
            problems.add(place, message, f"write the number in {expected!r}" if expected != "1" else "")


def _units(draft: DraftModel, scope: Scope) -> Iterator[tuple[KeyPath, str, str]]:
    """The place of each number, the unit it carries (or none), and that of its key."""
    for section, tables in draft.elements.items():
        for name, table in tables.items():
            yield from _of_element((section, name), table)
    if draft.ground is not None:
        yield from _of_points(("ground",), draft.ground)
    if draft.model is not None:
        for place, formula, _ in formulas_of(draft.model):
            yield ("model", *place), formula.unit, "m/s2"
    if draft.start is not None:
        for place, formula, _ in formulas_of(draft.start):
            quantity = scope.quantities.get(str(place[-1]))
            if quantity is not None:
                yield ("start", *place), formula.unit, quantity.unit
    for name, output in draft.outputs.items():
        if output.unit is not None:
            yield ("outputs", name, "value"), output.value.unit, output.unit
    yield from _of_numbers(draft)


def _of_element(place: KeyPath, table: ElementTable) -> Iterator[tuple[KeyPath, str, str]]:
    keys = {key.name: key for key in table.keys.values()}
    for inner, formula, _ in formulas_of(table):
        key = keys.get(str(inner[0]))
        if key is not None:
            turned = key.form is Form.POINTS and "angles" in inner[2:]
            yield (*place, *inner), formula.unit, "rad" if turned else key.unit


def _of_points(place: KeyPath, table: Table) -> Iterator[tuple[KeyPath, str, str]]:
    for inner, formula, _ in formulas_of(table):
        yield (*place, *inner), formula.unit, "rad" if "angles" in inner[2:] else "m"


def _of_numbers(draft: DraftModel) -> Iterator[tuple[KeyPath, str, str]]:
    for name, parameter in draft.parameters.items():
        for key in ("value", "min", "max", "nominal"):
            yield ("parameters", name, key), _unit(getattr(parameter, key)), parameter.unit
    for name, variable in draft.inputs.items():
        for key in ("start", "min", "max", "nominal"):
            yield ("inputs", name, key), _unit(getattr(variable, key)), variable.unit
    if draft.experiment is not None:
        for key, expected in (("stop", "s"), ("step", "s"), ("tolerance", "1")):
            yield ("experiment", key), _unit(getattr(draft.experiment, key)), expected


def _unit(number: object) -> str:
    return number.unit if isinstance(number, Measured) else ""
