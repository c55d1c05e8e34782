"""The form of the equation that an exact step solves."""

from __future__ import annotations

from fmugen.ir.program import StepCode

__all__ = ["equation_of"]


def equation_of(step: StepCode) -> str:
    """The form of the equation that a step solves."""
    match step.helper:
        case "exact_root":
            return "a sin + b cos = c"
        case "exact_square" | "exact_quadratic":
            return "a quadratic equation"
        case "exact_polynomial":
            return f"an equation of degree {len(step.arguments) - 1}"
        case "exact_half_angle":
            return f"an equation of degree {len(step.arguments) - 1} in the tangent of half the angle"
    if step.check == "exact_expected":
        return "it equals another angle, or its opposite"
    return "linear equations for sine and cosine" if step.is_angle else "a linear equation"
