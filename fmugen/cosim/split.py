"""SystemModel, Partition -> SplitSystem: one model as several FMUs and their connections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fmugen.cosim.condense import connect_condensed
from fmugen.cosim.cut import cut_model
from fmugen.cosim.denoc import couple_centrally
from fmugen.cosim.penalty import hold_by_springs
from fmugen.cosim.ports import Wiring, directions
from fmugen.cosim.start import degrees_of_freedom, motion_at_start, placed_at, settle
from fmugen.errors import ModelError, Problem
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.split import Method, Part, Partition, SplitSystem

__all__ = ["split_model"]

_WIRE: dict[Method, Callable[[Wiring], None]] = {
    Method.PENALTY: hold_by_springs,
    Method.PROJECTION: connect_condensed,
    Method.DENOC: couple_centrally,
    Method.EXACT: connect_condensed,
}


def split_model(model: SystemModel, partition: Partition, method: Method | None = None) -> SplitSystem:
    """Cut a model into parts that hold together by a method.

    Parameters
    ----------
    model
        The whole system.
    partition
        Which bodies are in which part; see :func:`fmugen.cosim.partition.read_partition`.
    method
        How the parts hold together; by default as the partition says, and if it says nothing exactly.

    Raises
    ------
    ModelError
        If something uses what is in two parts, or the method cannot hold these parts together.
    AssemblyError
        If the whole system cannot be assembled.

    Notes
    -----
    Every part starts where the whole system stands with its default parameters, and every connected input
    with the value that its source has there.
    """
    if model.steady:
        message = "a steady start is an equilibrium of the whole system, which parts do not know"
        raise ModelError("start", (Problem("start.steady", message, "give start values in its place"),))
    chosen = method or partition.method or Method.EXACT
    pieces = cut_model(model, partition)
    wiring = Wiring(pieces)
    _WIRE[chosen](wiring)
    motion = motion_at_start(model)
    driven = wiring.driven
    placed = {name: placed_at(part, motion, free=name not in driven) for name, part in wiring.models.items()}
    wiring.outside(output.name for output in model.outputs)
    settled = settle(placed, wiring.connections)
    _require_followers(wiring, settled)
    followers = Closure.PROJECTION if chosen is Method.PROJECTION else Closure.TRIANGULAR
    closures = dict.fromkeys(settled, Closure.TRIANGULAR) | dict.fromkeys(wiring.driven, followers)
    parts = tuple(
        Part(name, part, closures[name], tuple(body.name for body in part.bodies))
        for name, part in settled.items()
    )
    return SplitSystem(
        model.name, chosen, parts, tuple(wiring.connections), model.experiment, model.description
    )


def _require_followers(wiring: Wiring, models: dict[str, SystemModel]) -> None:
    """Refuse parts that cannot follow every motion of the ports at which another part moves them."""
    problems = []
    for name, cuts in wiring.driven.items():
        driven = models[name]
        own = wiring.pieces.models[name].in_section("drivers")
        undriven = tuple(element for element in driven.elements if element.section != "drivers")
        free = replace(driven, elements=(*undriven, *own))
        moved = sum(len(directions(wiring.space, cut.kind)) for cut in cuts)
        if degrees_of_freedom(free) - degrees_of_freedom(driven) < moved:
            message = f"cannot follow all motions of {', '.join(cut.name for cut in cuts)}"
            hint = "add a body between it and the ground, or choose penalty or denoc"
            problems.append(Problem(f"parts.{name}", message, hint))
    if problems:
        raise ModelError("parts", tuple(problems))
