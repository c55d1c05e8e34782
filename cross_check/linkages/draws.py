"""Families of linkages, and the draw of a seed."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from linkages import overconstrained, planar, platforms, spatial
from linkages.frames import Array, Frame
from linkages.skeleton import Skeleton, UnsuitableError, planar_frame
from linkages.text import GUESSES, Start, model_text

__all__ = ["FAMILIES", "Draw", "draw"]

Family = Callable[[np.random.Generator], Skeleton]

FAMILIES: dict[str, Family] = {
    "planar-loop": planar.loop,
    "planar-slider": planar.slider_loop,
    "planar-loops": planar.loops,
    "spatial-loop": spatial.loop,
    "overconstrained": overconstrained.overconstrained,
    "planar-platform": platforms.planar_platform,
    "spatial-platform": platforms.spatial_platform,
    "rod-platform": platforms.rod_platform,
}
_TRIALS = 200


@dataclass(frozen=True)
class Draw:
    """A model file, and what is known of it: a pose that closes its loops, and how it can move there."""

    family: str
    seed: int
    name: str
    text: str
    mobility: int
    start: Start
    poses: dict[str, float]
    skeleton: Skeleton

    def distance(self, poses: Mapping[str, float], length: float) -> float:
        """How far a pose is from the guesses: angles up to whole turns, lengths as parts of one."""
        joints = self.skeleton.joint_values(self.frames_of(poses))
        total = 0.0
        for name, guess in self.start.guess.items():
            missed = (joints[name] if name in joints else poses[name]) - guess
            last = name.rpartition(".")[2]
            if last.startswith("angle"):
                missed = math.remainder(missed, 2.0 * math.pi)
            elif last in ("s", "x", "y", "z"):
                missed /= length
            total += missed * missed
        return math.sqrt(total)

    def frames_of(self, poses: Mapping[str, float]) -> dict[str, Frame]:
        """The frames of bodies, from what an FMU tells of them."""
        frames: dict[str, Frame] = {}
        for body in self.skeleton.frames:
            if self.skeleton.planar:
                frames[body] = planar_frame(*(poses[f"{body}.{kind}"] for kind in ("x", "y", "angle")))
                continue
            position = np.array([poses[f"{body}.{axis}"] for axis in "xyz"])
            axes = np.array([[poses[f"{body}.r{i}{j}"] for j in "xyz"] for i in "xyz"])
            frames[body] = Frame(position, axes)
        return frames


def draw(family: str, seed: int) -> Draw:
    """The linkage of a seed; equal seeds give equal texts."""
    random = np.random.default_rng([zlib.crc32(family.encode()), seed])
    for _ in range(_TRIALS):
        try:
            skeleton = FAMILIES[family](random)
            mobility = skeleton.mobility
        except UnsuitableError:
            continue
        if mobility < 1:
            continue
        kind = GUESSES[seed % len(GUESSES)]
        text, start = model_text(skeleton, random, kind, stop=float(random.choice([0.2, 0.4, 0.8])))
        header = f"# {family}, seed {seed}: {mobility} degrees of freedom, guesses {kind}\n\n"
        return Draw(family, seed, skeleton.name, header + text, mobility, start, poses_of(skeleton), skeleton)
    raise UnsuitableError(f"{family} {seed}: nothing was drawn in {_TRIALS} trials")


def poses_of(skeleton: Skeleton) -> dict[str, float]:
    """The closed pose, by the quantities of bodies."""
    values: dict[str, float] = {}
    for body, frame in skeleton.frames.items():
        position: Array = frame.position
        for number, axis in enumerate("xy" if skeleton.planar else "xyz"):
            values[f"{body}.{axis}"] = float(position[number])
        if skeleton.planar:
            values[f"{body}.angle"] = float(np.arctan2(frame.axes[1, 0], frame.axes[0, 0]))
            continue
        for i, row in enumerate("xyz"):
            for j, column in enumerate("xyz"):
                values[f"{body}.r{row}{column}"] = float(frame.axes[i, j])
    return values
