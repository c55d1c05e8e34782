"""Places of nodes: distances near the ways through the graph."""

from __future__ import annotations

import math

import pytest

from fmugen.view.layout import places_by_distance


def test_a_square_is_drawn_as_one() -> None:
    places = places_by_distance("abcd", {("a", "b"): 1.0, ("b", "c"): 1.0, ("c", "d"): 1.0, ("a", "d"): 1.0})
    sides = [math.dist(places[i], places[j]) for i, j in ("ab", "bc", "cd", "da")]
    diagonals = [math.dist(places[i], places[j]) for i, j in ("ac", "bd")]
    assert sides == pytest.approx([sides[0]] * 4, rel=1e-6)
    assert diagonals == pytest.approx([math.sqrt(2.0) * sides[0]] * 2, rel=1e-6)


@pytest.mark.parametrize("nodes", ["", "a", "ab", "abc"])
def test_graphs_of_several_parts_have_places(nodes: str) -> None:
    places = places_by_distance(nodes, {("a", "b"): 2.0} if len(nodes) > 1 else {})
    assert list(places) == list(nodes)
    assert len(set(places.values())) == len(nodes)
    assert all(math.isfinite(value) for place in places.values() for value in place)
