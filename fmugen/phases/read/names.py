"""Names: how they may be spelled, which are taken, and which of them each formula may use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fmugen.components.base import REGISTRY, FormulaScope
from fmugen.components.road import PLACE
from fmugen.ir.formula import CONSTANTS, FUNCTIONS, TIME, Formula, Name
from fmugen.ir.model import GROUND, Space, SystemModel, attitude_kinds, quantities
from fmugen.ir.quantity import Level, Quantity
from fmugen.phases.read.draft import ELEMENT_SECTIONS, NETWORK_SECTIONS, DraftModel
from fmugen.phases.read.problems import KeyPath, ProblemLog
from fmugen.phases.read.schema import Table, formulas_of
from fmugen.suggestions import closest, did_you_mean
from fmugen.units import parse_unit

__all__ = [
    "Scope",
    "check_formulas",
    "check_names",
    "check_outputs",
    "check_rates",
    "check_stamps",
    "scope_of",
    "sole_name",
    "unknown_name",
]

#: Elements of assemblies have the names of their uses before their own.
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
#: First words of names that every FMU or every formula has already.
_RESERVED = frozenset({GROUND, TIME, "closure", "solver", *CONSTANTS})
_RESERVED_FOR_ELEMENTS = _RESERVED | {"start", "gravity"}
_RESERVED_IN_FORMULAS = _RESERVED | set(FUNCTIONS)
#: Coordinates of bodies with Euler parameters: no quantities, but variables of the FMU.
_EULER_PARAMETERS = frozenset(f"{rate}p{index}" for rate in ("", "d", "dd") for index in range(4))

#: What formulas are for that are evaluated while the model runs: they may use inputs and quantities.
_RUNNING = (FormulaScope.FORCE, FormulaScope.VALUE, FormulaScope.OUTPUT)
_CONSTANT = (FormulaScope.CONSTANT, FormulaScope.ROAD)
#: Names that the formulas of a use have of their own.
_OWN_NAMES = {FormulaScope.ROAD: PLACE}
_REASONS = {
    FormulaScope.ROAD: "the height of a road depends on the place alone: only parameters, pi, road_x and "
    "road_y may be used",
    FormulaScope.CONSTANT: "this value is constant: only parameters and pi may be used",
    FormulaScope.DRIVER: "a driver is differentiated twice by time: it can use parameters, pi, time, and "
    "inputs whose first two rates are inputs",
    FormulaScope.FORCE: "a force can use positions, velocities and accelerations, but not other forces and "
    "what follows from them",
    FormulaScope.VALUE: "a network can use positions and velocities of the mechanism: accelerations and "
    "forces follow from the network",
}


# --- spelling and uniqueness ---------------------------------------------------------------------


def check_names(draft: DraftModel, problems: ProblemLog) -> None:
    """Every declared name is an identifier, not reserved, and not taken by another section."""
    _check_spelling(draft, problems)
    _check_unique(draft, problems)
    reserved = _reserved_for_points(draft.space)
    for owner, points in draft.points.items():
        place: KeyPath = (GROUND, "points") if owner == GROUND else ("bodies", owner, "points")
        taken = reserved - _EULER_PARAMETERS if owner == GROUND else reserved
        for point in points:
            _check_name((*place, point), point, taken, problems)


def _reserved_for_points(space: Space) -> frozenset[str]:
    """``crank.x`` is a quantity of the body and ``crank.center`` its mass centre: no names for points."""
    planar = space is Space.PLANAR
    bodies = (kind.prototype() for kind in REGISTRY["bodies"].values() if space in kind.spaces)
    kinds = {reading.kind for body in bodies for reading in body.readings(planar=planar) if not reading.at}
    if not planar:
        kinds |= _EULER_PARAMETERS | {kind for kind, *_ in attitude_kinds("zyx")}
    return frozenset(kinds | {"center"})


def _check_spelling(draft: DraftModel, problems: ProblemLog) -> None:
    if draft.model is not None:
        _check_name(("model", "name"), draft.model.name, frozenset(), problems)
    for section, names in draft.names.items():
        for name in names:
            _check_name((section, name), name, _reserved_in(section), problems)


def _reserved_in(section: str) -> frozenset[str]:
    if section in ELEMENT_SECTIONS or section in NETWORK_SECTIONS:
        return _RESERVED_FOR_ELEMENTS
    if section in ("parameters", "inputs"):
        return _RESERVED_IN_FORMULAS
    return _RESERVED if section == "outputs" else frozenset()


def _check_name(place: KeyPath, name: str, reserved: frozenset[str], problems: ProblemLog) -> None:
    if not _IDENTIFIER.fullmatch(name):
        hint = "use letters a-z, digits and _, not beginning with a digit"
        problems.add(place, f"{name!r} cannot be a name", hint)
    elif name in reserved:
        problems.add(place, f"the name {name!r} is reserved", "it has a meaning of its own: choose another")


def _check_unique(draft: DraftModel, problems: ProblemLog) -> None:
    taken: dict[str, str] = {}
    for section in (*ELEMENT_SECTIONS, *NETWORK_SECTIONS, "parameters", "inputs", "outputs"):
        for name in draft.names[section]:
            if name in taken:
                message = f"the name {name!r} is taken by {taken[name]}.{name}"
                problems.add((section, name), message, "rename one of them")
            taken.setdefault(name, section)


# --- the names a formula may use -----------------------------------------------------------------


@dataclass(frozen=True)
class Scope:
    """Everything formulas can name.

    ``prescribing`` are the inputs that can prescribe a motion: their derivatives are inputs as well.
    ``unreadable`` holds the elements and points that are declared but could not be read: what they
    offer is not known, and nothing is said about it.
    """

    parameters: tuple[str, ...]
    inputs: tuple[str, ...]
    prescribing: frozenset[str]
    outputs: tuple[str, ...]
    quantities: Mapping[str, Quantity]
    unreadable: frozenset[str]

    def kinds(self, owner: str) -> list[str]:
        """The quantities of one element or point."""
        return [quantity.kind for quantity in self.quantities.values() if quantity.owner == owner]

    def usable(self, role: FormulaScope) -> list[str]:
        """The names a formula of the role may use."""
        names = [*self.parameters, *CONSTANTS, *_OWN_NAMES.get(role, ())]
        if role not in _CONSTANT:
            names.append(TIME)
        if role is FormulaScope.DRIVER:
            names += sorted(self.prescribing)
        if role in _RUNNING:
            names += self.inputs
            names += [name for name, quantity in self.quantities.items() if _may_use(quantity, role)]
        return names


def scope_of(draft: DraftModel, model: SystemModel) -> Scope:
    """The names declared in the draft, with the quantities of the elements read so far."""
    known = {quantity.name: quantity for quantity in quantities(model)}
    readable = {quantity.owner for quantity in known.values()}
    sections = (*ELEMENT_SECTIONS, *NETWORK_SECTIONS)
    declared = {name for section in sections for name in draft.names[section]}
    declared |= {f"{owner}.{point}" for owner, points in draft.points.items() for point in points}
    return Scope(
        parameters=draft.names["parameters"],
        inputs=draft.names["inputs"],
        prescribing=frozenset(name for name in draft.inputs if len(_rates(name, draft)) > 2),
        outputs=draft.names["outputs"],
        quantities=known,
        unreadable=frozenset(declared - readable),
    )


def check_rates(draft: DraftModel, problems: ProblemLog) -> None:
    """The rate of an input is another input. No chain of rates leads back to its own start."""
    for name, table in draft.inputs.items():
        place: KeyPath = ("inputs", name, "rate")
        if not table.rate:
            continue
        if table.rate not in draft.names["inputs"]:
            hint = did_you_mean(table.rate, draft.names["inputs"]) or "declare it in [inputs]"
            problems.add(place, f"there is no input {table.rate!r}", hint)
            continue
        sharing = [other for other, its in draft.inputs.items() if its.rate == table.rate and other != name]
        if name in _rates(table.rate, draft):
            problems.add(place, f"{name!r} is a derivative of itself", "name another input")
        elif sharing:
            message = f"{table.rate!r} is the rate of {sharing[0]!r} too"
            problems.add(place, message, "name another input: a rate belongs to one input")
        elif (other := draft.inputs.get(table.rate)) is not None:
            unit = parse_unit(table.unit).times(parse_unit("s"), -1)
            if not unit.same_dimension(parse_unit(other.unit)):
                message = f"{table.rate!r} is in {other.unit!r}, which is not a rate of {table.unit!r}"
                problems.add(place, message, "correct one of the units")


def check_stamps(draft: DraftModel, problems: ProblemLog) -> None:
    """A stamp is an input with the unit of time that has neither a stamp nor a rate itself."""
    for name, table in draft.inputs.items():
        place: KeyPath = ("inputs", name, "stamp")
        if not table.stamp:
            if table.slope is not None:
                message = "only an input with a stamp has a slope at the start"
                problems.add(("inputs", name, "slope"), message, "name the stamp, or leave the slope out")
            continue
        stamp = draft.inputs.get(table.stamp)
        if table.stamp not in draft.names["inputs"]:
            hint = did_you_mean(table.stamp, draft.names["inputs"]) or "declare it in [inputs]"
            problems.add(place, f"there is no input {table.stamp!r}", hint)
        elif stamp is not None and (stamp.stamp or stamp.rate):
            message = f"{table.stamp!r} has a {'stamp' if stamp.stamp else 'rate'} itself"
            problems.add(place, message, "name an input that is just the time of the sample")
        elif stamp is not None and not parse_unit(stamp.unit).same_dimension(parse_unit("s")):
            problems.add(
                place, f"{table.stamp!r} is in {stamp.unit!r}, which is not a time", 'write unit = "s"'
            )


def check_outputs(draft: DraftModel, problems: ProblemLog) -> None:
    """The names in ``by`` and ``without`` of outputs must be inputs."""
    for name, table in draft.outputs.items():
        here: KeyPath = ("outputs", name)
        asked: list[tuple[KeyPath, str]] = [((*here, "by"), table.by)] if table.by else []
        asked += [((*here, "without", index), given) for index, given in enumerate(table.without)]
        for place, given in asked:
            if given not in draft.names["inputs"]:
                hint = did_you_mean(given, draft.names["inputs"]) or "declare it in [inputs]"
                problems.add(place, f"there is no input {given!r}", hint)
        if len(set(table.without)) < len(table.without):
            problems.add((*here, "without"), "names an input twice", "name it once")
        if table.by and table.without:
            problems.add((*here, "without"), "the output has 'by' as well", "keep one of the two")


def _rates(name: str, draft: DraftModel) -> list[str]:
    """The input, its rate, the rate of that, and so on."""
    chain: list[str] = []
    while name in draft.inputs and name not in chain:
        chain.append(name)
        name = draft.inputs[name].rate
    return chain


def check_formulas(draft: DraftModel, scope: Scope, problems: ProblemLog) -> None:
    """Every name in every formula exists and may be used where it is."""
    for place, table in _tables(draft):
        for inner, formula, role in formulas_of(table):
            for name in dict.fromkeys(formula.names()):
                _check_use(place + inner, name, role, scope, problems)


def sole_name(formula: Formula) -> str | None:
    """The name that is the whole formula; otherwise empty."""
    return formula.root.text if isinstance(formula.root, Name) else None


def _tables(draft: DraftModel) -> Iterator[tuple[KeyPath, Table]]:
    singles = {"model": draft.model, "ground": draft.ground, "start": draft.start}
    for section, table in singles.items():
        if table is not None:
            yield (section,), table
    groups: dict[str, Mapping[str, Table]] = {
        **draft.elements,
        "outputs": draft.outputs,
    }
    for section, tables in groups.items():
        for name, entry in tables.items():
            yield (section, name), entry


def _check_use(place: KeyPath, name: str, role: FormulaScope, scope: Scope, problems: ProblemLog) -> None:
    if name in scope.parameters or name in CONSTANTS or name in _OWN_NAMES.get(role, ()):
        return
    quantity = scope.quantities.get(name)
    if name == TIME:
        _forbid(place, "time", role not in _CONSTANT, role, problems)
    elif name in scope.inputs:
        allowed = role in _RUNNING or (role is FormulaScope.DRIVER and name in scope.prescribing)
        _forbid(place, f"the input {name!r}", allowed, role, problems)
    elif quantity is not None:
        _forbid(place, f"the quantity {name!r}", _may_use(quantity, role), role, problems)
    elif name.rpartition(".")[0] not in scope.unreadable:
        problems.add(place, *unknown_name(name, scope, scope.usable(role)))


def _may_use(quantity: Quantity, role: FormulaScope) -> bool:
    if role is FormulaScope.VALUE and quantity.network:
        return True
    if role is FormulaScope.FORCE and not quantity.network:
        return not quantity.effort
    if role in (FormulaScope.FORCE, FormulaScope.VALUE):
        return quantity.level is not Level.ACCELERATION and not quantity.effort
    return role is FormulaScope.OUTPUT


def _forbid(place: KeyPath, what: str, allowed: bool, role: FormulaScope, problems: ProblemLog) -> None:
    if not allowed:
        problems.add(place, f"{what} cannot be used here", _REASONS[role])


def unknown_name(name: str, scope: Scope, candidates: list[str]) -> tuple[str, str]:
    """The message and the hint for a name that formulas cannot use."""
    owner, _, kind = name.rpartition(".")
    if kinds := scope.kinds(name):
        return f"{name!r} is not a quantity", f"write {name}.{kinds[0]}; it has {', '.join(kinds)}"
    if kinds := scope.kinds(owner):
        match = closest(kind, kinds)
        guess = f"did you mean '{owner}.{match}'? " if match else ""
        return f"{owner!r} has no quantity {kind!r}", f"{guess}it has {', '.join(kinds)}"
    if name in scope.outputs:
        return f"{name!r} is an output, which formulas cannot use", "repeat its formula"
    if owner:
        # Comparing only with quantities of the same kind is quicker by far, and the owner is what is wrong.
        alike = [candidate for candidate in candidates if candidate.endswith(f".{kind}")]
        return f"there is no element or point {owner!r}", did_you_mean(name, alike)
    plain = [candidate for candidate in candidates if "." not in candidate]
    hint = did_you_mean(name, plain) or "declare it in [parameters] if it is a constant"
    return f"unknown name {name!r}", hint
