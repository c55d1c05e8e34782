"""The equations, drawn: each term of a sum is a formula of its own, so that lines can be broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from fmugen.expr.calculus import postorder
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Dae
from fmugen.view.equations import ShownEquation, shown_equations
from fmugen.view.mathml import coordinate_mathml, name_mathml, sum_mathml, text_mathml
from fmugen.view.report.markup import ReportSection, folded, heading, paragraph, section
from fmugen.view.terms import terms_mathml

if TYPE_CHECKING:
    from fmugen.pipeline import Compilation

__all__ = ["equations_section"]

#: Longer lists are folded.
_LONG_LIST = 12
_MOTION = (
    "<p><math><mi>M</mi><mo>&#x2062;</mo><mover><mi>q</mi><mo>¨</mo></mover><mo>+</mo>"
    "<msubsup><mi>Φ</mi><mi>q</mi><mi>T</mi></msubsup><mo>&#x2062;</mo><mi>λ</mi><mo>=</mo><mi>F</mi>"
    "<mo>,</mo><mspace width='2em'/><mi>Φ</mi><mo>(</mo><mi>q</mi><mo>,</mo><mi>t</mi><mo>)</mo>"
    "<mo>=</mo><mn>0</mn></math></p>"
)
_GREEK = {"Phi": "Φ", "nu": "ν", "gamma": "γ"}
_SYMBOLS = {
    **{name: f"<mi>{letter}</mi>" for name, letter in _GREEK.items()},
    "0": "<mn>0</mn>",
    "x'": "<mover><mi>x</mi><mo>˙</mo></mover>",
    "Phi_q": "<msub><mi>Φ</mi><mi>q</mi></msub>",
}


def equations_section(subject: Compilation, most: int | None = None) -> ReportSection:
    """The equations, drawn; if they have more than ``most`` expressions, the commands that show them.

    With ``most`` they have the form that the compiler gave them; without, they are rearranged for reading,
    which takes seconds.
    """
    dae = subject.dae
    size = len(postorder(tuple(_roots(dae))))
    if most is not None and size > most:
        pointer = (
            f"the equations share {size} expressions; fmugen equations prints them, fmugen report draws them"
        )
        return section("Equations", paragraph(pointer))
    shown = (
        _rearranged(dae) if most is None else shown_equations(dae, partial(terms_mathml, names=_names(dae)))
    )
    parts = [_MOTION] if dae.coordinates else []
    for title, equations in shown.items():
        words, drawn = _with_greek(title), _drawn(equations)
        if len(equations) > _LONG_LIST:
            parts.append(folded(f"{words} ({len(equations)})", drawn))
        else:
            parts += [heading(words), drawn]
    return section("Equations", *parts)


def _roots(dae: Dae) -> Iterator[Expr]:
    yield from dae.mass.values()
    yield from dae.force
    for row in dae.constraints:
        yield from (row.phi, row.nu, row.gamma, *row.jacobian.values())
    yield from (equation.residual for equation in dae.network.equations)
    yield from (state.derivative for state in dae.states)


def _rearranged(dae: Dae) -> dict[str, tuple[ShownEquation, ...]]:
    import sympy

    names = {sympy.Symbol(name, real=True): text for name, text in _names(dae).items()}
    return {
        title: tuple(replace(each, value=sum_mathml(each.value, names)) for each in equations)
        for title, equations in shown_equations(dae).items()
    }


def _names(dae: Dae) -> dict[str, str]:
    """How coordinates, their rates and the time are written; other symbols go by their names."""
    names = {dae.symbols.time.name: "<mi>t</mi>"}
    for coordinate in dae.coordinates:
        of_one = (coordinate.name, coordinate.rate_name, coordinate.acceleration_name)
        names |= {name: coordinate_mathml(name) for name in of_one}
    return names


def _with_greek(title: str) -> str:
    """A title in the letters that the equations have."""
    return re.sub(r"\b(Phi|nu|gamma)(?=\b|_)", lambda match: _GREEK[match[1]], title)


def _drawn(equations: tuple[ShownEquation, ...]) -> str:
    rows = (
        f"<tr><td><math>{_left(equation)}</math></td><td><math><mo>=</mo></math></td>"
        f"<td>{' '.join(map(_term, equation.value))}</td>"
        f'<td class="origin">{escape(equation.origin)}</td></tr>'
        for equation in equations
    )
    return "\n".join(['<div class="scroll"><table class="equations">', *rows, "</table></div>"])


def _left(equation: ShownEquation) -> str:
    symbol = _SYMBOLS.get(equation.symbol, name_mathml(equation.symbol))
    labels = f"<mo>[</mo>{text_mathml('; '.join(equation.labels))}<mo>]</mo>" if equation.labels else ""
    return symbol + labels


def _term(mathml: str) -> str:
    return f'<span><math displaystyle="true">{mathml}</math></span>'
