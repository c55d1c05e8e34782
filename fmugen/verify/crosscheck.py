"""A Verification as a folder of the FMI cross-check: reference, options, inputs, own results, tolerances.

The layout is that of the fmi-cross-check rules: for the FMU ``Model.fmu``

    Model_ref.csv   the reference solution at evenly spaced times
    Model_ref.opt   start, stop and sample times, and the relative tolerance; numbers only
    Model_in.csv    the inputs, if there are any
    Model_cc.csv    the results of the FMU on the exporting machine, at the same times
    Model_tol.csv   the deviation that an importer may have, for each signal, and why
    README.md       the origin of these files

The reference never comes from the FMU.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fmugen.errors import OutputError
from fmugen.ir.model import SystemModel
from fmugen.signals import Feed
from fmugen.verify.rotations import Array, Indices
from fmugen.verify.simulate import Trajectory
from fmugen.verify.verdict import Deviation, Verification

__all__ = ["CrossCheck", "Signal", "Tolerance", "cross_check_files", "read_cross_check", "signal_tolerances"]

#: Intervals of a reference: enough to see the motion, few enough for a small file.
MOST_INTERVALS = 50
#: With fewer intervals than these a file would not show the motion.
_FEWEST_INTERVALS = 20
#: The deviation that every importer may have, as a part of a signal's scale.
ALLOWED = 1e-5
#: Importers may deviate by so many times the change of the signal under a hundredfold looser tolerance.
SAFETY = 10.0
#: The solver tolerances whose results show how much a motion amplifies errors.
LOOSER = {"solver.relative_tolerance": 1e-10, "solver.absolute_tolerance": 1e-11}
#: The relative tolerance of importers' own solvers. Multistep solvers such as CVode accumulate more error
#: than a one-step solver; at smaller tolerances they fail near singular positions.
IMPORTER_TOLERANCE = 1e-11

_DIGITS = 10


@dataclass(frozen=True)
class Tolerance:
    """The largest absolute deviation allowed for a signal, and its reason."""

    value: float
    reason: str


@dataclass(frozen=True)
class Signal:
    """A signal of a reference, with its unit and the deviation that importers may have."""

    name: str
    unit: str
    reference: Array
    tolerance: Tolerance

    def error(self, values: Array) -> float:
        """The largest deviation as a multiple of the tolerance; angles are compared up to whole turns.

        Values an importer could not read before its first step are NaN and not compared.
        """
        difference = values - self.reference
        if self.unit == "rad":
            difference = np.remainder(difference + np.pi, 2.0 * np.pi) - np.pi
        read = difference[~np.isnan(difference)]
        if len(read) < len(difference) - 1:
            return float("inf")
        return float(np.abs(read).max()) / self.tolerance.value


@dataclass(frozen=True)
class CrossCheck:
    """A reference read from its folder; ``tolerance`` is that of the importers' solvers."""

    model: str
    times: Array
    signals: tuple[Signal, ...]
    tolerance: float

    @property
    def stop(self) -> float:
        return float(self.times[-1])

    @property
    def step(self) -> float:
        return float(self.times[1] - self.times[0])

    def error(self, values: Array) -> float:
        """The largest ratio of error to tolerance in a table with a row per time and a column per signal."""
        return max(signal.error(values[:, column]) for column, signal in enumerate(self.signals))


# --- writing -------------------------------------------------------------------------------------


def signal_tolerances(
    verification: Verification, looser: Trajectory, *, fed: bool = False
) -> dict[str, Tolerance]:
    """The deviations that importers may have: a part of the scale, or more if the motion amplifies errors.

    If inputs are ``fed``, the looser run had only their values at the communication points.
    """
    return {
        signal.name: _tolerance(signal, looser.values[signal.name], fed) for signal in verification.outputs
    }


def _tolerance(signal: Deviation, looser: Array, fed: bool) -> Tolerance:
    change = looser - signal.fmu
    if signal.unit == "rad":
        change = np.remainder(change + np.pi, 2.0 * np.pi) - np.pi
    amplified = SAFETY * float(np.abs(change).max())
    least = ALLOWED * signal.scale
    if amplified <= least:
        return Tolerance(least, f"{ALLOWED:g} of the largest value or range, {signal.scale:.3g}")
    looseness = f"{LOOSER['solver.relative_tolerance']:g}"
    cause = f"a solver tolerance of {looseness}" + (" with inputs set at these times only" if fed else "")
    return Tolerance(amplified, f"{SAFETY:g} times what {cause} changes")


def cross_check_files(
    model: SystemModel,
    verification: Verification,
    tolerances: Mapping[str, Tolerance],
    fed: Feed | None = None,
) -> dict[str, str]:
    """The texts of a folder, by file name, for a verification with the inputs that are fed.

    If inputs change, importers must use the communication points of the FMU: all times are kept.
    """
    values = {} if fed is None else fed.values
    rows = np.arange(len(verification.times)) if values else _samples(verification.times)
    times = verification.times[rows]
    outputs = verification.outputs
    names = [signal.name for signal in outputs]
    files = {
        f"{model.name}_ref.csv": _table(times, names, [signal.reference[rows] for signal in outputs]),
        f"{model.name}_ref.opt": _options(times),
        f"{model.name}_cc.csv": _table(times, names, [signal.fmu[rows] for signal in outputs]),
        f"{model.name}_tol.csv": _tolerance_table(outputs, tolerances),
        "README.md": _page(model, verification, times),
    }
    if model.inputs:
        shown = times if values else times[[0, -1]]
        columns = [values.get(each.name, np.full(len(shown), each.start)) for each in model.inputs]
        files[f"{model.name}_in.csv"] = _table(shown, [entry.name for entry in model.inputs], columns)
    return files


def _samples(times: Array) -> Indices:
    """The indices of the times in a reference: evenly spaced, with the first and the last."""
    intervals = len(times) - 1
    widths = np.diff(times)
    even = np.allclose(widths, widths[0], rtol=1e-6)
    for stride in range(1, intervals // _FEWEST_INTERVALS + 1):
        if even and intervals % stride == 0 and intervals // stride <= MOST_INTERVALS:
            return np.arange(0, intervals + 1, stride, dtype=np.intp)
    # A shorter last step is left out, because importers use equal steps.
    return np.arange(intervals + 1 if even else intervals, dtype=np.intp)


def _table(times: Array, names: Sequence[str], columns: Sequence[Array]) -> str:
    rows = np.column_stack([times, *columns]).tolist()
    return _csv(["time", *names], [[f"{value:.{_DIGITS}g}" for value in row] for row in rows])


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


def _options(times: Array) -> str:
    values = {
        "StartTime": float(times[0]),
        "StopTime": float(times[-1]),
        "StepSize": float(times[1] - times[0]),
        "RelTol": IMPORTER_TOLERANCE,
        "OutputIntervalLength": float(times[1] - times[0]),
    }
    return "".join(f"{name}, {value:.{_DIGITS}g}\n" for name, value in values.items())


def _tolerance_table(outputs: Sequence[Deviation], tolerances: Mapping[str, Tolerance]) -> str:
    return _csv(
        ("signal", "unit", "tolerance", "reason"),
        [
            (
                signal.name,
                signal.unit,
                f"{tolerances[signal.name].value:.3g}",
                tolerances[signal.name].reason,
            )
            for signal in outputs
        ],
    )


def _page(model: SystemModel, verification: Verification, times: Array) -> str:
    how = (
        "differential-algebraic equations in absolute coordinates, integrated with projection onto the "
        "constraints"
        if model.bodies
        else "the tableau of all component equations, integrated as a differential-algebraic system"
    )
    paragraphs = [
        f"# {model.name}",
        model.description,
        f"The reference (`{model.name}_ref.csv`) solves {how}, to a relative tolerance of "
        f"{verification.reference_tolerance:.0e}. It shares no code with the compiler.",
        f"`{model.name}_cc.csv` is the result of the FMU in FMPy; it deviates from the reference by at most "
        f"{verification.largest:.0e} of a signal's scale. `{model.name}_tol.csv` has the deviation that "
        "an importer is allowed, and the reason.",
        f"Run to {times[-1]:g} s with communication steps of {times[1] - times[0]:g} s"
        + (f" and the inputs of `{model.name}_in.csv`." if model.inputs else "."),
    ]
    if verification.skipped:
        names = ", ".join(f"`{name}`" for name in verification.skipped)
        paragraphs.append(f"Without reference, since redundant constraints do not determine it: {names}.")
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph) + "\n"


# --- reading -------------------------------------------------------------------------------------


def read_cross_check(folder: Path) -> CrossCheck:
    """The reference of a folder, with its tolerances.

    Raises
    ------
    OutputError
        If the folder has no reference.
    """
    found = sorted(folder.glob("*_ref.csv"))
    if not found:
        raise OutputError(f"{folder} has no reference: write it with `fmugen cross-check MODEL -o {folder}`")
    name = found[0].name.removesuffix("_ref.csv")
    with found[0].open(encoding="utf-8", newline="") as stream:
        header, *rows = list(csv.reader(stream))
    table = np.array(rows, dtype=np.float64)
    with (folder / f"{name}_tol.csv").open(encoding="utf-8", newline="") as stream:
        limits = {row["signal"]: row for row in csv.DictReader(stream)}
    signals = tuple(
        Signal(
            signal,
            limits[signal]["unit"],
            table[:, column],
            Tolerance(float(limits[signal]["tolerance"]), limits[signal]["reason"]),
        )
        for column, signal in enumerate(header)
        if column > 0
    )
    options = dict(line.split(", ") for line in _lines(folder / f"{name}_ref.opt"))
    return CrossCheck(name, table[:, 0], signals, float(options["RelTol"]))


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
