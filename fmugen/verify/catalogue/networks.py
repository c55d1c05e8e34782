"""Components of networks, as edges and laws."""

from __future__ import annotations

from collections.abc import Callable

from fmugen.errors import VerificationError
from fmugen.verify.catalogue.base import Parts, Reader, law
from fmugen.verify.network.parts import (
    GROUND,
    Domain,
    Edge,
    Law,
    NetworkParts,
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

_Make = Callable[["_Terms"], NetworkParts]


class _Terms:
    """A component with numbers for the parameters its values use."""

    def __init__(self, at: Reader) -> None:
        self._at = at

    def value(self, field: str, order: int = 0) -> Value:
        """A field that may vary."""
        return value_of(self._at.formula(field), self._at.layout.parameters, order)

    def number(self, field: str) -> float:
        """A field that is a formula of parameters."""
        value = self.value(field)
        if not isinstance(value, Constant):
            names = ", ".join(sorted(value.names))
            raise VerificationError(
                f"{field} of {self._at.name} changes with {names}: the reference takes parameters only"
            )
        return value.number

    def edge(self, domain: Domain, tail: str = "from", head: str = "to", number: str = "") -> Edge:
        """An edge between two terminals; ``ground`` is a terminal of every component."""
        nodes = {**self._at.element.ends, GROUND: GROUND}
        return Edge(self._at.name, domain, str(nodes[tail]), str(nodes[head]), number)


def component(section: str, kind: str) -> Callable[[_Make], _Make]:
    """Enter a component into the catalogue."""

    def enter(make: _Make) -> _Make:
        law(section, kind)(lambda at: Parts(network=make(_Terms(at))))
        return make

    return enter


# --- one edge --------------------------------------------------------------------------------------------


def _across_source(domain: Domain, field: str) -> _Make:
    def make(read: _Terms) -> NetworkParts:
        return NetworkParts((read.edge(domain),), ((plus(across()), Term(opposite(read.value(field)))),))

    return make


def _through_source(domain: Domain, field: str) -> _Make:
    def make(read: _Terms) -> NetworkParts:
        return NetworkParts((read.edge(domain),), ((plus(through()), Term(opposite(read.value(field)))),))

    return make


def _motion_source(domain: Domain, field: str) -> _Make:
    def make(read: _Terms) -> NetworkParts:
        moving = plus(across()), Term(opposite(read.value(field, order=1)))
        tie = plus(displacement()), Term(opposite(read.value(field)))
        return NetworkParts((read.edge(domain),), (moving,), ties=(tie,))

    return make


def _resistive(domain: Domain, field: str) -> _Make:
    """across = value * through"""

    def make(read: _Terms) -> NetworkParts:
        return NetworkParts(
            (read.edge(domain),), ((plus(across()), Term(opposite(read.value(field)), through())),)
        )

    return make


def _across_storage(domain: Domain, field: str, sign: float = -1.0) -> _Make:
    """through = value * rate of across; with the opposite sign for masses"""

    def make(read: _Terms) -> NetworkParts:
        law = linear((through(), 1.0), (rate(), sign * read.number(field)))
        return NetworkParts((read.edge(domain),), (law,), (across(),))

    return make


def _through_storage(domain: Domain, field: str) -> _Make:
    """across = value * rate of through"""

    def make(read: _Terms) -> NetworkParts:
        law = linear((across(), 1.0), (rate(), -read.number(field)))
        return NetworkParts((read.edge(domain),), (law,), (through(),))

    return make


def _spring(domain: Domain, rest: str) -> _Make:
    """through = -stiffness * (displacement - rest)"""

    def make(read: _Terms) -> NetworkParts:
        stiffness = read.value("stiffness")
        relaxed = Term(opposite(product(stiffness, read.value(rest))))
        return NetworkParts(
            (read.edge(domain),), ((plus(through()), Term(stiffness, displacement()), relaxed),)
        )

    return make


def _damper(domain: Domain) -> _Make:
    def make(read: _Terms) -> NetworkParts:
        return NetworkParts((read.edge(domain),), ((plus(through()), Term(read.value("damping"), across())),))

    return make


@component("electrical", "diode")
def _diode(read: _Terms) -> NetworkParts:
    shape = exponential(
        read.number("saturation_current"),
        read.number("thermal_voltage"),
        read.number("maximum_exponent"),
        read.number("leakage"),
    )
    return NetworkParts((read.edge(Domain.ELECTRICAL),), ((plus(through()), minus(across(), shape)),))


@component("electrical", "switch")
def _switch(read: _Terms) -> NetworkParts:
    resistance = Switched(
        read.value("control"),
        Constant(-read.number("on_resistance")),
        Constant(-read.number("off_resistance")),
    )
    return NetworkParts((read.edge(Domain.ELECTRICAL),), ((plus(across()), Term(resistance, through())),))


@component("hydraulic", "resistance")
def _pipe(read: _Terms) -> NetworkParts:
    exponent = read.number("exponent")
    shape = None if exponent == 1.0 else turbulent(exponent, read.number("smoothing"))
    friction = Term(opposite(read.value("resistance")), through(), shape)
    return NetworkParts((read.edge(Domain.HYDRAULIC),), ((plus(across()), friction),))


# --- several edges ---------------------------------------------------------------------------------------


def _transforming(ratio: float) -> tuple[Law, Law]:
    """across 0 = ratio * across 1, through 1 = -ratio * through 0"""
    return (
        linear((across(0), 1.0), (across(1), -ratio)),
        linear((through(1), 1.0), (through(0), ratio)),
    )


@component("electrical", "transformer")
def _transformer(read: _Terms) -> NetworkParts:
    primary = read.edge(Domain.ELECTRICAL, number="1")
    secondary = read.edge(Domain.ELECTRICAL, "from2", "to2", "2")
    ratio = read.number("ratio")
    return NetworkParts((primary, secondary), _transforming(ratio))


@component("electrical", "op_amp")
def _op_amp(read: _Terms) -> NetworkParts:
    inputs = read.edge(Domain.ELECTRICAL, "positive", "negative", "1")
    output = read.edge(Domain.ELECTRICAL, "output", GROUND, "2")
    return NetworkParts((inputs, output), (linear((across(0), 1.0)), linear((through(0), 1.0))))


@component("hydraulic", "two_outlet_reservoir")
def _two_outlets(read: _Terms) -> NetworkParts:
    outlets = (
        read.edge(Domain.HYDRAULIC, "first", GROUND, "1"),
        read.edge(Domain.HYDRAULIC, "second", GROUND, "2"),
    )
    laws = (
        linear((through(0), 1.0), (through(1), 1.0), (rate(), -read.number("capacitance"))),
        linear((across(0), 1.0), (across(1), -1.0)),
    )
    return NetworkParts(outlets, laws, (across(0),))


@component("rotational", "gear")
def _gear(read: _Terms) -> NetworkParts:
    edges = (
        read.edge(Domain.ROTATIONAL, "support", "from", "1"),
        read.edge(Domain.ROTATIONAL, "support", "to", "2"),
    )
    ratio = read.number("ratio")
    tie = linear((displacement(0), 1.0), (displacement(1), -ratio))
    return NetworkParts(edges, _transforming(ratio), ties=(tie,))


@component("couplers", "rack")
def _rack(read: _Terms) -> NetworkParts:
    shaft = read.edge(Domain.ROTATIONAL, GROUND, "shaft")
    rod = read.edge(Domain.TRANSLATIONAL, GROUND, "rod")
    radius = read.number("radius")
    laws = (
        linear((across(1), 1.0), (across(0), -radius)),
        linear((through(0), 1.0), (through(1), radius)),
    )
    return NetworkParts(
        (shaft, rod), laws, ties=(linear((displacement(1), 1.0), (displacement(0), -radius)),)
    )


@component("couplers", "dc_motor")
def _dc_motor(read: _Terms) -> NetworkParts:
    armature = read.edge(Domain.ELECTRICAL, "plus", "minus")
    shaft = read.edge(Domain.ROTATIONAL, "housing", "shaft")
    constant = read.number("constant")
    inductance = read.number("inductance")
    voltage = linear((across(0), 1.0), (through(0), -read.number("resistance")), (across(1), -constant))
    torque = linear((through(1), 1.0), (through(0), -constant))
    if inductance == 0.0:
        return NetworkParts((armature, shaft), (voltage, torque))
    return NetworkParts((armature, shaft), (voltage + linear((rate(), -inductance)), torque), (through(0),))


@component("couplers", "cylinder")
def _cylinder(read: _Terms) -> NetworkParts:
    """Head side, piston and, unless it is open to the ground, rod side."""
    head = read.edge(Domain.HYDRAULIC, "head", GROUND, "1")
    piston = read.edge(Domain.TRANSLATIONAL)
    rod = read.edge(Domain.HYDRAULIC, "rod", GROUND, "2")
    area, rod_area = read.number("area"), read.number("rod_area")
    filling = linear((through(0), 1.0), (across(1), -area))
    pushing = linear((through(1), 1.0), (across(0), -area))
    if rod.tail == GROUND:
        return NetworkParts((head, piston), (filling, pushing))
    emptying = linear((through(2), 1.0), (across(1), rod_area))
    return NetworkParts((head, piston, rod), (filling, pushing + linear((across(2), rod_area)), emptying))


_E, _H, _T, _R = Domain.ELECTRICAL, Domain.HYDRAULIC, Domain.TRANSLATIONAL, Domain.ROTATIONAL

component("electrical", "voltage_source")(_across_source(_E, "voltage"))
component("electrical", "current_source")(_through_source(_E, "current"))
component("electrical", "resistor")(_resistive(_E, "resistance"))
component("electrical", "capacitor")(_across_storage(_E, "capacitance"))
component("electrical", "inductor")(_through_storage(_E, "inductance"))
component("hydraulic", "pressure_source")(_across_source(_H, "pressure"))
component("hydraulic", "flow_source")(_through_source(_H, "flow"))
component("hydraulic", "pump")(_through_source(_H, "flow"))
component("hydraulic", "consumption")(_through_source(_H, "flow"))
component("hydraulic", "reservoir")(_across_storage(_H, "capacitance"))
component("hydraulic", "compliance")(_across_storage(_H, "capacitance"))
component("hydraulic", "inertance")(_through_storage(_H, "inertance"))
component("translational", "mass")(_across_storage(_T, "mass", 1.0))
component("translational", "spring")(_spring(_T, "free_length"))
component("translational", "damper")(_damper(_T))
component("translational", "position_source")(_motion_source(_T, "position"))
component("translational", "speed_source")(_across_source(_T, "speed"))
component("translational", "force")(_through_source(_T, "force"))
component("rotational", "inertia")(_across_storage(_R, "inertia", 1.0))
component("rotational", "spring")(_spring(_R, "free_angle"))
component("rotational", "damper")(_damper(_R))
component("rotational", "angle_source")(_motion_source(_R, "angle"))
component("rotational", "speed_source")(_across_source(_R, "speed"))
component("rotational", "torque")(_through_source(_R, "torque"))
