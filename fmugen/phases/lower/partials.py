"""Outputs that are derivatives by an input, or formulas without some inputs: what they depend on.

At given states accelerations and multipliers follow from the inputs by the linear system
``M a + Phi_q^T lambda = F, Phi_q a = gamma``. Where only F and gamma contain the inputs, and these are affine
in them, so is everything that is affine in accelerations and multipliers: its derivative and its value
without the inputs are those of the same system with other right-hand sides, whose structure tells the
dependencies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from fmugen.errors import ModelError, Problem
from fmugen.expr.calculus import Tangent, symbols_of
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.expr.substitute import Substitution
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import Knowns
from fmugen.ir.model import Output
from fmugen.ir.program import Partial
from fmugen.phases.lower.dependencies import Dependencies

__all__ = ["output_knowns", "partials_of"]


def partials_of(dae: Dae, outputs: Sequence[Output]) -> tuple[Partial, ...]:
    """The derivatives that outputs, the first of all calculated variables, need, in the order of inputs."""
    number = {name: index for index, name in enumerate(dae.symbols.inputs)}
    asked = [(index, output) for index, output in enumerate(outputs) if output.by or output.without]
    found = [
        Partial(index, formula, number[given], subtract=not output.by)
        for formula, (index, output) in enumerate(asked)
        for given in (output.without or (output.by,))
    ]
    return tuple(sorted(found, key=lambda partial: (partial.input, partial.output)))


def output_knowns(dae: Dae, flow: SolutionFlow, structure: Dependencies, output: Output) -> Knowns:
    """What an output depends on.

    Raises
    ------
    ModelError
        If an output is to do without an input that it is not affine in.
    """
    value = dae.outputs[output.name]
    given = [dae.symbols.inputs[name] for name in (output.without or (output.by,)) if name]
    if not given:
        return structure.knowns(value)
    response = _Response(dae, given)
    affine = response.is_affine(value)
    if output.without:
        if not affine:
            raise _not_affine(output)
        free = Substitution(dict.fromkeys(given, dae.symbols.dag.zero))
        return Dependencies(response.system(free), flow).knowns(free(value))
    if not affine:
        return structure.knowns(value)
    return Dependencies(response.system(response.derivative), flow).knowns(response.derivative(value))


class _Response:
    """How everything changes with some inputs while states are held."""

    def __init__(self, dae: Dae, inputs: Sequence[Expr]) -> None:
        self._dae, self._inputs = dae, set(inputs)
        dag = dae.symbols.dag
        #: Positions, velocities, matrices and unknowns of the network do not change.
        self._regular = self._inputs.isdisjoint(symbols_of(_held(dae)))
        driving = [*dae.force, *(row.gamma for row in dae.constraints)]
        moved = not self._inputs.isdisjoint(symbols_of(driving))
        self._changing = self._inputs.union(_solved(dae) if moved else ())
        # In the system of the derivatives, symbols stand for derivatives of what they are symbols of.
        directions = {s: dag.symbol(f"change of {s.name}", SymbolRole.DIRECTION) for s in self._changing}
        self._along = Tangent(dag, directions)
        self._read = Substitution(
            {change: dag.one if symbol in self._inputs else symbol for symbol, change in directions.items()}
        )
        self._regular = self._regular and all(self._is_linear(value) for value in driving)

    def is_affine(self, value: Expr) -> bool:
        return self._regular and self._is_linear(value)

    def _is_linear(self, value: Expr) -> bool:
        return self._changing.isdisjoint(symbols_of((self._along(value),)))

    def derivative(self, value: Expr) -> Expr:
        """The derivative of an affine value by the inputs."""
        return self._read(self._along(value))

    def system(self, of: Callable[[Expr], Expr]) -> Dae:
        """The equations with ``of`` applied to their right-hand sides."""
        dae = self._dae
        rows = tuple(replace(row, gamma=of(row.gamma)) for row in dae.constraints)
        return replace(dae, constraints=rows, force=tuple(of(value) for value in dae.force))


def _held(dae: Dae) -> Iterator[Expr]:
    """The expressions that determine positions, velocities, matrices and unknowns of the network."""
    for row in dae.constraints:
        yield from (row.phi, row.nu, *row.jacobian.values())
    yield from dae.mass.values()
    for block in dae.network_blocks:
        yield from (equation.residual for equation in block.equations)


def _solved(dae: Dae) -> Iterator[Expr]:
    """Accelerations and multipliers."""
    yield from (coordinate.acceleration for coordinate in dae.coordinates)
    yield from (row.multiplier for row in dae.constraints)


def _not_affine(output: Output) -> ModelError:
    place = f"outputs.{output.name}.without"
    message = f"{output.value.text!r} is not affine in {' and '.join(output.without)}"
    hint = "name inputs that are forces or prescribed accelerations, and use nothing of them but linearly"
    return ModelError(place, (Problem(place, message, hint),))
