"""The mechanisms of the benchmark, and what is to be reached on them."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fmugen.ir.model import SystemModel
from fmugen.phases.read import parse_model, read_model

__all__ = ["CASES", "SCALED", "Case", "n_four_bar"]

_EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
#: How many times faster than the fastest peer, and than equations by sympy, right-hand sides are to be.
_SMALL = {"peers": 8.0, "sympy Kane + CSE + KKT": 1.5}


@dataclass(frozen=True)
class Case:
    """A mechanism by the name of an example, or an N-four-bar of ``windows`` windows."""

    name: str
    windows: int = 0
    trees: str = "cheapest"
    goals: Mapping[str, float] = field(default_factory=dict)

    def model(self) -> SystemModel:
        if self.windows:
            return n_four_bar(self.windows)
        return read_model(_EXAMPLES / self.name / "model.toml")


def n_four_bar(windows: int) -> SystemModel:
    """The N-four-bar, from its generator."""
    generator = runpy.run_path(str(_EXAMPLES / "n_four_bar" / "generate.py"), run_name="generate")
    return parse_model(generator["model_file"](windows), f"n_four_bar {windows}")


#: Windows of the N-four-bars; the trees of the larger ones are chosen without measuring.
_WINDOWS = (1, 2, 5, 10, 20, 40)
SCALED = tuple(
    Case(f"n_four_bar_{windows}", windows, "aac", {"peers": 1.0, "sympy Kane + CSE + KKT": 1.0})
    for windows in _WINDOWS
)

CASES = (
    Case("four_bar", goals=_SMALL),
    Case("slider_crank", goals=_SMALL),
    Case("three_rrr", goals=_SMALL),
    Case("andrews", goals=_SMALL),
    Case("stewart_gough", goals={"peers": 4.0}),
    Case("bricard"),
    *SCALED,
)
