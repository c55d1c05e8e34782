"""From entries to nodes whose operands are in the order in which they are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fmugen.expr.compact.entries import Entries, Signed
from fmugen.expr.dag import Dag, Expr, Operation, SymbolRole

#: Symbols that are known only after so many operations of the equations of motion: more than any chain has.
_FOUND_AFTER = {SymbolRole.ACCELERATION: 10_000, SymbolRole.MULTIPLIER: 20_000}
#: Divisions and functions take about so many times as long as sums and products.
_SLOW = 4


def written(entries: Entries, signed: Sequence[Signed]) -> list[Expr]:
    """The nodes of entries. Code computes from left to right, so operands that are known late come last."""
    known: dict[int, _Timed] = {}
    for number in entries.reached(number for _, number in signed):
        known[number] = _written(entries, number, known)
    return [_with_sign(sign, known[number].node) for sign, number in signed]


class _Timed(NamedTuple):
    """A node, and after how many operations it is known at the earliest."""

    late: int
    node: Expr

    def order(self) -> tuple[int, int]:
        return self.late, self.node.serial


def _end(operands: Sequence[_Timed]) -> int:
    """When the last of a row of operations is done, each waiting for the one before it."""
    end = operands[0].late
    for operand in operands[1:]:
        end = max(end, operand.late) + 1
    return end


def _written(entries: Entries, number: int, known: dict[int, _Timed]) -> _Timed:
    if number in entries.atoms:
        node = entries.atoms[number]
        return _Timed(_FOUND_AFTER.get(node.role, 0) if node.role else 0, node)
    if number in entries.products:
        return _written_product(
            entries.dag, [(known[n], count) for n, count in entries.products[number].items()]
        )
    if number in entries.sums:
        return _written_sum(entries.dag, [(known[n], sign) for n, sign in entries.sums[number].items()])
    operation, value, arguments = entries.others[number]
    nodes = tuple(_with_sign(sign, known[argument].node) for sign, argument in arguments)
    latest = max((known[argument].late for _, argument in arguments), default=0)
    return _Timed(latest + _SLOW, entries.dag.nested(operation, nodes, value))


def _written_product(dag: Dag, powers: Sequence[tuple[_Timed, int]]) -> _Timed:
    factors = [
        each if count == 1 else _Timed(each.late + 1, dag.nested(Operation.POWER, (each.node,), count))
        for each, count in powers
    ]
    constant = dag.mul(factor.node for factor in factors if factor.node.constant)
    moving = sorted((factor for factor in factors if not factor.node.constant), key=_Timed.order)
    if constant is not dag.one or not moving:
        moving.insert(0, _Timed(0, constant))
    if len(moving) == 1:
        return moving[0]
    return _Timed(_end(moving), dag.nested(Operation.MUL, tuple(factor.node for factor in moving)))


def _written_sum(dag: Dag, terms: Sequence[tuple[_Timed, int]]) -> _Timed:
    ordered = sorted(terms, key=lambda term: term[0].order())
    # A positive term first: a sign in front would be an operation.
    first = next((place for place, (_, sign) in enumerate(ordered) if sign > 0), 0)
    ordered.insert(0, ordered.pop(first))
    nodes = tuple(_with_sign(sign, term.node) for term, sign in ordered)
    return _Timed(_end([term for term, _ in ordered]), dag.nested(Operation.ADD, nodes))


def _with_sign(sign: int, node: Expr) -> Expr:
    """``node`` or its negative, which code writes as the sign of ``node``."""
    if sign > 0:
        return node
    if node.constant:
        return -node
    negative = node.dag.nested(Operation.MUL, (node.dag.number(-1), node))
    node.dag.opposites[negative] = node
    return negative
