"""Fewer operations for the stages of a motion and for exact steps, and what each of them takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from fmugen.expr.calculus import postorder
from fmugen.expr.code import reached
from fmugen.expr.compact import compact
from fmugen.expr.dag import Expr, Operation
from fmugen.ir.program import Motion, MotionStage
from fmugen.phases.lower.steps import Form

__all__ = ["compact_forms", "compact_motion", "stage_roots", "taken", "turned_by_circles"]

#: Sweeps over right-hand sides, which are evaluated most often.
_SWEEPS = 2


def compact_motion(motion: Motion, is_leaf: Callable[[Expr], bool]) -> Motion:
    """The equations of motion with fewer operations, sharing across stages."""
    given = [root for stage in motion.stages for root in stage_roots(stage)]
    roots = iter(compact(given, is_leaf, _SWEEPS))
    return Motion(
        tuple(
            replace(
                stage,
                guards=tuple(replace(guard, value=next(roots)) for guard in stage.guards),
                results=tuple(replace(result, value=next(roots)) for result in stage.results),
            )
            for stage in motion.stages
        )
    )


def compact_forms(forms: Sequence[Form], is_leaf: Callable[[Expr], bool]) -> list[Form]:
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


def turned_by_circles(roots: Iterable[Expr]) -> set[Expr]:
    """The coordinates of whose sine or cosine expressions depend."""
    circles = (node for node in postorder(roots) if node.operation is Operation.CALL)
    return {node.args[0] for node in circles if node.name in ("sin", "cos")}
