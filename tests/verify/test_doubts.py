"""Whether a deviation tells of the FMU or of the reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fmugen.errors import TimeLimitError, VerificationError
from fmugen.ir.options import ExportOptions, InterfaceType
from fmugen.phases.read import parse_model
from fmugen.verify.compare import verify_fmu
from fmugen.verify.deadline import check_time, limited_time, start_clock
from fmugen.verify.doubts import with_doubt
from fmugen.verify.reference import Reference, solve_reference
from fmugen.verify.verdict import Verification, deviation, deviation_problems
from tests.models.named_mechanisms import scissor_lift
from tests.store import exported
from tests.verify import models

FOUR_BAR = """
[model]
name = "FourBar"
[experiment]
stop = 0.2
step = 0.01
[ground]
points = {{ A = [0, 0], D = [3, 0] }}
[bodies]
crank = {{ mass = 1, inertia = 0.1, points = {{ A = [-0.5, 0], B = [0.5, 0] }} }}
coupler = {{ mass = 1, inertia = 0.1, points = {{ B = [-1.5, 0], C = [1.5, 0] }} }}
rocker = {{ mass = 1, inertia = 0.1, points = {{ D = [-1, 0], C = [1, 0] }} }}
[joints]
a = {{ type = "revolute", from = "ground.A", to = "crank.A" }}
b = {{ type = "revolute", from = "crank.B", to = "coupler.B" }}
c = {{ type = "revolute", from = "coupler.C", to = "rocker.C" }}
d = {{ type = "revolute", from = "ground.D", to = "rocker.D" }}
[start.fixed]
"a.angle" = {crank}
"a.omega" = 1.0
[start.guess]
"d.angle" = "{rocker}"
"""


def test_another_assembly_mode_is_a_note() -> None:
    up = parse_model(FOUR_BAR.format(crank=1.0, rocker="1.3"), "up")
    down = parse_model(FOUR_BAR.format(crank=1.0, rocker="-1.3"), "down")
    turned = parse_model(FOUR_BAR.format(crank=1.1, rocker="1.3"), "turned")
    options = ExportOptions("aac", interfaces=(InterfaceType.CO_SIMULATION,))
    fmu = exported(up, options).path
    assert verify_fmu(up, fmu, loose=()).passed
    other = verify_fmu(down, fmu, loose=())
    assert other.passed
    assert other.other_mode
    assert any("assembly mode" in note for note in other.notes)
    # An FMU that misses a fixed start value is wrong, whatever its loops are.
    missed = verify_fmu(turned, fmu, loose=())
    assert missed.doubt is None
    assert missed.sentence.startswith("FAILED: the FMU is wrong")


# --- the reference ---------------------------------------------------------------------------------


TIMES = np.linspace(0.0, 0.5, 26)


@pytest.fixture(scope="module")
def reference() -> Reference:
    return solve_reference(models.pendulum(), TIMES)


def judged(reference: Reference, off: float, tolerance: float = 1e-6) -> Verification:
    """An FMU that is off by so much in one angle from the middle on."""
    (body,) = reference.bodies
    names = [f"{body}.{kind}" for kind in ("x", "y", "angle", "vx", "vy", "omega")]
    values = {name: column.copy() for name, column in zip(names, reference.bodies[body].T, strict=True)}
    values[f"{body}.angle"][13:] += off
    units = ("m", "m", "rad")
    bodies = tuple(
        deviation(name, unit, values[name], reference.quantities[name])
        for name, unit in zip(names, units, strict=False)
    )
    problems = tuple(deviation_problems(bodies, TIMES, tolerance))
    return Verification("M", TIMES, tolerance, (), (), (), problems, 1e-12, bodies=bodies)


def shifted(reference: Reference, by: float) -> dict[str, np.ndarray]:
    return {name: column + by for name, column in reference.values.items()}


def test_a_smaller_error_of_the_reference_leaves_the_fault_to_the_fmu(reference: Reference) -> None:
    made = judged(reference, 1e-3)
    found = with_doubt(made, lambda: shifted(reference, 1e-9), reference)
    assert found.doubt is None
    assert found.reference_error is not None
    assert 1e-10 < found.reference_error < 1e-6
    assert found.sentence.startswith("FAILED: the FMU is wrong")


def test_a_larger_error_of_the_reference_is_a_doubt(reference: Reference) -> None:
    made = judged(reference, 2e-5)
    found = with_doubt(made, lambda: shifted(reference, 1e-5), reference)
    assert found.doubt is not None
    assert "its own error is" in found.sentence
    # An FMU that is off by a thousand times that error is wrong all the same.
    far = judged(reference, 1e-1)
    assert with_doubt(far, lambda: shifted(reference, 2e-6), reference).doubt is None


def test_other_problems_are_those_of_the_fmu(reference: Reference) -> None:
    made = judged(reference, 2e-5)
    open_loop = replace(made, problems=(*made.problems, "a loop is open"))
    found = with_doubt(open_loop, lambda: shifted(reference, 1e-5), reference)
    assert found.doubt is None


def test_a_run_that_passes_needs_no_second_reference(reference: Reference) -> None:
    made = judged(reference, 0.0)

    def again() -> dict[str, np.ndarray]:
        raise AssertionError

    assert with_doubt(made, again, reference) is made


def test_a_reference_that_jumps_could_not_follow(reference: Reference) -> None:
    (body,) = reference.bodies
    table = reference.bodies[body].copy()
    table[13:, 2] += np.pi
    jumping = replace(reference, bodies={body: table})
    made = judged(reference, np.pi)
    found = with_doubt(made, lambda: reference.values, jumping)
    assert found.doubt is not None
    assert f"{body} jumps in it between t = 0.24 s and 0.26 s" in found.sentence


def test_a_deviation_in_singular_positions_alone_is_a_doubt() -> None:
    """All bars of a scissor lift are upright at one sample, and the table may turn there."""
    model = scissor_lift(1, drive="pi/2 - 0.05 + time", stop=0.1)
    found = solve_reference(model, np.linspace(0.0, 0.1, 11))
    angle = found.quantities["table.angle"]

    def off(samples: slice) -> Verification:
        told = angle.copy()
        told[samples] += 1e-4
        bodies = (deviation("table.angle", "rad", told, angle),)
        problems = tuple(deviation_problems(bodies, found.times, 1e-6))
        made = Verification("M", found.times, 1e-6, (), (), (), problems, 1e-12, bodies=bodies)
        return with_doubt(made, lambda: found.values, found)

    assert "in a singular position at t = 0.05 s" in off(slice(5, 6)).sentence
    assert off(slice(5, 7)).sentence.startswith("FAILED: the FMU is wrong")


def test_a_second_reference_that_fails_tells_nothing(reference: Reference) -> None:
    made = judged(reference, 1e-3)

    def fails() -> dict[str, np.ndarray]:
        raise VerificationError("singular")

    found = with_doubt(made, fails, reference)
    assert found.reference_error is None
    assert found.doubt is None


def test_the_time_limit_ends_with_its_scope() -> None:
    with limited_time():
        start_clock(1e-9)
        with pytest.raises(TimeLimitError, match="did not end within 1e-09 s"):
            solve_reference(models.pendulum(), TIMES)
    check_time()
