"""Independent coordinates that the user names."""

from __future__ import annotations

from collections.abc import Sequence

from fmugen.errors import ClosureError
from fmugen.ir.dae import Dae
from fmugen.phases.triangularize.numeric import Numbers
from fmugen.phases.triangularize.partition import Pivots
from fmugen.suggestions import choice_hint

__all__ = ["named_coordinates"]

_RANK = 1e-8


def named_coordinates(
    dae: Dae, pivots: Pivots, jacobian: Numbers, names: Sequence[str]
) -> tuple[list[int], list[int], float]:
    """Independent and dependent coordinates, and the smallest pivot of the dependent ones.

    Raises
    ------
    ClosureError
        Saying why the coordinates named cannot be the independent ones.
    """
    known = [coordinate.name for coordinate in dae.coordinates]
    for name in names:
        if name not in known:
            hint = choice_hint(name, known, "the coordinates are")
            raise ClosureError(f"{name} cannot be independent: these trees have no such coordinate ({hint})")
    freedom = len(known) - jacobian.shape[0]
    if len(set(names)) != freedom:
        raise ClosureError(
            f"the mechanism has {_counted(freedom, 'degree')} of freedom besides its drivers, but "
            f"{_counted(len(set(names)), 'independent coordinate')} named; name exactly {freedom}"
        )
    independent = sorted(known.index(name) for name in names)
    dependent = [number for number in range(len(known)) if number not in independent]
    pivot = pivots.smallest(jacobian, dependent)
    if pivot < _RANK:
        raise ClosureError(
            f"{', '.join(names)} cannot be independent: at the start the loops do not determine the other "
            "coordinates from them; name others, or start from another position"
        )
    return independent, dependent, pivot


def _counted(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
