"""Draft -> SystemModel: the elements first, then everything that names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fmugen.components.base import component_of
from fmugen.ir.formula import TIME, ZERO, Call, Formula, Name
from fmugen.ir.model import (
    GROUND,
    Element,
    Experiment,
    Input,
    NamedTrees,
    Output,
    Parameter,
    Space,
    Start,
    SystemModel,
)
from fmugen.ir.quantity import Level, Quantity, derivative_names
from fmugen.phases.read.draft import ELEMENT_SECTIONS, NETWORK_SECTIONS, DraftModel
from fmugen.phases.read.elements import ElementReader, vector
from fmugen.phases.read.measured import check_measured
from fmugen.phases.read.names import (
    Scope,
    check_formulas,
    check_names,
    check_outputs,
    check_rates,
    check_stamps,
    scope_of,
    sole_name,
    unknown_name,
)
from fmugen.phases.read.networks import read_components
from fmugen.phases.read.problems import KeyPath, ProblemLog
from fmugen.phases.read.schema import LimitedTable, OutputTable
from fmugen.suggestions import did_you_mean
from fmugen.units import coherent_text, parse_unit, quotient

__all__ = ["resolve"]


def resolve(draft: DraftModel, problems: ProblemLog) -> SystemModel:
    """The model of a draft; it may be used only if no problem has been logged."""
    check_names(draft, problems)
    check_rates(draft, problems)
    check_stamps(draft, problems)
    check_outputs(draft, problems)
    mechanism = _mechanism(draft, problems)
    scope = scope_of(draft, mechanism)
    check_formulas(draft, scope, problems)
    _check_units(draft, scope, problems)
    check_measured(draft, scope, problems)
    return replace(
        mechanism,
        outputs=tuple(_outputs(draft, scope)),
        starts=tuple(_starts(draft, scope, mechanism.elements, problems)),
        steady=draft.start is not None and draft.start.steady,
        trees=tuple(_trees(draft, problems)),
        independent=tuple(_independent(draft, scope, problems)),
        experiment=_experiment(draft, problems),
    )


def _require_limits(place: KeyPath, value: float, table: LimitedTable, problems: ProblemLog) -> None:
    if table.min is not None and value < table.min:
        problems.add(place, f"the value {value:g} is below its min {table.min:g}", "change one of them")
    if table.max is not None and value > table.max:
        problems.add(place, f"the value {value:g} is above its max {table.max:g}", "change one of them")


def _mechanism(draft: DraftModel, problems: ProblemLog) -> SystemModel:
    """The model without what refers to quantities."""
    if not any(draft.names[section] for section in ("bodies", *NETWORK_SECTIONS)):
        hint = "add one: [bodies.crank] or [electrical.R1]"
        problems.add(("bodies",), "the model has neither bodies nor components", hint)
    for name, table in draft.parameters.items():
        _require_limits(("parameters", name), table.value, table, problems)
    for name, variable in draft.inputs.items():
        _require_limits(("inputs", name), variable.start, variable, problems)
    elements = ElementReader(draft, problems)
    model = SystemModel(
        name="",
        space=draft.space,
        parameters=tuple(
            Parameter(name, table.value, table.unit, table.description, table.min, table.max, table.nominal)
            for name, table in draft.parameters.items()
        ),
        inputs=tuple(
            Input(
                name,
                table.start,
                table.unit,
                table.description,
                table.rate,
                table.min,
                table.max,
                table.nominal,
                table.stamp,
                table.slope,
            )
            for name, table in draft.inputs.items()
        ),
        ground=elements.ground(),
        elements=(*elements.elements(), *read_components(draft, problems)),
    )
    if draft.model is None:
        return model
    gravity = vector(draft.model.gravity)
    return replace(model, name=draft.model.name, description=draft.model.description, gravity=gravity)


# --- units and outputs ---------------------------------------------------------------------------


def _check_units(draft: DraftModel, scope: Scope, problems: ProblemLog) -> None:
    """Numbers are in SI: no value is converted, so a unit with a factor is an error."""
    for name, parameter in draft.parameters.items():
        _check_coherent(("parameters", name, "unit"), parameter.unit, "value", parameter.value, problems)
    for name, variable in draft.inputs.items():
        _check_coherent(("inputs", name, "unit"), variable.unit, "start", variable.start, problems)
    for name, output in draft.outputs.items():
        if output.unit is None:
            continue
        place: KeyPath = ("outputs", name, "unit")
        _check_coherent(place, output.unit, None, 0.0, problems)
        quantity = scope.quantities.get(sole_name(output.value) or "")
        unit = _inherited_unit(output, draft, scope)
        if quantity and not parse_unit(output.unit).same_dimension(parse_unit(unit)):
            what = (
                f"the derivative of {quantity.name!r} by {output.by!r}" if output.by else repr(quantity.name)
            )
            message = f"{what} is in {unit!r}, not {output.unit!r}"
            problems.add(place, message, "leave the unit out to have that of the quantity")


def _check_coherent(place: KeyPath, text: str, key: str | None, value: float, problems: ProblemLog) -> None:
    unit = parse_unit(text)
    if unit.is_coherent:
        return
    target = coherent_text(text)
    advice = f'unit = "{target}"'
    if key is not None:
        advice = f"{key} = {value * unit.factor:.12g}, {advice}"
    problems.add(place, f"all numbers of a model are in SI, but {text!r} is not", f"write {advice}")


def _outputs(draft: DraftModel, scope: Scope) -> Iterator[Output]:
    for name, table in draft.outputs.items():
        unit = _inherited_unit(table, draft, scope) if table.unit is None else table.unit
        yield Output(name, table.value, unit, table.description, table.by, tuple(table.without))


def _inherited_unit(table: OutputTable, draft: DraftModel, scope: Scope) -> str:
    """The unit of the one thing the formula names, or reverses; that of a plain number if it is more."""
    unit = _formula_unit(table.value, draft, scope)
    named = sole_name(table.value) is not None and table.by in draft.inputs
    return quotient(unit, draft.inputs[table.by].unit) if named else unit


def _formula_unit(formula: Formula, draft: DraftModel, scope: Scope) -> str:
    root = formula.root
    while isinstance(root, Call) and root.function == "neg":  # as mirrored quantities are
        (root,) = root.arguments
    if not isinstance(root, Name):
        return "1"
    name = root.text
    if name == TIME:
        return "s"
    source = scope.quantities.get(name) or draft.parameters.get(name) or draft.inputs.get(name)
    return source.unit if source else "1"


# --- start values, trees, experiment -------------------------------------------------------------


def _starts(
    draft: DraftModel, scope: Scope, elements: Iterable[Element], problems: ProblemLog
) -> Iterator[Start]:
    yield from _given_starts(draft, scope, problems)
    if draft.start is not None and draft.start.steady:
        return
    given = set() if draft.start is None else {*draft.start.fixed, *draft.start.guess}
    planar = draft.space is Space.PLANAR
    for element in elements:
        for own in component_of(element).own_coordinates(planar=planar) if not element.ports else ():
            position, rate, _ = (f"{element.name}.{kind}" for kind in derivative_names(own.name))
            yield from (
                Start(n, ZERO, fixed=True) for n in (position, rate) if own.at_rest and n not in given
            )


def _given_starts(draft: DraftModel, scope: Scope, problems: ProblemLog) -> Iterator[Start]:
    if draft.start is None:
        return
    for group, values in (("fixed", draft.start.fixed), ("guess", draft.start.guess)):
        for name, value in values.items():
            _check_start(("start", group, name), name, draft, scope, problems)
            yield Start(name, value, fixed=group == "fixed")
    for name in draft.start.guess:
        if name in draft.start.fixed:
            message = f"{name!r} has a fixed start value too"
            problems.add(("start", "guess", name), message, "keep one of the two")


def _check_start(place: KeyPath, name: str, draft: DraftModel, scope: Scope, problems: ProblemLog) -> None:
    quantity = scope.quantities.get(name)
    if quantity is None:
        if name.rpartition(".")[0] not in scope.unreadable:
            usable = [name for name, known in scope.quantities.items() if not _why_no_start(known, draft)]
            problems.add(place, *unknown_name(name, scope, usable))
    elif reason := _why_no_start(quantity, draft):
        hint = "give positions and velocities of bodies, points and joints"
        problems.add(place, f"{name!r} can have no start value: {reason}", hint)


def _why_no_start(quantity: Quantity, draft: DraftModel) -> str:
    """Why the quantity can have no start value; empty if it can."""
    if quantity.owner == GROUND or quantity.owner.startswith(f"{GROUND}."):
        return "the ground does not move"
    # Drivers, forces and springs have no points, so that their quantities belong to themselves.
    element = quantity.owner
    if element in draft.names["drivers"]:
        return "it belongs to a driver, which prescribes it"
    if quantity.network:
        return "it follows from the forces" if quantity.level is Level.ACCELERATION else ""
    if element in draft.names["forces"] or element in draft.names["springs"]:
        return "it belongs to a force or a spring, which has no motion of its own"
    if quantity.level is Level.ACCELERATION:
        return "it follows from the forces"
    return ""


def _trees(draft: DraftModel, problems: ProblemLog) -> Iterator[NamedTrees]:
    elements = [name for section in ELEMENT_SECTIONS for name in draft.names[section]]
    for name, table in draft.trees.items():
        for graph, tree in (("translation", table.translation), ("rotation", table.rotation)):
            for index, element in enumerate(tree):
                place: KeyPath = ("trees", name, graph, index)
                if element not in elements:
                    problems.add(place, f"there is no element {element!r}", did_you_mean(element, elements))
                elif element in tree[:index]:
                    problems.add(place, f"{element!r} is in the tree twice", "name it once")
        yield NamedTrees(name, tuple(table.translation), tuple(table.rotation), table.complete)


def _independent(draft: DraftModel, scope: Scope, problems: ProblemLog) -> Iterator[str]:
    """Names of positions; which of them are coordinates depends on the trees."""
    named = draft.closure.independent if draft.closure else []
    for index, name in enumerate(named):
        place: KeyPath = ("closure", "independent", index)
        quantity = scope.quantities.get(name)
        if name in named[:index]:
            problems.add(place, f"{name!r} is named twice", "name it once")
        elif quantity is None:
            if name.rpartition(".")[0] not in scope.unreadable:
                positions = [n for n, known in scope.quantities.items() if known.level is Level.POSITION]
                problems.add(place, *unknown_name(name, scope, positions))
        elif quantity.level is not Level.POSITION:
            problems.add(
                place, f"{name!r} is not a position", "name coordinates such as pin.angle or slide.s"
            )
        yield name


def _experiment(draft: DraftModel, problems: ProblemLog) -> Experiment:
    table = draft.experiment
    if table is None:
        return Experiment()
    if table.step > table.stop:
        message = f"the step ({table.step:g} s) is longer than the run ({table.stop:g} s)"
        problems.add(("experiment", "step"), message)
    return Experiment(table.stop, table.step, table.tolerance)
