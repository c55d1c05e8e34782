"""An assembly mode as guesses: found again by the assembly, and written into a file without other changes."""

from __future__ import annotations

import tomllib

import pytest

from fmugen.assembly import text_with_guesses
from fmugen.errors import AssemblyError, OutputError
from fmugen.evaluation import values_at_start
from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation
from tests.support import EXAMPLES, example


@pytest.mark.parametrize("name", ["four_bar", "stephenson_iii", "spatial_four_bar"])
def test_the_chosen_mode_is_where_the_model_starts(name: str) -> None:
    options = ExportOptions("aac")
    modes = Compilation(example(name), options).modes.modes
    for number in range(1, len(modes) + 1):
        chosen = Compilation(example(name), ExportOptions("aac", mode=number))
        assert chosen.flow.positions == pytest.approx(modes[number - 1].positions, abs=1e-7)
        assert chosen.modes.modes[0].positions == chosen.flow.positions
        assert len(chosen.modes.modes) == len(modes)


def test_fixed_start_values_stay() -> None:
    made = Compilation(example("three_rrr"), ExportOptions("aac", Closure.NEWTON, mode=2))
    names = ["m1.angle", "m3.angle", "m5.angle"]
    first = Compilation(example("three_rrr"), ExportOptions("aac", Closure.NEWTON))
    values = [
        values_at_start(each.model, each.dae, each.flow, [each.dae.quantities[name] for name in names])
        for each in (first, made)
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-9)
    assert made.flow.positions != pytest.approx(first.flow.positions, abs=0.1)


def test_a_mode_that_is_not_there_is_refused() -> None:
    made = Compilation(example("four_bar"), ExportOptions("aac"))
    with pytest.raises(AssemblyError, match="there are 2 assembly modes: choose a number from 1 to 2"):
        made.guesses_of_mode(3)


# --- the text of a model file ----------------------------------------------------------------------


def test_values_are_changed_where_they_are() -> None:
    text = (EXAMPLES / "stephenson_iii" / "model.toml").read_text(encoding="utf-8")
    text = text.replace('"leg_2.angle" = -2.0284', '"leg_2.angle"  =  -2.0284   # rough')
    made = text_with_guesses(text, {"leg_2.angle": 0.5, "knee.angle": 1.25})
    lines, before = made.splitlines(), text.splitlines()
    assert '"leg_2.angle"  =  0.5   # rough' in lines
    assert lines[-1] == '"knee.angle" = 1.25'
    assert [line for line in lines if line not in before] == ['"leg_2.angle"  =  0.5   # rough', lines[-1]]
    assert len(lines) == len(before) + 1


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("[model]\nname = 1\n", '[model]\nname = 1\n\n[start.guess]\n"a.x" = 2.0\n'),
        ("[model]", '[model]\n\n[start.guess]\n"a.x" = 2.0\n'),
        (
            '[start]\nguess = { "b.y" = "1 mm", "a.x" = 1 } # near\n[end]\n',
            '[start]\nguess = { "b.y" = "1 mm", "a.x" = 2.0 } # near\n[end]\n',
        ),
        (
            '[start.guess]\r\n"b.y" = 1\r\n\r\n[end]\r\n',
            '[start.guess]\r\n"b.y" = 1\r\n"a.x" = 2.0\r\n\r\n[end]\r\n',
        ),
        ('\ufeff[start.guess]\n"a.x" = "30 deg" # about\n', '\ufeff[start.guess]\n"a.x" = 2.0 # about\n'),
        ('[start.guess]\n"b.y" = 1', '[start.guess]\n"b.y" = 1\n"a.x" = 2.0\n'),
    ],
)
def test_layouts(text: str, made: str) -> None:
    assert text_with_guesses(text, {"a.x": 2.0}) == made
    assert tomllib.loads(made.lstrip("\ufeff"))["start"]["guess"]["a.x"] == 2.0


def test_what_cannot_be_changed_alone_is_said() -> None:
    with pytest.raises(OutputError, match=r'write them into \[start.guess\] by hand: "a.x" = 2.0'):
        text_with_guesses('start = { fixed = { "b.y" = 1 } }\n', {"a.x": 2.0})
