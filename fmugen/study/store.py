"""The folder of a study: what it is, and one Parquet file per finished part.

study.json          the fingerprint of the study, and how many parts it has
parts/00000.parquet the runs of a part; it appears complete or not at all
results.parquet     all runs in order, once all parts are there
findings.html       the page of the findings

The folder may hold other files: nothing is removed or replaced but what a study wrote there.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fmugen.errors import OutputError
from fmugen.study.plan import Plan
from fmugen.study.spec import MESSAGE, RUN
from fmugen.study.worker import Outcome

__all__ = ["Store"]

_MANIFEST, _PARTS, _RESULTS, _PAGE = "study.json", "parts", "results.parquet", "findings.html"
#: How the folder is laid out; results of another layout cannot be continued.
_LAYOUT = 2
_PART_NAME = "{:05d}.parquet"
#: Incomplete files that a killed program leaves behind.
_UNFINISHED = re.compile(r"\.[0-9a-f]{8}-(.+)")


@dataclass(frozen=True)
class _Manifest:
    """What ``study.json`` says; the first layout did not tell the number of parts."""

    fingerprint: str
    layout: int = 1
    parts: int | None = None


class Store:
    """The parts of one study in ``folder``, of ``chunk`` runs each."""

    def __init__(self, folder: Path, plan: Plan, measures: Sequence[str], chunk: int) -> None:
        self.folder, self.plan, self.measures, self.chunk = folder, plan, tuple(measures), chunk

    @property
    def parts(self) -> int:
        return -(-self.plan.runs // self.chunk)

    @property
    def results(self) -> Path:
        return self.folder / _RESULTS

    @property
    def page(self) -> Path:
        return self.folder / _PAGE

    def open(self, fingerprint: str, *, fresh: bool) -> None:
        """Prepare the folder, or continue with its results; ``fresh`` removes earlier results first.

        Raises
        ------
        OutputError
            If the folder holds another study or files whose names a study needs, or cannot be written.
        """
        try:
            self._refuse_links()
            known = self._manifest()
            if known is None:
                self._require_free_names()
            elif fresh:
                self._remove(known)
            elif known.layout != _LAYOUT:
                raise OutputError(
                    f"{self.folder} holds results in the layout of another version of fmugen; name another "
                    "folder, or start again with --fresh"
                )
            elif known.fingerprint != fingerprint:
                raise OutputError(
                    f"{self.folder} holds the results of another study, FMU or package; name another "
                    "folder, or start again with --fresh"
                )
            self.folder.mkdir(parents=True, exist_ok=True)
            if known is None or fresh:
                manifest = {"fingerprint": fingerprint, "layout": _LAYOUT, "parts": self.parts}
                self._write(self.folder / _MANIFEST, json.dumps(manifest, indent=2).encode())
            (self.folder / _PARTS).mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self.folder} cannot be used: {error}") from error

    # --- what is in the folder ------------------------------------------------------------------------

    def _refuse_links(self) -> None:
        """A link leads to files outside of the folder, which are not this study's to replace."""
        for name in (_MANIFEST, _PARTS, _RESULTS, _PAGE):
            if (self.folder / name).is_symlink():
                raise OutputError(
                    f"{self.folder / name} is a link: a study does not follow it; name another folder"
                )

    def _manifest(self) -> _Manifest | None:
        """What the folder is, or nothing if no study was here."""
        path = self.folder / _MANIFEST
        if not path.exists():
            return None
        try:
            match json.loads(path.read_text(encoding="utf-8")):
                case {"fingerprint": str(fingerprint), "layout": int(layout), "parts": int(parts)}:
                    return _Manifest(fingerprint, layout, parts)
                case {"fingerprint": str(fingerprint), **rest} if not rest:
                    return _Manifest(fingerprint)
        except ValueError:
            pass
        raise OutputError(f"{path} was not written by a study, and is not replaced: name another folder")

    def _require_free_names(self) -> None:
        folder = self.folder / _PARTS
        taken = [self.results, self.page]
        if not folder.is_dir() or any(folder.iterdir()):
            taken.append(folder)
        for path in taken:
            if path.exists():
                raise OutputError(
                    f"{path} was not written by a study, and is not replaced: name another folder"
                )

    def _remove(self, known: _Manifest) -> None:
        """Remove what a study wrote; its description is replaced afterwards, so that this can be repeated."""
        for path in self._written(known):
            path.unlink(missing_ok=True)
        with suppress(OSError):  # what else is in the folder of the parts stays there
            (self.folder / _PARTS).rmdir()

    def _written(self, known: _Manifest) -> Iterator[Path]:
        yield self.results
        yield self.page
        parts = self.folder / _PARTS
        for folder, is_own in ((self.folder, _is_own_file), (parts, _is_part)):
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                unfinished = _UNFINISHED.fullmatch(path.name)
                if unfinished is not None and is_own(unfinished[1], known):
                    yield path
        for path in sorted(parts.iterdir()) if parts.is_dir() else ():
            if _is_part(path.name, known):
                yield path

    # --- parts ----------------------------------------------------------------------------------------

    def runs_of(self, part: int) -> range:
        return range(part * self.chunk, min((part + 1) * self.chunk, self.plan.runs))

    def missing(self) -> list[int]:
        return [part for part in range(self.parts) if not self._path(part).is_file()]

    def keep(self, part: int, outcomes: Sequence[Outcome]) -> None:
        """Write the results of a part."""
        runs = self.runs_of(part)
        parameters = self.plan.values[runs.start : runs.stop]
        values = np.array([outcome.values for outcome in outcomes], dtype=np.float64)
        columns: dict[str, object] = {RUN: np.arange(runs.start, runs.stop)}
        columns |= {name: parameters[:, k] for k, name in enumerate(self.plan.names)}
        columns |= {name: values[:, k] for k, name in enumerate(self.measures)}
        columns[MESSAGE] = [outcome.message for outcome in outcomes]
        self._write_table(self._path(part), pa.table(columns))

    def gather(self) -> pa.Table:
        """All runs in order, also as one file.

        Raises
        ------
        OutputError
            If a part was changed from outside: every run must be there once.
        """
        try:
            table = pa.concat_tables([pq.read_table(self._path(part)) for part in range(self.parts)])
            runs = table[RUN].to_pylist()
        except (KeyError, OSError, pa.ArrowException) as error:
            raise OutputError(
                f"{self.folder}/parts cannot be read: {error}; start again with --fresh"
            ) from error
        if runs != list(range(self.plan.runs)):
            raise OutputError(f"{self.folder}/parts does not hold every run once; start again with --fresh")
        self._write_table(self.results, table)
        return table

    def _path(self, part: int) -> Path:
        return self.folder / _PARTS / _PART_NAME.format(part)

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


def _is_own_file(name: str, known: _Manifest) -> bool:
    return name in (_MANIFEST, _RESULTS, _PAGE)


def _is_part(name: str, known: _Manifest) -> bool:
    match = re.fullmatch(r"([0-9]{5,})\.parquet", name)
    if match is None or name != _PART_NAME.format(int(match[1])):
        return False
    return known.parts is None or int(match[1]) < known.parts
