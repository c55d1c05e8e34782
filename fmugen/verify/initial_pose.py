"""A rough pose of all bodies from start values: the search for a consistent start begins there.

The walk goes from the ground outward along joints and drivers, first for rotations, then for positions. Start
values of bodies come first, then those of joints and drivers; a coordinate without one is zero. The pose need
not close any loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from fmugen.ir.formula import TIME
from fmugen.verify.catalogue import Attitude, BodyPose, Link, StartGuesses
from fmugen.verify.catalogue.base import UNTURNED
from fmugen.verify.layout import Layout
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.rotations import Array

_Value = TypeVar("_Value", Attitude, Array)


def initial_pose(mechanism: Mechanism, starts: Mapping[str, float], time: float) -> Array:
    """Rough coordinates of the moving bodies from start values of any quantity of position."""
    layout = mechanism.layout
    known = {TIME: time, **layout.parameters, **mechanism.moved(time)}
    links, bodies = _links(mechanism, starts, known)
    attitudes = _attitudes(layout, links, bodies)
    centers = _centers(layout, links, bodies, attitudes)
    moving = range(layout.ground)
    driven = {name: angle for link in links for name, angle in link.relation.angles.items()}
    memory = np.array([{**driven, **starts}.get(name, 0.0) for name in mechanism.remembered])
    return mechanism.chart.coordinates(
        np.array([centers[index] for index in moving]).reshape(-1, 3),
        np.array([attitudes[index].matrix for index in moving]).reshape(-1, 3, 3),
        np.array([attitudes[index].angle for index in moving]),
        memory,
    )


def _links(
    mechanism: Mechanism, starts: Mapping[str, float], known: Mapping[str, float]
) -> tuple[list[Link], dict[int, BodyPose]]:
    """The relations between bodies, and the poses of bodies by index, that start values give."""
    layout = mechanism.layout
    links: list[Link] = []
    bodies: dict[int, BodyPose] = {}
    for element, parts in mechanism.elements:
        if parts.pose is None:
            continue
        guesses = StartGuesses(element.name, starts, known)
        links.extend(parts.pose.links)
        if parts.pose.body is not None:
            bodies[layout.index(element.name)] = parts.pose.body(guesses)
        if parts.pose.relation is not None:
            tail, head = layout.place(element.tail), layout.place(element.head)
            links.append(Link(tail, head, parts.pose.relation(guesses)))
    return links, bodies


def _attitudes(layout: Layout, links: list[Link], bodies: Mapping[int, BodyPose]) -> list[Attitude]:
    attitudes = {layout.ground: UNTURNED}
    attitudes |= {index: pose.rotation for index, pose in bodies.items() if pose.rotation is not None}

    def across(link: Link, near: Attitude, forward: bool) -> Attitude | None:
        rotation = link.relation.rotation
        return None if rotation is None else near.then(rotation if forward else rotation.back())

    _spread(links, attitudes, lambda link: link.relation.known, across)
    return [attitudes.get(index, UNTURNED) for index in range(layout.ground + 1)]


def _spread(
    links: list[Link],
    known: dict[int, _Value],
    reliable: Callable[[Link], bool],
    across: Callable[[Link, _Value, bool], _Value | None],
) -> None:
    """Carry values from body to body, across reliable links first and then across all.

    ``across`` gives the value at the head of a link from that at its tail (``True``), or the other way.
    """
    for usable in (reliable, lambda _: True):
        reached = True
        while reached:
            reached = False
            for link in filter(usable, links):
                tail, head = link.tail.body, link.head.body
                forward = tail in known
                if forward == (head in known):
                    continue
                value = across(link, known[tail if forward else head], forward)
                if value is not None:
                    known[head if forward else tail] = value
                    reached = True


def _centers(
    layout: Layout, links: list[Link], bodies: Mapping[int, BodyPose], attitudes: list[Attitude]
) -> list[Array]:
    centers: dict[int, Array] = {layout.ground: np.zeros(3)}
    given = [
        _given_center(layout, name, bodies[index], attitudes[index])
        for index, name in enumerate(layout.bodies)
    ]
    given += [np.full(3, np.nan)] * layout.hidden
    for index, center in enumerate(given):
        if not np.any(np.isnan(center)):
            centers[index] = center

    def across(link: Link, near: Array, forward: bool) -> Array | None:
        tail, head, displacement = link.tail.body, link.head.body, link.relation.displacement
        if displacement is None:
            return None
        step: Array = attitudes[tail].matrix @ (np.array(link.tail.arm) + displacement)
        step -= attitudes[head].matrix @ np.array(link.head.arm)
        return near + step if forward else near - step

    _spread(links, centers, lambda link: not link.relation.vague, across)
    found = [centers.get(index, np.zeros(3)) for index in range(layout.ground)]
    return [np.where(np.isnan(center), other, center) for center, other in zip(given, found, strict=True)]


def _given_center(layout: Layout, body: str, pose: BodyPose, attitude: Attitude) -> Array:
    """The mass centre as far as start values give it, or the origin of the frame; else NaN."""
    offset = attitude.matrix @ layout.center(body)
    result: Array = np.where(np.isnan(pose.center), pose.origin + offset, pose.center)
    return result
