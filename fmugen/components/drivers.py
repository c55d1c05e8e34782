"""Drivers: prescribed motions, functions of time and inputs; their reactions do the work."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.base import (
    Component,
    FormulaScope,
    Mirror,
    Numbers,
    Symbol,
    component,
    component_of,
    direction,
    formula_or_vector,
    value,
)
from fmugen.components.exchange import Plug
from fmugen.components.measures import Reading, angles, forces, torques
from fmugen.components.site import Site
from fmugen.ir.element import Element, Vector
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Edge, EdgeConstraint, Role
from fmugen.ir.network import Discipline

__all__ = ["Driver", "prescribed"]


class Driver(Component):
    """Base of all drivers."""

    section = "drivers"
    role = Role.DRIVER
    label = "motion driver"

    def prescribed(self, *, planar: bool) -> dict[str, Formula]:
        """The formulas of prescribed quantities, by the suffix of the driver's name in messages."""
        raise NotImplementedError


@component
class RotationDriver(Driver):
    """Prescribes the angle of the head's body relative to the tail's about `axis`."""

    type = "rotation"
    value: Formula = value("rad", "angle", scope=FormulaScope.DRIVER, mirrored=Mirror.REVERSED)
    axis: Vector = direction("z", "axis of the rotation", spatial=True)

    def prescribed(self, *, planar: bool) -> dict[str, Formula]:
        return {"": self.value}

    def plugs(self, element: Element, *, planar: bool) -> Iterator[Plug]:
        if planar:
            torque = {"tau": f"{element.name}.torque"}
            yield Plug(Discipline.ROTATIONAL, "phi", self.value, torque, flows=False, rate="w")

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield from angles()
        yield from torques(planar=planar, recorded=True)

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        yield at.edge(at.driven_turn(self.axis, self.value), branchable=at.planar)


@component
class TranslationDriver(Driver):
    """Prescribes all components of the displacement in the axes of the tail, or that along `axis`."""

    type, symbol = "translation", Symbol.DRIVER
    value: Formula | Vector = formula_or_vector("m", "displacement", scope=FormulaScope.DRIVER)
    axis: Vector | None = direction(None, "axis along which the head is driven")

    def check(self, at: Numbers) -> None:
        if self.axis is None and isinstance(self.value, Formula):
            count, shown = ("two", "[x, y]") if at.planar else ("three", "[x, y, z]")
            hint = f"write {shown}, or give the axis along which the point is driven"
            at.problem("value", f"a translation without axis needs {count} components", hint)
        elif self.axis is not None and not isinstance(self.value, Formula):
            hint = "write one formula, or leave out the axis to drive all components"
            at.problem("value", "a translation along an axis is one formula, not a list", hint)

    def prescribed(self, *, planar: bool) -> dict[str, Formula]:
        if isinstance(self.value, Formula):
            return {"": self.value}
        axes = "xy" if planar else "xyz"
        return {f", {axis}": part for axis, part in zip(axes, self.value, strict=False)}

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield from forces(planar=planar, recorded=True)

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        if isinstance(self.value, Formula) and self.axis is not None:
            yield at.edge(at.driven_slide(self.axis, self.value))
        elif not isinstance(self.value, Formula):
            yield at.edge(at.driven_displacement(self.value))


def prescribed(driver: Element, *, planar: bool) -> dict[str, Formula]:
    """The formulas of the motions that a driver prescribes, by what tells them apart in messages."""
    kind = component_of(driver)
    return kind.prescribed(planar=planar) if isinstance(kind, Driver) else {}
