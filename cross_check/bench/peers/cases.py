"""The mechanisms of the benchmark, and what is to be reached on them."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel
from fmugen.phases.read import parse_model, read_model

__all__ = ["CASES", "ROBOTS", "SCALED", "Case", "n_four_bar", "robot"]

_EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
#: How many times faster than the fastest peer, and than equations by sympy, right-hand sides and motions at
#: equal error are to be: of closed loops, and of open chains.
_LOOPS = {"peers": (10.0, 8.0), "sympy Kane + CSE + KKT": (1.5, 1.5)}
_CHAINS = {"peers": (2.0, 2.0)}


@dataclass(frozen=True)
class Case:
    """A mechanism by the name of an example, an N-four-bar of ``windows``, or a robot of ``joints``."""

    name: str
    windows: int = 0
    joints: int = 0
    trees: str = "cheapest"
    goals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def model(self) -> SystemModel:
        if self.windows:
            return n_four_bar(self.windows)
        if self.joints:
            return robot(self.joints)
        return read_model(_EXAMPLES / self.name / "model.toml")


def n_four_bar(windows: int) -> SystemModel:
    """The N-four-bar, from its generator."""
    generator = runpy.run_path(str(_EXAMPLES / "n_four_bar" / "generate.py"), run_name="generate")
    return parse_model(generator["model_file"](windows), f"n_four_bar {windows}")


def robot(joints: int) -> SystemModel:
    """A serial robot: revolute joints about z, y, y, x, y, x and so on."""
    axes = [[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]]
    builder = ModelBuilder(f"Robot{joints}", space="spatial", gravity=[0, 0, -9.81])
    tail = "ground"
    for k in range(joints):
        link, length = f"link{k + 1}", 0.4 if k % 2 else 0.3
        builder.body(
            link,
            mass=4.0 - 0.4 * (k % 6),
            inertia=[0.02 + 0.003 * (k % 5), 0.03, 0.01 + 0.002 * (k % 3)],
            center=[0.01, 0.02, length / 2],
            points={"tip": [0, 0, length]},
        )
        builder.revolute(f"joint{k + 1}", tail, link, axis=axes[k % len(axes)])
        builder.start(f"joint{k + 1}.angle", 0.1 + 0.05 * (k % 4))
        tail = f"{link}.tip"
    return builder.build()


#: Windows of the N-four-bars; the trees of the larger ones are chosen without measuring.
_WINDOWS = (1, 2, 5, 10, 20, 40)
SCALED = tuple(Case(f"n_four_bar_{windows}", windows, trees="aac", goals=_LOOPS) for windows in _WINDOWS)

#: Open chains: joint coordinates, which no search is needed for.
ROBOTS = tuple(
    Case(f"robot_{joints}", joints=joints, trees="jc", goals=_CHAINS) for joints in (6, 12, 24, 50)
)

CASES = (
    Case("four_bar", goals=_LOOPS),
    Case("slider_crank", goals=_LOOPS),
    Case("three_rrr", goals=_LOOPS),
    Case("andrews", goals=_LOOPS),
    Case("stewart_gough", goals=_LOOPS),
    Case("bricard", goals=_LOOPS),
    *SCALED,
    *ROBOTS,
)
