"""Helpers of exact steps: roots, and where they refuse."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import pytest

from .conftest import RUNTIME, STRICT, compiler

PROGRAM = """
#include <stdio.h>

#include "exact.h"

int main(void)
{
    double a, b, c, x;
    while (scanf("%la %la %la %la", &a, &b, &c, &x) == 4) {
        const bool regular = exact_regular(a, b, c);
        double square = x;
        const bool pure = exact_square(-c / a, fabs(c / a), &square), full = exact_quadratic(a, b, c, &x);
        double small = x;
        const bool sharp = exact_square(-c / a, b, &small);
        printf("%d %a %d %a %d %d\\n", pure, square, full, x, regular, sharp);
    }
    return 0;
}
"""

Answer = list[float]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exact")
    (folder / "main.c").write_text(PROGRAM)
    command = [compiler(), *STRICT, f"-I{RUNTIME}", str(folder / "main.c")]
    subprocess.run([*command, "-lm", "-o", str(folder / "main")], check=True, timeout=60)
    return folder / "main"


def answers(program: Path, *equations: tuple[float, float, float, float]) -> list[Answer]:
    """For each a x^2 + b x + c = 0 with a prediction, what all helpers say."""
    text = "\n".join(" ".join(float(value).hex() for value in equation) for equation in equations)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True, timeout=60)
    return [[float.fromhex(word) for word in line.split()] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("side", [0.4, -3.0])
def test_a_square_has_the_root_on_the_side_of_the_prediction(program: Path, side: float) -> None:
    ((pure, square, full, x, *_),) = answers(program, (2.0, 0.0, -7.0, side))
    assert pure and full
    assert square == math.copysign(math.sqrt(3.5), side)
    assert x == pytest.approx(square, rel=1e-15)


def test_of_two_roots_the_nearer_one_is_taken(program: Path) -> None:
    near, far = answers(program, (1.0, -3.0, 2.0, 0.9), (1.0, -3.0, 2.0, 2.2))
    assert (near[3], far[3]) == pytest.approx((1.0, 2.0), rel=1e-15)


def test_a_square_that_its_terms_nearly_cancel_is_refused(program: Path) -> None:
    """Its root has the rounding of the terms divided by the root, and perhaps the wrong sign."""
    kept, blurred = answers(program, (1.0, 3.0, -1e-3, 0.5), (1.0, 3.0, -1e-5, 0.5))
    assert (kept[5], blurred[5]) == (1, 0)


@pytest.mark.parametrize("square", [-1.0, 0.0, math.nan])
def test_what_is_no_square_is_refused(program: Path, square: float) -> None:
    ((pure, x, full, *_),) = answers(program, (1.0, 0.0, -square, 0.5))
    assert not pure and not full
    assert x == 0.5


def test_a_root_that_is_not_finite_is_refused(program: Path) -> None:
    ((pure, *_rest),) = answers(program, (1.0, 0.0, -math.inf, 0.5))
    assert not pure


def test_a_quotient_is_refused_where_its_denominator_cancels(program: Path) -> None:
    """Also where the numerator vanishes with it: both are rounding, and so is what they give."""
    kept, small, cancelled, nothing = answers(
        program, (1.0, 0.1, 2.0, 0.0), (1e-9, 1e-9, 1e-9, 0.0), (1e-9, 1e-9, 2.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    )
    assert [found[4] for found in (kept, small, cancelled, nothing)] == [1, 1, 0, 0]
