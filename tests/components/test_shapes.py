"""Shapes of beams: frequencies of exact solutions, and integrals of an independent symbolic integration."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

from fmugen.components.shapes import SUPPORTS, at, derivative, tables
from fmugen.verify.catalogue.beams import shapes_of

DATA = Path(__file__).parents[1] / "data" / "flexible" / "integrals.csv"
#: Roots of the frequency equations of uniform beams: the square roots of the frequencies.
EXACT = {
    "cantilever": (1.875104068711961, 4.694091132974174, 7.854757438237613, 10.995540734875467),
    "chord": tuple(np.pi * k for k in range(1, 5)),
    "pinned": (3.926602312047919, 7.068582745628732, 10.210176122813031, 13.351768777754094),
    "free": (4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464),
}
#: Which rigid motions the supports leave: displacement of the base, and rotation about it.
LEFT = {"cantilever": (), "chord": (), "pinned": (1,), "free": (0, 1)}


@pytest.mark.parametrize("supports", SUPPORTS)
def test_four_modes_have_the_four_lowest_frequencies(supports: str) -> None:
    """With the rigid motions that a joint would leave: the frame of the beam is not a mode."""
    found = tables(supports, "ritz", 4)
    rigid = np.array([[1.0, 0.5], [0.5, 1.0 / 3.0]])
    coupling = np.array([found.c1, found.c2], dtype=float)
    mass = np.block([[rigid, coupling], [coupling.T, np.array(found.mass, dtype=float)]])
    stiffness = np.zeros((6, 6))
    stiffness[2:, 2:] = np.array(found.stiffness, dtype=float)
    kept = [*LEFT[supports], 2, 3, 4, 5]
    squares = eigh(stiffness[np.ix_(kept, kept)], mass[np.ix_(kept, kept)], eigvals_only=True)
    np.testing.assert_allclose(np.sqrt(squares[-4:]), np.array(EXACT[supports]) ** 2, rtol=2e-4)


@pytest.mark.parametrize(("kind", "supports"), [("clamped", "cantilever"), ("pinned", "chord")])
def test_integrals_of_chebyshev_shapes(kind: str, supports: str) -> None:
    found = tables(supports, "chebyshev", 4)
    slopes = [derivative(shape) for shape in found.shapes]
    ours = {"M": found.mass, "K": found.stiffness, "Ga": found.pull, "Gw": found.spin}
    ours["H1"] = tuple(tuple(at(entry, Fraction(1)) for entry in row) for row in found.shortening())
    lists = {"c1": found.c1, "c2": found.c2}
    lists["p1"] = tuple(at(shape, Fraction(1)) for shape in found.shapes)
    lists["d1"] = tuple(at(slope, Fraction(1)) for slope in slopes)
    count = 0
    for row in csv.reader(
        line for line in DATA.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ):
        if row[:2] == [kind, "chebyshev"]:
            i, exact = int(row[3]), Fraction(row[5])
            mine = ours[row[2]][i][int(row[4])] if row[4] else lists[row[2]][i]
            assert mine == exact
            count += 1
    assert count == 66


@pytest.mark.parametrize("basis", ["ritz", "taylor"])
@pytest.mark.parametrize("supports", SUPPORTS)
def test_the_judge_finds_the_same_shapes(supports: str, basis: str) -> None:
    ours, others = tables(supports, basis, 3), shapes_of(supports, basis, 3)
    for place in (Fraction(0), Fraction(1, 3), Fraction(1)):
        values = others.at(float(place))
        shapes = [float(at(shape, place)) for shape in ours.shapes]
        shortening = [[float(at(entry, place)) for entry in row] for row in ours.shortening()]
        np.testing.assert_allclose(values.deflection, shapes, atol=1e-9)
        np.testing.assert_allclose(values.shortening, shortening, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(others.bending, np.array(ours.stiffness, dtype=float), rtol=1e-8, atol=1e-6)
