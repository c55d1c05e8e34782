"""Search for the cheapest trees: formulate the promising pairs, price them, keep the cheapest.

Operations and prices are those of :mod:`fmugen.trees.price`. Closing the loops of a candidate takes longer
than writing its equations, and the equations alone give a lower bound of its price. So all candidates are
drafted first. Then loops are closed, the most promising draft first, until no draft can be better than the
best candidate or ``Effort.closed`` candidates are closed.

Closing the loops multiplies the cost of a candidate by a factor that grows with the number of constraints.
Once a few candidates are closed, their smallest factor bounds the others from below. Trees with far more
coordinates than others are not drafted.

The chosen pair has the lowest price. Of pairs whose prices differ by less than their error, it has the
fewest operations. A pair without iteration is chosen before pairs that iterate, unless its price is more than
``_EXACT_FACTOR`` times the lowest: its time has a bound.

Trees with virtual joints that the program proposes come last. They are chosen if they keep the degrees of
freedom and are cheaper than all others; only then does the model get these joints.

A rough search follows neighbours by drafts alone, and closes few of them. Then it follows the neighbours of
the best candidate once more. Of drafts that differ no more than ties do, it closes one. If all candidates
iterate, it also closes the trees of the classic methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context
from time import perf_counter, process_time
from typing import TypeVar

from fmugen.errors import TreeError
from fmugen.ir.flow import Closure
from fmugen.ir.graph import Domain, LinearGraph
from fmugen.ir.model import Element, SystemModel
from fmugen.ir.tree import TreeSelection
from fmugen.phases.graph import build_graph
from fmugen.trees import CHEAPEST, METHODS, neighbours, promising_trees, select_trees
from fmugen.trees.candidates import exchanges
from fmugen.trees.classic import CLASSIC_METHODS
from fmugen.trees.drafts import Candidate, Desk, Draft, close_elsewhere, draft_elsewhere, on_graph, tree_cost
from fmugen.trees.price import PRICE_ERROR
from fmugen.trees.virtual import hides_reactions, propose_virtual_joints

__all__ = ["SHORT_EFFORT", "Candidate", "SearchEffort", "SearchResult", "search_trees", "tree_cost"]

_SPARE_COORDINATES = 3
#: Number of closed candidates needed before their growth factor is used, and its safety factor.
_MIN_SAMPLES = 4
_SAFETY = 0.95
#: Candidates are judged against the best before their batch, whatever the number of processes.
_BATCH = 2
#: Draft neighbours are looked at further if they are expected to be cheaper by this share.
_LEAST_GAIN = 0.005
#: Of drafts whose lower bounds differ by a smaller share, a rough search closes one.
_TIE = 0.002
#: If the best candidate iterates, drafts are closed that are expected to cost this factor of the least.
_NEAR = 1.2
#: The price of a candidate that does not iterate may exceed the lowest one by this factor.
_EXACT_FACTOR = 2.0
#: Rough prices above the lowest by this factor are those of candidates that are not the cheapest.
_ROUGH = 1.05
#: A rough search does not look at the neighbours of an open chain or tree of bodies if these are more. Of
#: 27 with up to 50 bodies, only one of two bodies had a better neighbour.
_OPEN_EXCHANGES = 60
#: Larger than the number of neighbours of any tree.
_ALL_NEIGHBOURS = 10_000

#: Called with the number of candidates measured so far and the name of the next one.
CandidateProgress = Callable[[int, str], None]

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class SearchEffort:
    """Limits of the search: first candidates, neighbours per round, rounds, time. The defaults are thorough.

    In each round the loops of ``closed`` candidates are closed. Drafting stops once the expressions of the
    drafts have ``nodes`` nodes; trees of the file are always drafted. ``proposals`` candidates use virtual
    joints that the model lacks.

    A ``rough`` search drafts the neighbours of the draft with the least expected price, in some rounds,
    before it closes any, in the order of expected prices. Its own prices are rough, too (:class:`Desk`).
    Another search closes in the order of lower bounds, and looks at the neighbours of the best candidate.

    The search is limited by counts and by work (:class:`Budget`), so equal models get equal trees on every
    machine. ``seconds`` (CPU time if there is one process) is a safety limit: a search that reaches it is
    incomplete, and its result says so.
    """

    candidates: int = 20
    neighbours: int = 6
    rounds: int = 2
    seconds: float = 120.0
    processes: int = 1
    proposals: int = 3
    closed: int = 10
    nodes: int = 80_000
    rough: bool = False


#: The search of an export: it closes about three candidates, and follows neighbours without closing them.
#: Over the examples its trees need from 9 % fewer to 16 % more operations than those of a thorough search.
SHORT_EFFORT = SearchEffort(candidates=12, rounds=4, proposals=0, closed=3, nodes=40_000, rough=True)


@dataclass(frozen=True)
class SearchResult:
    """All candidates in the order in which they were measured; ``complete`` unless time ran out.

    ``proposed`` are the virtual joints, not of the model, that candidates may use.
    """

    candidates: tuple[Candidate, ...]
    complete: bool
    proposed: tuple[Element, ...] = ()

    @property
    def ranked(self) -> tuple[Candidate, ...]:
        """The candidates that can be used, the cheapest first; equal ones as they were proposed."""
        usable = (candidate for candidate in self.candidates if candidate.cost is not None)
        return tuple(sorted(usable, key=lambda candidate: candidate.price))

    @property
    def best(self) -> Candidate:
        """The candidate with the fewest operations among the cheapest.

        Prices that differ by less than their error count as equal.
        """
        ranked = self.ranked
        if not ranked:
            reasons = "; ".join(sorted({candidate.refusal for candidate in self.candidates}))
            raise TreeError(f"no trees can be used: {reasons}")
        bounded = [c for c in ranked if not _iterates(c) and c.price <= _EXACT_FACTOR * ranked[0].price]
        ranked = tuple(bounded) or ranked
        limit = ranked[0].price * (1 + PRICE_ERROR)
        return min((c for c in ranked if c.price <= limit), key=lambda candidate: candidate.operations)

    @property
    def chosen(self) -> TreeSelection:
        """The cheapest trees."""
        best = self.best
        why = f"{best.trees.name}, cheapest of {len(self.candidates)} pairs"
        if not self.complete:
            why += "; the search reached its time limit, a longer search may choose others"
        reasons = {key: f"{reason}; {why}" for key, reason in best.trees.reasons.items()}
        return replace(best.trees, name=CHEAPEST, reasons=reasons)

    @property
    def used(self) -> tuple[Element, ...]:
        """The proposed joints that the cheapest trees use."""
        trees = self.best.trees
        return tuple(joint for joint in self.proposed if _uses(trees, {joint.name}))


def search_trees(
    model: SystemModel,
    graph: LinearGraph,
    closure: Closure,
    effort: SearchEffort | None = None,
    progress: CandidateProgress | None = None,
) -> SearchResult:
    """Measure promising trees of ``model``, then the neighbours of the best for some rounds.

    Trees with virtual joints that ``model`` does not have are measured last.
    """
    effort = effort or SearchEffort()
    with _TreeSearch(model, graph, closure, effort, progress) as search:
        first = promising_trees(model, graph, effort.candidates, absolute_first=effort.rough)
        if effort.rough:
            search.measure_roughly(first)
            return search.result()
        search.measure(first)
        for _ in range(effort.rounds):
            before = search.result()
            search.measure(neighbours(graph, before.best.trees, effort.neighbours))
            if search.result().best is before.best:
                break
        wider = propose_virtual_joints(model)
        if wider is not model and effort.proposals:
            search.measure(search.candidates_with_virtual_joints(wider))
        return search.result()


def _uses(trees: TreeSelection, names: set[str]) -> bool:
    return any(not names.isdisjoint(trees.domain(domain).branches) for domain in Domain)


# --- the search ------------------------------------------------------------------------------------


class _TreeSearch:
    """Measures candidates, in this process or in several, until the time is up."""

    def __init__(
        self,
        model: SystemModel,
        graph: LinearGraph,
        closure: Closure,
        effort: SearchEffort,
        progress: CandidateProgress | None,
    ) -> None:
        self._model, self._graph, self._closure, self._effort = model, graph, closure, effort
        self._desk = Desk(model, closure, rough=effort.rough)
        self._coordinates = _coordinates(graph)
        self._named = {trees.name for trees in model.trees}
        self._proposed: tuple[Element, ...] = ()
        self._progress = progress
        self._clock = process_time if effort.processes == 1 else perf_counter
        self._deadline = self._clock() + effort.seconds
        self._measured: list[Candidate] = []
        self._known: set[tuple[frozenset[str], frozenset[str]]] = set()
        self._growths: list[tuple[int, float]] = []
        self._known_drafts: dict[str, Draft] = {}
        self._closed_drafts: list[Draft] = []
        self._explored: set[str] = set()
        self._complete = True
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _TreeSearch:
        if self._effort.processes > 1:
            self._pool = ProcessPoolExecutor(self._effort.processes, mp_context=get_context("spawn"))
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def result(self) -> SearchResult:
        return SearchResult(tuple(self._measured), self._complete, self._proposed)

    def candidates_with_virtual_joints(self, wider: SystemModel) -> tuple[TreeSelection, ...]:
        """Trees that use virtual joints of ``wider``: those of methods, and neighbours of the best.

        Trees with more coordinates than the best are left out, since a proposed joint must save operations.
        """
        self._proposed = tuple(element for element in wider.elements if element not in self._model.elements)
        names = {joint.name for joint in self._proposed}
        graph = build_graph(wider)
        self._model, self._coordinates = wider, _coordinates(graph)
        self._desk = Desk(wider, self._closure, rough=self._effort.rough)
        best = on_graph(graph, self.result().best.trees)
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
        """Draft what is new, then close the loops of the most promising drafts."""
        self._close(sorted(self._drafts(proposed), key=lambda draft: draft.least))

    def measure_roughly(self, proposed: Iterable[TreeSelection]) -> None:
        """Draft and close as a rough search does."""
        drafts = self._drafts(proposed)
        usable = [draft for draft in drafts if not draft.refusal]
        climbed = self._improved(min(usable, key=_by_forecast)) if usable else []
        self._close(sorted([*drafts, *climbed], key=_by_forecast))
        for _ in range(self._effort.rounds):
            ranked = self.result().ranked
            better = self._improved(self._known_drafts[ranked[0].trees.name]) if ranked else []
            if not better:
                break
            self._close(sorted(better, key=_by_forecast))
        self._close_classic()
        self._count_exactly()

    def _close_classic(self) -> None:
        """Close the trees of classic methods in turn, as long as all candidates iterate."""
        for method in CLASSIC_METHODS:
            ranked = self.result().ranked
            if self._is_late or not ranked or not all(map(_iterates, ranked)):
                return
            draft = self._known_drafts.get(method)
            if draft is not None and not draft.refusal and method not in {c.trees.name for c in ranked}:
                others = [candidate for candidate in self._measured if candidate.trees.name != method]
                self._measured = [*others, *self._closed([draft])]

    def _improved(self, origin: Draft) -> list[Draft]:
        """Drafts that are better than ``origin``: neighbours, then those of the best of them, and so on."""
        found: list[Draft] = []
        for _ in range(self._effort.rounds):
            best = min([origin, *found], key=_by_forecast)
            if best.trees.name in self._explored or self._is_late or _is_long_chain(best):
                break
            self._explored.add(best.trees.name)
            for draft in self._drafts(neighbours(self._graph, best.trees, self._effort.neighbours)):
                if draft.refusal or draft.forecast < (1 - _LEAST_GAIN) * best.forecast:
                    found.append(draft)
                else:
                    refusal = f"not closed: its equations take no less than those of {best.trees.name}"
                    self._measured.append(Candidate(draft.trees, None, refusal))
        return [draft for draft in found if not draft.refusal]

    def _count_exactly(self) -> None:
        """Replace the rough prices of candidates that may be the cheapest."""
        ranked = self.result().ranked
        rivals = [c.trees.name for c in ranked if c.price <= _ROUGH * ranked[0].price]
        if len(rivals) > 1:
            self._measured = [self._desk.counted(c) if c.trees.name in rivals else c for c in self._measured]

    def _close(self, drafts: Sequence[Draft]) -> None:
        """Close the loops of drafts in their order, as far as it is worthwhile."""
        closed = 0
        for batch in _batches(drafts, 1 if self._effort.rough else _BATCH):
            if self._is_late and self.result().ranked:
                break
            verdicts = [(draft, self._why_not(draft, closed)) for draft in batch]
            worthwhile = [draft for draft, why_not in verdicts if not why_not]
            closed += len(worthwhile)
            found = self._closed(worthwhile)
            self._closed_drafts += worthwhile if self._effort.rough else []
            for draft, candidate in zip(worthwhile, found, strict=True):
                if candidate.cost is not None:
                    self._growths.append((draft.constraints, candidate.price / draft.least))
            following = iter(found)
            self._measured.extend(
                Candidate(draft.trees, None, why_not) if why_not else next(following)
                for draft, why_not in verdicts
            )

    def _drafts(self, proposed: Iterable[TreeSelection]) -> list[Draft]:
        """The equations of new trees in order, up to a limit; trees of the file are always included."""
        drafts: list[Draft] = []
        for batch in _batches(self._small(proposed), _BATCH):
            # The first one is always measured: there must be something to choose.
            if (drafts or self._known_drafts) and self._is_late:
                break
            full = sum(draft.nodes for draft in drafts) > self._effort.nodes
            wanted = [trees for trees in batch if not full or trees.name in self._named]
            if wanted:
                self._say(wanted[0])
                drafts += self._drafted(wanted)
        if self._effort.rough:
            self._known_drafts |= {draft.trees.name: draft for draft in drafts}
        return drafts

    def _small(self, proposed: Iterable[TreeSelection]) -> list[TreeSelection]:
        """What is new and has not many more coordinates than others."""
        fresh = [trees for trees in proposed if self._is_new(trees)]
        known = [
            *(draft.trees for draft in self._known_drafts.values()),
            *(c.trees for c in self.result().ranked),
        ]
        fewest = min(map(self._size, [*fresh, *known]), default=0)
        small = []
        for trees in fresh:
            if (size := self._size(trees)) <= 2 * fewest + _SPARE_COORDINATES:
                small.append(trees)
            else:
                refusal = f"not formulated: {size} coordinates are more than twice as many as others need"
                self._measured.append(Candidate(trees, None, refusal))
        return small

    def _why_not(self, draft: Draft, closed: int) -> str:
        """The reason why the loops of a draft need not be closed; empty if they must be."""
        ranked = self.result().ranked
        if draft.refusal or not ranked:
            return draft.refusal
        limit = ranked[0].price * (1 + PRICE_ERROR)
        if draft.least > limit:
            return f"its equations alone take {draft.least:.0f} ns, more than the cheapest candidate"
        growth = self._price_growth(draft)
        if _SAFETY * growth * draft.least > limit:
            times = f"{growth:.1f} times as long with closed loops"
            return f"its equations alone take {draft.least:.0f} ns, and those of others {times}"
        if closed >= self._effort.closed and not self._is_worth_more(draft, ranked[0], closed):
            return f"not closed: {closed} candidates with cheaper equations were closed first"
        alike = next((other for other in self._closed_drafts if _is_alike(draft, other)), None)
        return "" if alike is None else f"not closed: its equations are about those of {alike.trees.name}"

    def _is_worth_more(self, draft: Draft, best: Candidate, closed: int) -> bool:
        """Whether a rough search closes a further draft: the best one iterates, others may not."""
        near = draft.forecast <= _NEAR * min(other.forecast for other in self._closed_drafts or [draft])
        return self._effort.rough and _iterates(best) and near and closed < 2 * self._effort.closed

    def _price_growth(self, draft: Draft) -> float:
        """The least factor by which closing the loops raises the price of a draft, judged by other drafts."""
        growths = [growth for constraints, growth in self._growths if constraints <= draft.constraints]
        return min(growths, default=1.0) if len(self._growths) >= _MIN_SAMPLES else 1.0

    def _size(self, trees: TreeSelection) -> int:
        """How many coordinates the trees have."""
        return sum(self._coordinates[d, b] for d in Domain for b in trees.domain(d).branches)

    @property
    def _is_late(self) -> bool:
        late = self._clock() > self._deadline
        self._complete = self._complete and not late
        return late

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

    def _say(self, trees: TreeSelection) -> None:
        if self._progress is not None:
            self._progress(len(self._measured), trees.name)

    def _drafted(self, batch: Sequence[TreeSelection]) -> list[Draft]:
        if self._pool is None:
            return [self._desk.draft(trees) for trees in batch]
        futures = [self._pool.submit(draft_elsewhere, self._model, trees, self._closure) for trees in batch]
        return [future.result() for future in futures]

    def _closed(self, batch: Sequence[Draft]) -> list[Candidate]:
        if self._pool is None:
            found = [self._desk.closed(draft) for draft in batch]
        else:
            futures = [
                self._pool.submit(close_elsewhere, self._model, draft, self._closure) for draft in batch
            ]
            found = [future.result() for future in futures]
        return [self._trusted(candidate) for candidate in found]


def _iterates(candidate: Candidate) -> bool:
    """Whether unknowns of a candidate are left to Newton iteration."""
    return candidate.cost is not None and candidate.cost.iterated > 0


def _by_forecast(draft: Draft) -> tuple[bool, float]:
    """Usable drafts first, the least expected price before others."""
    return bool(draft.refusal), draft.forecast


def _is_long_chain(draft: Draft) -> bool:
    """Whether the bodies of a draft hang on each other without loops, and its neighbours are many."""
    dae = draft.equations[0] if draft.equations else None
    is_open = dae is not None and dae.tree is not None and not draft.constraints
    return is_open and exchanges(draft.trees) > _OPEN_EXCHANGES


def _is_alike(draft: Draft, other: Draft) -> bool:
    """Whether two drafts differ by no more than ties do."""
    apart = abs(draft.least - other.least)
    return draft.constraints == other.constraints and apart < _TIE * other.least


def _coordinates(graph: LinearGraph) -> dict[tuple[Domain, str], int]:
    """How many coordinates each edge has as a branch."""
    edges = (edge for domain in Domain for edge in graph.domain(domain).edges)
    return {(edge.domain, edge.name): len(edge.motion) for edge in edges}


def _batches(items: Sequence[_Item], size: int) -> Iterator[list[_Item]]:
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
