"""A hash-consed expression DAG with simplification that never expands.

Each :class:`Dag` owns a table of nodes; building the same expression twice gives the same node, so
sharing is free and equality is identity. Rules are local and cheap:

* numbers are exact fractions and fold;
* products are kept as (number) x (parameters only) x (the rest), so that whatever depends on
  parameters alone is one node that generated code evaluates once, at initialization;
* sums collect terms that differ only in their parameter part: ``m2*l*c + m3*l*c`` is
  ``(m2*l + m3*l)*c``; nested sums are opened only where that makes the sum shorter;
* ``a*sin(x)^2 + a*cos(x)^2`` is ``a``.

Node numbers grow in order of construction, so the result is reproducible for a given input.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt, prod
from operator import attrgetter

from fmugen.expr.kinds import Operation, SymbolRole

__all__ = ["Dag", "Exact", "Expr", "Operation", "Scalar", "SymbolRole", "Value"]

#: A nested sum with more terms than this is not opened in search of like terms.
_OPEN_LIMIT = 48
#: The sign of a sum is carried to its terms unless sums lie within it deeper than this.
_DEEP = 20
#: Functions whose value at zero is exact.
_AT_ZERO = dict.fromkeys(("sin", "tan", "asin", "atan", "sinh", "tanh", "sqrt", "abs", "sign"), 0) | (
    dict.fromkeys(("cos", "exp", "cosh"), 1)
)

_ODD = frozenset({"sin", "tan", "asin", "atan", "sinh", "tanh"})

#: Numbers are exact; integers are plain ``int``.
Exact = int | Fraction
#: The value of a node in addition to its arguments: a number, a name (of symbols with their role), an
#: exponent.
Value = Fraction | str | int | tuple[str, SymbolRole] | None


class Expr:
    """A node. Compare with ``is`` or ``==`` (they are the same); combine with ``+ - * / **``."""

    __slots__ = ("args", "constant", "dag", "is_number", "is_zero", "operation", "serial", "value")

    def __init__(
        self,
        dag: Dag,
        operation: Operation,
        args: tuple[Expr, ...],
        value: Value,
        constant: bool,
    ) -> None:
        self.dag = dag
        self.serial = len(dag.nodes)
        self.operation = operation
        self.args = args
        self.value = value
        #: True if the node depends on numbers and parameters only.
        self.constant = constant
        self.is_number = operation is Operation.NUMBER
        self.is_zero = self.is_number and value == 0

    @property
    def number(self) -> Exact:
        if self.operation is not Operation.NUMBER:
            raise TypeError(f"{self!r} is not a number")
        return self.value  # type: ignore[return-value]

    @property
    def name(self) -> str:
        """The name of a symbol or of a called function."""
        if isinstance(self.value, tuple):
            return self.value[0]
        if isinstance(self.value, str):
            return self.value
        raise TypeError(f"{self!r} has no name")

    @property
    def role(self) -> SymbolRole | None:
        return self.value[1] if isinstance(self.value, tuple) else None

    @property
    def exponent(self) -> int:
        if self.operation is not Operation.POWER:
            raise TypeError(f"{self!r} is not a power")
        return self.value  # type: ignore[return-value]

    def __add__(self, other: Scalar) -> Expr:
        right = self.dag.expr(other)
        if right.is_zero:
            return self
        return right if self.is_zero else self.dag.add((self, right))

    def __radd__(self, other: Scalar) -> Expr:
        return self.dag.add((self.dag.expr(other), self))

    def __sub__(self, other: Scalar) -> Expr:
        return self + -self.dag.expr(other)

    def __rsub__(self, other: Scalar) -> Expr:
        return self.dag.add((self.dag.expr(other), -self))

    def __mul__(self, other: Scalar) -> Expr:
        right = self.dag.expr(other)
        if self.is_zero:
            return self
        return right if right.is_zero else self.dag.mul((self, right))

    def __rmul__(self, other: Scalar) -> Expr:
        return self.dag.mul((self.dag.expr(other), self))

    def __truediv__(self, other: Scalar) -> Expr:
        return self.dag.mul((self, self.dag.power(self.dag.expr(other), -1)))

    def __rtruediv__(self, other: Scalar) -> Expr:
        return self.dag.mul((self.dag.expr(other), self.dag.power(self, -1)))

    def __pow__(self, exponent: int) -> Expr:
        return self.dag.power(self, exponent)

    def __neg__(self) -> Expr:
        return self.dag.mul((self.dag.number(-1), self))

    def __repr__(self) -> str:
        if self.operation is Operation.NUMBER:
            return str(self.value)
        if self.operation is Operation.SYMBOL:
            return self.name
        inner = ", ".join(map(repr, self.args))
        label = self.operation.value if self.operation is not Operation.CALL else self.name
        return f"{label}({inner}{f', {self.value}' if self.operation is Operation.POWER else ''})"


Scalar = Expr | int | Fraction
_Split = tuple[Exact, Expr, Expr]
#: The order of operands.
_by_serial = attrgetter("serial")


def _all_constant(nodes: Iterable[Expr]) -> bool:
    return False not in [node.constant for node in nodes]  # a generator would take twice the time


def _exact(value: Exact) -> Exact:
    """Integers as ``int``, which is much faster than ``Fraction``."""
    return value if isinstance(value, int) or value.denominator != 1 else value.numerator


def _collect_powers(factors: tuple[Expr, ...]) -> tuple[Exact, dict[Expr, int], dict[Expr, int]]:
    """A product as its number and the powers of its parameters and of the rest."""
    numbers: list[Exact] = []
    constants: dict[Expr, int] = {}
    states: dict[Expr, int] = {}
    stack = list(factors)[::-1]
    while stack:
        factor = stack.pop()
        operation = factor.operation
        if operation is Operation.NUMBER:
            numbers.append(factor.value)  # type: ignore[arg-type]
        elif operation is Operation.MUL:
            stack.extend(factor.args[::-1])
        elif operation is Operation.POWER:
            base = factor.args[0]
            target = constants if factor.constant else states
            target[base] = target.get(base, 0) + factor.value  # type: ignore[operator, assignment]
        else:
            target = constants if factor.constant else states
            target[factor] = target.get(factor, 0) + 1
    return (prod(numbers[1:], start=numbers[0]) if numbers else 1), constants, states


class Dag:
    """The table of nodes of one model."""

    def __init__(self) -> None:
        self.nodes: list[Expr] = []
        self._table: dict[tuple[object, ...], Expr] = {}
        self._numbers: dict[int | tuple[int, int], Expr] = {}
        self._splits: dict[Expr, _Split] = {}
        self._sums: dict[tuple[Expr, ...], Expr] = {}
        self._products: dict[tuple[Expr, ...], Expr] = {}
        self._nesting: dict[Expr, int] = {}  # how deep sums lie within sums
        #: How code reads a node (see code.py): its arguments, and what stands for its negative.
        self.operands: dict[Expr, tuple[Expr, ...]] = {}
        self.opposites: dict[Expr, Expr | None] = {}
        self.zero = self.number(0)
        self.one = self.number(1)

    # --- leaves --------------------------------------------------------------------------------

    def number(self, value: int | Fraction) -> Expr:
        exact = _exact(value)
        # Fractions take long to hash and to compare.
        key = exact if isinstance(exact, int) else exact.as_integer_ratio()
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = self._node(Operation.NUMBER, (), exact, True)
        return known

    def symbol(self, name: str, role: SymbolRole) -> Expr:
        return self._node(Operation.SYMBOL, (), (name, role), role is SymbolRole.PARAMETER)

    def expr(self, value: Scalar) -> Expr:
        return value if isinstance(value, Expr) else self.number(value)

    # --- sums ----------------------------------------------------------------------------------

    def add(self, terms: Iterable[Expr]) -> Expr:
        """The sum of ``terms``, like terms collected."""
        given = tuple(terms)
        known = self._sums.get(given)
        if known is None:
            known = self._sums[given] = self._add(given)
        return known

    def _add(self, terms: tuple[Expr, ...]) -> Expr:
        if self.zero in terms:
            return self.add(term for term in terms if term is not self.zero)
        if len(terms) < 2:
            return terms[0] if terms else self.zero
        nested = self._collect(terms, opened=False)
        if any(state.operation is Operation.ADD for state in nested):
            opened = self._collect(terms, opened=True)
            if len(opened) <= len(nested):
                nested = opened
        return self._sum(self._pythagoras(nested))

    def _collect(self, terms: tuple[Expr, ...], *, opened: bool) -> dict[Expr, Expr]:
        """Like terms: the parameter-only factor of each non-parameter part."""
        parts: dict[Expr, dict[Expr, Exact]] = {}
        splits = self._splits
        stack: list[tuple[Exact, Expr, Expr]] = [(1, self.one, term) for term in reversed(terms)]
        seen = 0
        while stack:
            factor, outer, term = stack.pop()
            number, inner, state = splits.get(term) or self._split(term)
            number = number * factor
            coefficient = self.mul((outer, inner))
            if opened and state.operation is Operation.ADD and seen < _OPEN_LIMIT:
                seen += len(state.args)
                stack.extend((number, coefficient, arg) for arg in reversed(state.args))
                continue
            if coefficient is not inner:
                scale, coefficient, _ = self._split(coefficient)
                number = number * scale
            group = parts.setdefault(state, {})
            if coefficient.operation is not Operation.ADD:
                group[coefficient] = group.get(coefficient, 0) + number
                continue
            for part in coefficient.args:
                part_scale, part_constant, _ = self._split(part)
                group[part_constant] = group.get(part_constant, 0) + number * part_scale
        totals = {state: self._constant_sum(group) for state, group in parts.items()}
        return {state: total for state, total in totals.items() if not total.is_zero}

    def _constant_sum(self, group: dict[Expr, Exact]) -> Expr:
        terms = [self._scaled(value, part) for part, value in group.items() if value]
        return self._assemble(terms)

    def _sum(self, collected: dict[Expr, Expr]) -> Expr:
        """The canonical node of a collected sum; a parameter common to all terms is drawn out."""
        pieces: list[_Split] = []
        for state, coefficient in collected.items():
            number, constant, _ = self._split(coefficient)
            pieces.append((number, constant, state))
        if not pieces:
            return self.zero
        common = pieces[0][1]
        drawn = len(pieces) > 1 and common is not self.one and all(p[1] is common for p in pieces)
        if drawn and not all(p[2] is self.one for p in pieces):
            inner = self._assemble([self._scaled(number, state) for number, _, state in pieces])
            return self.mul((common, inner))
        terms: list[Expr] = []
        for number, constant, state in pieces:
            if state is self.one and constant.operation is Operation.ADD and number == 1:
                terms.extend(constant.args)
            else:
                terms.append(self.mul((self.number(number), constant, state)))
        return self._assemble(terms)

    def _scaled(self, number: Exact, part: Expr) -> Expr:
        return part if number == 1 else self.mul((self.number(number), part))

    def _assemble(self, terms: list[Expr]) -> Expr:
        if not terms:
            return self.zero
        if len(terms) == 1:
            return terms[0]
        terms = sorted(terms, key=_by_serial)
        total = self._node(Operation.ADD, tuple(terms), None, _all_constant(terms))
        if total not in self._nesting:
            self._nesting[total] = 1 + max(self._nesting.get(term, -1) for term in terms)
        return total

    def _pythagoras(self, collected: dict[Expr, Expr]) -> dict[Expr, Expr]:
        """``a sin(x)^2 r + a cos(x)^2 r`` becomes ``a r``."""
        for key in list(collected):
            if key not in collected:
                continue
            for angle, rest in self._squared_sines(key):
                partner = self.mul((self.power(self.call("cos", angle), 2), rest))
                if collected.get(partner) is collected[key]:
                    coefficient = collected.pop(key)
                    del collected[partner]
                    previous = collected.get(rest)
                    total = coefficient if previous is None else previous + coefficient
                    if total.is_zero:
                        collected.pop(rest, None)
                    else:
                        collected[rest] = total
                    return self._pythagoras(collected)
        return collected

    def _squared_sines(self, state: Expr) -> list[tuple[Expr, Expr]]:
        factors = state.args if state.operation is Operation.MUL else (state,)
        found = []
        for factor in factors:
            if factor.operation is Operation.POWER and factor.exponent == 2:
                base = factor.args[0]
                if base.operation is Operation.CALL and base.name == "sin":
                    rest = self.mul(other for other in factors if other is not factor)
                    found.append((base.args[0], rest))
        return found

    # --- products ------------------------------------------------------------------------------

    def mul(self, factors: Iterable[Expr]) -> Expr:
        """The product, as number x parameters x rest."""
        given = tuple(factors)
        known = self._products.get(given)
        if known is None:
            known = self._products[given] = self._mul(given)
        return known

    def _mul(self, factors: tuple[Expr, ...]) -> Expr:
        if self.zero in factors:
            return self.zero
        if self.one in factors:
            return self.mul(factor for factor in factors if factor is not self.one)
        if len(factors) < 2:
            return factors[0] if factors else self.one
        number, constants, states = _collect_powers(factors)
        constant = self._product(constants)
        state = self._product(states)
        # A cancelled square root may leave a number.
        if constant.is_number:
            number, constant = number * constant.number, self.one
        if state.is_number:
            number, state = number * state.number, self.one
        opposite_sum = constant is self.one and state.operation is Operation.ADD and number == -1
        if opposite_sum and self._nesting.get(state, 0) <= _DEEP:
            return self._assemble([self._scaled(number, term) for term in state.args])
        return self._number_times(number, constant, state)

    def _number_times(self, number: Exact, constant: Expr, state: Expr) -> Expr:
        """The node number x parameters x rest. Without a rest, the parameters are not grouped."""
        args: list[Expr] = []
        if constant is not self.one:
            alone = state is self.one and constant.operation is Operation.MUL
            args.extend(constant.args if alone else (constant,))
        if state is not self.one:
            args.extend(state.args if state.operation is Operation.MUL else (state,))
        if number != 1 or not args:
            args.insert(0, self.number(number))
        if len(args) == 1:
            return args[0]
        return self._node(Operation.MUL, tuple(args), None, _all_constant(args))

    def _product(self, powers: dict[Expr, int]) -> Expr:
        """The product of powers of one kind (all parameters, or none)."""
        if not powers:
            return self.one
        factors = [
            base if exponent == 1 else self.power(base, exponent)
            for base, exponent in powers.items()
            if exponent
        ]
        if len(factors) < 2:
            return factors[0] if factors else self.one
        factors.sort(key=_by_serial)
        if any(factor.operation is Operation.MUL or factor.is_number for factor in factors):
            return self.mul(factors)
        return self._node(Operation.MUL, tuple(factors), None, factors[0].constant)

    def _split(self, expr: Expr) -> _Split:
        """``expr`` as (number, parameters-only part, rest)."""
        known = self._splits.get(expr)
        if known is None:
            known = self._splits[expr] = self._compute_split(expr)
        return known

    def _compute_split(self, expr: Expr) -> _Split:
        if expr.is_number:
            return expr.number, self.one, self.one
        if expr.operation is not Operation.MUL:
            return (1, expr, self.one) if expr.constant else (1, self.one, expr)
        args = expr.args
        number: Exact = args[0].number if args[0].is_number else 1
        rest = args[1:] if args[0].is_number else args
        constants = tuple(arg for arg in rest if arg.constant)
        states = tuple(arg for arg in rest if not arg.constant)
        return number, self._regroup(constants), self._regroup(states)

    def _regroup(self, factors: tuple[Expr, ...]) -> Expr:
        if not factors:
            return self.one
        if len(factors) == 1:
            return factors[0]
        return self._node(Operation.MUL, factors, None, factors[0].constant)

    # --- powers and functions ------------------------------------------------------------------

    def power(self, base: Expr, exponent: int) -> Expr:
        """``base`` to an integer exponent."""
        if exponent == 0:
            return self.one
        if exponent == 1:
            return base
        if base.is_number:
            if exponent < 0 and base.is_zero:
                raise ZeroDivisionError("division by zero in an expression")
            return self.number(Fraction(base.number) ** exponent)
        if base.operation is Operation.POWER:
            return self.power(base.args[0], base.exponent * exponent)
        if base.operation is Operation.MUL:
            return self.mul(self.power(arg, exponent) for arg in base.args)
        if base.operation is Operation.CALL and base.name == "sqrt" and exponent % 2 == 0:
            return self.power(base.args[0], exponent // 2)
        return self._node(Operation.POWER, (base,), exponent, base.constant)

    def call(self, function: str, *arguments: Scalar) -> Expr:
        """A function of ``arguments``; odd and even functions shed a negative sign."""
        args = tuple(self.expr(argument) for argument in arguments)
        folded = self._fold_call(function, args)
        if folded is not None:
            return folded
        return self._node(Operation.CALL, args, function, all(arg.constant for arg in args))

    def _fold_call(self, function: str, args: tuple[Expr, ...]) -> Expr | None:
        if len(args) > 1:
            return self._fold_several(function, args)
        first = args[0]
        if first.is_zero and function in _AT_ZERO:
            return self.number(_AT_ZERO[function])
        if function == "sqrt":
            return self._fold_root(first)
        if function in _ODD or function == "cos":
            number, constant, state = self._split(first)
            if number < 0:
                flipped = self.call(function, self.mul((self.number(-number), constant, state)))
                return -flipped if function in _ODD else flipped
        return None

    def _fold_several(self, function: str, args: tuple[Expr, ...]) -> Expr | None:
        if function == "pow" and args[1].is_number:
            exponent = args[1].number
            if exponent.denominator == 1:
                return self.power(args[0], int(exponent))
            if exponent.denominator == 2:
                return self.power(self.call("sqrt", args[0]), int(exponent.numerator))
        if function == "if" and args[1] is args[2]:
            return args[1]
        return None

    def _fold_root(self, radicand: Expr) -> Expr | None:
        """The square root of a number that is the square of a number."""
        if not radicand.is_number or radicand.number <= 0:
            return None
        top, bottom = isqrt(radicand.number.numerator), isqrt(radicand.number.denominator)
        exact = Fraction(top * top, bottom * bottom) == radicand.number
        return self.number(Fraction(top, bottom)) if exact else None

    def nested(self, operation: Operation, args: tuple[Expr, ...], value: Value = None) -> Expr:
        """A node without flattening, collecting or folding. Code computes it in this way."""
        node = self._node(operation, args, value, all(arg.constant for arg in args))
        self.operands.setdefault(node, args)
        self.opposites.setdefault(node, None)
        return node

    def _node(
        self,
        operation: Operation,
        args: tuple[Expr, ...],
        value: Value,
        constant: bool,
    ) -> Expr:
        key = (operation, args, value)
        node = self._table.get(key)
        if node is None:
            node = Expr(self, operation, args, value, constant)
            self.nodes.append(node)
            self._table[key] = node
        return node
