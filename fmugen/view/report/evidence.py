"""A run of the FMU: the comparison with the reference, as a table and as plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fmugen.verify.rotations import Array
from fmugen.view.report.markup import ReportSection, data, heading, packed, paragraph, section, table

if TYPE_CHECKING:
    from fmugen.verify.energy import EnergyBalance
    from fmugen.verify.network.power import PowerBalance
    from fmugen.verify.verdict import Deviation, Verification

__all__ = ["Evidence", "Verdict", "verdict_of", "verification_section"]

_REFERENCE, _FMU, _ERROR = "#b8c4d6", "#1f4e9c", "#b5432a"
#: Below this a deviation is rounding, and a logarithm would show nothing else.
_ROUNDING = 1e-17
#: More samples than this are not seen on a screen.
_MOST_SAMPLES = 1500
#: Names of more lines than this fill a plot.
_MOST_NAMES = 16


@dataclass(frozen=True)
class Evidence:
    """A run of an FMU: its outputs and the poses of its bodies over time, and the outcome of the comparison.

    Without ``verification``, ``failure`` says why there is none.
    """

    times: Array
    values: Mapping[str, Array]
    units: Mapping[str, str]
    verification: Verification | None
    failure: str = ""

    @staticmethod
    def of(verification: Verification) -> Evidence:
        """The run that a verification judged."""
        signals = (*verification.outputs, *verification.bodies)
        values = {signal.name: signal.fmu for signal in signals} | dict(verification.deflections)
        units = {signal.name: signal.unit for signal in verification.outputs}
        return Evidence(verification.times, values, units, verification)


@dataclass(frozen=True)
class Verdict:
    """The outcome in a word and in a sentence."""

    word: str
    sentence: str


def verdict_of(evidence: Evidence) -> Verdict:
    verification = evidence.verification
    if verification is None:
        return Verdict("open", f"not compared with the reference: {evidence.failure}")
    if verification.doubt is not None:
        return Verdict("open", verification.sentence)
    return Verdict("passed" if verification.passed else "failed", verification.sentence)


def verification_section(evidence: Evidence) -> ReportSection:
    """The verdict, the deviations, and plots of both motions."""
    verification = evidence.verification
    plots = list(_plots(evidence))
    places = "\n".join(f'<div class="plot" id="plot-{number}"></div>' for number in range(len(plots)))
    document = {"times": packed(_thinned(evidence.times)), "plots": [plot.document() for plot in plots]}
    words = [paragraph(verdict_of(evidence).sentence)]
    if verification is not None:
        words += [*map(paragraph, verification.problems), *_tables(verification)]
    return section(
        "Verification",
        *words,
        heading(
            "The FMU over the reference: thin and dark over wide and pale" if verification else "The FMU"
        ),
        f'<div class="plots">{places}</div>',
        data("plots-data", document),
    )


def _tables(verification: Verification) -> Iterator[str]:
    yield table((), _figures(verification))
    yield table(
        ("output", "unit", "largest deviation", "at time [s]"),
        (
            (signal.name, signal.unit, f"{signal.largest:.1e}", f"{verification.times[signal.where]:g}")
            for signal in verification.outputs
        ),
    )
    if verification.looseness:
        yield table(
            ("relative tolerance of the solver", "largest deviation", "allowed"),
            (
                (
                    f"{run.tolerance:g}, default of the FMU" if run.is_default else f"{run.tolerance:g}",
                    "did not end" if run.stopped else f"{run.deviation:.1e}",
                    f"{run.allowed:.1e}",
                )
                for run in verification.looseness
            ),
        )
    for message in verification.messages:
        yield paragraph(f"the FMU says: {message}")


def _figures(verification: Verification) -> Iterator[tuple[str, str]]:
    for name, number in verification.figures():
        yield name, f"{number:.1e}"
    yield "run", f"{verification.times[-1]:g} s, {len(verification.times)} samples"
    yield "relative tolerance of the reference", f"{verification.reference_tolerance:g}"
    if verification.skipped:
        yield "not compared, since not unique", ", ".join(verification.skipped)


# --- plots ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    name: str
    values: Array
    colour: str | None
    width: float


@dataclass(frozen=True)
class _Plot:
    """Lines over the times of the run; ``wide`` plots take the whole width of the page."""

    title: str
    lines: tuple[_Line, ...]
    logarithmic: bool = False
    wide: bool = False
    named: bool = False

    def document(self) -> dict[str, object]:
        return {
            "title": self.title,
            "logarithmic": self.logarithmic,
            "wide": self.wide,
            "named": self.named and len(self.lines) <= _MOST_NAMES,
            "lines": [self._line(line) for line in self.lines],
        }

    def _line(self, line: _Line) -> dict[str, object]:
        values = np.maximum(_peaks(line.values), _ROUNDING) if self.logarithmic else _thinned(line.values)
        text = packed(values)
        return {"name": line.name, "values": text, "colour": line.colour, "width": line.width}


def _plots(evidence: Evidence) -> Iterator[_Plot]:
    verification = evidence.verification
    if verification is None:
        for name, unit in evidence.units.items():
            yield _Plot(_titled(name, unit), (_Line("FMU", evidence.values[name], _FMU, 1.6),))
        return
    for signal in verification.outputs:
        lines = (
            _Line("reference", signal.reference, _REFERENCE, 5.0),
            _Line("FMU", signal.fmu, _FMU, 1.6),
        )
        yield _Plot(_titled(signal.name, signal.unit), lines)
    deviations = tuple(_deviations(verification))
    title = "deviations, as parts of their signals' scales"
    yield _Plot(title, deviations, logarithmic=True, wide=True, named=True)
    if verification.closure is not None:
        residual = (_Line("closure residual", np.abs(verification.closure), _ERROR, 1.2),)
        yield _Plot("closure residual, as the FMU reports it [m or rad]", residual, logarithmic=True)
    if verification.energy is not None:
        yield from _energy_plots(verification.energy)
    if verification.power is not None:
        yield _power_plot(verification.power)


def _deviations(verification: Verification) -> Iterator[_Line]:
    """A line for each output, body and component: of the latter the largest deviation of all its signals."""
    for signal in verification.outputs:
        yield _Line(signal.name, signal.errors, None, 1.0)
    for signals, prefix in ((verification.bodies, "pose of "), (verification.components, "")):
        for owner in dict.fromkeys(map(_owner, signals)):
            errors = [signal.errors for signal in signals if _owner(signal) == owner]
            yield _Line(f"{prefix}{owner}", np.max(errors, axis=0), None, 1.0)


def _owner(signal: Deviation) -> str:
    return signal.name.rpartition(".")[0]


def _energy_plots(energy: EnergyBalance) -> Iterator[_Plot]:
    imbalance = (_Line("energy imbalance", np.abs(energy.imbalance), _ERROR, 1.2),)
    yield _Plot("energy imbalance, as a part of the turnover", imbalance, logarithmic=True)
    parts = (
        _Line("kinetic", energy.kinetic, None, 1.4),
        _Line("potential, since the start", energy.potential - energy.potential[0], None, 1.4),
        _Line("work done on the mechanism", energy.work, None, 1.4),
    )
    yield _Plot("energy of the FMU's motion [J]", parts, wide=True, named=True)


def _power_plot(power: PowerBalance) -> _Plot:
    """Tellegen's theorem: the powers of all edges of a discipline sum to zero."""
    lines = tuple(_Line(name, np.abs(values), None, 1.2) for name, values in power.imbalance.items())
    return _Plot("sum of all powers, as a part of what flows", lines, logarithmic=True, named=True)


def _titled(name: str, unit: str) -> str:
    return name if unit == "1" else f"{name} [{unit}]"


def _stride(values: Array) -> int:
    return -(-len(values) // _MOST_SAMPLES)


def _thinned(values: Array) -> Array:
    """Evenly chosen samples, as many as a screen can show."""
    return values[:: _stride(values)]


def _peaks(values: Array) -> Array:
    """The largest of each group of samples, so that thinning keeps error peaks."""
    stride = _stride(values)
    return np.array([values[first : first + stride].max() for first in range(0, len(values), stride)])
