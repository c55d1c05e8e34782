"""Run the examples with parameters at random, judge each run by the reference, and print a table.

    python cross_check/fuzz.py [NAME ...] [--draws N] [--least X] [--most X] [--share X] [--seed N]
                               [--trees NAME] [--limit SECONDS] [--jobs N] [--output FILE]

A draw multiplies every parameter of an example, and every start value that is not an angle, by a factor of
its own. The example is exported once; the FMU runs through a share of its experiment. A run is right if the
reference agrees, and refused if the FMU stops with a message of its own. Anything else is wrong: a deviation,
a crash, a number that is not finite, a run without end.

Three columns tell what a verdict alone would hide. A start value that is a guess is a guess at the default
parameters: with others, the FMU and the reference alone may close a loop in different assembly modes. The
reference then starts in the mode of the FMU. Where the FMU refuses, the reference is asked whether there is a
motion. Where the reference itself cannot follow, the run is not judged.

Equal seeds give equal draws. The exit code is 3 if anything was wrong.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from pathlib import Path
from time import process_time
from types import FrameType

import numpy as np
from pages import kept_page

from fmugen.errors import FmugenError, RefusedError, SimulationError
from fmugen.ir.model import SystemModel, default_parameters, quantities, start_parameter
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import verify_fmu
from fmugen.verify.reference import solve_reference
from fmugen.verify.simulate import communication_points

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

#: Start values in these units are angles or direction cosines: a factor would give another assembly mode.
_ATTITUDES = ("rad", "1")
#: A run has at least so many communication steps, if the experiment has.
_FEWEST_STEPS = 20


class Verdict(Enum):
    """What became of a run; ``FOLLOWED`` is a refusal of a run that the reference can follow."""

    RIGHT = "right"
    OTHER_MODE = "right in another assembly mode"
    REFUSED = "refused"
    FOLLOWED = "refused, the reference follows"
    UNJUDGED = "not judged"
    WRONG = "wrong"


@dataclass(frozen=True)
class Campaign:
    """How parameters are drawn, and how long each run is."""

    draws: int = 10
    least: float = 0.7
    most: float = 1.4
    share: float = 0.6
    seed: int = 1
    trees: str = "cheapest"
    limit: float = 120.0


@dataclass(frozen=True)
class Run:
    """One draw of an example: the verdict, the largest deviation, and the sentence that goes with it."""

    verdict: Verdict
    parameters: dict[str, float]
    deviation: float = 0.0
    reason: str = ""

    @property
    def right(self) -> bool:
        return self.verdict in (Verdict.RIGHT, Verdict.OTHER_MODE)


@dataclass(frozen=True)
class Tally:
    """All draws of an example; ``seconds`` is the time of a processor, ``failure`` what the export raised."""

    example: str
    runs: tuple[Run, ...]
    seconds: float
    failure: str = ""

    def count(self, verdict: Verdict) -> int:
        return sum(run.verdict is verdict for run in self.runs)

    @property
    def wrong(self) -> bool:
        return bool(self.failure) or self.count(Verdict.WRONG) > 0


def main(arguments: Sequence[str]) -> int:
    known = sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))
    parser = argparse.ArgumentParser(prog="cross_check/fuzz.py")
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples; all by default")
    default = Campaign()
    parser.add_argument("--draws", type=int, default=default.draws, help="draws of each example")
    parser.add_argument("--least", type=float, default=default.least, help="smallest factor of a parameter")
    parser.add_argument("--most", type=float, default=default.most, help="largest factor of a parameter")
    parser.add_argument("--share", type=float, default=default.share, help="part of the experiment to run")
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--trees", default=default.trees, help="trees of the FMUs")
    parser.add_argument("--limit", type=float, default=default.limit, help="seconds for a draw")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="examples run at a time")
    parser.add_argument("--output", type=Path, help="page to write, too")
    asked = vars(parser.parse_args(arguments))
    names, jobs, output = asked.pop("names") or known, asked.pop("jobs"), asked.pop("output")
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"there is no example {unknown[0]}; there are {', '.join(known)}")
    with kept_page(output), ProcessPoolExecutor(jobs) as pool:
        tallies = []
        for tally in pool.map(partial(tally_of, campaign=Campaign(**asked)), names):
            tallies.append(tally)
            print("\n".join(sentences(tally)), flush=True)
        print("\n".join(table(tallies)))
    return 3 if any(tally.wrong for tally in tallies) else 0


# --- runs -----------------------------------------------------------------------------------------


def tally_of(example: str, campaign: Campaign) -> Tally:
    """Export an example once, and run all its draws."""
    begin = _processor_time()
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        model = read_model(EXAMPLES / example / "model.toml")
        try:
            options = ExportOptions(trees=campaign.trees)
            fmu = export_fmu(model, Path(folder) / f"{model.name}.fmu", options).path
        except Exception as error:  # whatever it is, the other examples are still to be run
            return Tally(example, (), _processor_time() - begin, f"{type(error).__name__}: {error}")
        runs = tuple(
            judged(model, fmu, drawn(model, example, number, campaign), campaign)
            for number in range(campaign.draws)
        )
    return Tally(example, runs, _processor_time() - begin)


def drawn(model: SystemModel, example: str, number: int, campaign: Campaign) -> dict[str, float]:
    """The parameters of a draw, inside of the bounds that the model declares."""
    generator = np.random.default_rng([campaign.seed, zlib.crc32(example.encode()), number])
    unit_of = {quantity.name: quantity.unit for quantity in quantities(model)}
    kept = {start_parameter(start) for start in model.starts if unit_of[start.quantity] in _ATTITUDES}
    bounds = {p.name: (p.minimum, p.maximum) for p in model.parameters}
    values = {}
    for name, value in default_parameters(model).items():
        if name in kept:
            continue
        low, high = bounds.get(name, (None, None))
        value *= generator.uniform(campaign.least, campaign.most)
        value = value if low is None else max(low, value)
        values[name] = value if high is None else min(high, value)
    return values


def judged(model: SystemModel, fmu: Path, parameters: dict[str, float], campaign: Campaign) -> Run:
    """Run an FMU with the parameters of a draw, and compare it with the reference."""
    model = replace(model, experiment=replace(model.experiment, stop=_stop(model, campaign.share)))
    run = partial(Run, parameters=parameters)
    try:
        with _within(campaign.limit):
            # How errors shrink with the tolerance is judged on the examples themselves.
            found = verify_fmu(model, fmu, parameters=parameters, time_limit=0.5 * campaign.limit, loose=())
    except RefusedError as error:
        follows = _reference_follows(model, parameters, campaign.limit)
        return run(Verdict.FOLLOWED if follows else Verdict.REFUSED, reason=str(error))
    except SimulationError as error:
        return run(Verdict.WRONG, reason=str(error))
    except FmugenError as error:
        return run(Verdict.UNJUDGED, reason=f"the reference cannot follow: {error}")
    except TimeoutError:
        return run(Verdict.UNJUDGED, reason=f"the reference takes longer than {campaign.limit:g} s")
    except Exception as error:
        return run(Verdict.WRONG, reason=f"{type(error).__name__}: {error}")
    if found.passed:
        return run(Verdict.OTHER_MODE if found.other_mode else Verdict.RIGHT, deviation=found.largest)
    return run(Verdict.WRONG, deviation=found.largest, reason="; ".join(found.problems))


def _stop(model: SystemModel, share: float) -> float:
    experiment = model.experiment
    return min(experiment.stop, max(share * experiment.stop, _FEWEST_STEPS * experiment.step))


def _reference_follows(model: SystemModel, parameters: dict[str, float], limit: float) -> bool:
    """Whether the reference of a mechanism has a motion with these parameters."""
    if not model.bodies:
        return False
    times = communication_points(model.experiment.stop, model.experiment.step)
    try:
        with _within(limit):
            solve_reference(model, times, parameters=parameters)
    except (FmugenError, TimeoutError):
        return False
    return True


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise ``TimeoutError`` if the block takes longer, where the system can interrupt a program."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _processor_time() -> float:
    """Seconds of this process and of those it waited for."""
    times = os.times()
    return process_time() + times.children_user + times.children_system


# --- words ----------------------------------------------------------------------------------------


def sentences(tally: Tally) -> Iterator[str]:
    """A line for every draw that is not right, with its parameters if it is wrong."""
    right = sum(run.right for run in tally.runs)
    yield f"{tally.example}: {right} of {len(tally.runs)} right, {tally.seconds:.0f} s"
    if tally.failure:
        yield f"  export: {_one_line(tally.failure)}"
    for number, run in enumerate(tally.runs):
        if run.verdict is Verdict.RIGHT:
            continue
        deviation = f", deviation {run.deviation:.1e}" if run.deviation else ""
        yield f"  draw {number}: {run.verdict.value}{deviation}: {_one_line(run.reason)}"
        if run.verdict is Verdict.WRONG:
            yield "    " + " ".join(f"--set {name}={value!r}" for name, value in run.parameters.items())


def table(tallies: Sequence[Tally]) -> Iterator[str]:
    yield ""
    columns = (
        "right",
        "of these in another assembly mode",
        "largest deviation",
        "refused",
        "of these the reference follows",
        "not judged",
        "wrong",
    )
    yield f"| example | draws | {' | '.join(columns)} | seconds |"
    yield "|---" + "|---:" * (len(columns) + 2) + "|"
    for tally in tallies:
        deviations = [run.deviation for run in tally.runs if run.right]
        followed = tally.count(Verdict.FOLLOWED)
        cells = (
            tally.example,
            len(tally.runs),
            len(deviations),
            tally.count(Verdict.OTHER_MODE),
            f"{max(deviations):.1e}" if deviations else "",
            tally.count(Verdict.REFUSED) + followed,
            followed,
            tally.count(Verdict.UNJUDGED),
            "not exported" if tally.failure else tally.count(Verdict.WRONG),
            f"{tally.seconds:.0f}",
        )
        yield f"| {' | '.join(map(str, cells))} |"


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")[:400]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
