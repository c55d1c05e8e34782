"""Forces that depend linearly on accelerations become entries of the mass matrix.

Examples are the forces of inertias that a network places after a gear, and loads whose formulas use
accelerations: ``-(A a + b)`` is the action of a subsystem that is computed elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from fmugen.components.base import component_of
from fmugen.components.forces import ForceElement
from fmugen.errors import FmugenError, ModelError, NetworkError, Problem
from fmugen.expr.calculus import Tangent, depends_on, symbols_of
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.expr.substitute import Sample, substitute
from fmugen.ir.dae import Dae
from fmugen.ir.model import SystemModel, default_parameters, quantities
from fmugen.ir.quantity import Level

__all__ = ["sampled", "with_added_mass"]

#: What accelerations do to each other's equations must be mutual to this.
_SYMMETRY = 1e-9
_SAMPLES = 3


def with_added_mass(dae: Dae, model: SystemModel) -> Dae:
    """The same equations with accelerations on the left-hand side only.

    Raises
    ------
    ModelError, NetworkError
        If forces depend on accelerations in another way than inertias make them.
    """
    users = tuple(_users(model))
    if not users and not dae.network.equations:
        return dae
    accelerations = {coordinate.acceleration: number for number, coordinate in enumerate(dae.coordinates)}
    dag = dae.symbols.dag
    none = dict.fromkeys(accelerations, dag.zero)
    added: dict[tuple[int, int], Expr] = {}
    forces = []
    for row, force in enumerate(dae.force):
        for symbol in symbols_of((force,), SymbolRole.ACCELERATION):
            entry = Tangent(dag, {symbol: dag.one})(force)
            if depends_on(entry, SymbolRole.ACCELERATION):
                name = dae.coordinates[row].name
                raise _refused(users, f"the force on {name} is not linear in accelerations")
            added[row, accelerations[symbol]] = -entry
        forces.append(substitute(force, none) if depends_on(force, SymbolRole.ACCELERATION) else force)
    for seed in range(_SAMPLES):
        _require_symmetry(dae, added, users, sampled(default_parameters(model), seed))
    mass = dict(dae.mass)
    for (row, column), entry in added.items():
        if column <= row:
            mass[row, column] = mass[row, column] + entry if (row, column) in mass else entry
    # Recursions know the inertias of bodies alone.
    tree = None if added else dae.tree
    return replace(dae, mass=mass, force=tuple(forces), tree=tree)


def sampled(defaults: Mapping[str, float], seed: int = 0) -> Sample:
    """Values for a numerical test: parameters have their defaults, all other symbols have random values."""
    scatter = random.Random(seed)

    def value(symbol: Expr) -> float:
        return defaults[symbol.name] if symbol.role is SymbolRole.PARAMETER else scatter.uniform(0.5, 1.5)

    return Sample(value)


def _users(model: SystemModel) -> Iterator[str]:
    """The places of loads and springs whose formulas use accelerations."""
    seconds = {q.name for q in quantities(model) if q.level is Level.ACCELERATION}
    for element in model.elements:
        kind = None if element.ports else component_of(element)
        formulas = kind.acting() if isinstance(kind, ForceElement) else ()
        if any(name in seconds for formula in formulas for name in formula.names()):
            yield f"{element.section}.{element.name}"


def _require_symmetry(
    dae: Dae, added: Mapping[tuple[int, int], Expr], users: tuple[str, ...], sample: Callable[[Expr], float]
) -> None:
    for (row, column), entry in added.items():
        mutual = added.get((column, row), dae.symbols.dag.zero)
        if abs(sample(entry) - sample(mutual)) > _SYMMETRY * (1 + abs(sample(entry))):
            raise _refused(
                users,
                f"the forces on {dae.coordinates[row].name} and {dae.coordinates[column].name} do not depend "
                "equally on the acceleration of the other: their matrix is not symmetric",
            )


def _refused(users: tuple[str, ...], why: str) -> FmugenError:
    if not users:
        return NetworkError(f"{why}: a force cannot be a formula of accelerations")
    hint = (
        "use accelerations linearly, with a symmetric matrix, where the force acts, as an inertia force does"
    )
    return ModelError(users[0], tuple(Problem(place, why, hint) for place in users))
