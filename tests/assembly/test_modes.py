"""All real configurations at the start, compared with searches that share nothing with the program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from fmugen.assembly import assembly_modes
from fmugen.evaluation import Evaluation
from fmugen.ir.assembly_modes import AssemblyModes
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation
from tests.models.platforms import BASE, LENGTHS, PLATE, six_sps
from tests.support import example

Array = NDArray[np.float64]


def listed(model: SystemModel, trees: str = "aac") -> tuple[Compilation, AssemblyModes]:
    made = Compilation(model, ExportOptions(trees))
    return made, assembly_modes(made.model, made.dae, made.flow)


def values(made: Compilation, modes: AssemblyModes, names: list[str]) -> Array:
    """Quantities of all modes, by mode."""
    dae = made.dae
    evaluate = Evaluation.at_defaults(made.model, dae).function(
        [dae.quantities[name] for name in names], dae.known_at_start
    )
    return np.array([evaluate(mode.positions) for mode in modes.modes])


def without_steps(flow: SolutionFlow) -> SolutionFlow:
    return replace(flow, blocks=tuple(replace(block, steps=()) for block in flow.blocks))


def contains(rows: Array, others: Array) -> bool:
    away = np.abs(rows[:, None] - others[None]).max(axis=2)
    return len(others) > 1 and bool((away.min(axis=0) < 1e-6).all())


def test_four_bar_and_its_mirror_image() -> None:
    """The upper joint is mirrored at the line from the crank's end to the rocker's pin."""
    made, modes = listed(example("four_bar"))
    assert modes.is_complete and len(modes.modes) == 2
    crank, rocker = values(made, modes, ["m1.angle", "m3.angle"]).T
    assert np.allclose(crank, crank[0])
    end = np.array([np.cos(crank[0]), np.sin(crank[0])])
    away = np.array([2.0, 0.0]) - end
    across = np.arctan2(away[1], away[0])
    turned = np.angle(np.exp(1j * (rocker - across)))
    assert abs(abs(turned[0]) - abs(turned[1])) < 1e-9 or abs(sum(turned)) < 1e-9
    assert abs(turned[0] - turned[1]) > 1.0


@pytest.mark.parametrize("name", ["stephenson_iii", "spatial_four_bar", "quick_return"])
def test_exact_steps_and_continuation_agree(name: str) -> None:
    made, exact = listed(example(name))
    followed = assembly_modes(made.model, made.dae, without_steps(made.flow))
    assert exact.is_complete and followed.is_complete
    assert "exact steps" in exact.how[0] and "continuation" in followed.how[0]
    distances = ([mode.distance for mode in each.modes] for each in (exact, followed))
    assert np.allclose(*distances, atol=1e-6)
    assert [mode.variants for mode in exact.modes] == [mode.variants for mode in followed.modes]


def test_links_turned_about_their_own_line_are_variants() -> None:
    """The two configurations differ in the place of a joint, their variants do not."""
    made, modes = listed(example("spatial_four_bar"))
    assert [mode.variants for mode in modes.modes] == [1, 1]
    assert len(made.dae.coordinates) == 4


def test_steps_that_hold_in_one_mode_lose_no_configuration() -> None:
    """Two squares, moved by equal angles: where the first is folded, the second lies flat."""
    made, modes = listed(example("n_four_bar"))
    assert any("equal angles" in block.method for block in made.flow.blocks)
    assert modes.is_complete and len(modes.modes) == 3


def test_folded_configurations_are_singular() -> None:
    """Where both middle joints of the cell of Peaucellier coincide, two bars turn freely about them."""
    made, modes = listed(example("peaucellier_lipkin"))
    first, second = values(made, modes, ["m1.angle", "m2.angle"]).T
    folded = np.isclose(np.cos(first - second), 1.0)
    assert 0 < folded.sum() < len(folded)
    assert [mode.singular for mode in modes.modes] == folded.tolist()


def test_manipulator_with_its_motors_fixed() -> None:
    """Three knees at given places: all platforms whose corners have the lengths of the thighs from them."""
    made, modes = listed(example("three_rrr"))
    assert modes.is_complete
    found = values(made, modes, ["m7.x", "m7.y", "m7.angle"])
    thigh, shank, side = 0.6, 0.4, 0.4
    feet = np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    corners = side * np.array([[-0.5, -0.5 / np.sqrt(3)], [0.5, -0.5 / np.sqrt(3)], [0, 1 / np.sqrt(3)]])
    motors = values(made, modes, ["m1.angle", "m3.angle", "m5.angle"])
    assert np.allclose(np.cos(motors - motors[0]), 1.0)
    knees = feet + shank * np.stack([np.cos(motors[0]), np.sin(motors[0])], axis=1)

    def missed(pose: Array) -> Array:
        c, s = np.cos(pose[2]), np.sin(pose[2])
        places = pose[:2] + corners @ np.array([[c, s], [-s, c]])
        return np.asarray(np.sum((places - knees) ** 2, axis=1) - thigh**2)

    searched = _searched(missed, np.array([0.8, 0.8, 3.2]), 40)
    described = [np.column_stack([p[:, :2], np.cos(p[:, 2]), np.sin(p[:, 2])]) for p in (found, searched)]
    assert contains(*described)
    assert max(np.abs(missed(pose)).max() for pose in found) < 1e-9


@pytest.mark.slow
def test_general_platform_has_forty_configurations() -> None:
    """The real ones of the forty are those that a search from random poses finds."""
    made, modes = listed(six_sps())
    assert modes.is_complete
    assert "40 complex configurations" in modes.how[0]
    kinds = ["x", "y", "z", *(f"r{i}{j}" for i in "xyz" for j in "xyz")]
    found = values(made, modes, [f"plate.{kind}" for kind in kinds])
    base, plate = np.array(BASE), np.array(PLATE)

    def missed(pose: Array) -> Array:
        places = pose[:3] + plate @ Rotation.from_rotvec(pose[3:]).as_matrix().T
        return np.asarray(np.sum((places - base) ** 2, axis=1) - np.array(LENGTHS) ** 2)

    searched = _searched(missed, np.array([1.0, 1.0, 1.5, 3.0, 3.0, 3.0]), 60)
    turns = Rotation.from_rotvec(searched[:, 3:]).as_matrix().reshape(-1, 9)
    assert contains(found, np.column_stack([searched[:, :3], turns]))
    turned = [Rotation.from_matrix(row[3:].reshape(3, 3)).as_rotvec() for row in found]
    open_by = [missed(np.hstack([row[:3], turn])) for row, turn in zip(found, turned, strict=True)]
    assert np.abs(open_by).max() < 1e-9
    assert len(found) > 2


def _searched(missed: object, widths: Array, starts: int) -> Array:
    """Zeros by least squares from random starts."""
    random = np.random.default_rng(5)
    found = []
    for _ in range(starts):
        start = widths * random.uniform(-1.0, 1.0, len(widths))
        solved = least_squares(missed, start, xtol=1e-15, ftol=1e-15, gtol=1e-15)  # type: ignore[call-overload]
        if np.abs(solved.fun).max() < 1e-12:
            found.append(solved.x)
    return np.array(found)


def test_lists_do_not_change_from_run_to_run() -> None:
    model = example("stephenson_iii")
    made, first = listed(model)
    again = assembly_modes(made.model, made.dae, made.flow)
    assert first == again


def test_constraints_that_are_not_smooth_leave_the_start_alone() -> None:
    made, modes = listed(example("bicycle"))
    assert len(modes.modes) == 1 and modes.modes[0].positions == made.flow.positions
    assert modes.doubts == ("a loop constraint is not a smooth function: only the start is listed",)
