"""What docs/components.md says of components is what they are."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fmugen.components.base import REGISTRY, Component, FormulaScope
from fmugen.components.reference import table_of, updated

PAGE = (Path(__file__).parents[2] / "docs" / "components.md").read_text(encoding="utf-8")
ALL = [kind for kinds in REGISTRY.values() for kind in kinds.values()]


def test_the_tables_are_those_of_the_registry() -> None:
    """``python -m fmugen.components.reference docs/components.md`` writes them."""
    assert updated(PAGE) == PAGE


def test_every_section_has_a_table() -> None:
    assert sorted(re.findall(r"<!-- table (\w+) -->", PAGE)) == sorted(REGISTRY)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: f"{kind.section} {kind.type}")
def test_a_type_is_in_its_table(kind: type[Component]) -> None:
    """Its row names every end and key, and those of networks that may vary have a star."""
    (row,) = (line for line in table_of(kind.section).splitlines() if line.startswith(f"| `{kind.type}`"))
    assert all(f"`{end.key}`" in row for end in kind.ends)
    for key in kind.table_keys() if not kind.variant_key else ():
        varies = key.scope is not FormulaScope.CONSTANT
        assert f"`{key.name}`" + ("\\*" if varies else "") in row


WARM = """
[model]
name = "Warm"
[inputs]
u = { start = 2.0 }
[electrical.source]
type = "current_source"
from = "ground"
to = "a"
current = "u"
[electrical.T]
type = "thermistor"
from = "a"
to = "ground"
resistance = 3.0
current = 4.0
"""

PROGRAM = f"""
import sys
from fmugen.components import electrical
exec(compile(sys.stdin.read(), "components.md", "exec"), vars(electrical))

from fmugen.expr.code import compile_python
from fmugen.phases.read import parse_model
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation

dae = Compilation(parse_model({WARM!r}, "page"), ExportOptions("aac")).formulated
voltage = compile_python([dae.quantities["T.v"]], {{"u": list(dae.symbols.inputs.values())}})
print(voltage([2.0])[0])
"""


def test_a_new_component_is_one_class() -> None:
    """The class of the page, as if it stood in its module: read, formulated and solved.

    A process of its own, since a component is known from the import of its module on.
    """
    (source,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=source,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(6.0 * math.exp(-0.25))
