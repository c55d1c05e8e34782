"""How a body that deforms is drawn: the displacements of its places by its coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fmugen.components.beam_shapes import Family
from fmugen.components.shapes import Polynomial, derivative
from fmugen.ir.arrays import Array
from fmugen.ir.formula import Formula

__all__ = ["Deformation", "Numbers", "bent", "mesh_lines"]

Numbers = Callable[[Formula], float]
#: More nodes than this are not drawn.
_MOST_NODES = 400
#: Edges of a mesh longer than this many times the median are diagonals.
_DIAGONAL = 1.3
_FLAT = 1e-6


@dataclass(frozen=True)
class Deformation:
    """Displacements of k places by m coordinates: factors (k, 3, m), and half of quadratic forms
    (k, 3, m, m).

    ``strains`` (k, planes, m) are those of bending at the surface, in each plane.
    """

    first: Array
    second: Array
    strains: Array


def bent(families: Sequence[Family], parts: Array, length: float, halves: dict[str, float]) -> Deformation:
    """A beam at some parts of its length; ``halves`` are the distances from the axis to the surface."""
    count = sum(len(family.names) for family in families)
    first, second = np.zeros((len(parts), 3, count)), np.zeros((len(parts), 3, count, count))
    strains = np.zeros((len(parts), 2, count))
    start = 0
    for family in families:
        columns = slice(start, start + len(family.names))
        start += len(family.names)
        if family.direction not in _AXES:
            continue
        axis = _AXES[family.direction]
        for number, shape in zip(range(columns.start, columns.stop), family.shapes, strict=True):
            first[:, axis, number] = _values(shape, parts)
            if axis:
                curvature = _values(derivative(derivative(shape)), parts) / length**2
                strains[:, axis - 1, number] = curvature * halves[family.direction]
        if family.integrals is not None:
            table = family.integrals.shortening()
            shortened = np.array([[_values(entry, parts) for entry in row] for row in table])
            second[:, 0, columns, columns] = -shortened.transpose(2, 0, 1) / length
    return Deformation(first, second, strains)


_AXES = {"x": 0, "y": 1, "z": 2}


def _values(shape: Polynomial, parts: Array) -> Array:
    return np.polynomial.Polynomial([float(x) for x in shape])(parts) * np.ones(len(parts))


def mesh_lines(nodes: Array) -> list[Array]:
    """The nodes of a line in a row, short edges between those of a surface, or edges around a solid."""
    from scipy.spatial import ConvexHull, Delaunay

    shown = nodes[:: -(-len(nodes) // _MOST_NODES)]
    middle = shown.mean(axis=0)
    _, sizes, directions = np.linalg.svd(shown - middle, full_matrices=False)
    rank = int(np.sum(sizes > _FLAT * sizes[0]))
    flat = (shown - middle) @ directions[:rank].T
    if rank == 1:
        return [shown[np.argsort(flat[:, 0])]]
    triangles = Delaunay(flat).simplices if rank == 2 else ConvexHull(flat).simplices
    pairs = {tuple(sorted((t[i - 1], t[i]))) for t in triangles.tolist() for i in range(3)}
    edges = np.array(sorted(pairs))
    lengths = np.linalg.norm(shown[edges[:, 0]] - shown[edges[:, 1]], axis=1)
    if rank == 2:
        edges = edges[lengths < _DIAGONAL * np.median(lengths)]
    return [shown[edge] for edge in edges]
