"""SystemModel -> the positions without a start value.

Coordinates of joints are preferably zero where nothing is said. Bodies that balls and rods alone hold
preferably have the attitude of the ground. This follows from the model, not from trees, so that all trees
start alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx

from fmugen.ir.model import GROUND, Body, DriverType, Joint, JointType, Space, SystemModel, quantities
from fmugen.ir.quantity import Level

__all__ = ["Unsaid", "unsaid_positions"]

#: Joints that leave the attitude of a body free.
_BALLS = (JointType.SPHERICAL, JointType.FREE, JointType.ROD)
#: Joints that keep the attitude between their bodies.
_RIGID = (JointType.PRISMATIC, JointType.WELD, JointType.TRANSLATIONAL)


@dataclass(frozen=True)
class Unsaid:
    """The joints, bodies and lengths without a start value.

    ``joints`` are those whose bodies have no known attitude to each other, ``bodies`` those that have none to
    the ground and no such joint. ``lengths`` are names of quantities.
    """

    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    lengths: tuple[str, ...]


def unsaid_positions(model: SystemModel) -> Unsaid:
    """The positions without a start value, whether loops determine them or not."""
    return _Starts(model).unsaid()


class _Starts:
    """The start values of a model, sorted by what they determine."""

    def __init__(self, model: SystemModel) -> None:
        self._model = model
        self._real = [joint for joint in model.joints if joint.type is not JointType.VIRTUAL]
        self._given = {start.quantity for start in model.starts}
        self._names: dict[tuple[str, str], list[str]] = {}
        for quantity in quantities(model):
            if quantity.level is Level.POSITION and not quantity.network:
                self._names.setdefault((quantity.owner, quantity.unit), []).append(quantity.name)

    def unsaid(self) -> Unsaid:
        attitudes, placed = self._attitudes(), self._placed()
        planar = self._model.space is Space.PLANAR
        joints, bodies, lengths = [], [], []
        for joint in self._real:
            ends = (joint.tail.body, joint.head.body)
            turning = planar or joint.kind not in _BALLS
            if joint.kind is not JointType.ROD and turning and not nx.has_path(attitudes, *ends):
                joints.append(joint.name)
            if not placed.issuperset(ends):
                lengths += [
                    name for name in self._names.get((joint.name, "m"), ()) if name not in self._given
                ]
        for body in self._model.bodies:
            kinds = {joint.kind for joint in self._joints(body)}
            balls = (JointType.ROD,) if planar else _BALLS
            if kinds.issubset(balls) and not nx.has_path(attitudes, GROUND, body.name):
                bodies.append(body.name)
            if kinds.issubset({JointType.ROD}) and body.name not in placed:
                lengths += self._names[body.name, "m"]
        return Unsaid(tuple(joints), tuple(bodies), tuple(lengths))

    def _joints(self, body: Body) -> Iterator[Joint]:
        return (joint for joint in self._real if body.name in (joint.tail.body, joint.head.body))

    def _tell(self, owner: str, *units: str) -> bool:
        return any(name in self._given for unit in units for name in self._names.get((owner, unit), ()))

    def _attitudes(self) -> nx.Graph[str]:
        """The bodies, joined where the attitude between two is told or constant."""
        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from([GROUND, *(body.name for body in self._model.bodies)])
        told = [body.name for body in self._model.bodies if self._tell(body.name, "rad", "1")]
        graph.add_edges_from((GROUND, name) for name in told)
        for joint in self._model.joints:
            if joint.type in _RIGID or self._tell(joint.name, "rad"):
                graph.add_edge(joint.tail.body, joint.head.body)
        for driver in self._model.drivers:
            if driver.type is DriverType.ROTATION:
                graph.add_edge(driver.tail.body, driver.head.body)
        return graph

    def _placed(self) -> set[str]:
        """The ground, and the bodies with a start value of a coordinate of one of their points."""
        placed = {GROUND}
        for body in self._model.bodies:
            points = [f"{body.name}.{point.name}" for point in body.points]
            if any(self._tell(owner, "m") for owner in (body.name, body.center_node, *points)):
                placed.add(body.name)
        return placed
