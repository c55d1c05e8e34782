"""Spatial mechanisms: against Kane's method, and the same motion in every tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation
from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

from fmugen.builder import ModelBuilder
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.phases.triangularize import solution_flow
from tests.support import NumericDae, with_all_quantities

TENSOR = [0.3, 0.5, 0.7, 0.02, -0.03, 0.04]
EULER = [f"{kind}{n}" for kind in ("angle", "omega", "alpha") for n in "123"]


def chain(*joints: dict[str, object], oriented: bool = True) -> ModelBuilder:
    """A chain of bodies with skew frames and mass centres off them, one body a joint."""
    rng = np.random.default_rng(1)

    def triple(size: float) -> list[float]:
        return [round(float(x), 2) for x in rng.uniform(-size, size, 3)]

    builder = ModelBuilder("Chain", space="spatial", gravity=[0.3, -9.81, 1.2])
    tail = "ground"
    for number, joint in enumerate(joints):
        name = f"b{number}"
        near: object = triple(0.5)
        if oriented:
            near = {"position": near, "sequence": "zyx", "angles": triple(1.0)}
        points = {"near": near, "far": triple(0.5)}
        builder.body(name, mass=1 + 0.3 * number, inertia=TENSOR, center=triple(0.2), points=points)
        options = {key: value for key, value in joint.items() if key != "type"}
        getattr(builder, str(joint["type"]))(f"j{number}", tail, f"{name}.near", **options)
        tail = f"{name}.far"
    return builder


CHAINS: dict[str, list[dict[str, object]]] = {
    "revolute": [{"type": "revolute", "axis": [0, 0, 1]}, {"type": "revolute", "axis": [1, 2, 3]}],
    "universal": [{"type": "universal"}, {"type": "revolute", "axis": [1, 0, 0]}],
    "spherical, Euler angles": [
        {"type": "spherical", "attitude": "zyx"},
        {"type": "cylindrical", "axis": [0, 1, 0]},
    ],
    "spherical, Euler parameters": [{"type": "spherical"}, {"type": "prismatic", "axis": [0, 1, 1]}],
    "planar, screw, translational": [
        {"type": "planar", "axis": [0, 1, 0]},
        {"type": "screw", "lead": 0.3},
        {"type": "translational"},
    ],
    "free, weld": [{"type": "free"}, {"type": "weld", "angle": 0.4}, {"type": "universal"}],
}


def closed_loop() -> SystemModel:
    """A universal and a spherical joint in series, closed by a rod, with a spring to the ground."""
    builder = chain({"type": "universal"}, {"type": "spherical", "attitude": "zxz"})
    builder.rod("rod", "ground", "b1.far", length=0.6)
    builder.spring("k", "ground", "b0.far", stiffness=3, damping=0.3, free=0.2)
    return builder.build()


def observed(model: SystemModel) -> SystemModel:
    """All quantities as outputs, but for angles that only some trees know."""
    model = with_all_quantities(model)
    known = tuple(o for o in model.outputs if o.name.rpartition("__")[2] not in EULER)
    return replace(model, outputs=known)


def quaternion_state(expected: dict[str, float], body: str) -> tuple[np.ndarray, np.ndarray]:
    """Euler parameters of a body and their rates, from its direction cosines and angular velocity."""
    matrix = np.array([[expected[f"{body}.r{i}{j}"] for j in "xyz"] for i in "xyz"])
    omega = np.array([expected[f"{body}.w{i}"] for i in "xyz"])
    x, y, z, s = Rotation.from_matrix(matrix).as_quat()
    half = 0.5 * np.array([[-x, s, -z, y], [-y, z, s, -x], [-z, -y, x, s]])
    return np.array([s, x, y, z]), half.T @ omega


def same_state(
    home: NumericDae, q: np.ndarray, v: np.ndarray, expected: dict[str, float], other: NumericDae
) -> tuple[np.ndarray, np.ndarray]:
    """The state ``(q, v)`` of ``home`` in the coordinates of ``other``."""
    own = {c.name: (q[i], v[i]) for i, c in enumerate(home.dae.coordinates)}
    bodies = {body.name for body in home.model.bodies}
    pairs = []
    for c in other.dae.coordinates:
        owner, _, kind = c.name.rpartition(".")
        if owner in bodies and kind in ("p0", "p1", "p2", "p3"):
            p, rate = quaternion_state(expected, owner)
            pairs.append((p[int(kind[1])], rate[int(kind[1])]))
        elif c.name in own:
            pairs.append(own[c.name])
        else:
            pairs.append((expected[c.name], expected[c.rate_name]))
    return np.array([p for p, _ in pairs]), np.array([r for _, r in pairs])


MODELS = {name: chain(*joints).build for name, joints in CHAINS.items()} | {"rod": closed_loop}


@pytest.mark.parametrize("name", MODELS)
def test_motion_and_reactions_do_not_depend_on_the_trees(name: str) -> None:
    model = observed(MODELS[name]())
    home = NumericDae(model, "jc")
    start = np.array(solution_flow(model, home.dae, Closure.NEWTON).positions)
    rng = np.random.default_rng(7)
    others = {trees: NumericDae(model, trees) for trees in ("ac", "aac")}
    for _ in range(3):
        q, v = home.close(start + rng.uniform(-0.3, 0.3, home.n), rng.uniform(-1, 1, home.n))
        expected = home.quantities(q, v)
        scale = max(1.0, *map(abs, expected.values()))
        for trees, other in others.items():
            state = same_state(home, q, v, expected, other)
            *_, phi = other.terms(*state)
            assert np.abs(phi).max(initial=0.0) < 1e-12
            found = other.quantities(*state)
            worst = max(expected, key=lambda key: abs(found[key] - expected[key]))
            assert abs(found[worst] - expected[worst]) <= 1e-9 * scale, (trees, worst)


# --- Kane's method -----------------------------------------------------------------------------------


def kane_accelerations(
    model: SystemModel,
    turns: Sequence[Sequence[Sequence[float]]],
    states: Sequence[tuple[np.ndarray, np.ndarray]],
) -> list[np.ndarray]:
    """``u'`` of a chain of revolute, universal or Euler-angle joints; ``turns`` lists the axes of each."""
    frame, tail = ReferenceFrame("N"), Point("O")
    tail.set_vel(frame, 0)
    count = sum(map(len, turns))
    q, u = dynamicsymbols(f"q:{count}"), dynamicsymbols(f"u:{count}")
    rates = {a.diff(): b for a, b in zip(q, u, strict=True)}
    axes, number, bodies, loads = frame, 0, [], []
    gravity = sum(f.number * a for f, a in zip(model.gravity, (frame.x, frame.y, frame.z), strict=True))

    def vector(values: Sequence[float], frame_of: ReferenceFrame) -> object:
        return sum(x * a for x, a in zip(values, (frame_of.x, frame_of.y, frame_of.z), strict=True))

    for body, joint in zip(model.bodies, turns, strict=True):
        parent, spin = axes, 0
        for axis in joint:
            turned = axes.orientnew(f"A{number}", "Axis", [q[number], vector(axis, axes)])
            spin = spin + u[number] * vector(axis, axes).normalize()  # type: ignore[attr-defined]
            axes, number = turned, number + 1
        axes.set_ang_vel(parent, spin)
        near, far = ([c.number for c in point.position] for point in body.points)
        center = [c.number for c in body.center]
        origin = tail.locatenew(f"F{number}", -vector(near, axes))  # type: ignore[operator]
        mass_center = origin.locatenew(f"G{number}", vector(center, axes))
        mass_center.v2pt_theory(tail, frame, axes)
        t = body.inertia
        entries = [e.number for e in (t.xx, t.yy, t.zz, t.xy, t.yz, t.xz)]
        tensor = inertia(axes, *entries)
        bodies.append(RigidBody(body.name, mass_center, axes, body.mass.number, (tensor, mass_center)))
        loads.append((mass_center, body.mass.number * gravity))
        end = origin.locatenew(f"E{number}", vector(far, axes))
        end.v2pt_theory(tail, frame, axes)
        tail = end
    kane = KanesMethod(frame, q, u, kd_eqs=[a.diff() - b for a, b in zip(q, u, strict=True)])
    kane.kanes_equations(bodies, loads)
    solve = sp.lambdify([*q, *u], [kane.mass_matrix, kane.forcing.subs(rates)], cse=True)
    found = []
    for positions, speeds in states:
        mass, forcing = solve(*positions, *speeds)
        found.append(np.linalg.solve(mass, forcing.ravel()))
    return found


X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]


@pytest.mark.parametrize(
    ("joints", "turns"),
    [
        (CHAINS["revolute"], [[Z], [[1, 2, 3]]]),
        (CHAINS["universal"], [[Z, X], [X]]),
        pytest.param(
            [{"type": "spherical", "attitude": "zyx"}, {"type": "universal"}],
            [[Z, Y, X], [Z, X]],
            marks=pytest.mark.slow,
        ),
    ],
)
def test_accelerations_equal_those_of_kanes_method(
    joints: list[dict[str, object]], turns: list[list[list[float]]]
) -> None:
    model = chain(*joints, oriented=False).build()
    numeric = NumericDae(model, "jc")
    rng = np.random.default_rng(3)
    states = [(rng.uniform(-1, 1, numeric.n), rng.uniform(-2, 2, numeric.n)) for _ in range(4)]
    for (q, v), expected in zip(states, kane_accelerations(model, turns, states), strict=True):
        found, _ = numeric.solve(q, v)
        assert np.abs(found - expected).max() <= 1e-9 * max(1.0, np.abs(expected).max())
