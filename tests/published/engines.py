"""Reduced Gröbner bases by any of three engines, each within bounds that it cannot overrun.

python-flint is the engine of choice: a naive Buchberger algorithm, but on lumped systems faster than the
others can start. Its limits bound its size and so its time. sympy, and Singular where it is installed, run in
a process of their own that is ended when its seconds are spent.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from enum import Enum
from shutil import which
from typing import Any

from flint import fmpz_mpoly, fmpz_mpoly_ctx, fmpz_mpoly_vec

from fmugen.algebra.budget import Budget
from fmugen.expr.code import Operations

__all__ = ["Engine", "available_engines", "evaluation_cost", "reduced_basis"]

_SYMPY = """
import sys, sympy
order, names, *texts = sys.stdin.read().splitlines()
gens = sympy.symbols(names.split(","))
basis = sympy.groebner([sympy.sympify(text) for text in texts], *gens, order=order, domain="ZZ")
print("\\n".join(str(p) for p in basis.exprs))
"""

_SINGULAR_ORDER = {"lex": "lp", "degrevlex": "dp"}
_SYMPY_ORDER = {"lex": "lex", "degrevlex": "grevlex"}


class Engine(Enum):
    """A program that computes bases."""

    FLINT = "python-flint"
    SYMPY = "sympy"
    SINGULAR = "Singular"


def available_engines() -> list[Engine]:
    """The engines that can be used here, best first."""
    return [Engine.FLINT, *([Engine.SINGULAR] if which("Singular") else []), Engine.SYMPY]


def reduced_basis(
    polynomials: Sequence[fmpz_mpoly],
    order: str,
    budget: Budget,
    engine: Engine = Engine.FLINT,
    seconds: float = 60.0,
) -> list[fmpz_mpoly] | None:
    """The reduced basis in ``order`` (lex or degrevlex), primitive and with positive leading numbers.

    The sizes of ``budget`` bind python-flint, ``seconds`` the others.

    Returns
    -------
    list or None
        Sorted by the exponents of the leading monomial; None if it was not found within these bounds.
    """
    context = fmpz_mpoly_ctx.get(polynomials[0].context().names(), order)
    match engine:
        case Engine.FLINT:
            found = _by_flint(polynomials, context, budget)
        case Engine.SYMPY:
            found = _by_sympy(polynomials, context, order, seconds)
        case Engine.SINGULAR:
            found = _by_singular(polynomials, context, order, seconds)
    if found is None:
        return None
    positive = [p if int(p.leading_coefficient()) > 0 else -p for p in found]
    return sorted(positive, key=lambda p: p.monoms()[0][::-1] if order == "degrevlex" else p.monoms()[0])


def _by_flint(
    polynomials: Sequence[fmpz_mpoly], context: fmpz_mpoly_ctx, budget: Budget
) -> list[fmpz_mpoly] | None:
    """Degrevlex first; a lexicographic basis that starts from it is found much sooner."""
    found = list(polynomials)
    for order in dict.fromkeys(("degrevlex", context.ordering().name)):
        inner = fmpz_mpoly_ctx.get(context.names(), order)
        system: Any = fmpz_mpoly_vec([_moved(p, inner) for p in found], inner)
        basis, complete = system.buchberger_naive(limits=budget.limits)
        if not complete:
            return None
        found = list(basis.autoreduction(groebner=True))
    return found


def _moved(polynomial: fmpz_mpoly, context: fmpz_mpoly_ctx) -> fmpz_mpoly:
    return context.from_dict(polynomial.to_dict())


def _by_sympy(
    polynomials: Sequence[fmpz_mpoly], context: fmpz_mpoly_ctx, order: str, seconds: float
) -> list[fmpz_mpoly] | None:
    texts = [str(p).replace("^", "**") for p in polynomials]
    lines = "\n".join([_SYMPY_ORDER[order], ",".join(context.names()), *texts])
    output = _run([sys.executable, "-c", _SYMPY], lines, seconds)
    return None if output is None else _read(output.splitlines(), context)


def _by_singular(
    polynomials: Sequence[fmpz_mpoly], context: fmpz_mpoly_ctx, order: str, seconds: float
) -> list[fmpz_mpoly] | None:
    program = which("Singular")
    if program is None:
        return None
    script = (
        f"ring r = 0, ({','.join(context.names())}), {_SINGULAR_ORDER[order]};\n"
        "short = 0; option(redSB);\n"
        f"ideal i = {','.join(map(str, polynomials))};\n"
        "ideal g = groebner(i); int n;\n"
        "for (n = 1; n <= size(g); n++) { print(string(cleardenom(g[n]))); }\n"
    )
    output = _run([program, "-q"], script, seconds)
    return None if output is None else _read(output.splitlines(), context)


def _run(command: list[str], text: str, seconds: float) -> str | None:
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=seconds, check=True
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return done.stdout


def _read(lines: Sequence[str], context: fmpz_mpoly_ctx) -> list[fmpz_mpoly]:
    texts = [line.replace("**", "^").replace(" ", "") for line in lines if line.strip()]
    return [fmpz_mpoly(text, context) for text in texts]


def evaluation_cost(polynomials: Sequence[fmpz_mpoly]) -> Operations:
    """Additions and multiplications of the polynomials as they are printed, nothing shared."""
    additions = sum(len(p) - 1 for p in polynomials)
    multiplications = 0
    for polynomial in polynomials:
        for exponents, number in polynomial.to_dict().items():
            factors = sum(map(int, exponents)) + (abs(int(number)) != 1)
            multiplications += max(factors - 1, 0)
    return Operations(additions=additions, multiplications=multiplications)
