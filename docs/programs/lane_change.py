"""Draw the lane change of the car as Uchida's figures 6.4 and 6.5 do, from its FMU.

python docs/programs/lane_change.py [examples/vehicle_double_wishbone/lane_change.svg]
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

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/vehicle_double_wishbone"
STOP, STEP = 5.0, 0.02
OUTPUTS = (
    *("x", "y", "roll", "pitch", "front_left.upper_angle", "rear_left.upper_angle"),
    *("front_left.lateral_force", "rear_left.lateral_force"),
)


def panels(found: np.ndarray) -> list[Panel]:
    def over_time(scale: float, **curves: str) -> list[Curve]:
        return [
            Curve(name.replace("_", " "), found["time"], scale * found[of]) for name, of in curves.items()
        ]

    degrees, t = 180 / np.pi, "time [s]"
    turning = over_time(degrees, roll="roll", pitch="pitch")
    arms = over_time(degrees, front_left="front_left.upper_angle", rear_left="rear_left.upper_angle")
    forces = over_time(1e-3, front_left="front_left.lateral_force", rear_left="rear_left.lateral_force")
    return [
        Panel("trajectory", "x [m]", "y [m]", [Curve("", found["x"], found["y"])]),
        Panel("roll and pitch", t, "angle [deg]", turning),
        Panel("upper-arm angles", t, "angle [deg]", arms),
        Panel("lateral tyre forces", t, "force [kN]", forces),
    ]


def main(path: Path) -> None:
    """Run the FMU and write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        fmu = Path(folder) / "car.fmu"
        export_fmu(read_model(EXAMPLE / "model.toml"), fmu, ExportOptions("kingpin"))
        found = fmpy.simulate_fmu(str(fmu), stop_time=STOP, output_interval=STEP, output=list(OUTPUTS))
    write_panels(path, panels(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLE / "lane_change.svg")
