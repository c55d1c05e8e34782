"""The calculated variables of an FMU: outputs, coordinates, rates, states and all other quantities."""

from __future__ import annotations

from dataclasses import replace

from fmugen.expr.dag import Expr
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import CalculatedVariable
from fmugen.ir.model import SystemModel, quantities
from fmugen.phases.lower.dependencies import Dependencies
from fmugen.phases.lower.partials import output_knowns

__all__ = ["calculated_variables"]


def calculated_variables(
    model: SystemModel, dae: Dae, flow: SolutionFlow, structure: Dependencies
) -> tuple[list[CalculatedVariable], list[Expr]]:
    """Outputs, then coordinates, rates and accelerations, then all other quantities, each once."""
    shown: dict[str, tuple[CalculatedVariable, Expr]] = {}
    known = {quantity.name: quantity for quantity in quantities(model)}

    def show(name: str, value: Expr, unit: str, text: str) -> None:
        if name not in shown:
            variable = CalculatedVariable(name, unit, text, "local", structure.knowns(value))
            shown[name] = (variable, value)

    for output in model.outputs:
        knowns = output_knowns(dae, flow, structure, output)
        variable = CalculatedVariable(output.name, output.unit, output.description, "output", knowns)
        shown[output.name] = (variable, dae.outputs[output.name])
    for c in dae.coordinates:
        show(c.name, c.position, c.unit, f"branch coordinate ({c.origin})")
        show(c.rate_name, c.velocity, f"{c.unit}/s", f"rate of {c.name}")
        show(c.acceleration_name, c.acceleration, f"{c.unit}/s2", f"second rate of {c.name}")
    for state in dae.states:
        show(state.name, state.symbol, state.unit, "state")
    for name, value in dae.quantities.items():
        show(name, value, known[name].unit, "")
        if known[name].limit is not None:
            variable, value = shown[name]
            shown[name] = (replace(variable, limit=known[name].limit), value)
    return [variable for variable, _ in shown.values()], [value for _, value in shown.values()]
