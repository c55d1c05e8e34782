"""Program, FmuDescription -> the text of ``model.h`` and ``model.c``.

All choices of text are made here; the templates only place it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fmugen.ir.fmu import FmuDescription
from fmugen.ir.program import Program
from fmugen.phases.emit.functions import FunctionText, FunctionWriter, absent_function
from fmugen.phases.emit.names import Nomenclature, lines_of
from fmugen.phases.emit.tables import (
    defines,
    motion_name,
    network_blocks,
    set_text,
    tables,
)
from fmugen.resources import template_dir

__all__ = ["emit_sources"]

#: Functions of formulas that neither C nor the runtime has.
_HELPERS = {
    "sign": "static double model_sign(double x) { return (double)((x > 0.0) - (x < 0.0)); }",
    "step": "static double model_step(double x) { return x >= 0.0 ? 1.0 : 0.0; }",
    "if": "static double model_if(double x, double a, double b) { return x >= 0.0 ? a : b; }",
}


def emit_sources(program: Program, description: FmuDescription) -> dict[str, str]:
    """The generated C sources, by file name."""
    names = Nomenclature(program, description)
    writer = FunctionWriter(program, names)
    present = [function for function in program.functions if function.results]
    public = chain.from_iterable(writer.function(function, "void") for function in present)
    functions = [*public, *_local_functions(program, writer)]
    context = {
        "description": description,
        "defines": list(defines(program, description)),
        "right_hand_side": _most_operations(program),
        "groups": [(group.title, list(lines_of(group))) for group in names.groups],
        "sets": [set_text(number, code, names) for number, code in enumerate(program.sets)],
        "network_blocks": list(network_blocks(program, names)),
        "tables": list(tables(program, description)),
        "absent": [absent_function(function) for function in program.functions if not function.results],
        "functions": functions,
        "helpers": _helpers(functions),
    }
    environment = Environment(
        loader=FileSystemLoader(template_dir() / "model"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return {file: environment.get_template(f"{file}.j2").render(context) for file in ("model.h", "model.c")}


def _local_functions(program: Program, writer: FunctionWriter) -> Iterator[FunctionText]:
    """The functions that only ``model.c`` calls: residuals of blocks, exact solutions, motions."""
    blocks = (function for code in program.sets for function in code.block_functions)
    for function in (*blocks, *program.network.block_functions):
        yield from writer.function(function, "static void")
    for number, code in enumerate(program.sets):
        for solve in (*code.solve_functions, code.solve_together):
            if solve is not None:
                yield _of_steps(number, writer.solve(solve))
    for number, code in enumerate(program.sets):
        if code.motion is not None and code.motion.stages:
            for text in writer.motion(motion_name(number), code.motion):
                yield _of_steps(number, text)


def _of_steps(number: int, text: FunctionText) -> FunctionText:
    """A function of a set: the first one is independent at the start, and in most models always."""
    return text if number else replace(text, prototype=f"EVERY_STEP {text.prototype}")


def _helpers(functions: Iterable[FunctionText]) -> list[str]:
    called = frozenset[str]().union(*(function.called for function in functions))
    return [code for name, code in _HELPERS.items() if name in called]


def _most_operations(program: Program) -> str:
    """The operations of a right-hand side for the set that needs the most."""
    found = [program.right_hand_side_of(code) for code in program.sets]
    most = str(max(found, key=lambda operations: operations.total))
    return most if len(found) == 1 else f"at most {most}"
