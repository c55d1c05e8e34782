"""``fmugen equations``: the symbolic equations of motion."""

from __future__ import annotations

from pathlib import Path

import typer

from fmugen.cli.choices import EquationFormat
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import Compilation
from fmugen.view.equations import equations_json, equations_latex, equations_text

__all__ = ["print_equations"]


def print_equations(path: Path, trees: str, form: EquationFormat) -> None:
    """Print the equations of a model in the coordinates of ``trees`` with the rows that are solved."""
    made = Compilation(read_model(path), ExportOptions(trees))
    model, dae = made.model, made.dae
    title = f"{model.name}, trees {trees}"
    match form:
        case EquationFormat.TEXT:
            text = equations_text(title, dae)
        case EquationFormat.LATEX:
            text = equations_latex(title, dae)
        case EquationFormat.JSON:
            text = equations_json(model.name, trees, dae)
    typer.echo(text, nl=False)
