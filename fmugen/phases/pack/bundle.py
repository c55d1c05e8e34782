"""C sources -> the folder ``sources`` of an FMU that other tools can compile.

The folder is self-contained: generated code, runtime and the headers of the standard. Statically linked
programs may contain several FMUs, so every function and table of external linkage begins with the model
identifier there, as the standard asks of its own functions; in a shared library its functions have their
plain names. The header ``fmu_names.h``, which every file includes first, decides between the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lxml import etree

from fmugen.resources import fmi_include_dir, runtime_sources

__all__ = ["SourceBundle", "bundle_sources"]

_NAMES = "fmu_names.h"

#: A definition at the beginning of a line: a function, a table with its elements, or a constant.
_DEFINITION = re.compile(
    r"^(?!static\b|typedef\b|return\b|else\b)(?:[A-Za-z_]\w*[ *]+)+\*?"
    r"([A-Za-z_]\w*)(?:\(|(?:\[[^\]\n]*\])?\s*=)",
    re.MULTILINE,
)

# FMPy's copy of the header of FMI 2.0 knows no prefix; this is the rule of the standard.
_PLAIN_NAME = "#define fmi2FullName(name) name"
_FULL_NAME = """\
#if defined(FMI2_FUNCTION_PREFIX)
  #define fmi2Paste(a, b) a##b
  #define fmi2PasteB(a, b) fmi2Paste(a, b)
  #define fmi2FullName(name) fmi2PasteB(FMI2_FUNCTION_PREFIX, name)
#else
  #define fmi2FullName(name) name
#endif"""


@dataclass(frozen=True)
class SourceBundle:
    """Files of the folder ``sources`` by name; ``units`` are those to be compiled."""

    files: dict[str, str]
    units: tuple[str, ...]


def bundle_sources(sources: Mapping[str, str], identifier: str, fmi: int) -> SourceBundle:
    """The sources of an FMU.

    Parameters
    ----------
    sources
        The generated files by name: ``model.c`` and ``model.h``.
    identifier
        The model identifier, with which external names begin.
    fmi
        The version of the standard, 2 or 3; for 3 there is a ``buildDescription.xml``.
    """
    files = {path.name: path.read_text(encoding="utf-8") for path in runtime_sources()} | dict(sources)
    units = tuple(sorted(name for name in files if name.endswith(".c")))
    internal = _external_names((files[unit] for unit in units), f"fmi{fmi}")
    for unit in units:
        files[unit] = f'#include "{_NAMES}"\n\n{files[unit]}'
    files[_NAMES] = _names_header(identifier, fmi, internal)
    for header in sorted(fmi_include_dir().glob(f"fmi{fmi}*.h")):
        files[header.name] = header.read_text(encoding="utf-8").replace(_PLAIN_NAME, _FULL_NAME)
    if fmi == 3:
        files["buildDescription.xml"] = _build_description(identifier, units)
    return SourceBundle(files, units)


def _external_names(texts: Iterable[str], standard: str) -> list[str]:
    """Functions and tables with external linkage, those of the standard left out."""
    found = {name for text in texts for name in _DEFINITION.findall(text)}
    return sorted(name for name in found if not name.startswith(standard))


def _names_header(identifier: str, fmi: int, internal: Iterable[str]) -> str:
    prefix = f"FMI{fmi}_FUNCTION_PREFIX"
    lines = [
        "/* The names of this FMU where it is linked with others.",
        " *",
        f" * Functions of the standard begin with {identifier}_, except in a shared library. CMake defines",
        f" * {identifier}_EXPORTS when it compiles one; define DISABLE_PREFIX to the same effect. */",
        "#ifndef FMU_NAMES_H",
        "#define FMU_NAMES_H",
        "",
        f"#if !defined({identifier}_EXPORTS) && !defined(DISABLE_PREFIX) && !defined({prefix})",
        f"#define {prefix} {identifier}_",
        "#endif",
        "",
        *(f"#define {name} {identifier}_{name}" for name in internal),
        "",
        "#endif",
        "",
    ]
    return "\n".join(lines)


def _build_description(identifier: str, units: Iterable[str]) -> str:
    root = etree.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = etree.SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    file_set = etree.SubElement(configuration, "SourceFileSet", language="C99")
    for unit in units:
        etree.SubElement(file_set, "SourceFile", name=unit)
    etree.SubElement(
        configuration, "Library", name="m", external="true", description="mathematical functions"
    )
    text = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return bytes(text).decode("utf-8")
