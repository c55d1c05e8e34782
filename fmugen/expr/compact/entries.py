"""Products, sums and what else there is, by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fmugen.expr.calculus import arguments_first
from fmugen.expr.dag import Dag, Expr, Operation, Value

#: A sign, and the number of an entry.
Signed = tuple[int, int]


class Entries:
    """A table of computed values; equal values have one number.

    An entry is an atom (a leaf or a constant), a product of powers of entries, a sum of entries with signs,
    or any other operation on entries.
    """

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self._numbers: dict[tuple[object, ...], int] = {}
        self.atoms: dict[int, Expr] = {}
        self.products: dict[int, Counter[int]] = {}
        self.sums: dict[int, dict[int, int]] = {}
        self.others: dict[int, tuple[Operation, Value, tuple[Signed, ...]]] = {}
        #: What an entry is the inverse of.
        self.inverses: dict[int, int] = {}
        (_, self.zero), (_, self.one) = self.atom(dag.zero), self.atom(dag.one)

    def _number(self, *key: object) -> tuple[int, bool]:
        """The number of what has this key, and whether it is new."""
        found = self._numbers.get(key)
        if found is None:
            self._numbers[key] = len(self._numbers)
            return len(self._numbers) - 1, True
        return found, False

    def atom(self, node: Expr) -> Signed:
        """A leaf or a constant, without its sign."""
        sign = -1 if is_negative(node) else 1
        node = node if sign > 0 else -node
        number, _ = self._number("atom", node)
        self.atoms[number] = node
        return sign, number

    def product(self, factors: Counter[int]) -> int:
        """The product as powers of factors that are not products; common factors are cancelled."""
        for inverse in self.inverses.keys() & factors.keys():
            base = self.inverses[inverse]
            times = min(factors[inverse], factors[base])
            if times:
                factors = factors - Counter({inverse: times, base: times})
        if not factors:
            return self.one
        if self.zero in factors:
            return self.zero
        if len(factors) == 1:
            ((only, exponent),) = factors.items()
            if exponent == 1:
                return only
        number, is_new = self._number("product", *sorted(factors.items()))
        if is_new:
            self.products[number] = factors
        return number

    def sum(self, terms: dict[int, int]) -> Signed:
        """The sum of terms with signs; the sum that has an entry has at least as many positive ones."""
        if not terms:
            return 1, self.zero
        if len(terms) == 1:
            ((number, sign),) = terms.items()
            return sign, number
        balance = sum(terms.values()) or terms[min(terms)]
        sign = 1 if balance > 0 else -1
        number, is_new = self._number("sum", *sorted((n, sign * s) for n, s in terms.items()))
        if is_new:
            self.sums[number] = {n: sign * s for n, s in terms.items()}
        return sign, number

    def other(self, operation: Operation, value: Value, arguments: tuple[Signed, ...]) -> int:
        """An operation that is neither a product nor a sum."""
        number, _ = self._number("other", operation, value, arguments)
        self.others[number] = operation, value, arguments
        return number

    def factors_of(self, number: int) -> Counter[int]:
        """The factors of a product; of anything else, itself."""
        return self.products.get(number) or Counter({number: 1})

    def arguments(self, number: int) -> list[int]:
        """The entries that an entry consists of."""
        if number in self.products:
            return list(self.products[number])
        if number in self.sums:
            return list(self.sums[number])
        return [argument for _, argument in self.others[number][2]] if number in self.others else []

    def reached(self, numbers: Iterable[int]) -> list[int]:
        """``numbers`` and all entries that they need, arguments first."""
        return arguments_first(numbers, self.arguments)


def is_negative(node: Expr) -> bool:
    """Whether a constant, or a product, has a negative number in front."""
    first = node.args[0] if node.operation is Operation.MUL else node
    return first.is_number and first.number < 0
