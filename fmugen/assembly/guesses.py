"""An assembly mode as guesses of the model, and these in the text of a model file."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from fmugen.assembly.paths import Reals
from fmugen.assembly.system import StartSystem
from fmugen.errors import AssemblyError, OutputError
from fmugen.evaluation import Evaluation
from fmugen.formulas import evaluate, parse
from fmugen.ir.assembly_modes import AssemblyModes
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import Start, SystemModel, default_parameters
from fmugen.phases.triangularize.assemble import Assembly
from fmugen.phases.triangularize.measures import measures_of
from fmugen.verify.frames import pose_kinds

__all__ = ["guesses_of_mode", "text_with_guesses", "with_guesses"]

#: Guesses tell two modes apart if they differ by as much (rad, or parts of the mechanism's length).
_CLEAR = 0.3
#: Digits of a guess.
_DIGITS = 9
_SAME = 1e-4
_RANK = 1e-6
_TURN = 2.0 * np.pi


def with_guesses(model: SystemModel, guesses: Mapping[str, float]) -> SystemModel:
    """The model with these guesses in place of what it says of the same quantities."""
    kept = tuple(start for start in model.starts if start.quantity not in guesses)
    given = (Start(name, parse(value), fixed=False) for name, value in guesses.items())
    return replace(model, starts=(*kept, *given))


def guesses_of_mode(
    model: SystemModel,
    dae: Dae,
    flow: SolutionFlow,
    modes: AssemblyModes,
    number: int,
    formulated: Callable[[SystemModel], Dae],
) -> dict[str, float]:
    """Positions, by name, that tell the mode from all others: the guesses that are there, and few more.

    Raises
    ------
    AssemblyError
        If there is no such mode, or the assembly does not find it from these guesses.
    """
    count = len(modes.modes)
    if not 1 <= number <= count:
        known = "there is 1 assembly mode" if count == 1 else f"there are {count} assembly modes"
        raise AssemblyError(f"{known}: choose a number from 1 to {count}")
    choice = _Choice(model, dae, flow, modes, number - 1)
    for names in choice.attempts():
        guesses = choice.values_of(names)
        changed = with_guesses(model, guesses)
        if choice.is_found(changed, formulated(changed)):
            return guesses
    raise AssemblyError(
        f"assembly mode {number} is not found again from guesses: it is too near to another one, or singular"
    )


class _Choice:
    """One of the modes, and the quantities that tell it from the others."""

    def __init__(
        self, model: SystemModel, dae: Dae, flow: SolutionFlow, modes: AssemblyModes, chosen: int
    ) -> None:
        self._model, self._dae, self._chosen = model, dae, chosen
        self._system = StartSystem(model, dae, flow)
        self._measures = measures_of(model)
        self._positions = [np.array(mode.positions) for mode in modes.modes]
        fixed = set(dae.fixed_positions)
        present = [name for name in dae.guesses if name in self._measures.units]
        others = [name for name in self._candidates() if name not in fixed and name not in present]
        self._present, self._names, self._others = present, [*present, *others], len(others)
        self._evaluate = Evaluation.at_defaults(model, dae).function(
            [dae.guesses[name] for name in present] + [dae.quantities[name] for name in others],
            dae.known_at_start,
        )
        self._given = self._values_given()
        self._table = np.array([self._values(q) for q in self._positions])

    def _values_given(self) -> Reals:
        """What the model says of the quantities whose deviations are evaluated."""
        defaults = default_parameters(self._model)
        said = {start.quantity: evaluate(start.value, defaults) for start in self._model.starts}
        return np.array([said.get(name) or 0.0 for name in self._present] + [0.0] * self._others)

    def _values(self, q: Reals) -> Reals:
        return np.array(self._evaluate(q.tolist())) + self._given

    def _candidates(self) -> Iterator[str]:
        """Positions of bodies, then those of joints, which may have start values in all trees."""
        model, units = self._model, self._measures.units
        names = [f"{body.name}.{kind}" for body in model.bodies for kind, _ in pose_kinds(model)]
        for joint in model.in_section("joints"):
            names += [quantity.name for quantity in joint.quantities if quantity.owner == joint.name]
        for name in names:
            if name in units and name in self._dae.quantities:
                yield name

    def attempts(self) -> Iterator[list[str]]:
        """Few names first; then all that there are of bodies."""
        few = self._fewest()
        yield few
        bodies = {body.name for body in self._model.bodies}
        yield [*few, *(n for n in self._names if n not in few and n.rpartition(".")[0] in bodies)]

    def _fewest(self) -> list[str]:
        """The guesses that are there, and one by one the name that tells the mode best from the rest."""
        names = list(self._present)
        away = self._differences()
        others = [k for k in range(len(away)) if k != self._chosen]
        while others:
            columns = [self._names.index(name) for name in names]
            near = away[others][:, columns].max(axis=1, initial=0.0)
            if near.min(initial=np.inf) >= _CLEAR:
                break
            gains = np.maximum(near[:, None], away[others]).clip(max=2 * _CLEAR).sum(axis=0)
            best = int(np.argmax(gains))
            if gains[best] <= near.clip(max=2 * _CLEAR).sum() + 1e-9:
                break
            names.append(self._names[best])
        return self._with_open_freedoms(names)

    def _differences(self) -> Reals:
        """How much each quantity differs from that of the chosen mode: by mode and name."""
        missed = self._table - self._table[self._chosen]
        units = [self._measures.units[name] for name in self._names]
        turns = np.array([unit == "rad" for unit in units])
        missed[:, turns] -= _TURN * np.round(missed[:, turns] / _TURN)
        lengths = np.array([self._measures.length if unit == "m" else 1.0 for unit in units])
        return np.asarray(np.abs(missed / lengths))

    def _with_open_freedoms(self, names: list[str]) -> list[str]:
        """Names that also hold the freedoms that loops and fixed start values leave."""
        dae, q = self._dae, self._positions[self._chosen]
        rows = self._system.assembly.equations(q)[1]
        rates = self._rates(q)
        found = list(names)
        for name in [*names, *self._names]:
            rows, is_new = _extended(rows, rates[self._names.index(name)])
            if is_new and name not in found:
                found.append(name)
            if np.linalg.matrix_rank(rows, tol=_RANK) == len(dae.coordinates):
                break
        return found

    def _rates(self, q: Reals) -> Reals:
        """The derivatives of all quantities by the coordinates, by differences."""
        step = 1e-6
        ways = step * np.eye(len(q))
        moved = [(self._values(q + way) - self._values(q - way)) / (2 * step) for way in ways]
        return np.array(moved).T

    def values_of(self, names: Sequence[str]) -> dict[str, float]:
        """The values of the chosen mode, rounded."""
        row = dict(zip(self._names, self._table[self._chosen].tolist(), strict=True))
        return {name: _rounded(row[name]) for name in names}

    def is_found(self, changed: SystemModel, dae: Dae) -> bool:
        """Whether the assembly of the changed model puts all points of bodies where they are in the mode."""
        defaults = default_parameters(changed)
        parameters = [defaults[name] for name in dae.symbols.parameters]
        found = Assembly(dae, parameters, self._measures).modes()[0].q
        if len(found) != len(self._positions[self._chosen]):
            return False
        places = [self._places(q) for q in (found, self._positions[self._chosen])]
        return bool(np.abs(places[0] - places[1]).max(initial=0.0) < _SAME)

    def _places(self, q: Reals) -> Reals:
        system = self._system
        poses = system.signature(q[:, None].astype(np.complex128))[:, 0].real / system.signature_scale
        return system.places(poses)


def _extended(rows: Reals, row: Reals) -> tuple[Reals, bool]:
    both = np.vstack([rows, row])
    is_new = np.linalg.matrix_rank(both, tol=_RANK) > np.linalg.matrix_rank(rows, tol=_RANK)
    return (both, True) if is_new else (rows, False)


def _rounded(value: float) -> float:
    found = float(f"{value:.{_DIGITS}g}")
    return 0.0 if abs(found) < 10.0**-_DIGITS else found


# --- the text of a model file ----------------------------------------------------------------------

_HEADER = re.compile(r"^\s*\[\s*start\s*\.\s*guess\s*\]\s*(#.*)?$")
_ENTRY = re.compile(
    r"""^(?P<head>\s*[^#=]+?=\s*)(?P<value>"[^"]*"|'[^']*'|[^\s#"']+)(?P<tail>\s*(?:#.*)?)$"""
)
_INLINE = re.compile(
    r"^(?P<head>\s*(?:start\s*\.\s*)?guess\s*=\s*)\{(?P<entries>[^}]*)\}(?P<tail>\s*(?:#.*)?)$"
)


def text_with_guesses(text: str, guesses: Mapping[str, float]) -> str:
    """The text of a model file with these guesses; all else, comments and layout, stays as it is.

    Raises
    ------
    OutputError
        If the file is laid out in a way in which guesses cannot be changed alone.
    """
    mark = "\ufeff" * text.startswith("\ufeff")
    text = text.removeprefix(mark)
    wanted = deepcopy(tomllib.loads(text))
    try:
        wanted.setdefault("start", {}).setdefault("guess", {}).update(guesses)
        lines = text.splitlines(keepends=True)
        newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
        made = "".join(_edited(lines, guesses, newline))
        if tomllib.loads(made) == wanted:
            return mark + made
    except (AttributeError, tomllib.TOMLDecodeError):
        pass
    entries = ", ".join(f"{_key(name)} = {value!r}" for name, value in guesses.items())
    raise OutputError(
        f"the guesses in this file cannot be changed alone; write them into [start.guess] by hand: {entries}"
    )


def _edited(lines: list[str], guesses: Mapping[str, float], newline: str) -> list[str]:
    inline = next((k for k, line in enumerate(lines) if _INLINE.match(line.rstrip("\r\n"))), None)
    if inline is not None:
        return [*lines[:inline], _with_inline(lines[inline], guesses), *lines[inline + 1 :]]
    begin = next((k for k, line in enumerate(lines) if _HEADER.match(line.rstrip("\r\n"))), None)
    if begin is None:
        return [*lines, *_new_section(lines, guesses, newline)]
    end = next((k for k, line in enumerate(lines) if k > begin and line.lstrip().startswith("[")), len(lines))
    return [*lines[: begin + 1], *_section(lines[begin + 1 : end], guesses, newline), *lines[end:]]


def _new_section(lines: list[str], guesses: Mapping[str, float], newline: str) -> Iterator[str]:
    if lines and not lines[-1].endswith(("\n", "\r")):
        yield newline
    yield from (newline, f"[start.guess]{newline}")
    yield from (f"{_key(name)} = {value!r}{newline}" for name, value in guesses.items())


def _section(lines: list[str], guesses: Mapping[str, float], newline: str) -> list[str]:
    """The lines of the table of guesses, changed where they are and added after the last one."""
    found, changed = [], set()
    for line in lines:
        ending = line[len(line.rstrip("\r\n")) :]
        match = _ENTRY.match(line.rstrip("\r\n"))
        name = _name_in(line) if match else ""
        if match and name in guesses:
            changed.add(name)
            found.append(f"{match['head']}{guesses[name]!r}{match['tail']}{ending}")
        else:
            found.append(line)
    added = [f"{_key(name)} = {value!r}{newline}" for name, value in guesses.items() if name not in changed]
    place = 1 + max((k for k, line in enumerate(found) if _name_in(line)), default=-1)
    if added and place and not found[place - 1].endswith(("\n", "\r")):
        found[place - 1] += newline
    return [*found[:place], *added, *found[place:]]


def _name_in(line: str) -> str:
    """The key of a line, if it is a whole entry of a table."""
    try:
        entries: dict[str, Any] = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ""
    return next(iter(entries), "")


def _with_inline(line: str, guesses: Mapping[str, float]) -> str:
    ending = line[len(line.rstrip("\r\n")) :]
    match = _INLINE.match(line.rstrip("\r\n"))
    if match is None:
        return line
    entries: dict[str, Any] = tomllib.loads(f"guess = {{{match['entries']}}}")["guess"]
    merged = {**entries, **guesses}
    shown = ", ".join(f"{_key(name)} = {_value(value)}" for name, value in merged.items())
    return f"{match['head']}{{ {shown} }}{match['tail']}{ending}"


def _value(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
