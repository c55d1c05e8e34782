"""Projected circuit equations: a constraint for every reaction direction of a chord (McPhee, step 2).

The circuit equation of a chord, projected onto its reaction space, at the levels of position,
velocity and acceleration. A chord's reaction on its head is minus its multiplier times the direction,
so that the constraints enter the dynamic equations as ``+ Phi_q^T lambda``.
"""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Expr, Role
from fmugen.expr.vectors import dot
from fmugen.ir.dae import Constraint, Coordinate, Origin
from fmugen.ir.graph import Domain, Edge, EdgeKind, LinearGraph
from fmugen.ir.tree import TreeSelection
from fmugen.phases.formulate.frames import Affine
from fmugen.phases.formulate.kinematics import Kinematics

__all__ = ["project_circuits"]


def project_circuits(
    graph: LinearGraph,
    trees: TreeSelection,
    kinematics: Kinematics,
    coordinates: tuple[Coordinate, ...],
) -> tuple[Constraint, ...]:
    """All constraints, those of the R-cotree first; rows that are identically zero are left out."""
    builder = _Circuits(graph, kinematics, coordinates)
    constraints: list[Constraint] = []
    for domain in (Domain.ROTATION, Domain.TRANSLATION):
        chords = set(trees.domain(domain).chords)
        for edge in graph.domain(domain).edges:
            if edge.name in chords:
                constraints.extend(builder.of_chord(edge))
    return tuple(row for row in constraints if row.jacobian or not row.phi.is_zero)


class _Circuits:
    def __init__(
        self, graph: LinearGraph, kinematics: Kinematics, coordinates: tuple[Coordinate, ...]
    ) -> None:
        self._kinematics = kinematics
        self._dag = graph.symbols.dag
        self._by_time = Tangent(self._dag, {graph.symbols.time: self._dag.one})
        self._index = {coordinate.second: index for index, coordinate in enumerate(coordinates)}

    def of_chord(self, edge: Edge) -> Iterator[Constraint]:
        for number in range(len(edge.reaction)):
            direction = _direction(edge, number)
            if edge.domain is Domain.TRANSLATION:
                yield self._translational(edge, number, direction)
            else:
                yield self._rotational(edge, number, direction)

    def _translational(self, edge: Edge, number: int, direction: str) -> Constraint:
        kinematics, axis = self._kinematics, edge.reaction[number]
        _, second = kinematics.given_rates(edge)
        phi = kinematics.along(kinematics.displacement(edge), edge, axis) - dot(axis, edge.given)
        acceleration = kinematics.relative_acceleration(edge)
        jacobian = {
            self._index[unknown]: kinematics.along(part, edge, axis)
            for unknown, part in acceleration.coefficients.items()
        }
        gamma = dot(axis, second) - kinematics.along(acceleration.const, edge, axis)
        return self._row(edge, number, direction, phi, jacobian, gamma)

    def _rotational(self, edge: Edge, number: int, direction: str) -> Constraint:
        """Planar: angles add, so the circuit of angles is a sum (McPhee (85))."""
        kinematics, axis = self._kinematics, edge.reaction[number]
        _, second = kinematics.given_rates(edge)
        angle = kinematics.frames.angle
        phi = angle[edge.head] - angle[edge.tail] - dot(axis, edge.given)
        alpha: Affine = kinematics.alpha[edge.head] - kinematics.alpha[edge.tail]
        jacobian = {
            self._index[unknown]: kinematics.along(part, edge, axis)
            for unknown, part in alpha.coefficients.items()
        }
        gamma = dot(axis, second) - kinematics.along(alpha.const, edge, axis)
        return self._row(edge, number, direction, phi, jacobian, gamma)

    def _row(
        self, edge: Edge, number: int, direction: str, phi: Expr, jacobian: dict[int, Expr], gamma: Expr
    ) -> Constraint:
        name = f"{edge.name}, {direction}"
        return Constraint(
            name,
            Origin("circuit", edge.domain, edge.name, direction),
            number,
            phi,
            {index: entry for index, entry in sorted(jacobian.items()) if not entry.is_zero},
            -self._by_time(phi),
            gamma,
            self._dag.symbol(f"lambda[{name}]", Role.MULTIPLIER),
        )


def _direction(edge: Edge, number: int) -> str:
    """What to call a reaction direction in messages and comments."""
    if edge.domain is Domain.ROTATION:
        return "angle"
    if len(edge.reaction) == 1:
        return "along" if edge.kind is EdgeKind.MOTION_DRIVER else "normal"
    return "xyz"[number]
