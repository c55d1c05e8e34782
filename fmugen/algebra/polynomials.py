"""Constraint expressions as polynomials in the sines, cosines and lengths that are sought.

Uchida 3.2.1: of the three substitutions that turn goniometric equations into polynomials, sine and cosine
as two indeterminates bound by s^2 + c^2 = 1 gives the smallest bases. Whatever does not contain an unknown
stays one coefficient, an expression of the DAG that is never opened here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from fmugen.expr.calculus import postorder
from fmugen.expr.dag import Dag, Expr, Operation

__all__ = ["Kind", "Monomial", "Polynomial", "Variable", "polynomial_rows", "turning", "variables_of"]

#: Polynomials of more terms than this are too large for a basis.
_MOST_TERMS = 400


class Kind(Enum):
    """The quantity that an indeterminate stands for."""

    SINE = "sine"
    COSINE = "cosine"
    LENGTH = "length"


@dataclass(frozen=True)
class Variable:
    """An indeterminate: the sine or cosine of an unknown angle, or an unknown length."""

    coordinate: int
    kind: Kind


Monomial = tuple[int, ...]
Polynomial = dict[Monomial, Expr]


def variables_of(unknowns: Mapping[int, Expr], angles: Collection[int]) -> tuple[Variable, ...]:
    """The indeterminates of the unknowns, in the order given: sine and cosine of an angle, or the length."""
    found: list[Variable] = []
    for coordinate in unknowns:
        if coordinate in angles:
            found += [Variable(coordinate, Kind.SINE), Variable(coordinate, Kind.COSINE)]
        else:
            found.append(Variable(coordinate, Kind.LENGTH))
    return tuple(found)


def polynomial_rows(
    rows: Sequence[Expr], unknowns: Mapping[int, Expr], angles: Collection[int]
) -> list[Polynomial | None]:
    """``rows`` as polynomials in :func:`variables_of` the unknowns.

    A row is None if an unknown occurs in it otherwise than as a polynomial: below a root, in the sine of a
    sum, an angle beside its own sine.
    """
    if not rows:
        return []
    reader = _Reader(rows[0].dag, unknowns, angles)
    return [reader.read(row) for row in rows]


def turning(rows: Sequence[Expr], unknowns: Mapping[int, Expr], angles: Collection[int]) -> frozenset[int]:
    """The unknown angles that occur by their sine or cosine; the others are as good as lengths."""
    arguments = {node.args[0] for node in postorder(rows) if node.operation is Operation.CALL}
    return frozenset(number for number in angles if unknowns.get(number) in arguments)


class _Reader:
    """Reads expressions bottom up, every node once."""

    def __init__(self, dag: Dag, unknowns: Mapping[int, Expr], angles: Collection[int]) -> None:
        self._dag = dag
        variables = variables_of(unknowns, angles)
        self._one: Monomial = (0,) * len(variables)
        self._sought = set(unknowns.values())
        self._leaves: dict[Expr, Monomial] = {}
        for index, variable in enumerate(variables):
            symbol = unknowns[variable.coordinate]
            names = {Kind.SINE: "sin", Kind.COSINE: "cos"}
            leaf = symbol if variable.kind is Kind.LENGTH else dag.call(names[variable.kind], symbol)
            self._leaves[leaf] = tuple(int(index == other) for other in range(len(variables)))
        self._read: dict[Expr, Polynomial | None] = {}

    def read(self, row: Expr) -> Polynomial | None:
        for node in postorder((row,)):
            if node not in self._read:
                self._read[node] = self._polynomial(node)
        return self._read[row]

    def _polynomial(self, node: Expr) -> Polynomial | None:
        if node in self._leaves:
            return {self._leaves[node]: self._dag.one}
        if node in self._sought:
            return None
        parts = [self._read[arg] for arg in node.args]
        polynomials = [part for part in parts if part is not None]
        if len(polynomials) < len(parts):
            return None
        if all(part.keys() <= {self._one} for part in polynomials):
            return {} if node.is_zero else {self._one: node}
        match node.operation:
            case Operation.ADD:
                return self._sum(polynomials)
            case Operation.MUL:
                return self._product(polynomials)
            case Operation.POWER if node.exponent > 0:
                return self._product(polynomials * node.exponent)
        return None

    def _sum(self, parts: Sequence[Polynomial]) -> Polynomial:
        gathered: dict[Monomial, list[Expr]] = {}
        for part in parts:
            for monomial, coefficient in part.items():
                gathered.setdefault(monomial, []).append(coefficient)
        total = {monomial: self._dag.add(terms) for monomial, terms in gathered.items()}
        return {monomial: coefficient for monomial, coefficient in total.items() if not coefficient.is_zero}

    def _product(self, parts: Sequence[Polynomial]) -> Polynomial | None:
        product: Polynomial = {self._one: self._dag.one}
        for part in parts:
            if len(product) * len(part) > _MOST_TERMS:
                return None
            product = self._sum(
                [
                    {tuple(map(sum, zip(one, other, strict=True))): left * right}
                    for one, left in product.items()
                    for other, right in part.items()
                ]
            )
        return product
