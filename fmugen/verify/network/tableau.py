"""The sparse tableau of a network: balances of all nodes and laws of all edges as one system.

    r(t, x, e, w) = 0,    x' = S w

The unknowns ``w`` are the potentials of all nodes (voltages, pressures, velocities), the through variables
of all edges and the rates of all storages. The states ``x`` are the storages' values and the displacements of
all mechanical nodes. ``e`` are the displacements and velocities of flanges that belong to joints of a
mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from fmugen.errors import VerificationError
from fmugen.ir.formula import TIME
from fmugen.verify.evaluate import Jet
from fmugen.verify.network.matrices import Additions, Matrix, as_dense, matrix_of
from fmugen.verify.network.parts import Law, NetworkParts, Term
from fmugen.verify.network.values import Constant
from fmugen.verify.network.variables import Component, Row, Variables, stored_name
from fmugen.verify.rotations import Array


@dataclass(frozen=True)
class Point:
    """Time and states, flange motions, and other given values with their rates."""

    time: float
    x: Array
    e: Array
    given: Mapping[str, Jet]

    def values(self) -> dict[str, float]:
        return {TIME: self.time, **{name: jet.value for name, jet in self.given.items()}}

    def rates(self) -> dict[str, Jet]:
        return {TIME: Jet(self.time, 1.0), **self.given}


@dataclass(frozen=True)
class _Varying:
    """A term that is not linear with a constant factor."""

    term: Term
    argument: Row | None

    def shaped(self, point: Point, w: Array) -> tuple[float, float]:
        """The term without its factor, and its slope by the argument."""
        if self.argument is None:
            return 1.0, 0.0
        argument = self.argument.value(w, point.x, point.e)
        return (argument, 1.0) if self.term.shape is None else self.term.shape(argument)


@dataclass(frozen=True)
class _Equation:
    """``row + offset + varying terms = 0``."""

    name: str
    row: Row
    offset: float = 0.0
    varying: tuple[_Varying, ...] = ()


@dataclass(frozen=True)
class Tie:
    """A rigid relation of displacements: ``combination = target``."""

    name: str
    combination: Row
    terms: tuple[Term, ...]


class Tableau:
    """All components of a network, by name."""

    def __init__(self, components: Iterable[tuple[str, NetworkParts]]) -> None:
        self.variables = Variables(components)
        self.edges, self.flanges = self.variables.edges, self.variables.flanges
        self.size, self.states = self.variables.size, self.variables.states
        self.rate_columns = self.variables.rate_columns
        self.quantities = dict(self.variables.quantities())
        #: The quantity that is each storage's value.
        self.storage_names = [
            stored_name(component, stored)
            for component in self.variables.components
            for _, stored in component.storages
        ]
        self.ties = list(self._ties())
        equations = list(self._equations())
        self.row_names = [equation.name for equation in equations]
        self.offset = np.array([equation.offset for equation in equations])
        self.by_w = matrix_of([equation.row.w for equation in equations], self.size)
        self.by_x = matrix_of([equation.row.x for equation in equations], self.states)
        self.by_e = matrix_of([equation.row.e for equation in equations], 2 * len(self.flanges))
        #: Terms that are not linear with constant factors, with the places of their equations.
        self._varying = [
            (place, each) for place, equation in enumerate(equations) for each in equation.varying
        ]
        self._watched = self._quantities_in_factors()
        self.affine = not self._watched and all(each.argument is None for _, each in self._varying)

    # --- assembly ---------------------------------------------------------------------------------------

    def _equations(self) -> Iterator[_Equation]:
        for node, balance in self.variables.balances().items():
            yield _Equation(f"balance of node {node[1]}", balance)
        for component in self.variables.components:
            yield from (self._law(component, law) for law in component.parts.laws)
            for place, stored in component.storages:
                row = self.variables.of(component, stored)
                row.x[place] -= 1.0
                yield _Equation(f"state of {component.name}", row)
        for node, row in self.variables.flange_motions():
            yield _Equation(f"flange {node[1]}", row)

    def _law(self, component: Component, law: Law) -> _Equation:
        row, offset = Row(), 0.0
        varying = []
        for term in law:
            argument = self._argument(component, term)
            if not isinstance(term.factor, Constant) or term.shape is not None:
                varying.append(_Varying(term, argument))
            elif argument is None:
                offset += term.factor.number
            else:
                row.add(argument, term.factor.number)
        return _Equation(f"law of {component.name}", row, offset, tuple(varying))

    def _argument(self, component: Component, term: Term) -> Row | None:
        return None if term.variable is None else self.variables.of(component, term.variable)

    def _ties(self) -> Iterator[Tie]:
        for component in self.variables.components:
            for law in component.parts.ties:
                combination, targets = Row(), []
                for term in law:
                    argument = self._argument(component, term)
                    if argument is None:
                        targets.append(term)
                    elif isinstance(term.factor, Constant):
                        combination.add(argument, term.factor.number)
                yield Tie(component.name, combination, tuple(targets))

    def _quantities_in_factors(self) -> dict[str, Row]:
        """The quantities of the network that factors depend on."""
        used = {name for _, each in self._varying for name in each.term.factor.names}
        unknown = sorted(used & self.variables.second_rates().keys() - self.quantities.keys())
        if unknown:
            raise VerificationError(
                f"a value depends on {unknown[0]}: the reference can use accelerations of masses only"
            )
        return {name: self.quantities[name] for name in sorted(used & self.quantities.keys())}

    # --- evaluation -------------------------------------------------------------------------------------

    def reaction(self, w: Array) -> Array:
        """The force or torque of the network on each joint."""
        return -w[self.variables.reactions]

    def residual(self, point: Point, w: Array) -> Array:
        """The violation of every balance and law."""
        result: Array = self.by_w @ w + self.by_x @ point.x + self.by_e @ point.e + self.offset
        if self._varying:
            values = self._values(point, w)
            for place, each in self._varying:
                result[place] += each.term.factor.at(values) * each.shaped(point, w)[0]
        return result

    def jacobians(self, point: Point, w: Array) -> tuple[Matrix, Matrix]:
        """The derivatives of the residual by unknowns and by states."""
        if self.affine:
            return self.by_w, self.by_x
        values = self._values(point, w)
        by_w, by_x = Additions(self.by_w), Additions(self.by_x)
        for place, each in self._varying:
            value, slope = each.shaped(point, w)
            factor = each.term.factor
            if each.argument is not None:
                by_w.add(place, each.argument.w, factor.at(values) * slope)
                by_x.add(place, each.argument.x, factor.at(values) * slope)
            for name in factor.names & self._watched.keys():
                partial = value * factor.along(values, {name: Jet(values[name], 1.0)})
                by_w.add(place, self._watched[name].w, partial)
                by_x.add(place, self._watched[name].x, partial)
        return by_w.total(), by_x.total()

    def explicit_rate(self, point: Point, w: Array, e_rate: Array) -> Array:
        """The rate of the residual with unknowns and states held."""
        result: Array = self.by_e @ e_rate
        if self._varying:
            values, rates = self._values(point, w), point.rates()
            for place, each in self._varying:
                pace = each.term.factor.along(values, rates)
                if pace:
                    result[place] += pace * each.shaped(point, w)[0]
        return result

    def tie_residual(self, point: Point) -> tuple[Array, Array]:
        """The violation of ties, and their derivatives by the states."""
        nothing = np.zeros(self.size)
        values = point.values()
        residual = [
            tie.combination.value(nothing, point.x, point.e)
            + sum(term.factor.at(values) for term in tie.terms)
            for tie in self.ties
        ]
        rows = matrix_of([tie.combination.x for tie in self.ties], self.states)
        return np.array(residual), as_dense(rows)

    def _values(self, point: Point, w: Array) -> dict[str, float]:
        values = point.values()
        for name, combination in self._watched.items():
            values[name] = combination.value(w, point.x, point.e)
        return values
