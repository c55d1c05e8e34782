"""Running and judging FMUs, with Python slaves as FMUs that are right, wrong, failing and hanging."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from pythonfmu.builder import FmuBuilder

from fmugen.errors import RefusedError, SimulationError
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import communication_points, simulate_fmu
from fmugen.view.plots import plot_svg, plot_verification
from tests.verify import models

SCRIPT = Path(__file__).with_name("pendulum_slave.py")

Make = Callable[..., Path]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    def build(gravity: float = 9.81, mishap: str = "none") -> Path:
        folder = tmp_path_factory.mktemp("slave")
        text = SCRIPT.read_text(encoding="utf-8")
        text = text.replace("GRAVITY = 9.81", f"GRAVITY = {gravity!r}")
        text = text.replace('MISHAP = "none"', f'MISHAP = "{mishap}"')
        script = folder / "pendulum_slave.py"
        script.write_text(text, encoding="utf-8")
        return Path(FmuBuilder.build_FMU(script, dest=folder))

    return build


@pytest.fixture(scope="module")
def right(make: Make) -> Path:
    return make()


def test_communication_points_end_at_the_stop_time() -> None:
    np.testing.assert_array_equal(communication_points(0.3, 0.1), [0.0, 0.1, 0.2, 0.3])
    np.testing.assert_allclose(communication_points(0.25, 0.1), [0.0, 0.1, 0.2, 0.25])
    assert len(communication_points(0.03, 0.0003)) == 101


def test_a_right_fmu_passes_and_is_drawn(right: Path, tmp_path: Path) -> None:
    verification = verify_fmu(models.pendulum(), right)
    assert verification.problems == ()
    assert verification.passed
    assert verification.largest < 1e-8
    assert verification.violation < 1e-12
    assert verification.energy.largest < 1e-6
    assert [run.tolerance for run in verification.looseness] == [1e-8, 1e-4, 1e-6, 1e-8]
    assert {deviation.name for deviation in verification.outputs} == {"angle", "omega", "x", "fx", "fy"}

    page = plot_verification(verification, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Plotly.newPlot" in page
    assert "https://cdn" not in page.split("Plotly.newPlot")[-1]
    drawing = etree.parse(plot_svg(verification, tmp_path / "plot.svg")).getroot()
    curves = drawing.findall("{http://www.w3.org/2000/svg}path[@stroke-linejoin]")
    assert len(curves) == 2 * len(verification.outputs)


def test_parameters_reach_both_sides(right: Path) -> None:
    assert verify_fmu(models.pendulum(), right, stop=0.5, parameters={"l": 1.1, "g": 1.62}).passed


def test_open_freedoms_are_taken_from_the_fmu(right: Path) -> None:
    assert verify_fmu(models.pendulum(starts=()), right, stop=0.5).passed


def test_a_different_start_is_found(right: Path) -> None:
    verification = verify_fmu(models.pendulum(angle=1.001), right, stop=0.5)
    assert not verification.passed


def test_a_slightly_wrong_fmu_fails_with_sentences(make: Make) -> None:
    verification = verify_fmu(models.pendulum(), make(gravity=9.8101))
    assert not verification.passed
    assert any(problem.startswith("angle deviates by") for problem in verification.problems)
    assert any("energy is out of balance" in problem for problem in verification.problems) == (
        verification.energy.largest > 10 * verification.tolerance
    )


def test_an_fmu_of_the_wrong_size_violates_the_constraints(right: Path) -> None:
    model = models.pendulum()
    parameters = tuple(p if p.name != "l" else type(p)("l", 0.7001) for p in model.parameters)
    verification = verify_fmu(models.pendulum(parameters=parameters), right, stop=0.2)
    assert any("violate the constraints" in problem for problem in verification.problems)


def test_an_fmu_that_is_exact_at_tight_tolerances_alone_fails(make: Make) -> None:
    verification = verify_fmu(models.pendulum(), make(mishap="careless"))
    assert verification.largest < 1e-8
    assert not verification.passed
    found = {run.tolerance: run.passed for run in verification.looseness}
    assert found[1e-6] is found[1e-8] is False
    assert all("does not shrink with the tolerance" in problem for problem in verification.problems)


def test_errors_of_an_fmu_carry_its_words(make: Make) -> None:
    words = r"stopped after t = 0\.5\d* s: (.|\n)*the pin of the pendulum broke"
    with pytest.raises(RefusedError, match=words):
        simulate_fmu(make(mishap="error"), stop=1.0, step=0.02, outputs=["angle"])


def test_a_hanging_fmu_is_given_up(make: Make) -> None:
    with pytest.raises(SimulationError, match="did not finish within 4 s"):
        simulate_fmu(make(mishap="hang"), stop=1.0, step=0.1, outputs=["angle"], time_limit=4.0)


def test_a_crashing_fmu_is_told(make: Make) -> None:
    with pytest.raises(SimulationError, match=r"crashed \(signal 6\)") as caught:
        simulate_fmu(make(mishap="crash"), stop=1.0, step=0.1, outputs=["angle"])
    assert not isinstance(caught.value, RefusedError)


def test_unknown_variables_and_missing_files_are_told(right: Path, tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="no variable 'nose'"):
        simulate_fmu(right, stop=1.0, step=0.1, outputs=["nose"])
    with pytest.raises(SimulationError, match="there is no FMU"):
        simulate_fmu(tmp_path / "absent.fmu", stop=1.0, step=0.1, outputs=[])
