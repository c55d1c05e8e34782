"""SystemModel -> SystemModel: inverse dynamics. Prescribed motions in, driving forces and torques out.

Every input that drives a torque, a force or a rotational actuator changes places with the motion in its
direction: a driver whose angle or displacement, rate and acceleration are inputs takes over, and what it
has to exert becomes an output with the name of the input (Khan 3.2 and 4.0.3). Nothing else changes: the
equations, their closure and the code are made from the inverse model as from any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fmugen.errors import ModelError, Problem
from fmugen.ir.flow import Closure
from fmugen.ir.formula import ONE, ZERO, Call, Formula, Name, Term
from fmugen.ir.model import (
    GROUND,
    Driver,
    DriverType,
    Input,
    Load,
    LoadType,
    Output,
    Space,
    Spring,
    SpringType,
    SystemModel,
    Vector,
)
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation
from fmugen.start import values_at_start

__all__ = ["inverse_model", "inverse_of", "prescribed_motions"]

_AXES = "xyz"
_UNIT_VECTORS: tuple[Vector, ...] = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def inverse_of(model: SystemModel) -> SystemModel:
    """The inverse model, whose prescribed motions start where ``model`` starts."""
    motions = prescribed_motions(model)
    outputs = tuple(Output(name, value) for name, value in motions.items())
    probe = replace(model, outputs=outputs, independent=())
    made = Compilation(probe, ExportOptions("aac", Closure.NEWTON))
    starts = values_at_start(probe, made.dae, made.flow, list(made.dae.outputs.values()))
    return inverse_model(model, dict(zip(made.dae.outputs, starts, strict=True)))


def inverse_model(model: SystemModel, starts: Mapping[str, float] | None = None) -> SystemModel:
    """The model whose inputs are the motions that the inputs of ``model`` drive.

    Parameters
    ----------
    model
        What is to be inverted.
    starts
        Start values of :func:`prescribed_motions`.

    Raises
    ------
    ModelError
        If an input drives nothing, several things, or something that is not in the direction of a motion.
    """
    return _exchanged(model, _exchanges(model), starts or {})


def prescribed_motions(model: SystemModel) -> dict[str, Formula]:
    """The motions that become inputs, by the names of these, as formulas of the model that is inverted."""
    return {
        exchange.inputs[0].name: Formula(exchange.inputs[0].name, exchange.motion)
        for exchange in _exchanges(model)
        if exchange.motion is not None
    }


def _exchanges(model: SystemModel) -> list[_Exchange]:
    problems: list[Problem] = []
    exchanges = []
    for given in model.inputs:
        uses = list(_uses(model, given.name))
        try:
            exchanges.append(_exchange(model, given, uses))
        except _NotInvertibleError as error:
            problems.append(Problem(f"inputs.{given.name}", str(error)))
    if not model.inputs:
        problems.append(Problem("inputs", "there is no input whose force or torque could be found"))
    if problems:
        raise ModelError(model.name, tuple(problems))
    return exchanges


class _NotInvertibleError(Exception):
    """Why an input has no inverse."""


@dataclass(frozen=True)
class _Use:
    """A formula in which an input stands: a component of a load, or the actuator of a spring."""

    element: Load | Spring
    value: Formula
    component: int


@dataclass(frozen=True)
class _Exchange:
    """The driver that takes the place of an input, its own inputs, and what it exerts.

    ``motion`` is what it prescribes, if a formula can tell.
    """

    given: Input
    use: _Use
    driver: Driver
    inputs: tuple[Input, ...]
    exerted: Term
    motion: Term | None


def _uses(model: SystemModel, name: str) -> Iterator[_Use]:
    for load in model.loads:
        vector = load.force if load.type is LoadType.FORCE else load.torque
        for component, value in enumerate(vector):
            if name in value.names():
                yield _Use(load, value, component)
    for spring in model.springs:
        if name in spring.actuator.names():
            yield _Use(spring, spring.actuator, 2)


def _exchange(model: SystemModel, given: Input, uses: list[_Use]) -> _Exchange:
    if len(uses) != 1:
        how_many = "no force, torque or actuator" if not uses else f"{len(uses)} formulas"
        raise _NotInvertibleError(f"drives {how_many}: an inverse needs exactly one")
    [use] = uses
    if not _is_linear(use.value.root, given.name):
        raise _NotInvertibleError(f"{use.element.name} is not proportional to it")
    _require_unused(model, use.element.name)
    for output in model.outputs:
        if given.name in (output.by, *output.without):
            raise _NotInvertibleError(f"the output {output.name} is taken by it or without it")
    if isinstance(use.element, Spring):
        return _spring_exchange(model, given, use, use.element)
    if use.element.type is LoadType.TORQUE:
        return _torque_exchange(model, given, use, use.element)
    return _force_exchange(model, given, use, use.element)


def _require_unused(model: SystemModel, element: str) -> None:
    for output in model.outputs:
        if any(name.startswith(f"{element}.") for name in output.value.names()):
            raise _NotInvertibleError(f"the output {output.name} shows {element}, which a driver replaces")


def _spring_exchange(model: SystemModel, given: Input, use: _Use, spring: Spring) -> _Exchange:
    if spring.type is not SpringType.ROTATIONAL or model.space is not Space.PLANAR:
        raise _NotInvertibleError(f"{spring.name} is not a planar rotational actuator")
    driver = _rotation(f"{spring.name}_motion", spring, axis=None)
    # The actuator acts on the tail; the driver's torque is that on the head.
    exerted = Call("neg", (Name(f"{driver.name}.torque"),))
    inputs = _motion_inputs(spring.name, rotation=True)
    return _Exchange(given, use, driver, inputs, exerted, _difference(spring, "angle"))


def _torque_exchange(model: SystemModel, given: Input, use: _Use, load: Load) -> _Exchange:
    planar = model.space is Space.PLANAR
    if not planar and (load.tail.body != GROUND or load.frame != GROUND):
        raise _NotInvertibleError(f"{load.name} is not a torque against the ground about one of its axes")
    driver = _rotation(f"{load.name}_motion", load, axis=None if planar else _UNIT_VECTORS[use.component])
    kind = "torque" if planar else f"t{_AXES[use.component]}"
    inputs = _motion_inputs(load.name, rotation=True)
    motion = _difference(load, "angle") if planar else None
    return _Exchange(given, use, driver, inputs, Name(f"{driver.name}.{kind}"), motion)


def _rotation(name: str, element: Load | Spring, axis: Vector | None) -> Driver:
    angle = _named(f"{element.name}_angle")
    return Driver(name, DriverType.ROTATION, element.tail, element.head, angle=angle, axis=axis)


def _force_exchange(model: SystemModel, given: Input, use: _Use, load: Load) -> _Exchange:
    if load.frame != load.tail.body:
        raise _NotInvertibleError(f"{load.name} is not along an axis of {load.tail.body}, from where it acts")
    if model.space is not Space.PLANAR and load.frame != GROUND:
        raise _NotInvertibleError(f"{load.name} is not a force against the ground along one of its axes")
    name = f"{load.name}_motion"
    displacement = (_named(f"{load.name}_s"), ZERO, ZERO)
    axis = _UNIT_VECTORS[use.component]
    driver = Driver(name, DriverType.TRANSLATION, load.tail, load.head, displacement=displacement, axis=axis)
    exerted = _component(name, load.tail.body, use.component)
    inputs = _motion_inputs(load.name, rotation=False)
    motion = _difference(load, _AXES[use.component]) if load.frame == GROUND else None
    return _Exchange(given, use, driver, inputs, exerted, motion)


def _component(driver: str, body: str, component: int) -> Term:
    """A component of a driver's force, which has components along the ground's axes, in a body's axes."""
    if body == GROUND:
        return Name(f"{driver}.f{_AXES[component]}")
    angle = Name(f"{body}.angle")
    along, across = Name(f"{driver}.fx"), Name(f"{driver}.fy")
    if component == 0:
        return Call("+", (_product("cos", angle, along), _product("sin", angle, across)))
    return Call("-", (_product("cos", angle, across), _product("sin", angle, along)))


def _difference(element: Load | Spring, kind: str) -> Term:
    """An angle or a coordinate of the head, from the tail."""
    ends = []
    for place in (element.head, element.tail):
        of_point = kind != "angle" and place.point is not None
        owner = f"{place.body}.{place.point}" if of_point else place.body
        ends.append(ZERO.root if owner == GROUND else Name(f"{owner}.{kind}"))
    return Call("-", (ends[0], ends[1]))


def _product(function: str, angle: Term, force: Term) -> Term:
    return Call("*", (Call(function, (angle,)), force))


def _motion_inputs(element: str, *, rotation: bool) -> tuple[Input, ...]:
    names = ("angle", "omega", "alpha") if rotation else ("s", "v", "a")
    unit = "rad" if rotation else "m"
    motion, rate, second = (f"{element}_{name}" for name in names)
    return (
        Input(motion, unit=unit, description=f"prescribed motion of {element}", rate=rate),
        Input(rate, unit=f"{unit}/s", description=f"rate of {motion}", rate=second),
        Input(second, unit=f"{unit}/s2", description=f"rate of {rate}"),
    )


# --- the exchanged model ----------------------------------------------------------------------------


def _exchanged(model: SystemModel, exchanges: list[_Exchange], starts: Mapping[str, float]) -> SystemModel:
    found: dict[str, Term] = {}
    loads, springs = list(model.loads), list(model.springs)
    for exchange in exchanges:
        use, name = exchange.use, exchange.given.name
        idle = _substituted(use.value.root, {name: ZERO.root})
        unit = _substituted(use.value.root, {name: ONE.root})
        found[name] = Call("/", (exchange.exerted, Call("-", (unit, idle))))
        rest = Formula(f"{use.value.text} without {name}", idle)
        loads = [_without(load, use, rest) if load is use.element else load for load in loads]
        springs = [replace(s, actuator=rest) if s is use.element else s for s in springs]
    outputs = [
        replace(output, value=Formula(output.value.text, _substituted(output.value.root, found)))
        for output in model.outputs
    ]
    answers = [
        Output(e.given.name, Formula(e.given.name, found[e.given.name]), e.given.unit, e.given.description)
        for e in exchanges
    ]
    return replace(
        model,
        name=f"{model.name}Inverse",
        inputs=tuple(
            replace(given, start=starts.get(given.name, 0.0)) for e in exchanges for given in e.inputs
        ),
        outputs=(*answers, *outputs),
        drivers=(*model.drivers, *(exchange.driver for exchange in exchanges)),
        loads=tuple(loads),
        springs=tuple(springs),
        starts=tuple(replace(start, fixed=False) for start in model.starts),
        trees=(),
    )


def _without(load: Load, use: _Use, rest: Formula) -> Load:
    given = load.force if load.type is LoadType.FORCE else load.torque
    x, y, z = (rest if number == use.component else value for number, value in enumerate(given))
    if load.type is LoadType.FORCE:
        return replace(load, force=(x, y, z))
    return replace(load, torque=(x, y, z))


# --- formulas -----------------------------------------------------------------------------------------


def _named(name: str) -> Formula:
    return Formula(name, Name(name))


def _substituted(term: Term, values: dict[str, Term]) -> Term:
    match term:
        case Name(text):
            return values.get(text, term)
        case Call(function, arguments):
            return Call(function, tuple(_substituted(argument, values) for argument in arguments))
    return term


def _is_linear(term: Term, name: str) -> bool:
    """Whether a term is affine in a name, as far as its shape tells."""
    if not _contains(term, name) or isinstance(term, Name):
        return True
    match term:
        case Call("+" | "-" | "neg", arguments):
            return all(_is_linear(argument, name) for argument in arguments)
        case Call("*", (left, right)):
            outer, inner = (left, right) if _contains(right, name) else (right, left)
            return not _contains(outer, name) and _is_linear(inner, name)
        case Call("/", (numerator, denominator)):
            return not _contains(denominator, name) and _is_linear(numerator, name)
    return False


def _contains(term: Term, name: str) -> bool:
    return name in Formula("", term).names()
