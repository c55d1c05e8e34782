"""Values of components: formulas of parameters, inputs, time and quantities, with derivatives by jets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from fmugen.ir.formula import CONSTANTS, Formula
from fmugen.verify.evaluate import Jet, Scalar, compile_formula, compile_jet

_CLOSED = 0.5


class Value(Protocol):
    """A number that may change with time and state."""

    @property
    def names(self) -> frozenset[str]:
        """The names it depends on, except parameters and constants."""
        ...

    def at(self, values: Mapping[str, float]) -> float: ...

    def along(self, values: Mapping[str, float], rates: Mapping[str, Jet]) -> float:
        """Its derivative along the given rates of the names."""
        ...


@dataclass(frozen=True)
class Constant:
    """A number."""

    number: float

    @property
    def names(self) -> frozenset[str]:
        return frozenset()

    def at(self, values: Mapping[str, float]) -> float:
        return self.number

    def along(self, values: Mapping[str, float], rates: Mapping[str, Jet]) -> float:
        return 0.0


@dataclass(frozen=True)
class Varying:
    """A formula that is not constant; with ``order`` 1 the value is its time derivative."""

    names: frozenset[str]
    value: Callable[[Mapping[str, float]], float]
    jet: Callable[[Mapping[str, Scalar]], Jet]
    order: int = 0

    def at(self, values: Mapping[str, float]) -> float:
        if self.order == 0:
            return self.value(values)
        return self.jet({**values, "time": Jet(values["time"], 1.0)}).rate

    def along(self, values: Mapping[str, float], rates: Mapping[str, Jet]) -> float:
        jet = self.jet({**values, **{name: rates[name] for name in rates if name in self.names}})
        return jet.acceleration if self.order else jet.rate


@dataclass(frozen=True)
class Switched:
    """One number while a control is at least a half, another while it is below."""

    control: Value
    closed: Value
    open: Value

    @property
    def names(self) -> frozenset[str]:
        return self.control.names | self.closed.names | self.open.names

    def _current(self, values: Mapping[str, float]) -> Value:
        return self.closed if self.control.at(values) >= _CLOSED else self.open

    def at(self, values: Mapping[str, float]) -> float:
        return self._current(values).at(values)

    def along(self, values: Mapping[str, float], rates: Mapping[str, Jet]) -> float:
        return self._current(values).along(values, rates)


@dataclass(frozen=True)
class _Opposite:
    """A value with the other sign."""

    of: Value

    @property
    def names(self) -> frozenset[str]:
        return self.of.names

    def at(self, values: Mapping[str, float]) -> float:
        return -self.of.at(values)

    def along(self, values: Mapping[str, float], rates: Mapping[str, Jet]) -> float:
        return -self.of.along(values, rates)


@dataclass(frozen=True)
class _Product:
    """The product of two values."""

    left: Value
    right: Value

    @property
    def names(self) -> frozenset[str]:
        return self.left.names | self.right.names

    def at(self, values: Mapping[str, float]) -> float:
        return self.left.at(values) * self.right.at(values)

    def along(self, values: Mapping[str, float], rates: Mapping[str, Jet]) -> float:
        left, right = self.left.along(values, rates), self.right.along(values, rates)
        return left * self.right.at(values) + self.left.at(values) * right


def product(left: Value, right: Value) -> Value:
    """The product of two values."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(left.number * right.number)
    return _Product(left, right)


def opposite(value: Value) -> Value:
    """A value with the other sign."""
    return Constant(-value.number) if isinstance(value, Constant) else _Opposite(value)


def value_of(formula: Formula, parameters: Mapping[str, float], order: int = 0) -> Value:
    """A formula with numbers for its parameters; with ``order`` 1 its time derivative."""
    names = frozenset(name for name in formula.names() if name not in parameters and name not in CONSTANTS)
    if not names:
        return Constant(0.0 if order else compile_formula(formula)(parameters))
    plain, jet = compile_formula(formula), compile_jet(formula)
    known = dict(parameters)
    return Varying(names, lambda v: plain({**known, **v}), lambda v: jet({**known, **v}), order)
