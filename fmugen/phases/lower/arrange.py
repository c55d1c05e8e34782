"""Fewer operations for the stages of a motion and for exact steps, and what each of them takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from fmugen.expr.calculus import postorder
from fmugen.expr.code import reached
from fmugen.expr.compact import compact
from fmugen.expr.dag import Expr, Operation
from fmugen.ir.dae import Constraint, Coordinate
from fmugen.ir.program import MotionCode, MotionStage
from fmugen.phases.lower.steps import StepForm

__all__ = ["compact_forms", "compact_motion", "stage_roots", "taken", "turning_coordinates"]

#: Sweeps over right-hand sides, which are evaluated most often.
_SWEEPS = 2


def compact_motion(motion: MotionCode, is_leaf: Callable[[Expr], bool]) -> MotionCode:
    """The equations of motion with fewer operations, sharing across stages."""
    given = [root for stage in motion.stages for root in stage_roots(stage)]
    roots = iter(compact(given, is_leaf, _SWEEPS))
    return MotionCode(
        tuple(
            replace(
                stage,
                guards=tuple(replace(guard, value=next(roots)) for guard in stage.guards),
                results=tuple(replace(result, value=next(roots)) for result in stage.results),
            )
            for stage in motion.stages
        )
    )


def compact_forms(forms: Sequence[StepForm], is_leaf: Callable[[Expr], bool]) -> list[StepForm]:
    """Steps with fewer operations, sharing across steps."""
    given = [root for form in forms for root in (*form.arguments, *form.results)]
    roots = iter(compact(given, is_leaf, _SWEEPS))
    return [
        replace(
            form,
            arguments=tuple(next(roots) for _ in form.arguments),
            results=tuple(next(roots) for _ in form.results),
        )
        for form in forms
    ]


def stage_roots(stage: MotionStage) -> list[Expr]:
    guards = [guard.value for guard in stage.guards]
    return [*guards, *(result.value for result in stage.results)]


def taken(
    waiting: Sequence[Expr], roots: Iterable[Expr], is_leaf: Callable[[Expr], bool]
) -> tuple[tuple[Expr, ...], list[Expr]]:
    """The temporaries among ``waiting`` that ``roots`` need, and those still waiting."""
    needed = reached(roots, is_leaf)
    return tuple(n for n in waiting if n in needed), [n for n in waiting if n not in needed]


def turning_coordinates(
    coordinates: Sequence[Coordinate],
    rows: Iterable[Constraint],
    forms: Sequence[StepForm],
    motions: Iterable[MotionCode | None],
) -> dict[int, int]:
    """The coordinates whose sine or cosine the closure or the motion reads, numbered in order."""
    roots = [root for form in forms for root in (*form.arguments, *form.results)]
    roots += [row.phi for row in rows]
    roots += [
        root for motion in filter(None, motions) for stage in motion.stages for root in stage_roots(stage)
    ]
    read = _turned_by_circles(roots)
    turned = {form.unknown for form in forms if form.is_angle}
    found = [i for i, each in enumerate(coordinates) if each.position in read or i in turned]
    return {coordinate: place for place, coordinate in enumerate(found)}


def _turned_by_circles(roots: Iterable[Expr]) -> set[Expr]:
    """The coordinates of whose sine or cosine expressions depend."""
    circles = (node for node in postorder(roots) if node.operation is Operation.CALL)
    return {node.args[0] for node in circles if node.name in ("sin", "cos")}
