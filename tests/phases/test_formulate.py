"""The formulation against Kane's method, against itself in other trees, and against theorems."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy as sp
from element_views import joints_of, springs_of, with_views
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sympy.physics.mechanics import (
    KanesMethod,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

from fmugen.builder import ModelBuilder
from fmugen.errors import ModelError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation
from tests.support import NumericDae, example, with_all_quantities

CLOSED = ["slider_crank", "four_bar", "three_rrr"]


def random_state(
    numeric: NumericDae, start: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    q = start + rng.uniform(-0.15, 0.15, numeric.n)
    return numeric.close(q, rng.uniform(-2.0, 2.0, numeric.n))


def start_of(model: SystemModel, trees: str) -> np.ndarray:
    from fmugen.ir.flow import Closure
    from fmugen.phases.triangularize import solution_flow

    flow = solution_flow(model, Compilation(model, ExportOptions(trees)).formulated, Closure.NEWTON)
    return np.array(flow.positions)


# --- Kane's method ------------------------------------------------------------------------------


class KaneChain:
    """Planar bodies by Kane's method, generalized coordinates being absolute angles."""

    def __init__(self, count: int, gravity: float) -> None:
        self.frame, self.origin = ReferenceFrame("N"), Point("O")
        self.origin.set_vel(self.frame, 0)
        self.q = dynamicsymbols(f"q1:{count + 1}")
        self.u = dynamicsymbols(f"u1:{count + 1}")
        self.bodies: list[RigidBody | Particle] = []
        self.loads: list[tuple[object, object]] = []
        self.gravity = gravity

    def link(
        self, pivot: Point, index: int, inward: float, outward: float, mass: float, inertia_z: float
    ) -> Point:
        """A link through ``pivot`` along its own x axis; returns its far end."""
        axes = self.frame.orientnew(f"A{index}", "Axis", [self.q[index], self.frame.z])
        axes.set_ang_vel(self.frame, self.u[index] * self.frame.z)
        centre = pivot.locatenew(f"G{index}", inward * axes.x)
        centre.v2pt_theory(pivot, self.frame, axes)
        far = pivot.locatenew(f"P{index}", (inward + outward) * axes.x)
        far.v2pt_theory(pivot, self.frame, axes)
        body = RigidBody(f"B{index}", centre, axes, mass, (inertia(axes, 0, 0, inertia_z), centre))
        self.bodies.append(body)
        self.loads.append((centre, -mass * self.gravity * self.frame.y))
        return far

    def accelerations(
        self, constraints: list[sp.Expr], states: list[tuple[np.ndarray, np.ndarray]]
    ) -> list[np.ndarray]:
        """``u'`` at each state; ``constraints`` are functions of q that vanish."""
        kinematic = [q.diff() - u for q, u in zip(self.q, self.u, strict=True)]
        dependent = len(constraints)
        free = len(self.q) - dependent
        rates = [
            c.diff(dynamicsymbols._t).subs({q.diff(): u for q, u in zip(self.q, self.u, strict=True)})
            for c in constraints
        ]
        kane = KanesMethod(
            self.frame,
            self.q[:free],
            self.u[:free],
            kd_eqs=kinematic,
            q_dependent=self.q[free:],
            u_dependent=self.u[free:],
            configuration_constraints=constraints,
            velocity_constraints=rates,
        )
        kane.kanes_equations(self.bodies, self.loads)
        solve = sp.lambdify([*self.q, *self.u], [kane.mass_matrix_full, kane.forcing_full], cse=True)
        results = []
        for q, v in states:
            matrix, forcing = solve(*q, *v)
            results.append(np.linalg.solve(matrix, forcing.ravel())[len(self.q) :])
        return results


def numeric_link(builder: ModelBuilder, name: str, length: float, mass: float, moment: float) -> None:
    builder.body(name, mass=mass, inertia=moment, points={"a": [-length / 2, 0], "b": [length / 2, 0]})


def pendulum() -> tuple[SystemModel, KaneChain, list[sp.Expr]]:
    builder = ModelBuilder("Pendulum", gravity=[0, -9.81])
    numeric_link(builder, "b1", 1.3, 2.0, 0.7)
    model = builder.revolute("h1", "ground", "b1.a").start("b1.angle", 0.3).build()
    kane = KaneChain(1, 9.81)
    kane.link(kane.origin, 0, 0.65, 0.65, 2.0, 0.7)
    return model, kane, []


def double_pendulum() -> tuple[SystemModel, KaneChain, list[sp.Expr]]:
    builder = ModelBuilder("DoublePendulum", gravity=[0, -9.81])
    numeric_link(builder, "b1", 1.3, 2.0, 0.7)
    numeric_link(builder, "b2", 0.8, 1.1, 0.2)
    builder.revolute("h1", "ground", "b1.a").revolute("h2", "b1.b", "b2.a")
    kane = KaneChain(2, 9.81)
    joint = kane.link(kane.origin, 0, 0.65, 0.65, 2.0, 0.7)
    kane.link(joint, 1, 0.4, 0.4, 1.1, 0.2)
    return builder.build(), kane, []


def four_bar() -> tuple[SystemModel, KaneChain, list[sp.Expr]]:
    builder = ModelBuilder("FourBar", gravity=[0, -9.81]).ground_point("D", 2.0, 0)
    for name, length, mass, moment in (("b1", 1.0, 1.0, 0.3), ("b2", 2.0, 1.5, 0.6), ("b3", 1.8, 0.7, 0.4)):
        numeric_link(builder, name, length, mass, moment)
    builder.revolute("h1", "ground", "b1.a").revolute("h2", "b1.b", "b2.a").revolute("h3", "b2.b", "b3.a")
    builder.revolute("h4", "b3.b", "ground.D")
    builder.start("b1.angle", 1.0).start("b2.angle", 0.4, fixed=False).start("b3.angle", -1.3, fixed=False)
    kane = KaneChain(3, 9.81)
    end = kane.link(kane.origin, 0, 0.5, 0.5, 1.0, 0.3)
    end = kane.link(end, 1, 1.0, 1.0, 1.5, 0.6)
    end = kane.link(end, 2, 0.9, 0.9, 0.7, 0.4)
    gap = end.pos_from(kane.origin) - 2.0 * kane.frame.x
    return builder.build(), kane, [gap.dot(kane.frame.x), gap.dot(kane.frame.y)]


def slider_crank() -> tuple[SystemModel, KaneChain, list[sp.Expr]]:
    builder = ModelBuilder("SliderCrank", gravity=[0, -9.81])
    numeric_link(builder, "b1", 0.3, 1.0, 0.02)
    numeric_link(builder, "b2", 0.9, 1.5, 0.1)
    builder.body("slider", mass=2.0)
    builder.revolute("h1", "ground", "b1.a").revolute("h2", "b1.b", "b2.a").revolute("h3", "b2.b", "slider")
    builder.prismatic("s4", "ground", "slider", axis=[1, 0])
    builder.start("b1.angle", 1.0).start("b2.angle", -0.3, fixed=False)
    kane = KaneChain(2, 9.81)
    end = kane.link(kane.origin, 0, 0.15, 0.15, 1.0, 0.02)
    end = kane.link(end, 1, 0.45, 0.45, 1.5, 0.1)
    kane.bodies.append(Particle("slider", end, 2.0))
    kane.loads.append((end, -2.0 * 9.81 * kane.frame.y))
    return builder.build(), kane, [end.pos_from(kane.origin).dot(kane.frame.y)]


@pytest.mark.parametrize("mechanism", [pendulum, double_pendulum, four_bar, slider_crank])
def test_accelerations_equal_those_of_kanes_method(mechanism) -> None:  # type: ignore[no-untyped-def]
    model, kane, constraints = mechanism()
    numeric = NumericDae(model, "aac")
    rng = np.random.default_rng(3)
    start = start_of(model, "aac")
    states = [random_state(numeric, start, rng) for _ in range(8)]
    for (q, v), expected in zip(states, kane.accelerations(constraints, states), strict=True):
        ours, _ = numeric.solve(q, v)
        assert np.abs(ours - expected).max() <= 1e-10 * max(1.0, np.abs(expected).max())


# --- the same motion in all trees ------------------------------------------------------------------


@pytest.mark.parametrize("name", CLOSED)
def test_accelerations_and_reactions_do_not_depend_on_the_trees(name: str) -> None:
    model = with_all_quantities(example(name))
    home = NumericDae(model, "aac")
    others = [NumericDae(model, trees) for trees in ("ac", "jc", *(t.name for t in model.trees))]
    rng = np.random.default_rng(5)
    start = start_of(model, "aac")
    for _ in range(5):
        expected = home.quantities(*random_state(home, start, rng))
        scale = max(1.0, max(abs(value) for value in expected.values()))
        for other in others:
            q = np.array([expected[c.name] for c in other.dae.coordinates])
            v = np.array([expected[c.rate_name] for c in other.dae.coordinates])
            found = other.quantities(q, v)
            worst = max(expected, key=lambda key: abs(found[key] - expected[key]))
            assert abs(found[worst] - expected[worst]) <= 1e-9 * scale, worst


def test_virtual_joints_between_moving_bodies_are_as_good_as_any_other_branch() -> None:
    """A virtual joint whose displacement turns with a body, as a branch of the translational tree."""
    builder = ModelBuilder("Indirect", gravity=[0, -9.81])
    for name in ("b1", "b2", "b3"):
        numeric_link(builder, name, 1.0, 1.2, 0.3)
    builder.revolute("h1", "ground", "b1.a").revolute("h2", "b1.b", "b2.a").revolute("h3", "b2.b", "b3.a")
    builder.virtual("v", "b1.b", "b3")
    builder.trees("indirect", ["h1", "h2", "v"], ["h1", "h2", "v"])
    model = with_all_quantities(builder.build())
    home, indirect = NumericDae(model, "jc"), NumericDae(model, "indirect")
    rng = np.random.default_rng(2)
    for _ in range(5):
        expected = home.quantities(rng.uniform(-1, 1, home.n), rng.uniform(-1, 1, home.n))
        q = np.array([expected[c.name] for c in indirect.dae.coordinates])
        v = np.array([expected[c.rate_name] for c in indirect.dae.coordinates])
        found = indirect.quantities(q, v)
        for key, value in expected.items():
            assert abs(found[key] - value) <= 1e-9 * max(1.0, *map(abs, expected.values())), key


def test_equation_counts_of_the_squeezer() -> None:
    """McPhee, Table 5: 41 equations in absolute, 13 in joint and 13 in absolute angular coordinates."""
    counts = {}
    for trees in ("ac", "jc", "aac"):
        dae = Compilation(example("andrews"), ExportOptions(trees)).formulated
        counts[trees] = len(dae.coordinates) + len(dae.constraints)
    assert counts == {"ac": 41, "jc": 13, "aac": 13}


def test_graphs_of_the_squeezer() -> None:
    """McPhee, 4.6.4: 36 elements and 26 nodes in translation, 18 and 8 in rotation."""
    graph = Compilation(example("andrews"), ExportOptions("aac")).graph
    assert (len(graph.translation.edges), len(graph.translation.nodes)) == (36, 26)
    assert (len(graph.rotation.edges), len(graph.rotation.nodes)) == (18, 8)


def test_multipliers_enter_the_cutsets_through_the_jacobian() -> None:
    """The coefficients of lambda in the projected cutsets are Phi_q^T (McPhee, after (136))."""
    from fmugen.expr.code import compile_python
    from fmugen.phases.formulate import branch_coordinates
    from fmugen.phases.formulate.added_mass import sampled
    from fmugen.phases.formulate.angles import Angles
    from fmugen.phases.formulate.circuits import project_circuits
    from fmugen.phases.formulate.cutsets import Cutsets
    from fmugen.phases.formulate.kinematics import Kinematics
    from fmugen.phases.formulate.links import Links
    from fmugen.phases.formulate.resolver import Quantities

    for name in ("quick_return", "three_rpr"):
        formulation = Compilation(example(name), ExportOptions("ac"))
        graph, trees = formulation.graph, formulation.trees
        coordinates = branch_coordinates(graph, trees)
        kinematics = Kinematics(graph, trees, coordinates)
        angles = Angles(kinematics, trees.rotation, {}, sampled({}))
        circuits = project_circuits(
            graph, trees, kinematics, coordinates, Links(graph, trees, kinematics, ()), angles
        )
        rows = [circuit.constraint for circuit in circuits]
        cutsets = Cutsets(
            graph,
            trees,
            kinematics,
            circuits,
            Quantities(formulation.model, graph, kinematics, coordinates, angles).motion,
        )
        zero = graph.symbols.dag.zero
        pairs = []
        for i, coordinate in enumerate(coordinates):
            coefficients = cutsets.equation(coordinate).coefficients
            pairs += [(-coefficients.get(r.multiplier, zero), r.jacobian.get(i, zero)) for r in rows]
        flat = [side for pair in pairs for side in pair]
        values = compile_python(
            flat,
            {
                "p": list(graph.symbols.parameters.values()),
                "t": [graph.symbols.time],
                "q": [c.position for c in coordinates],
            },
        )
        rng = random.Random(1)
        numbers = values(
            [rng.uniform(0.5, 2.0) for _ in graph.symbols.parameters],
            [0.3],
            [rng.uniform(-1.0, 1.0) for _ in coordinates],
        )
        # In a displaced state the moment of a reaction is about its head: the two sides agree where the
        # displacement across the chord lies in its motion space, which absolute coordinates do not ensure.
        for found, wanted in zip(numbers[::2], numbers[1::2], strict=True):
            assert found == pytest.approx(wanted, abs=1e-12)


# --- theorems ------------------------------------------------------------------------------------------


@st.composite
def random_tree_of_links(draw: st.DrawFn) -> SystemModel:
    """An open mechanism of 1 to 5 bodies on pins and slides, loads and springs included."""
    count = draw(st.integers(1, 5))
    number = st.floats(-1.0, 1.0).map(lambda x: round(x, 3))
    builder = ModelBuilder("Random", gravity=[draw(number), draw(number)])
    for index in range(count):
        # A spring between points that never part has no direction.
        offset = draw(number.filter(lambda x: abs(x) > 0.01))
        points = {"a": [draw(number), draw(number)], "b": [draw(number), offset]}
        points["b"][1] += points["a"][1]
        mass = draw(st.floats(0.1, 3.0).map(lambda x: round(x, 3)))
        inertia_z = draw(st.floats(0.01, 1.0).map(lambda x: round(x, 3)))
        builder.body(f"b{index}", mass=mass, inertia=inertia_z, points=points)
        parent = draw(st.integers(-1, index - 1))
        tail = "ground" if parent < 0 else f"b{parent}.b"
        if draw(st.booleans()):
            builder.revolute(f"j{index}", tail, f"b{index}.a")
        else:
            builder.prismatic(f"j{index}", tail, f"b{index}.a", axis=[1, draw(number)], angle=draw(number))
    builder.spring("k", "ground", "b0.b", stiffness=3, damping=0.2, free=0.1)
    builder.torque("motor", f"b{count - 1}", 0.7)
    return builder.build()


QUICK = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(random_tree_of_links(), st.integers(0, 2**16))
def test_mass_matrix_is_symmetric_and_positive_definite_in_joint_coordinates(
    model: SystemModel, seed: int
) -> None:
    numeric = NumericDae(model, "jc")
    rng = np.random.default_rng(seed)
    mass, *_ = numeric.terms(rng.uniform(-2, 2, numeric.n), rng.uniform(-2, 2, numeric.n))
    assert np.allclose(mass, mass.T)
    assert np.linalg.eigvalsh(mass).min() > 0


@QUICK
@given(random_tree_of_links(), st.integers(0, 2**16))
def test_motion_does_not_depend_on_tree_or_on_order_of_edges(model: SystemModel, seed: int) -> None:
    shuffled = with_all_quantities(
        with_views(
            model, bodies=model.bodies[::-1], joints=joints_of(model)[::-1], springs=springs_of(model)[::-1]
        )
    )
    model = with_all_quantities(model)
    home = NumericDae(model, "jc")
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1, 1, home.n), rng.uniform(-1, 1, home.n)
    expected = home.quantities(q, v)
    if abs(expected["k.length"]) < 1e-3:
        return  # the direction of a spring of no length is not defined
    scale = max(1.0, max(abs(value) for value in expected.values()))
    for other in (NumericDae(model, "ac"), NumericDae(model, "aac"), NumericDae(shuffled, "jc")):
        positions = np.array([expected[c.name] for c in other.dae.coordinates])
        rates = np.array([expected[c.rate_name] for c in other.dae.coordinates])
        found = other.quantities(positions, rates)
        for key, value in expected.items():
            assert abs(found[key] - value) <= 1e-8 * scale, key


def test_a_spring_between_points_that_never_part_is_refused() -> None:
    model = (
        ModelBuilder("Stuck")
        .body("rod", mass=1, inertia=1, points={"pivot": (0, 0.5)})
        .revolute("pin", "ground", "rod.pivot")
        .spring("k", "ground", "rod.pivot", stiffness=3)
        .build()
    )
    with pytest.raises(ModelError, match=r"springs\.k: its ends coincide"):
        assert Compilation(model, ExportOptions("jc")).formulated
