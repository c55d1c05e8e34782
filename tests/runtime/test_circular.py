"""Sine and cosine of the runtime against many digits."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import pytest
from mpmath import mp, mpf

from .conftest import RUNTIME, STRICT, compiler

PROGRAM = """
#include <stdio.h>
#include <string.h>

#include "circular.h"

int main(void)
{
    double x;
    while (scanf("%la", &x) == 1) {
        const double apart[2] = {sine_of(x), cosine_of(x)};
        double both[2];
        circle_of(x, &both[0], &both[1]);
        if (memcmp(apart, both, sizeof both) != 0) {
            return 1; /* both at once are the same bits */
        }
        printf("%a %a\\n", apart[0], apart[1]);
    }
    return 0;
}
"""


def arguments() -> list[float]:
    """Angles of all sizes, and those that are nearest to whole quarter turns, where digits cancel."""
    golden = (math.sqrt(5) - 1) / 2
    spread = [20.0 * (k * golden % 1.0) - 10.0 for k in range(3000)]
    sizes = [10.0 ** (8.0 * (k * golden % 1.0) - 2.0) for k in range(1000)]
    quarters = [*range(1, 500), *range(1000, 636_000, 997)]
    near = [math.pi / 2 * k for k in quarters]
    near += [math.nextafter(x, way) for x in near[:500] for way in (0.0, math.inf)]
    small = [0.0, 5e-324, 1e-300, 1e-10, 1e-5, math.pi / 4, math.nextafter(math.pi / 4, 1.0)]
    large = [1e6, math.nextafter(1e6, 2e6), 1.2345e9, 1e22, 1e300]
    positive = [*spread, *sizes, *near, *small, *large]
    return positive + [-x for x in positive]


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("circular")
    (folder / "main.c").write_text(PROGRAM)
    command = [compiler(), *STRICT, "-ffp-contract=off", f"-I{RUNTIME}", str(folder / "main.c")]
    subprocess.run([*command, "-lm", "-o", str(folder / "main")], check=True, timeout=60)
    return folder / "main"


def answers(program: Path, values: list[float]) -> list[tuple[float, float]]:
    text = "\n".join(x.hex() for x in values)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True, timeout=60)
    return [(float.fromhex(a), float.fromhex(b)) for a, b in map(str.split, done.stdout.splitlines())]


def test_less_than_one_unit_in_the_last_place_is_wrong(evaluate: Path) -> None:
    values = arguments()
    worst, where = 0.0, 0.0
    for x, found in zip(values, answers(evaluate, values), strict=True):
        with mp.workprec(1200 if abs(x) > 1e10 else 200):
            for value, exact in zip(found, (mp.sin(mpf(x)), mp.cos(mpf(x))), strict=True):
                error = float(abs(mpf(value) - exact) / math.ulp(float(exact)))
                if error > worst:
                    worst, where = error, x
    assert worst < 0.85, where.hex()


def test_zero_has_exact_values(evaluate: Path) -> None:
    assert answers(evaluate, [0.0, -0.0]) == [(0.0, 1.0), (0.0, 1.0)]


def test_what_is_no_angle_gives_no_number(evaluate: Path) -> None:
    for found in answers(evaluate, [math.inf, -math.inf, math.nan]):
        assert all(map(math.isnan, found))
