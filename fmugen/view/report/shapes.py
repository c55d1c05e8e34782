"""Plain geometry of drawings: hulls, solids and the view of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fmugen.verify.rotations import Array

__all__ = [
    "Coordinates",
    "as_coordinates",
    "box",
    "camera",
    "corners_of",
    "disc",
    "distinct",
    "hull",
    "level_axes",
    "upwards",
]

Coordinates = tuple[float, float, float]

_COINCIDENT = 1e-9
_FLAT = 1e-6
#: How a spatial mechanism is looked at first: turned about the vertical, then tilted.
_AZIMUTH, _ELEVATION = np.radians(-58.0), np.radians(22.0)


def as_coordinates(vector: Array) -> Coordinates:
    """A vector as plain numbers."""
    x, y, z = vector.tolist()
    return x, y, z


def distinct(places: list[Array]) -> Array:
    """The places without repetitions, a row each."""
    kept: list[Array] = []
    for place in places:
        if all(np.linalg.norm(place - other) > _COINCIDENT for other in kept):
            kept.append(place)
    return np.array(kept).reshape(-1, 3)


def hull(vertices: Array) -> Iterator[tuple[tuple[Coordinates, ...], bool]]:
    """A line through points of a line, the polygon around points of a plane, else the faces of a solid."""
    # Few bodies need it, and it takes a while to import.
    from scipy.spatial import ConvexHull, QhullError

    middle = vertices.mean(axis=0)
    _, sizes, directions = np.linalg.svd(vertices - middle)
    rank = int(np.sum(sizes > _FLAT * sizes[0]))
    reduced = (vertices - middle) @ directions[:rank].T
    try:
        if rank == 1:
            yield corners_of(vertices[[int(reduced.argmin()), int(reduced.argmax())]]), False
        elif rank == 2:
            yield corners_of(vertices[ConvexHull(reduced).vertices]), True
        else:
            for face in ConvexHull(reduced).simplices:
                yield corners_of(vertices[face]), True
    except QhullError:  # nearly degenerate: as lines from the middle
        for vertex in vertices:
            yield corners_of(np.array([middle, vertex])), False


def corners_of(places: Array) -> tuple[Coordinates, ...]:
    """Rows as plain numbers."""
    return tuple(as_coordinates(place) for place in places)


def disc(half: Array) -> Iterator[Array]:
    """The rim of a disc in the plane."""
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    yield half[0] * np.column_stack((np.cos(angles), np.sin(angles), 0.0 * angles))


def box(half: Array) -> Iterator[Array]:
    """The faces of a box, by half of its edges."""
    for axis in range(3):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            face = np.zeros((4, 3))
            face[:, axis] = side * half[axis]
            face[:, first] = half[first] * np.array([-1.0, 1.0, 1.0, -1.0])
            face[:, second] = half[second] * np.array([-1.0, -1.0, 1.0, 1.0])
            yield face


def upwards(gravity: Array, *, planar: bool) -> Array:
    """Up in the mechanism: against gravity; without gravity y in the plane, z in space."""
    size = float(np.linalg.norm(gravity))
    if planar or size == 0.0:
        unit: Array = np.eye(3)[1 if planar else 2]
        return unit
    result: Array = -gravity / size
    return result


def level_axes(up: Array) -> tuple[Array, Array]:
    """Two axes that are level, of a right-handed frame with ``up``."""
    ahead = np.eye(3)[int(np.argmin(np.abs(up)))]
    first: Array = ahead - (ahead @ up) * up
    first /= np.linalg.norm(first)
    return first, np.cross(up, first)


def camera(up: Array) -> Array:
    """Rows: right, up on the screen and towards the eye."""
    first, second = level_axes(up)
    toward = np.cos(_AZIMUTH) * first + np.sin(_AZIMUTH) * second
    right = np.cross(up, toward)
    toward = np.cos(_ELEVATION) * toward + np.sin(_ELEVATION) * up
    return np.array([right, np.cross(toward, right), toward])
