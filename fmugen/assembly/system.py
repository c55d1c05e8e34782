"""The equations of a start, in the order in which they are solved.

They are the loop constraints, the fixed start values, and for each freedom that these leave the value of a
coordinate at the assembled start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fmugen.assembly.paths import Complexes, Equations, Reals
from fmugen.digraph import matching, strong_components
from fmugen.evaluation import Evaluation
from fmugen.expr.calculus import Tangent, postorder, symbols_of
from fmugen.expr.dag import Expr, Operation, SymbolRole
from fmugen.expr.functions import FUNCTION_VALUES
from fmugen.expr.substitute import Substitution
from fmugen.formulas import evaluate
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Block, SolutionFlow
from fmugen.ir.formula import Formula
from fmugen.ir.model import Body, Space, SystemModel, default_parameters
from fmugen.phases.triangularize.assemble import Assembly
from fmugen.phases.triangularize.measures import measures_of
from fmugen.verify.frames import pose_kinds
from fmugen.verify.layout import own_kinds

__all__ = ["Stage", "StartSystem"]

#: Functions of arrays of complex numbers; the others are of constants alone.
_ANALYTIC = ("sin", "cos", "tan", "sinh", "cosh", "exp")
_FUNCTIONS = {**FUNCTION_VALUES, **{name: getattr(np, name) for name in _ANALYTIC}}
#: A row that depends on the others by more than this part of itself is not taken.
_RANK = 1e-8
#: A smallest singular value below this part of the largest is zero: double roots have half the digits.
_SINGULAR = 1e-6


@dataclass(frozen=True)
class Stage:
    """Equations solved together for ``unknowns``: by the exact steps of ``block``, or all at once."""

    unknowns: tuple[int, ...]
    rows: tuple[int, ...]
    block: Block | None = None


class StartSystem:
    """As many equations as coordinates, and their values at complex positions.

    ``left_out`` are the fixed start values that are not among them, because they are not smooth functions.
    """

    def __init__(self, model: SystemModel, dae: Dae, flow: SolutionFlow) -> None:
        self.dae, self.flow = dae, flow
        defaults = default_parameters(model)
        parameters = [defaults[name] for name in dae.symbols.parameters]
        self.measures = measures_of(model)
        self.assembly = Assembly(dae, parameters, self.measures)
        self.start = np.array(flow.positions)
        self._evaluation = Evaluation(dae, parameters)
        self._place = Substitution(dae.known_at_start)
        self._numbers = {c.position: number for number, c in enumerate(dae.coordinates)}
        self._poses = _pose_expressions(model, dae)
        self._pose_symbols = [self._coordinates(each) for each in self._poses]
        self.signature = self._function(self._poses)
        self.signature_scale = _pose_scale(model, self.measures.length)
        self._points = _points_of(model)
        loops = [self._place(dae.constraints[row].phi) for row in flow.rows]
        self.are_smooth = all(map(self._is_analytic, loops))
        self.left_out: list[str] = []
        self.held: list[int] = []
        self.expressions = [*loops, *self._starts(loops)] if self.are_smooth else []

    @property
    def _loops(self) -> int:
        return len(self.flow.rows)

    def _coordinates(self, expression: Expr) -> frozenset[int]:
        found = symbols_of((self._place(expression),))
        return frozenset(self._numbers[symbol] for symbol in found if symbol in self._numbers)

    def _function(self, expressions: Sequence[Expr]) -> Callable[[Complexes], Complexes]:
        evaluate = self._evaluation.array_function(expressions, self.dae.known_at_start, _FUNCTIONS)

        def values(at: Complexes) -> Complexes:
            found = np.empty((len(expressions), at.shape[1]), dtype=np.complex128)
            for row, value in enumerate(evaluate(at)):
                found[row] = value
            return found

        return values

    # --- the equations that complete the loops ------------------------------------------------------

    def _starts(self, loops: Sequence[Expr]) -> Iterator[Expr]:
        """Fixed start values, then values of coordinates, until as many equations as coordinates."""
        taken = np.zeros((0, len(self.start)))
        for row in self._rates_of(loops)(self.start[:, None].astype(np.complex128))[0].real:
            taken = _with_row(taken, row)[0]
        for name, residual in self.dae.fixed_positions.items():
            smooth = self._smooth(self._place(residual))
            if smooth is None:
                self.left_out.append(name)
                continue
            taken, is_new = _with_row(taken, self._rates_of([smooth])(self._at_start)[0, 0].real)
            if is_new:
                yield smooth
        others = [k for k in range(len(self.start)) if k not in self.flow.independent]
        for number in (*self.flow.independent, *others):
            taken, is_new = _with_row(taken, np.eye(len(self.start))[number])
            if is_new:
                self.held.append(number)
                position = self.dae.coordinates[number].position
                yield position - position.dag.number(Fraction(float(self.start[number])))

    @cached_property
    def _at_start(self) -> Complexes:
        return self.start[:, None].astype(np.complex128)

    def _is_analytic(self, expression: Expr) -> bool:
        """Whether coordinates are only in functions that complex numbers have, too."""
        return all(
            node.operation is not Operation.CALL or node.name in _ANALYTIC or not self._coordinates(node)
            for node in postorder((expression,))
        )

    def _smooth(self, residual: Expr) -> Expr | None:
        """An analytic expression with the same zeros; of an angle y/x also those half a turn away."""
        if self._is_analytic(residual):
            return residual
        terms = residual.args if residual.operation is Operation.ADD else (residual,)
        terms = tuple(term for term in terms if not _counts_turns(term))
        angles = [term for term in terms if term.operation is Operation.CALL and term.name == "atan2"]
        if len(angles) != 1:
            return None
        y, x = angles[0].args
        dag = residual.dag
        rest = dag.add(term for term in terms if term is not angles[0])
        found = y * dag.call("cos", rest) + x * dag.call("sin", rest)
        return found if self._is_analytic(found) else None

    # --- stages -------------------------------------------------------------------------------------

    @cached_property
    def stages(self) -> list[Stage]:
        """The equations in the order of their solution."""
        flow = self.flow
        known = frozenset(flow.independent)
        added = range(self._loops, len(self.expressions))
        solved = {k for block in flow.blocks for k in block.unknowns}
        determined = all(self._coordinates(self.expressions[row]) <= known for row in added)
        if not determined or len(solved) + len(known) != len(self.start):
            return self._components(range(len(self.expressions)), range(len(self.start)))
        rows = {row: place for place, row in enumerate(flow.rows)}
        return [
            *self._components(added, flow.independent),
            *(Stage(block.unknowns, tuple(rows[row] for row in block.rows), block) for block in flow.blocks),
        ]

    def _components(self, rows: Sequence[int], unknowns: Sequence[int]) -> list[Stage]:
        """Strong components, with the exact steps of a block where one solves for the same unknowns."""
        wanted = frozenset(unknowns)
        needs = {row: self._coordinates(self.expressions[row]) & wanted for row in rows}
        owner = {unknown: row for row, unknown in self._matched(needs).items()}
        graph = {k: sorted(needs[owner[k]] - {k}) for k in unknowns}
        steps = {frozenset(block.unknowns): block for block in self.flow.blocks}
        return [
            Stage(tuple(found), tuple(owner[k] for k in found), steps.get(frozenset(found)))
            for found in strong_components(graph)
        ]

    @staticmethod
    def _matched(needs: dict[int, frozenset[int]]) -> dict[int, int]:
        fewest_first = sorted(needs, key=lambda row: len(needs[row]))
        return matching({row: sorted(needs[row]) for row in fewest_first})

    @cached_property
    def _rates(self):  # type: ignore[no-untyped-def]
        return self._rates_of(self.expressions)

    def is_singular(self, at: Reals) -> bool:
        """Whether the equations do not determine all coordinates at a position."""
        lengths = np.array([c.unit == "m" for c in self.dae.coordinates])
        scale = np.where(lengths, self.measures.length, 1.0)
        matrix = self._rates(at[:, None].astype(np.complex128))[0].real * scale
        sizes = np.linalg.norm(matrix, axis=1, keepdims=True)
        singular = np.linalg.svd(matrix / np.maximum(sizes, 1e-300), compute_uv=False)
        return bool(singular[-1] <= _SINGULAR * singular[0])

    def is_constant(self, expression: Expr) -> bool:
        """Whether no coordinate is in an expression."""
        return not self._coordinates(expression)

    def places(self, poses: Reals) -> Reals:
        """The places of all points of bodies, from poses in which lengths are parts of the mechanism's."""
        if not self._points:  # in the plane the angle of a body is seen
            return poses
        length = self.measures.length
        found = [
            pose[:3, None] + pose[3:].reshape(3, 3) @ (points.T / length)
            for pose, points in zip(
                poses[: 12 * len(self._points)].reshape(-1, 12), self._points, strict=True
            )
        ]
        own = poses[12 * len(self._points) :]
        return np.concatenate([*(each.ravel() for each in found), own])

    # --- as numbers ----------------------------------------------------------------------------------

    def equations(self, stage: Stage) -> Equations:
        """The equations of a stage. Its solutions are told apart by the bodies that its unknowns move."""
        expressions = [self.expressions[row] for row in stage.rows]
        coordinates = [self.dae.coordinates[k] for k in stage.unknowns]
        own = frozenset(stage.unknowns)
        poses = [each for each, found in zip(self._poses, self._pose_symbols, strict=True) if found & own]
        shown = frozenset[int]().union(*map(self._coordinates, poses)) if poses else frozenset[int]()
        for number in sorted(own - shown):
            position = self.dae.coordinates[number].position
            turns = self.dae.coordinates[number].unit == "rad"
            calls = [position.dag.call(name, position) for name in ("sin", "cos")]
            poses += calls if turns else [position]
        lengths = np.array([c.unit == "m" for c in coordinates])
        return Equations(
            stage.unknowns,
            np.where(lengths, self.measures.length, 1.0),
            np.array([c.unit == "rad" for c in coordinates]),
            self._function(expressions),
            self._rates_of(expressions),
            self._function(poses),
        )

    def _rates_of(self, expressions: Sequence[Expr]):  # type: ignore[no-untyped-def]
        """The derivatives by all coordinates: by position, equation, coordinate."""
        places, entries = [], []
        for row, expression in enumerate(expressions):
            for number in sorted(self._coordinates(expression)):
                symbol = self.dae.coordinates[number].position
                derivative = Tangent(symbol.dag, {symbol: symbol.dag.one})(self._place(expression))
                if not derivative.is_zero:
                    places.append((row, number))
                    entries.append(derivative)
        evaluate = self._function(entries)
        rows = [row for row, _ in places]
        columns = [column for _, column in places]

        def rates(at: Complexes) -> Complexes:
            found = np.zeros((at.shape[1], len(expressions), len(self.start)), dtype=np.complex128)
            found[:, rows, columns] = evaluate(at).T
            return found

        return rates


def _pose_expressions(model: SystemModel, dae: Dae) -> list[Expr]:
    """The poses of all bodies, angles in the plane by sine and cosine, and their own coordinates."""
    names = [f"{body.name}.{kind}" for body in model.bodies for kind, _ in pose_kinds(model)]
    names += [f"{body}.{kind}" for body, kinds in own_kinds(model).items() for kind in kinds]
    found = [dae.quantities[name] for name in names]
    if model.space is not Space.PLANAR:
        return found
    return [
        part
        for name, each in zip(names, found, strict=True)
        for part in (
            (each.dag.call("sin", each), each.dag.call("cos", each)) if name.endswith(".angle") else (each,)
        )
    ]


def _pose_scale(model: SystemModel, length: float) -> Reals:
    """The units in which the poses are compared: the length of the mechanism, or one."""
    planar = model.space is Space.PLANAR
    found: list[float] = []
    for _ in model.bodies:
        for kind, _ in pose_kinds(model):
            found += [1.0, 1.0] if planar and kind == "angle" else [length if kind in "xyz" else 1.0]
    found += [1.0 for kinds in own_kinds(model).values() for _ in kinds]
    return np.array(found)


def _points_of(model: SystemModel) -> list[Reals]:
    """The mass centre, the origin and the points of each body, in its frame."""
    defaults = default_parameters(model)

    def number(formula: Formula) -> float:
        value = evaluate(formula, defaults)
        return 0.0 if value is None else value

    def places(body: Body) -> Reals:
        vectors = [body.center, *(point.position for point in body.points)]
        return np.array([(0.0, 0.0, 0.0), *(tuple(map(number, vector)) for vector in vectors)])

    return [] if model.space is Space.PLANAR else [places(body) for body in model.bodies]


def _counts_turns(term: Expr) -> bool:
    calls = (node for node in postorder((term,)) if node.operation is Operation.CALL)
    return any(node.name == "turns" for node in calls) or (
        term.operation is Operation.SYMBOL and term.role is SymbolRole.TURNS
    )


def _with_row(taken: Reals, row: Reals) -> tuple[Reals, bool]:
    """An orthonormal basis with one more row, if that row is independent of it."""
    size = float(np.linalg.norm(row))
    rest = row - taken.T @ (taken @ row)
    rest = rest - taken.T @ (taken @ rest)
    length = float(np.linalg.norm(rest))
    if length <= _RANK * max(size, 1e-12):
        return taken, False
    return np.vstack([taken, rest / length]), True
