"""Vectors as sums over frames, and those that are affine in accelerations and multipliers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fmugen.expr.dag import Expr, Scalar
from fmugen.expr.vectors import Vector3, add3, is_null, scale3

__all__ = ["Affine", "AffineScalar", "FrameVector", "Unknown"]

Unknown = Expr  # the symbol of an acceleration or of a multiplier


class FrameVector:
    """A vector as a sum of parts, one a frame."""

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[str, Vector3]) -> None:
        self.parts = {frame: part for frame, part in parts.items() if not is_null(part)}

    def __add__(self, other: FrameVector) -> FrameVector:
        parts = dict(self.parts)
        for frame, part in other.parts.items():
            parts[frame] = add3(parts[frame], part) if frame in parts else part
        return FrameVector(parts)

    def scaled(self, factor: Scalar) -> FrameVector:
        return FrameVector({frame: scale3(factor, part) for frame, part in self.parts.items()})

    def __neg__(self) -> FrameVector:
        return self.scaled(-1)

    def __sub__(self, other: FrameVector) -> FrameVector:
        return self + -other

    @property
    def is_null(self) -> bool:
        return not self.parts


@dataclass(frozen=True)
class AffineScalar:
    """A number that is affine in unknowns: ``const + sum of coefficient * unknown``."""

    const: Expr
    coefficients: Mapping[Unknown, Expr]

    def __add__(self, other: AffineScalar | Scalar) -> AffineScalar:
        if not isinstance(other, AffineScalar):
            return AffineScalar(self.const + other, self.coefficients)
        merged = dict(self.coefficients)
        for unknown, part in other.coefficients.items():
            merged[unknown] = merged[unknown] + part if unknown in merged else part
        return AffineScalar(self.const + other.const, merged)

    def __mul__(self, factor: Scalar) -> AffineScalar:
        scaled = {unknown: part * factor for unknown, part in self.coefficients.items()}
        return AffineScalar(self.const * factor, scaled)

    def __neg__(self) -> AffineScalar:
        return self * -1

    def __sub__(self, other: AffineScalar | Scalar) -> AffineScalar:
        return self + -other


@dataclass
class Affine:
    """A vector that is affine in unknowns: ``const + sum of coefficient * unknown``."""

    const: FrameVector
    coefficients: dict[Unknown, FrameVector]

    def __add__(self, other: Affine) -> Affine:
        merged = dict(self.coefficients)
        for unknown, part in other.coefficients.items():
            merged[unknown] = merged[unknown] + part if unknown in merged else part
        kept = {unknown: part for unknown, part in merged.items() if not part.is_null}
        return Affine(self.const + other.const, kept)

    def scaled(self, factor: Scalar) -> Affine:
        coefficients = {unknown: part.scaled(factor) for unknown, part in self.coefficients.items()}
        return Affine(self.const.scaled(factor), coefficients)

    def __neg__(self) -> Affine:
        return self.scaled(-1)

    def __sub__(self, other: Affine) -> Affine:
        return self + -other
