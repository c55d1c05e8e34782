"""Statements in C: those of all languages, and those of exact steps and of the equations of motion."""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.expr.dag import Expr
from fmugen.expr.statements import Assignment, Condition, Heading, Statement, StatementPrinter, Temporary

__all__ = ["CPrinter", "Pivot", "Require", "StoreElement", "Text", "Unless", "Zeros", "comment"]

_INDENT = "    "


def comment(text: str) -> str:
    """Text that cannot end a C comment."""
    return text.replace("*/", "* /").replace("/*", "/ *")


@dataclass(frozen=True)
class StoreElement(Assignment):
    """An assignment to an element of ``array``."""

    array: str = ""


@dataclass(frozen=True)
class Zeros(Statement):
    """The first ``size`` elements of an array become zero."""

    array: str
    size: int


@dataclass(frozen=True)
class Text(Statement):
    """A line as it stands, which reads no leaf."""

    text: str


@dataclass(frozen=True)
class Require(Statement):
    """A function of the runtime that must succeed, or the function ends without success.

    Its arguments are expressions, then ``more``. With ``listed`` the expressions are the coefficients of a
    polynomial, and their degree comes before them.
    """

    function: str
    arguments: tuple[Expr, ...]
    more: tuple[str, ...] = ()
    listed: bool = False


@dataclass(frozen=True)
class Pivot(Statement):
    """Store a pivot; it must be large enough relative to the largest one so far.

    Below ``ease`` of that, other independent coordinates may be better.
    """

    number: int
    value: Expr
    factor: float
    ease: float


@dataclass(frozen=True)
class Unless(Statement):
    """Without an argument, a pointer, the rest of the function is not computed."""

    argument: str
    result: str

    @property
    def lines(self) -> list[str]:
        return _unless(self.argument, f"return {self.result};")


class CPrinter(StatementPrinter):
    """Writes the statements of a function.

    Temporaries are local constants, or elements of an array that is declared elsewhere.
    """

    def __init__(self, names: dict[Expr, str]) -> None:
        super().__init__(names)

    def _lines(self, statement: Statement) -> list[str]:
        match statement:
            case Heading(text=text):
                return ["", f"/* {comment(text)} */"]
            case Temporary():
                value = self.expression(statement.value)
                declared = "" if statement.name.endswith("]") else "const double "
                return [f"{declared}{statement.name} = {value};{_note(statement.note)}"]
            case Assignment():
                value = self.expression(statement.value)
                return [f"{statement.target} = {value};{_note(statement.note)}"]
            case Condition():
                value = self.expression(statement.value)
                return _unless(f"({value} > {statement.bound!r})", statement.otherwise)
            case Pivot():
                return self._pivot(statement)
            case Require():
                return self._attempt(statement)
            case Zeros(array=array, size=size):
                return [f"for (int i = 0; i < {size}; i++) {{", f"{_INDENT}{array}[i] = 0.0;", "}"]
            case Unless():
                return statement.lines
            case Text(text=text):
                return [text]
        raise TypeError(f"{type(statement).__name__} is not a statement of C")

    def _pivot(self, pivot: Pivot) -> list[str]:
        i = pivot.number
        lines = [f"pivots[{i}] = {self.expression(pivot.value)};"]
        lines += _unless(f"(pivots[{i}] > {pivot.factor!r}*largest[{i}])", "return MOTION_UNKNOWN;")
        if pivot.ease:
            lines += [f"if (pivots[{i}] < {pivot.ease!r}*largest[{i}]) {{"]
            lines += [f"{_INDENT}verdict = MOTION_WEAK;", "}"]
        return lines

    def _attempt(self, attempt: Require) -> list[str]:
        values = [self.expression(argument) for argument in attempt.arguments]
        if attempt.listed:
            values = [str(len(values) - 1), f"(const double[]){{{', '.join(values)}}}"]
        return _unless(f"{attempt.function}({', '.join((*values, *attempt.more))})", "return false;")


def _unless(condition: str, otherwise: str) -> list[str]:
    return [f"if (!{condition}) {{", f"{_INDENT}{otherwise}", "}"]


def _note(text: str) -> str:
    return f" /* {comment(text)} */" if text else ""
