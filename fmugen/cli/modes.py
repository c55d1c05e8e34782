"""``fmugen modes``: all real configurations at the start, and the choice of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fmugen.assembly import text_with_guesses
from fmugen.cli.files import require_writable, write_text
from fmugen.cli.terminal import Phases, print_line, print_table
from fmugen.errors import OutputError
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import Compilation
from fmugen.view.report.modes import DRAWN, mode_columns, mode_rows, mode_sentences, modes_svg

__all__ = ["show_modes"]


def show_modes(path: Path, options: ExportOptions, svg: Path | None, write: int | None) -> None:
    """Print the modes of a model, draw them to ``svg``, and ``write`` the guesses of one into the file.

    Raises
    ------
    AssemblyError
        If there is no such mode, or it is not found again from guesses.
    OutputError
        If the file is laid out in a way in which guesses cannot be changed alone.
    """
    require_writable(svg, path)
    with Phases() as phases:
        with phases.phase("read"):
            model = read_model(path)
        made = Compilation(model, options, phases)
        modes = made.modes.modes
        guesses = made.guesses_of_mode(write) if write is not None else {}
    title = f"{model.name}, assembly modes, trees {options.trees}"
    print_table(title, mode_columns(made), mode_rows(made))
    for sentence in mode_sentences(made):
        print_line(sentence)
    if svg is not None:
        write_text(svg, modes_svg(made))
        print_line(f"drawings: {svg}" + (f", of the nearest {DRAWN}" if len(modes) > DRAWN else ""))
    if write is not None:
        _write(path, guesses)
        names = ", ".join(guesses)
        told = f"mode {write} is written to {path} as guesses of {names}"
        print_line(told if names else f"{path} needs no guesses: it has one assembly mode")


def _write(path: Path, guesses: Mapping[str, float]) -> None:
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"{path} cannot be read: {error}") from error
    write_text(path, text_with_guesses(text, guesses))
