"""Messages of the commands about networks."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.cli.terminal import counted
from fmugen.ir.dae import Dae

__all__ = ["network_sentences", "network_summary"]

#: More names than this are counted, not listed.
_MOST_NAMES = 12


def network_summary(dae: Dae) -> Iterator[tuple[str, str]]:
    """How large a network is once it is solved."""
    yield "network equations", str(len(dae.network.equations))
    yield "states", _listed([state.name for state in dae.states])
    yield "iterated unknowns", _listed([unknown.name for unknown in dae.iterated])


def network_sentences(dae: Dae) -> Iterator[str]:
    """The start values of states, and the iterated blocks."""
    fixed = sum(state.fixed for state in dae.states)
    if dae.states:
        rest = (
            ""
            if dae.steady or fixed == len(dae.states)
            else "; the others start at their guesses (0 without a guess)"
        )
        yield f"start of the network: {fixed} of {counted(len(dae.states), 'state')} fixed{rest}"
    for name in dae.fixed_states:
        yield f"  the start value of {name} is met by Newton steps"
    if dae.steady and not dae.coordinates:
        yield "  the start is steady: the derivatives of all states vanish"
    used = {state.name for state in dae.states} | {unknown.name for unknown in dae.iterated}
    for name, start in dae.network_starts.items():
        if not start.fixed and name not in used:
            yield f"  the guess of {name} is not used: it is neither a state nor iterated"
    for block in dae.network_blocks:
        yield f"Newton iteration finds {block.name}"


def _listed(names: list[str]) -> str:
    if not names:
        return "none"
    shown = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
    return f"{len(names)}: {shown}"
