"""A skeleton as lines of words, for programs that build models through their own interface.

gravity X Y Z
body NAME MASS X Y Z XX XY XZ YY YZ ZZ      mass centre and inertia, ground axes
joint TYPE TAIL HEAD X Y Z AX AY AZ ...     place and axes; bodies by number, -1 the ground, depth first
loop TAIL HEAD X Y Z                        a point that two bodies share
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from bench.peers.mjcf import pinned_places
from bench.peers.skeleton import Link, Skeleton

__all__ = ["skeleton_lines"]


def skeleton_lines(skeleton: Skeleton) -> str:
    """The text of the file."""
    return "".join(f"{line}\n" for line in _lines(skeleton))


def _lines(skeleton: Skeleton) -> Iterator[str]:
    yield f"gravity {_words(skeleton.gravity)}"
    upper = np.triu_indices(3)
    for bone in skeleton.bones:
        yield f"body {bone.name} {_words([bone.mass, *bone.center, *bone.inertia[upper]])}"
    for link in _depth_first(skeleton, -1):
        ends = f"{link.tail} {link.head}"
        yield f"joint {link.type.value} {ends} {_words([*link.place, *link.axes.reshape(-1)])}"
    for link in skeleton.chords:
        for place in pinned_places(skeleton, link):
            yield f"loop {link.tail} {link.head} {_words(place)}"


def _depth_first(skeleton: Skeleton, bone: int) -> Iterator[Link]:
    for link in skeleton.children(bone):
        yield link
        yield from _depth_first(skeleton, link.head)


def _words(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)
