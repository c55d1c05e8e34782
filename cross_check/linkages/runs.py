"""Draws judged in processes of their own, which have a limit of CPU time."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.process import BaseProcess
from pathlib import Path

import fuzz

from linkages.draws import FAMILIES, draw
from linkages.judge import Verdict, judged

__all__ = ["EXAMPLES_FAMILY", "Judged", "Task", "example_tasks", "judge_seed", "judge_tasks"]

#: The family of examples with parameters at random; its tasks are named after the example.
EXAMPLES_FAMILY = "examples"
#: Draws of an example for which it is exported once.
_EXAMPLE_DRAWS = 3
#: The wall clock of a task may show so many times its CPU seconds, on a machine with other work.
_WALL = 6.0
#: Names for what became of a draw of an example.
_OF_EXAMPLES = {
    fuzz.Verdict.RIGHT: Verdict.RIGHT,
    fuzz.Verdict.OTHER_MODE: Verdict.RIGHT,
    fuzz.Verdict.REFUSED: Verdict.REFUSED,
    fuzz.Verdict.FOLLOWED: Verdict.REFUSED,
    fuzz.Verdict.UNJUDGED: Verdict.UNFOLLOWED,
    fuzz.Verdict.WRONG: Verdict.WRONG,
}

#: A family or an example, and a seed.
Task = tuple[str, int]


@dataclass(frozen=True)
class Judged:
    """The outcome of a draw as kept and printed; ``seconds`` are those of the CPU."""

    family: str
    seed: int
    name: str
    guesses: str
    verdict: str
    findings: list[list[str]] = field(default_factory=list)
    missed: bool = False
    followed: bool = False
    deviation: float = 0.0
    seconds: float = 0.0

    @property
    def command(self) -> str:
        """What to run to see it again."""
        if self.family == EXAMPLES_FAMILY:
            draws = f"--draws {_EXAMPLE_DRAWS} --trees aac"
            return f"python cross_check/fuzz.py {self.name} --seed {self.seed} {draws}"
        return f"python cross_check/reliability.py {self.family} --seed {self.seed}"


def example_tasks(first: int, draws: int | None) -> Iterator[Task]:
    """All examples with a seed, then all with the next one."""
    names = sorted(path.parent.name for path in fuzz.EXAMPLES.glob("*/model.toml"))
    seed = first
    while draws is None or seed < first + draws:
        for name in names:
            yield name, seed
        seed += 1


# --- one task -------------------------------------------------------------------------------------


def judge_seed(family: str, seed: int, limit: float) -> Judged:
    """Draw and judge a linkage in this process."""
    begin = _cpu()
    drawn = draw(family, seed)
    outcome = judged(drawn, limit)
    return Judged(
        family,
        seed,
        drawn.name,
        drawn.start.kind,
        outcome.verdict.value,
        [[each.verdict.value, each.sentence] for each in outcome.findings],
        outcome.missed,
        outcome.followed,
        outcome.deviation,
        _cpu() - begin,
    )


def _judge_example(name: str, seed: int, limit: float) -> list[Judged]:
    campaign = fuzz.Campaign(draws=_EXAMPLE_DRAWS, seed=seed, trees="aac", limit=limit / _EXAMPLE_DRAWS)
    tally = fuzz.tally_of(name, campaign)
    if tally.failure:
        return [_of_example(name, seed, Verdict.CRASH, f"export: {tally.failure}", tally.seconds)]
    each = tally.seconds / len(tally.runs)
    return [
        replace(
            _of_example(name, seed, _OF_EXAMPLES[run.verdict], run.reason, each, run.deviation),
            followed=run.verdict is fuzz.Verdict.FOLLOWED,
        )
        for run in tally.runs
    ]


def _of_example(
    name: str, seed: int, verdict: Verdict, reason: str, seconds: float, deviation: float = 0.0
) -> Judged:
    findings = [] if verdict is Verdict.RIGHT else [[verdict.value, " ".join(reason.split())[:500]]]
    kept = (name, "of the example", verdict.value, findings)
    return Judged(EXAMPLES_FAMILY, seed, *kept, deviation=deviation, seconds=seconds)


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


# --- processes ------------------------------------------------------------------------------------


def judge_tasks(tasks: Iterable[Task], limit: float, jobs: int) -> Iterator[tuple[Task, list[Judged]]]:
    """Judge tasks, each in a process that ends after ``limit`` CPU seconds, ``jobs`` at a time."""
    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    waiting, running = iter(tasks), []
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        while True:
            while len(running) < jobs and (task := next(waiting, None)) is not None:
                answer = Path(folder) / f"{task[0]}-{task[1]}.json"
                process = context.Process(target=_work, args=(*task, limit, str(answer)))
                process.start()
                running.append((process, task, answer, time.monotonic()))
            if not running:
                return
            time.sleep(0.05)
            for entry in list(running):
                process, task, answer, begin = entry
                if process.is_alive() and time.monotonic() - begin < _WALL * limit:
                    continue
                was_alive = process.is_alive()
                _end(process)
                running.remove(entry)
                yield task, _answered(task, answer, None if was_alive else process.exitcode, limit)


def _work(name: str, seed: int, limit: float, answer: str) -> None:
    """Judge a task, and write what was found to a file."""
    try:
        import resource

        os.setsid()  # what it starts ends with it
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 5))
    except ImportError:
        pass  # where there are no limits of CPU time, the wall clock ends it
    found = [judge_seed(name, seed, limit)] if name in FAMILIES else _judge_example(name, seed, limit)
    Path(answer).write_text(json.dumps([asdict(each) for each in found]), encoding="utf-8")


def _end(process: BaseProcess) -> None:
    if process.is_alive() and process.pid is not None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (AttributeError, ProcessLookupError, PermissionError):
            process.kill()
    process.join()


def _answered(task: Task, answer: Path, code: int | None, limit: float) -> list[Judged]:
    """What a process found; ``code`` is how it ended, none if it had to be ended."""
    if answer.is_file():
        return [Judged(**each) for each in json.loads(answer.read_text(encoding="utf-8"))]
    slow = code in (None, -getattr(signal, "SIGXCPU", 24), -9)
    verdict = Verdict.SLOW if slow else Verdict.CRASH
    sentence = f"not judged within {limit:g} CPU seconds" if slow else f"the process ended with {code}"
    if task[0] not in FAMILIES:
        return [_of_example(*task, verdict, sentence, limit)]
    drawn = draw(*task)
    findings = [[verdict.value, sentence]]
    return [Judged(*task, drawn.name, drawn.start.kind, verdict.value, findings, seconds=limit)]
