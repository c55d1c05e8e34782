"""The page inside an FMU that says what the model is: coordinates, equations, closure, variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import FmuDescription, Variable
from fmugen.ir.options import ExportOptions
from fmugen.view.closure import ClosureSummary
from fmugen.view.flow import flow_svg

__all__ = ["documentation_page"]

_STYLE = """\
body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #1f2328 }
body { max-width: 72em; margin: 2em auto; padding: 0 1em }
h1 { margin-bottom: 0 }
h2 { margin-top: 2em; border-bottom: 1px solid #d0d7de }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: 0.2em 1em 0.2em 0; border-bottom: 1px solid #eaeef2 }
td.number { text-align: right }
figure { margin: 1em 0; overflow-x: auto }"""


def documentation_page(
    dae: Dae,
    flow: SolutionFlow,
    closure: ClosureSummary,
    description: FmuDescription,
    options: ExportOptions,
) -> str:
    """A self-contained HTML page; the same model gives the same text."""
    outputs = [variable for variable in description.calculated if variable.causality == "output"]
    sections = [
        ("Equations", _table((), _counts(dae, flow, closure, options))),
        ("Closure", _closure(closure)),
        ("Coordinates", _coordinate_table(dae, flow)),
        ("Network", _network(dae)),
        ("Parameters", _variables(description.parameters, "default")),
        ("Inputs", _variables(description.inputs, "start")),
        ("Outputs", _variables(outputs, "")),
        ("Settings of the solver", _variables(description.settings, "default")),
    ]
    name = escape(description.model_name)
    body = [f"<h1>{name}</h1>"]
    if description.description:
        body.append(f"<p>{escape(description.description)}</p>")
    body += [f"<h2>{title}</h2>\n{content}" for title, content in sections if content]
    body.append(f"<p>Made by {escape(description.generation_tool)}.</p>")
    head = f'<meta charset="utf-8">\n<title>{name}</title>\n<style>\n{_STYLE}\n</style>'
    page = "\n".join(body)
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{page}\n</body>\n</html>\n'


def _counts(
    dae: Dae, flow: SolutionFlow, closure: ClosureSummary, options: ExportOptions
) -> list[tuple[str, object]]:
    return [
        ("degrees of freedom", flow.degrees_of_freedom),
        ("dynamic equations", len(dae.coordinates)),
        ("kinematic equations", len(flow.rows)),
        ("redundant constraints left out", len(flow.redundant)),
        ("operations per right-hand side", f"{closure.operations.total} ({closure.operations})"),
        ("trees", options.trees),
        ("solver", options.solver.value),
    ]


def _closure(closure: ClosureSummary) -> str:
    sentences = [f"{closure.closure.value}: {closure.sentence}", *closure.notes]
    paragraphs = [f"<p>{escape(sentence[0].upper() + sentence[1:])}.</p>" for sentence in sentences]
    if closure.blocks:
        columns = ("block", "unknown", "equation", "degree", "operations", "guard")
        paragraphs.append(_table(columns, _steps(closure)))
        paragraphs.append(f"<figure>\n{flow_svg(closure, 'Solution flow')}</figure>")
    return "\n".join(paragraphs)


def _steps(closure: ClosureSummary) -> Iterator[tuple[object, ...]]:
    for number, block in enumerate(closure.blocks, 1):
        name = f"{number}. {', '.join(block.loops)}"
        if not block.steps:
            each = f"{block.operations.total} an iteration"
            yield name, ", ".join(block.unknowns), f"Newton, {len(block.unknowns)} unknowns", "", each, ""
        for step in block.steps:
            yield name, step.unknown, step.equation, step.degree, step.cost, step.guard


def _coordinate_table(dae: Dae, flow: SolutionFlow) -> str:
    columns = ("coordinate", "unit", "", "equation from")
    return _table(columns, _coordinates(dae, flow)) if dae.coordinates else ""


def _coordinates(dae: Dae, flow: SolutionFlow) -> Iterator[tuple[object, ...]]:
    independent = set(flow.independent)
    for number, coordinate in enumerate(dae.coordinates):
        kind = "independent" if number in independent else "dependent"
        yield coordinate.name, coordinate.unit, kind, coordinate.origin


def _network(dae: Dae) -> str:
    """States and iterated unknowns of the network, if there is one."""
    if not dae.network.equations:
        return ""
    sizes = f"{len(dae.network.equations)} circuit, cutset and terminal equations"
    rows: list[tuple[object, ...]] = [(state.name, state.unit, "state") for state in dae.states]
    rows += [(unknown.name, unknown.unit, "iterated") for unknown in dae.iterated]
    return f"<p>{sizes}.</p>\n" + (_table(("variable", "unit", ""), rows) if rows else "")


def _variables(variables: Sequence[Variable], start: str) -> str:
    if not variables:
        return ""
    columns = ("name", *([start] if start else []), "unit", "description")
    rows = [
        (variable.name, *([variable.start] if start else []), variable.unit, variable.description)
        for variable in variables
    ]
    return _table(columns, rows)


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    heads = "".join(f"<th>{escape(column)}</th>" for column in columns)
    lines = [f"<tr>{heads}</tr>"] if columns else []
    lines += [f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows]
    return "\n".join(["<table>", *lines, "</table>"])


def _cell(value: object) -> str:
    kind = ' class="number"' if isinstance(value, int | float) else ""
    return f"<td{kind}>{escape(str(value))}</td>"
