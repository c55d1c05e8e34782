"""Polynomials over the integers in the unknown variables and in lumps, symbols for what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any

from flint import fmpz_mpoly, fmpz_mpoly_ctx, fmpz_mpoly_vec

from fmugen.algebra.polynomials import Kind, Monomial, Variable
from fmugen.expr.code import count_operations
from fmugen.expr.dag import Dag, Expr, Operation, SymbolRole

__all__ = ["Opening", "Ring", "is_given", "number_content", "reduces_to_zero"]

#: A polynomial with more terms than this is not opened in search of a cheaper form.
_OPENED = 12


@dataclass(frozen=True)
class Ring:
    """Z[variables, lumps], with what each lump stands for on the DAG.

    The variables come first, so that a lexicographic order eliminates them before any lump; the lumps are
    indeterminates as well, which is what makes every coefficient of a basis valid for every parameter.
    ``units`` are pairs of lumps u, v with u^2 + v^2 = 1. ``opening`` says what the lumps are made of.
    """

    dag: Dag
    variables: tuple[Variable, ...]
    meanings: tuple[Expr, ...]
    units: tuple[tuple[int, int], ...] = ()
    opening: Opening | None = None

    @cached_property
    def context(self) -> fmpz_mpoly_ctx:
        """The ring in degrevlex, where all arithmetic of this package happens."""
        return fmpz_mpoly_ctx.get(self.names, "degrevlex")

    @cached_property
    def names(self) -> list[str]:
        """The names of the generators: variables, then lumps."""
        return [*(f"v{i}" for i in range(len(self.variables))), *(f"k{i}" for i in range(len(self.meanings)))]

    @cached_property
    def circles(self) -> dict[int, fmpz_mpoly]:
        """s^2 + c^2 - 1 of every unknown angle."""
        gens = self.context.gens()
        squares: dict[int, fmpz_mpoly] = {}
        for index, variable in enumerate(self.variables):
            if variable.kind is not Kind.LENGTH:
                so_far = squares.get(variable.coordinate, self.context.constant(-1))
                squares[variable.coordinate] = so_far + gens[index] ** 2
        return squares

    @cached_property
    def relations(self) -> list[fmpz_mpoly]:
        """u^2 + v^2 - 1 of every pair of lumps that is bound so."""
        lumps = self.context.gens()[len(self.variables) :]
        return [lumps[u] ** 2 + lumps[v] ** 2 - 1 for u, v in self.units]

    def by_variables(self, polynomial: fmpz_mpoly) -> dict[Monomial, fmpz_mpoly]:
        """``polynomial`` as one in the variables, whose coefficients are polynomials in the lumps."""
        count = len(self.variables)
        parts: dict[Monomial, dict[Monomial, int]] = {}
        for exponents, number in polynomial.to_dict().items():
            inner = (0,) * count + exponents[count:]
            parts.setdefault(exponents[:count], {})[inner] = int(number)
        return {monomial: self.context.from_dict(part) for monomial, part in parts.items()}

    def coordinates(self, polynomial: fmpz_mpoly) -> frozenset[int]:
        """The unknowns that occur in ``polynomial``."""
        degrees = polynomial.degrees()
        return frozenset(
            v.coordinate for v, degree in zip(self.variables, degrees, strict=False) if degree > 0
        )

    def expression(self, polynomial: fmpz_mpoly) -> Expr:
        """A polynomial in lumps alone, back on the DAG, in the cheaper of two forms.

        Closed, the lumps stay what they are; opened, what they are made of is gathered anew, which pays where
        sines and cosines meet their squares.
        """
        closed = self.plain_expression(polynomial)
        if self.opening is None or not self.opening.ring.units or not 1 < len(polynomial) <= _OPENED:
            return closed
        opened = self.opening.opened(polynomial, len(self.variables))
        if len(opened) > _OPENED:
            return closed
        again = self.opening.ring.expression(opened)
        return min((closed, again), key=lambda root: count_operations((), (root,), is_given).total)

    def plain_expression(self, polynomial: fmpz_mpoly) -> Expr:
        """A polynomial in lumps on the DAG; factors stay factors, because that is cheaper."""
        if len(polynomial) < 2:
            return self._sum(polynomial)
        content, factors = _factors(polynomial)
        parts = [self.dag.number(content)]
        parts += [self.dag.power(self._sum(factor), exponent) for factor, exponent in factors]
        return self.dag.mul(parts)

    def _sum(self, polynomial: fmpz_mpoly) -> Expr:
        count = len(self.variables)
        terms = {exponents[count:]: int(number) for exponents, number in polynomial.to_dict().items()}
        return self._nested(terms)

    def _nested(self, terms: dict[Monomial, int]) -> Expr:
        """A sum in which the lump that most terms share is a common factor; moving lumps go first."""
        shared = [sum(1 for e in terms if e[i]) for i in range(len(self.meanings))]
        most = max(range(len(shared)), key=lambda i: (shared[i], not self.meanings[i].constant), default=None)
        if most is None or shared[most] < 2 or len(terms) < 2:
            return self.dag.add(self._term(exponents, number) for exponents, number in terms.items())
        inside = {_lowered(e, most): number for e, number in terms.items() if e[most]}
        outside = {e: number for e, number in terms.items() if not e[most]}
        return self.meanings[most] * self._nested(inside) + self._nested(outside)

    def _term(self, exponents: Monomial, number: int) -> Expr:
        powers = zip(self.meanings, exponents, strict=True)
        return self.dag.mul(
            [self.dag.number(number), *(self.dag.power(lump, int(e)) for lump, e in powers if e)]
        )

    def canonical(self, polynomials: Sequence[fmpz_mpoly]) -> str:
        """A text that is the same for the same polynomials, whatever the lumps stand for."""
        kinds = " ".join(v.kind.value for v in self.variables)
        return f"{kinds}, {len(self.meanings)}: {'; '.join(map(str, polynomials))}"


@dataclass(frozen=True)
class Opening:
    """The factors of lumps: polynomials over a ring of single factors."""

    ring: Ring
    lumps: tuple[fmpz_mpoly, ...]

    @cached_property
    def meanings(self) -> tuple[Expr, ...]:
        return tuple(map(self.ring.expression, self.lumps))

    def opened(self, polynomial: fmpz_mpoly, variables: int) -> fmpz_mpoly:
        """A polynomial in the lumps, written in the factors."""
        zero = self.ring.context.constant(0)
        opened = polynomial.compose(*([zero] * variables), *self.lumps, ctx=self.ring.context)
        for relation in self.ring.relations:
            opened = opened % relation
        return opened


def _factors(polynomial: fmpz_mpoly) -> tuple[int, Sequence[tuple[fmpz_mpoly, int]]]:
    """The number in front of ``polynomial`` and its factors with their exponents.

    python-flint orders factors by their coefficients, which fails for large ones. The square-free factors, or
    the polynomial itself, then stand for them.
    """
    for factor in (polynomial.factor, polynomial.factor_squarefree):
        try:
            content, factors = factor()
        except OverflowError:
            continue
        return int(content), [(each, int(exponent)) for each, exponent in factors]
    return 1, [(polynomial, 1)]


def _lowered(exponents: Monomial, position: int) -> Monomial:
    return (*exponents[:position], exponents[position] - 1, *exponents[position + 1 :])


def number_content(polynomial: fmpz_mpoly) -> int:
    """The greatest common divisor of the numbers of ``polynomial``."""
    return gcd(*map(int, polynomial.coeffs()))


def reduces_to_zero(polynomial: fmpz_mpoly, by: Sequence[fmpz_mpoly]) -> bool:
    """Whether ``polynomial`` reduces to zero modulo the polynomials ``by``."""
    divisors = fmpz_mpoly_vec(by, polynomial.context())
    typed: Any = polynomial  # the method is missing in the type stubs
    return bool(typed.reduction_primitive_part(divisors).is_zero())


def is_given(node: Expr) -> bool:
    """Expressions without cost: symbols, parameter-only expressions, the sine and cosine of a coordinate."""
    if node.operation is Operation.SYMBOL or node.constant:
        return True
    is_direction = node.operation is Operation.CALL and node.name in ("sin", "cos")
    return is_direction and node.args[0].role is SymbolRole.COORDINATE
