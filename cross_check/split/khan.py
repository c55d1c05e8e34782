"""Khan's chapter 4 with split FMUs: how well and at what price the parts of a manipulator hold together.

    cd cross_check; python -m split.khan [--output FILE.md] [--plot FILE.svg] [--fresh] [STUDY ...]

The 3-RRR manipulator is cut into three legs and a platform (for denoc into three legs, each with a third of
the platform) and moved by the torques that its prescribed motion needs. The parts are connected by their
interface for model exchange, one exchange per evaluation, and integrated as one system; beside them the same
methods written down by hand (``split/manipulator.py``), which share no code with the compiler. Errors are
the largest of any ankle angle against the prescribed motion. Outcomes are kept in ``out/khan``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from fmugen.cosim.export import export_split
from fmugen.cosim.split import split_model
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.ir.split import Members, Method, Partition
from fmugen.master import PartVariable, System, connect, read_ssp
from fmugen.pipeline import export_fmu
from split.cosimulation import cosimulate
from split.curves import Curve, curves_svg
from split.exchange import ConnectedModels, Run, adaptive, fixed
from split.manipulator import (
    PERIOD,
    ByHand,
    DeNoc,
    Exact,
    Penalty,
    Projection,
    deviation,
    snapshots,
)
from split.statements import statements
from split.torques import driven_manipulator, feed_error, inverse_torques

KEPT = Path(__file__).resolve().parents[2] / "out" / "khan"
STIFFNESSES = (1e3, 1e4, 1e5, 1e6)
SIGMAS = (10.0, 20.0, 30.0, 40.0)
#: Where a run is short enough for an unstable motion to have stayed near the prescribed one, in seconds.
EARLY = 1.0
OPTIONS = ExportOptions(trees="aac")
#: CPU seconds that a co-simulation may take.
PATIENCE = 20.0
WHOLE, BY_HAND = "whole", "by_hand"


@dataclass(frozen=True)
class Setting:
    """How time is stepped: to a relative tolerance, or with fixed steps of the method of Runge and Kutta."""

    tolerance: float = 0.0
    step: float = 0.0

    def __str__(self) -> str:
        return f"adaptive {self.tolerance:g}" if self.tolerance else f"fixed {self.step:g} s"

    def run(self, models: Any, places: list[PartVariable]) -> Run:
        if self.tolerance:
            return adaptive(models, PERIOD, self.tolerance, places)
        return fixed(models, PERIOD, self.step, places)


#: Tolerances at which exact is run besides, so that its error is known at the price of every other run.
BETWEEN = tuple(Setting(tolerance=10.0**-digits) for digits in (4, 5, 7, 8))
SETTINGS = (Setting(tolerance=1e-3), Setting(tolerance=1e-6), Setting(step=0.01), Setting(step=0.001))


@dataclass(frozen=True)
class Outcome:
    """What a run showed: errors early and to the end, how far loops opened, and the price."""

    method: str
    setting: str
    early: float
    error: float
    gap: float
    steps: int
    evaluations: int
    failure: str = ""
    curve: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Contestant:
    """A method with its parameter; ``models`` are its connected parts, ``places`` what a snapshot needs."""

    name: str
    models: Callable[[], AbstractContextManager[Any]]
    places: list[PartVariable]

    def race(self, setting: Setting) -> Outcome:
        with np.errstate(all="ignore"), self.models() as models:
            run = setting.run(models, self.places)
        return outcome(self.name, str(setting), run)


def outcome(name: str, setting: str, run: Run) -> Outcome:
    """What a run shows, up to its end or its failure; progress is told while a study runs."""
    seen = snapshots(run.values)
    curve = tuple((float(t), deviation([t], [s])) for t, s in zip(run.times, seen, strict=True))
    found = Outcome(
        name,
        setting,
        deviation(run.times, seen, EARLY),
        deviation(run.times, seen),
        max((each.gap for each in seen), default=0.0),
        run.steps,
        run.evaluations,
        run.failure,
        curve[:: max(1, len(curve) // 300)],
    )
    print(f"{name}, {setting}: {_cell(found)}", file=sys.stderr)
    return found


def by_hand() -> list[Outcome]:
    """The methods of the thesis, with its parameters, and the exact one, without any FMU."""
    methods: dict[str, Any] = {f"penalty, k = {k:g}": Penalty(k) for k in STIFFNESSES}
    methods |= {f"projection, σ = {s:g}": Projection(s) for s in SIGMAS}
    methods |= {"denoc": DeNoc(), "exact": Exact()}
    contestants = [
        Contestant(name, partial(lambda m: nullcontext(ByHand(m)), method), [])
        for name, method in methods.items()
    ]
    found = [each.race(setting) for each in contestants for setting in SETTINGS]
    return found + [contestants[-1].race(setting) for setting in BETWEEN]


def partition(method: Method) -> Partition:
    """Legs and platform, or for denoc legs that share the platform (Khan 3.1)."""
    shared = method is Method.DENOC
    legs = [
        Members(f"leg_{n}", (f"shank_{n}", f"thigh_{n}", *(["platform"] if shared else ())))
        for n in (1, 2, 3)
    ]
    return Partition(tuple(legs if shared else [Members("platform", ("platform",)), *legs]), method)


def places_of(system: System) -> list[PartVariable]:
    """Where a snapshot is found: each leg's shank, thigh, and the platform as that leg sees it."""

    def owner(variable: str, preferred: str = "") -> str:
        names = [part.name for part in system.parts if variable in part.references]
        return preferred if preferred in names else names[0]

    places = []
    for leg in (1, 2, 3):
        part = owner(f"thigh_{leg}.x")
        places.append((part, f"shank_{leg}.angle"))
        places += [(part, f"thigh_{leg}.{kind}") for kind in ("x", "y", "angle")]
        platform = owner("platform.x", part)
        places += [(platform, f"platform.{kind}") for kind in ("x", "y", "angle")]
    return places


def split_system(model: SystemModel, method: Method, folder: Path) -> System:
    """The parts of the manipulator as FMUs, out of their package."""
    folder.mkdir()
    split = split_model(model, partition(method), method)
    package = export_split(split, folder / f"{method.value}.ssp", OPTIONS).path
    return read_ssp(package, folder)


def parameters(system: System, values: dict[str, float]) -> dict[PartVariable, float]:
    """Values for all parts that have parameters of these names."""
    return {
        (part.name, name): value
        for part in system.parts
        for name, value in values.items()
        if name in part.references
    }


def variants(method: Method) -> dict[str, dict[str, float]]:
    """The parameters that the thesis varies."""
    if method is Method.PENALTY:
        return {
            f"penalty, k = {k:g}": {"penalty_stiffness": k, "penalty_damping": 2 * sqrt(k)}
            for k in STIFFNESSES
        }
    if method is Method.PROJECTION:
        return {f"projection, σ = {s:g}": {"closure.sigma": s} for s in SIGMAS}
    return {method.value: {}}


def contestants(method: Method, system: System) -> Iterator[Contestant]:
    for name, values in variants(method).items():
        given = parameters(system, values)
        if values and not given:
            raise SystemExit(f"no part has the parameter {next(iter(values))}")
        yield Contestant(name, partial(ConnectedModels, system, given, PERIOD), places_of(system))


def cosimulations(method: Method, system: System, folder: Path) -> Iterator[Outcome]:
    """One exchange per communication step: all parts at once, or the hub before (denoc: after) the others."""
    hub = [part.name for part in system.parts if not part.name.startswith("leg")]
    legs = [part.name for part in system.parts if part.name.startswith("leg")]
    for scheme, groups in {"Jacobi": [], "Gauss-Seidel": [hub, legs]}.items():
        for step in (0.01, 0.001):
            for name, values in variants(method).items():
                run = cosimulate(
                    system,
                    PERIOD,
                    step,
                    places_of(system),
                    folder,
                    groups=groups,
                    parameters=parameters(system, values),
                    timeout=PATIENCE,
                )
                setting = f"{scheme} {step:g} s"
                yield outcome(name, setting, Run(list(run.times), [], list(run.values), failure=run.failure))


def table(outcomes: Sequence[Outcome], settings: Sequence[str]) -> str:
    """A row a method; cells: error to 1 s, to 3 s, gap, evaluations."""
    lines = ["| method | " + " | ".join(settings) + " |", "|---|" + "---|" * len(settings)]
    for name in dict.fromkeys(outcome.method for outcome in outcomes):
        cells = []
        for setting in settings:
            found = [o for o in outcomes if (o.method, o.setting) == (name, setting)]
            cells.append(_cell(found[0]) if found else "–")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(outcome: Outcome) -> str:
    if outcome.failure:
        lasted = outcome.curve[-1][0] if outcome.curve else 0.0
        early = f"{outcome.early:.1e}; " if lasted >= EARLY else ""
        return f"{early}**fails**: {_reason(outcome.failure)}"
    price = f"; {outcome.steps} st, {outcome.evaluations} ev" if outcome.evaluations else ""
    return f"{outcome.early:.1e}, {outcome.error:.1e}; {outcome.gap:.0e} m{price}"


def _reason(failure: str) -> str:
    """The time of a failure, or what else was said of it."""
    word = failure.split()[0]
    return f"{float(word):.3g} s" if word.replace(".", "").isdigit() else failure


def page(hand: list[Outcome], fmus: list[Outcome], stepped: list[Outcome], feed: float) -> str:
    settings = [str(setting) for setting in SETTINGS]
    exchanges = list(dict.fromkeys(outcome.setting for outcome in stepped))
    said = statements(fmus, hand)
    return "\n\n".join(
        [
            "# Khan's chapter 4",
            "Largest error of an ankle angle in rad, within 1 s and within 3 s; largest opening of a loop; "
            "steps (st) and evaluations of the equations of motion (ev). Adaptive: Dormand-Prince 5(4), "
            "absolute tolerance a thousandth of the relative; fixed: classical Runge-Kutta. Torques are "
            f"formulas of time, within {feed:.0e} N m of those computed by hand. The motion is unstable: "
            "errors grow about a thousandfold in 3 s.",
            "## Split FMUs, one exchange per evaluation (model exchange)",
            table(fmus, settings),
            "## The same methods by hand",
            table(hand, settings),
            "## Split FMUs, one exchange per communication step (co-simulation)",
            table(stepped, exchanges),
            "## What the thesis says",
            "\n".join(
                ["| where | the thesis | here, FMUs | here, by hand |", "|---|---|---|---|"]
                + [f"| {s.place} | {s.claim} | {s.fmus} | {s.hand} |" for s in said]
            ),
        ]
    )


def raced(method: Method, model: SystemModel, folder: Path) -> list[Outcome]:
    """All runs of the parts that a method holds together."""
    system = split_system(model, method, folder / method.value)
    settings = (*SETTINGS, *BETWEEN) if method is Method.EXACT else SETTINGS
    found = [c.race(setting) for c in contestants(method, system) for setting in settings]
    return found + list(cosimulations(method, system, folder))


def uncut(model: SystemModel, folder: Path) -> list[Outcome]:
    """The whole manipulator as one FMU."""
    system = connect({WHOLE: export_fmu(model, folder / "whole.fmu", OPTIONS).path}, [], folder)
    alone = Contestant("whole, uncut", partial(ConnectedModels, system, None, PERIOD), places_of(system))
    return [alone.race(setting) for setting in SETTINGS]


def kept(name: str, run: Callable[[], list[Outcome]], fresh: bool) -> list[Outcome]:
    """Outcomes of an earlier study, or of one that runs now; a study that was stopped goes on."""
    path = KEPT / f"{name}.json"
    if fresh or not path.is_file():
        KEPT.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps([asdict(outcome) for outcome in run()]), encoding="utf-8")
        draft.replace(path)
    return [Outcome(**values) for values in json.loads(path.read_text(encoding="utf-8"))]


def kept_torques(folder: Path, fresh: bool) -> Any:
    """The series of the torques, as :func:`kept` does."""
    path = KEPT / "torques.npy"
    if fresh or not path.is_file():
        KEPT.mkdir(parents=True, exist_ok=True)
        np.save(path, inverse_torques(folder))
    return np.load(path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m split.khan", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    everything = [*(method.value for method in Method), WHOLE, BY_HAND]
    parser.add_argument("studies", nargs="*", default=everything, help=", ".join(everything))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--fresh", action="store_true", help="run again what was run before")
    asked = parser.parse_args(arguments)
    hand, fmus, stepped = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        coefficients = kept_torques(folder, asked.fresh)
        model = driven_manipulator(coefficients)
        studies = {method.value: partial(raced, method, model, folder) for method in Method}
        studies |= {WHOLE: partial(uncut, model, folder), BY_HAND: by_hand}
        for study, run in studies.items():
            found = kept(study, run, asked.fresh) if study in asked.studies else []
            hand += found if study == BY_HAND else []
            fmus += [o for o in found if o.evaluations and study != BY_HAND]
            stepped += [o for o in found if not o.evaluations]
    text = page(hand, fmus, stepped, feed_error(coefficients)) + "\n"
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    print(text)
    if asked.plot:
        shown = [o for o in fmus if o.setting == "fixed 0.001 s" and o.curve]
        curves = [Curve(o.method, [t for t, _ in o.curve], [e for _, e in o.curve]) for o in shown]
        asked.plot.write_text(
            curves_svg("Error of the ankle angles, steps of 1 ms", curves), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
