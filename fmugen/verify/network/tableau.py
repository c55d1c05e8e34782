"""The sparse tableau of a network: balances of all nodes and laws of all edges as one system.

    r(t, x, e, w) = 0,    x' = S w

The unknowns ``w`` are the potentials of all nodes (voltages, pressures, velocities), the through variables
of all edges and the rates of all storages. The states ``x`` are the storages' values and the displacements of
all mechanical nodes. ``e`` are the displacements and velocities of flanges that belong to joints of a
mechanism.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from fmugen.errors import VerificationError
from fmugen.ir.formula import TIME
from fmugen.verify.evaluate import Jet
from fmugen.verify.network.matrices import Additions, Matrix, as_dense, matrix_of
from fmugen.verify.network.parts import (
    GROUND,
    Domain,
    Edge,
    NetworkParts,
    Term,
    Variable,
    VariableKind,
    quantity_names,
)
from fmugen.verify.network.values import Constant
from fmugen.verify.rotations import Array

FLANGE = "joint:"

_Node = tuple[Domain, str]


@dataclass
class Row:
    """A linear combination of unknowns, states and flange motions."""

    w: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    x: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    e: dict[int, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, other: Row, factor: float) -> None:
        for mine, theirs in ((self.w, other.w), (self.x, other.x), (self.e, other.e)):
            for column, coefficient in theirs.items():
                mine[column] += factor * coefficient

    def value(self, w: Array, x: Array, e: Array) -> float:
        total = 0.0
        for mine, vector in ((self.w, w), (self.x, x), (self.e, e)):
            for column, coefficient in mine.items():
                total += coefficient * float(vector[column])
        return total


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
class _Placed:
    """A term that is not linear with a constant factor, in its row."""

    row: int
    term: Term
    argument: Row | None


@dataclass(frozen=True)
class Tie:
    """A rigid relation of displacements: ``combination = target``."""

    name: str
    combination: Row
    terms: tuple[Term, ...]


class Tableau:
    """All components of a network, by name."""

    def __init__(self, components: Iterable[tuple[str, NetworkParts]]) -> None:
        self._parts = list(components)
        self.edges = [edge for _, parts in self._parts for edge in parts.edges]
        nodes = dict.fromkeys(
            (edge.domain, node) for edge in self.edges for node in (edge.tail, edge.head) if node != GROUND
        )
        self._node_columns = {node: column for column, node in enumerate(nodes)}
        #: The joints whose flanges the network acts on, in the order of the flange motions.
        self.flanges = tuple(node for node in nodes if node[1].startswith(FLANGE))
        self._through = len(nodes)
        self._reactions = self._through + len(self.edges)
        self._rates = self._reactions + len(self.flanges)
        storages = sum(len(parts.storages) for _, parts in self._parts)
        self.size = self._rates + storages
        mobile = [node for node in nodes if node[0].mechanical and node not in self.flanges]
        self._displacements = {node: storages + place for place, node in enumerate(mobile)}
        self.states = storages + len(mobile)
        #: The column of the unknown that is the rate of each state.
        self.rate_columns = np.array(
            [*range(self._rates, self.size), *(self._node_columns[node] for node in mobile)], dtype=int
        )
        self.quantities = dict(self._quantities())
        self._assemble()
        used = {name for placed in self._varying for name in placed.term.factor.names}
        self._watched = {name: self.quantities[name] for name in sorted(used) if name in self.quantities}
        unknown = sorted(used & self.second_rates().keys() - self.quantities.keys())
        if unknown:
            raise VerificationError(
                f"a value depends on {unknown[0]}: the reference can use accelerations of masses only"
            )

    # --- assembly ---------------------------------------------------------------------------------------

    def _assemble(self) -> None:
        rows: list[Row] = []
        self.row_names: list[str] = []
        self._varying: list[_Placed] = []
        self._offsets: list[float] = []
        self.ties: list[Tie] = []
        #: The quantity that is each storage's value.
        self.storage_names: list[str] = []

        def append(row: Row, name: str, offset: float = 0.0) -> None:
            rows.append(row)
            self._offsets.append(offset)
            self.row_names.append(name)

        for node, balance in self._balances().items():
            append(balance, f"balance of node {node[1]}")
        first_edge = first_storage = 0
        for name, parts in self._parts:
            for law in parts.laws:
                row, offset = Row(), 0.0
                for term in law:
                    argument = self._variable(parts, term.variable, first_edge, first_storage)
                    if isinstance(term.factor, Constant) and term.shape is None:
                        if argument is None:
                            offset += term.factor.number
                        else:
                            row.add(argument, term.factor.number)
                    else:
                        self._varying.append(_Placed(len(rows), term, argument))
                append(row, f"law of {name}", offset)
            for place, stored in enumerate(parts.storages):
                row = self._variable(parts, stored, first_edge, first_storage) or Row()
                row.x[first_storage + place] -= 1.0
                append(row, f"state of {name}")
                self.storage_names.append(_name_of(parts, stored))
            for law in parts.ties:
                self.ties.append(self._tie(name, parts, law, first_edge))
            first_edge += len(parts.edges)
            first_storage += len(parts.storages)
        for place, node in enumerate(self.flanges):
            row = Row()
            row.w[self._node_columns[node]] = 1.0
            row.e[len(self.flanges) + place] = -1.0
            append(row, f"flange {node[1]}")
        self.offset = np.array(self._offsets)
        self.by_w = matrix_of([row.w for row in rows], self.size)
        self.by_x = matrix_of([row.x for row in rows], self.states)
        self.by_e = matrix_of([row.e for row in rows], 2 * len(self.flanges))
        self.affine = all(
            placed.argument is None and placed.term.factor.names.isdisjoint(self.quantities)
            for placed in self._varying
        )

    def _balances(self) -> dict[_Node, Row]:
        balances = {node: Row() for node in self._node_columns}
        for place, edge in enumerate(self.edges):
            for name, sign in ((edge.tail, 1.0), (edge.head, -1.0)):
                if name != GROUND:
                    balances[edge.domain, name].w[self._through + place] += sign
        for place, node in enumerate(self.flanges):
            balances[node].w[self._reactions + place] -= 1.0
        return balances

    def _variable(
        self, parts: NetworkParts, variable: Variable | None, first_edge: int, first_storage: int
    ) -> Row | None:
        if variable is None:
            return None
        row = Row()
        match variable.kind:
            case VariableKind.ACROSS:
                return self._across(parts.edges[variable.place])
            case VariableKind.DISPLACEMENT:
                return self._displacement(parts.edges[variable.place])
            case VariableKind.THROUGH:
                row.w[self._through + first_edge + variable.place] = 1.0
            case VariableKind.RATE:
                row.w[self._rates + first_storage + variable.place] = 1.0
        return row

    def _across(self, edge: Edge) -> Row:
        """The drop from tail to head; of velocities, that of the head relative to the tail."""
        row = Row()
        sign = -1.0 if edge.domain.mechanical else 1.0
        for node, weight in ((edge.tail, sign), (edge.head, -sign)):
            if node != GROUND:
                row.w[self._node_columns[edge.domain, node]] += weight
        return row

    def _displacement(self, edge: Edge) -> Row:
        row = Row()
        for name, weight in ((edge.tail, -1.0), (edge.head, 1.0)):
            if name != GROUND:
                row.add(self._position(edge.domain, name), weight)
        return row

    def _position(self, domain: Domain, name: str) -> Row:
        row, node = Row(), (domain, name)
        if node in self._displacements:
            row.x[self._displacements[node]] = 1.0
        else:
            row.e[self.flanges.index(node)] = 1.0
        return row

    def _tie(self, name: str, parts: NetworkParts, law: tuple[Term, ...], first_edge: int) -> Tie:
        combination, offsets = Row(), []
        for term in law:
            argument = self._variable(parts, term.variable, first_edge, 0)
            if argument is None:
                offsets.append(term)
            elif isinstance(term.factor, Constant):
                combination.add(argument, term.factor.number)
        return Tie(name, combination, tuple(offsets))

    def _quantities(self) -> Iterable[tuple[str, Row]]:
        for place, edge in enumerate(self.edges):
            for kind, name in quantity_names(edge):
                if kind == "across":
                    yield name, self._across(edge)
                elif kind == "through":
                    row = Row()
                    row.w[self._through + place] = 1.0
                    yield name, row
                elif kind == "displacement":
                    yield name, self._displacement(edge)
        yield from self._accelerations()
        for (domain, node), column in self._own_nodes():
            row = Row()
            row.w[column] = 1.0
            yield f"{node}.{domain.across}", row
            if domain.mechanical:
                yield f"{node}.{domain.value[0]}", self._position(domain, node)

    def _accelerations(self) -> Iterable[tuple[str, Row]]:
        """Those of masses and inertias, which are the rates of their storages."""
        first_storage = 0
        for _, parts in self._parts:
            for place, stored in enumerate(parts.storages):
                edge = parts.edges[stored.place]
                if stored.kind is VariableKind.ACROSS and edge.domain.mechanical:
                    row = Row()
                    row.w[self._rates + first_storage + place] = 1.0
                    yield f"{edge.component}.{edge.domain.value[2]}{edge.number}", row
            first_storage += len(parts.storages)

    def _own_nodes(self) -> list[tuple[_Node, int]]:
        """The nodes that are not flanges of joints."""
        return [(node, column) for node, column in self._node_columns.items() if node not in self.flanges]

    def second_rates(self) -> dict[str, Row]:
        """The quantities that are accelerations, by the velocities they are the rates of."""
        rates = {
            f"{edge.component}.{edge.domain.value[2]}{edge.number}": self._across(edge)
            for edge in self.edges
            if edge.domain.mechanical
        }
        for (domain, node), column in self._own_nodes():
            if domain.mechanical:
                row = Row()
                row.w[column] = 1.0
                rates[f"{node}.{domain.value[2]}"] = row
        return rates

    # --- evaluation -------------------------------------------------------------------------------------

    def reaction(self, w: Array) -> Array:
        """The force or torque of the network on each joint."""
        return -w[self._reactions : self._reactions + len(self.flanges)]

    def residual(self, point: Point, w: Array) -> Array:
        """The violation of every balance and law."""
        result: Array = self.by_w @ w + self.by_x @ point.x + self.by_e @ point.e + self.offset
        if self._varying:
            values = self._values(point, w)
            for placed in self._varying:
                factor = placed.term.factor.at(values)
                result[placed.row] += factor * _shaped(placed, point, w)[0]
        return result

    def jacobians(self, point: Point, w: Array) -> tuple[Matrix, Matrix]:
        """The derivatives of the residual by unknowns and by states."""
        if self.affine:
            return self.by_w, self.by_x
        values = self._values(point, w)
        by_w, by_x = Additions(self.by_w), Additions(self.by_x)
        for placed in self._varying:
            value, slope = _shaped(placed, point, w)
            factor = placed.term.factor
            if placed.argument is not None:
                by_w.add(placed.row, placed.argument.w, factor.at(values) * slope)
                by_x.add(placed.row, placed.argument.x, factor.at(values) * slope)
            for name in factor.names & self._watched.keys():
                partial = value * factor.along(values, {name: Jet(values[name], 1.0)})
                by_w.add(placed.row, self._watched[name].w, partial)
                by_x.add(placed.row, self._watched[name].x, partial)
        return by_w.total(), by_x.total()

    def explicit_rate(self, point: Point, w: Array, e_rate: Array) -> Array:
        """The rate of the residual with unknowns and states held."""
        result: Array = self.by_e @ e_rate
        if self._varying:
            values, rates = self._values(point, w), point.rates()
            for placed in self._varying:
                pace = placed.term.factor.along(values, rates)
                if pace:
                    result[placed.row] += pace * _shaped(placed, point, w)[0]
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


def _shaped(placed: _Placed, point: Point, w: Array) -> tuple[float, float]:
    if placed.argument is None:
        return 1.0, 0.0
    argument = placed.argument.value(w, point.x, point.e)
    return (argument, 1.0) if placed.term.shape is None else placed.term.shape(argument)


def _name_of(parts: NetworkParts, variable: Variable) -> str:
    edge = parts.edges[variable.place]
    wanted = variable.kind.value
    name = next((name for kind, name in quantity_names(edge) if kind == wanted), None)
    if name is None:
        raise VerificationError(f"{edge.component} stores a quantity without a name")
    return name
