"""Values and quantities of elements as a mirror changes them.

A mirror M takes a position r to M r, the attitude R of every body to M R M, and an axis a to M a. So the
angle about an axis changes its sign, a displacement along it does not. What is axial, such as a torque,
becomes det(M) M t.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fmugen.components.base import REGISTRY, SECTIONS, Component, Form, Key, Mirror
from fmugen.components.freedoms import Anywhere, Plane
from fmugen.components.joints import Joint
from fmugen.components.measures import (
    Across,
    Angle,
    Attitude,
    Cosine,
    Effort,
    FreedomValue,
    Heading,
    NodePosition,
    Reading,
    Slide,
    Spin,
    StateValue,
    Through,
)
from fmugen.errors import FormulaError
from fmugen.formulas import parse
from fmugen.ir.arrays import Arrays
from fmugen.ir.formula import Formula, constant
from fmugen.ir.graph import Domain
from fmugen.ir.quantity import freedom_kinds
from fmugen.phases.read.assemblies.nouns import Number, Raw, Reflection

__all__ = ["kind_of", "mirrored_default", "mirrored_value", "negated", "parity", "prototype"]

_AXES = "xyz"


def kind_of(section: str, raw: object) -> type[Component] | None:
    """The class of an element's table, if it names a known type."""
    named = raw.get("type") if isinstance(raw, Mapping) else None
    known = REGISTRY.get(section, {})
    default = SECTIONS[section].default if section in SECTIONS else None
    return known.get(named) if isinstance(named, str) else known.get(default or "")


def negated(value: object) -> object:
    """The opposite of a number or formula; anything else is left to the reader."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    if not isinstance(value, str):
        return -value if value else value
    text = value.strip()
    try:
        measured = bool(parse(text).unit)
    except FormulaError:
        measured = False
    if measured:  # a number with a unit stays one
        return text[1:] if text[0] == "-" else f"-{text.removeprefix('+')}"
    return f"-({text})"


def signed(value: object, sign: int) -> object:
    return value if sign > 0 else negated(value)


def _each(value: object, signs: Sequence[int]) -> object:
    """A list with the sign of each component changed; what is not a list is left to the reader."""
    if not isinstance(value, list):
        return value
    padded = [*signs, *[1] * len(value)]
    return [signed(item, sign) for item, sign in zip(value, padded, strict=False)]


def mirrored_value(key: Key, value: object, mirror: Reflection) -> object:
    """The value of a key of an element in a mirrored assembly."""
    axial = [mirror.axial(axis) for axis in range(3)]
    match key.form:
        case Form.FORMULA:
            return signed(value, number_sign(key.mirrored, mirror))
        case Form.DIRECTION | Form.POSITION | Form.VECTOR:
            return _each(value, mirror.signs)
        case Form.FORMULA_OR_VECTOR:
            return _number_or_vector(value, number_sign(key.mirrored, mirror), mirror)
        case Form.AXIAL:
            return _each(value, axial) if isinstance(value, list) else signed(value, axial[2])
        case Form.INERTIA:
            x, y, z = mirror.signs
            return _each(value, (1, 1, 1, x * y, x * z, y * z))
        case Form.OPTION if value in key.options and number_sign(key.mirrored, mirror) < 0:
            first, second = key.options
            return second if value == first else first
        case Form.POINTS if isinstance(value, Mapping):
            return {name: mirrored_point(point, mirror) for name, point in value.items()}
        case Form.ARRAYS if isinstance(value, Arrays):
            return mirrored_arrays(key, value, mirror)
    return value


def _number_or_vector(value: object, sign: int, mirror: Reflection) -> object:
    return _each(value, mirror.signs) if isinstance(value, list) else signed(value, sign)


def mirrored_arrays(key: Key, arrays: Arrays, mirror: Reflection) -> Arrays:
    """The arrays with the signs of the vector components that their indices count."""
    polar, axial = list(mirror.signs), [mirror.axial(axis) for axis in range(3)]
    signs = {"p": polar, "a": axial, "w": [*polar, *axial]}
    made = {}
    for name, array in arrays.items():
        indices = key.shapes[name].indices
        for place, letter in enumerate(indices):
            if letter in signs:
                shape = [-1 if other == place else 1 for other in range(len(indices))]
                array = array * np.reshape(signs[letter], shape)
        made[name] = array
    return Arrays(arrays.name, made)


def mirrored_point(point: object, mirror: Reflection) -> object:
    """A point, by its position or its table."""
    if not isinstance(point, Mapping):
        return _each(point, mirror.signs)
    made = dict(point)
    if "position" in made:
        made["position"] = _each(made["position"], mirror.signs)
    sequence = made.get("sequence")
    if isinstance(sequence, str) and set(sequence) <= set(_AXES) and "angles" in made:
        made["angles"] = _each(made["angles"], [mirror.axial(_AXES.index(letter)) for letter in sequence])
    return made


def mirrored_default(key: Key, mirror: Reflection) -> list[Number] | str | None:
    """The value to write where the default of a key is not its own mirror image."""
    if key.form is Form.OPTION:
        image = mirrored_value(key, key.default, mirror)
        return None if image == key.default else str(image)
    if key.form is not Form.DIRECTION or not isinstance(key.default, tuple):
        return None
    numbers = [part.number or 0.0 for part in key.default if isinstance(part, Formula)]
    turned = [sign * number for sign, number in zip(mirror.signs, numbers, strict=True)]
    return None if turned == numbers else [int(number) for number in turned]


def number_sign(kind: Mirror, mirror: Reflection) -> int:
    match kind:
        case Mirror.REVERSED:
            return mirror.turn
        case Mirror.ABOUT_Z:
            return mirror.axial(2)
        case Mirror.ABOUT_X:
            return mirror.axial(0)
        case Mirror.ALONG_Y:
            return mirror.signs[1]
        case Mirror.ALONG_Z:
            return mirror.signs[2]
    return 1


def prototype(kind: type[Component], raw: Raw) -> Component:
    """An element of the type with those values that decide which quantities it has."""
    keys: Sequence[Key] = kind.table_keys()
    variants = kind.variants()
    chosen = raw.get(kind.variant_key) if kind.variant_key else None
    if isinstance(chosen, str) and chosen in variants:
        keys = variants[chosen]
    made = kind.prototype()
    deciding = ((key, _deciding(key, raw.get(key.name))) for key in keys)
    texts = {key.name: value for key, value in deciding if value is not None}
    if not texts:
        return made
    required = {key.name: getattr(made, key.name) for key in keys if key.required}
    return kind(**{**required, **texts})


def _deciding(key: Key, value: object) -> object | None:
    """A value that decides which quantities an element has, if it is one."""
    match key.form:
        case Form.ATTITUDE | Form.TYPE | Form.OPTION if isinstance(value, str):
            return value
        case Form.COUNT if isinstance(value, int):
            return constant(value)
        case Form.ARRAYS if isinstance(value, Arrays):
            return value
    return None


def parity(element: Component, reading: Reading, mirror: Reflection) -> int:
    """The sign that a quantity of an element has in the mirror image."""
    rule = _SIGNS.get(type(reading.measure))
    return 1 if rule is None else rule(element, reading, mirror)


def _slide(element: Component, reading: Reading, mirror: Reflection) -> int:
    """Along an axis the sign stays; in a plane the second direction completes a right-handed triad."""
    assert isinstance(reading.measure, Slide)
    slides = element.freedoms().slides if isinstance(element, Joint) else None
    match slides:
        case Plane():
            return mirror.turn if reading.measure.axis else 1
        case Anywhere():
            return mirror.signs[reading.measure.axis]
    return 1


def _attitude(element: Component, reading: Reading, mirror: Reflection) -> int:
    given = element.given()
    sequence = str(given.get("attitude", "zyx"))
    return mirror.axial(_AXES.index(sequence[int(reading.kind[-1]) - 1]))


def _state(element: Component, reading: Reading, mirror: Reflection) -> int:
    kinds = {state.name: state.mirrored for state in element.states}
    return number_sign(kinds.get(reading.kind, Mirror.KEPT), mirror)


def _own_coordinate(element: Component, reading: Reading, mirror: Reflection) -> int:
    for own in (*element.own_coordinates(planar=True), *element.own_coordinates(planar=False)):
        if reading.kind in (kind for kind, *_ in freedom_kinds(own.name, own.unit)):
            return number_sign(own.mirrored, mirror)
    return 1


def _by_domain(element: Component, reading: Reading, mirror: Reflection) -> int:
    measure = reading.measure
    assert isinstance(measure, Across | Effort)
    return mirror.turn if measure.domain is Domain.ROTATION else 1


def _through(element: Component, reading: Reading, mirror: Reflection) -> int:
    measure = reading.measure
    assert isinstance(measure, Through)
    turns = measure.domain is Domain.ROTATION
    return mirror.axial(measure.component) if turns else mirror.signs[measure.component]


def _place(element: Component, reading: Reading, mirror: Reflection) -> int:
    assert isinstance(reading.measure, NodePosition)
    return mirror.signs[reading.measure.component]


def _cosine(element: Component, reading: Reading, mirror: Reflection) -> int:
    assert isinstance(reading.measure, Cosine)
    return mirror.signs[reading.measure.row] * mirror.signs[reading.measure.column]


def _spin(element: Component, reading: Reading, mirror: Reflection) -> int:
    assert isinstance(reading.measure, Spin)
    return mirror.axial(reading.measure.component)


def _turn(element: Component, reading: Reading, mirror: Reflection) -> int:
    return mirror.turn


_SIGNS: Mapping[type, Callable[[Component, Reading, Reflection], int]] = {
    NodePosition: _place,
    Heading: _turn,
    Cosine: _cosine,
    Spin: _spin,
    Attitude: _attitude,
    Slide: _slide,
    Angle: _turn,
    Across: _by_domain,
    Effort: _by_domain,
    Through: _through,
    StateValue: _state,
    FreedomValue: _own_coordinate,
}
