"""Fewer operations for the same values: factors of sums drawn out, common parts of products and sums shared.

The DAG shares equal nodes, and its products and sums are flat: ``a*b*c`` and ``a*b*d`` have nothing in common
there. Code can do with less. Two greedy sweeps find how:

1. A factor that several terms of a sum have is drawn out, the one that most of them have first:
   ``a*b + a*c`` is ``a*(b + c)``. Terms that others read too stay as they are.
2. Two factors that stand together in most products become one, which all of them read; then the next two,
   until no pair stands in two products. So with the terms of sums, where signs may differ from sum to sum.

What comes out are nodes whose products and sums are nested as code is to compute them (:meth:`Dag.nested`).
They have the values of the given ones, and are meant for code only: :meth:`Dag.add` and :meth:`Dag.mul`
would flatten them again. Their operands are in the order in which they are known: processors begin with the
first while the last are still on their way. Ties are broken by the order of construction, so the result is
reproducible.

References
----------
M. A. Breuer, Generation of optimal code for expressions via factorization, Comm. ACM 12 (1969) 333-340.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol

from fmugen.expr.calculus import postorder
from fmugen.expr.dag import Dag, Exact, Expr, Operation, Role, Value

__all__ = ["compact"]

#: Higher powers are calls of a function, and stay as they are.
_HIGHEST_POWER = 4

#: Of longer products, which are those of chains, only neighbours are looked at, and what they become.
_LONG = 16

_NOTHING = Counter[int]()

#: A sign, and the number of an entry.
_Signed = tuple[int, int]


def compact(roots: Sequence[Expr], is_leaf: Callable[[Expr], bool], sweeps: int = 1) -> list[Expr]:
    """``roots`` arranged so that code computes them with fewer operations.

    ``is_leaf`` tells which nodes have a name already: they are not looked into, nor are constants. Another
    sweep finds some more: what two sums turned out to share may have factors to draw out.

    Examples
    --------
    >>> from fmugen.expr.dag import Dag, Role
    >>> from fmugen.expr.code import print_expression
    >>> dag = Dag()
    >>> a, b, c = (dag.symbol(name, Role.COORDINATE) for name in "abc")
    >>> (root,) = compact([a * b + a * c], lambda node: not node.args)
    >>> print_expression(root, {a: "a", b: "b", c: "c"})
    'a*(b + c)'
    """
    found = list(roots)
    for _ in range(sweeps if found else 0):
        table = _Table(found[0].dag, is_leaf)
        signed = table.read(found)
        live = table.reached(number for _, number in signed)
        _share(_Products(table, live))
        _share(_Sums(table, live))
        found = table.written(signed)
    return found


class _Table:
    """Products, sums and what else there is, by number; what is equal has one number.

    An entry is an atom (a leaf or a constant), a product of powers of entries, a sum of entries with signs,
    or an operation on entries that is left as it is.
    """

    def __init__(self, dag: Dag, is_leaf: Callable[[Expr], bool]) -> None:
        self._dag, self._is_leaf = dag, is_leaf
        self._numbers: dict[tuple[object, ...], int] = {}
        self.atoms: dict[int, Expr] = {}
        self.products: dict[int, Counter[int]] = {}
        self.sums: dict[int, dict[int, int]] = {}
        self._others: dict[int, tuple[Operation, Value, tuple[_Signed, ...]]] = {}
        #: What an entry is the inverse of.
        self._inverses: dict[int, int] = {}
        #: Entries that are read more than once.
        self._shared: set[int] = set()
        (_, self._zero), (_, self._one) = self._atom(dag.zero), self._atom(dag.one)

    # --- entries -----------------------------------------------------------------------------------

    def _number(self, *key: object) -> tuple[int, bool]:
        """The number of what has this key, and whether it is new."""
        found = self._numbers.get(key)
        if found is None:
            self._numbers[key] = len(self._numbers)
            return len(self._numbers) - 1, True
        return found, False

    def _atom(self, node: Expr) -> _Signed:
        sign = -1 if _is_negative(node) else 1
        node = node if sign > 0 else -node
        number, _ = self._number("atom", node)
        self.atoms[number] = node
        return sign, number

    def product(self, factors: Counter[int]) -> int:
        """The product of powers of what are no products; what stands above and below is cancelled."""
        for inverse in self._inverses.keys() & factors.keys():
            base = self._inverses[inverse]
            times = min(factors[inverse], factors[base])
            if times:
                factors = factors - Counter({inverse: times, base: times})
        if not factors:
            return self._one
        if self._zero in factors:
            return self._zero
        if len(factors) == 1:
            ((only, exponent),) = factors.items()
            if exponent == 1:
                return only
        number, is_new = self._number("product", *sorted(factors.items()))
        if is_new:
            self.products[number] = factors
        return number

    def sum(self, terms: dict[int, int]) -> _Signed:
        """The sum of terms with signs; the sum that has an entry has at least as many positive ones."""
        if not terms:
            return 1, self._zero
        if len(terms) == 1:
            ((number, sign),) = terms.items()
            return sign, number
        balance = sum(terms.values()) or terms[min(terms)]
        sign = 1 if balance > 0 else -1
        number, is_new = self._number("sum", *sorted((n, sign * s) for n, s in terms.items()))
        if is_new:
            self.sums[number] = {n: sign * s for n, s in terms.items()}
        return sign, number

    def _other(self, operation: Operation, value: Value, arguments: tuple[_Signed, ...]) -> int:
        number, _ = self._number("other", operation, value, arguments)
        self._others[number] = operation, value, arguments
        return number

    def _factors(self, number: int) -> Counter[int]:
        return self.products.get(number) or Counter({number: 1})

    # --- from the DAG ------------------------------------------------------------------------------

    def read(self, roots: Sequence[Expr]) -> list[_Signed]:
        """The entries of ``roots``, factors of sums drawn out."""
        order = postorder(roots, _Given(self._is_given))
        uses = Counter(_positive(node) for node in roots)
        for node in order:
            uses.update(_positive(arg) for arg in node.args)
        known: dict[Expr, _Signed] = {}

        def entry(node: Expr) -> _Signed:
            return self._atom(node) if self._is_given(node) else known[node]

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
                    known[node] = 1, self._other(node.operation, node.value, ((1, args[0][1]),))
                case _:
                    known[node] = 1, self._other(node.operation, node.value, args)
            if uses[_positive(node)] > 1:
                self._shared.add(known[node][1])
        return [entry(root) for root in roots]

    def _is_given(self, node: Expr) -> bool:
        return node.constant or self._is_leaf(node) or node.operation is Operation.SYMBOL

    def _read_product(self, node: Expr, args: Sequence[_Signed]) -> _Signed:
        sign, factors = 1, Counter[int]()
        constants = [arg for arg in node.args if arg.constant]
        if constants:
            sign, constant = self._atom(self._dag.mul(constants))
            if self.atoms[constant] is not self._dag.one:
                factors[constant] = 1
        for arg, (turned, number) in zip(node.args, args, strict=True):
            if not arg.constant:
                sign *= turned
                for factor, count in self._factors(number).items():
                    factors[factor] += count
        return sign, self.product(factors)

    def _read_power(self, node: Expr, base: _Signed) -> _Signed:
        sign, number = base
        exponent = node.exponent
        if exponent < 0:
            inverse = self._other(Operation.POWER, -1, ((1, number),))
            self._inverses[inverse] = number
            number = inverse
        power = Counter({factor: abs(exponent) * count for factor, count in self._factors(number).items()})
        return sign ** abs(exponent), self.product(power)

    def _read_sum(self, node: Expr, args: Sequence[_Signed]) -> _Signed:
        terms: dict[int, int] = {}
        constants = [arg for arg in node.args if arg.constant]
        if constants:
            self._add(terms, *self._atom(self._dag.add(constants)))
        for arg, signed in zip(node.args, args, strict=True):
            if not arg.constant:
                self._open(terms, *signed)
        return self._drawn(terms)

    def _open(self, terms: dict[int, int], sign: int, number: int) -> None:
        """One more term; those of a sum that nothing else reads, one by one."""
        if number in self.sums and number not in self._shared:
            for inner, turned in self.sums[number].items():
                self._add(terms, sign * turned, inner)
        else:
            self._add(terms, sign, number)

    def _add(self, terms: dict[int, int], sign: int, number: int) -> None:
        """One more term; terms that were made equal are taken together."""
        if number == self._zero:
            return
        present = terms.pop(number, 0)
        if not present:
            terms[number] = sign
        elif present == sign:
            _, two = self._atom(self._dag.number(2))
            self._add(terms, sign, self.product(self._factors(number) + Counter({two: 1})))

    def _drawn(self, terms: dict[int, int]) -> _Signed:
        """A sum with the factors drawn out that terms have in common which nothing else reads."""
        left: dict[int, int] | None = dict(terms)
        while left is not None:
            terms = left
            self._draw_out(terms)
            left = self._merged(terms)
        return self.sum(terms)

    def _draw_out(self, terms: dict[int, int]) -> None:
        """Draw out of ``terms`` the factor that most of them have, then the next, as long as two have one."""
        holders: dict[int, dict[int, None]] = {}
        for number in terms:
            if number not in self._shared:
                for factor in self.products.get(number, _NOTHING):
                    holders.setdefault(factor, {})[number] = None
        queue = [(-len(held), factor) for factor, held in holders.items() if len(held) > 1]
        heapify(queue)
        while queue:
            expected, factor = heappop(queue)
            held = [number for number in holders[factor] if number in terms]
            if len(held) != -expected:
                if len(held) > 1:
                    heappush(queue, (-len(held), factor))
                continue
            common = self._common(held, factor)
            inner: dict[int, int] = {}
            for number in held:
                self._add(inner, terms.pop(number), self.product(self.products[number] - common))
            sign, number = self._drawn(inner)
            whole = self.product(self._factors(number) + common)
            self._add(terms, sign, whole)
            if whole in terms and whole not in self._shared:
                for other in self.products.get(whole, _NOTHING):
                    held = [number for number in holders.get(other, ()) if number in terms]
                    holders[other] = dict.fromkeys([*held, whole])
                    if held:
                        heappush(queue, (-len(holders[other]), other))

    def _common(self, numbers: Sequence[int], factor: int) -> Counter[int]:
        """What products have in common beside a factor, at once: they may be long. Each keeps something."""
        common = self.products[numbers[0]]
        for number in numbers[1:]:
            common = common & self.products[number]
        return Counter([factor]) if any(self.products[n] == common for n in numbers) else common

    def _merged(self, terms: dict[int, int]) -> dict[int, int] | None:
        """The terms with a sum among them opened, or a multiple of one, if that merges it with others."""
        if not any(self._contains_sum(number) for number in terms):
            return None
        outer = self._multiples(terms)
        if len(outer) < len(terms):
            return self._multiplied(outer)
        for number, times in outer.items():
            inner = self._multiples(self.sums.get(number, {}))
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
            sign, size = self._atom(self._dag.number(times))
            factors = self._factors(number)
            self._add(terms, sign, self.product(factors if size == self._one else factors + Counter([size])))
        return terms

    def _contains_sum(self, number: int) -> bool:
        """Whether an entry is a sum, or may be a multiple of one."""
        factors = self.products.get(number)
        return (
            number in self.sums
            if factors is None
            else len(factors) == 2 and not self.sums.keys().isdisjoint(factors)
        )

    def _multiple(self, number: int) -> tuple[Exact, int]:
        """An entry as a number times another."""
        factors = self.products.get(number, _NOTHING)
        for factor in factors:
            if factor in self.atoms and self.atoms[factor].is_number and factors[factor] == 1:
                return self.atoms[factor].number, self.product(factors - Counter({factor: 1}))
        return 1, number

    # --- to the DAG --------------------------------------------------------------------------------

    def arguments(self, number: int) -> list[int]:
        if number in self.products:
            return list(self.products[number])
        if number in self.sums:
            return list(self.sums[number])
        return [argument for _, argument in self._others[number][2]] if number in self._others else []

    def reached(self, numbers: Iterable[int]) -> list[int]:
        """What ``numbers`` need and they themselves, arguments first."""
        order: list[int] = []
        seen: set[int] = set()
        stack = [(number, False) for number in numbers]
        stack.reverse()
        while stack:
            number, expanded = stack.pop()
            if expanded:
                order.append(number)
            elif number not in seen:
                seen.add(number)
                stack.append((number, True))
                stack.extend((argument, False) for argument in reversed(self.arguments(number)))
        return order

    def written(self, signed: Sequence[_Signed]) -> list[Expr]:
        """The nodes of entries. Code computes from left to right: what is known late comes last."""
        known: dict[int, _Timed] = {}
        for number in self.reached(number for _, number in signed):
            known[number] = self._written(number, known)
        return [_with_sign(sign, known[number].node) for sign, number in signed]

    def _written(self, number: int, known: dict[int, _Timed]) -> _Timed:
        if number in self.atoms:
            node = self.atoms[number]
            return _Timed(_FOUND_AFTER.get(node.role, 0) if node.role else 0, node)
        if number in self.products:
            return self._written_product([(known[n], count) for n, count in self.products[number].items()])
        if number in self.sums:
            return self._written_sum([(known[n], sign) for n, sign in self.sums[number].items()])
        operation, value, arguments = self._others[number]
        nodes = tuple(_with_sign(sign, known[argument].node) for sign, argument in arguments)
        latest = max((known[argument].late for _, argument in arguments), default=0)
        return _Timed(latest + _SLOW, self._dag.nested(operation, nodes, value))

    def _written_product(self, powers: Sequence[tuple[_Timed, int]]) -> _Timed:
        dag = self._dag
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

    def _written_sum(self, terms: Sequence[tuple[_Timed, int]]) -> _Timed:
        ordered = sorted(terms, key=lambda term: term[0].order())
        # A positive term first: a sign in front would be an operation.
        first = next((place for place, (_, sign) in enumerate(ordered) if sign > 0), 0)
        ordered.insert(0, ordered.pop(first))
        nodes = tuple(_with_sign(sign, term.node) for term, sign in ordered)
        return _Timed(_end([term for term, _ in ordered]), self._dag.nested(Operation.ADD, nodes))


#: Symbols that the equations of motion find on the way, after so many operations: more than any chain has.
_FOUND_AFTER = {Role.ACCELERATION: 10_000, Role.MULTIPLIER: 20_000}
#: Divisions and functions take longer than sums and products, by about so many times.
_SLOW = 4


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


def _is_negative(node: Expr) -> bool:
    """Whether a constant, or a product, has a negative number in front."""
    first = node.args[0] if node.operation is Operation.MUL else node
    return first.is_number and first.number < 0


def _positive(node: Expr) -> Expr:
    """``node`` without the sign that code reads it with."""
    if not _is_negative(node):
        return node
    alone = node.operation is Operation.MUL and len(node.args) == 2 and node.args[0].number == -1
    return node.args[1] if alone else -node


def _with_sign(sign: int, node: Expr) -> Expr:
    """``node`` or its negative, which code writes as the sign of ``node``."""
    if sign > 0:
        return node
    if node.constant:
        return -node
    negative = node.dag.nested(Operation.MUL, (node.dag.number(-1), node))
    node.dag.opposites[negative] = node
    return negative


class _Given:
    """Nodes that are not looked into, as a container."""

    def __init__(self, is_given: Callable[[Expr], bool]) -> None:
        self._is_given = is_given

    def __contains__(self, node: object) -> bool:
        return isinstance(node, Expr) and self._is_given(node)


# --- pairs -----------------------------------------------------------------------------------------


#: Two items and, in sums, whether their signs agree.
_Pair = tuple[int, int, int]


class _Kind(Protocol):
    """Products or sums: what they consist of, and how two of these become one."""

    def members(self) -> Iterable[int]: ...

    def pairs(self, member: int) -> Iterator[_Pair]: ...

    def pairs_with(self, member: int, item: int) -> Iterator[_Pair]: ...

    def occurrences(self, member: int, pair: _Pair) -> int: ...

    def make(self, pair: _Pair) -> int: ...

    def replace(self, member: int, pair: _Pair, whole: int) -> None: ...


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

    def __init__(self, table: _Table, live: Iterable[int]) -> None:
        self._table = table
        self._members = [number for number in live if number in table.products]

    def members(self) -> Iterable[int]:
        return self._members

    def pairs(self, member: int) -> Iterator[_Pair]:
        factors = sorted(self._table.products[member].items())
        reach = 1 if len(factors) > _LONG else len(factors)
        for place, (first, count) in enumerate(factors):
            if count > 1:
                yield first, first, 1
            for second, _ in factors[place + 1 : place + 1 + reach]:
                yield first, second, 1

    def pairs_with(self, member: int, item: int) -> Iterator[_Pair]:
        for other, count in self._table.products[member].items():
            if other != item or count > 1:
                yield min(item, other), max(item, other), 1

    def occurrences(self, member: int, pair: _Pair) -> int:
        first, second, _ = pair
        factors = self._table.products[member]
        return factors[first] // 2 if first == second else min(factors[first], factors[second])

    def make(self, pair: _Pair) -> int:
        return self._table.product(Counter(pair[:2]))

    def replace(self, member: int, pair: _Pair, whole: int) -> None:
        times = self.occurrences(member, pair)
        factors = self._table.products[member]
        for item in pair[:2]:
            factors[item] -= times
            if not factors[item]:
                del factors[item]
        factors[whole] = times


class _Sums:
    """Terms in sums, each with its sign."""

    def __init__(self, table: _Table, live: Iterable[int]) -> None:
        self._table = table
        self._members = [number for number in live if number in table.sums]

    def members(self) -> Iterable[int]:
        return self._members

    def pairs(self, member: int) -> Iterator[_Pair]:
        terms = sorted(self._table.sums[member].items())
        for place, (first, sign) in enumerate(terms):
            for second, other in terms[place + 1 :]:
                yield first, second, sign * other

    def pairs_with(self, member: int, item: int) -> Iterator[_Pair]:
        terms = self._table.sums[member]
        for other, sign in terms.items():
            if other != item:
                yield min(item, other), max(item, other), sign * terms[item]

    def occurrences(self, member: int, pair: _Pair) -> int:
        first, second, agreement = pair
        terms = self._table.sums[member]
        return int(terms.get(first, 0) * terms.get(second, 0) == agreement)

    def make(self, pair: _Pair) -> int:
        first, second, agreement = pair
        return self._table.sum({first: 1, second: agreement})[1]

    def replace(self, member: int, pair: _Pair, whole: int) -> None:
        terms = self._table.sums[member]
        sign = terms.pop(pair[0]) * self._table.sums[whole][pair[0]]
        del terms[pair[1]]
        terms[whole] = sign
