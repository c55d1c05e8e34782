"""Fewer operations for the sections of a motion and for exact steps, and the temporaries that each takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from fmugen.expr.code import reached
from fmugen.expr.compact import compact
from fmugen.expr.dag import Expr
from fmugen.ir.program import Motion, Section
from fmugen.phases.lower.steps import Form

__all__ = ["compact_forms", "compact_motion", "section_roots", "taken"]

#: Of right-hand sides, which are evaluated most often.
_SWEEPS = 2


def compact_motion(motion: Motion, is_leaf: Callable[[Expr], bool]) -> Motion:
    """The equations of motion with fewer operations, sharing across sections."""
    given = [root for section in motion.sections for root in section_roots(section)]
    roots = iter(compact(given, is_leaf, _SWEEPS))
    return Motion(
        tuple(
            replace(
                section,
                guards=tuple(replace(guard, value=next(roots)) for guard in section.guards),
                results=tuple(replace(result, value=next(roots)) for result in section.results),
            )
            for section in motion.sections
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


def section_roots(section: Section) -> list[Expr]:
    guards = [guard.value for guard in section.guards]
    return [*guards, *(result.value for result in section.results)]


def taken(
    waiting: Sequence[Expr], roots: Iterable[Expr], is_leaf: Callable[[Expr], bool]
) -> tuple[tuple[Expr, ...], list[Expr]]:
    """The temporaries among ``waiting`` that ``roots`` need, and those still waiting."""
    needed = reached(roots, is_leaf)
    return tuple(n for n in waiting if n in needed), [n for n in waiting if n not in needed]
