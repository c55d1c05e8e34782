"""Program, FmuDescription -> the text of ``model.h`` and ``model.c``.

All choices of text are made here; the templates only place it.
"""

from __future__ import annotations

from itertools import chain

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fmugen.ir.fmu import FmuDescription
from fmugen.ir.program import Program
from fmugen.phases.emit.functions import FunctionWriter, absent_function
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
    environment = Environment(
        loader=FileSystemLoader(template_dir() / "model"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    names = Nomenclature(program, description)
    writer = FunctionWriter(program, names)
    written = [function for function in program.functions if function.results]
    texts = [writer.function(function, "void") for function in written]
    public = [parts[-1].prototype for parts in texts]
    blocks = (function for code in program.sets for function in code.block_functions)
    local = (*blocks, *program.network.block_functions)
    texts += [writer.function(function, "static void") for function in local]
    context = {
        "description": description,
        "defines": list(defines(program, description)),
        "right_hand_side": _most_operations(program),
        "groups": [(group.title, list(lines_of(group))) for group in names.groups],
        "sets": [set_text(number, code, names) for number, code in enumerate(program.sets)],
        "network_blocks": list(network_blocks(program, names)),
        "tables": list(tables(program, description)),
    }
    absent = [absent_function(function) for function in program.functions if not function.results]
    header = environment.get_template("model.h.j2").render(prototypes=public, absent=absent, **context)
    solving = [solve for code in program.sets for solve in (*code.solve_functions, code.solve_together)]
    solves = [writer.solve(solve) for solve in solving if solve is not None]
    motions = [
        writer.motion(motion_name(number), code.motion)
        for number, code in enumerate(program.sets)
        if code.motion is not None and code.motion.sections
    ]
    functions = [*chain.from_iterable(texts), *solves, *motions]
    called = frozenset[str]().union(*(function.called for function in functions))
    helpers = [code for name, code in _HELPERS.items() if name in called]
    source = environment.get_template("model.c.j2").render(functions=functions, helpers=helpers, **context)
    return {"model.h": header, "model.c": source}


def _most_operations(program: Program) -> str:
    """The operations of a right-hand side in the longest of all sets."""
    found = [program.right_hand_side_of(code) for code in program.sets]
    most = str(max(found, key=lambda operations: operations.total))
    return most if len(found) == 1 else f"at most {most}"
