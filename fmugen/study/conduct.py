"""The runs of a study on Dask: a cluster of processes on this machine, or the one at an address.

Parts are written here, not by the workers, which need no common disk. A worker that is lost is replaced,
and its parts are run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from dask.distributed import Client, LocalCluster, Worker, WorkerPlugin, as_completed, get_worker

from fmugen.errors import SimulationError
from fmugen.study.store import Store
from fmugen.study.worker import Array, Outcome, Runs, StudySetup, Subject

__all__ = ["conduct"]

#: Called with the number of finished runs.
RunProgress = Callable[[int], None]

_PLUGIN = "fmugen-study"
_RETRIES = 3
#: Parts that wait per worker: enough to keep it busy, few enough to lose little.
_AHEAD = 3
_SECONDS_TO_CONNECT = 30


class _Loaded(WorkerPlugin):  # type: ignore[misc]  # Dask's classes are untyped
    """Gives every worker, also one that comes later, the subject; it is loaded with the first part."""

    def __init__(self, subject: Subject, experiment: StudySetup) -> None:
        self.subject, self.experiment = subject, experiment
        self.runs: Runs | None = None

    def loaded(self) -> Runs:
        if self.runs is None:
            self.runs = Runs(self.subject, self.experiment)
        return self.runs

    def teardown(self, worker: Worker) -> None:
        if self.runs is not None:
            self.runs.close()


def conduct(
    subject: Subject,
    experiment: StudySetup,
    store: Store,
    *,
    workers: int,
    scheduler: str | None = None,
    progress: RunProgress | None = None,
) -> None:
    """Run what is missing in ``store`` with an FMU or a package.

    Raises
    ------
    SimulationError
        If the scheduler cannot be reached, or if runs kill one worker after the other.
    """
    missing = store.missing()
    done = store.plan.runs - sum(len(store.runs_of(part)) for part in missing)
    if progress is not None:
        progress(done)
    if not missing:
        return
    with _client(workers, scheduler) as client:
        client.register_plugin(_Loaded(subject, experiment), name=_PLUGIN)
        for part, outcomes in _outcomes(client, store, missing, _AHEAD * workers):
            store.keep(part, outcomes)
            done += len(outcomes)
            if progress is not None:
                progress(done)


@contextmanager
def _client(workers: int, scheduler: str | None) -> Iterator[Client]:
    if scheduler is None:
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,
                dashboard_address=None,
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=_SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise SimulationError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        yield client


def _outcomes(
    client: Client, store: Store, parts: list[int], ahead: int
) -> Iterator[tuple[int, list[Outcome]]]:
    waiting = iter(parts)
    numbers: dict[str, int] = {}

    def submit(part: int) -> Any:
        runs = store.runs_of(part)
        rows = store.plan.values[runs.start : runs.stop]
        future = client.submit(_run_part, rows, retries=_RETRIES, pure=False)
        numbers[future.key] = part
        return future

    first = [submit(part) for part in islice(waiting, ahead)]
    under_way = as_completed(first)
    for future in under_way:
        part = numbers.pop(future.key)
        if future.status == "error":
            runs = store.runs_of(part)
            raise SimulationError(
                f"runs {runs.start} to {runs.stop - 1} do not finish: {future.exception()}; "
                "what is done is kept"
            )
        yield part, future.result()
        future.release()
        following = next(waiting, None)
        if following is not None:
            under_way.add(submit(following))


def _run_part(rows: Array) -> list[Outcome]:
    """On a worker: the runs of a part, one after the other."""
    plugin: _Loaded = get_worker().plugins[_PLUGIN]
    runs = plugin.loaded()
    return [runs.run(row) for row in rows]
