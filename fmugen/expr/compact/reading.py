"""From the DAG to entries: factors that the terms of a sum have in common are drawn out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from fmugen.expr.calculus import postorder
from fmugen.expr.compact.entries import Entries, Signed, is_negative
from fmugen.expr.dag import Exact, Expr, Operation

#: Higher powers are function calls and are not decomposed.
_HIGHEST_POWER = 4

_NOTHING = Counter[int]()


def read(entries: Entries, roots: Sequence[Expr], is_leaf: Callable[[Expr], bool]) -> list[Signed]:
    """The entries of ``roots``, factors of sums drawn out."""
    return _Reader(entries, is_leaf).read(roots)


class _Reader:
    def __init__(self, entries: Entries, is_leaf: Callable[[Expr], bool]) -> None:
        self._entries, self._is_leaf = entries, is_leaf
        #: Entries that are read more than once.
        self._shared: set[int] = set()

    def read(self, roots: Sequence[Expr]) -> list[Signed]:
        order = postorder(roots, _Given(self._is_given))
        uses = Counter(_positive(node) for node in roots)
        for node in order:
            uses.update(_positive(arg) for arg in node.args)
        known: dict[Expr, Signed] = {}

        def entry(node: Expr) -> Signed:
            return self._entries.atom(node) if self._is_given(node) else known[node]

        for node in order:
            args = tuple(map(entry, node.args))
            match node.operation:
                case Operation.MUL:
                    known[node] = self._read_product(node, args)
                case Operation.ADD:
                    known[node] = self._read_sum(node, args)
                case Operation.POWER if abs(node.exponent) <= _HIGHEST_POWER:
                    known[node] = self._read_power(node, args[0])
                case Operation.CALL if node.name == "abs":
                    known[node] = 1, self._entries.other(node.operation, node.value, ((1, args[0][1]),))
                case _:
                    known[node] = 1, self._entries.other(node.operation, node.value, args)
            if uses[_positive(node)] > 1:
                self._shared.add(known[node][1])
        return [entry(root) for root in roots]

    def _is_given(self, node: Expr) -> bool:
        return node.constant or self._is_leaf(node) or node.operation is Operation.SYMBOL

    def _read_product(self, node: Expr, args: Sequence[Signed]) -> Signed:
        sign, factors = 1, Counter[int]()
        constants = [arg for arg in node.args if arg.constant]
        if constants:
            sign, constant = self._entries.atom(self._entries.dag.mul(constants))
            if self._entries.atoms[constant] is not self._entries.dag.one:
                factors[constant] = 1
        for arg, (turned, number) in zip(node.args, args, strict=True):
            if not arg.constant:
                sign *= turned
                for factor, count in self._entries.factors_of(number).items():
                    factors[factor] += count
        return sign, self._entries.product(factors)

    def _read_power(self, node: Expr, base: Signed) -> Signed:
        sign, number = base
        exponent = node.exponent
        if exponent < 0:
            inverse = self._entries.other(Operation.POWER, -1, ((1, number),))
            self._entries.inverses[inverse] = number
            number = inverse
        power = Counter(
            {factor: abs(exponent) * count for factor, count in self._entries.factors_of(number).items()}
        )
        return sign ** abs(exponent), self._entries.product(power)

    def _read_sum(self, node: Expr, args: Sequence[Signed]) -> Signed:
        terms: dict[int, int] = {}
        constants = [arg for arg in node.args if arg.constant]
        if constants:
            self._add(terms, *self._entries.atom(self._entries.dag.add(constants)))
        for arg, signed in zip(node.args, args, strict=True):
            if not arg.constant:
                self._open(terms, *signed)
        return self._drawn(terms)

    def _open(self, terms: dict[int, int], sign: int, number: int) -> None:
        """Add a term; the terms of a sum with no other use are added one by one."""
        if number in self._entries.sums and number not in self._shared:
            for inner, turned in self._entries.sums[number].items():
                self._add(terms, sign * turned, inner)
        else:
            self._add(terms, sign, number)

    def _add(self, terms: dict[int, int], sign: int, number: int) -> None:
        """One more term; terms that were made equal are taken together."""
        if number == self._entries.zero:
            return
        present = terms.pop(number, 0)
        if not present:
            terms[number] = sign
        elif present == sign:
            _, two = self._entries.atom(self._entries.dag.number(2))
            factors = self._entries.factors_of(number) + Counter({two: 1})
            self._add(terms, sign, self._entries.product(factors))

    def _drawn(self, terms: dict[int, int]) -> Signed:
        """A sum with common factors of its terms drawn out, if these terms have no other use."""
        left: dict[int, int] | None = dict(terms)
        while left is not None:
            terms = left
            self._draw_out(terms)
            left = self._merged(terms)
        return self._entries.sum(terms)

    def _draw_out(self, terms: dict[int, int]) -> None:
        """Draw out of ``terms`` the factor that most of them have, then the next, as long as two have one."""
        holders = _Holders(terms, self._entries.products, self._shared)
        for factor, held in holders:
            whole = self._factored(terms, held, self._common(held, factor))
            if whole in terms and whole not in self._shared:
                holders.add(whole)

    def _factored(self, terms: dict[int, int], held: Sequence[int], common: Counter[int]) -> int:
        """Replace the terms ``held`` by one product of what they have in common; its number."""
        inner: dict[int, int] = {}
        for number in held:
            rest = self._entries.products[number] - common
            self._add(inner, terms.pop(number), self._entries.product(rest))
        sign, number = self._drawn(inner)
        whole = self._entries.product(self._entries.factors_of(number) + common)
        self._add(terms, sign, whole)
        return whole

    def _common(self, numbers: Sequence[int], factor: int) -> Counter[int]:
        """What products have in common beside a factor, at once: they may be long. Each keeps something."""
        common = self._entries.products[numbers[0]]
        for number in numbers[1:]:
            common = common & self._entries.products[number]
        return Counter([factor]) if any(self._entries.products[n] == common for n in numbers) else common

    def _merged(self, terms: dict[int, int]) -> dict[int, int] | None:
        """The terms with a sum among them opened, or a multiple of one, if that merges it with others."""
        if not any(self._contains_sum(number) for number in terms):
            return None
        outer = self._multiples(terms)
        if len(outer) < len(terms):
            return self._multiplied(outer)
        for number, times in outer.items():
            inner = self._multiples(self._entries.sums.get(number, {}))
            if outer.keys().isdisjoint(inner):
                continue
            found = {rest: by for rest, by in outer.items() if rest != number}
            for rest, by in inner.items():
                found[rest] = found.get(rest, 0) + times * by
            kept = {rest: by for rest, by in found.items() if by}
            apart = len(terms) if number in self._shared else len(terms) - 1 + len(inner)
            if len(kept) < apart:
                return self._multiplied(kept)
        return None

    def _multiples(self, terms: dict[int, int]) -> dict[int, Exact]:
        """The terms of a sum, and how many times each is there."""
        found: dict[int, Exact] = {}
        for number, sign in terms.items():
            times, rest = self._multiple(number)
            found[rest] = found.get(rest, 0) + sign * times
        return found

    def _multiplied(self, multiples: dict[int, Exact]) -> dict[int, int]:
        """The terms of a sum of multiples."""
        terms: dict[int, int] = {}
        for number, times in multiples.items():
            if not times:
                continue
            sign, size = self._entries.atom(self._entries.dag.number(times))
            factors = self._entries.factors_of(number)
            if size != self._entries.one:
                factors = factors + Counter([size])
            self._add(terms, sign, self._entries.product(factors))
        return terms

    def _contains_sum(self, number: int) -> bool:
        """Whether an entry is a sum, or may be a multiple of one."""
        factors = self._entries.products.get(number)
        return (
            number in self._entries.sums
            if factors is None
            else len(factors) == 2 and not self._entries.sums.keys().isdisjoint(factors)
        )

    def _multiple(self, number: int) -> tuple[Exact, int]:
        """An entry as a number times another."""
        atoms, factors = self._entries.atoms, self._entries.products.get(number, _NOTHING)
        for factor in factors:
            if factor in atoms and atoms[factor].is_number and factors[factor] == 1:
                return atoms[factor].number, self._entries.product(factors - Counter({factor: 1}))
        return 1, number


def _positive(node: Expr) -> Expr:
    """``node`` without the sign that code reads it with."""
    if not is_negative(node):
        return node
    alone = node.operation is Operation.MUL and len(node.args) == 2 and node.args[0].number == -1
    return node.args[1] if alone else -node


class _Holders:
    """Factors with the terms of a sum that have them, for as long as two have one: that of most terms first.

    ``terms`` may change in between; the numbers of those that are ``shared`` do not count.
    """

    def __init__(
        self, terms: Mapping[int, int], products: Mapping[int, Counter[int]], shared: Collection[int]
    ) -> None:
        self._terms, self._products = terms, products
        self._of: dict[int, dict[int, None]] = {}
        for number in terms:
            if number not in shared:
                for factor in products.get(number, _NOTHING):
                    self._of.setdefault(factor, {})[number] = None
        self._queue = [(-len(held), factor) for factor, held in self._of.items() if len(held) > 1]
        heapify(self._queue)

    def __iter__(self) -> Iterator[tuple[int, list[int]]]:
        while self._queue:
            expected, factor = heappop(self._queue)
            held = self._held(factor)
            if len(held) == -expected:
                yield factor, held
            else:
                self._await(factor, len(held))

    def add(self, number: int) -> None:
        """One more term."""
        for factor in self._products.get(number, _NOTHING):
            self._of[factor] = dict.fromkeys([*self._held(factor), number])
            self._await(factor, len(self._of[factor]))

    def _held(self, factor: int) -> list[int]:
        return [number for number in self._of.get(factor, ()) if number in self._terms]

    def _await(self, factor: int, count: int) -> None:
        if count > 1:
            heappush(self._queue, (-count, factor))


class _Given:
    def __init__(self, is_given: Callable[[Expr], bool]) -> None:
        self._is_given = is_given

    def __contains__(self, node: object) -> bool:
        return isinstance(node, Expr) and self._is_given(node)
