"""Which sets of independent coordinates are considered: all of them, or those that structure suggests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from math import comb

from fmugen.expr.calculus import symbols_of
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Attitude
from fmugen.phases.triangularize.partition import Pivots, whole_attitudes
from fmugen.phases.triangularize.sets import IndependentSet

__all__ = ["other_sets"]

#: How many sets are examined.
_MOST_SETS = 600
#: How many of the sets that give the poses of two bodies.
_MOST_PAIRS = 40
#: What the pose of a body is measured by.
_POSE = {"x", "y", "z", "angle", "rxx", "ryy", "rzz", "rxy", "ryz", "rzx"}


def other_sets(dae: Dae, pivots: Pivots, initial: IndependentSet) -> Iterator[tuple[list[int], list[int]]]:
    """Independent and dependent coordinates: all sets, or some of them if there are many.

    Some means the coordinates of one body or joint, those that give the pose of a body or of two, and sets
    that differ from ``initial`` by one exchange. The last component of a whole attitude is its fourth; the
    choice makes no difference. Coordinates of elements themselves are dependent only if they are so in
    ``initial``.
    """
    seen = {_with_last_components(pivots, initial.dependent)}
    own = {number for number, coordinate in enumerate(dae.coordinates) if coordinate.is_own}
    bends = bool(own.intersection(initial.dependent))
    count, freedom = len(dae.coordinates), len(initial.independent)
    if comb(count, freedom) <= _MOST_SETS:
        candidates: Iterator[tuple[int, ...]] = combinations(range(count), freedom)
    else:
        exchanged = (
            tuple(sorted({*initial.independent, new} - {old}))
            for old in initial.independent
            for new in initial.dependent
        )
        structural = (
            _of_one_element(dae, pivots.attitudes, freedom),
            _of_poses(dae, pivots.attitudes, freedom),
        )
        candidates = chain(*structural, exchanged)
    for independent in islice(candidates, _MOST_SETS):
        dependent = _with_last_components(pivots, [k for k in range(count) if k not in independent])
        if dependent not in seen and (bends or not own.intersection(dependent)):
            seen.add(dependent)
            yield [k for k in range(count) if k not in dependent], list(dependent)


def _with_last_components(pivots: Pivots, dependent: Sequence[int]) -> tuple[int, ...]:
    """The dependent coordinates, with the last component of each whole attitude for its fourth."""
    found = set(dependent)
    for attitude in whole_attitudes(pivots.attitudes, dependent):
        found = found.difference(attitude.components) | {attitude.components[-1]}
    return tuple(sorted(found))


def _of_one_element(dae: Dae, attitudes: Sequence[Attitude], freedom: int) -> Iterator[tuple[int, ...]]:
    """The coordinates of each element that has exactly as many as there are degrees of freedom.

    Four Euler parameters of unit length count as three.
    """
    fourth = {attitude.components[-1] for attitude in attitudes}
    owned: dict[str, list[int]] = {}
    for number, coordinate in enumerate(dae.coordinates):
        if number not in fourth:
            owned.setdefault(coordinate.name.rpartition(".")[0], []).append(number)
    return (tuple(numbers) for numbers in owned.values() if len(numbers) == freedom)


def _of_poses(dae: Dae, attitudes: Sequence[Attitude], freedom: int) -> Iterator[tuple[int, ...]]:
    """The coordinates that give the pose of a body, or of two, if they are as many as degrees of freedom.

    With the pose of a platform, each leg is a loop of its own. The legs may hang on the platform, or the
    platform on one of the legs.
    """
    fourth = {attitude.components[-1] for attitude in attitudes}
    numbers = {coordinate.position: number for number, coordinate in enumerate(dae.coordinates)}
    poses: dict[str, set[int]] = {}
    for name, value in dae.quantities.items():
        body, _, kind = name.rpartition(".")
        if kind in _POSE:
            found = {numbers[symbol] for symbol in symbols_of((value,)) if symbol in numbers}
            poses.setdefault(body, set()).update(found - fourth)
    distinct = list(dict.fromkeys(frozenset(pose) for pose in poses.values() if pose))
    pairs = (one | other for one, other in combinations(distinct, 2))
    fitting = (pose for pose in chain(distinct, pairs) if len(pose) == freedom)
    return (tuple(sorted(pose)) for pose in islice(dict.fromkeys(fitting), _MOST_PAIRS))
