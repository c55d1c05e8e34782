"""The folder of a study: what it is, and one Parquet file per finished part.

study.json          the fingerprint of the study
parts/00000.parquet the runs of a part; it appears complete or not at all
results.parquet     all runs in order, once all parts are there
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fmugen.errors import OutputError
from fmugen.study.plan import Plan
from fmugen.study.worker import Outcome

__all__ = ["Store"]


class Store:
    """The parts of one study in ``folder``, of ``chunk`` runs each."""

    def __init__(self, folder: Path, plan: Plan, measures: Sequence[str], chunk: int) -> None:
        self.folder, self.plan, self.measures, self.chunk = folder, plan, tuple(measures), chunk

    @property
    def parts(self) -> int:
        return -(-self.plan.runs // self.chunk)

    @property
    def results(self) -> Path:
        return self.folder / "results.parquet"

    def open(self, fingerprint: str, *, fresh: bool) -> None:
        """Make the folder ready, or take up what is in it.

        Raises
        ------
        OutputError
            If the folder holds another study, or cannot be written.
        """
        manifest = self.folder / "study.json"
        try:
            if fresh and manifest.is_file():
                shutil.rmtree(self.folder)
            (self.folder / "parts").mkdir(parents=True, exist_ok=True)
            if not manifest.exists():
                self._write(manifest, json.dumps({"fingerprint": fingerprint}, indent=2).encode())
            known = json.loads(manifest.read_text(encoding="utf-8")).get("fingerprint")
        except (OSError, ValueError) as error:
            raise OutputError(f"{self.folder} cannot be used: {error}") from error
        if known != fingerprint:
            raise OutputError(
                f"{self.folder} holds the results of another study, FMU or package; name another "
                "folder, or begin anew with --fresh"
            )

    def runs_of(self, part: int) -> range:
        return range(part * self.chunk, min((part + 1) * self.chunk, self.plan.runs))

    def missing(self) -> list[int]:
        return [part for part in range(self.parts) if not self._path(part).is_file()]

    def keep(self, part: int, outcomes: Sequence[Outcome]) -> None:
        """Write the results of a part."""
        runs = self.runs_of(part)
        parameters = self.plan.values[runs.start : runs.stop]
        values = np.array([outcome.values for outcome in outcomes], dtype=np.float64)
        columns: dict[str, object] = {"run": np.arange(runs.start, runs.stop)}
        columns |= {name: parameters[:, k] for k, name in enumerate(self.plan.names)}
        columns |= {name: values[:, k] for k, name in enumerate(self.measures)}
        columns["message"] = [outcome.message for outcome in outcomes]
        self._write_table(self._path(part), pa.table(columns))

    def gather(self) -> pa.Table:
        """All runs in order, also as one file.

        Raises
        ------
        OutputError
            If a part was changed from outside: every run must be there once.
        """
        table = pa.concat_tables([pq.read_table(self._path(part)) for part in range(self.parts)])
        if table["run"].to_pylist() != list(range(self.plan.runs)):
            raise OutputError(f"{self.folder}/parts does not hold every run once; begin anew with --fresh")
        self._write_table(self.results, table)
        return table

    def _path(self, part: int) -> Path:
        return self.folder / "parts" / f"{part:05d}.parquet"

    def _write_table(self, path: Path, table: pa.Table) -> None:
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink)
        self._write(path, sink.getvalue().to_pybytes())

    def _write(self, path: Path, content: bytes) -> None:
        temporary = path.with_name(f".{secrets.token_hex(4)}-{path.name}")
        try:
            temporary.write_bytes(content)
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error
