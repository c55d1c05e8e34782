"""A pair that occurs in several products, or sums, becomes one entry that all of them use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Protocol

from fmugen.expr.compact.entries import Entries

#: Of longer products, which are those of chains, only neighbours are looked at, and what they become.
_LONG = 16
#: Two items and, in sums, whether their signs agree.
_Pair = tuple[int, int, int]


class _Kind(Protocol):
    """Products or sums: their parts, and the combination of two parts into one."""

    def members(self) -> Iterable[int]: ...

    def pairs(self, member: int) -> Iterator[_Pair]: ...

    def pairs_with(self, member: int, item: int) -> Iterator[_Pair]: ...

    def occurrences(self, member: int, pair: _Pair) -> int: ...

    def make(self, pair: _Pair) -> int: ...

    def replace(self, member: int, pair: _Pair, whole: int) -> None: ...


def share_pairs(entries: Entries, live: Sequence[int]) -> None:
    """Share pairs of factors, then pairs of terms, among the ``live`` entries."""
    _share(_Products(entries, live))
    _share(_Sums(entries, live))


def _share(kind: _Kind) -> None:
    """Make one item of the two that stand together most often, as long as any do so twice."""
    holders: dict[_Pair, dict[int, None]] = {}
    for member in kind.members():
        for pair in kind.pairs(member):
            holders.setdefault(pair, {})[member] = None

    def count(pair: _Pair) -> int:
        return sum(kind.occurrences(member, pair) for member in holders.get(pair, ()))

    queue = [(-count(pair), pair) for pair in holders]
    heapify(queue)
    while queue:
        expected, pair = heappop(queue)
        found = count(pair)
        if found < 2:
            continue
        if -expected != found:
            heappush(queue, (-found, pair))
            continue
        whole = kind.make(pair)
        fresh: dict[_Pair, None] = {}
        for member in holders.pop(pair):
            if member != whole and kind.occurrences(member, pair):
                kind.replace(member, pair, whole)
                for other in kind.pairs_with(member, whole):
                    holders.setdefault(other, {})[member] = None
                    fresh[other] = None
        for other in fresh:
            heappush(queue, (-count(other), other))


class _Products:
    """Factors in products, which may stand there several times."""

    def __init__(self, entries: Entries, live: Iterable[int]) -> None:
        self._entries = entries
        self._members = [number for number in live if number in entries.products]

    def members(self) -> Iterable[int]:
        return self._members

    def pairs(self, member: int) -> Iterator[_Pair]:
        factors = sorted(self._entries.products[member].items())
        reach = 1 if len(factors) > _LONG else len(factors)
        for place, (first, count) in enumerate(factors):
            if count > 1:
                yield first, first, 1
            for second, _ in factors[place + 1 : place + 1 + reach]:
                yield first, second, 1

    def pairs_with(self, member: int, item: int) -> Iterator[_Pair]:
        for other, count in self._entries.products[member].items():
            if other != item or count > 1:
                yield min(item, other), max(item, other), 1

    def occurrences(self, member: int, pair: _Pair) -> int:
        first, second, _ = pair
        factors = self._entries.products[member]
        return factors[first] // 2 if first == second else min(factors[first], factors[second])

    def make(self, pair: _Pair) -> int:
        return self._entries.product(Counter(pair[:2]))

    def replace(self, member: int, pair: _Pair, whole: int) -> None:
        times = self.occurrences(member, pair)
        factors = self._entries.products[member]
        for item in pair[:2]:
            factors[item] -= times
            if not factors[item]:
                del factors[item]
        factors[whole] = times


class _Sums:
    """Terms in sums, each with its sign."""

    def __init__(self, entries: Entries, live: Iterable[int]) -> None:
        self._entries = entries
        self._members = [number for number in live if number in entries.sums]

    def members(self) -> Iterable[int]:
        return self._members

    def pairs(self, member: int) -> Iterator[_Pair]:
        terms = sorted(self._entries.sums[member].items())
        for place, (first, sign) in enumerate(terms):
            for second, other in terms[place + 1 :]:
                yield first, second, sign * other

    def pairs_with(self, member: int, item: int) -> Iterator[_Pair]:
        terms = self._entries.sums[member]
        for other, sign in terms.items():
            if other != item:
                yield min(item, other), max(item, other), sign * terms[item]

    def occurrences(self, member: int, pair: _Pair) -> int:
        first, second, agreement = pair
        terms = self._entries.sums[member]
        return int(terms.get(first, 0) * terms.get(second, 0) == agreement)

    def make(self, pair: _Pair) -> int:
        first, second, agreement = pair
        return self._entries.sum({first: 1, second: agreement})[1]

    def replace(self, member: int, pair: _Pair, whole: int) -> None:
        terms = self._entries.sums[member]
        sign = terms.pop(pair[0]) * self._entries.sums[whole][pair[0]]
        del terms[pair[1]]
        terms[whole] = sign
