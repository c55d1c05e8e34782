"""Whether the equations of a model determine its motion at the start.

The reduced mass matrix is B^T M B, where the columns of B are the free directions: B maps the rates of the
independent coordinates to the rates of all coordinates. The motion is determined only if this matrix is
positive definite. A null vector is a motion without kinetic energy: the bodies that take part in it lack a
mass or an inertia.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fmugen.components.joints import joints_of
from fmugen.errors import Problem
from fmugen.evaluation import Evaluation
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr
from fmugen.expr.substitute import Substitution
from fmugen.formulas import evaluate
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import Space, SystemModel, default_parameters

__all__ = ["loose_bodies", "start_problems", "unphysical_inertias"]

#: An FMU does not start where its best pivot is smaller (see partition.c).
_SINGULAR_START = 1e-7
#: A freedom with less than this part of the largest inertia counts as massless.
_WEIGHTLESS = 1e-14
#: Eigenvalues of the reduced mass matrix, scaled to a unit diagonal, that count as zero.
_SINGULAR_MASS = 1e-12
#: A body takes part in a motion if it moves by more than this part of what moves most.
_MOVES = 1e-6
#: Rates and accelerations of constraints contradict each other from this relative error on.
_CONTRADICTION = 1e-8

#: Relative rounding of the moments of inertia in a model file.
_ROUNDING = 1e-6

_Array = NDArray[np.float64]


def start_problems(model: SystemModel, dae: Dae, flow: SolutionFlow) -> tuple[Problem, ...]:
    """Why the mechanism cannot start to move; empty if it can, or if a network acts on it."""
    start = _Start(model, dae, flow)
    if flow.rows and flow.condition < _SINGULAR_START:
        message = "the start is a singular position, where the loops may move in several ways"
        return (Problem("start", message, "change the start values or the lengths"),)
    return (*_contradictions(dae, start), *_weightless(model, start))


def loose_bodies(model: SystemModel) -> Iterator[str]:
    """The bodies without any attached joint, driver, spring or load."""
    planar = model.space is Space.PLANAR
    loose = {element.name for element, joint in joints_of(model) if not joint.constrains(planar=planar)}
    elements = [element for element in model.elements if element.name not in loose]
    held = {end.body for element in elements for end in element.places}
    return (body.name for body in model.bodies if body.name not in held)


def unphysical_inertias(model: SystemModel) -> Iterator[str]:
    """A sentence for each inertia with a principal moment that exceeds the sum of the other two."""
    parameters = default_parameters(model)
    for body in model.bodies if model.space is Space.SPATIAL else ():
        tensor = body.inertia
        entries = (tensor.xx, tensor.yy, tensor.zz, tensor.xy, tensor.xz, tensor.yz)
        xx, yy, zz, xy, xz, yz = (evaluate(entry, parameters) or 0.0 for entry in entries)
        low, middle, high = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if high > low + middle + _ROUNDING * high:
            yield (
                f"bodies.{body.name}.inertia: a rigid body cannot have this inertia: principal moments "
                f"{low:.6g}, {middle:.6g} and {high:.6g}, the largest above the sum of the others; this "
                f"is harmless if {body.name} turns about that axis alone"
            )


class _Start:
    """The equations of motion as numbers at the assembled start."""

    def __init__(self, model: SystemModel, dae: Dae, flow: SolutionFlow) -> None:
        self.dae, self.flow = dae, flow
        self._at = Evaluation.at_defaults(model, dae)
        self._turns = Substitution(dae.held_at_start)
        # Lengths are counted in units of the mechanism, so that they compare with angles.
        self.scales = np.array([flow.length if c.unit == "m" else 1.0 for c in dae.coordinates])

    def values(self, expressions: Sequence[Expr], velocities: Sequence[_Array]) -> list[_Array] | None:
        """The values of expressions for each set of velocities; ``None`` if a network influences them."""
        counted = [self._turns(expression) for expression in expressions]
        if not self._at.known.issuperset(symbols_of(counted)):
            return None
        function = self._at.function(counted)
        q = list(self.flow.positions)
        return [np.array(function(q, v.tolist()), dtype=np.float64) for v in velocities]

    def jacobian(self, rows: Sequence[int]) -> _Array:
        """The rows of Phi_q, by coordinates in units of the mechanism."""
        matrix = np.zeros((len(rows), len(self.dae.coordinates)))
        places = [
            (at, column) for at, row in enumerate(rows) for column in self.dae.constraints[row].jacobian
        ]
        entries = [self.dae.constraints[rows[at]].jacobian[column] for at, column in places]
        found = self.values(entries, [np.zeros(len(self.dae.coordinates))])
        for (at, column), entry in zip(places, found[0] if found else (), strict=True):
            matrix[at, column] = entry * self.scales[column]
        return matrix

    def mass(self) -> _Array | None:
        """The mass matrix of all coordinates in units of the mechanism."""
        count = len(self.dae.coordinates)
        found = self.values(list(self.dae.mass.values()), [np.zeros(count)])
        if found is None:
            return None
        matrix = np.zeros((count, count))
        for (row, column), entry in zip(self.dae.mass, found[0], strict=True):
            matrix[row, column] = matrix[column, row] = entry * self.scales[row] * self.scales[column]
        return matrix

    def free_directions(self) -> _Array:
        """The rates of all coordinates, a column for each independent one."""
        flow = self.flow
        independent, dependent = list(flow.independent), list(flow.dependent)
        basis = np.zeros((len(self.dae.coordinates), len(independent)))
        basis[independent, np.arange(len(independent))] = 1.0
        if dependent and independent:
            jacobian = self.jacobian(flow.rows)
            basis[dependent] = np.linalg.lstsq(jacobian[:, dependent], -jacobian[:, independent], rcond=None)[
                0
            ]
        return basis

    def body_motions(self, model: SystemModel, directions: _Array) -> dict[str, tuple[_Array, _Array]]:
        """For each body its velocity (in units of the mechanism) and its spin, a column a direction."""
        planar = model.space is Space.PLANAR
        linear, angular = (("vx", "vy"), ("omega",)) if planar else (("vx", "vy", "vz"), ("wx", "wy", "wz"))
        kinds = (*linear, *angular)
        names = [f"{body.name}.{kind}" for body in model.bodies for kind in kinds]
        rest = np.zeros(len(self.dae.coordinates))
        moved = [self.scales * column for column in directions.T]
        found = self.values([self.dae.quantities[name] for name in names], [rest, *moved])
        if found is None:
            return {}
        table = np.array([column - found[0] for column in found[1:]]).T.reshape(
            len(model.bodies), len(kinds), -1
        )
        length = self.flow.length
        return {
            body.name: (part[: len(linear)] / length, part[len(linear) :])
            for body, part in zip(model.bodies, table, strict=True)
        }


# --- drivers -----------------------------------------------------------------------------------------


def _contradictions(dae: Dae, start: _Start) -> Iterator[Problem]:
    """Constraints whose accelerations no motion can have, as those of two drivers that disagree."""
    rows = range(len(dae.constraints))
    try:
        gammas = start.values([row.gamma for row in dae.constraints], [np.array(start.flow.velocities)])
    except (ArithmeticError, ValueError):
        message = "a driver or loop has no acceleration at the start"
        yield Problem("drivers", message, "let the motion begin smoothly")
        return
    if gammas is None or not len(rows):
        return
    wanted = gammas[0]
    jacobian = start.jacobian(rows)
    # A singular position is known to half of the digits only, so nearly singular counts as singular.
    found = np.linalg.lstsq(jacobian, wanted, rcond=_SINGULAR_START)[0] if dae.coordinates else np.zeros(0)
    error = np.abs(jacobian @ found - wanted)
    worst = int(np.argmax(error))
    if error[worst] > _CONTRADICTION * max(1.0, np.abs(wanted).max()):
        edge = dae.constraints[worst].origin.edge
        message = f"{edge} and the other constraints prescribe contradicting accelerations at the start"
        advice = "let drivers of one motion agree, and start none of them at a dead centre"
        yield Problem(edge, message, advice)


# --- masses ------------------------------------------------------------------------------------------


def _weightless(model: SystemModel, start: _Start) -> Iterator[Problem]:
    """The bodies that take part in motions without kinetic energy, each with what it lacks."""
    mass = start.mass()
    if mass is None or not start.flow.independent:
        return
    free = start.free_directions()
    null = free @ _null_vectors(free.T @ mass @ free)
    if not null.size:
        return
    motions = start.body_motions(model, null)
    names = list(motions)
    left = np.eye(null.shape[1])
    while left.size:
        shares = [np.linalg.norm(np.vstack(motions[name]) @ left) for name in names]
        largest = int(np.argmax(shares)) if shares else 0
        if not shares or shares[largest] < _MOVES:
            return
        name = names[largest]
        velocity, spin = motions[name]
        yield _lack(model, name, velocity @ left, spin @ left)
        left = left @ _kernel(np.vstack((velocity, spin)) @ left)


def _lack(model: SystemModel, name: str, velocity: _Array, spin: _Array) -> Problem:
    """The mass or inertia that a body lacks, so that all its motions have kinetic energy."""
    parameters = default_parameters(model)
    body = next(each for each in model.bodies if each.name == name)
    has_mass = (evaluate(body.mass, parameters) or 0.0) > 0.0
    translates = not has_mass and bool(np.linalg.norm(velocity) > _MOVES * np.linalg.norm(spin))
    still = _kernel(velocity) if translates else np.eye(spin.shape[1])
    turns = bool(np.linalg.norm(spin @ still) > _MOVES) if still.size else False
    needed = " and ".join(["a mass"] * translates + ["an inertia"] * turns) or "a mass or an inertia"
    freely = "a free motion" if spin.shape[1] == 1 else f"{spin.shape[1]} free motions"
    return Problem(
        f"bodies.{name}",
        f"{name} has {freely} at the start without any mass or inertia",
        f"give {name} {needed}, or hold it by a joint or a driver",
    )


def _null_vectors(matrix: _Array) -> _Array:
    """The null space of a symmetric matrix whose entries may differ by many orders, a column a vector."""
    diagonal = np.diag(matrix)
    largest = float(diagonal.max(initial=0.0))
    if largest <= 0.0:
        return np.eye(len(matrix))
    # The row of a freedom with no inertia is rounding.
    has_inertia = diagonal > _WEIGHTLESS * largest
    sizes = np.where(has_inertia, np.sqrt(np.abs(diagonal)), 1.0)
    kept = np.outer(has_inertia, has_inertia)
    values, vectors = np.linalg.eigh(np.where(kept, matrix, 0.0) / np.outer(sizes, sizes))
    null: _Array = np.linalg.qr(vectors[:, values < _SINGULAR_MASS] / sizes[:, None])[0]
    return null


def _kernel(matrix: _Array) -> _Array:
    """Vectors that a matrix maps to zero, a column each."""
    _, singular, right = np.linalg.svd(matrix)
    result: _Array = right[int(np.sum(singular > _MOVES)) :].T
    return result
