"""Single loops in space of revolute, prismatic, universal, spherical and cylindrical joints."""

from __future__ import annotations

import math

import numpy as np

from linkages.frames import Frame, random_rotation
from linkages.skeleton import Skeleton, UnsuitableError

__all__ = ["add_joint", "loop"]

_FREEDOMS = {"R": 1, "P": 1, "U": 2, "S": 3, "C": 2}
#: The letters are drawn as often as they stand here.
_LETTERS = "RRRRPUUSSC"


def loop(random: np.random.Generator) -> Skeleton:
    """A loop with one degree of freedom, or two; a link between balls spins besides."""
    letters = _letters(random)
    skeleton = Skeleton("Spatial" + "".join(letters), planar=False)
    corners = random.uniform(-1.0, 1.0, (len(letters), 3))
    names = ["ground"]
    for number in range(1, len(letters)):
        frame = Frame((corners[number - 1] + corners[number]) / 2, random_rotation(random))
        names.append(skeleton.body(f"link{number}", frame))
    for number, letter in enumerate(letters):
        ends = names[number], names[(number + 1) % len(names)]
        add_joint(skeleton, random, letter, ends, Frame(corners[number], random_rotation(random)))
    if skeleton.mobility != sum(_FREEDOMS[letter] for letter in letters) - 6:
        raise UnsuitableError(f"a loop of {''.join(letters)} has redundant constraints")
    return skeleton


def _letters(random: np.random.Generator) -> list[str]:
    """Joints whose freedoms are one or two more than a loop takes."""
    while True:
        wanted = 7 if random.random() < 0.7 else 8
        letters: list[str] = []
        while sum(_FREEDOMS[letter] for letter in letters) < wanted:
            letters.append(str(random.choice(list(_LETTERS))))
        exact = sum(_FREEDOMS[letter] for letter in letters) == wanted
        if exact and 3 <= len(letters) <= 7 and letters.count("P") + letters.count("C") <= 3:
            return letters


def add_joint(
    skeleton: Skeleton, random: np.random.Generator, letter: str, ends: tuple[str, str], at: Frame
) -> None:
    """A joint at a frame, with coordinates at random."""
    first, second = random.uniform(-math.pi, math.pi, 2)
    distance = float(random.uniform(-0.6, 0.6))
    match letter:
        case "R":
            skeleton.revolute(*ends, at, first)
        case "P":
            skeleton.prismatic(*ends, at, distance)
        case "C":
            skeleton.cylindrical(*ends, at, distance, first)
        case "U":
            skeleton.universal(*ends, at, first, second)
        case "S":
            skeleton.spherical(*ends, at, random_rotation(random))
