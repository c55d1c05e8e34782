"""Replacements of elements: a prescribed motion for a force, another system for an input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fmugen.ir.element import Vector
from fmugen.ir.formula import Formula
from fmugen.ir.network import Discipline

__all__ = ["Plug", "Reversal"]


@dataclass(frozen=True)
class Reversal:
    """The motion whose driver can exert what a formula of a force element gives.

    ``turning`` tells a rotation from a slide along ``axis``. ``component`` is that of the driver's force or
    torque in the axes of ``frame``, the one number of a torque of the plane having none. ``sign`` is that of
    the formula on the head. ``position`` is the quantity of body or point that the driver prescribes, if it
    has a name.
    """

    turning: bool
    axis: Vector
    component: int | None
    frame: str
    sign: int = 1
    position: str = ""


@dataclass(frozen=True)
class Plug:
    """A formula of an element that may be one input, and the quantities that it works with.

    Names of members are those of the disciplines of networks. ``flows`` tells that the input is a force or
    torque, and that the others are motions; else it is the other way round. ``rate`` is the member that is
    the rate of the input. ``suffix`` tells several plugs of one element apart.
    """

    discipline: Discipline
    member: str
    value: Formula
    others: Mapping[str, str] = field(default_factory=dict)
    flows: bool = True
    rate: str = ""
    suffix: str = ""
