"""Every type of component, as edges and laws: what the reference knows of physics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fmugen.errors import VerificationError
from fmugen.ir.network import Component
from fmugen.verify.network.parts import (
    GROUND,
    Domain,
    Edge,
    Parts,
    Term,
    across,
    displacement,
    exponential,
    linear,
    minus,
    plus,
    rate,
    through,
    turbulent,
)
from fmugen.verify.network.values import Constant, Switched, Value, opposite, product, value_of


@dataclass(frozen=True)
class _Reader:
    """A component with numbers for the parameters its values use."""

    component: Component
    parameters: Mapping[str, float]

    def value(self, field: str, order: int = 0) -> Value:
        """A field that may vary."""
        return value_of(self.component.value(field), self.parameters, order)

    def number(self, field: str) -> float:
        """A field that is a formula of parameters."""
        value = self.value(field)
        if not isinstance(value, Constant):
            names = ", ".join(sorted(value.names))
            raise VerificationError(
                f"{field} of {self.component.name} changes with {names}: the reference takes parameters only"
            )
        return value.number

    def edge(self, domain: Domain, tail: str = "from", head: str = "to", number: str = "") -> Edge:
        """An edge between two terminals; ``ground`` is a terminal of every component."""
        nodes = {**dict(self.component.terminals), GROUND: GROUND}
        return Edge(self.component.name, domain, nodes[tail], nodes[head], number)


def parts_of(component: Component, parameters: Mapping[str, float]) -> Parts:
    """The edges, storages and laws of a component."""
    make = _TYPES.get((component.section, component.type))
    if make is None:
        raise VerificationError(f"the reference knows no {component.section} component {component.type!r}")
    return make(_Reader(component, parameters))


# --- one edge --------------------------------------------------------------------------------------------


def _across_source(domain: Domain, field: str) -> Callable[[_Reader], Parts]:
    def make(read: _Reader) -> Parts:
        return Parts((read.edge(domain),), ((plus(across()), Term(opposite(read.value(field)))),))

    return make


def _through_source(domain: Domain, field: str) -> Callable[[_Reader], Parts]:
    def make(read: _Reader) -> Parts:
        return Parts((read.edge(domain),), ((plus(through()), Term(opposite(read.value(field)))),))

    return make


def _motion_source(domain: Domain, field: str) -> Callable[[_Reader], Parts]:
    def make(read: _Reader) -> Parts:
        moving = plus(across()), Term(opposite(read.value(field, order=1)))
        tie = plus(displacement()), Term(opposite(read.value(field)))
        return Parts((read.edge(domain),), (moving,), ties=(tie,))

    return make


def _resistive(domain: Domain, field: str) -> Callable[[_Reader], Parts]:
    """across = value * through"""

    def make(read: _Reader) -> Parts:
        return Parts((read.edge(domain),), ((plus(across()), Term(opposite(read.value(field)), through())),))

    return make


def _across_storage(domain: Domain, field: str, sign: float = -1.0) -> Callable[[_Reader], Parts]:
    """through = value * rate of across; with the opposite sign for masses"""

    def make(read: _Reader) -> Parts:
        law = linear((through(), 1.0), (rate(), sign * read.number(field)))
        return Parts((read.edge(domain),), (law,), (across(),))

    return make


def _through_storage(domain: Domain, field: str) -> Callable[[_Reader], Parts]:
    """across = value * rate of through"""

    def make(read: _Reader) -> Parts:
        law = linear((across(), 1.0), (rate(), -read.number(field)))
        return Parts((read.edge(domain),), (law,), (through(),))

    return make


def _spring(domain: Domain, rest: str) -> Callable[[_Reader], Parts]:
    """through = -stiffness * (displacement - rest)"""

    def make(read: _Reader) -> Parts:
        stiffness = read.value("stiffness")
        relaxed = Term(opposite(product(stiffness, read.value(rest))))
        return Parts((read.edge(domain),), ((plus(through()), Term(stiffness, displacement()), relaxed),))

    return make


def _damper(domain: Domain) -> Callable[[_Reader], Parts]:
    def make(read: _Reader) -> Parts:
        return Parts((read.edge(domain),), ((plus(through()), Term(read.value("damping"), across())),))

    return make


def _diode(read: _Reader) -> Parts:
    shape = exponential(
        read.number("saturation_current"),
        read.number("thermal_voltage"),
        read.number("maximum_exponent"),
        read.number("leakage"),
    )
    return Parts((read.edge(Domain.ELECTRICAL),), ((plus(through()), minus(across(), shape)),))


def _switch(read: _Reader) -> Parts:
    resistance = Switched(
        read.value("control"),
        Constant(-read.number("on_resistance")),
        Constant(-read.number("off_resistance")),
    )
    return Parts((read.edge(Domain.ELECTRICAL),), ((plus(across()), Term(resistance, through())),))


def _pipe(read: _Reader) -> Parts:
    exponent = read.number("exponent")
    shape = None if exponent == 1.0 else turbulent(exponent, read.number("smoothing"))
    friction = Term(opposite(read.value("resistance")), through(), shape)
    return Parts((read.edge(Domain.HYDRAULIC),), ((plus(across()), friction),))


# --- several edges ---------------------------------------------------------------------------------------


def _transformer(read: _Reader) -> Parts:
    primary = read.edge(Domain.ELECTRICAL, number="1")
    secondary = read.edge(Domain.ELECTRICAL, "from2", "to2", "2")
    ratio = read.number("ratio")
    laws = (
        linear((across(0), 1.0), (across(1), -ratio)),
        linear((through(1), 1.0), (through(0), ratio)),
    )
    return Parts((primary, secondary), laws)


def _op_amp(read: _Reader) -> Parts:
    inputs = read.edge(Domain.ELECTRICAL, "positive", "negative", "1")
    output = read.edge(Domain.ELECTRICAL, "output", GROUND, "2")
    return Parts((inputs, output), (linear((across(0), 1.0)), linear((through(0), 1.0))))


def _two_outlets(read: _Reader) -> Parts:
    outlets = (
        read.edge(Domain.HYDRAULIC, "first", GROUND, "1"),
        read.edge(Domain.HYDRAULIC, "second", GROUND, "2"),
    )
    laws = (
        linear((through(0), 1.0), (through(1), 1.0), (rate(), -read.number("capacitance"))),
        linear((across(0), 1.0), (across(1), -1.0)),
    )
    return Parts(outlets, laws, (across(0),))


def _gear(read: _Reader) -> Parts:
    edges = (
        read.edge(Domain.ROTATIONAL, "support", "from", "1"),
        read.edge(Domain.ROTATIONAL, "support", "to", "2"),
    )
    ratio = read.number("ratio")
    laws = (
        linear((across(0), 1.0), (across(1), -ratio)),
        linear((through(1), 1.0), (through(0), ratio)),
    )
    return Parts(edges, laws, ties=(linear((displacement(0), 1.0), (displacement(1), -ratio)),))


def _rack(read: _Reader) -> Parts:
    shaft = read.edge(Domain.ROTATIONAL, GROUND, "shaft")
    rod = read.edge(Domain.TRANSLATIONAL, GROUND, "rod")
    radius = read.number("radius")
    laws = (
        linear((across(1), 1.0), (across(0), -radius)),
        linear((through(0), 1.0), (through(1), radius)),
    )
    return Parts((shaft, rod), laws, ties=(linear((displacement(1), 1.0), (displacement(0), -radius)),))


def _dc_motor(read: _Reader) -> Parts:
    armature = read.edge(Domain.ELECTRICAL, "plus", "minus")
    shaft = read.edge(Domain.ROTATIONAL, "housing", "shaft")
    constant = read.number("constant")
    inductance = read.number("inductance")
    voltage = linear((across(0), 1.0), (through(0), -read.number("resistance")), (across(1), -constant))
    torque = linear((through(1), 1.0), (through(0), -constant))
    if inductance == 0.0:
        return Parts((armature, shaft), (voltage, torque))
    return Parts((armature, shaft), (voltage + linear((rate(), -inductance)), torque), (through(0),))


def _cylinder(read: _Reader) -> Parts:
    """Head side, piston and, unless it is open to the ground, rod side."""
    head = read.edge(Domain.HYDRAULIC, "head", GROUND, "1")
    piston = read.edge(Domain.TRANSLATIONAL)
    rod = read.edge(Domain.HYDRAULIC, "rod", GROUND, "2")
    area, rod_area = read.number("area"), read.number("rod_area")
    filling = linear((through(0), 1.0), (across(1), -area))
    pushing = linear((through(1), 1.0), (across(0), -area))
    if rod.tail == GROUND:
        return Parts((head, piston), (filling, pushing))
    emptying = linear((through(2), 1.0), (across(1), rod_area))
    return Parts((head, piston, rod), (filling, pushing + linear((across(2), rod_area)), emptying))


_E, _H, _T, _R = Domain.ELECTRICAL, Domain.HYDRAULIC, Domain.TRANSLATIONAL, Domain.ROTATIONAL

_TYPES: dict[tuple[str, str], Callable[[_Reader], Parts]] = {
    ("electrical", "voltage_source"): _across_source(_E, "voltage"),
    ("electrical", "current_source"): _through_source(_E, "current"),
    ("electrical", "resistor"): _resistive(_E, "resistance"),
    ("electrical", "capacitor"): _across_storage(_E, "capacitance"),
    ("electrical", "inductor"): _through_storage(_E, "inductance"),
    ("electrical", "transformer"): _transformer,
    ("electrical", "op_amp"): _op_amp,
    ("electrical", "diode"): _diode,
    ("electrical", "switch"): _switch,
    ("hydraulic", "pressure_source"): _across_source(_H, "pressure"),
    ("hydraulic", "flow_source"): _through_source(_H, "flow"),
    ("hydraulic", "pump"): _through_source(_H, "flow"),
    ("hydraulic", "consumption"): _through_source(_H, "flow"),
    ("hydraulic", "reservoir"): _across_storage(_H, "capacitance"),
    ("hydraulic", "compliance"): _across_storage(_H, "capacitance"),
    ("hydraulic", "two_outlet_reservoir"): _two_outlets,
    ("hydraulic", "resistance"): _pipe,
    ("hydraulic", "inertance"): _through_storage(_H, "inertance"),
    ("translational", "mass"): _across_storage(_T, "mass", 1.0),
    ("translational", "spring"): _spring(_T, "free_length"),
    ("translational", "damper"): _damper(_T),
    ("translational", "position_source"): _motion_source(_T, "position"),
    ("translational", "speed_source"): _across_source(_T, "speed"),
    ("translational", "force"): _through_source(_T, "force"),
    ("rotational", "inertia"): _across_storage(_R, "inertia", 1.0),
    ("rotational", "spring"): _spring(_R, "free_angle"),
    ("rotational", "damper"): _damper(_R),
    ("rotational", "angle_source"): _motion_source(_R, "angle"),
    ("rotational", "speed_source"): _across_source(_R, "speed"),
    ("rotational", "torque"): _through_source(_R, "torque"),
    ("rotational", "gear"): _gear,
    ("couplers", "rack"): _rack,
    ("couplers", "dc_motor"): _dc_motor,
    ("couplers", "cylinder"): _cylinder,
}
