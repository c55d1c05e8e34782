"""A linkage in a closed pose: frames of bodies, and joints between them.

The pose comes first, and the joints are derived from it. Loops therefore close without being solved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from linkages.frames import GROUND, Array, Frame, rotation

__all__ = ["Coordinate", "Joint", "Skeleton", "UnsuitableError"]

#: The smallest rate of a coordinate, as a part of the largest, for which it may be fixed or driven.
_MOVES = 0.1
_RANK = 1e-9
#: Poses whose constraints are nearer to dependent are not drawn: small changes would change the mobility.
_REGULAR = 3e-3


class UnsuitableError(Exception):
    """The pose is not one of a linkage with the mobility that was asked for."""


@dataclass(frozen=True)
class Coordinate:
    """A motion that a joint lets, its value in the closed pose, and its screw there."""

    position: str
    velocity: str
    value: float
    screw: Array

    @property
    def turns(self) -> bool:
        return self.position.rpartition(".")[2] != "s"


@dataclass(frozen=True)
class Joint:
    """``tail`` and ``head`` are frames in space; all coordinates are zero where both coincide.

    A ball has screws without coordinates. A rod has a length, and constrains one direction.
    """

    name: str
    type: str
    bodies: tuple[str, str]
    tail: Frame
    head: Frame
    coordinates: tuple[Coordinate, ...] = ()

    def reactions(self) -> Array:
        """A basis of the wrenches, as rows, that the joint bears."""
        if self.type == "rod":
            along = self.head.position - self.tail.position
            along = along / np.linalg.norm(along)
            return np.concatenate([np.cross(self.tail.position, along), along])[None, :]
        screws = [each.screw for each in self.coordinates]
        if self.type == "spherical":
            screws = [_turn(self.head.position, axis) for axis in np.eye(3)]
        if not screws:
            return np.eye(6)
        _, sizes, rows = np.linalg.svd(np.array(screws))
        return rows[int(np.sum(sizes > _RANK)) :]


def _turn(point: Array, axis: Array) -> Array:
    """The screw of a turn: angular velocity, and velocity at the origin."""
    return np.concatenate([axis, np.cross(point, axis)])


def _slide(axis: Array) -> Array:
    return np.concatenate([np.zeros(3), axis])


@dataclass
class Skeleton:
    """Bodies and joints of a closed pose, gathered one by one; ``planar`` motion is in x and y."""

    name: str
    planar: bool
    frames: dict[str, Frame] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)

    def body(self, name: str, frame: Frame) -> str:
        self.frames[name] = frame
        return name

    def frame(self, body: str) -> Frame:
        return GROUND if body == "ground" else self.frames[body]

    # --- joints -----------------------------------------------------------------------------------

    def revolute(self, tail: str, head: str, at: Frame, angle: float | None = None) -> None:
        """A joint that turns about the z axis of ``at``; in the plane its angle is that of the bodies."""
        name = f"r{len(self.joints)}"
        end = at.turned("z", angle or 0.0)
        if self.planar:
            angle = _about_z(self.frame(head)) - _about_z(self.frame(tail))
        at_name = f"{name}.angle"
        turn = Coordinate(at_name, f"{name}.omega", angle or 0.0, _turn(at.position, at.axes[:, 2]))
        self.joints.append(Joint(name, "revolute", (tail, head), at, end, (turn,)))

    def prismatic(self, tail: str, head: str, at: Frame, distance: float) -> None:
        """A joint that slides along the z axis of ``at``."""
        name = f"p{len(self.joints)}"
        slide = Coordinate(f"{name}.s", f"{name}.v", distance, _slide(at.axes[:, 2]))
        self.joints.append(Joint(name, "prismatic", (tail, head), at, at.moved(distance), (slide,)))

    def cylindrical(self, tail: str, head: str, at: Frame, distance: float, angle: float) -> None:
        name = f"c{len(self.joints)}"
        axis = at.axes[:, 2]
        both = (
            Coordinate(f"{name}.s", f"{name}.v", distance, _slide(axis)),
            Coordinate(f"{name}.angle", f"{name}.omega", angle, _turn(at.position, axis)),
        )
        end = at.moved(distance).turned("z", angle)
        self.joints.append(Joint(name, "cylindrical", (tail, head), at, end, both))

    def universal(self, tail: str, head: str, at: Frame, first: float, second: float) -> None:
        """A cross whose first axis is z of ``at``, fixed in the tail, and whose second is x of the head."""
        name = f"u{len(self.joints)}"
        end = at.turned("z", first).turned("x", second)
        both = (
            Coordinate(f"{name}.angle1", f"{name}.omega1", first, _turn(at.position, at.axes[:, 2])),
            Coordinate(f"{name}.angle2", f"{name}.omega2", second, _turn(at.position, end.axes[:, 0])),
        )
        self.joints.append(Joint(name, "universal", (tail, head), at, end, both))

    def spherical(self, tail: str, head: str, at: Frame, turned: Array) -> None:
        end = Frame(at.position, at.axes @ turned)
        self.joints.append(Joint(f"s{len(self.joints)}", "spherical", (tail, head), at, end))

    def rod(self, tail: str, head: str, start: Array, end: Array) -> None:
        ends = (Frame(start, np.eye(3)), Frame(end, np.eye(3)))
        self.joints.append(Joint(f"rod{len(self.joints)}", "rod", (tail, head), *ends))

    # --- mobility ---------------------------------------------------------------------------------

    @property
    def coordinates(self) -> Iterator[Coordinate]:
        for joint in self.joints:
            yield from joint.coordinates

    def free_motions(self) -> Array:
        """The rates of all joint coordinates, as rows, in a basis of the motions that the loops leave.

        Raises
        ------
        UnsuitableError
            If it is nearly a matter of rounding how many motions there are.
        """
        numbers = {body: number for number, body in enumerate(self.frames)}
        rows = []
        for joint in self.joints:
            for wrench in joint.reactions():
                row = np.zeros(6 * len(numbers))
                for body, sign in zip(joint.bodies, (-1.0, 1.0), strict=True):
                    if body in numbers:
                        row[6 * numbers[body] : 6 * numbers[body] + 6] += sign * wrench
                rows.append(row)
        _, sizes, basis = np.linalg.svd(np.array(rows))
        rank = int(np.sum(sizes > _RANK * sizes[0]))
        if sizes[rank - 1] < _REGULAR * sizes[0]:
            raise UnsuitableError(f"{self.name} is drawn near a singular position")
        free = basis[rank:].T

        def twist(body: str) -> Array:
            at = numbers.get(body)
            return np.zeros((6, free.shape[1])) if at is None else free[6 * at : 6 * at + 6]

        rates = []
        for joint in self.joints:
            tail, head = joint.bodies
            screws = np.array([each.screw for each in joint.coordinates]).reshape(-1, 6).T
            rates.extend(np.linalg.lstsq(screws, twist(head) - twist(tail), rcond=None)[0])
        self._mobility = free.shape[1]
        return np.array(rates).reshape(len(rates), free.shape[1])

    @property
    def mobility(self) -> int:
        """How many motions the loops leave.

        Raises
        ------
        UnsuitableError
            If no joint takes part in them, as where a link only spins between two balls.
        """
        rates = self.free_motions()
        joints = any(True for _ in self.coordinates)
        if joints and np.abs(rates).max(initial=0.0) < _MOVES:
            raise UnsuitableError(f"no joint of {self.name} moves")
        return self._mobility

    # --- other poses ------------------------------------------------------------------------------

    def joint_values(self, frames: Mapping[str, Frame]) -> dict[str, float]:
        """The coordinates of all joints where the bodies are at other frames; angles up to whole turns."""
        values: dict[str, float] = {}
        for joint in self.joints:
            tail, head = (
                frames.get(body, GROUND) @ place.seen_from(self.frame(body))
                for body, place in zip(joint.bodies, (joint.tail, joint.head), strict=True)
            )
            seen = head.seen_from(tail)
            turned = math.atan2(seen.axes[1, 0], seen.axes[0, 0])
            if self.planar and joint.type == "revolute":
                turned = _about_z(frames.get(joint.bodies[1], GROUND)) - _about_z(
                    frames.get(joint.bodies[0], GROUND)
                )
            for each in joint.coordinates:
                match each.position.rpartition(".")[2]:
                    case "s":
                        values[each.position] = float(seen.position[2])
                    case "angle2":
                        values[each.position] = math.atan2(seen.axes[2, 1], seen.axes[2, 2])
                    case _:
                        values[each.position] = turned
        return values

    def determining(self, random: np.random.Generator, count: int | None = None) -> list[Coordinate]:
        """Joint coordinates that determine the position, or as many of them as there are."""
        rates = self.free_motions()
        coordinates = list(self.coordinates)
        chosen: list[Coordinate] = []
        scale = np.abs(rates).max(initial=0.0)
        for _ in range(self._mobility if count is None else min(count, self._mobility)):
            sizes = np.linalg.norm(rates, axis=1)
            good = np.flatnonzero(sizes > _MOVES * scale)
            if not len(good):
                break
            number = int(random.choice(good))
            chosen.append(coordinates[number])
            direction = rates[number] / sizes[number]
            rates = rates - np.outer(rates @ direction, direction)
        return chosen


def _about_z(frame: Frame) -> float:
    return math.atan2(frame.axes[1, 0], frame.axes[0, 0])


def planar_frame(x: float, y: float, angle: float) -> Frame:
    return Frame(np.array([x, y, 0.0]), rotation("z", angle))
