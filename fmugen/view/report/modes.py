"""The assembly modes of a model: a table, sentences about the list, and a drawing of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fmugen.evaluation import Evaluation
from fmugen.ir.assembly_modes import AssemblyMode
from fmugen.ir.model import Space, SystemModel
from fmugen.view.report.drawing import drawings_svg
from fmugen.view.report.poses import start_poses
from fmugen.view.report.scene import scene_of

if TYPE_CHECKING:
    from fmugen.pipeline import Compilation

__all__ = ["DRAWN", "mode_columns", "mode_rows", "mode_sentences", "modes_svg"]

#: More modes are not drawn, more are not listed, and more quantities are not shown.
DRAWN = 48
_LISTED = 100
_SHOWN = 5
_COLUMNS = 4
#: Quantities that differ by less are not shown.
_SAME = 1e-6


def mode_columns(subject: Compilation) -> list[str]:
    """The names of the columns of :func:`mode_rows`; those of numbers begin with >."""
    return [">mode", ">distance", *(f">{name}" for name in _shown(subject)), "remark"]


def mode_rows(subject: Compilation) -> Iterator[tuple[object, ...]]:
    """Each mode: its number, its distance from the start, where bodies are that tell it from others."""
    names = _shown(subject)
    table = _values(subject, names)
    rows = list(zip(subject.modes.modes, table, strict=True))
    for number, (mode, row) in enumerate(rows[:_LISTED], 1):
        numbers = [f"{value if abs(value) > _SAME else 0.0:.4g}" for value in row]
        yield number, f"{mode.distance:.3g}", *numbers, _remark(number, mode)


def _remark(number: int, mode: AssemblyMode) -> str:
    variants = "1 variant" if mode.variants == 1 else f"{mode.variants} variants"
    remarks = [
        "the start" if number == 1 else "",
        f"{variants} with links turned about their own line" if mode.variants else "",
        "singular" if mode.singular else "",
    ]
    return ", ".join(remark for remark in remarks if remark)


def mode_sentences(subject: Compilation) -> Iterator[str]:
    """What the list holds for, how it was found, and what may be missing."""
    modes = subject.modes
    fixed = [*subject.dae.fixed_positions, *modes.held]
    if fixed:
        yield f"all have the values of the start of {', '.join(fixed)}"
    if len(modes.modes) > _LISTED:
        yield f"these are the {_LISTED} nearest to the start of {len(modes.modes)}"
    yield from modes.how
    if any(mode.singular for mode in modes.modes):
        yield "a singular configuration is not isolated, or two coincide there"
    yield from (f"the list may be incomplete: {doubt}" for doubt in modes.doubts)
    if modes.is_complete:
        yield "the list is complete"


def _shown(subject: Compilation) -> list[str]:
    """The poses of bodies that differ most from mode to mode."""
    model = subject.model
    if len(subject.modes.modes) < 2:
        return []
    planar = model.space is Space.PLANAR
    kinds = ("angle",) if planar else ("x", "y", "z")
    names = [f"{body.name}.{kind}" for body in model.bodies for kind in kinds]
    spread = np.ptp(_values(subject, names), axis=0)
    best = sorted(range(len(names)), key=lambda k: -round(float(spread[k]), 9))[:_SHOWN]
    return [names[k] for k in sorted(best) if spread[k] > _SAME]


def _values(subject: Compilation, names: list[str]) -> np.ndarray:
    dae = subject.dae
    evaluate = Evaluation.at_defaults(subject.model, dae).function(
        [dae.quantities[name] for name in names], dae.known_at_start
    )
    found = np.array([evaluate(mode.positions) for mode in subject.modes.modes])
    turns = [name.endswith(".angle") for name in names]
    found[:, turns] -= 2 * np.pi * np.round(found[:, turns] / (2 * np.pi))
    return found.reshape(len(subject.modes.modes), len(names))


def modes_svg(subject: Compilation) -> str:
    """The mechanism in each mode, all in one scale; empty if there is nothing to draw."""
    model: SystemModel = subject.model
    start = start_poses(model, subject.dae, subject.flow)
    scene = scene_of(model, start)
    if scene is None:
        return ""
    drawn = subject.modes.modes[:DRAWN]
    poses = [
        start_poses(model, subject.dae, replace(subject.flow, positions=mode.positions)) for mode in drawn
    ]
    titles = [f"{number}" + (", the start" if number == 1 else "") for number in range(1, len(drawn) + 1)]
    return drawings_svg(scene, poses, titles, _COLUMNS)
