"""The equations that McPhee and Uchida print, as symbolic equalities."""

from __future__ import annotations

import sympy as sp

from fmugen.builder import ModelBuilder
from fmugen.expr.to_sympy import to_sympy
from fmugen.ir.dae import Dae
from fmugen.ir.graph import Domain
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation


def symbol(name: str) -> sp.Symbol:
    return sp.Symbol(name, real=True)


def symbols(names: str) -> list[sp.Symbol]:
    return [symbol(name) for name in names.split()]


def same(ours: object, printed: object) -> bool:
    return sp.simplify(sp.expand_trig(sp.expand(ours - printed))) == 0  # type: ignore[operator]


def entry(dae: Dae, row: int, column: int) -> sp.Expr:
    return to_sympy(dae.mass[max(row, column), min(row, column)])


def parameters(builder: ModelBuilder, names: str) -> ModelBuilder:
    for name in names.split():
        builder.parameter(name, 1.0)
    return builder


def branches(formulation: Compilation, domain: Domain) -> set[str]:
    arms = {e.name for e in formulation.graph.translation.edges if "." in e.name}
    return set(formulation.trees.domain(domain).branches) - arms


# --- McPhee 4.6.1: double pendulum ----------------------------------------------------------------


def double_pendulum() -> SystemModel:
    """Arms with general components: r3, r4 on body 1 and r5 on body 2."""
    builder = parameters(ModelBuilder("DoublePendulum", gravity=[0, "-g"]), "g m1 m2 I1 I2 x3 y3 x4 y4 x5 y5")
    builder.body("m_1", mass="m1", inertia="I1", points={"r3": ["x3", "y3"], "r4": ["x4", "y4"]})
    builder.body("m_2", mass="m2", inertia="I2", points={"r5": ["x5", "y5"]})
    builder.revolute("h7", "ground", "m_1.r3").revolute("h8", "m_1.r4", "m_2.r5")
    return builder.build()


def test_double_pendulum_mass_matrix() -> None:
    """(107)-(110): the mass matrix in absolute angular coordinates."""
    formulation = Compilation(double_pendulum(), ExportOptions("aac"))
    dae = formulation.formulated
    assert branches(formulation, Domain.TRANSLATION) == {"h7", "h8"}
    assert branches(formulation, Domain.ROTATION) == {"m_1", "m_2"}
    assert [c.name for c in dae.coordinates] == ["m_1.angle", "m_2.angle"]
    assert not dae.constraints
    m1, m2, i1, i2, x3, y3, x4, y4, x5, y5 = symbols("m1 m2 I1 I2 x3 y3 x4 y4 x5 y5")
    t1, t2 = symbols("m_1.angle m_2.angle")

    def turned(x: sp.Symbol, y: sp.Symbol, t: sp.Symbol) -> sp.Matrix:
        return sp.Matrix([x * sp.cos(t) - y * sp.sin(t), x * sp.sin(t) + y * sp.cos(t)])

    r3, r4, r5 = turned(x3, y3, t1), turned(x4, y4, t1), turned(x5, y5, t2)
    assert same(entry(dae, 0, 0), i1 + m1 * r3.dot(r3) + m2 * (r3.dot(r3) + r4.dot(r4) - 2 * r3.dot(r4)))
    assert same(entry(dae, 0, 1), m2 * r5.dot(r3 - r4))
    assert same(entry(dae, 1, 1), i2 + m2 * r5.dot(r5))


def test_double_pendulum_forces_are_those_of_lagrange() -> None:
    """{Q} of (107), which McPhee does not print, against Lagrange's equations."""
    dae = Compilation(double_pendulum(), ExportOptions("aac")).formulated
    t = sp.Symbol("t")
    q = [sp.Function("q1")(t), sp.Function("q2")(t)]
    g, m1, m2, i1, i2, x3, y3, x4, y4, x5, y5 = symbols("g m1 m2 I1 I2 x3 y3 x4 y4 x5 y5")

    def turned(x: sp.Symbol, y: sp.Symbol, a: sp.Expr) -> sp.Matrix:
        return sp.Matrix([x * sp.cos(a) - y * sp.sin(a), x * sp.sin(a) + y * sp.cos(a)])

    c1 = -turned(x3, y3, q[0])
    c2 = c1 + turned(x4, y4, q[0]) - turned(x5, y5, q[1])
    kinetic = sum(m * c.diff(t).dot(c.diff(t)) / 2 for m, c in ((m1, c1), (m2, c2)))
    kinetic += i1 * q[0].diff(t) ** 2 / 2 + i2 * q[1].diff(t) ** 2 / 2
    potential = g * (m1 * c1[1] + m2 * c2[1])
    names = {"m_1.angle": q[0], "m_2.angle": q[1], "m_1.omega": q[0].diff(t), "m_2.omega": q[1].diff(t)}
    for row in range(2):
        lagrange = (kinetic - potential).diff(q[row].diff(t)).diff(t) - (kinetic - potential).diff(q[row])
        bias = lagrange.subs({q[0].diff(t, 2): 0, q[1].diff(t, 2): 0})
        assert same(to_sympy(dae.force[row], names), -bias)


# --- McPhee 4.6.2: quick-return -----------------------------------------------------------------


def quick_return() -> SystemModel:
    builder = parameters(ModelBuilder("QuickReturn"), "l1 l2 l3 l4 l5 l6 l7 l8")
    builder.ground_point("R2", 0, "-l2").ground_point("R1", 0, "l1")
    builder.body("m9", points={"r3": ["-l3", 0], "r4": ["l4", 0]})
    builder.body("m10")
    builder.body("m11", points={"r7": ["-l7", 0], "r8": ["l8", 0]})
    builder.body("m12", points={"r6": [0, "-l6"], "r5": [0, "l5"]})
    builder.body("m13")
    builder.revolute("h14", "m12.r5", "m13").revolute("h15", "m9.r4", "m12.r6")
    builder.revolute("h16", "ground.R2", "m9.r3").revolute("h17", "m11.r8", "m10")
    builder.revolute("h18", "ground", "m11.r7")
    builder.prismatic("s19", "m9.r3", "m10", axis=[1, 0]).prismatic("s20", "ground.R1", "m13", axis=[1, 0])
    builder.rotation_driver("omega21", "ground", "m11", "0.4356 + 4*pi*time")
    builder.output("s20_displacement", "s20.s")
    return builder.build()


def test_quick_return_constraints() -> None:
    """(115)-(117), (119), in the two coordinates that McPhee's trees leave."""
    formulation = Compilation(quick_return(), ExportOptions("aac"))
    assert branches(formulation, Domain.TRANSLATION) == {"h14", "h15", "h16", "h17", "h18"}
    assert branches(formulation, Domain.ROTATION) == {"s19", "s20", "m9", "m12", "omega21"}
    dae = formulation.formulated
    assert [c.name for c in dae.coordinates] == ["m9.angle", "m12.angle"]
    l1, l2, l3, l4, l5, l6, l7, l8 = symbols("l1 l2 l3 l4 l5 l6 l7 l8")
    t9, t12, time = symbols("m9.angle m12.angle time")
    t11 = sp.Rational("0.4356") + 4 * sp.Rational(3.141592653589793) * time  # (117)
    first, second = (to_sympy(row.phi) for row in dae.constraints)
    printed = (l7 + l8) * sp.sin(t9) * sp.cos(t11) - (l7 + l8) * sp.cos(t9) * sp.sin(t11) - l2 * sp.cos(t9)
    assert sp.simplify(first + printed) == 0
    assert same(second, -l1 - l2 + (l3 + l4) * sp.sin(t9) + (l5 + l6) * sp.cos(t12))
    slider = to_sympy(dae.outputs["s20_displacement"])
    assert same(slider, (l3 + l4) * sp.cos(t9) - (l5 + l6) * sp.sin(t12))


# --- McPhee 4.6.3: slider-crank -----------------------------------------------------------------


def slider_crank() -> SystemModel:
    """The rod lies along its y axis, from (0, l7) to (0, -l8), so that (125) has cos(theta2)."""
    builder = parameters(ModelBuilder("SliderCrank"), "l5 l6 l7 l8 m1 m2 m3 I1 I2 F13")
    builder.body("m_1", mass="m1", inertia="I1", points={"r5": ["-l5", 0], "r6": ["l6", 0]})
    builder.body("m_2", mass="m2", inertia="I2", points={"r7": [0, "l7"], "r8": [0, "-l8"]})
    builder.body("m_3", mass="m3")
    builder.revolute("h9", "ground", "m_1.r5").revolute("h10", "m_1.r6", "m_2.r7")
    builder.revolute("h11", "m_3", "m_2.r8").prismatic("s12", "ground", "m_3", axis=[1, 0])
    builder.force("push", "m_3", ["F13", 0])
    return builder.build()


def test_slider_crank_equations() -> None:
    """(125) and (133)-(139)."""
    formulation = Compilation(slider_crank(), ExportOptions("aac"))
    assert branches(formulation, Domain.TRANSLATION) == {"h9", "h10", "h11"}
    assert branches(formulation, Domain.ROTATION) == {"s12", "m_1", "m_2"}
    dae = formulation.formulated
    l5, l6, l7, l8, m1, m2, m3, i1, i2, f13 = symbols("l5 l6 l7 l8 m1 m2 m3 I1 I2 F13")
    t1, t2, w1, w2 = symbols("m_1.angle m_2.angle m_1.omega m_2.omega")
    c1, s1, c2, s2 = sp.cos(t1), sp.sin(t1), sp.cos(t2), sp.sin(t2)
    (row,) = dae.constraints
    phi = (l7 + l8) * c2 - (l5 + l6) * s1
    sign = -1  # our normal of the guide is +j, McPhee's is -j; his multiplier is our -lambda
    assert same(to_sympy(row.phi), sign * phi)
    assert same(entry(dae, 0, 0), i1 + m1 * l5**2 + (m2 + m3) * (l5 + l6) ** 2)
    assert same(entry(dae, 0, 1), (m2 * l7 + m3 * (l7 + l8)) * (l5 + l6) * (c1 * s2 - s1 * c2))
    assert same(entry(dae, 1, 1), i2 + m2 * l7**2 + m3 * (l7 + l8) ** 2)
    assert same(to_sympy(row.jacobian[0]), sign * -(l5 + l6) * c1)
    assert same(to_sympy(row.jacobian[1]), sign * -(l7 + l8) * s2)
    coupling = (m2 * l7 + m3 * (l7 + l8)) * (l5 + l6) * (c1 * c2 + s1 * s2)
    assert same(to_sympy(dae.force[0]), -f13 * (l5 + l6) * s1 - coupling * w2**2)
    assert same(to_sympy(dae.force[1]), f13 * (l7 + l8) * c2 + coupling * w1**2)


# --- Uchida 3.1: slider-crank in theta, beta, s ---------------------------------------------------


def uchida_slider_crank() -> SystemModel:
    """Trees of figure 3.3: pins h9 and h11 and the slider are branches, pin h10 is cut."""
    builder = parameters(ModelBuilder("SliderCrank", gravity=[0, "-g"]), "g l1 l2 m1 m2 m3 I1 I2")
    builder.input("F")
    builder.body("m_1", mass="m1", inertia="I1", points={"r5": ["-l1/2", 0], "r6": ["l1/2", 0]})
    builder.body("m_2", mass="m2", inertia="I2", points={"r7": [0, "l2/2"], "r8": [0, "-l2/2"]})
    builder.body("m_3", mass="m3")
    builder.revolute("h9", "ground", "m_1.r5").revolute("h10", "m_1.r6", "m_2.r7")
    builder.revolute("h11", "m_3", "m_2.r8").prismatic("s12", "ground", "m_3", axis=[1, 0])
    builder.force("push", "m_3", ["F", 0])
    builder.trees("figure_3_3", ["h9", "h11", "s12"], ["h9", "h11", "s12"])
    return builder.build()


def test_uchida_equations() -> None:
    """(3.32) and (3.33)."""
    dae = Compilation(uchida_slider_crank(), ExportOptions("figure_3_3")).formulated
    assert [c.name for c in dae.coordinates] == ["h9.angle", "h11.angle", "s12.s"]
    g, l1, l2, m1, m2, m3, i1, i2, force = symbols("g l1 l2 m1 m2 m3 I1 I2 F")
    theta, beta, s, beta_rate = symbols("h9.angle h11.angle s12.s h11.omega")
    ct, st, cb, sb = sp.cos(theta), sp.sin(theta), sp.cos(beta), sp.sin(beta)
    mass = sp.Matrix(
        [
            [i1 + m1 * l1**2 / 4, 0, 0],
            [0, i2 + m2 * l2**2 / 4, -m2 * l2 * cb / 2],
            [0, -m2 * l2 * cb / 2, m2 + m3],
        ]
    )
    for i in range(3):
        for j in range(i + 1):
            ours = to_sympy(dae.mass[i, j]) if (i, j) in dae.mass else sp.Integer(0)
            assert same(ours, mass[i, j]), (i, j)
    phi = [l1 * ct + l2 * sb - s, l1 * st - l2 * cb]
    jacobian = [[-l1 * st, l2 * cb, -1], [l1 * ct, l2 * sb, 0]]
    for row, wanted, slopes in zip(dae.constraints, phi, jacobian, strict=True):
        ours = to_sympy(row.phi)
        sign = 1 if same(ours, wanted) else -1
        assert same(ours, sign * wanted)
        for column, slope in enumerate(slopes):
            entry_ours = to_sympy(row.jacobian[column]) if column in row.jacobian else sp.Integer(0)
            assert same(entry_ours, sign * slope)
    forces = [
        -m1 * l1 * g * ct / 2,
        m2 * l2 * g * sb / 2,
        -m2 * l2 * sb * beta_rate**2 / 2 + force,
    ]
    for ours, wanted in zip(dae.force, forces, strict=True):
        assert same(to_sympy(ours), wanted)
