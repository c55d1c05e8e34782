"""Angles in space that are not coordinates: how generated code counts their turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fmugen.expr.calculus import Tangent, symbols_of
from fmugen.expr.dag import SymbolRole
from fmugen.ir.dae import CountedAngle, Dae
from fmugen.ir.program import Result
from fmugen.phases.lower.symbols import equations_of

__all__ = ["angle_results", "counted_angles"]


def counted_angles(dae: Dae) -> tuple[CountedAngle, ...]:
    """The angles whose turns matter to equations or to what is shown, in the order of ``Dae.angles``."""
    if not dae.angles:
        return ()
    shown = (*dae.outputs.values(), *dae.quantities.values())
    read = set(symbols_of((*equations_of(dae), *shown), SymbolRole.TURNS))
    return tuple(angle for angle in dae.angles if angle.symbol in read)


def angle_results(dae: Dae, angles: Sequence[CountedAngle]) -> Iterator[tuple[str, str, list[Result]]]:
    """Name, purpose and results of the functions that turns are counted by."""
    motion = dict(dae.symbols.rates)
    for c in dae.coordinates:
        motion |= {c.position: c.velocity, c.velocity: c.acceleration}
    rate_of = Tangent(dae.symbols.dag, motion)
    results = [Result("angle", i, angle.base, angle.name) for i, angle in enumerate(angles)]
    for i, angle in enumerate(angles):
        if angle.jumps:
            rate = rate_of(angle.base)
            results.append(Result("rate", i, rate, angle.name))
            results.append(Result("second", i, rate_of(rate), angle.name))
    yield "angles", "angles up to whole turns, and the rates of those that jump", results
    starts = [Result("angle", i, angle.start, angle.name) for i, angle in enumerate(angles)]
    yield "start_angles", "what angles are nearest to at the start", starts
