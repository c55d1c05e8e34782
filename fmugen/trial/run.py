"""Sources, Program -> TrialRun: the generated C is compiled, and runs once along the declared motion.

What it says is kept in the cache under a digest of the sources: all commands say the same of one program.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from fmugen.cache import keep, kept_text, place_of
from fmugen.errors import CompileError
from fmugen.ir.flow import EMBEDDED, Closure
from fmugen.ir.fmu import FmuDescription
from fmugen.ir.model import Experiment
from fmugen.ir.options import InterfaceType
from fmugen.ir.program import Program
from fmugen.ir.trial import IteratedPart, TrialRun
from fmugen.phases.compile import compile_program
from fmugen.phases.emit import emit_sources
from fmugen.resources import template_dir

__all__ = ["co_simulation_sources", "try_motion"]

#: The time of a step is its least time in this many runs, so that other load of the machine does not count.
_REPETITIONS = 5
#: Runs are not repeated after this many seconds in total.
_ENOUGH_SECONDS = 1.0
#: Seconds after which a motion is given up; the part that was run counts.
_MOST_SECONDS = 30.0
#: Seconds after which the program is ended, even during a single step.
_TIME_LIMIT_SECONDS = 60.0

Counted = Callable[[int, int], None]


@dataclass(frozen=True)
class _Row:
    """A communication point, as ``trial.c`` prints it."""

    time: float
    iterations: int
    evaluations: int
    steps: int
    changes: int
    parts: tuple[str, ...]


def try_motion(
    sources: Mapping[str, str], program: Program, experiment: Experiment, counter: Counted | None = None
) -> TrialRun:
    """Run the generated ``sources``, which must offer co-simulation, from 0 to the declared stop time.

    Communication points are the declared steps apart; inputs and parameters have their start values. Where
    the run cannot be made, for want of a compiler or of time, the answer has no points, and says why.
    """
    texts = [text for name in sorted(sources) for text in (name, sources[name])]
    place = place_of("trials", (*texts, repr(experiment)), ".json")
    kept = _recalled(place)
    if kept is not None:
        return kept
    try:
        main = template_dir() / "trial" / "trial.c"
        binary = compile_program(sources, {main.name: main.read_text(encoding="utf-8")}, counter=counter)
        said = _run(binary, experiment)
    except CompileError as error:
        return TrialRun(experiment.stop, problem=str(error))
    except OSError as error:
        return TrialRun(experiment.stop, problem=f"the compiled model cannot be run: {error}")
    except subprocess.TimeoutExpired:
        problem = f"a step of the run takes longer than {_MOST_SECONDS:g} s"
        return TrialRun(experiment.stop, problem=problem)
    found = _read(said, program, experiment)
    keep(place, json.dumps(asdict(found)).encode())
    return found


def co_simulation_sources(
    program: Program, description: FmuDescription, sources: Mapping[str, str]
) -> Mapping[str, str]:
    """``sources``, or those of the same program with co-simulation where the FMU does not offer it."""
    if InterfaceType.CO_SIMULATION in description.interfaces:
        return sources
    return emit_sources(program, replace(description, interfaces=tuple(InterfaceType)))


def _run(binary: bytes, experiment: Experiment) -> list[str]:
    """The output of the program; its exit code is the last line if it crashed."""
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        program = Path(folder) / "trial.exe"
        program.write_bytes(binary)
        program.chmod(0o700)
        numbers = (experiment.stop, experiment.step, _REPETITIONS, _ENOUGH_SECONDS, _MOST_SECONDS)
        done = subprocess.run(
            [str(program), *map(repr, numbers)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIME_LIMIT_SECONDS,
            check=False,
        )
    lines = done.stdout.splitlines()
    return lines if done.returncode == 0 else [*lines, f"stopped nan it crashed (exit {done.returncode})"]


# --- reading --------------------------------------------------------------------------------------


@dataclass
class _Said:
    """The rows of the program, the durations of its steps, why it stopped early, and its warnings."""

    rows: list[_Row] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    problem: str = ""
    warnings: list[str] = field(default_factory=list)


def _parse(lines: Sequence[str]) -> _Said:
    said = _Said()
    for line in lines:
        first, *rest = line.split(maxsplit=1)
        if first == "seconds":
            said.seconds.append(float(rest[0]))
        elif first == "stopped":
            said.problem = rest[0].partition(" ")[2]
        elif first == "warned":
            said.warnings.append(rest[0])
        else:
            time, iterations, evaluations, steps, changes, *parts = line.split()
            row = (int(iterations), int(evaluations), int(steps), int(changes), tuple(parts))
            said.rows.append(_Row(float(time), *row))
    return said


def _read(lines: Sequence[str], program: Program, experiment: Experiment) -> TrialRun:
    said = _parse(lines)
    rows, seconds = said.rows, said.seconds
    iterating = [row.iterations > 0 for row in rows]
    worst = max(range(len(seconds)), key=seconds.__getitem__, default=-1)
    return TrialRun(
        experiment.stop,
        rows[-1].time if rows else 0.0,
        len(rows),
        sum(iterating),
        tuple(_spans([row.time for row in rows], iterating)),
        tuple(_parts(program, [row.parts for row in rows])),
        sum(row.iterations for row in rows),
        sum(row.evaluations for row in rows),
        sum(row.changes for row in rows),
        rows[-1].steps if rows else 0,
        seconds[worst] if seconds else 0.0,
        rows[worst + 1].time if seconds else 0.0,
        sum(seconds) / len(seconds) if seconds else 0.0,
        said.problem,
        refused=not rows,
        warnings=tuple(said.warnings),
    )


def _spans(times: Sequence[float], iterating: Sequence[bool]) -> Iterator[tuple[float, float]]:
    """The times of the first and the last of points that follow each other and all iterate.

    >>> list(_spans([0.0, 0.1, 0.2, 0.3, 0.4], [False, True, True, False, True]))
    [(0.1, 0.2), (0.4, 0.4)]
    """
    begin = None
    for number, (time, iterates) in enumerate(zip(times, iterating, strict=True)):
        if iterates and begin is None:
            begin = time
        if begin is not None and not iterates:
            yield begin, times[number - 1]
            begin = None
    if begin is not None:
        yield begin, times[-1]


# --- what was iterated ----------------------------------------------------------------------------


def _parts(program: Program, said: Iterable[tuple[str, ...]]) -> Iterator[IteratedPart]:
    """The parts that iterate, those of most points first."""
    points = Counter(key for marks in said for key in _keys(program, marks))
    for (unknowns, loops, why), count in sorted(points.items(), key=lambda item: (-item[1], item[0])):
        yield IteratedPart(unknowns, loops, count, why)


_Key = tuple[tuple[str, ...], tuple[str, ...], str]


def _keys(program: Program, marks: tuple[str, ...]) -> Iterator[_Key]:
    """The blocks that iterate at one point; blocks with the same unknowns in several sets count as one."""
    yield from dict.fromkeys(_block(program, mark[1:]) for mark in marks if mark[0] == "b")
    network = program.network
    for number in sorted(int(mark[1:]) for mark in marks if mark[0] == "z"):
        names = tuple(network.unknowns[k] for k in network.blocks[number])
        yield names, (), "the equations of the network are nonlinear"
    dependent = tuple(program.coordinate_names[k] for k in program.flow.dependent)
    if "all" in marks:
        yield dependent, (), _why_all(program.flow.closure)
    if "limit" in marks:
        yield dependent, (), "the position is singular, and the motion is the limit from both sides"


def _why_all(closure: Closure) -> str:
    if closure is Closure.NEWTON_ALL:
        return "the closure iterates over all loops at once"
    if closure in EMBEDDED:
        return "no set of independent coordinates with exact steps is well conditioned there"
    return "the closure moves the coordinates back onto the constraints"


def _block(program: Program, mark: str) -> _Key:
    """A block, by the numbers of its set and of itself."""
    number, _, place = mark.partition(".")
    code = program.sets[int(number)]
    block = code.flow.blocks[int(place)]
    unknowns = tuple(program.coordinate_names[k] for k in sorted(block.unknowns))
    why = (
        "there are no exact steps" if code.solve_functions[int(place)] is None else "a guard of a step fails"
    )
    loops = block.name.partition(" (for ")[0]
    return unknowns, (loops,), why


def _recalled(place: Path) -> TrialRun | None:
    """The result cached at ``place``; a damaged file counts as missing."""
    text = kept_text(place)
    if text is None:
        return None
    try:
        data = json.loads(text)
        spans = tuple((begin, end) for begin, end in data.pop("spans"))
        parts = tuple(
            IteratedPart(tuple(part["unknowns"]), tuple(part["loops"]), part["points"], part["why"])
            for part in data.pop("parts")
        )
        warnings = tuple(data.pop("warnings"))
        return TrialRun(**data, spans=spans, parts=parts, warnings=warnings)
    except (ValueError, KeyError, TypeError):
        return None
