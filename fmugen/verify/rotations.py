"""Rotations as matrices and unit quaternions (scalar first), one or many at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmugen.verify.tape.scalar import cos, sin, sqrt

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

IDENTITY: Array = np.eye(3)
#: A square whose root does not change any other number that it is added to.
_SMALL = 1e-300
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


def cross(a: Array, b: Array) -> Array:
    """The cross products of the columns of two arrays of three rows."""
    result: Array = a.take(_NEXT, 0) * b.take(_LAST, 0) - a.take(_LAST, 0) * b.take(_NEXT, 0)
    return result


def dot(a: Array, b: Array) -> Array:
    """The scalar products of the columns of two arrays."""
    result: Array = (a * b).sum(axis=0)
    return result


def about(axis: Array, angle: float) -> Array:
    """The matrix that turns vectors by ``angle`` about a unit vector."""
    skew = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    result: Array = IDENTITY + np.sin(angle) * skew + (1.0 - np.cos(angle)) * (skew @ skew)
    return result


def turned(sequence: str, angles: list[float]) -> Array:
    """The matrix of rotations about the axes of ``sequence``, each about the axes reached so far."""
    matrix = IDENTITY
    for letter, angle in zip(sequence, angles, strict=True):
        matrix = matrix @ about(IDENTITY["xyz".index(letter)], angle)
    return matrix


def nearest_rotation(matrix: Array) -> Array:
    """The rotation that differs least from a matrix."""
    left, _, right = np.linalg.svd(matrix)
    sign = np.sign(np.linalg.det(left @ right))
    result: Array = left @ np.diag([1.0, 1.0, sign]) @ right
    return result


def _of_products() -> Array:
    """The entries of a rotation matrix as sums of products of two components of its unit quaternion."""
    table = np.zeros((4, 4, 3, 3))
    for i in range(3):
        table[0, 0, i, i] = table[1 + i, 1 + i, i, i] = 1.0
        for j in range(3):
            if i != j:
                k = 3 - i - j
                table[1 + j, 1 + j, i, i] = -1.0
                table[1 + i, 1 + j, i, j] = 2.0
                table[0, 1 + k, i, j] = -2.0 if (j - i) % 3 == 1 else 2.0
    return table.reshape(16, 9)


_OF_PRODUCTS = _of_products()


def matrices(quaternions: Array) -> Array:
    """The matrices of many quaternions, of any length but zero."""
    products = (quaternions[:, :, None] * quaternions[:, None, :]).reshape(-1, 16)
    squares = products[:, ::5].sum(axis=1)
    result: Array = ((products @ _OF_PRODUCTS) / squares[:, None]).reshape(-1, 3, 3)
    return result


def quaternion(matrix: Array) -> Array:
    """A unit quaternion of a rotation matrix, by its largest component."""
    m, trace = matrix, float(np.trace(matrix))
    diagonal = np.array([trace, m[0, 0], m[1, 1], m[2, 2]])
    largest = int(np.argmax(diagonal))
    if largest == 0:
        raw = np.array([1.0 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        raw = np.empty(4)
        raw[0] = m[k, j] - m[j, k]
        raw[1 + i] = 1.0 + 2.0 * m[i, i] - trace
        raw[1 + j] = m[j, i] + m[i, j]
        raw[1 + k] = m[k, i] + m[i, k]
    result: Array = raw / np.linalg.norm(raw)
    return result


def product(a: Array, b: Array) -> Array:
    """The products of many quaternions: first ``b``, then ``a``."""
    w, x, y, z = a.T
    p, q, r, s = b.T
    return np.column_stack(
        (
            w * p - x * q - y * r - z * s,
            w * q + x * p + y * s - z * r,
            w * r - x * s + y * p + z * q,
            w * s + x * r - y * q + z * p,
        )
    )


def exponential(vectors: Array) -> Array:
    """The quaternions of rotations about many vectors by their lengths."""
    # The angle is never zero, so that the sine can be divided by it.
    half = sqrt(0.25 * np.sum(vectors * vectors, axis=1) + _SMALL)
    return np.column_stack((cos(half), (0.5 * sin(half) / half)[:, None] * vectors))


def imaginary(vectors: Array) -> Array:
    """Vectors as quaternions without a scalar part."""
    return np.column_stack((np.zeros(len(vectors)), vectors))
