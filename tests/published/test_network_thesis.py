"""The equations that McPhee prints for networks (chapters 2 and 3), as symbolic equalities."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import sympy as sp

from fmugen.expr.dag import Expr
from fmugen.expr.to_sympy import to_sympy
from fmugen.ir.dae import Network
from fmugen.ir.graph import NetworkGraph
from fmugen.ir.options import ExportOptions
from fmugen.phases.formulate.networks import network_equations, nodal_equations
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from fmugen.trees.topology import circuit_matrix, cutset_matrix, incidence_matrix, span
from tests.support import example


@cache
def formulated(name: str) -> Compilation:
    return Compilation(example(name), ExportOptions("aac"))


def symbol(name: str) -> sp.Symbol:
    return sp.Symbol(name, real=True)


def expression(expr: Expr) -> sp.Expr:
    return to_sympy(expr)


def residuals(network: Network, kind: str) -> dict[str, sp.Expr]:
    """The equations of one kind, by edge, node or component."""
    return {e.origin.edge: expression(e.residual) for e in network.equations if e.origin.kind == kind}


def same(ours: sp.Expr, printed: sp.Expr) -> bool:
    """Whether two residuals are equal, up to the sign."""
    return sp.simplify(ours - printed) == 0 or sp.simplify(ours + printed) == 0


def with_datum_last(graph: NetworkGraph) -> np.ndarray:
    """The incidence matrix as McPhee prints it: the datum is the last node."""
    return np.roll(incidence_matrix(graph), -1, axis=0)


# --- figure 1 -----------------------------------------------------------------------------------------


def figure_1() -> Compilation:
    edges = {
        "E1": ("voltage_source", "voltage", "a", "ground"),
        "R2": ("resistor", "resistance", "b", "c"),
        "R3": ("resistor", "resistance", "a", "b"),
        "R4": ("resistor", "resistance", "ground", "c"),
        "R5": ("resistor", "resistance", "ground", "b"),
        "I6": ("current_source", "current", "c", "a"),
    }
    text = '[model]\nname = "Figure1"\n'
    for name, (kind, value, tail, head) in edges.items():
        text += f'[electrical.{name}]\ntype = "{kind}"\nfrom = "{tail}"\nto = "{head}"\n{value} = 1.0\n'
    return Compilation(parse_model(text, "figure 1"), ExportOptions("aac"))


def test_incidence_cutset_and_circuit_matrices() -> None:
    """(2), (7), (10) and the orthogonality (12); the normal tree is McPhee's."""
    formulation = figure_1()
    (graph,), (tree,) = formulation.graph.networks, formulation.trees.networks
    assert set(graph.nodes) == {"ground", "a", "b", "c"}
    order = [graph.nodes.index(node) for node in ("a", "b", "c", "ground")]
    assert incidence_matrix(graph)[order].tolist() == [
        [1, 0, 1, 0, 0, -1],
        [0, 1, -1, 0, -1, 0],
        [0, -1, 0, -1, 0, 1],
        [-1, 0, 0, 1, 1, 0],
    ]
    assert (tree.branches, tree.chords) == (("E1", "R2", "R3"), ("R4", "R5", "I6"))
    A_f, B_f = cutset_matrix(tree), circuit_matrix(tree)
    assert A_f.tolist() == [[1, 0, 0, -1, -1, 0], [0, 1, 0, 1, 0, -1], [0, 0, 1, 1, 1, -1]]
    assert B_f.tolist() == [[1, -1, -1, 1, 0, 0], [1, 0, -1, 0, 1, 0], [0, 1, 1, 0, 0, 1]]
    assert not (A_f @ B_f.T).any()


# --- 3.1: electrical network -----------------------------------------------------------------------------


def test_electrical_network_in_nodal_form() -> None:
    """(22)-(29): ten equations for eight across and through and two nodal variables."""
    graph = formulated("mcphee_electrical").graph
    assert with_datum_last(graph.networks[0]).tolist() == [[1, 1, 0, 0], [0, -1, 1, 1], [-1, 0, -1, -1]]
    network = nodal_equations(graph)
    assert len(network.equations) == len(network.variables) == 10
    v1, v2, v3, v4 = (symbol(f"{name}.v") for name in ("e1", "r2", "r3", "c4"))
    i1, i2, i3, i4 = (symbol(f"{name}.i") for name in ("e1", "r2", "r3", "c4"))
    va, vb, R2, R3, C4 = (symbol(name) for name in ("a.v", "b.v", "R2", "R3", "C4"))
    transformed = residuals(network, "nodal transformation")
    for name, printed in {"e1": v1 - va, "r2": v2 - va + vb, "r3": v3 - vb, "c4": v4 - vb}.items():
        assert same(transformed[name], printed)
    vertices = residuals(network, "vertex")
    assert same(vertices["a"], i1 + i2) and same(vertices["b"], -i2 + i3 + i4)
    laws = residuals(network, "law of")
    assert same(laws["e1"], v1 - source_voltage())
    assert same(laws["r2"], v2 - R2 * i2) and same(laws["r3"], v3 - R3 * i3)
    assert same(laws["c4"], i4 - C4 * symbol("der(c4.v)"))


def source_voltage() -> sp.Expr:
    """E1(t) of the example, from the quantity that the source is."""
    return expression(formulated("mcphee_electrical").dae.quantities["e1.v"])


def test_electrical_network_in_branch_chord_form() -> None:
    """(30)-(33): cutsets, both transformations, and the four equations that are left."""
    formulation = formulated("mcphee_electrical")
    tree, network = formulation.trees.networks[0], formulation.formulated.network
    assert tree.branches == ("e1", "c4")
    columns = [(*tree.branches, *tree.chords).index(name) for name in ("e1", "c4", "r3", "r2")]
    assert cutset_matrix(tree)[:, columns].tolist() == [[1, 0, 0, 1], [0, 1, 1, -1]]
    v1, v2, v3, v4 = (symbol(f"{name}.v") for name in ("e1", "r2", "r3", "c4"))
    i1, i2, i3, i4 = (symbol(f"{name}.i") for name in ("e1", "r2", "r3", "c4"))
    cutsets, circuits = residuals(network, "cutset"), residuals(network, "circuit")
    chord_transformation = sp.solve([cutsets["e1"], cutsets["c4"]], [i1, i4], dict=True)[0]
    assert chord_transformation == {i1: -i2, i4: i2 - i3}
    branch_transformation = sp.solve([circuits["r3"], circuits["r2"]], [v3, v2], dict=True)[0]
    assert branch_transformation == {v3: v4, v2: v1 - v4}
    left = {
        name: law.subs(chord_transformation | branch_transformation)
        for name, law in residuals(network, "law of").items()
    }
    R2, R3, C4, rate = (symbol(name) for name in ("R2", "R3", "C4", "der(c4.v)"))
    assert same(left["e1"], v1 - source_voltage())
    assert same(left["r2"], (v1 - v4) - R2 * i2)
    assert same(left["r3"], v4 - R3 * i3)
    assert same(left["c4"], (i2 - i3) - C4 * rate)


def test_electrical_network_has_one_state_equation() -> None:
    """(34)-(36)."""
    dae = formulated("mcphee_electrical").dae
    v4, R2, R3, C4 = (symbol(name) for name in ("c4.v", "R2", "R3", "C4"))
    E1 = source_voltage()
    assert same(expression(dae.quantities["r2.i"]), (E1 - v4) / R2)
    assert same(expression(dae.quantities["r3.i"]), v4 / R3)
    (state,) = dae.states
    assert state.name == "c4.v"
    assert sp.simplify(C4 * expression(state.derivative) + (1 / R3 + 1 / R2) * v4 - E1 / R2) == 0


# --- 3.2: hydraulic network ------------------------------------------------------------------------------

#: McPhee's R of a pipe is its conductance: q = R P^(1/k).
G2, G3, G4, K = sp.symbols("G2 G3 G4 k", positive=True)
PA, PB, PC = (symbol(f"{node}.p") for node in "abc")
Q1, QB, QC, C1 = symbol("tank1.q"), symbol("Q_b"), symbol("Q_c"), symbol("C_1")


def vertex_equations(flows: dict[str, sp.Expr]) -> dict[str, sp.Expr]:
    """The balance of each node with the flows of the pipes put in."""
    given = {symbol("consumer5.q"): QB, symbol("pump6.q"): QC}
    pipes = {symbol(f"{name}.q"): flow for name, flow in flows.items()}
    vertices = residuals(nodal_equations(formulated("pipe_network_turbulent").graph), "vertex")
    return {node: equation.subs(given | pipes) for node, equation in vertices.items()}


def test_pipe_network_in_nodal_form() -> None:
    """(37), (38)-(41) and (42)-(47), flows being in the direction of the edges."""
    graph = formulated("pipe_network_turbulent").graph
    assert with_datum_last(graph.networks[0])[:3].tolist() == [
        [1, 1, 1, 0, 0, 0],
        [0, -1, 0, 1, 1, 0],
        [0, 0, -1, -1, 0, -1],
    ]
    network = nodal_equations(graph)
    transformed = residuals(network, "nodal transformation")
    drops = {"tank1": PA, "pipe2": PA - PB, "pipe3": PA - PC, "pipe4": PB - PC}
    for name, drop in drops.items():
        assert same(transformed[name], symbol(f"{name}.p") - drop)
    drop2, drop3, drop4 = sp.symbols("drop2 drop3 drop4", positive=True)
    laws = residuals(network, "law of")
    for name, G, drop in (("pipe2", G2, drop2), ("pipe3", G3, drop3), ("pipe4", G4, drop4)):
        turbulent = laws[name].subs({symbol("smoothing"): 0, symbol("k"): K, symbol(f"r{name[-1]}"): G**-K})
        left = turbulent.subs({symbol(f"{name}.q"): G * drop ** (1 / K), symbol(f"{name}.p"): drop})
        assert sp.powsimp(sp.powdenest(sp.simplify(left), force=True), force=True) == 0
    flows = {"pipe2": G2 * drop2 ** (1 / K), "pipe3": G3 * drop3 ** (1 / K), "pipe4": G4 * drop4 ** (1 / K)}
    vertices = vertex_equations(flows)
    assert same(vertices["a"], flows["pipe2"] + flows["pipe3"] + Q1)
    assert same(vertices["b"], -flows["pipe2"] + flows["pipe4"] + QB)
    assert same(vertices["c"], -flows["pipe3"] - flows["pipe4"] - QC)


def test_linear_pipe_network_as_a_tableau() -> None:
    """(48): the matrix of the mixed nodal tableau in the Laplace domain, k = 1."""
    network = nodal_equations(formulated("pipe_network").graph)
    laws = residuals(network, "law of")
    pressures = {symbol("pipe2.p"): PA - PB, symbol("pipe3.p"): PA - PC, symbol("pipe4.p"): PB - PC}
    flows = {}
    for name, G in (("pipe2", G2), ("pipe3", G3), ("pipe4", G4)):
        flow = symbol(f"{name}.q")
        (solved,) = sp.solve(laws[name].subs(symbol(f"r{name[-1]}"), 1 / G).subs(pressures), flow)
        flows[name] = solved
    vertices = vertex_equations(flows)
    s, start = sp.symbols("s P_1_0")
    area, density, g = (symbol(name) for name in ("area", "density", "g"))
    tank = laws["tank1"].subs({area: C1 * density * g, symbol("der(tank1.p)"): s * PA - start})
    equations = [vertices["a"], vertices["b"], vertices["c"], -tank]
    matrix, right = sp.linear_eq_to_matrix(equations, [PA, PB, PC, Q1])
    printed = sp.Matrix(
        [
            [G2 + G3, -G2, -G3, 1],
            [-G2, G2 + G4, -G4, 0],
            [-G3, -G4, G3 + G4, 0],
            [C1 * s, 0, 0, -1],
        ]
    )
    assert sp.simplify(matrix - printed) == sp.zeros(4)
    assert sp.simplify(right - sp.Matrix([0, -QB, QC, C1 * start])) == sp.zeros(4, 1)


# --- 3.3: mechanical system ------------------------------------------------------------------------------

BRANCHES = ("mass1", "mass3", "spring13", "spring15")
MASSES = ("mass1", "mass2", "mass3", "mass4")
DAMPERS = ("damper9", "damper10", "damper11")
SPRINGS = ("spring12", "spring13", "spring14", "spring15")
FORCES = ("force5", "force6", "force7", "force8")


def columns(edges: tuple[str, ...]) -> sp.Matrix:
    """The columns of the fundamental cutset matrix for McPhee's tree, rows in the order (49)."""
    tree = span(formulated("vibrating_system").graph.networks[0], BRANCHES)
    names = (*tree.branches, *tree.chords)
    matrix = cutset_matrix(tree)[[tree.branches.index(branch) for branch in BRANCHES]]
    return sp.Matrix(matrix[:, [names.index(edge) for edge in edges]].tolist())


def test_cutset_matrices_of_masses_and_dampers() -> None:
    """(61) and (62)."""
    assert columns(MASSES) == sp.Matrix([[1, 0, 0, 0], [0, 1, 1, 1], [0, -1, 0, -1], [0, 0, 0, 1]])
    assert columns(DAMPERS) == sp.Matrix([[1, 0, 0], [0, 0, 1], [0, -1, -1], [0, 1, 1]])


def equations_of_motion() -> list[sp.Expr]:
    """(51)-(58): cutset equations of McPhee's branches, with all laws and circuits put in."""
    formulation = formulated("vibrating_system")
    graph = formulation.graph
    tree = span(graph.networks[0], BRANCHES)
    network = network_equations(graph, replace(formulation.trees, networks=(tree,)))
    motion: dict[sp.Symbol, sp.Expr] = {}
    edges = {edge.name: edge for edge in graph.networks[0].edges}
    for chord, circuit in residuals(network, "circuit").items():
        (displacement,) = sp.solve(circuit, expression(edges[chord].across[0]))
        for order, derivative in enumerate(edges[chord].across):
            lifted = {
                expression(edge.across[0]): expression(edge.across[order])
                for edge in edges.values()
                if len(edge.across) > order
            }
            motion[expression(derivative)] = displacement.subs(lifted, simultaneous=True)
    through = {}
    for name, law in residuals(network, "law of").items():
        force = expression(edges[name].through[0])
        (through[force],) = sp.solve(law, force)

    def balance(terms: sp.Expr) -> sp.Expr:
        return sp.expand(terms.subs(through).subs(motion))

    fundamental = [
        balance(
            expression(edges[branch].through[0])
            + sum(sign * expression(edges[chord].through[0]) for chord, sign in tree.cutsets[branch])
        )
        for branch in BRANCHES
    ]
    # The compiler replaces long cutsets by the balance of one node: the same equations, combined.
    written = [balance(cutset) for cutset in residuals(network, "cutset").values()]
    seconds = [expression(edges[branch].across[2]) for branch in BRANCHES]
    (solution,) = sp.solve(fundamental, seconds, dict=True)
    assert all(sp.simplify(equation.subs(solution)) == 0 for equation in written)
    return fundamental


def diagonal(names: tuple[str, ...]) -> sp.Matrix:
    return sp.diag(*(symbol(name) for name in names))


def test_vibrating_system_in_both_forms() -> None:
    """(59) = (68): mass, damping and stiffness matrices, and the forces."""
    edges = {edge.name: edge for edge in formulated("vibrating_system").graph.networks[0].edges}
    x, v, a = (sp.Matrix([expression(edges[b].across[order]) for b in BRANCHES]) for order in range(3))
    motion = sp.Matrix(equations_of_motion())
    mass, damping, stiffness = (-motion.jacobian(level) for level in (a, v, x))
    A_m, A_d, A_k, A_f = columns(MASSES), columns(DAMPERS), columns(SPRINGS), columns(FORCES)
    pairs = (
        (mass, A_m, diagonal(("m1", "m2", "m3", "m4"))),
        (damping, A_d, diagonal(("d9", "d10", "d11"))),
        (stiffness, A_k, diagonal(("k12", "k13", "k14", "k15"))),
    )
    for ours, A, values in pairs:
        assert sp.simplify(ours - A * values * A.T) == sp.zeros(4)
    dae = formulated("vibrating_system").dae
    given = sp.Matrix([expression(dae.quantities[f"{name}.f"]) for name in FORCES])
    rest = motion.subs(dict.fromkeys((*x, *v, *a), 0))
    assert sp.simplify(rest - A_f * given) == sp.zeros(4, 1)


def test_vibrating_system_needs_eight_states() -> None:
    """Four degrees of freedom, whichever the tree."""
    assert len(formulated("vibrating_system").dae.states) == 8
