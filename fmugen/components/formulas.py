"""Lowering the user's formulas to the expression DAG."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce

from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3
from fmugen.ir.formula import CONSTANTS, TIME, Call, Formula, Name, Number, Term
from fmugen.ir.graph import Symbols
from fmugen.ir.model import Vector

__all__ = ["lower", "lower_vector"]

Resolve = Callable[[str], Expr]


def lower(formula: Formula, symbols: Symbols, resolve: Resolve | None = None) -> Expr:
    """The expression of ``formula``; ``resolve`` supplies quantities such as ``pin.angle``."""

    def name(text: str) -> Expr:
        if text == TIME:
            return symbols.time
        if text in CONSTANTS:
            return symbols.dag.number(Fraction(CONSTANTS[text]))
        known = symbols.parameters.get(text) or symbols.inputs.get(text)
        if known is not None:
            return known
        if resolve is None:
            raise KeyError(text)
        return resolve(text)

    def visit(term: Term) -> Expr:
        if isinstance(term, Number):
            return symbols.dag.number(term.value)
        if isinstance(term, Name):
            return name(term.text)
        return _apply(term, [visit(argument) for argument in term.arguments])

    return visit(formula.root)


def lower_vector(vector: Vector, symbols: Symbols, resolve: Resolve | None = None) -> Vector3:
    x, y, z = (lower(component, symbols, resolve) for component in vector)
    return (x, y, z)


def _apply(term: Call, args: list[Expr]) -> Expr:
    match term.function:
        case "+":
            return reduce(lambda a, b: a + b, args)
        case "-":
            return args[0] - args[1]
        case "*":
            return reduce(lambda a, b: a * b, args)
        case "/":
            return args[0] / args[1]
        case "^":
            return args[0].dag.call("pow", args[0], args[1])
        case "neg":
            return -args[0]
    return args[0].dag.call(term.function, *args)
