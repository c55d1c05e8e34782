"""Where the bodies of a mechanism are: at its start by the equations, over a run by its FMU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fmugen.evaluation import values_at_start
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.verify.frames import pose_kinds
from fmugen.verify.layout import own_kinds
from fmugen.verify.rotations import Array, about, quaternion

__all__ = ["Poses", "recorded_poses", "start_poses"]

#: More frames than this make a page larger, not a motion smoother.
_MOST_FRAMES = 600
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Poses:
    """The frames of all bodies; the ground, which never moves, is the last of them.

    ``origins`` are by time, body and axis; ``attitudes`` are unit quaternions, scalar first. Bodies that
    deform have ``coordinates``, by time.
    """

    times: Array
    origins: Array
    attitudes: Array
    coordinates: Mapping[int, Array] = field(default_factory=dict)


def start_poses(model: SystemModel, dae: Dae, flow: SolutionFlow) -> Poses:
    """The assembled start, with the default parameters."""
    names = pose_names(model)
    values = values_at_start(model, dae, flow, [dae.quantities[name] for name in names])
    samples = {name: np.array([value]) for name, value in zip(names, values, strict=True)}
    return recorded_poses(model, np.zeros(1), samples)


def pose_names(model: SystemModel) -> list[str]:
    """The variables of an FMU that tell where its bodies are."""
    names = [f"{body.name}.{kind}" for body in model.bodies for kind, _ in pose_kinds(model)]
    return names + [f"{body}.{kind}" for body, kinds in own_kinds(model).items() for kind in kinds]


def recorded_poses(model: SystemModel, times: Array, values: Mapping[str, Array]) -> Poses:
    """The poses at some of the samples, evenly chosen, first and last among them."""
    chosen = np.unique(np.linspace(0, len(times) - 1, min(len(times), _MOST_FRAMES)).round().astype(int))
    origins = np.zeros((len(chosen), len(model.bodies) + 1, 3))
    attitudes = np.zeros((len(chosen), len(model.bodies) + 1, 4))
    attitudes[:, -1, 0] = 1.0
    for number, body in enumerate(model.bodies):
        columns = {kind: values[f"{body.name}.{kind}"][chosen] for kind, _ in pose_kinds(model)}
        for axis, kind in enumerate("xyz"):
            origins[:, number, axis] = columns.get(kind, 0.0)
        attitudes[:, number] = _continued([quaternion(matrix) for matrix in _matrices(columns)])
    numbers = {body.name: number for number, body in enumerate(model.bodies)}
    coordinates = {
        numbers[body]: np.stack([values[f"{body}.{kind}"][chosen] for kind in kinds], axis=1)
        for body, kinds in own_kinds(model).items()
    }
    return Poses(times[chosen], origins, attitudes, coordinates)


def _matrices(columns: Mapping[str, Array]) -> list[Array]:
    if "angle" in columns:
        return [about(_UP, float(angle)) for angle in columns["angle"]]
    cosines = np.stack([columns[f"r{i}{j}"] for i in "xyz" for j in "xyz"], axis=1)
    return list(cosines.reshape(-1, 3, 3))


def _continued(quaternions: list[Array]) -> Array:
    """The same attitudes with the signs of one continuous motion, so that frames can be interpolated."""
    result = np.array(quaternions)
    for number in range(1, len(result)):
        if result[number] @ result[number - 1] < 0.0:
            result[number] *= -1.0
    return result
