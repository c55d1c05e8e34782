"""Tellegen's theorem: in each domain, the powers of all edges sum to zero.

It follows from Kirchhoff's laws alone (McPhee 2.3), for any laws of the components. Values that violate it
violate Kirchhoff's laws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmugen.verify.network.parts import Domain, Edge
from fmugen.verify.rotations import Array

#: The smallest scale of power at an instant, as a part of the largest in the run.
_QUIET = 1e-6


@dataclass(frozen=True)
class PowerBalance:
    """The sum of the powers of all edges at every sample, by domain, relative to the power that flows."""

    times: Array
    imbalance: dict[str, Array]

    @property
    def largest(self) -> float:
        """The largest relative imbalance of any domain."""
        return max((float(np.max(np.abs(values))) for values in self.imbalance.values()), default=0.0)


def power_balance(
    edges: Sequence[Edge],
    times: Array,
    values: Mapping[str, Array],
    flange_speeds: Mapping[tuple[Domain, str], Array],
) -> PowerBalance:
    """The balance of the edges of a network.

    Parameters
    ----------
    edges
        All edges.
    times, values
        Samples of the across and through quantities of the edges.
    flange_speeds
        The speed of each node that is the flange of a joint. The joint balances the forces on it.
    """
    imbalance = {}
    for domain in Domain:
        powers = [_power(edge, values) for edge in edges if edge.domain is domain]
        powers += [
            speed * _missing(edges, values, node)
            for node, speed in flange_speeds.items()
            if node[0] is domain
        ]
        if powers:
            turned_over = np.sum(np.abs(powers), axis=0)
            scale = np.maximum(turned_over, _QUIET * np.max(turned_over))
            imbalance[domain.name.lower()] = np.sum(powers, axis=0) / np.where(scale > 0.0, scale, 1.0)
    return PowerBalance(times, imbalance)


def _power(edge: Edge, values: Mapping[str, Array]) -> Array:
    name, letters = edge.component, edge.domain
    product: Array = (
        values[f"{name}.{letters.across}{edge.number}"] * values[f"{name}.{letters.through}{edge.number}"]
    )
    return product


def _missing(edges: Sequence[Edge], values: Mapping[str, Array], node: tuple[Domain, str]) -> Array:
    """Minus the sum of the forces or torques of the edges on a mechanical node."""
    domain, name = node
    total = np.zeros(len(next(iter(values.values()))))
    for edge in edges:
        if edge.domain is domain:
            through = values[f"{edge.component}.{domain.through}{edge.number}"]
            total += through * (float(edge.tail == name) - float(edge.head == name))
    return total
