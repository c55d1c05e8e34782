"""Frames in space, and rotations from angles and back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Frame", "random_rotation", "rotation", "zyx_angles"]

Array = NDArray[np.float64]


def rotation(axis: str, angle: float) -> Array:
    """The matrix of a turn about x, y or z."""
    c, s = math.cos(angle), math.sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def random_rotation(random: np.random.Generator) -> Array:
    """A rotation without a preferred direction."""
    w, x, y, z = (q := random.standard_normal(4)) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def zyx_angles(matrix: Array) -> tuple[float, float, float]:
    """The angles of turns about z, the new y and the new x."""
    pitch = math.atan2(-matrix[2, 0], math.hypot(matrix[0, 0], matrix[1, 0]))
    if math.hypot(matrix[0, 0], matrix[1, 0]) < 1e-12:
        return math.atan2(-matrix[0, 1], matrix[1, 1]), pitch, 0.0
    yaw = math.atan2(matrix[1, 0], matrix[0, 0])
    return yaw, pitch, math.atan2(matrix[2, 1], matrix[2, 2])


@dataclass(frozen=True)
class Frame:
    """A position and axes, by the columns of a rotation matrix."""

    position: Array
    axes: Array

    def __matmul__(self, other: Frame) -> Frame:
        return Frame(self.position + self.axes @ other.position, self.axes @ other.axes)

    def seen_from(self, other: Frame) -> Frame:
        """This frame relative to another."""
        return Frame(other.axes.T @ (self.position - other.position), other.axes.T @ self.axes)

    def turned(self, axis: str, angle: float) -> Frame:
        return Frame(self.position, self.axes @ rotation(axis, angle))

    def moved(self, distance: float) -> Frame:
        """The frame moved along its z axis."""
        return Frame(self.position + distance * self.axes[:, 2], self.axes)


GROUND = Frame(np.zeros(3), np.eye(3))
