"""Program, FmuDescription -> the text of ``model.h`` and ``model.c``.

All choices of text are made here; the templates only place it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fmugen.expr.code import print_expression
from fmugen.expr.dag import Expr
from fmugen.ir.fmu import FmuDescription
from fmugen.ir.program import Function, Motion, Program, Result, SolveFunction, StepCode
from fmugen.phases.emit.tables import (
    comment,
    defines,
    index_comments,
    motion_name,
    network_blocks,
    set_text,
    tables,
)
from fmugen.resources import template_dir

__all__ = ["emit_sources"]

_AT = "const ModelPoint *at"
_SOLVE = f"{_AT}, const Anchor *anchors, double *q, double *e"
_ALONG = "const ModelDirection *along"
_ARGUMENTS = {
    "derive": "const double *p, double *d",
    "constraints": f"{_AT}, double *phi",
    "left_out": f"{_AT}, double *phi",
    "jacobian": f"{_AT}, double *phi_q",
    "velocity": f"{_AT}, double *nu",
    "dynamics": f"{_AT}, double *phi_q, double *gamma, double *mass, double *force",
    "outputs": f"{_AT}, double *y",
    "fixed": f"{_AT}, double *residual, double *jacobian",
    "fixed_velocity": f"{_AT}, double *residual, double *jacobian",
    "derivatives": f"{_AT}, double *dx",
    "start_states": f"{_AT}, double *x",
    "fixed_states": f"{_AT}, double *residual",
    "time_relations": f"{_AT}, double *value, double *slope",
    "relations": f"{_AT}, double *relation",
    "angles": f"{_AT}, double *angle, double *rate, double *second",
    "start_angles": f"{_AT}, double *angle",
    "dynamics_tangent": f"{_AT}, {_ALONG}, double *balance, double *slip",
}
_TANGENT_ARGUMENTS = f"{_AT}, {_ALONG}, double *change"
_HELPERS = {
    "model_sign(": "static double model_sign(double x) { return (double)((x > 0.0) - (x < 0.0)); }",
    "model_step(": "static double model_step(double x) { return x >= 0.0 ? 1.0 : 0.0; }",
    "model_if(": "static double model_if(double x, double a, double b) { return x >= 0.0 ? a : b; }",
}
#: Functions of more characters than this are cut into chunks.
_LONGEST_FUNCTION = 16_000
#: More zeros than these are not written one by one.
_FEW_ZEROS = 8
#: Vectors that functions read from the point they are evaluated at.
_READ = "pduqvalexzrg"
_VECTOR = re.compile(rf"\b([{_READ}])\[")


@dataclass(frozen=True)
class _Text:
    purpose: str
    prototype: str
    operations: str
    lines: list[str]


def emit_sources(program: Program, description: FmuDescription) -> dict[str, str]:
    """The generated C sources, by file name."""
    environment = Environment(
        loader=FileSystemLoader(template_dir() / "model"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    texts = [_function_texts(function, program, "void") for function in program.functions]
    public = [parts[-1] for parts in texts]
    blocks = (function for code in program.sets for function in code.block_functions)
    local = (*blocks, *program.network.block_functions)
    texts += [_function_texts(function, program, "static void") for function in local]
    context = {
        "description": description,
        "comments": list(index_comments(program, description)),
        "defines": list(defines(program, description)),
        "right_hand_side": _most_operations(program),
        "sets": [set_text(number, code) for number, code in enumerate(program.sets)],
        "network_blocks": list(network_blocks(program)),
        "tables": list(tables(program, description)),
    }
    header = environment.get_template("model.h.j2").render(functions=public, **context)
    solving = [solve for code in program.sets for solve in (*code.solve_functions, code.solve_together)]
    solves = [_solve_text(solve, program) for solve in solving if solve is not None]
    motions = [
        _motion_text(motion_name(number), code.motion, program)
        for number, code in enumerate(program.sets)
        if code.motion is not None
    ]
    functions = [*chain.from_iterable(texts), *solves, *motions]
    text = "\n".join(line for function in functions for line in function.lines)
    helpers = [code for name, code in _HELPERS.items() if name in text]
    source = environment.get_template("model.c.j2").render(functions=functions, helpers=helpers, **context)
    return {"model.h": header, "model.c": source}


def _most_operations(program: Program) -> str:
    """The operations of a right-hand side in the longest of all sets."""
    found = [program.right_hand_side_of(code) for code in program.sets]
    most = str(max(found, key=lambda operations: operations.total))
    return most if len(found) == 1 else f"at most {most}"


def _function_texts(function: Function, program: Program, storage: str) -> list[_Text]:
    """A function; a long one calls chunks that share its temporaries: compilers take too long else."""
    whole = list(_body(function, program, "w{}"))
    if sum(map(len, whole)) <= _LONGEST_FUNCTION:
        return [_function_text(function, storage, whole)]
    arguments = _arguments(function.name)
    passed = ", ".join(re.findall(r"(\w+)(?:,|$)", arguments))
    body = list(_body(function, program, "w[{}]"))
    texts, calls = [], [f"double w[{len(function.temporaries)}];"] if function.temporaries else []
    scratch, given = (", double *w", ", w") if function.temporaries else ("", "")
    for number, lines in enumerate(_chunks(body)):
        part = replace(
            function, name=f"{function.name}_{number}", purpose=f"{function.purpose}, part {number}"
        )
        texts.append(_function_text(part, "static void", lines, f"{arguments}{scratch}"))
        calls.append(f"model_{part.name}({passed}{given});")
    prototype = f"{storage} model_{function.name}({arguments})"
    texts.append(_Text(comment(function.purpose), prototype, str(function.operations), calls))
    return texts


def _arguments(name: str) -> str:
    return _ARGUMENTS.get(name, _TANGENT_ARGUMENTS if name.endswith("_tangent") else _ARGUMENTS["fixed"])


def _chunks(lines: Sequence[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    size = 0
    for line in lines:
        if chunk and size + len(line) > _LONGEST_FUNCTION:
            yield chunk
            chunk, size = [], 0
        chunk.append(line)
        size += len(line)
    yield chunk


def _function_text(function: Function, storage: str, body: list[str], arguments: str | None = None) -> _Text:
    arguments = arguments or _arguments(function.name)
    text = re.sub(r"/\*.*?\*/", "", "\n".join(body))
    own = text.replace("along->", "along_")  # what the point gives, not the direction
    used = set(_VECTOR.findall(own))
    prologue = []
    if _AT in arguments:
        written = {result.array for result in function.results}
        read = [vector for vector in _READ if vector in used and vector not in written]
        prologue = [f"const double *const {vector} = at->{vector};" for vector in read]
        if re.search(r"\bt\b", own):
            prologue.append("const double t = at->t;")
        prologue += [] if prologue else ["(void)at;"]
    if _ALONG in arguments and "along->" not in text:
        prologue.append("(void)along;")
    pointers = re.findall(r"double \*(\w+)", arguments)
    prologue += [f"(void){name};" for name in pointers if f"{name}[" not in text]
    return _Text(
        comment(function.purpose),
        f"{storage} model_{function.name}({arguments})",
        str(function.operations),
        prologue + body,
    )


def _solve_text(solve: SolveFunction, program: Program) -> _Text:
    """A function that solves the steps of a block in order; false where a guard fails."""
    names = program.names | solve.names
    lines: list[str] = []
    numbers = count()
    for step in solve.steps:
        lines += _step_lines(step, names, numbers, program)
    body = "\n".join(lines)
    used = set(_VECTOR.findall(body))
    prologue = [f"const double *const {vector} = at->{vector};" for vector in "pdurg" if vector in used]
    if re.search(r"\bt\b", body):
        prologue.append("const double t = at->t;")
    arguments = {"at": prologue, "anchors": "anchors" in body, "e": "e" in used}
    unused = [f"(void){name};" for name, needed in arguments.items() if not needed]
    return _Text(
        comment(f"exact solution of {solve.purpose}"),
        f"static bool model_{solve.name}({_SOLVE})",
        str(solve.operations),
        [*unused, *prologue, *lines, "return true;"],
    )


def _step_lines(
    step: StepCode, names: dict[Expr, str], numbers: Iterator[int], program: Program
) -> Iterator[str]:
    """The statements of a step; ``names`` gets the temporaries that it leaves, called by ``numbers``."""
    i = step.unknown
    place = program.turning.index(i) if i in program.turning else 0
    sine, cosine, anchor = f"e[{2 * place}]", f"e[{2 * place + 1}]", f"anchors[{place}]"
    if step.root is not None:
        yield f"double s{i}, c{i}, r{i};"
        yield f"exact_predict(&{anchor}, q[{i}], &s{i}, &c{i});"
    yield from _temporaries(step.temporaries, names, numbers)
    values = [print_expression(argument, names) for argument in step.arguments]
    if step.helper in ("exact_polynomial", "exact_half_angle"):
        values = [str(len(values) - 1), f"(const double[]){{{', '.join(values)}}}"]
    if step.root is not None:
        values.append(f"&r{i}")
    elif step.helper == "exact_half_angle":
        values += [f"&{anchor}", f"q[{i}]", f"&{sine}", f"&{cosine}"]
    elif not step.results:
        values.append(f"&q[{i}]")
    if step.helper:
        yield from _required(f"{step.helper}({', '.join(values)})")
    yield from _temporaries(step.after, names, numbers)
    targets = (sine, cosine) if step.is_angle else (f"q[{i}]",)
    for target, result in zip(targets, step.results, strict=False):
        yield f"{target} = {print_expression(result, names)};"
    if step.check:
        yield from _required(f"{step.check}({sine}, {cosine})")
    if step.is_angle:
        yield f"exact_turn(&{anchor}, {sine}, {cosine}, &q[{i}]);"
    elif i in program.turning:  # later steps read its sine and cosine
        yield f"circle_of(q[{i}], &{sine}, &{cosine});"


def _required(call: str) -> Iterator[str]:
    yield f"if (!{call}) {{"
    yield "    return false;"
    yield "}"


def _temporaries(nodes: Sequence[Expr], names: dict[Expr, str], numbers: Iterator[int]) -> Iterator[str]:
    """Declarations of temporaries, which take the next ``numbers``; ``names`` gets them."""
    for node, number in zip(nodes, numbers, strict=False):
        yield f"const double w{number} = {print_expression(node, names)};"
        names[node] = f"w{number}"


def _motion_text(name: str, motion: Motion, program: Program) -> _Text:
    """The embedded equations of motion, with a verdict of its guards."""
    # What is written is never read through ``at``: sin(q) and cos(q) on both sides of a write are one call.
    prototype = (
        f"static MotionVerdict {name}(const ModelPoint *at, const double *largest, double *restrict pivots, "
        "double *restrict v, double *restrict a, double *restrict l)"
    )
    names = program.names | program.directions
    lines = ["MotionVerdict verdict = MOTION_EASY;"]
    numbers = count()
    pivots = 0
    for section in motion.sections:
        lines += _temporaries(section.temporaries, names, numbers)
        for guard in section.guards:
            value = print_expression(guard.value, names)
            if not guard.factor:
                lines += [f"if (!({value} > 0.0)) {{", "    return MOTION_UNKNOWN;", "}"]
                continue
            lines.append(f"pivots[{pivots}] = {value};")
            lines += [f"if (!(pivots[{pivots}] > {guard.factor!r}*largest[{pivots}])) {{"]
            lines += ["    return MOTION_UNKNOWN;", "}"]
            if guard.ease:
                lines += [f"if (pivots[{pivots}] < {guard.ease!r}*largest[{pivots}]) {{"]
                lines += ["    verdict = MOTION_UNEASY;", "}"]
            pivots += 1
        lines += _assignments(section.results, names)
    body = "\n".join(lines)
    used = set(_VECTOR.findall(body))
    prologue = [f"const double *const {vector} = at->{vector};" for vector in "pduqexzrg" if vector in used]
    if re.search(r"\bt\b", re.sub(r"/\*.*?\*/", "", body)):
        prologue.append("const double t = at->t;")
    prologue += [] if prologue else ["(void)at;"]
    prologue += [f"(void){vector};" for vector in "val" if vector not in used]
    prologue += [] if pivots else ["(void)largest;", "(void)pivots;"]
    purpose = "velocities, accelerations and multipliers from the independent velocities"
    return _Text(purpose, prototype, str(motion.operations), [*prologue, *lines, "return verdict;"])


def _assignments(results: Sequence[Result], names: dict[Expr, str]) -> Iterator[str]:
    """One line a result; the zeros of a sparse array are written by a loop before all others."""
    zeros = Counter(result.array for result in results if result.value.is_zero)
    sparse = {array for array, count in zeros.items() if count > _FEW_ZEROS}
    for array in sorted(sparse):
        size = 1 + max(result.index for result in results if result.array == array)
        # One line of a chunk, which no other chunk may continue.
        yield f"for (int i = 0; i < {size}; i++) {{\n        {array}[i] = 0.0;\n    }}"
    origin = ""
    for result in results:
        if result.array in sparse and result.value.is_zero:
            continue
        note = f" /* {comment(result.origin)} */" if result.origin and result.origin != origin else ""
        origin = result.origin
        yield f"{result.array}[{result.index}] = {print_expression(result.value, names)};{note}"


def _body(function: Function, program: Program, temporary: str) -> Iterator[str]:
    """The statements; ``temporary`` is how the temporary of a number is called."""
    names = program.names | function.leaves
    if function.name == "derive":
        # A parameter-only expression used by another one is read from the array once written.
        names = {node: name for node, name in names.items() if not name.startswith("d[")}
    declared = "" if "[" in temporary else "const double "
    for index, node in enumerate(function.temporaries):
        name = temporary.format(index)
        yield f"{declared}{name} = {print_expression(node, names)};"
        names[node] = name
    yield from _assignments(function.results, names)
