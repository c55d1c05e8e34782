"""Counts the operations that a generated model takes: its C, compiled with numbers that count.

Every ``double`` becomes a ``__float128``, whose additions, multiplications and divisions are calls of the
compiler's own library. The linker sends these calls through counters. Functions are counted by wrappers.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fmugen.resources import fmi_include_dir, runtime_sources
from tests.runtime.conftest import compiler

_ARITHMETIC = ("__addtf3", "__subtf3", "__multf3", "__divtf3")
_FUNCTIONS = {
    1: (
        "sqrt",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "floor",
        "ceil",
    ),
    2: ("atan2", "pow", "hypot"),
}

_HEADER = """
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern unsigned long long operations;
typedef double plain;
#define double __float128
static inline __float128 counted_fabs(__float128 x) {{ return x < 0 ? -x : x; }}
static inline __float128 counted_fmax(__float128 x, __float128 y) {{ return y > x || x != x ? y : x; }}
static inline __float128 counted_fmin(__float128 x, __float128 y) {{ return y < x || x != x ? y : x; }}
static inline __float128 counted_copysign(__float128 x, __float128 y)
{{
    return (x < 0) != (y < 0) ? -x : x;
}}
{functions}
#define fabs counted_fabs
#define fmax counted_fmax
#define fmin counted_fmin
#define copysign counted_copysign
"""

_CIRCULAR = """
#ifndef CIRCULAR_H
#define CIRCULAR_H
#define CIRCULAR_TURN 6.283185307179586
static inline double sine_of(double x) { return sin(x); }
static inline double cosine_of(double x) { return cos(x); }
static inline void circle_of(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
static inline double whole_turns(double angle, double near)
{
    return isfinite(near) ? CIRCULAR_TURN * floor((near - angle) / CIRCULAR_TURN + 0.5) : 0.0;
}
#endif
"""

_MAIN = """
#include "life.h"
#include "motion.h"
unsigned long long operations, longest_evaluation, longest_step;
static void keep(unsigned long long *longest, unsigned long long before)
{
    *longest = operations - before > *longest ? operations - before : *longest;
}
bool __real_evaluate_motion(Instance *self, double t, const double *y, Point *point);
bool __wrap_evaluate_motion(Instance *self, double t, const double *y, Point *point)
{
    const unsigned long long before = operations;
    const bool found = __real_evaluate_motion(self, t, y, point);
    keep(&longest_evaluation, before);
    return found;
}
static void no_log(const Environment *e, const char *n, Status s, const char *c, const char *t)
{
    (void)e, (void)n, (void)s, (void)c, (void)t;
}
int main(int count, char **arguments)
{
    const Environment environment = {no_log, NULL, NULL, calloc, free};
    const double step = strtod(arguments[1], NULL);
    const int points = atoi(arguments[2]);
    Instance *self = create_instance("it", CO_SIMULATION, MODEL_GUID, &environment, false);
    (void)count;
    setup_experiment(self, false, 0.0, 0.0, false, 0.0);
    self->state.mode = MODE_INITIALIZING;
    bool running = exit_initialization(self) == STATUS_OK;
    longest_evaluation = 0;
    int k = 0;
    for (; k < points && running; k++) {
        const unsigned long long before = operations;
        running = do_step(self, step * k, step) == STATUS_OK;
        keep(&longest_step, before);
    }
    printf("%d %llu %llu %.0f\\n", k, longest_evaluation, longest_step, (plain)self->state.steps);
    free_instance(self);
    return 0;
}
"""


@dataclass(frozen=True)
class Counted:
    """Communication steps that were begun, the most operations of one evaluation and of one of the steps."""

    points: int
    evaluation: int
    step: int
    internal_steps: int


def count_operations_of(
    sources: Mapping[str, str], folder: Path, step: float, points: int, changes: Mapping[str, tuple[str, str]]
) -> Counted:
    """Run a generated model for some steps; ``changes`` replace texts of runtime files, to force a path."""
    files = {path.name: path.read_text(encoding="utf-8") for path in runtime_sources()} | dict(sources)
    for name, (old, new) in changes.items():
        file = name.partition(",")[0]
        assert files[file].count(old) == 1, f"{file} has {old!r} {files[file].count(old)} times"
        files[file] = files[file].replace(old, new)
    files |= {"circular.h": _CIRCULAR, "counted.h": _header(), "main.c": _MAIN, "counters.c": _counters()}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    program = folder / "counting"
    wrapped = [f"-Wl,--wrap={name}" for name in (*_ARITHMETIC, "evaluate_motion")]
    objects = []
    for name in sorted(files):
        if name.endswith(".c"):
            own = [] if name == "counters.c" else ["-include", "counted.h"]
            command = [compiler(), "-std=gnu99", "-O0", "-w", f"-I{fmi_include_dir()}", *own, "-c", name]
            _run(command, folder)
            objects.append(f"{name[:-2]}.o")
    _run([compiler(), *objects, *wrapped, "-lm", "-o", program.name], folder)
    said = _run([str(program), repr(step), str(points)], folder)
    return Counted(*map(int, said.split()))


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode} {done.stderr}"
    return done.stdout


def _header() -> str:
    lines = []
    for count, names in _FUNCTIONS.items():
        letters = "xyz"[:count]
        arguments = ", ".join(f"__float128 {letter}" for letter in letters)
        plain = ", ".join(f"(plain){letter}" for letter in letters)
        for name in names:
            body = f"{{ operations++; return {name}({plain}); }}"
            lines.append(f"static inline __float128 counted_{name}({arguments}) {body}")
    names = [name for group in _FUNCTIONS.values() for name in group]
    lines += [f"#define {name} counted_{name}" for name in names]
    return _HEADER.format(functions="\n".join(lines))


def _counters() -> str:
    lines = ["extern unsigned long long operations;"]
    for name in _ARITHMETIC:
        lines.append(f"__float128 __real_{name}(__float128 x, __float128 y);")
        lines.append(f"__float128 __wrap_{name}(__float128 x, __float128 y)")
        lines.append(f"{{ operations++; return __real_{name}(x, y); }}")
    return "\n".join(lines) + "\n"
