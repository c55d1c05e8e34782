"""The rear suspension on its rig: curves of kinematics and compliance against formulas."""

from __future__ import annotations

import fmpy
import numpy as np
import pytest

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import model_from_tables
from fmugen.verify.compare import verify_fmu
from tests.fmu.test_tyre import BRUSH
from tests.store import exported
from tests.support import example, trees_of

NAME = "rear_suspension"
#: Hard points of table A.7 of Uchida, in m.
POINTS = {
    name: np.array(at) / 1e3
    for name, at in {
        "A": (0, 578.2, 428.5),
        "B": (-70.5, 397.5, 428.5),
        "C": (68.6, 397.5, 412.6),
        "D": (0, 653, 159.5),
        "E": (-101.7, 389.5, 165.9),
        "F": (96.7, 389.5, 191.6),
        "G": (0, 672.5, 290.5),
        "I": (-150.1, 616.6, 290),
        "J": (-40, 334.8, 297.3),
        "L": (0, 581, 180.5),
        "M": (0, 378, 562.5),
    }.items()
}


def turned(point: np.ndarray, base: np.ndarray, axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    n, r = axis / np.linalg.norm(axis), point - base
    return base + r * np.cos(angle) + np.cross(n, r) * np.sin(angle) + n * (n @ r) * (1 - np.cos(angle))


def on_circle(
    point: np.ndarray, base: np.ndarray, axis: np.ndarray, to: np.ndarray, length: float
) -> np.ndarray:
    """Where a point that turns about an axis is at a distance from another one, next to its design place."""
    n = axis / np.linalg.norm(axis)
    center = base + n * (n @ (point - base))
    u = point - center
    v = np.cross(n, u)
    d = center - to
    # |d + u cos + v sin|^2 = length^2
    c, a, b = (length**2 - d @ d - u @ u) / 2, d @ u, d @ v
    angles = np.arctan2(b, a) + np.array([1, -1]) * np.arccos(c / np.hypot(a, b))
    angle = min(((x + np.pi) % (2 * np.pi) - np.pi for x in angles), key=abs)
    return center + u * np.cos(angle) + v * np.sin(angle)


def three_spheres(centers: list[np.ndarray], radii: list[float], near: np.ndarray) -> np.ndarray:
    """The point at three distances that is on the side of ``near``."""
    p, q, r = centers
    ex = (q - p) / np.linalg.norm(q - p)
    ey = (r - p) - ex * (ex @ (r - p))
    ey /= np.linalg.norm(ey)
    ez, d = np.cross(ex, ey), np.linalg.norm(q - p)
    i, j = ex @ (r - p), ey @ (r - p)
    x = (radii[0] ** 2 - radii[1] ** 2 + d**2) / (2 * d)
    y = (radii[0] ** 2 - radii[2] ** 2 + i**2 + j**2 - 2 * i * x) / (2 * j)
    z = np.sqrt(radii[0] ** 2 - x**2 - y**2)
    return p + x * ex + y * ey + np.copysign(z, ez @ (near - p)) * ez


def frame(points: list[np.ndarray]) -> np.ndarray:
    a, b, c = points
    ex = (b - a) / np.linalg.norm(b - a)
    ez = np.cross(ex, c - a)
    ez /= np.linalg.norm(ez)
    return np.stack([ex, np.cross(ez, ex), ez], axis=1)


def closed_form(angle: float) -> dict[str, float]:
    """The suspension at an angle of the lower arm: a circle, then three spheres."""
    p = POINTS
    lower = p["F"] - p["E"]
    d, strut = (turned(p[name], p["E"], lower, angle) for name in "DL")
    a = on_circle(p["A"], p["B"], p["C"] - p["B"], d, float(np.linalg.norm(p["A"] - p["D"])))
    radii = [float(np.linalg.norm(p["I"] - p[name])) for name in "ADJ"]
    i = three_spheres([a, d, p["J"]], radii, p["I"])
    rotation = frame([a, d, i]) @ frame([p["A"], p["D"], p["I"]]).T
    wheel, axle = a + rotation @ (p["G"] - p["A"]), rotation[:, 1]
    return {
        **dict(zip(("wheel_x", "wheel_y", "wheel_z"), wheel, strict=True)),
        "toe_in": np.arctan2(axle[0], axle[1]),
        "camber": -np.arcsin(axle[2]),
        "caster": np.arctan2(d[0] - a[0], a[2] - d[2]),
        "kingpin": np.arctan2(d[1] - a[1], a[2] - d[2]),
        "strut_length": float(np.linalg.norm(strut - p["M"])),
    }


@pytest.fixture(scope="module")
def rig() -> np.ndarray:
    fmu = exported(example(NAME), ExportOptions(trees_of(NAME))).path
    return fmpy.simulate_fmu(str(fmu), stop_time=8.0, output_interval=0.1)


def test_kinematics_are_those_of_circles_and_spheres(rig: np.ndarray) -> None:
    assert rig["corner.lower_angle"].max() > 0.15 and rig["corner.lower_angle"].min() < -0.1
    for row in rig:
        for name, value in closed_form(row["corner.lower_angle"]).items():
            assert row[name] == pytest.approx(value, abs=1e-12), name


def test_the_wheel_rate_is_that_of_virtual_work(rig: np.ndarray) -> None:
    """Where the wheel moves slowly, the load on it is that of spring and weights by virtual work."""
    moved = 1e-6

    def work(angle: float) -> float:
        """Of the spring per unit of wheel travel."""
        ahead, back = closed_form(angle + moved), closed_form(angle - moved)
        lift = ahead["wheel_z"] - back["wheel_z"]
        length = closed_form(angle)["strut_length"]
        return (
            84530.0 * (length - 0.47478575908861875) * (ahead["strut_length"] - back["strut_length"]) / lift
        )

    turning = [int(np.argmax(rig["wheel_z"])), int(np.argmin(rig["wheel_z"]))]
    loads = [work(rig["corner.lower_angle"][k]) for k in turning]
    rate = (loads[0] - loads[1]) / np.ptp(rig["wheel_z"][turning])
    found = np.ptp(rig["corner.load"][turning]) / np.ptp(rig["wheel_z"][turning])
    assert found == pytest.approx(rate, rel=0.02)


def test_a_wheel_acts_on_the_road_that_carries_it() -> None:
    """A plate on a hinge, a wheel on it: the judge's momentum balance has the same force at the contact."""
    tables = {
        "model": {"name": "Carried", "space": "spatial", "gravity": [0, 0, -9.81]},
        "experiment": {"stop": 0.5},
        "bodies": {
            "plate": {
                "mass": 40,
                "inertia": [2, 9, 11],
                "points": {"top": {"position": [0.2, 0, 0.05], "sequence": "y", "angles": [0.1]}},
            },
            "wheel": {"mass": 20, "inertia": [0.5, 0.9, 0.5]},
        },
        "joints": {
            "hinge": {"type": "revolute", "from": "ground", "to": "plate", "axis": [0, 1, 0]},
            "free": {"type": "free", "from": "ground", "to": "wheel", "attitude": "zxy"},
        },
        "springs": {
            "hold": {
                "type": "rotational",
                "from": "ground",
                "to": "plate",
                "axis": [0, 1, 0],
                "stiffness": 3000,
                "damping": 50,
            }
        },
        "forces": {"tyre": {**BRUSH, "from": "plate.top", "on": "wheel"}},
        "outputs": {"angle": "hinge.angle", "load": "tyre.load", "force": "tyre.longitudinal_force"},
        "start": {
            "fixed": {
                "hinge.angle": 0,
                "hinge.omega": 0,
                "wheel.x": 0.1,
                "wheel.y": 0.02,
                "wheel.z": 0.36,
                "wheel.vx": 0.5,
                "wheel.vy": 0.1,
                "free.omega3": 4,
                "free.angle2": 0.02,
            }
        },
    }
    model = model_from_tables(tables, "carried")
    verification = verify_fmu(model, exported(model, ExportOptions("jc")).path)
    assert verification.problems == ()
    found = {signal.name: signal.fmu for signal in verification.signals}
    assert found["load"].max() > 200 and np.ptp(found["angle"]) > 0.01
