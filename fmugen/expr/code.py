"""Straight-line code from the DAG: which nodes get a name, what each one costs, and its text.

The text is valid C and valid Python alike (``sine_of(x)``, ``x*x``, ``a/b``): generated FMUs compile it
and the export evaluates it. ``sine_of``, ``fmax`` and friends are functions on both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Exact, Expr, Operation, SymbolRole
from fmugen.expr.functions import FUNCTION_VALUES

__all__ = [
    "Operations",
    "PrintCall",
    "Printed",
    "compile_python",
    "constants_read",
    "count_operations",
    "print_c_call",
    "print_expression",
    "printed",
    "reached",
    "schedule",
]

_C_NAMES = {
    "abs": "fabs",
    "cos": "cosine_of",
    "if": "model_if",
    "max": "fmax",
    "min": "fmin",
    "sign": "model_sign",
    "sin": "sine_of",
    "step": "model_step",
    "turns": "whole_turns",
}

#: What is nested deeper than this gets a name, or neither compilers nor readers could follow.
_HIGHEST = 60

#: Powers up to this exponent are printed as products.
_LONGEST_PRODUCT = 4


@dataclass(frozen=True)
class Operations:
    """Arithmetic operations of a piece of straight-line code."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    functions: int = 0

    def __add__(self, other: Operations) -> Operations:
        return Operations(
            self.additions + other.additions,
            self.multiplications + other.multiplications,
            self.divisions + other.divisions,
            self.functions + other.functions,
        )

    @property
    def total(self) -> int:
        return self.additions + self.multiplications + self.divisions + self.functions

    def __str__(self) -> str:
        counts = (
            (self.additions, "addition"),
            (self.multiplications, "multiplication"),
            (self.divisions, "division"),
            (self.functions, "function"),
        )
        said = [f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count]
        return ", ".join(said) or "no operations"


def _constant_part(node: Expr) -> Expr | None:
    """The number and the parameters of a moving product or sum taken together, if they are more than one."""
    constants = [arg for arg in node.args if arg.constant]
    if len(constants) < 2:
        return None
    return node.dag.mul(constants) if node.operation is Operation.MUL else node.dag.add(constants)


def _operands(node: Expr) -> tuple[Expr, ...]:
    """The arguments of a node as code has them.

    Constants are taken together, and so is the moving part of a product, which others may share.
    """
    known = node.dag.operands.get(node)
    if known is None:
        known = node.dag.operands[node] = _arranged(node)
    return known


def _arranged(node: Expr) -> tuple[Expr, ...]:
    if node.constant or node.operation not in (Operation.ADD, Operation.MUL):
        return node.args
    part = _constant_part(node)
    constants = tuple(arg for arg in node.args if arg.constant) if part is None else (part,)
    moving = tuple(arg for arg in node.args if not arg.constant)
    if node.operation is Operation.MUL and constants and len(moving) > 1:
        moving = (node.dag.mul(moving),)
    return (*constants, *moving)


def _opposite(node: Expr) -> Expr | None:
    """The node that is computed in place of its negative, ``node``, which is read with a sign.

    Of products it is the one with a positive number, of sums the one that was there first.
    """
    opposites = node.dag.opposites
    if node not in opposites:
        opposites[node] = _negative(node)
    return opposites[node]


def _negative(node: Expr) -> Expr | None:
    if node.constant:
        return None
    if node.operation is Operation.MUL:
        return -node if node.args[0].is_number and node.args[0].number < 0 else None
    if node.operation is not Operation.ADD:
        return None
    other = -node
    return other if other.operation is Operation.ADD and other.serial < node.serial else None


def _computed(node: Expr, is_leaf: Callable[[Expr], bool]) -> Expr:
    """The node that code computes where ``node`` is read."""
    if node.is_number or is_leaf(node):
        return node
    return _opposite(node) or node


def reached(roots: Iterable[Expr], is_leaf: Callable[[Expr], bool]) -> set[Expr]:
    """Every node that code computes for ``roots``."""
    found: set[Expr] = set()
    stack = [_computed(root, is_leaf) for root in roots]
    while stack:
        node = stack.pop()
        if node not in found and not node.is_number and not is_leaf(node):
            found.add(node)
            stack.extend(_computed(arg, is_leaf) for arg in _operands(node))
    return found


def constants_read(roots: Iterable[Expr]) -> list[Expr]:
    """The largest parameter-only expressions that code for ``roots`` reads, oldest first."""
    roots = list(roots)
    moving = reached(roots, lambda node: node.constant)
    read = {arg for node in moving for arg in _operands(node) if arg.constant}
    read.update(root for root in roots if root.constant)
    worked = (node for node in read if not node.is_number and node.operation is not Operation.SYMBOL)
    return sorted(worked, key=lambda node: node.serial)


def schedule(roots: Iterable[Expr], is_leaf: Callable[[Expr], bool]) -> tuple[Expr, ...]:
    """The nodes that get a name, arguments before users: used twice, bases of powers, deeply nested.

    ``is_leaf`` says which nodes already have a name (symbols, and expressions of parameters only).
    """
    order, uses = _order_and_uses(roots, is_leaf)

    def is_named(node: Expr) -> bool:
        return is_leaf(node) or (uses[node] > 1 and not is_free(node))

    def is_free(node: Expr) -> bool:
        """Whether a node is the negative of a named node: repeating the sign costs nothing."""
        opposite = node.operation is Operation.MUL and len(node.args) == 2 and _is_sign(node.args[0])
        return opposite and is_named(node.args[1])

    named: list[Expr] = []
    height: dict[Expr, int] = {}  # of a node as it is written, down to what has a name
    for node in order:
        height[node] = 1 + max((height.get(arg, 0) for arg in node.args), default=0)
        if (uses[node] > 1 and not is_free(node)) or height[node] > _HIGHEST:
            named.append(node)
            height[node] = 0
    return tuple(named)


def _order_and_uses(
    roots: Iterable[Expr], is_leaf: Callable[[Expr], bool]
) -> tuple[list[Expr], Counter[Expr]]:
    """The nodes to compute, arguments before users, and how often code reads each."""
    uses: Counter[Expr] = Counter()
    order: list[Expr] = []
    seen: set[Expr] = set()
    for root in (_computed(root, is_leaf) for root in roots):
        stack = [(root, False)]
        uses[root] += 1
        while stack:
            node, expanded = stack.pop()
            if expanded:
                order.append(node)
                continue
            if node in seen or node.is_number or is_leaf(node):
                continue
            seen.add(node)
            stack.append((node, True))
            weight = 2 if _repeats_its_argument(node) else 1
            for arg in (_computed(arg, is_leaf) for arg in reversed(_operands(node))):
                uses[arg] += weight
                stack.append((arg, False))
    return order, uses


def _repeats_its_argument(node: Expr) -> bool:
    return node.operation is Operation.POWER and abs(node.exponent) > 1


def count_operations(
    named: Iterable[Expr], roots: Iterable[Expr], is_leaf: Callable[[Expr], bool]
) -> Operations:
    """The operations of the code that evaluates ``roots`` with ``named`` as temporaries."""
    costs = [(0, 0, 0, 0)]
    seen: set[Expr] = set()
    apart = set(named)
    roots = [_computed(root, is_leaf) for root in roots]
    alone = apart.union(roots)
    stack = [*apart, *roots]
    while stack:
        node = stack.pop()
        if node in seen or node.is_number or is_leaf(node):
            continue
        seen.add(node)
        costs.append(_cost(node, lambda arg: arg in apart or is_leaf(arg)))
        if _is_divisor(node) and node in alone:
            costs.append((0, 0, 1, 0))
        stack.extend(_computed(arg, is_leaf) for arg in _operands(node))
    return Operations(*map(sum, zip(*costs, strict=True)))


def _cost(node: Expr, is_named: Callable[[Expr], bool]) -> tuple[int, int, int, int]:
    """The operations of one node, in the order of ``Operations``: to make one each would take too long.

    A divisor with a name is a reciprocal, multiplied by.
    """
    match node.operation:
        case Operation.ADD:
            return len(_operands(node)) - 1, 0, 0, 0
        case Operation.MUL:
            factors = [arg for arg in _operands(node) if not _is_sign(arg)]
            below = sum(_is_divisor(arg) and not is_named(arg) for arg in factors)
            above = factors[below:]
            return 0, max(len(above) - 1, 0) + max(below - 1, 0), min(below, 1), 0
        case Operation.POWER:
            size = abs(node.exponent)
            return (0, 0, 0, 1) if size > _LONGEST_PRODUCT else (0, size - 1, 0, 0)
        case Operation.CALL if node.name != "abs":  # to drop a sign takes no more than to change it
            return 0, 0, 0, 1
    return 0, 0, 0, 0


def _is_divisor(node: Expr) -> bool:
    return node.operation is Operation.POWER and node.exponent < 0


def _is_sign(node: Expr) -> bool:
    return node.is_number and node.number == -1


# --- text ----------------------------------------------------------------------------------------


def print_number(value: Exact) -> str:
    """The shortest text that reads back as the same double."""
    return repr(float(value))


#: How a language writes the call of a function of the DAG, given the texts of its arguments.
PrintCall = Callable[[str, Sequence[str]], str]


def print_c_call(name: str, arguments: Sequence[str]) -> str:
    """A call in C and, with a few small functions, in Python.

    >>> print_c_call("max", ["x", "1.0"])
    'fmax(x, 1.0)'
    """
    return f"{_C_NAMES.get(name, name)}({', '.join(arguments)})"


@dataclass(frozen=True)
class Printed:
    """The text of an expression, the nodes that it reads by name, and the functions that it calls.

    Both are in the order of their first use. ``size`` is how many names and numbers the text has.
    """

    text: str
    read: tuple[Expr, ...]
    called: tuple[str, ...]
    size: int


def printed(root: Expr, names: Mapping[Expr, str], call: PrintCall = print_c_call) -> Printed:
    """``root`` with the nodes in ``names`` printed as their names."""
    printer = _Printer(names, call)
    text = printer.text(root)
    return Printed(text, tuple(printer.read), tuple(printer.called), printer.size)


def print_expression(root: Expr, names: Mapping[Expr, str], call: PrintCall = print_c_call) -> str:
    """The text of ``root`` alone, see :func:`printed`."""
    return _Printer(names, call).text(root)


_ANY, _SUM, _PRODUCT, _ATOM = range(4)


class _Term(NamedTuple):
    """A text with its sign, which a sum may write as a subtraction, and how tightly it binds."""

    negative: bool
    text: str
    binding: int

    @property
    def whole(self) -> str:
        return f"-{self.text}" if self.negative else self.text

    def within(self, context: int) -> _Term:
        """The term where operators bind as tightly as ``context``, in parentheses if it needs them."""
        return self if self.binding >= context else _Term(False, f"({self.whole})", _ATOM)


class _Printer:
    def __init__(self, names: Mapping[Expr, str], call: PrintCall) -> None:
        self._names, self._call = names, call
        self.read: dict[Expr, None] = {}
        self.called: dict[str, None] = {}
        self.size = 0

    def text(self, node: Expr, context: int = _ANY) -> str:
        return self._term(node, context).whole

    def _name(self, node: Expr) -> str | None:
        name = self._names.get(node)
        if name is not None:
            self.read[node] = None
            self.size += 1
        return name

    def _term(self, node: Expr, context: int) -> _Term:
        name = self._name(node)
        if name is not None:
            return _Term(False, name, _ATOM)
        other = _opposite(node)
        if other is not None:
            term = self._term(other, _PRODUCT)
            return _Term(not term.negative, term.text, _SUM).within(context)
        return self._full(node).within(context)

    def _full(self, node: Expr) -> _Term:
        match node.operation:
            case Operation.NUMBER:
                self.size += 1
                if node.number < 0:
                    return _Term(True, print_number(-node.number), _SUM)
                return _Term(False, print_number(node.number), _ATOM)
            case Operation.ADD:
                return self._sum(_operands(node))
            case Operation.MUL:
                return self._product(_operands(node))
            case Operation.POWER:
                return self._product((node,))
            case Operation.CALL:
                return _Term(False, self._calling(node.name, [self.text(arg) for arg in node.args]), _ATOM)
        raise KeyError(f"the symbol {node!r} has no name in this function")

    def _calling(self, name: str, arguments: Sequence[str]) -> str:
        self.called[name] = None
        return self._call(name, arguments)

    def _sum(self, terms: Sequence[Expr]) -> _Term:
        first, *others = (self._term(term, _SUM) for term in terms)
        rest = "".join(f" {'-' if term.negative else '+'} {term.text}" for term in others)
        return _Term(first.negative, first.text + rest, _SUM)

    def _product(self, factors: Sequence[Expr]) -> _Term:
        negative, above, below = self._factors(factors)
        text = "*".join(above) or "1.0"
        if below:
            text += f"/{below[0]}" if len(below) == 1 else f"/({'*'.join(below)})"
        return _Term(negative, text, _PRODUCT)

    def _factors(self, factors: Sequence[Expr]) -> tuple[bool, list[str], list[str]]:
        """Whether a product is negative, and the texts of its factors above and below the line."""
        negative, above, below = False, list[str](), list[str]()
        for factor in factors:
            if _is_sign(factor):
                negative = not negative
            elif (name := self._name(factor)) is not None:
                above.append(name)
            elif _is_divisor(factor):
                below += self._power(factor.args[0], -factor.exponent)
            elif factor.operation is Operation.POWER:
                above += self._power(factor.args[0], factor.exponent)
            elif factor.operation is Operation.MUL:
                turned, more_above, more_below = self._factors(_operands(factor))
                negative ^= turned
                above += more_above
                below += more_below
            elif (other := _opposite(factor)) is not None:
                negative = not negative
                above.append(self.text(other, _PRODUCT))
            else:
                above.append(self.text(factor, _PRODUCT))
        return negative, above, below

    def _power(self, base: Expr, exponent: int) -> list[str]:
        """The factors of a power."""
        text = self.text(base, _ATOM)
        if exponent > _LONGEST_PRODUCT:
            return [self._calling("pow", [text, repr(float(exponent))])]
        return [text] * exponent


# --- evaluation in Python --------------------------------------------------------------------------


def compile_python(
    roots: Sequence[Expr],
    arguments: Mapping[str, Sequence[Expr]],
    functions: Mapping[str, Callable[..., Any]] = FUNCTION_VALUES,
) -> Callable[..., list[Any]]:
    """A Python function of the named argument vectors that returns the values of ``roots``.

    Angles without given turns have zero turns. ``functions`` are those of numbers, or of arrays.
    """
    names = {
        symbol: f"{vector}[{index}]"
        for vector, symbols in arguments.items()
        for index, symbol in enumerate(symbols)
    }
    for symbol in symbols_of(roots, SymbolRole.TURNS):
        names.setdefault(symbol, "0.0")
    named = schedule(roots, lambda node: node in names)
    lines = []
    for index, node in enumerate(named):
        lines.append(f"    w{index} = {print_expression(node, names)}")
        names[node] = f"w{index}"
    values = ", ".join(print_expression(root, names) for root in roots)
    source = f"def evaluate({', '.join(arguments)}):\n" + "\n".join([*lines, f"    return [{values}]"])
    space: dict[str, Callable[..., list[Any]]] = {}
    called = {_C_NAMES.get(name, name): function for name, function in functions.items()}
    exec(compile(source, "<dag>", "exec"), called, space)
    return space["evaluate"]
