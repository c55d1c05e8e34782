"""Trees by measurement: formulate the promising ones, count what one evaluation costs, keep the cheapest.

What is counted is one evaluation of the right-hand side in the generated program: the operations of the
straight-line functions after sharing, and an estimate of the linear algebra that the runtime does with
their results. With n coordinates, m constraints and f = n - m degrees of freedom, an LU factorization of
size k takes 2/3 k^3 operations, a Cholesky factorization k^3/3, a solution with either 2 k^2:

- Newton closures: each block of size k is evaluated, factored and solved about three times; then Phi_d is
  factored once and solved with for the velocities, the f columns of B, gamma and the multipliers; B^T M B
  takes 2 n^2 f + 2 n f^2, and the reduced system a Cholesky factorization of size f.
- Multiplier closures: an LU factorization and a solution of size n + m.
- The penalty closure: 2 m n^2 to add the constraints to M, a Cholesky factorization and a solution of size n.

Operations in loops take longer than those of straight-line code, and are priced accordingly.

Where the embedding is written out as straight-line code, its operations are counted like all others, and
so are those of exact steps; only blocks that are iterated need linear algebra.

The degrees of freedom are the same for all trees. So the size of the equations, and the linear algebra of
the multiplier closures, are known before a candidate is formulated, and hopeless ones are left out.

At last come trees with virtual joints that the program proposes by itself. They must leave the degrees of
freedom as they are, and be cheaper than all others, to be chosen; only then is the model given these joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context
from time import perf_counter

from fmugen.algebra import Budget
from fmugen.errors import FmugenError, TreeError
from fmugen.ir.flow import EMBEDDED, Closure, SolutionFlow
from fmugen.ir.graph import Domain, LinearGraph
from fmugen.ir.model import Joint, SystemModel
from fmugen.ir.program import Program
from fmugen.ir.tree import TreeSelection
from fmugen.phases.embedding import embed
from fmugen.phases.formulate import formulate
from fmugen.phases.graph import build_graph
from fmugen.phases.lower import lower_program
from fmugen.phases.select import MEASURED, METHODS, neighbours, promising_trees, select_trees
from fmugen.phases.triangularize import solution_flow
from fmugen.topology import span
from fmugen.virtual import hides_reactions, propose_virtual_joints, require_reactions

__all__ = ["Candidate", "Cost", "Effort", "Measurement", "measure_trees", "tree_cost"]

_NEWTON_EVALUATIONS = 3
#: The time of an operation in the loops of the linear algebra, in operations of straight-line code: 1.8 by a
#: least-squares fit to the times of 70 compiled right-hand sides of twelve mechanisms.
_PRICE_IN_LOOPS = 2
_MANY_BODIES = 6
_SPARE_COORDINATES = 3
#: CPU seconds for the exact steps of a candidate; what needs longer is not what a cheap candidate needs.
_SECONDS_A_CANDIDATE = 0.3
#: More than there are.
_ALL_NEIGHBOURS = 10_000

#: Called with the number of candidates measured so far and the name of the next one.
CandidateProgress = Callable[[int, str], None]


@dataclass(frozen=True)
class Cost:
    """The price of one evaluation of the equations of motion, and how many equations there are."""

    coordinates: int
    constraints: int
    symbolic: int
    numerical: int

    @property
    def degrees_of_freedom(self) -> int:
        return self.coordinates - self.constraints

    @property
    def price(self) -> int:
        """Operations of straight-line code, and those in loops by the time they take in comparison."""
        return self.symbolic + _PRICE_IN_LOOPS * self.numerical


@dataclass(frozen=True)
class Candidate:
    """A pair of trees and its cost, or the sentence that says why it has none."""

    trees: TreeSelection
    cost: Cost | None
    refusal: str = ""

    @property
    def price(self) -> int:
        if self.cost is None:
            raise ValueError(f"{self.trees.name} has no cost: {self.refusal}")
        return self.cost.price


@dataclass(frozen=True)
class Effort:
    """How much is tried: candidates at first, neighbours a round, rounds; and how long at most.

    ``proposals`` candidates use virtual joints that the model does not have.

    The numbers decide as long as ``seconds`` are not exceeded, so that equal models get equal trees on
    every machine.
    """

    candidates: int = 24
    neighbours: int = 8
    rounds: int = 2
    seconds: float = 30.0
    processes: int = 1
    proposals: int = 3

    @staticmethod
    def for_model(model: SystemModel) -> Effort:
        """What is tried by default: less where a formulation takes long."""
        return Effort() if len(model.bodies) <= _MANY_BODIES else Effort(16, 4, 1)


@dataclass(frozen=True)
class Measurement:
    """All candidates in the order in which they were measured; ``complete`` unless time ran out.

    ``proposed`` are the virtual joints, not of the model, that candidates may use.
    """

    candidates: tuple[Candidate, ...]
    complete: bool
    proposed: tuple[Joint, ...] = ()

    @property
    def ranked(self) -> tuple[Candidate, ...]:
        """The candidates that can be used, the cheapest first; equal ones as they were proposed."""
        usable = (candidate for candidate in self.candidates if candidate.cost is not None)
        return tuple(sorted(usable, key=lambda candidate: candidate.price))

    @property
    def best(self) -> Candidate:
        ranked = self.ranked
        if not ranked:
            reasons = "; ".join(sorted({candidate.refusal for candidate in self.candidates}))
            raise TreeError(f"no trees can be used: {reasons}")
        return ranked[0]

    @property
    def chosen(self) -> TreeSelection:
        """The cheapest trees."""
        trees = self.best.trees
        why = f"{trees.name}, cheapest of {len(self.candidates)} pairs, at {self.best.price}"
        reasons = {key: f"{reason}; {why}" for key, reason in trees.reasons.items()}
        return replace(trees, name=MEASURED, reasons=reasons)

    def settled(
        self, model: SystemModel, graph: LinearGraph
    ) -> tuple[SystemModel, LinearGraph, TreeSelection]:
        """The cheapest trees with their model and graph, which have the proposed joints that they use."""
        trees = self.chosen
        used = tuple(joint for joint in self.proposed if _uses(trees, {joint.name}))
        if used:
            model = replace(model, joints=(*model.joints, *used))
            graph = build_graph(model)
        return model, graph, _transplanted(graph, trees)


def measure_trees(
    model: SystemModel,
    graph: LinearGraph,
    closure: Closure,
    effort: Effort | None = None,
    progress: CandidateProgress | None = None,
) -> Measurement:
    """Measure promising trees of ``model``, then the neighbours of the best for some rounds.

    Trees with virtual joints that ``model`` does not have are measured last.
    """
    effort = effort or Effort.for_model(model)
    with _Bench(model, graph, closure, effort, progress) as bench:
        bench.measure(promising_trees(model, graph, effort.candidates))
        for _ in range(effort.rounds):
            before = bench.result()
            bench.measure(neighbours(graph, before.best.trees, effort.neighbours))
            if bench.result().best is before.best:
                break
        wider = propose_virtual_joints(model)
        if wider is not model and effort.proposals:
            bench.measure(bench.widened(wider))
        return bench.result()


def _uses(trees: TreeSelection, names: set[str]) -> bool:
    return any(not names.isdisjoint(trees.domain(domain).branches) for domain in Domain)


def tree_cost(model: SystemModel, trees: TreeSelection, closure: Closure) -> Cost:
    """What one evaluation costs in the coordinates of ``trees``; outputs are not counted.

    The trees are formulated on a graph of their own: expressions of other candidates must not change what
    is shared.
    """
    bare = replace(model, outputs=())
    graph = build_graph(bare)
    dae = formulate(bare, graph, _transplanted(graph, trees))
    flow = solution_flow(bare, dae, closure, Budget(seconds=_SECONDS_A_CANDIDATE))
    motion = embed(dae, flow) if closure in EMBEDDED else None
    program = lower_program(bare, dae, flow, motion, tangents=False)
    coordinates = len(dae.coordinates)
    symbolic = program.right_hand_side.total + _closing_operations(program, closure)
    numerical = _newton(closure, flow)
    if motion is None:
        numerical += _linear_algebra(closure, coordinates, len(flow.rows))
    return Cost(coordinates, len(flow.rows), symbolic, numerical)


def _transplanted(graph: LinearGraph, trees: TreeSelection) -> TreeSelection:
    translation, rotation = (span(graph.domain(domain), trees.domain(domain).branches) for domain in Domain)
    return replace(trees, translation=translation, rotation=rotation)


def _closing_operations(program: Program, closure: Closure) -> int:
    """Straight-line operations of iterations that find the dependent coordinates, and of their Jacobian."""
    numerical = 0 if program.motion is not None else program.function("jacobian").operations.total
    if closure in (Closure.TRIANGULAR, Closure.NEWTON):
        pairs = zip(program.block_functions, program.solve_functions, strict=True)
        blocks = sum(function.operations.total for function, solve in pairs if solve is None)
        return _NEWTON_EVALUATIONS * blocks + numerical
    both = program.function("constraints").operations + program.function("jacobian").operations
    if closure is Closure.NEWTON_ALL:
        return _NEWTON_EVALUATIONS * both.total + numerical
    return program.function("constraints").operations.total


def _newton(closure: Closure, flow: SolutionFlow) -> int:
    """The linear algebra of the blocks that are iterated."""
    if closure not in EMBEDDED:
        return 0
    sizes = [len(block.rows) for block in flow.blocks if not block.steps]
    if closure is Closure.NEWTON_ALL:
        sizes = [len(flow.rows)]
    return _NEWTON_EVALUATIONS * sum(_lu(size) + _solve(size) for size in sizes)


def _linear_algebra(closure: Closure, n: int, m: int) -> int:
    f = n - m
    if closure in EMBEDDED:
        embedding = _lu(m) + (f + 3) * _solve(m) + 2 * m * f + 2 * m * n
        reduction = 2 * n * n * (f + 1) + 2 * n * f * (f + 2)
        return embedding + reduction + _cholesky(f) + _solve(f)
    if closure is Closure.PENALTY:
        return 2 * m * n * n + _cholesky(n) + _solve(n) + 4 * m * n
    return _lu(n + m) + _solve(n + m)


def _lu(size: int) -> int:
    return 2 * size**3 // 3


def _cholesky(size: int) -> int:
    return size**3 // 3


def _solve(size: int) -> int:
    return 2 * size * size


# --- the bench ------------------------------------------------------------------------------------


class _Bench:
    """Measures candidates, in this process or in several, until the time is up."""

    def __init__(
        self,
        model: SystemModel,
        graph: LinearGraph,
        closure: Closure,
        effort: Effort,
        progress: CandidateProgress | None,
    ) -> None:
        self._model, self._closure, self._effort = model, closure, effort
        self._coordinates = _coordinates(graph)
        self._proposed: tuple[Joint, ...] = ()
        self._progress = progress
        self._deadline = perf_counter() + effort.seconds
        self._measured: list[Candidate] = []
        self._known: set[tuple[frozenset[str], frozenset[str]]] = set()
        self._complete = True
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Bench:
        if self._effort.processes > 1:
            self._pool = ProcessPoolExecutor(self._effort.processes, mp_context=get_context("spawn"))
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def result(self) -> Measurement:
        return Measurement(tuple(self._measured), self._complete, self._proposed)

    def widened(self, wider: SystemModel) -> tuple[TreeSelection, ...]:
        """Trees that use joints which ``wider`` alone has: those of methods, and those next to the best.

        Those that need more coordinates than the best are left out: what is proposed must save something.
        """
        self._proposed = tuple(joint for joint in wider.joints if joint not in self._model.joints)
        names = {joint.name for joint in self._proposed}
        graph = build_graph(wider)
        self._model, self._coordinates = wider, _coordinates(graph)
        best = _transplanted(graph, self.result().best.trees)
        trees = [select_trees(wider, graph, method) for method in METHODS]
        trees += neighbours(graph, best, _ALL_NEIGHBOURS)
        useful = (
            pair
            for pair in trees
            if _uses(pair, names)
            and self._size(pair) <= self._size(best)
            and not hides_reactions(wider, pair, names)
        )
        return tuple(islice(useful, self._effort.proposals))

    def measure(self, proposed: Iterable[TreeSelection]) -> None:
        """Measure what is new; in order, so that the result does not depend on the processes."""
        fresh = [trees for trees in proposed if self._is_new(trees)]
        for batch in _batches(fresh, self._effort.processes):
            # The first candidate is always measured: there must be something to choose.
            if self._measured and perf_counter() > self._deadline:
                self._complete = False
                return
            verdicts = [(trees, self._hopeless(trees)) for trees in batch]
            worthwhile = [trees for trees, why_not in verdicts if not why_not]
            if worthwhile and self._progress is not None:
                self._progress(len(self._measured), worthwhile[0].name)
            found = map(self._trusted, self._candidates(worthwhile))
            self._measured.extend(
                Candidate(trees, None, why_not) if why_not else next(found) for trees, why_not in verdicts
            )

    def _size(self, trees: TreeSelection) -> int:
        """How many coordinates the trees have."""
        return sum(self._coordinates[d, b] for d in Domain for b in trees.domain(d).branches)

    def _hopeless(self, trees: TreeSelection) -> str:
        """Why a candidate cannot be the best: its linear algebra, at its least, costs more; else nothing."""
        ranked = self.result().ranked
        if not ranked or ranked[0].cost is None:
            return ""
        best = ranked[0].cost
        coordinates = self._size(trees)
        constraints = coordinates - best.degrees_of_freedom
        equations = f"{coordinates} dynamic and {constraints} kinematic equations"
        if self._closure in EMBEDDED:  # what is written out as straight-line code is not known beforehand
            if coordinates <= 2 * best.coordinates + _SPARE_COORDINATES:
                return ""
            return f"not formulated: {equations} are more than twice as many as the best needs"
        least = _linear_algebra(self._closure, coordinates, constraints)
        if _PRICE_IN_LOOPS * least < best.price:
            return ""
        return f"not formulated: the linear algebra of {equations} alone takes {least} operations"

    def _trusted(self, candidate: Candidate) -> Candidate:
        """``candidate``, refused if virtual joints that were proposed changed how the mechanism moves."""
        cost = candidate.cost
        if cost is None or not _uses(candidate.trees, {joint.name for joint in self._proposed}):
            return candidate
        best = self.result().best.cost
        if best is None or cost.degrees_of_freedom == best.degrees_of_freedom:
            return candidate
        return replace(candidate, cost=None, refusal="its virtual joints change the degrees of freedom")

    def _is_new(self, trees: TreeSelection) -> bool:
        key = frozenset(trees.translation.branches), frozenset(trees.rotation.branches)
        if key in self._known:
            return False
        self._known.add(key)
        return True

    def _candidates(self, batch: Sequence[TreeSelection]) -> list[Candidate]:
        if self._pool is None:
            return [_candidate(self._model, trees, self._closure) for trees in batch]
        futures = [self._pool.submit(_candidate, self._model, trees, self._closure) for trees in batch]
        return [future.result() for future in futures]


def _coordinates(graph: LinearGraph) -> dict[tuple[Domain, str], int]:
    """How many coordinates each edge has as a branch."""
    edges = (edge for domain in Domain for edge in graph.domain(domain).edges)
    return {(edge.domain, edge.name): len(edge.motion) for edge in edges}


def _batches(items: Sequence[TreeSelection], size: int) -> Iterator[list[TreeSelection]]:
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def _candidate(model: SystemModel, trees: TreeSelection, closure: Closure) -> Candidate:
    try:
        require_reactions(model, trees)
        return Candidate(trees, tree_cost(model, trees, closure))
    except FmugenError as error:
        return Candidate(trees, None, str(error))
