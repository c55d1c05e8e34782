"""The sets of independent coordinates that structure suggests."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from fmugen.ir.options import ExportOptions
from fmugen.phases.triangularize.other_sets import other_sets
from fmugen.phases.triangularize.partition import Pivots, attitudes_of
from fmugen.phases.triangularize.sets import IndependentSet
from fmugen.pipeline import Compilation

corpus: Any = importlib.import_module("closures.corpus")
MECHANISMS = {mechanism.name: mechanism for mechanism in corpus.CORPUS}


@pytest.mark.parametrize(
    ("name", "chain"),
    [
        ("Platform6UPS", {"j1.angle1", "j1.angle2", "j2.s"}),
        ("Platform6RUS", {"j1.angle", "j2.angle1", "j2.angle2"}),
    ],
)
def test_the_pose_of_a_platform_on_a_leg_is_a_set(name: str, chain: set[str]) -> None:
    """The leg gives the position, the platform has an attitude of its own: all other legs are alone."""
    dae = Compilation(MECHANISMS[name].model(), ExportOptions("aac")).formulated
    rows = tuple(range(len(dae.constraints)))
    pivots, count = Pivots(rows, attitudes_of(dae, rows)), len(dae.coordinates)
    any_set = IndependentSet(list(range(count - 6, count)), list(range(count - 6)), 1.0, ())
    names = [{dae.coordinates[k].name for k in chosen} for chosen, _ in other_sets(dae, pivots, any_set)]
    assert chain | {f"platform.p{k}" for k in range(3)} in names
