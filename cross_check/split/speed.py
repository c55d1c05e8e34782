"""A split system on two processors against the whole on one: from which size on does it pay?

    cd cross_check; python -m split.speed [--output FILE.md] [--rounds N] [--method METHOD] [NAME ...]

Wall time of a communication step of 1 ms, one classical Runge-Kutta step in every FMU that has states. All
ways take turns, many times over, and the shortest time of each counts: what else the machine does only adds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin
from pathlib import Path

import numpy as np

from fmugen.builder import ModelBuilder
from fmugen.cosim.export import export_split
from fmugen.cosim.split import split_model
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.ir.split import Members, Method, Partition
from fmugen.master import PartVariable, System, connect, read_ssp
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from split.cosimulation import CoRun, cosimulate

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STEP, STEPS, REPEATS = 1e-3, 10, 200


@dataclass(frozen=True)
class Case:
    """A mechanism, its parts, and a quantity by which split and whole are compared."""

    name: str
    model: SystemModel
    partition: Partition
    shown: str
    trees: str = "aac"


@dataclass(frozen=True)
class Speed:
    """Microseconds of a communication step, and how far the split is from the whole after the run."""

    case: Case
    whole: float
    serial: float
    parallel: float
    exchanged: int
    difference: float


def platform_on_legs(count: int) -> Case:
    """A disc held by planar legs of two links each; it falls from rest."""
    reach, radius, base = 0.5, 0.2, 0.9
    builder = ModelBuilder(f"Legs{count}", gravity=(0, -9.81))
    hips = {}
    for n in range(count):
        angle = 2 * pi * n / count
        builder.ground_point(f"base_{n}", base * cos(angle), base * sin(angle))
        hips[f"hip_{n}"] = (radius * cos(angle), radius * sin(angle))
    builder.body("platform", mass=8.0, inertia=0.16, points=hips)
    half = (base - radius) / 2
    for n in range(count):
        angle = 2 * pi * n / count
        ends = {"near": (-reach / 2, 0), "far": (reach / 2, 0)}
        builder.body(f"shank_{n}", mass=3.0, inertia=0.06, points=ends)
        builder.body(f"thigh_{n}", mass=2.0, inertia=0.04, points=ends)
        builder.revolute(f"ankle_{n}", f"ground.base_{n}", f"shank_{n}.near")
        builder.revolute(f"knee_{n}", f"shank_{n}.far", f"thigh_{n}.near")
        builder.revolute(f"hip_joint_{n}", f"thigh_{n}.far", f"platform.hip_{n}")
        opening = np.arccos(half / reach)
        builder.start(f"ankle_{n}.angle", angle + pi + opening, fixed=False)
        builder.start(f"knee_{n}.angle", -2 * opening, fixed=False)
    for quantity in ("x", "y", "angle", "vx", "vy", "omega"):
        builder.start(f"platform.{quantity}", 0)
    builder.output("height", "platform.y", "m")
    legs = [Members(f"leg_{n}", (f"shank_{n}", f"thigh_{n}")) for n in range(count)]
    model = builder.experiment(stop=STEP * STEPS, step=STEP).build()
    return Case(
        f"planar, {count} legs", model, Partition((Members("platform", ("platform",)), *legs)), "platform.y"
    )


def stewart_gough() -> Case:
    """The example, with a leg or the platform in each part."""
    model = read_model(EXAMPLES / "stewart_gough" / "model.toml")
    legs = [Members(f"leg_{n}", (f"m1_{n}", f"m2_{n}")) for n in range(1, 7)]
    return Case("Gough-Stewart", model, Partition((Members("platform", ("m3",)), *legs)), "m3.z", "cheapest")


def cases() -> dict[str, Case]:
    found = {f"legs_{n}": platform_on_legs(n) for n in (3, 6, 12, 24)}
    return found | {"stewart_gough": stewart_gough()}


def workers_of(system: System) -> list[list[str]]:
    """Two workers with as many legs each, the hub where there are fewer."""
    legs = [part.name for part in system.parts if part.name.startswith("leg")]
    hub = [part.name for part in system.parts if part.name not in legs]
    return [hub + legs[: len(legs) // 2], legs[len(legs) // 2 :]]


def measure(case: Case, method: Method, rounds: int, folder: Path) -> Speed:
    options = ExportOptions(solver=Solver.RK4, trees=case.trees)
    bare = replace(case.model, outputs=case.model.outputs[:1])
    whole_fmu = export_fmu(bare, folder / "whole.fmu", options).path
    whole = connect({"whole": whole_fmu}, [], folder / "whole")
    split = split_model(bare, replace(case.partition, method=method), method)
    package = export_split(split, folder / "split.ssp", options).path
    parted = read_ssp(package, folder / "parted")
    hub = next(part.name for part in parted.parts if case.shown in part.references)
    ways: dict[str, tuple[System, PartVariable, list[list[str]]]] = {
        "whole": (whole, ("whole", case.shown), []),
        "serial": (parted, (hub, case.shown), []),
        "parallel": (parted, (hub, case.shown), workers_of(parted)),
    }
    best = dict.fromkeys(ways, np.inf)
    last: dict[str, CoRun] = {}
    for _ in range(rounds):
        for way, (system, place, workers) in ways.items():
            last[way] = cosimulate(
                system, STEP * STEPS, STEP, [place], folder, workers=workers, repeats=REPEATS
            )
            if last[way].failure:
                raise SystemExit(f"{case.name}, {way}: {last[way].failure}")
            best[way] = min(best[way], *last[way].seconds)
    times = {way: 1e6 * seconds / STEPS for way, seconds in best.items()}
    difference = float(np.abs(last["parallel"].values - last["whole"].values).max())
    return Speed(case, times["whole"], times["serial"], times["parallel"], len(parted.wires), difference)


def page(speeds: Sequence[Speed], method: Method) -> str:
    lines = [
        f"# Split ({method.value}) on two processors, whole on one",
        "",
        f"Microseconds of wall time per communication step of {1e3 * STEP:g} ms (Jacobi), the shortest of "
        f"many; difference of split and whole after {STEPS} steps.",
        "",
        "| mechanism | bodies | whole | split, one process | split, two | whole/two | one/two "
        "| values exchanged | difference |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for s in speeds:
        lines.append(
            f"| {s.case.name} | {len(s.case.model.bodies)} | {s.whole:.1f} | {s.serial:.1f} | "
            f"{s.parallel:.1f} | {s.whole / s.parallel:.2f} | {s.serial / s.parallel:.2f} | {s.exchanged} | "
            f"{s.difference:.0e} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m split.speed", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(cases()))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--method", type=Method, default=Method.EXACT)
    asked = parser.parse_args(arguments)
    speeds = []
    for name, case in cases().items():
        if name in (asked.names or cases()):
            with tempfile.TemporaryDirectory() as folder:
                speeds.append(measure(case, asked.method, asked.rounds, Path(folder)))
            print(page(speeds[-1:], asked.method).splitlines()[-1], file=sys.stderr)
    text = page(speeds, asked.method)
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
