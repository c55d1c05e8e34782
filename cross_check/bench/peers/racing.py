"""A case of the benchmark: contestants prepared, timed in turns, and judged by the independent reference."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from bench.peers.cases import SCALED, Case
from bench.peers.contestants import CONTESTANTS, COUNT, Contestant, Outcome, Program, Race, UnfitError
from bench.peers.skeleton import Array, falling, reference_centers, skeleton_of
from fmugen.errors import FmugenError

__all__ = ["SAME_MOTION", "STOP", "Equal", "Record", "Times", "read_record", "run_case", "write_record"]

#: Seconds of the motion of a race: long enough to be a motion, short enough for chaos not to matter.
STOP = 0.1
#: The largest error of a mass centre, in metres, with which programs count as equally exact.
SAME_MOTION = 1e-6
#: Nanoseconds of a motion after which no finer one is tried.
_LONGEST = 1e9
#: Times that the way from a model to C is gone.
_EFFORTS = 3


@dataclass(frozen=True)
class Times:
    """Nanoseconds of right-hand sides, if told, and of steps, by turn; the largest error of a mass centre."""

    side: list[float]
    step: list[float]
    error: float


@dataclass(frozen=True)
class Equal:
    """Nanoseconds of the motion, by turn, at the least effort that is exact enough, and its error."""

    effort: float
    motion: list[float]
    error: float


@dataclass(frozen=True)
class Record:
    """What came of a case: times by contestant, and why the others have none."""

    case: str
    windows: int
    goals: dict[str, tuple[float, float]]
    #: CPU seconds from the model to C, and the characters of that C, of cases that come in sizes.
    seconds: float
    characters: int
    versions: dict[str, str]
    times: dict[str, Times] = field(default_factory=dict)
    unfit: dict[str, str] = field(default_factory=dict)
    equal: dict[str, Equal] = field(default_factory=dict)
    #: Factors from the case of half the size to this one, where there is one.
    growth: dict[str, float] = field(default_factory=dict)


def run_case(case: Case, work: Path, turns: int) -> Record:
    """Prepare all contestants of a case and let them run in turns."""
    model = falling(case.model())
    folder = work / case.name
    folder.mkdir(exist_ok=True)
    race = Race(model, case.trees, skeleton_of(model), folder, STOP)
    record = Record(
        case.name,
        case.windows,
        dict(case.goals),
        *_generated(case, _EFFORTS),
        {contestant.name: contestant.version() for contestant in CONTESTANTS},
        growth=_growth(case, folder, turns),
    )
    programs = _prepared(race, record)
    expected = dict(zip((b.name for b in model.bodies), reference_centers(model, race.stop), strict=True))
    usual = {contestant.name: contestant.usual for contestant in CONTESTANTS}
    for name, found in _in_turns(programs, usual, turns, record).items():
        sides = [outcome.side for outcome in found if outcome.side is not None]
        steps = [outcome.motion / COUNT for outcome in found]
        record.times[name] = Times(sides, steps, _error(found[0].centers, expected))
    equal = {}
    for contestant in CONTESTANTS:
        if contestant.name in record.times:
            least = _least_effort(contestant, programs[contestant.name], expected)
            if least is not None:
                equal[contestant.name] = least
    for name, found in _in_turns(programs, equal, turns, record).items():
        motions = [outcome.motion for outcome in found]
        record.equal[name] = Equal(equal[name], motions, _error(found[0].centers, expected))
    return record


def _in_turns(
    programs: dict[str, Program], efforts: dict[str, float], turns: int, record: Record
) -> dict[str, list[Outcome]]:
    """What programs give, all taking turns; one that fails is out, and the record says why."""
    outcomes: dict[str, list[Outcome]] = {name: [] for name in programs if name in efforts}
    for _ in range(turns):
        for name in list(outcomes):
            try:
                outcomes[name].append(programs[name](efforts[name]))
            except UnfitError as reason:
                record.unfit[name] = str(reason)
                del outcomes[name]
    return outcomes


def _least_effort(contestant: Contestant, program: Program, expected: dict[str, Array]) -> float | None:
    """The least effort that is exact enough; None if none is that does not take too long."""
    for effort in contestant.efforts:
        try:
            outcome = program(effort)
        except (FmugenError, UnfitError):
            continue  # too long a step may end a program
        if _error(outcome.centers, expected) <= SAME_MOTION:
            return effort
        if outcome.motion > _LONGEST:
            break
    return None


def _generated(case: Case, efforts: int) -> tuple[float, int]:
    """CPU seconds and characters of a generation, where cases of other sizes are there to compare with.

    Each is in a process of its own, and the least time counts: exact solutions are cached by the first.
    """
    if not case.windows:
        return 0.0, 0
    command = [sys.executable, "-m", "bench.peers.generation", str(case.windows), case.trees]
    place = Path(__file__).resolve().parents[2]
    # Threads of linear algebra that wait for each other would count as work.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    said = [
        subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=True)
        for _ in range(efforts)
    ]
    seconds, characters = zip(*(done.stdout.split() for done in said), strict=True)
    return min(map(float, seconds)), int(characters[0])


def _growth(case: Case, folder: Path, turns: int) -> dict[str, float]:
    """By how much a case costs more than that of half its size, both taking turns; the least times count."""
    half = next((other for other in SCALED if 2 * other.windows == case.windows), None)
    if half is None:
        return {}
    pair = [(each, _own_program(each, folder / f"growth_{each.windows}")) for each in (half, case)]
    found: list[list[tuple[float, ...]]] = []
    for _ in range(turns):
        outcomes = [(each, program(COUNT)) for each, program in pair]
        found.append([(o.side or math.nan, o.motion, *_generated(each, 1)) for each, o in outcomes])
    small, large = np.min(found, axis=0)
    return dict(zip(("side", "step", "seconds", "characters"), (large / small).tolist(), strict=True))


def _own_program(case: Case, folder: Path) -> Program:
    folder.mkdir(exist_ok=True)
    model = falling(case.model())
    return _program(CONTESTANTS[0], Race(model, case.trees, skeleton_of(model), folder, STOP))


def _prepared(race: Race, record: Record) -> dict[str, Program]:
    programs = {}
    for contestant in CONTESTANTS:
        try:
            programs[contestant.name] = _program(contestant, race)
        except UnfitError as reason:
            record.unfit[contestant.name] = str(reason)
    return programs


def _program(contestant: Contestant, race: Race) -> Program:
    try:
        return contestant.prepare(race)
    except (FmugenError, ValueError) as error:
        raise UnfitError(str(error)) from error


def _error(centers: dict[str, Array], expected: dict[str, Array]) -> float:
    error = max(float(np.abs(centers[body] - place).max()) for body, place in expected.items())
    return error if math.isfinite(error) else math.inf


def write_record(record: Record, path: Path) -> None:
    path.write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")


def read_record(path: Path) -> Record:
    content = json.loads(path.read_text(encoding="utf-8"))
    times = {name: Times(**entry) for name, entry in content.pop("times").items()}
    equal = {name: Equal(**entry) for name, entry in content.pop("equal").items()}
    goals = {rival: (of_sides, of_motions) for rival, (of_sides, of_motions) in content.pop("goals").items()}
    return Record(**content, goals=goals, times=times, equal=equal)
