"""Model file -> SystemModel.

The text goes through these stages, and problems found in any of them are reported together:

``files``     contents of files that elements name, such as the coefficients of tyres
``assemblies``  tables of other files, and uses of sub-assemblies flattened to elements
``locate``    where in the text each key is, for the places in messages
``schema``    what each table of the file may hold (pydantic), read element by element by ``draft``
``elements``  tables to elements of the model, with references to bodies and points resolved;
              ``geometry`` judges what they are like with the default parameters
``networks``  tables to components of networks, with their nodes checked
``names``     which names each formula may use, and whether they exist

The Python builder enters after the text, through :func:`model_from_tables`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from fmugen.errors import ModelError, Problem
from fmugen.ir.model import SystemModel
from fmugen.phases.read.assemblies import flatten, with_included
from fmugen.phases.read.draft import read_draft
from fmugen.phases.read.files import with_files
from fmugen.phases.read.locate import line_numbers
from fmugen.phases.read.problems import ProblemLog
from fmugen.phases.read.resolve import resolve

__all__ = ["model_from_tables", "parse_model", "read_model"]

_AT_LINE = re.compile(r"\s*\(at (?:line (?P<line>\d+), column \d+|end of document)\)$")


def read_model(path: Path) -> SystemModel:
    """The model described by a TOML file.

    Raises
    ------
    ModelError
        With every problem of the file: where it is, what it is and what to do.
    """
    try:
        # Windows editors like to begin a file with a byte-order mark, which TOML does not know.
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise _unreadable(str(path), "there is no such file") from None
    except IsADirectoryError:
        raise _unreadable(str(path), "is a directory", "name the model file in it") from None
    except OSError as error:
        raise _unreadable(str(path), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise _unreadable(str(path), f"is not UTF-8 text (byte {error.start})") from None
    return parse_model(text, str(path))


def parse_model(text: str, source: str) -> SystemModel:
    """The model described by a TOML text; ``source`` is what messages call the text."""
    file = Path(source).name
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise _unreadable(source, "arrays or tables are nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, and integers of thousands of digits
        raise _syntax_error(text, source, file, str(error)) from None
    log = ProblemLog(file, line_numbers(text))
    named = with_files(tables, Path(source).parent, log)
    return model_from_tables(with_included(named, Path(source), log), source, log)


def model_from_tables(
    tables: Mapping[str, object], source: str, problems: ProblemLog | None = None
) -> SystemModel:
    """The model described by nested dictionaries of the layout of a model file.

    Parameters
    ----------
    tables
        What ``tomllib`` gives for a model file.
    source
        What the error calls the description.
    problems
        Problems that are known already, to be reported with those found here.
    """
    log = problems if problems is not None else ProblemLog()
    model = resolve(read_draft(flatten(with_files(tables, Path(), log), log), log), log)
    if log:
        raise ModelError(source, log.problems())
    return model


def _unreadable(source: str, message: str, hint: str = "") -> ModelError:
    return ModelError(source, (Problem(source, message, hint),))


def _syntax_error(text: str, source: str, file: str, message: str) -> ModelError:
    match = _AT_LINE.search(message)
    line = int(match["line"]) if match and match["line"] else text.count("\n") + 1
    message = _AT_LINE.sub("", message)
    twice = "Cannot overwrite" in message or "Cannot declare" in message
    hint = "a key or a table is given twice" if twice else ""
    return ModelError(source, (Problem(f"{file}:{line}", f"this is not TOML: {message}", hint),))
