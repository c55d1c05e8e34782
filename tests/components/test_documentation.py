"""What docs/components.md says of components is what they are."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fmugen.components.network import NetworkComponent
from fmugen.components.networks import COMPONENTS

PAGE = (Path(__file__).parents[2] / "docs" / "components.md").read_text(encoding="utf-8")
ALL = [component for section in COMPONENTS.values() for component in section.values()]


@pytest.mark.parametrize("component", ALL, ids=lambda component: f"{component.section} {component.type}")
def test_a_component_is_in_the_tables(component: type[NetworkComponent]) -> None:
    """Its row names every terminal and value, a star where a value may vary, and defaults."""
    if component.section == "rotational" and component.type != "gear":
        begin = PAGE.index("In `[rotational]` these are")
        row = PAGE[begin : PAGE.index("\n\n", begin)]
        assert f"`{component.type}`" in row
        terminals = ()
    else:
        (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{component.type}` |"))
        terminals = component.terminals
    assert all(f"`{terminal.name}`" in row for terminal in terminals)
    for value in component.values:
        assert f"`{value.name}`" + ("\\*" if value.free else "") in row
        if value.default is not None and terminals:
            said = re.search(rf"`{value.name}`(?:\\\*)? \(([^)]*)\)", row)
            assert said is not None and float(said[1]) == value.default


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
