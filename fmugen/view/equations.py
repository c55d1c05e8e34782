"""The equations of motion for people and programs: text, LaTeX, JSON, and entries for pages.

All of them show the same thing: the coordinates with the cutset each dynamic equation comes from, the
constraints with the circuit each comes from, and

    M q'' + Phi_q^T lambda = F,    Phi(q, t) = 0,    Phi_q q' = nu,    Phi_q q'' = gamma.

Networks show their circuits, cutsets and laws, all of which vanish, and what these come to: x' = f, and g = 0
for unknowns that are iterated.

The equations are a DAG in which large mechanisms share most of their terms. Written out in full they
would fill books, so that shared terms get names of their own (``e1``, ``e2``, ...) where an equation
would otherwise be too long to read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fmugen.expr.calculus import postorder, symbols_of
from fmugen.expr.dag import Expr, Operation, SymbolRole
from fmugen.expr.to_sympy import to_sympy
from fmugen.ir.dae import Dae, NetworkOrigin, Origin

__all__ = ["ShownEquation", "equations_json", "equations_latex", "equations_text", "shown_equations"]

#: An expression of more nodes than this, written out, is too long to read.
_READABLE = 120
#: A shared term of fewer nodes is clearer written out than named.
_WORTH_A_NAME = 6
#: Expressions up to this many nodes are rearranged for reading.
_TIDY = 80


# --- what is shown --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Entry:
    """One entry of a matrix or vector: ``symbol[labels] = value``, and where it comes from."""

    symbol: str
    labels: tuple[str, ...]
    value: Expr
    origin: Origin | NetworkOrigin


@dataclass(frozen=True)
class _Section:
    title: str
    entries: tuple[_Entry, ...]


def _sections(dae: Dae) -> tuple[_Section, ...]:
    names = [coordinate.name for coordinate in dae.coordinates]
    mass = [
        _Entry("M", (names[row], names[column]), value, dae.coordinates[row].origin)
        for (row, column), value in sorted(dae.mass.items())
    ]
    force = [
        _Entry("F", (coordinate.name,), value, coordinate.origin)
        for coordinate, value in zip(dae.coordinates, dae.force, strict=True)
    ]
    rows = dae.constraints
    jacobian = [
        _Entry("Phi_q", (row.name, names[column]), value, row.origin)
        for row in rows
        for column, value in sorted(row.jacobian.items())
    ]
    return (
        _Section("mass matrix M, symmetric: entries on and below the diagonal", tuple(mass)),
        _Section("forces F", tuple(force)),
        _Section("constraints Phi(q, t) = 0", tuple(_Entry("Phi", (r.name,), r.phi, r.origin) for r in rows)),
        _Section("Jacobian Phi_q", tuple(jacobian)),
        _Section("velocities Phi_q q' = nu", tuple(_Entry("nu", (r.name,), r.nu, r.origin) for r in rows)),
        _Section(
            "accelerations Phi_q q'' = gamma",
            tuple(_Entry("gamma", (r.name,), r.gamma, r.origin) for r in rows),
        ),
        *_network_sections(dae),
    )


def _network_sections(dae: Dae) -> tuple[_Section, ...]:
    written = [
        _Entry("0", (f"{each.origin.kind} {each.origin.edge}",), each.residual, each.origin)
        for each in dae.network.equations
    ]
    iterated = [
        _Entry("g", (block.name,), each.residual, each.origin)
        for block in dae.network_blocks
        for each in block.equations
    ]
    states = [_Entry("x'", (s.name,), s.derivative, NetworkOrigin("state", None, s.name)) for s in dae.states]
    return (
        _Section("network in branch-chord form: every expression vanishes", tuple(written)),
        _Section("iterated unknowns of the network: g = 0", tuple(iterated)),
        _Section("states of the network: x' = f", tuple(states)),
    )


# --- names for shared terms -----------------------------------------------------------------------


class _Abbreviations:
    """Names for the shared terms of a set of expressions, if one of them is too long without.

    ``form`` makes of an expression what is shown of it.
    """

    def __init__(self, roots: Iterable[Expr], taken: Iterable[str], form: Callable[[Expr], Any]) -> None:
        self._form = form
        roots = list(dict.fromkeys(roots))
        self.names: dict[Expr, str] = {}
        if max((_written_size(root) for root in roots), default=0) > _READABLE:
            self.names = _names_for(_shared(roots), set(taken))

    def terms(self) -> Iterator[tuple[str, Any]]:
        """Each name with what it stands for, in an order in which they can be evaluated."""
        for node, name in self.names.items():
            yield name, self._form(self._rewritten(node, whole=True))

    def shown(self, root: Expr) -> Any:
        return self._form(self._rewritten(root))

    def _rewritten(self, root: Expr, *, whole: bool = False) -> Expr:
        """``root`` with named terms replaced by their names (except ``root`` itself if ``whole``)."""
        if not self.names:
            return root
        dag = root.dag
        done: dict[Expr, Expr] = {}
        for node in postorder((root,)):
            args = [done[arg] for arg in node.args]
            name = self.names.get(node)
            if name is not None and not (whole and node is root):
                role = SymbolRole.PARAMETER if node.constant else SymbolRole.COORDINATE
                done[node] = dag.symbol(name, role)
            elif node.operation is Operation.ADD:
                done[node] = dag.add(args)
            elif node.operation is Operation.MUL:
                done[node] = dag.mul(args)
            elif node.operation is Operation.POWER:
                done[node] = dag.power(args[0], node.exponent)
            elif node.operation is Operation.CALL:
                done[node] = dag.call(node.name, *args)
            else:
                done[node] = node
        return done[root]


def _tidied(root: Expr) -> Any:
    """``root`` for reading: the shortest of a few cheap rearrangements, if it is small at all."""
    import sympy
    from sympy.simplify.fu import TR10i

    plain = to_sympy(root)
    if _written_size(root) > _TIDY:
        return plain
    expanded = sympy.expand(plain)
    candidates = [plain, expanded, sympy.factor_terms(expanded)]
    candidates += [sympy.factor_terms(TR10i(candidate)) for candidate in (plain, expanded)]
    return min(candidates, key=lambda expression: int(expression.count_ops()))


def _written_size(root: Expr) -> int:
    """The number of nodes of ``root`` written out as a tree."""
    size: dict[Expr, int] = {}
    for node in postorder((root,)):
        size[node] = 1 + sum(size[arg] for arg in node.args)
    return size[root]


def _shared(roots: list[Expr]) -> list[Expr]:
    """Terms with several users and some length, arguments before their users."""
    order = postorder(roots)
    uses = Counter(arg for node in order for arg in node.args)
    uses.update(roots)
    size: dict[Expr, int] = {}
    shared = []
    for node in order:
        size[node] = 1 + sum(size[arg] for arg in node.args)
        if uses[node] > 1 and size[node] >= _WORTH_A_NAME:
            shared.append(node)
            size[node] = 1
    return shared


def _names_for(nodes: list[Expr], taken: set[str]) -> dict[Expr, str]:
    prefix = "e"
    while any(re.fullmatch(rf"{prefix}\d+", name) for name in taken):
        prefix += "e"
    return {node: f"{prefix}{number}" for number, node in enumerate(nodes, start=1)}


def _abbreviations(
    dae: Dae, sections: tuple[_Section, ...], form: Callable[[Expr], Any] = _tidied
) -> _Abbreviations:
    roots = [entry.value for section in sections for entry in section.entries]
    return _Abbreviations(roots, [*dae.symbols.parameters, *dae.symbols.inputs], form)


# --- entries --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShownEquation:
    """``symbol[labels] = value``; a shared term has neither labels nor an origin."""

    symbol: str
    labels: tuple[str, ...]
    value: Any
    origin: str


def shown_equations(dae: Dae, form: Callable[[Expr], Any] = _tidied) -> dict[str, tuple[ShownEquation, ...]]:
    """The equations by the titles of their sections; shared terms, if there are any, come first.

    The values are what ``form`` makes of expressions: by default sympy expressions, rearranged for reading.
    """
    sections = _sections(dae)
    short = _abbreviations(dae, sections, form)
    shown = {"shared terms": tuple(ShownEquation(name, (), term, "") for name, term in short.terms())}
    for section in sections:
        shown[section.title] = tuple(
            ShownEquation(entry.symbol, entry.labels, short.shown(entry.value), str(entry.origin))
            for entry in section.entries
        )
    return {title: entries for title, entries in shown.items() if entries}


# --- text -----------------------------------------------------------------------------------------

#: Functions that sympy spells otherwise than formulas in a model file do.
_FORMULA_NAMES = {"Abs": "abs", "Max": "max", "Min": "min"}


def _formula(expression: Any) -> str:
    """A sympy expression in the language of model files."""
    import sympy

    step = sympy.Function("step")
    text = str(expression.replace(sympy.Heaviside, lambda *args: step(args[0])))
    text = re.sub(r"\b(Abs|Max|Min)\(", lambda match: f"{_FORMULA_NAMES[match[1]]}(", text)
    return text.replace("**", "^")


def equations_text(title: str, dae: Dae) -> str:
    """The equations as plain text, one entry a line; names are those of the model."""
    sections = _sections(dae)
    short = _abbreviations(dae, sections)
    lines = [title, ""]
    if dae.coordinates:
        lines += ["M q'' + Phi_q^T lambda = F,   Phi(q, t) = 0", ""]
        lines += ["coordinates q, each with the equation that belongs to it"]
    width = max((len(coordinate.name) for coordinate in dae.coordinates), default=0)
    lines += [f"  {c.name:<{width}}  {c.unit:<4} {c.origin}" for c in dae.coordinates]
    terms = list(short.terms())
    if terms:
        lines += ["", "shared terms", *(f"  {name} = {_formula(term)}" for name, term in terms)]
    for section in sections:
        if not section.entries:
            continue
        lines += ["", section.title]
        for entry in section.entries:
            left = f"{entry.symbol}[{'; '.join(entry.labels)}]"
            lines.append(f"  {left} = {_formula(short.shown(entry.value))}    # {entry.origin}")
    return "\n".join(lines) + "\n"


# --- JSON -----------------------------------------------------------------------------------------


def equations_json(model: str, trees: str, dae: Dae) -> str:
    """The equations as JSON; expressions are strings in the language of model files."""
    sections = _sections(dae)
    short = _abbreviations(dae, sections)
    names = [coordinate.name for coordinate in dae.coordinates]

    def formula(value: Expr) -> str:
        return _formula(short.shown(value))

    document = {
        "model": model,
        "trees": trees,
        "parameters": list(dae.symbols.parameters),
        "inputs": list(dae.symbols.inputs),
        "coordinates": [
            {
                "name": coordinate.name,
                "rate": coordinate.rate_name,
                "acceleration": coordinate.acceleration_name,
                "unit": coordinate.unit,
                "origin": _origin(coordinate.origin),
                "force": formula(force),
            }
            for coordinate, force in zip(dae.coordinates, dae.force, strict=True)
        ],
        "terms": {name: _formula(term) for name, term in short.terms()},
        "mass": [
            {"row": names[row], "column": names[column], "value": formula(value)}
            for (row, column), value in sorted(dae.mass.items())
        ],
        "constraints": [
            {
                "name": row.name,
                "multiplier": row.multiplier.name,
                "origin": _origin(row.origin),
                "phi": formula(row.phi),
                "jacobian": {names[column]: formula(value) for column, value in sorted(row.jacobian.items())},
                "nu": formula(row.nu),
                "gamma": formula(row.gamma),
            }
            for row in dae.constraints
        ],
        "network": [
            {"origin": str(each.origin), "residual": formula(each.residual)} for each in dae.network.equations
        ],
        "iterated": [
            {"unknowns": block.name, "residuals": [formula(each.residual) for each in block.equations]}
            for block in dae.network_blocks
        ],
        "states": [
            {"name": state.name, "unit": state.unit, "derivative": formula(state.derivative)}
            for state in dae.states
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _origin(origin: Origin) -> dict[str, str]:
    return {
        "kind": origin.kind,
        "domain": origin.domain.value,
        "edge": origin.edge,
        "direction": origin.direction,
    }


# --- LaTeX ----------------------------------------------------------------------------------------

_PREAMBLE = r"""\documentclass[a4paper,fleqn]{article}
\usepackage[utf8]{inputenc}
\usepackage[margin=20mm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\begin{document}
"""

#: How a coordinate and its rates are written, by the last word of the name without its number.
_LETTERS = {
    "angle": r"\theta",
    "omega": r"\dot{\theta}",
    "alpha": r"\ddot{\theta}",
    "vx": r"\dot{x}",
    "vy": r"\dot{y}",
    "ax": r"\ddot{x}",
    "ay": r"\ddot{y}",
    "vz": r"\dot{z}",
    "az": r"\ddot{z}",
    "dp": r"\dot{p}",
    "ddp": r"\ddot{p}",
    "v": r"\dot{s}",
    "a": r"\ddot{s}",
    "vn": r"\dot{n}",
    "an": r"\ddot{n}",
}
_SYMBOLS = {
    "0": "0",
    "g": "g",
    "x'": r"\dot{x}",
    "M": "M",
    "F": "F",
    "Phi": r"\Phi",
    "Phi_q": r"\Phi_q",
    "nu": r"\nu",
    "gamma": r"\gamma",
}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
#: Characters of LaTeX source that fit on a line of the page, roughly.
_LINE = 150


def equations_latex(title: str, dae: Dae) -> str:
    """The equations as a complete LaTeX document."""
    import sympy

    sections = _sections(dae)
    short = _abbreviations(dae, sections)
    symbols = _latex_names(dae, short.names.values())

    def latex(expression: Any) -> str:
        return str(sympy.latex(expression, symbol_names=symbols))

    parts = [_PREAMBLE, f"\\section*{{{_escaped(title)}}}\n"]
    if dae.coordinates:
        parts.append("\\[ M \\ddot{q} + \\Phi_q^T \\lambda = F, \\qquad \\Phi(q, t) = 0 \\]\n")
        parts.append("\\subsection*{coordinates}\n")
    parts += [
        f"${_dotted(c.name)}$ ({_escaped(c.name)}, {_escaped(c.unit)}): {_escaped(str(c.origin))}\\\\\n"
        for c in dae.coordinates
    ]
    terms = [_broken(symbols[sympy.Symbol(name, real=True)], term, latex) for name, term in short.terms()]
    if terms:
        parts += ["\\subsection*{shared terms}\n", *terms]
    for section in sections:
        if section.entries:
            parts.append(f"\\subsection*{{{_escaped(section.title)}}}\n")
            parts += [_latex_entry(entry, short, latex) for entry in section.entries]
    return "".join(parts) + "\\end{document}\n"


def _latex_entry(entry: _Entry, short: _Abbreviations, latex: Callable[[Any], str]) -> str:
    labels = ",\\ ".join(f"\\mathrm{{{_escaped(label)}}}" for label in entry.labels)
    left = f"{_SYMBOLS[entry.symbol]}[{labels}]"
    return f"{{\\small {_escaped(str(entry.origin))}}}\n" + _broken(left, short.shown(entry.value), latex)


def _broken(left: str, expression: Any, latex: Callable[[Any], str]) -> str:
    """``left = expression`` on as many lines as its terms need."""
    import sympy

    lines: list[str] = []
    line = ""
    for term in sympy.Add.make_args(expression):
        text = latex(term)
        text = text if text.startswith("-") or not (lines or line) else f"+ {text}"
        if line and len(line) + len(text) > _LINE:
            lines.append(line)
            line = ""
        line = f"{line} {text}".strip()
    rows = " \\\\\n&\\quad ".join([*lines, line])
    return f"\\begin{{align*}}\n{left} &= {rows}\n\\end{{align*}}\n"


def _latex_names(dae: Dae, terms: Iterable[str]) -> dict[Any, str]:
    """How every symbol is written; sympy symbols as :func:`to_sympy` makes them."""
    names: dict[str, str] = {dae.symbols.time.name: "t"}
    names |= {name: _plain(name) for name in (*dae.symbols.parameters, *dae.symbols.inputs, *terms)}
    for coordinate in dae.coordinates:
        names |= {
            n: _dotted(n) for n in (coordinate.name, coordinate.rate_name, coordinate.acceleration_name)
        }
    for angle in dae.angles:
        said = "near" if angle.jumps else "turns"
        names[angle.symbol.name] = f"{{{_dotted(angle.name)}}}^{{\\mathrm{{{said}}}}}"
    roots = [each.residual for each in dae.network.equations]
    for symbol in symbols_of(roots, SymbolRole.NETWORK):
        names.setdefault(symbol.name, _network_name(symbol.name))
    return _as_symbols(names)


def _as_symbols(names: Mapping[str, str]) -> dict[Any, str]:
    import sympy

    return {sympy.Symbol(name, real=True): text for name, text in names.items()}


def _dotted(name: str) -> str:
    owner, _, kind = name.rpartition(".")
    letters = kind.rstrip("0123456789")
    number = kind.removeprefix(letters)
    subscript = f"{number}," if number else ""
    return f"{_LETTERS.get(letters, letters)}_{{{subscript}\\mathrm{{{_escaped(owner)}}}}}"


def _network_name(name: str) -> str:
    """``R1.v`` as v with the subscript R1, its derivative with a dot."""
    inner = re.fullmatch(r"der\((.*)\)", name)
    if inner:
        return f"\\frac{{d}}{{dt}} {_network_name(inner[1])}"
    owner, _, kind = name.rpartition(".")
    return f"{kind}_{{\\mathrm{{{_escaped(owner)}}}}}"


def _plain(name: str) -> str:
    letter = re.fullmatch(r"([A-Za-z])_?(\d+)", name)
    if letter:
        return f"{letter[1]}_{{{letter[2]}}}"
    return name if len(name) == 1 else f"\\mathit{{{_escaped(name)}}}"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)
