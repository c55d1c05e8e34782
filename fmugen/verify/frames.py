"""The body frames that an FMU reports, and their coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from fmugen.ir.model import Space, SystemModel
from fmugen.verify.rotations import Array

if TYPE_CHECKING:
    from fmugen.verify.mechanism import Mechanism

_COSINES = tuple(f"r{i}{j}" for i in "xyz" for j in "xyz")
_PLANAR = (("x", "m"), ("y", "m"), ("angle", "rad"))
_SPATIAL = (("x", "m"), ("y", "m"), ("z", "m"), *((kind, "1") for kind in _COSINES))


def pose_kinds(model: SystemModel) -> tuple[tuple[str, str], ...]:
    """The quantities of the pose of a body's frame, with their units."""
    return _PLANAR if model.space is Space.PLANAR else _SPATIAL


def rate_kinds(model: SystemModel) -> tuple[str, ...]:
    """The quantities of the velocity of a body."""
    if model.space is Space.PLANAR:
        return ("vx", "vy", "omega")
    return ("vx", "vy", "vz", "wx", "wy", "wz")


def body_kinds(model: SystemModel) -> tuple[str, ...]:
    """The quantities of a body that FMU and reference have in common."""
    return (*(kind for kind, _ in pose_kinds(model)), *rate_kinds(model))


def sampled_motion(mechanism: Mechanism, values: Mapping[str, Array], near: Array) -> tuple[Array, Array]:
    """The coordinates and velocities at all samples of the quantities of bodies.

    ``near`` are coordinates at the same times; they determine whole turns and signs of quaternions.
    """
    samples = range(len(near))
    moments = [_moment(mechanism, {n: column[k] for n, column in values.items()}, near[k]) for k in samples]
    return np.array([coordinates for coordinates, _ in moments]), np.array([rates for _, rates in moments])


def reported_coordinates(mechanism: Mechanism, values: Mapping[str, float], near: Array) -> Array:
    """The coordinates of body poses that an FMU reports; ``near`` determines turns and signs."""
    return _moment(mechanism, values, near)[0]


def _moment(mechanism: Mechanism, values: Mapping[str, float], near: Array) -> tuple[Array, Array]:
    layout, chart = mechanism.layout, mechanism.chart
    positions, rotations, angles, velocities = [], [], [], []
    for body in layout.bodies:
        rotation, angle = _rotation(values, body, planar=layout.planar)
        arm = rotation @ layout.center(body)
        spin = np.array([values.get(f"{body}.{kind}", 0.0) for kind in ("wx", "wy", "wz")])
        spin[2] = values.get(f"{body}.omega", spin[2])
        origin, speed = (
            np.array([values.get(f"{body}.{prefix}{axis}", 0.0) for axis in "xyz"]) for prefix in ("", "v")
        )
        positions.append(origin + arm)
        rotations.append(rotation)
        angles.append(angle)
        velocities.append(np.concatenate((speed + np.cross(spin, arm), spin)))
    for flexible in mechanism.flexible:
        own = layout.own_coordinates(layout.bodies[flexible.frame])
        name = layout.bodies[flexible.frame]
        q, rates = (np.array([values[f"{name}.{d}{kind}"] for kind in own]) for d in ("", "d"))
        frame = flexible.frame
        pose = positions[frame], rotations[frame], angles[frame]
        for hidden in flexible.hidden(*pose, velocities[frame], q, rates):
            positions.append(hidden.position)
            angles.append(hidden.angle)
            rotations.append(hidden.rotation)
            velocities.append(hidden.twist)
    posture = chart.posture(near)
    raw = chart.coordinates(
        np.array(positions).reshape(-1, 3), np.array(rotations), np.array(angles), posture.memory
    )
    rates = np.concatenate([*velocities, np.zeros(0)])[chart.columns]
    return mechanism.normalized(chart.alike(raw, near)), rates


def _rotation(values: Mapping[str, float], body: str, *, planar: bool) -> tuple[Array, float]:
    if not planar:
        cosines = [values[f"{body}.{kind}"] for kind in _COSINES]
        return np.array(cosines).reshape(3, 3), 0.0
    angle = values[f"{body}.angle"]
    return _turned(angle), angle


def _turned(angle: float) -> Array:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
