"""Draw the curves of kinematics and compliance of the rear suspension, from its FMU.

python docs/programs/suspension_curves.py [examples/rear_suspension/curves.svg]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import fmpy
import numpy as np
from panels import Curve, Panel, write_panels

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/rear_suspension"
STOP, STEP = 8.0, 0.04


def panels(found: np.ndarray) -> list[Panel]:
    """Curves over the travel of the wheel, from the static position."""
    design = {name: found[name][0] for name in ("wheel_x", "wheel_y", "wheel_z")}
    moved = {name: 1e3 * (found[name] - design[name]) for name in design}
    travel, across = moved["wheel_z"], "wheel travel [mm]"

    def one(title: str, up: str, values: np.ndarray) -> Panel:
        return Panel(title, across, up, [Curve("", travel, values)])

    degrees = {name: np.degrees(found[name]) for name in ("toe_in", "camber", "caster")}
    return [
        one("toe", "toe-in [deg]", degrees["toe_in"]),
        one("camber", "camber [deg]", degrees["camber"]),
        one("half track", "outward [mm]", moved["wheel_y"]),
        one("wheelbase", "forward [mm]", moved["wheel_x"]),
        one("caster", "caster [deg]", degrees["caster"]),
        one("wheel load", "load [kN]", 1e-3 * found["corner.load"]),
    ]


def main(path: Path) -> None:
    """Run the FMU and write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        fmu = Path(folder) / "rig.fmu"
        export_fmu(read_model(EXAMPLE / "model.toml"), fmu, ExportOptions("kingpin"))
        found = fmpy.simulate_fmu(str(fmu), stop_time=STOP, output_interval=STEP)
    write_panels(path, panels(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLE / "curves.svg")
