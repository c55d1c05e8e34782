"""The modes of elements as held signs: a mode is entered and left at events, and kept in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from fmugen.components.base import Component
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Mode
from fmugen.ir.graph import Edge, LinearGraph
from fmugen.ir.motion import ModeSwitch, Motion

__all__ = ["modes_of"]


def modes_of(
    graph: LinearGraph,
    component_of: Callable[[str], Component],
    first_edge: Callable[[str], Edge],
    motion: Callable[[Edge], Motion],
) -> Iterator[Mode]:
    """Every mode but the first of each element, with the relation that enters and leaves it."""
    for element in dict.fromkeys(mode.element for mode in graph.modes):
        component = component_of(element)
        switches = tuple(component.switches(motion(first_edge(element))))
        symbols = {mode.mode: mode.symbol for mode in graph.modes if mode.element == element}
        for mode, symbol in symbols.items():
            yield Mode(f"{element}.{mode}", symbol, _relation(symbols, mode, switches))


def _relation(symbols: Mapping[str, Expr], mode: str, switches: Sequence[ModeSwitch]) -> Expr:
    """Positive outside of the mode, negative in it; ``symbols`` are those of all modes but the first."""
    dag = symbols[mode].dag
    never = dag.number(-1)
    left, entered = never, never
    for switch in switches:
        if switch.before == mode:
            left = switch.when if left is never else dag.call("max", left, switch.when)
        if switch.after == mode:
            entered = _chosen(symbols, switch.before, switch.when, entered)
    return dag.call("if", symbols[mode], -entered, left)


def _chosen(symbols: Mapping[str, Expr], mode: str, inside: Expr, outside: Expr) -> Expr:
    """``inside`` in a mode, ``outside`` in all others."""
    if mode in symbols:
        return inside.dag.call("if", symbols[mode], outside, inside)
    for symbol in symbols.values():
        inside = inside.dag.call("if", symbol, inside, outside)
    return inside
