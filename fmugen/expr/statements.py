"""Statements of straight-line code, and the common part of the printers for C and Modelica.

A printer writes statements in order. All later statements refer to a temporary by its name. The printed text
comes with the nodes that it reads by name and the functions that it calls, so declarations need no search in
the text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from fmugen.expr.code import PrintCall, print_c_call, printed
from fmugen.expr.dag import Expr

__all__ = ["Assignment", "Condition", "Heading", "Statement", "StatementPrinter", "Temporary", "Written"]


@dataclass(frozen=True)
class Statement:
    """A step of straight-line code."""


@dataclass(frozen=True)
class Heading(Statement):
    """A heading of the statements after it."""

    text: str


@dataclass(frozen=True)
class Temporary(Statement):
    """A node that gets a name."""

    name: str
    value: Expr
    note: str = ""


@dataclass(frozen=True)
class Assignment(Statement):
    """``target = value``."""

    target: str
    value: Expr
    note: str = ""


@dataclass(frozen=True)
class Condition(Statement):
    """``value > bound`` must hold; ``otherwise`` says what happens if it does not."""

    value: Expr
    bound: float
    otherwise: str


@dataclass(frozen=True)
class Written:
    """The lines of one statement, the nodes that they read by name, and the functions that they call.

    ``size`` is the number of names and numbers in its expressions.
    """

    lines: tuple[str, ...]
    read: frozenset[Expr] = frozenset()
    called: frozenset[str] = frozenset()
    size: int = 0


class StatementPrinter(ABC):
    """Writes statements in a language; ``names`` are those of the leaves and, later, of temporaries."""

    def __init__(self, names: Mapping[Expr, str], call: PrintCall = print_c_call) -> None:
        self.names = dict(names)
        self._call = call
        self._read: set[Expr] = set()
        self._called: set[str] = set()
        self._size = 0

    def write(self, statement: Statement) -> Written:
        """The text of a statement, which follows those written before."""
        self._read, self._called, self._size = set(), set(), 0
        lines = tuple(self._lines(statement))
        if isinstance(statement, Temporary):
            self.names[statement.value] = statement.name
        return Written(lines, frozenset(self._read), frozenset(self._called), self._size)

    def expression(self, root: Expr) -> str:
        """The text of an expression of the present statement."""
        found = printed(root, self.names, self._call)
        self._read.update(found.read)
        self._called.update(found.called)
        self._size += found.size
        return found.text

    @abstractmethod
    def _lines(self, statement: Statement) -> list[str]:
        """The lines of a statement."""
