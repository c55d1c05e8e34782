"""The options that decide how a model is compiled, shared by the commands that compile one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import typer

from fmugen.cli.arguments import (
    ClosureOption,
    IndependentOption,
    IterationsOption,
    ModeOption,
    NeverIterateOption,
    SolverOption,
    SolverStepOption,
    TreesOption,
    names_in,
)
from fmugen.ir.options import ExportOptions

__all__ = ["DEFAULTS", "closing", "compiling", "with_options"]

DEFAULTS = ExportOptions()


def closing(
    trees: TreesOption = DEFAULTS.trees,
    closure: ClosureOption = DEFAULTS.closure,
    independent: IndependentOption = "",
    iterations: IterationsOption = None,
    never_iterate: NeverIterateOption = False,
    mode: ModeOption = None,
) -> ExportOptions:
    """How loops are closed."""
    if never_iterate and iterations is not None:
        raise typer.BadParameter("--iterations and --never-iterate exclude each other: leave one out")
    steps = 0 if never_iterate else iterations
    return ExportOptions(trees, closure, independent=names_in(independent), iterations=steps, mode=mode)


def compiling(
    trees: TreesOption = DEFAULTS.trees,
    closure: ClosureOption = DEFAULTS.closure,
    solver: SolverOption = DEFAULTS.solver,
    step: SolverStepOption = DEFAULTS.step,
    independent: IndependentOption = "",
    iterations: IterationsOption = None,
    never_iterate: NeverIterateOption = False,
    mode: ModeOption = None,
) -> ExportOptions:
    """How loops are closed, and how the FMU integrates."""
    options = closing(trees, closure, independent, iterations, never_iterate, mode)
    return replace(options, solver=solver, step=step)


def with_options(
    made_by: Callable[..., ExportOptions],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of ``made_by``, whose result is the argument ``options`` of the command."""
    group = inspect.signature(made_by, eval_str=True).parameters

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = [parameter for name, parameter in signature.parameters.items() if name != "options"]
        shared = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in group.values()]

        @wraps(command)
        def run(**given: Any) -> None:
            options = made_by(**{name: given.pop(name) for name in group})
            command(**given, options=options)

        run.__signature__ = signature.replace(parameters=[*own, *shared])  # type: ignore[attr-defined]
        return run

    return decorate
