"""A case of the benchmark: contestants prepared, timed in turns, and judged by the independent reference."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import process_time

import numpy as np

from fmugen.errors import FmugenError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import generate
from peers.cases import Case
from peers.contestants import CONTESTANTS, Contestant, Outcome, Program, Race, UnfitError
from peers.skeleton import Array, falling, reference_centers, skeleton_of

__all__ = ["Record", "Times", "read_record", "run_case", "write_record"]

#: The motion of a race: long enough to be a motion, short enough for chaos not to matter.
STEP, COUNT = 1e-3, 100


@dataclass(frozen=True)
class Times:
    """Nanoseconds of right-hand sides, if told, and of steps, by turn; the largest error of a mass centre."""

    side: list[float]
    step: list[float]
    error: float


@dataclass(frozen=True)
class Record:
    """What came of a case: times by contestant, and why the others have none."""

    case: str
    windows: int
    goals: dict[str, float]
    #: CPU seconds from the model to C, and the characters of that C, of cases that come in sizes.
    seconds: float
    characters: int
    versions: dict[str, str]
    times: dict[str, Times] = field(default_factory=dict)
    unfit: dict[str, str] = field(default_factory=dict)


def run_case(case: Case, work: Path, turns: int) -> Record:
    """Prepare all contestants of a case and let them run in turns."""
    model = falling(case.model())
    folder = work / case.name
    folder.mkdir(exist_ok=True)
    race = Race(model, case.trees, skeleton_of(model), folder, STEP, COUNT)
    record = Record(
        case.name,
        case.windows,
        dict(case.goals),
        *_effort(case, model),
        {contestant.name: contestant.version() for contestant in CONTESTANTS},
    )
    programs = _prepared(race, record)
    outcomes: dict[str, list[Outcome]] = {name: [] for name in programs}
    for _ in range(turns):
        for name, program in list(programs.items()):
            try:
                outcomes[name].append(program())
            except UnfitError as reason:
                record.unfit[name] = str(reason)
                del programs[name], outcomes[name]
    expected = dict(zip((b.name for b in model.bodies), reference_centers(model, race.stop), strict=True))
    for name, found in outcomes.items():
        sides = [outcome.side for outcome in found if outcome.side is not None]
        steps = [outcome.step for outcome in found]
        record.times[name] = Times(sides, steps, _error(found[0].centers, expected))
    return record


def _effort(case: Case, model: SystemModel) -> tuple[float, int]:
    """Seconds and characters of a generation, where cases of other sizes are there to compare with."""
    if not case.windows:
        return 0.0, 0
    begin = process_time()
    sources = generate(model, ExportOptions(case.trees)).sources
    return process_time() - begin, sum(map(len, sources.values()))


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
    return max(float(np.abs(centers[body] - place).max()) for body, place in expected.items())


def write_record(record: Record, path: Path) -> None:
    path.write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")


def read_record(path: Path) -> Record:
    content = json.loads(path.read_text(encoding="utf-8"))
    times = {name: Times(**entry) for name, entry in content.pop("times").items()}
    return Record(**content, times=times)
