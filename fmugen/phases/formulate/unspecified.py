"""SystemModel -> the positions without a start value.

Coordinates of joints without a start value are preferably zero. Bodies that only balls and rods hold
preferably have the attitude of the ground. This follows from the model, not from the trees, so all trees
start alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from fmugen.components.freedoms import Anywhere, Ball, Locked
from fmugen.components.joints import Joint, joints_of
from fmugen.digraph import reached_from
from fmugen.ir.graph import Role
from fmugen.ir.model import GROUND, Element, Space, SystemModel, quantities
from fmugen.ir.quantity import Level

__all__ = ["Unspecified", "unspecified_positions"]


@dataclass(frozen=True)
class Unspecified:
    """Joints, bodies and lengths without a start value.

    ``joints`` are those whose bodies have no known attitude to each other. ``bodies`` have no known attitude
    to the ground and no such joint. ``lengths`` are names of quantities.
    """

    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    lengths: tuple[str, ...]


def unspecified_positions(model: SystemModel) -> Unspecified:
    """The quantities that the start values of a model leave open, even if loops determine them."""
    return _Starts(model).unspecified()


class _Starts:
    """The start values of a model, sorted by what they determine."""

    def __init__(self, model: SystemModel) -> None:
        self._model, self._planar = model, model.space is Space.PLANAR
        self._joints = list(joints_of(model))
        self._real = [(at, joint) for at, joint in self._joints if joint.role is not Role.VIRTUAL]
        self._given = {start.quantity for start in model.starts}
        self._names: dict[tuple[str, str], list[str]] = {}
        for quantity in quantities(model):
            if quantity.level is Level.POSITION and not quantity.network:
                self._names.setdefault((quantity.owner, quantity.unit), []).append(quantity.name)

    def unspecified(self) -> Unspecified:
        attitudes, placed = self._attitudes(), self._placed()
        joints = [
            at.name
            for at, joint in self._real
            if not self._leaves_attitude(joint) and at.head.body not in attitudes[at.tail.body]
        ]
        bodies = [
            body.name
            for body in self._model.bodies
            if all(self._leaves_attitude(joint) for _, joint in self._joints_of(body.name))
            and body.name not in attitudes[GROUND]
        ]
        return Unspecified(tuple(joints), tuple(bodies), tuple(self._lengths(placed)))

    def _lengths(self, placed: Collection[str]) -> Iterator[str]:
        """The lengths of joints and the places of bodies that nothing determines."""
        for at, _ in self._real:
            if at.tail.body not in placed or at.head.body not in placed:
                names = self._names.get((at.name, "m"), ())
                yield from (name for name in names if name not in self._given)
        for body in self._model.bodies:
            held = self._joints_of(body.name)
            if all(self._leaves_place(at, joint) for at, joint in held) and body.name not in placed:
                yield from self._names[body.name, "m"]

    def _joints_of(self, body: str) -> list[tuple[Element, Joint]]:
        return [(at, joint) for at, joint in self._real if body in (at.tail.body, at.head.body)]

    def _leaves_attitude(self, joint: Joint) -> bool:
        """Whether a joint does not determine the attitude between its bodies: balls and rods in space."""
        return not self._planar and isinstance(joint.freedoms().turns, Ball)

    def _leaves_place(self, at: Element, joint: Joint) -> bool:
        """Whether a joint neither fixes nor measures where its head is, as a rod."""
        return isinstance(joint.freedoms().slides, Anywhere) and (at.name, "m") not in self._names

    def _tell(self, owner: str, *units: str) -> bool:
        return any(name in self._given for unit in units for name in self._names.get((owner, unit), ()))

    def _attitudes(self) -> dict[str, set[str]]:
        """By body, the bodies whose attitude to it is given or constant, directly or through others."""
        told = [body.name for body in self._model.bodies if self._tell(body.name, "rad", "1")]
        edges = [(GROUND, name) for name in told]
        constant = {at.name for at, joint in self._real if isinstance(joint.freedoms().turns, Locked)}
        for at, _ in self._joints:
            if at.name in constant or self._tell(at.name, "rad"):
                edges.append((at.tail.body, at.head.body))
        for driver in self._model.in_section("drivers"):
            if (driver.name, "rad") in self._names:
                edges.append((driver.tail.body, driver.head.body))
        bodies = (GROUND, *(body.name for body in self._model.bodies))
        return {body: reached_from(body, edges) for body in bodies}

    def _placed(self) -> set[str]:
        """The ground, and the bodies with a start value of a coordinate of one of their points."""
        placed = {GROUND}
        for body in self._model.bodies:
            points = [f"{body.name}.{point.name}" for point in body.points]
            if any(self._tell(owner, "m") for owner in (body.name, body.center_node, *points)):
                placed.add(body.name)
        return placed
