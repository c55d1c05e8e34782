"""Numbers that write down what is computed with them, and functions that take them.

The laws of the judge are written once, for floats. With recorded numbers in their place the same laws write a
tape: a list of operations, each on constants, inputs or earlier results. Equal operations are written once;
operations on constants, and those with zero or one, are not written.

Branches must be made by :func:`choose`, which takes both ways. A function of this module acts on floats,
recorded numbers, and arrays of either.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Operation(IntEnum):
    """The operations of a tape, numbered as in ``machine.c``."""

    ADD = 0
    SUBTRACT = 1
    MULTIPLY = 2
    DIVIDE = 3
    NEGATE = 4
    CHOOSE = 5
    POWER = 6
    ARCTAN2 = 7
    ABSOLUTE = 8
    SQRT = 9
    ROUND = 10
    SIN = 11
    COS = 12
    TAN = 13
    ASIN = 14
    ACOS = 15
    ATAN = 16
    SINH = 17
    COSH = 18
    TANH = 19
    EXP = 20
    LOG = 21


class Tape:
    """Operations, each with up to three operands: numbers of registers.

    Registers are first the constants, counted down from -1, then the inputs and the results, from 0 on.
    """

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.constants: dict[float, int] = {}
        self.steps: list[tuple[int, int, int, int]] = []
        self._known: dict[tuple[int, int, int, int], Recorded] = {}

    def input(self, number: int) -> Recorded:
        return Recorded(self, number)

    def place(self, number: Any) -> int:
        """The register of a number."""
        if isinstance(number, Recorded):
            return number.place
        return self.constants.setdefault(float(number), -1 - len(self.constants))

    def write(self, operation: Operation, a: Any, b: Any = 0.0, c: Any = 0.0) -> Recorded:
        """The result of an operation."""
        step = (int(operation), self.place(a), self.place(b), self.place(c))
        known = self._known.get(step)
        if known is None:
            known = self._known[step] = Recorded(self, self.inputs + len(self.steps))
            self.steps.append(step)
        return known


def _each(method: Callable[[Recorded, Any], Any]) -> Callable[[Recorded, Any], Any]:
    """An operator that leaves arrays to numpy, which applies it to each of their numbers."""

    def apply(self: Recorded, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else method(self, other)

    return apply


class Recorded:
    """A number that is known only when the tape is run."""

    __slots__ = ("place", "tape")

    def __init__(self, tape: Tape, place: int) -> None:
        self.tape, self.place = tape, place

    @_each
    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Recorded) and float(other) == 0.0:
            return self
        return self.tape.write(Operation.ADD, self, other)

    __radd__ = __add__

    @_each
    def __sub__(self, other: Any) -> Any:
        if not isinstance(other, Recorded):
            return self + -float(other)
        return 0.0 if other.place == self.place else self.tape.write(Operation.SUBTRACT, self, other)

    @_each
    def __rsub__(self, other: Any) -> Any:
        return -self if float(other) == 0.0 else self.tape.write(Operation.SUBTRACT, other, self)

    @_each
    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Recorded):
            factor = float(other)
            if factor == 0.0:
                return 0.0
            if abs(factor) == 1.0:
                return self if factor > 0.0 else -self
        return self.tape.write(Operation.MULTIPLY, self, other)

    __rmul__ = __mul__

    @_each
    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Recorded) and abs(float(other)) == 1.0:
            return self * float(other)
        return self.tape.write(Operation.DIVIDE, self, other)

    @_each
    def __rtruediv__(self, other: Any) -> Any:
        return 0.0 if float(other) == 0.0 else self.tape.write(Operation.DIVIDE, other, self)

    @_each
    def __pow__(self, other: Any) -> Any:
        if not isinstance(other, Recorded) and float(other) == 2.0:
            return self * self
        return self.tape.write(Operation.POWER, self, other)

    def __bool__(self) -> bool:
        raise TypeError("a recorded number is not known yet: branch by choose()")

    def __neg__(self) -> Any:
        return self.tape.write(Operation.NEGATE, self)

    def __abs__(self) -> Any:
        return self.tape.write(Operation.ABSOLUTE, self)


def is_recorded(array: Any) -> bool:
    """Whether an array has recorded numbers."""
    return bool(array.dtype == object)


def _unary(operation: Operation, array: Callable[..., Any], number: Callable[[float], float]) -> Any:
    """A function of floats, recorded numbers, and arrays of either."""

    def apply(x: Any) -> Any:
        if isinstance(x, Recorded):
            return x.tape.write(operation, x)
        if isinstance(x, np.ndarray):
            if not is_recorded(x):
                return array(x)
            return np.array([apply(each) for each in x.flat], dtype=object).reshape(x.shape)
        return number(x)

    return apply


sqrt = _unary(Operation.SQRT, np.sqrt, math.sqrt)
rounded = _unary(Operation.ROUND, np.round, lambda x: float(np.round(x)))
sin = _unary(Operation.SIN, np.sin, math.sin)
cos = _unary(Operation.COS, np.cos, math.cos)
tan = _unary(Operation.TAN, np.tan, math.tan)
asin = _unary(Operation.ASIN, np.arcsin, math.asin)
acos = _unary(Operation.ACOS, np.arccos, math.acos)
atan = _unary(Operation.ATAN, np.arctan, math.atan)
sinh = _unary(Operation.SINH, np.sinh, math.sinh)
cosh = _unary(Operation.COSH, np.cosh, math.cosh)
tanh = _unary(Operation.TANH, np.tanh, math.tanh)
exp = _unary(Operation.EXP, np.exp, math.exp)
log = _unary(Operation.LOG, np.log, math.log)


def atan2(y: Any, x: Any) -> Any:
    """The angle of the vector (x, y)."""
    tape = _tape(y, x)
    return math.atan2(y, x) if tape is None else tape.write(Operation.ARCTAN2, y, x)


def power(base: Any, exponent: Any) -> Any:
    tape = _tape(base, exponent)
    return math.pow(base, exponent) if tape is None else tape.write(Operation.POWER, base, exponent)


def choose(condition: Any, one: Any, other: Any) -> Any:
    """One number where the condition is at least zero, another where it is below."""
    if not isinstance(condition, Recorded):
        return one if condition >= 0.0 else other
    return condition.tape.write(Operation.CHOOSE, condition, one, other)


def sign(x: Any) -> Any:
    return choose(x, choose(-x, 0.0, 1.0), -1.0)


def _tape(*numbers: Any) -> Tape | None:
    return next((each.tape for each in numbers if isinstance(each, Recorded)), None)


def zeros(shape: Any, *like: NDArray[Any]) -> NDArray[Any]:
    """Zeros that may be replaced by the numbers of other arrays, recorded or not."""
    return np.zeros(shape, dtype=object if any(map(is_recorded, like)) else np.float64)
