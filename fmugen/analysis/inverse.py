"""SystemModel -> SystemModel: inverse dynamics. Prescribed motions in, driving forces and torques out.

Every input that drives a torque, a force or a rotational actuator changes places with the motion in its
direction: a driver whose angle or displacement, rate and acceleration are inputs takes over, and what it
has to exert becomes an output with the name of the input (Khan 3.2 and 4.0.3). Nothing else changes: the
equations, their closure and the code are made from the inverse model as from any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fmugen.components.base import component_of, element_of
from fmugen.components.drivers import RotationDriver, TranslationDriver
from fmugen.components.exchange import Reversal
from fmugen.components.forces import ForceElement
from fmugen.errors import ModelError, Problem
from fmugen.evaluation import values_at_start
from fmugen.ir.flow import Closure
from fmugen.ir.formula import ONE, ZERO, Call, Formula, Name, Term
from fmugen.ir.model import GROUND, Element, Input, Output, Space, SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation

__all__ = ["inverse_model", "inverse_of", "prescribed_motions"]

_AXES = "xyz"


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
    for variable in model.inputs:
        uses = list(_uses(model, variable.name))
        try:
            exchanges.append(_exchange(model, variable, uses))
        except _NotInvertibleError as error:
            problems.append(Problem(f"inputs.{variable.name}", str(error)))
    if not model.inputs:
        problems.append(Problem("inputs", "there is no input whose force or torque could be found"))
    if problems:
        raise ModelError(model.name, tuple(problems))
    return exchanges


class _NotInvertibleError(Exception):
    """Why an input has no inverse."""


@dataclass(frozen=True)
class _Use:
    """A formula in which an input stands, by its number in what acts: a component of a load, an actuator."""

    element: Element
    kind: ForceElement
    value: Formula
    number: int


@dataclass(frozen=True)
class _Exchange:
    """The driver that takes the place of an input, its own inputs, and what it exerts.

    ``motion`` is what it prescribes, if a formula can tell.
    """

    given: Input
    use: _Use
    driver: Element
    inputs: tuple[Input, ...]
    exerted: Term
    motion: Term | None


def _uses(model: SystemModel, name: str) -> Iterator[_Use]:
    for element in model.in_section("forces", "springs"):
        kind = component_of(element)
        if isinstance(kind, ForceElement):
            for number, value in enumerate(kind.acting()):
                if name in value.names():
                    yield _Use(element, kind, value, number)


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
            raise _NotInvertibleError(f"the output {output.name} names it in 'by' or 'without'")
    reversal = use.kind.reversal(use.element, use.number, planar=model.space is Space.PLANAR)
    if isinstance(reversal, str):
        raise _NotInvertibleError(reversal)
    return _reversed(model, given, use, reversal)


def _require_unused(model: SystemModel, element: str) -> None:
    for output in model.outputs:
        if any(name.startswith(f"{element}.") for name in output.value.names()):
            raise _NotInvertibleError(f"the output {output.name} shows {element}, which a driver replaces")


def _reversed(model: SystemModel, given: Input, use: _Use, reversal: Reversal) -> _Exchange:
    element, planar = use.element, model.space is Space.PLANAR
    name = f"{element.name}_motion"
    inputs = _motion_inputs(element.name, rotation=reversal.turning)
    prescribed = _named(inputs[0].name)
    kind = RotationDriver if reversal.turning else TranslationDriver
    driver = element_of(
        kind(value=prescribed, axis=reversal.axis), name, (element.tail, element.head), planar=planar
    )
    exerted = _exerted(name, reversal)
    if reversal.sign < 0:
        exerted = Call("neg", (exerted,))
    motion = _difference(element, reversal.position) if reversal.position else None
    return _Exchange(given, use, driver, inputs, exerted, motion)


def _exerted(driver: str, reversal: Reversal) -> Term:
    if reversal.component is None:
        return Name(f"{driver}.torque")
    if reversal.turning:
        return Name(f"{driver}.t{_AXES[reversal.component]}")
    return _component(driver, reversal.frame, reversal.component)


def _component(driver: str, body: str, component: int) -> Term:
    """A component of a driver's force, which has components along the ground's axes, in a body's axes."""
    if body == GROUND:
        return Name(f"{driver}.f{_AXES[component]}")
    angle = Name(f"{body}.angle")
    along, across = Name(f"{driver}.fx"), Name(f"{driver}.fy")
    if component == 0:
        return Call("+", (_product("cos", angle, along), _product("sin", angle, across)))
    return Call("-", (_product("cos", angle, across), _product("sin", angle, along)))


def _difference(element: Element, kind: str) -> Term:
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
    changed: dict[str, Element] = {}
    for exchange in exchanges:
        use, name = exchange.use, exchange.given.name
        idle = _substituted(use.value.root, {name: ZERO.root})
        unit = _substituted(use.value.root, {name: ONE.root})
        found[name] = Call("/", (exchange.exerted, Call("-", (unit, idle))))
        rest = Formula(f"{use.value.text} without {name}", idle)
        element = changed.get(use.element.name, use.element)
        kind = component_of(element)
        if isinstance(kind, ForceElement):
            changed[element.name] = replace(element, values=kind.replaced(use.number, rest).given())
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
        elements=(
            *(changed.get(element.name, element) for element in model.elements),
            *(exchange.driver for exchange in exchanges),
        ),
        name=f"{model.name}Inverse",
        inputs=tuple(
            replace(variable, start=starts.get(variable.name, 0.0))
            for e in exchanges
            for variable in e.inputs
        ),
        outputs=(*answers, *outputs),
        starts=tuple(replace(start, fixed=False) for start in model.starts),
        trees=(),
    )


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
    """Whether a term is affine in a name, judged by its structure."""
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
