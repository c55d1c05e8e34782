"""``fmugen graph``: the linear graphs, their trees and their matrices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fmugen.cli.files import require_writable, write_text
from fmugen.cli.terminal import counted, print_line, print_table
from fmugen.ir.graph import Domain, DomainGraph, LinearGraph, NetworkGraph
from fmugen.ir.options import ExportOptions
from fmugen.ir.tree import SpanningTree, TreeSelection
from fmugen.phases.read import read_model
from fmugen.pipeline import Compilation
from fmugen.trees.topology import IntMatrix, circuit_matrix, cutset_matrix, incidence_matrix

__all__ = ["show_graphs"]

_TITLES = {Domain.TRANSLATION: "T-graph (translation)", Domain.ROTATION: "R-graph (rotation)"}


def show_graphs(path: Path, trees: str, *, matrices: bool, svg: Path | None) -> None:
    """Print the graphs of a model, and draw them to ``svg`` if given."""
    require_writable(svg, path)
    model = read_model(path)
    formulation = Compilation(model, ExportOptions(trees))
    graph, selection = formulation.graph, formulation.trees
    for domain in Domain if model.bodies else ():
        _print_edges(graph.domain(domain), selection)
        if matrices:
            _print_matrices(graph.domain(domain), selection.domain(domain))
    for network, tree in zip(graph.networks, selection.networks, strict=True):
        _print_network(network, tree)
        if matrices:
            _print_matrices(network, tree)
    for note in selection.notes:
        print_line(f"note: {note}")
    if svg is not None:
        _draw(graph, selection, f"{model.name}, trees {trees}", svg)


def _print_edges(graph: DomainGraph, selection: TreeSelection) -> None:
    tree = selection.domain(graph.domain)
    branches = set(tree.branches)
    rows = [
        (
            edge.name,
            edge.label,
            f"{edge.tail} -> {edge.head}",
            "branch" if edge.name in branches else "chord",
            ", ".join(axis.coordinate for axis in edge.motion) if edge.name in branches else "",
        )
        for edge in graph.edges
    ]
    title = f"{_TITLES[graph.domain]}, trees {selection.name}: {_sizes(graph, tree)}"
    print_table(title, ("edge", "kind", "tail -> head", "in the tree", "coordinates"), rows)


def _print_network(graph: NetworkGraph, tree: SpanningTree) -> None:
    branches = set(tree.branches)
    rows = []
    for edge in graph.edges:
        place = "branch" if edge.name in branches else "chord"
        variables = f"{edge.across[0].name}, {edge.through[0].name}"
        rows.append((edge.name, edge.rank.value, f"{edge.tail} -> {edge.head}", place, variables))
    title = f"{graph.domain.value} network, normal tree: {_sizes(graph, tree)}"
    print_table(title, ("edge", "kind", "tail -> head", "in the tree", "across, through"), rows)


def _sizes(graph: DomainGraph | NetworkGraph, tree: SpanningTree) -> str:
    sizes = {"node": graph.nodes, "branch": tree.branches, "chord": tree.chords}
    return ", ".join(counted(len(members), noun) for noun, members in sizes.items())


def _print_matrices(graph: DomainGraph | NetworkGraph, tree: SpanningTree) -> None:
    ordered = tree.branches + tree.chords
    edges = [edge.name for edge in graph.edges]
    _print_matrix("incidence matrix A", graph.nodes, edges, incidence_matrix(graph))
    _print_matrix("f-cutset matrix A_f = [1 A_c]", tree.branches, ordered, cutset_matrix(tree))
    _print_matrix("f-circuit matrix B_f = [B_b 1]", tree.chords, ordered, circuit_matrix(tree))


def _print_matrix(title: str, rows: Sequence[str], columns: Sequence[str], matrix: IntMatrix) -> None:
    """A matrix with its names; zeros are dots, so that the structure can be seen."""
    widths = [max(len(name), 2) for name in columns]
    margin = max((len(name) for name in rows), default=0)
    print_line(f"{title}, {len(rows)} x {len(columns)}")
    names = "  ".join(f"{name:>{width}}" for name, width in zip(columns, widths, strict=True))
    print_line(f"  {'':<{margin}}  {names}")
    for name, values in zip(rows, matrix.tolist(), strict=True):
        cells = (f"{value if value else '.':>{width}}" for value, width in zip(values, widths, strict=True))
        print_line(f"  {name:<{margin}}  {'  '.join(cells)}")
    print_line()


def _draw(graph: LinearGraph, selection: TreeSelection, title: str, destination: Path) -> None:
    from fmugen.view.graph import graphs_svg

    write_text(destination, graphs_svg(graph, selection, title))
    print_line(f"drawing: {destination}")
