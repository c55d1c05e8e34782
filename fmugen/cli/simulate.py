"""``fmugen simulate``: run a model or an FMU, show and keep the results."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from fmugen.api import experiment_of
from fmugen.cli.files import replacing, require_writable, write_text
from fmugen.cli.signals import assignment, input_files, read_inputs, require_known
from fmugen.cli.terminal import Phases, print_line, print_table, print_warning
from fmugen.ir.options import ExportOptions, InterfaceType
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.signals import feed
from fmugen.verify.fmu_file import FmuFile, read_fmu
from fmugen.verify.simulate import Trajectory, communication_points, simulate_fmu
from fmugen.view.trajectory import plot_trajectory

__all__ = ["Run", "exported", "simulate_model"]


@dataclass(frozen=True)
class Run:
    """The options of a run: ``settings`` and ``inputs`` as written on the command line."""

    stop: float | None
    step: float | None
    settings: tuple[str, ...]
    inputs: tuple[str, ...]
    output: Path | None
    plot: Path | None


def simulate_model(path: Path, run: Run) -> None:
    """Run a model file (exported on the way) or an FMU."""
    require_writable(run.output, path, *input_files(run.inputs))
    require_writable(run.plot)
    with ExitStack() as stack:
        phases = stack.enter_context(Phases())
        if path.suffix.lower() != ".fmu":
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fmugen-"))
            path = exported(path, Path(folder), phases)
        fmu = read_fmu(path)
        stop, step = experiment_of(fmu, run.stop, run.step)
        parameters = _parameters(run.settings, fmu)
        signals = read_inputs(run.inputs, fmu.names("input"))
        inputs = feed(signals, fmu.chains(), communication_points(stop, step))
        recorded = fmu.names("output") or fmu.names("local")
        with phases.phase("simulate"):
            trajectory = simulate_fmu(
                path, stop=stop, step=step, outputs=recorded, parameters=parameters, inputs=inputs
            )
    for note in inputs.notes:
        print_warning(note)
    _print_results(fmu, trajectory)
    _keep(fmu, trajectory, run)


def exported(path: Path, folder: Path, phases: Phases) -> Path:
    """The FMU of a model file for co-simulation, made in ``folder``."""
    with phases.phase("read"):
        model = read_model(path)
    options = ExportOptions(interfaces=(InterfaceType.CO_SIMULATION,))
    return export_fmu(model, folder / f"{model.name}.fmu", options, phases).path


# --- what to run ----------------------------------------------------------------------------------


def _parameters(settings: Iterable[str], fmu: FmuFile) -> dict[str, float]:
    known = fmu.names("parameter")
    values = {}
    for setting in settings:
        name, value = assignment(setting, "--set")
        require_known(name, known, "parameter", "--set")
        values[name] = value
    return values


# --- results --------------------------------------------------------------------------------------


def _print_results(fmu: FmuFile, trajectory: Trajectory) -> None:
    for message in trajectory.messages:
        print_warning(f"the FMU says: {message}")
    times = trajectory.times
    print_table(
        f"{fmu.name}: {len(times)} points from {times[0]:g} s to {times[-1]:g} s",
        ("variable", "unit", ">final", ">smallest", ">largest"),
        (
            (name, fmu.unit(name), f"{column[-1]:.6g}", f"{column.min():.6g}", f"{column.max():.6g}")
            for name, column in trajectory.values.items()
        ),
    )


def _keep(fmu: FmuFile, trajectory: Trajectory, run: Run) -> None:
    if run.output is not None:
        write_text(run.output, _csv(trajectory))
        print_line(f"results: {run.output}")
    if run.plot is not None:
        units = {name: fmu.unit(name) for name in trajectory.values}
        with replacing(run.plot) as temporary:
            plot_trajectory(fmu.name, trajectory, units, temporary)
        print_line(f"plot: {run.plot}")


def _csv(trajectory: Trajectory) -> str:
    """Numbers as the shortest text that reads back exactly."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", *trajectory.values])
    columns = [trajectory.times.tolist(), *(column.tolist() for column in trajectory.values.values())]
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()
