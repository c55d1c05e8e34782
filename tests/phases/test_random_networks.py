"""Random networks of resistors, coils, capacitors and sources against modified nodal analysis.

The generator makes loops of capacitors and voltage sources, and cutsets of coils and current sources, on
purpose: there the states are fewer than the storages. The other side is a solver of this file's own: the
descriptor equations E y' + A y = f(t) of modified nodal analysis, integrated by Radau IIA of order five with
constant steps, which needs no index reduction.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from fmugen.expr.code import compile_python
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation

Array = NDArray[np.float64]

NETWORKS, BATCHES = 200, 10
END, STEPS = 1.0, 250
TOLERANCE = 1e-6

FIELDS = {
    "R": ("resistor", "resistance"),
    "L": ("inductor", "inductance"),
    "C": ("capacitor", "capacitance"),
    "V": ("voltage_source", "voltage"),
    "I": ("current_source", "current"),
}


@dataclass(frozen=True)
class Edge:
    """A component; the value of a source is the amplitude of ``sin(pace*time)``."""

    name: str
    kind: str
    tail: int
    head: int
    value: float
    pace: float

    @property
    def formula(self) -> str:
        return f"{self.value!r}*sin({self.pace!r}*time)" if self.kind in "VI" else repr(self.value)

    def given(self, time: float) -> float:
        return self.value * float(np.sin(self.pace * time))


# --- the generator -----------------------------------------------------------------------------------


class Generator:
    """Edges drawn one by one, kept only where the network stays solvable."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self.edges: list[Edge] = []
        self._nodes = int(self._random.integers(3, 7))
        kinds = self._random.choice(list("RRLLCCVI"), size=self._nodes - 1)
        for node, kind in enumerate(kinds, start=1):
            self._add("R" if kind == "I" else str(kind), node, int(self._random.integers(0, node)))
        for kind in self._random.choice(list("RRLCCVI"), size=int(self._random.integers(2, 6))):
            tail, head = self._random.choice(self._nodes, size=2, replace=False)
            if kind != "V" or not self._joins_sources(int(tail), int(head)):
                self._add(str(kind), int(tail), int(head))
        if seed % 2:
            self._add_capacitor_loop()
        if seed % 3:
            self._add_coil_cutset()

    def _add(self, kind: str, tail: int, head: int) -> None:
        value, pace = self._random.uniform(0.4, 2.5), self._random.uniform(0.5, 3.0)
        name = f"{kind}{len(self.edges) + 1}"
        self.edges.append(Edge(name, kind, tail, head, round(value, 3), round(pace, 3)))

    def _joins_sources(self, tail: int, head: int) -> bool:
        """Whether a voltage source here would close a loop of voltage sources."""
        graph = nx.Graph((edge.tail, edge.head) for edge in self.edges if edge.kind == "V")
        return graph.has_node(tail) and graph.has_node(head) and nx.has_path(graph, tail, head)

    def _add_capacitor_loop(self) -> None:
        """A capacitor beside a path of capacitors, or beside a voltage source."""
        stores = [edge for edge in self.edges if edge.kind in "CV"]
        chosen = stores[int(self._random.integers(len(stores)))] if stores else self.edges[0]
        if chosen.kind not in "CV":
            self._add("C", chosen.tail, chosen.head)
        self._add("C", chosen.head, chosen.tail)

    def _add_coil_cutset(self) -> None:
        """A node that only coils and, at times, a current source touch."""
        node, self._nodes = self._nodes, self._nodes + 1
        for other in self._random.choice(
            node, size=min(node, int(self._random.integers(2, 4))), replace=False
        ):
            self._add("L", int(other), node)
        if self._random.random() < 0.4:
            self._add("I", 0, node)

    @property
    def reduced(self) -> bool:
        """Whether storages depend on each other or on sources."""
        return dependent(self.edges, "CV", "C") or dependent_cut(self.edges)


def dependent(edges: list[Edge], kinds: str, counted: str) -> bool:
    """Whether edges of these kinds, one of them counted, close a loop."""
    graph = nx.MultiGraph()
    for edge in sorted((e for e in edges if e.kind in kinds), key=lambda e: e.kind in counted):
        joined = graph.has_node(edge.tail) and graph.has_node(edge.head)
        if joined and nx.has_path(graph, edge.tail, edge.head) and edge.kind in counted:
            return True
        graph.add_edge(edge.tail, edge.head)
    return False


def dependent_cut(edges: list[Edge]) -> bool:
    """Whether coils and current sources alone separate a part of the network."""
    graph = nx.MultiGraph((edge.tail, edge.head) for edge in edges if edge.kind not in "LI")
    graph.add_nodes_from(node for edge in edges for node in (edge.tail, edge.head))
    return nx.number_connected_components(graph) > 1


def model_of(edges: list[Edge]) -> SystemModel:
    def node(number: int) -> str:
        return f"n{number}" if number else "ground"

    lines = ['[model]\nname = "Random"']
    for edge in edges:
        kind, field = FIELDS[edge.kind]
        lines.append(
            f'[electrical.{edge.name}]\ntype = "{kind}"\nfrom = "{node(edge.tail)}"\n'
            f'to = "{node(edge.head)}"\n{field} = "{edge.formula}"'
        )
    return parse_model("\n\n".join(lines), "random network")


# --- modified nodal analysis -------------------------------------------------------------------------

_ROOT6 = 6.0**0.5
#: Radau IIA with three stages.
RADAU = np.array(
    [
        [(88 - 7 * _ROOT6) / 360, (296 - 169 * _ROOT6) / 1800, (-2 + 3 * _ROOT6) / 225],
        [(296 + 169 * _ROOT6) / 1800, (88 + 7 * _ROOT6) / 360, (-2 - 3 * _ROOT6) / 225],
        [(16 - _ROOT6) / 36, (16 + _ROOT6) / 36, 1 / 9],
    ]
)
STAGES = RADAU.sum(axis=1)


class NodalAnalysis:
    """E y' + A y = f(t): potentials of the nodes, then currents of voltage sources and coils."""

    def __init__(self, edges: list[Edge]) -> None:
        self._edges = edges
        nodes = max(max(edge.tail, edge.head) for edge in edges)
        self._extra = {edge.name: nodes + k for k, edge in enumerate(e for e in edges if e.kind in "VL")}
        size = nodes + len(self._extra)
        self.E, self.A = np.zeros((size, size)), np.zeros((size, size))
        for edge in edges:
            across = self._across(edge)
            if edge.kind == "R":
                self.A += np.outer(across, across) / edge.value
            elif edge.kind == "C":
                self.E += np.outer(across, across) * edge.value
            elif edge.kind in "VL":
                row = self._extra[edge.name]
                self.A[:, row] += across
                self.A[row] += across
                self.E[row, row] = -edge.value if edge.kind == "L" else 0.0

    def _across(self, edge: Edge) -> Array:
        """The row of potentials whose product is the voltage of an edge."""
        row = np.zeros(max(max(e.tail, e.head) for e in self._edges) + len(self._extra))
        for node, sign in ((edge.tail, 1.0), (edge.head, -1.0)):
            if node:
                row[node - 1] = sign
        return row

    def force(self, time: float) -> Array:
        total = np.zeros(len(self.E))
        for edge in self._edges:
            if edge.kind == "V":
                total[self._extra[edge.name]] += edge.given(time)
            elif edge.kind == "I":
                total -= self._across(edge) * edge.given(time)
        return total

    def run(self, y: Array, end: float, steps: int) -> tuple[Array, Array]:
        """The unknowns and their rates at the end."""
        size, step = len(y), end / steps
        slopes = np.zeros((3, size))
        matrix = np.kron(np.eye(3), self.E) + step * np.kron(RADAU, self.A)
        inverse = np.linalg.inv(matrix)
        for number in range(steps):
            times = (number + STAGES) * step
            right = np.concatenate([self.force(t) - self.A @ y for t in times])
            found = inverse @ right
            # Where the index is two the matrix is nearly singular: correct the rounding of the inverse.
            found += inverse @ (right - matrix @ found)
            slopes = found.reshape(3, size)
            y = y + step * RADAU[2] @ slopes
        return y, slopes[2]

    def start(self, values: dict[str, float]) -> Array:
        """Unknowns at the start: states of capacitors and coils decide, the rest is solved for."""
        y = np.zeros(len(self.E))
        rows, wanted = [], []
        for edge in self._edges:
            if edge.kind in "CV":
                rows.append(self._across(edge))
                wanted.append(values[f"{edge.name}.v"])
            if edge.kind == "L":
                rows.append(np.eye(len(y))[self._extra[edge.name]])
                wanted.append(values[f"{edge.name}.i"])
        return np.linalg.lstsq(np.array(rows), np.array(wanted), rcond=None)[0] if rows else y

    def told(self, y: Array, rates: Array, time: float) -> dict[str, float]:
        """Voltages and currents of all edges."""
        told: dict[str, float] = {}
        for edge in self._edges:
            across = self._across(edge)
            told[f"{edge.name}.v"] = float(across @ y)
            match edge.kind:
                case "R":
                    current = across @ y / edge.value
                case "C":
                    current = edge.value * across @ rates
                case "I":
                    current = edge.given(time)
                case _:
                    current = y[self._extra[edge.name]]
            told[f"{edge.name}.i"] = float(current)
        return told

    @property
    def order(self) -> int:
        """The number of states: the degree of det(s E + A)."""
        points = np.exp(2j * np.pi * np.arange(64) / 64)
        values = [np.linalg.det(s * self.E + self.A) for s in points]
        coefficients = np.fft.fft(values) / 64
        large = np.nonzero(np.abs(coefficients) > 1e-9 * np.abs(coefficients).max())[0]
        return int(large.max())


# --- the compiler's side -----------------------------------------------------------------------------


class Formulated:
    """The reduced equations of a network, as functions of time and states."""

    def __init__(self, model: SystemModel) -> None:
        dae = Compilation(model, ExportOptions("aac")).formulated
        assert not dae.iterated, "a linear network needs no iteration"
        self.count = len(dae.states)
        arguments = {"t": [dae.symbols.time], "x": [state.symbol for state in dae.states]}
        self._rates = compile_python([state.derivative for state in dae.states], arguments)
        self._names = list(dae.quantities)
        self._quantities = compile_python(list(dae.quantities.values()), arguments)

    def rates(self, time: float, states: Array) -> Array:
        return np.array(self._rates([time], states), dtype=float)

    def told(self, time: float, states: Array) -> dict[str, float]:
        return dict(zip(self._names, map(float, self._quantities([time], states)), strict=True))

    def run(self, states: Array, end: float) -> Array:
        if not self.count:
            return states
        found = solve_ivp(self.rates, (0.0, end), states, method="DOP853", rtol=1e-9, atol=1e-11)
        return np.asarray(found.y[:, -1])


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_networks_agree_with_nodal_analysis(batch: int) -> None:
    """Every voltage and current after a second from a random start, and the number of states."""
    reduced = 0
    for seed in range(batch * NETWORKS // BATCHES, (batch + 1) * NETWORKS // BATCHES):
        network = Generator(seed)
        reduced += network.reduced
        formulated, nodal = Formulated(model_of(network.edges)), NodalAnalysis(network.edges)
        assert formulated.count == nodal.order, f"network {seed}"
        states = np.random.default_rng(seed).uniform(-1.0, 1.0, formulated.count)
        y, rates = nodal.run(nodal.start(formulated.told(0.0, states)), END, STEPS)
        expected = nodal.told(y, rates, END)
        told = formulated.told(END, formulated.run(states, END))
        scale = max(1.0, *(abs(value) for value in expected.values()))
        for name, value in expected.items():
            assert abs(told[name] - value) <= TOLERANCE * scale, f"network {seed}: {name}"
    assert reduced >= NETWORKS // BATCHES // 2, "too few networks with dependent storages"
