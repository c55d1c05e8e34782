"""The judge's geometrically exact beams, against converged solutions, closed forms and beams of shapes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fmugen.errors import VerificationError
from fmugen.phases.read import parse_model
from fmugen.verify.accuracy import STIFF
from fmugen.verify.catalogue import Observation
from fmugen.verify.catalogue.exact_beams import with_exact_beams
from fmugen.verify.exact import exact_motion
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.reference import Reference, solve_reference
from tests.support import example

DATA = Path(__file__).parents[1] / "data" / "flexible"


def converged(name: str) -> np.ndarray:
    found: np.ndarray = np.genfromtxt(DATA / f"{name}.csv", delimiter=",", names=True, skip_header=1)
    return found


def exact(name: str, elements: int, times: np.ndarray, rigidity: float = 1.0) -> Reference:
    model = with_exact_beams(example(name), elements, rigidity)
    return solve_reference(model, times, accuracy=STIFF)


def test_a_spinning_beam_of_four_elements() -> None:
    known = converged("spinup_krb")
    times = np.linspace(0.0, 9.0, 46)
    found = exact("spin_up_beam", 4, times)
    deviation = found.outputs["deflection"] - np.interp(times, known["time"], known["deflection"])
    assert np.abs(deviation).max() < 3e-3 * np.abs(known["deflection"]).max()
    along = found.outputs["x"] * np.cos(found.outputs["angle"]) + found.outputs["y"] * np.sin(
        found.outputs["angle"]
    )
    extension = np.interp(times, known["time"], known["extension"])
    assert np.abs(along - 8.0 - extension).max() < 1e-2 * np.abs(extension).max()


def test_a_rod_of_a_slider_crank() -> None:
    """The first quarter of the turns; the rod stretches a hundredth of what steel would."""
    known = converged("slidercrank_d6_inextensible")
    times = known["time"][known["time"] < 0.0168][::2]
    found = exact("flexible_slider_crank", 4, times, rigidity=100.0)
    # The base of the example's rod is at the slider.
    deviation = -found.outputs["middle"] - np.interp(times, known["time"], known["mid_deflection"])
    assert np.abs(deviation).max() < 5e-3 * np.abs(found.outputs["middle"]).max()


#: A rod in space.
ROD = """
[model]
name = "Rod"
space = "spatial"
[bodies.rod]
type = "beam"
length = 1
density = 1000
modulus = 1e9
diameter = 0.1
points = { middle = [0.5, 0, 0], tip = [1, 0, 0] }
[joints.clamp]
type = "weld"
from = "ground"
to = "rod"
"""


def test_a_beam_that_is_bent_to_a_part_of_a_circle_is_in_equilibrium() -> None:
    """With a torque at its tip, in a plane between y and z."""
    mechanism = Mechanism(with_exact_beams(parse_model(ROD, "rod.toml"), 4))
    angle, across = 1.2, {"y": 0.6, "z": 0.8}
    names = list(mechanism.layout.own_coordinates("rod"))
    places = {}
    for name in names:
        node, axis, slope = int(name[1]), name[2], name.endswith("s")
        turned = angle * node / 4
        if axis == "x":
            places[name] = (np.cos(turned) - 1) / 4 if slope else np.sin(turned) / angle - node / 4
        else:
            bent = np.sin(turned) / 4 if slope else (1 - np.cos(turned)) / angle
            places[name] = across[axis] * bent
    (parts,) = (each.parts for each in mechanism.elements if each.name == "rod")
    law = parts.actions[0]
    posture = mechanism.chart.posture(np.tile(np.eye(7)[3], mechanism.chart.count // 7))
    action = law.act(Observation(posture, [places[name] for name in names], [0.0] * len(names), {}, []))
    rigidity = 1e9 * np.pi * 0.1**4 / 64
    assert action.potential == pytest.approx(rigidity * angle**2 / 2, rel=1e-3)
    efforts = dict(zip(names, action.efforts, strict=True))
    torque = rigidity * angle
    # Work of the torque at the last node, whose slope turns; forces of all other coordinates vanish.
    tip = {"x": -np.sin(angle), "y": 0.6 * np.cos(angle), "z": 0.8 * np.cos(angle)}
    for name, effort in efforts.items():
        expected = -torque * 4 * tip[name[2]] if name.startswith("n4") and name.endswith("s") else 0.0
        assert effort == pytest.approx(expected, abs=2e-2 * 4 * torque)


def test_elements_are_added_until_the_motion_no_longer_changes() -> None:
    found = exact_motion(example("gravity_cantilever"), np.linspace(0.0, 0.03, 4), tolerance=2e-2)
    assert found.elements >= 4
    assert max(found.change.values()) < 2e-2
    with pytest.raises(VerificationError, match=r"still change .* with 4 elements"):
        exact_motion(example("gravity_cantilever"), np.linspace(0.0, 0.03, 4), tolerance=1e-9, most=4)


def test_models_that_exact_beams_cannot_represent_get_a_sentence() -> None:
    times = np.zeros(1)
    with pytest.raises(VerificationError, match="FourBar has no beams"):
        exact_motion(example("four_bar"), times)
    oval = ROD.replace("diameter = 0.1", "width = 0.02\nheight = 0.01")
    with pytest.raises(VerificationError, match="bend equally in both planes"):
        exact_motion(parse_model(oval, "oval.toml"), times)
    bent = f"{ROD}[start.fixed]\n'rod.qy1' = 0.1\n"
    with pytest.raises(VerificationError, match=r"start straight, but rod\.qy1"):
        exact_motion(parse_model(bent, "bent.toml"), times)
