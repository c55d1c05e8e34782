"""Write the model file of the N-four-bar for any number of windows.

The mechanism is the benchmark A02 of the IFToMM library of multibody problems: N + 1 upright rods of
1 m and 1 kg stand 1 m apart on the ground, and N couplers of the same kind join their upper ends.

    python generate.py 5 > five.toml
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

HEADER = """\
# N-four-bar (IFToMM benchmark A02) with {windows} window{plural}; written by generate.py.

[model]
name = "NFourBar{windows}"
description = "{windows} parallelogram window{plural} of uniform rods, passing through singular positions"
gravity = [0, "-g"]

[experiment]
stop = 10.0
step = 0.01
tolerance = 1e-10

[parameters]
g = {{ value = 9.81, unit = "m/s2", description = "acceleration of gravity, along -y" }}
length = {{ value = 1.0, unit = "m", description = "length of every rod and coupler" }}
mass = {{ value = 1.0, unit = "kg", description = "mass of every rod and coupler" }}
start_speed = {{ value = 1.0, unit = "m/s", description = "speed of the upper ends at the start, along +x" }}
"""

BODY = """\
[bodies.{name}]
mass = "mass"
inertia = "mass*length^2/12"
points = {{ {tail} = ["-length/2", 0], {head} = ["length/2", 0] }}
description = "{description}"
"""

REVOLUTE = """\
[joints.{name}]
type = "revolute"
from = "{tail}"
to = "{head}"
description = "{description}"
"""

OUTPUTS = """\
[outputs]
phi = { value = "rod_0.angle", unit = "rad", description = "angle of the rods from the x axis" }
phi_rate = { value = "rod_0.omega", unit = "rad/s", description = "angular velocity of the rods" }
B0_x = { value = "rod_0.B.x", unit = "m", description = "x of the upper end of the first rod" }
B0_y = { value = "rod_0.B.y", unit = "m", description = "y of the upper end of the first rod" }
B0_vx = { value = "rod_0.B.vx", unit = "m/s", description = "x velocity of the upper end of the first rod" }
B0_vy = { value = "rod_0.B.vy", unit = "m/s", description = "y velocity of the upper end of the first rod" }
"""


def model_file(windows: int) -> str:
    """The text of the model file of a mechanism with that many parallelogram windows."""
    sections = [
        HEADER.format(windows=windows, plural="" if windows == 1 else "s"),
        _ground(windows),
        *_bodies(windows),
        *_joints(windows),
        OUTPUTS + _energy(windows),
        _start(windows),
    ]
    return "\n".join(sections)


def _ground(windows: int) -> str:
    points = ", ".join(f'A{index} = ["{index}*length", 0]' for index in range(windows + 1))
    return f"[ground]\npoints = {{ {points} }}\n"


def _bodies(windows: int) -> Iterator[str]:
    for index in range(windows + 1):
        description = f"rod {index}, from the ground upwards along its x axis"
        yield BODY.format(name=f"rod_{index}", tail="A", head="B", description=description)
    for index in range(1, windows + 1):
        description = f"coupler from rod {index - 1} to rod {index}, along its x axis"
        yield BODY.format(name=f"coupler_{index}", tail="left", head="right", description=description)


def _joints(windows: int) -> Iterator[str]:
    for index in range(windows + 1):
        yield REVOLUTE.format(
            name=f"foot_{index}",
            tail=f"ground.A{index}",
            head=f"rod_{index}.A",
            description=f"ground to rod {index}",
        )
    for index in range(1, windows + 1):
        left, right = index - 1, index
        yield REVOLUTE.format(
            name=f"left_{index}",
            tail=f"rod_{left}.B",
            head=f"coupler_{index}.left",
            description=f"rod {left} to coupler {index}",
        )
        yield REVOLUTE.format(
            name=f"right_{index}",
            tail=f"rod_{right}.B",
            head=f"coupler_{index}.right",
            description=f"rod {right} to coupler {index}",
        )


def _energy(windows: int) -> str:
    rods = [f"rod_{index}" for index in range(windows + 1)]
    couplers = [f"coupler_{index}" for index in range(1, windows + 1)]
    bodies = rods + couplers
    squares = " + ".join(f"{body}.vx^2 + {body}.vy^2 + length^2*{body}.omega^2/12" for body in bodies)
    heights = " + ".join(f"{body}.y" for body in bodies)
    formula = f"mass*({squares})/2 + mass*g*({heights})"
    description = "kinetic and potential energy; it is constant"
    return f'energy = {{ value = "{formula}", unit = "J", description = "{description}" }}\n'


def _start(windows: int) -> str:
    upright = [f'"rod_{index}.angle" = "pi/2"' for index in range(1, windows + 1)]
    level = [f'"coupler_{index}.angle" = 0' for index in range(1, windows + 1)]
    fixed = ['"rod_0.angle" = "pi/2"', '"rod_0.omega" = "-start_speed/length"']
    return "\n".join(["[start.fixed]", *fixed, "", "[start.guess]", *upright, *level, ""])


def _number_of_windows(text: str) -> int:
    windows = int(text)
    if windows < 1:
        raise argparse.ArgumentTypeError("at least one window is needed")
    return windows


def main() -> None:
    """Write the model file to the standard output."""
    parser = argparse.ArgumentParser(description="Write the model file of an N-four-bar.")
    parser.add_argument("windows", type=_number_of_windows, help="number of parallelogram windows")
    sys.stdout.write(model_file(parser.parse_args().windows))


if __name__ == "__main__":
    main()
