"""SolutionFlow -> SolutionFlow: a fixed number of Newton steps, or none at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fmugen.errors import ClosureError
from fmugen.ir.dae import Dae
from fmugen.ir.flow import EMBEDDED, Closure, SolutionFlow
from fmugen.ir.steps import PolynomialStep

__all__ = ["limit_iteration"]


def limit_iteration(dae: Dae, flow: SolutionFlow, iterations: int | None) -> SolutionFlow:
    """``flow`` with so many Newton steps over each iterated block, whatever they leave open.

    With 0 nothing may iterate: sets of independent coordinates that need iteration are left out, and a
    guard that fails ends the run.

    Raises
    ------
    ClosureError
        If nothing may iterate and something does, or if the closure has no such steps.
    """
    if iterations is None:
        return flow
    if iterations < 0:
        raise ClosureError(f"the number of Newton steps is {iterations}: expected 1 or more, or 0 for none")
    if flow.closure not in EMBEDDED:
        raise ClosureError(
            f"the closure {flow.closure.value!r} has no Newton steps to limit: leave out --iterations and "
            "--never-iterate, or take the closure 'triangular' or 'newton'"
        )
    if iterations:
        return replace(flow, iterations=iterations)
    found = list(_iterated(dae, flow))
    if found:
        raise ClosureError(
            "--never-iterate: this model needs iteration:\n"
            + "\n".join(f"  {each}" for each in found)
            + "\nTry other independent coordinates (--independent) or trees (--trees thorough), or fix the "
            "number of Newton steps (--iterations)."
        )
    alternatives = tuple(each for each in flow.alternatives if not any(_iterated(dae, each)))
    return replace(flow, alternatives=alternatives, iterations=0)


def _iterated(dae: Dae, flow: SolutionFlow) -> Iterator[str]:
    """Sentences that name the unknowns found by iteration, and their loops."""
    names = [coordinate.name for coordinate in dae.coordinates]
    if flow.closure is Closure.NEWTON_ALL and flow.dependent:
        yield f"{_listed(names, flow.dependent)}: all loops by Newton iteration, as the closure says"
        return
    for block in flow.blocks:
        if not block.steps:
            reason = f": {block.reason}" if block.reason else ""
            yield f"{_listed(names, block.unknowns)}: {block.name} by Newton iteration{reason}"
        for step in block.steps:
            if isinstance(step, PolynomialStep):
                degree = len(step.coefficients) - 1
                yield (
                    f"{names[step.unknown]}: {block.name} by a polynomial of degree {degree}, whose root is "
                    "found by bounded iteration"
                )
    for network in dae.network_blocks:
        unknowns = [unknown.name for unknown in dae.iterated]
        yield f"{_listed(unknowns, network.unknowns)}: {network.name} by Newton iteration"


def _listed(names: list[str], chosen: tuple[int, ...]) -> str:
    return ", ".join(names[k] for k in chosen)
