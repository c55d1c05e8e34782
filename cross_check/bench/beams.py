"""Beams against exact solutions, geometrically exact beams, the judge and Exudyn.

    cd cross_check; python -m bench.beams [PART ...] [--output FILE]

Every part prints a table. The examples are exported with other shapes and parameters; ``tests/data/flexible``
has converged solutions. Exudyn is compared where it is installed: with beams of absolute nodal coordinates
and its implicit second-order steps. Its driver is a function of Python, so its times are too long by that.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from zipfile import ZipFile

import fmpy
import numpy as np
from numpy.typing import NDArray
from pages import kept_page, names_and_page
from scipy.linalg import eigh

from bench.peers.exudyn_beam import SpinUp, exudyn_spin_up
from bench.timing import nanoseconds_of_steps, stopwatch
from fmugen.components.shapes import SUPPORTS, tables
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, FmiVersion, Solver
from fmugen.ir.platform import host_platform
from fmugen.phases.read import parse_model, read_model
from fmugen.pipeline import Compilation, export_fmu
from fmugen.trees.price import program_cost
from fmugen.verify.compare import verify_fmu
from fmugen.verify.exact import exact_motion
from fmugen.verify.reference import solve_reference
from fmugen.verify.simulate import Run, Trajectory, simulate_runs

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
DATA = ROOT / "tests" / "data" / "flexible"
Array = NDArray[np.float64]
Table = NDArray[np.void]
#: Roots of the frequency equations of uniform beams, which are the square roots of frequencies.
EXACT = {
    "cantilever": (1.875104068711961, 4.694091132974174, 7.854757438237613, 10.995540734875467),
    "chord": tuple(np.pi * k for k in range(1, 5)),
    "pinned": (3.926602312047919, 7.068582745628732, 10.210176122813031, 13.351768777754094),
    "free": (4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464),
}
#: The rigid motions that a frame leaves: displacement of the base, and rotation about it.
RIGID = {"cantilever": (), "chord": (), "pinned": (1,), "free": (0, 1)}
#: The examples with flexible bodies, and how long they are judged.
JUDGED = {
    "flexible_slider_crank": 0.02,
    "flexible_four_bar": 0.1,
    "flexible_manipulator": 0.1,
    "flexible_spatial_slider_crank": 0.03,
    "gravity_cantilever": 0.2,
    "spin_up_beam": 1.0,
    "modal_panel": 0.2,
}


# --- tools ------------------------------------------------------------------------------------------------


def text_of(name: str) -> str:
    return (EXAMPLES / name / "model.toml").read_text(encoding="utf-8")


def changed(name: str, lines: str = "", replacements: Mapping[str, str] | None = None) -> SystemModel:
    """An example with more lines in its beams."""
    text = text_of(name)
    for old, new in (replacements or {}).items():
        if old not in text:
            raise SystemExit(f"{name} has no {old}")
        text = text.replace(old, new)
    return parse_model(text.replace('type = "beam"', f'type = "beam"\n{lines}'), f"{name}.toml")


class Exports:
    """FMUs in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count = folder, 0

    def __call__(self, model: SystemModel, options: ExportOptions | None = None) -> Path:
        self._count += 1
        path = self._folder / f"{self._count}.fmu"
        export_fmu(model, path, options or ExportOptions("aac"))
        return path


def run(path: Path, stop: float, step: float, **options: object) -> Table:
    """A run with tight tolerances."""
    settings: dict[str, object] = {"relative_tolerance": 1e-9, **options}
    found: Table = fmpy.simulate_fmu(str(path), stop_time=stop, output_interval=step, **settings)
    return found


def converged(name: str) -> Table:
    found: Table = np.genfromtxt(DATA / f"{name}.csv", delimiter=",", names=True, skip_header=1)
    return found


def part_of_peak(values: Array, exact: Array) -> float:
    return float(np.abs(values - exact).max() / np.abs(exact).max())


def table(title: str, head: Sequence[str], rows: Iterator[Sequence[object]]) -> None:
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def percent(part: float) -> str:
    return f"{100.0 * part:.3g} %"


# --- parts ------------------------------------------------------------------------------------------------


def frequencies(exports: Exports) -> None:
    """Of the default shapes, with the rigid motions that joints leave."""

    def rows() -> Iterator[Sequence[object]]:
        for supports in SUPPORTS:
            found = tables(supports, "ritz", 4)
            coupling = np.array([found.c1, found.c2], dtype=float)
            mass = np.block(
                [
                    [np.array([[1.0, 0.5], [0.5, 1.0 / 3.0]]), coupling],
                    [coupling.T, np.array(found.mass, dtype=float)],
                ]
            )
            stiffness = np.zeros((6, 6))
            stiffness[2:, 2:] = np.array(found.stiffness, dtype=float)
            kept = np.ix_([*RIGID[supports], 2, 3, 4, 5], [*RIGID[supports], 2, 3, 4, 5])
            squares = eigh(stiffness[kept], mass[kept], eigvals_only=True)[-4:]
            errors = np.sqrt(squares) / np.array(EXACT[supports]) ** 2 - 1.0
            yield supports, *(f"{100.0 * error:.1e} %" for error in errors)

    title = "Errors of the four lowest frequencies with four Ritz modes (goal: 0.1 %)"
    table(title, ("supports", "1", "2", "3", "4"), rows())


#: A cantilever at rest under a force, a torque and its weight.
STATIC = """
[model]
name = "Static"
gravity = [0, "-weight"]
[parameters]
weight = 0
force = 0
torque = 0
[bodies.rod]
type = "beam"
basis = "BASIS"
length = 0.8
density = 7850
modulus = 2.1e11
width = 0.02
height = 0.005
points.tip = [0.8, 0]
[joints.clamp]
type = "weld"
from = "ground"
to = "rod"
[forces.load]
type = "force"
on = "rod.tip"
value = [0, "force"]
[forces.bend]
type = "torque"
on = "rod.tip"
value = "torque"
[start]
steady = true
[outputs]
tip = "rod.tip.deflection"
"""


def statics(exports: Exports) -> None:
    """Loads whose deflections are polynomials up to the fourth degree."""
    rigidity, line = 2.1e11 * 0.02 * 0.005**3 / 12.0, 7850.0 * 0.02 * 0.005
    exact = {
        "force": 1.0 * 0.8**3 / (3.0 * rigidity),
        "torque": 1.0 * 0.8**2 / (2.0 * rigidity),
        "weight": -1.0 * line * 0.8**4 / (8.0 * rigidity),
    }

    def rows() -> Iterator[Sequence[object]]:
        for basis in ("taylor", "chebyshev", "legendre"):
            path = exports(parse_model(STATIC.replace("BASIS", basis), "static.toml"))
            tips = {load: float(run(path, 1e-3, 1e-3, start_values={load: 1.0})["tip"][0]) for load in exact}
            yield basis, *(f"{abs(tips[load] / exact[load] - 1.0):.1e}" for load in exact)

    title = "Relative errors of static tip deflections of three polynomials (goal: 1e-9)"
    table(title, ("basis", *exact), rows())


def spin_up(exports: Exports) -> None:
    """Kane, Ryan and Banerjee, with a constant speed after 15 s."""
    known = converged("spinup_krb")
    motion = "speed/rise*(time^2/2 + (rise/(2*pi))^2*(cos(2*pi*time/rise) - 1))"
    late = f"{motion.replace('time', 'min(time, rise)')} + speed*max(time - rise, 0)"

    def rows() -> Iterator[Sequence[object]]:
        for lines in ("shapes = 1", "shapes = 2", "", "shapes = 4", "shapes = 6", "axial_shapes = 2"):
            found = run(exports(changed("spin_up_beam", lines, {motion: late})), 20.0, 0.05)
            exact = {
                name: np.interp(found["time"], known["time"], known[name])
                for name in ("deflection", "extension")
            }
            along = found["x"] * np.cos(found["angle"]) + found["y"] * np.sin(found["angle"]) - 8.0
            steady = found["time"] > 16.0
            means = [float(np.mean(values[steady])) for values in (along, exact["extension"])]
            yield (
                lines or "shapes = 3",
                percent(part_of_peak(found["deflection"], exact["deflection"])),
                percent(part_of_peak(along, exact["extension"])),
                f"{means[0]:.4g} m",
                f"{means[1]:.4g} m"
                + (f" ({percent(means[0] / means[1] - 1.0)})" if "axial" in lines else ""),
            )

    title = "Spin-up: deviations as parts of the peaks, and the mean extension after 16 s (goals: 1 %, 1 %)"
    table(title, ("shapes", "tip", "extension", "steady", "steady, exact"), rows())


def slider_crank(exports: Exports) -> None:
    """Léger A.5; data of rods of both diameters, of steel and of a material that stretches a hundredth."""
    cases = (
        ("shapes = 1", "0.006", "slidercrank_d6_inextensible"),
        ("shapes = 2", "0.006", "slidercrank_d6_inextensible"),
        ("shapes = 3", "0.006", "slidercrank_d6_inextensible"),
        ("shapes = 4", "0.006", "slidercrank_d6_inextensible"),
        ("shapes = 3", "0.006", "slidercrank_d6"),
        ("shapes = 3", "0.003", "slidercrank_d3_inextensible"),
    )

    def rows() -> Iterator[Sequence[object]]:
        made: dict[str, Path] = {}
        for lines, diameter, name in cases:
            known = converged(name)
            if lines not in made:
                made[lines] = exports(changed("flexible_slider_crank", lines))
            start = {"diameter": float(diameter)}
            found = run(made[lines], 1.0 / 15.0, 1.0 / 7500.0, start_values=start)
            places = np.rint(7500.0 * found["time"]).astype(int)
            # The base of the example's rod is at the slider.
            middle = part_of_peak(-found["middle"], known["mid_deflection"][places])
            slider = part_of_peak(found["slider_x"], known["slider_x"][places])
            largest = float(np.abs(known["mid_deflection"]).max()) / 0.3
            yield lines, f"{name}.csv", percent(largest), percent(middle), percent(slider)

    title = "Slider-crank of Léger A.5: deviations as parts of the peaks (goal: middle 0.5 %, 6 mm, 3 shapes)"
    head = ("shapes", "converged solution", "peak by length", "middle of the rod", "slider")
    table(title, head, rows())


def judged_exactly(exports: Exports) -> None:
    """Examples against the judge's geometrically exact beams."""
    cases = {"gravity_cantilever": 0.1, "flexible_four_bar": 0.02}

    def rows() -> Iterator[Sequence[object]]:
        for name, stop in cases.items():
            model = read_model(EXAMPLES / name / "model.toml")
            times = np.linspace(0.0, stop, 31)
            exact = exact_motion(model, times, tolerance=1e-2)
            found = run(exports(model), stop, stop / 30.0)
            for output in exact.change:
                part = percent(exact.deviation(output, found[output]))
                yield name, output, exact.elements, part, percent(exact.change[output])

    title = "Examples against the judge's geometrically exact beams, as parts of the peaks"
    table(title, ("example", "output", "elements", "deviation", "change by refinement"), rows())


def verified(exports: Exports) -> None:
    """All examples with flexible bodies, in both standards and both types."""

    def rows() -> Iterator[Sequence[object]]:
        for name, stop in JUDGED.items():
            model = read_model(EXAMPLES / name / "model.toml")
            paths = {version: exports(model, ExportOptions("aac", fmi=version)) for version in FmiVersion}
            verdict = verify_fmu(model, paths[FmiVersion.TWO], stop=stop, loose=())
            cells = [f"{verdict.largest:.1e}{'' if verdict.passed else ' FAILED'}"]
            others = [
                (FmiVersion.TWO, "ModelExchange"),
                (FmiVersion.THREE, "CoSimulation"),
                (FmiVersion.THREE, "ModelExchange"),
            ]
            for version, interface in others:
                names = [each.name for each in verdict.outputs]
                wanted = Run(stop, model.experiment.step, names, interface=interface, tolerance=1e-10)
                (made,) = simulate_runs(paths[version], [wanted])
                if not isinstance(made, Trajectory):
                    cells.append(f"FAILED: {made}")
                    continue
                errors = [
                    float(np.max(np.abs(made.values[each.name] - each.reference))) / each.scale
                    for each in verdict.outputs
                ]
                cells.append(f"{max(errors):.1e}{'' if max(errors) < 1e-6 else ' FAILED'}")
            energy = "" if verdict.energy is None else f"{verdict.energy.largest:.1e}"
            yield name, f"{stop:g} s", *cells, energy

    title = (
        "Largest deviation from the judge (goal: 1e-6), and imbalance of energy (goal: 1e-8 where no work of "
        "dampers and inputs is integrated over the samples: the first, second, fourth and sixth row)"
    )
    head = ("example", "stop", "FMI 2 CS", "FMI 2 ME", "FMI 3 CS", "FMI 3 ME", "energy")
    table(title, head, rows())


def stiff(exports: Exports) -> None:
    """A damped rod that gravity bends and stretches, with steps of at most a millisecond."""

    def rows() -> Iterator[Sequence[object]]:
        lines = "axial_shapes = 2\ndamping = 1e-3"
        model = changed("gravity_cantilever", lines, {"[0, -9.81]": "[5, -9.81]"})
        exact = run(exports(model), 0.2, 0.01, relative_tolerance=1e-9)
        for solver in (Solver.RODAS3, Solver.DOPRI5, Solver.RK4):
            path = exports(model, ExportOptions("aac", solver=solver, step=1e-3))
            try:
                found = run(path, 0.2, 0.01, relative_tolerance=1e-4, output=["tip", "solver.steps"])
                error = percent(part_of_peak(found["tip"], exact["tip"]))
                yield solver.value, f"{found['solver.steps'][-1]:.0f}", error
            except fmpy.fmi1.FMICallException:
                yield solver.value, "", "the FMU stops"

    title = (
        "A damped beam with axial modes of 8e3 and 2.6e4 rad/s: 0.2 s, steps of at most 1 ms, tolerance 1e-4"
    )
    table(title, ("solver", "steps", "deviation of the tip as a part of its peak"), rows())


def parameters(exports: Exports) -> None:
    """Parameters of an FMU against the reference of the changed model."""

    def rows() -> Iterator[Sequence[object]]:
        cases = {
            "spin_up_beam": (("length", "modulus", "area", "second_moment", "density"), 1.0),
            "flexible_slider_crank": (("rod_length", "diameter", "modulus"), 0.01),
        }
        for name, (keys, stop) in cases.items():
            model = read_model(EXAMPLES / name / "model.toml")
            path = exports(model)
            defaults = {each.name: each.value for each in model.parameters}
            for key in keys:
                value = 1.1 * defaults[key]
                reference = solve_reference(model, np.linspace(0.0, stop, 6), parameters={key: value})
                found = run(path, stop, stop / 5.0, start_values={key: value}, relative_tolerance=1e-11)
                errors = [
                    part_of_peak(found[output], values)
                    for output, values in reference.outputs.items()
                    if np.any(values)
                ]
                yield name, key, f"{max(errors):.1e}"

    title = "Parameters increased by 10 %: deviation from the reference of the changed model"
    table(title, ("example", "parameter", "largest deviation"), rows())


def chains(exports: Exports) -> None:
    """Beams that hang on each other by hinges."""

    def model(count: int) -> SystemModel:
        text = f'[model]\nname = "Chain{count}"\ngravity = [0, -9.81]\n'
        for number in range(count):
            below = "ground" if number == 0 else f"b{number - 1}.tip"
            text += (
                f'[bodies.b{number}]\ntype = "beam"\nsupports = "pinned"\nshapes = 2\nlength = 1\n'
                f"density = 2700\nmodulus = 7e9\ndiameter = 0.02\npoints.tip = [1, 0]\n"
                f'[joints.j{number}]\ntype = "revolute"\nfrom = "{below}"\nto = "b{number}"\n'
            )
        return parse_model(text, "chain.toml")

    def rows() -> Iterator[Sequence[object]]:
        for count in (1, 2, 4, 8):
            cost = program_cost(Compilation(model(count), ExportOptions("aac")).program)
            yield count, cost.operations, f"{cost.operations / count:.0f}"

    title = "Operations of a right-hand side of a chain of beams (goal: in proportion to their number)"
    table(title, ("beams", "operations", "for each beam"), rows())


def peer(exports: Exports) -> None:
    """The spin-up in Exudyn, in the same run."""
    known = converged("spinup_krb")
    times = np.linspace(0.0, 15.0, 151)
    exact = np.interp(times, known["time"], known["deflection"])

    def ours() -> Iterator[Sequence[object]]:
        with tempfile.TemporaryDirectory() as name:
            program = stopwatch(Path(name))
            for shapes in (2, 3, 4):
                path = exports(changed("spin_up_beam", f"shapes = {shapes}"))
                found = run(path, 15.0, 0.1, relative_tolerance=None)
                error = part_of_peak(found["deflection"], exact)
                library = Path(name) / f"{shapes}{host_platform().library_suffix}"
                with ZipFile(path) as archive:
                    member = next(m for m in archive.namelist() if m.endswith(host_platform().library_suffix))
                    library.write_bytes(archive.read(member))
                    described = archive.read("modelDescription.xml").decode("utf-8")
                guid = re.search('guid="([^"]+)"', described)
                if guid is None:
                    raise SystemExit("the FMU has no guid")
                (spent,) = nanoseconds_of_steps(program, [(library, guid.group(1))], 15.0, 5, 150)
                if isinstance(spent, str):
                    raise SystemExit(spent)
                yield (
                    "fmugen",
                    f"{shapes} shapes",
                    "150 (of communication)",
                    percent(error),
                    *_times(spent, 150),
                )

    def theirs() -> Iterator[Sequence[object]]:
        for elements, steps in ((4, 2000), (4, 8000), (8, 8000)):
            found = exudyn_spin_up(SpinUp(), elements, steps, times)
            if found is None:
                yield "Exudyn", "is not installed", "", "", "", ""
                return
            error = part_of_peak(found.deflection, exact)
            yield "Exudyn", f"{elements} elements", steps, percent(error), *_times(1e9 * found.seconds, steps)

    def rows() -> Iterator[Sequence[object]]:
        yield from ours()
        yield from theirs()

    title = "Spin-up beside Exudyn (ANCFCable2D): error of the tip as a part of its peak, and CPU time"
    table(title, ("program", "beam", "steps", "error", "15 s take", "a step takes"), rows())


def _times(nanoseconds: float, steps: int) -> tuple[str, str]:
    return f"{1e-6 * nanoseconds:.3g} ms", f"{1e-3 * nanoseconds / steps:.3g} µs"


PARTS: dict[str, Callable[[Exports], None]] = {
    each.__name__: each
    for each in (
        frequencies,
        statics,
        spin_up,
        slider_crank,
        judged_exactly,
        verified,
        stiff,
        parameters,
        chains,
        peer,
    )
}


def main(arguments: list[str]) -> int:
    names, page = names_and_page("bench.beams", arguments, list(PARTS))
    with kept_page(page), tempfile.TemporaryDirectory() as folder:
        for name in names or PARTS:
            PARTS[name](Exports(Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
