"""Tables and sizes of a model as text: the definitions of ``model.h`` and the tables of ``model.c``."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fmugen.ir.flow import Closure
from fmugen.ir.fmu import FmuDescription
from fmugen.ir.options import InterfaceType
from fmugen.ir.program import Program, SetCode, Vector
from fmugen.phases.emit.names import Nomenclature

__all__ = ["defines", "motion_name", "network_blocks", "set_text", "tables"]

_CLOSURES = {closure: f"CLOSURE_{closure.name}" for closure in Closure}
#: Characters of a line of a table.
_WIDTH = 100


def motion_name(number: int) -> str:
    """The name of the function for the embedded equations of motion of a set."""
    return f"model_set_{number}_motion" if number else "model_motion"


def _string(text: str) -> str:
    """A C string literal."""
    return json.dumps(text, ensure_ascii=True).replace("\\u", "\\\\u")


def defines(program: Program, description: FmuDescription) -> Iterator[tuple[str, object]]:
    flow, layout = program.flow, description.layout
    yield "MODEL_NQ", len(program.coordinate_names)
    yield "MODEL_NC", len(flow.rows)
    yield "MODEL_NLEFT", len(flow.redundant)
    yield "MODEL_NLIMITS", len(_limits(program))
    yield "MODEL_NI", len(flow.independent)
    yield "MODEL_NATT", len(program.attitudes)
    yield "MODEL_NSETS", len(flow.sets)
    yield "MODEL_NPIVOTS", max(each.motion.pivots if each.motion else 0 for each in program.sets)
    yield "MODEL_MAX_BLOCK", max((len(b.rows) for each in flow.sets for b in each.blocks), default=0)
    yield "MODEL_ND", program.derived
    yield "MODEL_NTURN", len(program.turning)
    yield "MODEL_NFIX", program.fixed_positions
    yield "MODEL_NFIXV", program.fixed_velocities
    network = program.network
    yield "MODEL_NX", len(network.states)
    yield "MODEL_NZ", len(network.unknowns)
    yield "MODEL_NZBLOCKS", len(network.blocks)
    yield "MODEL_MAX_ZBLOCK", max((len(block) for block in network.blocks), default=0)
    yield "MODEL_FIXED_STATES", len(network.fixed_states)
    yield "MODEL_STEADY", int(network.steady)
    yield "MODEL_NE", program.time_relations + program.state_relations
    yield "MODEL_TIME_EVENTS", program.time_relations
    yield "MODEL_NCOUNTED", len(program.angles)
    yield "MODEL_NJUMP", program.jumping
    yield "MODEL_STARTS_BY_INPUTS", int(program.starts_by_inputs)
    yield "MODEL_STAMPED", int(any(stamp >= 0 for stamp in program.input_stamps))
    yield "MODEL_NPART", len(program.partials)
    yield "MODEL_NFORM", 1 + max((partial.formula for partial in program.partials), default=-1)
    yield "MODEL_CLOSURE", _CLOSURES[flow.closure]
    if flow.iterations is not None:
        yield "MODEL_ITERATIONS", flow.iterations
    sections = (
        ("MODEL_P0", "MODEL_NP", layout.parameters),
        ("MODEL_S0", "MODEL_NS", layout.settings),
        ("MODEL_U0", "MODEL_NU", layout.inputs),
        ("MODEL_Y0", "MODEL_NY", layout.calculated),
        ("MODEL_K0", "MODEL_NK", layout.states),
        ("MODEL_FIRST_DERIVATIVE", "MODEL_NKD", layout.derivatives),
        ("MODEL_W0", "MODEL_NW", layout.indicators),
        ("MODEL_G0", "MODEL_NG", layout.diagnostics),
    )
    for first, count, section in sections:
        yield first, section.first
        yield count, section.count
    yield "MODEL_N_REALS", layout.size
    yield "MODEL_NT", description.tunable
    yield "MODEL_FMI", description.fmi.value
    yield "MODEL_CO_SIMULATION", int(InterfaceType.CO_SIMULATION in description.interfaces)
    yield "MODEL_MODEL_EXCHANGE", int(InterfaceType.MODEL_EXCHANGE in description.interfaces)


@dataclass(frozen=True)
class _BlockText:
    size: int
    unknowns: str
    rows: str
    function: str
    name: str
    solve: str


@dataclass(frozen=True)
class _SetText:
    name: str
    independent: str
    dependent: str
    size: int
    blocks: list[_BlockText]
    together: str
    motion: str
    quality: str


def set_text(number: int, code: SetCode, names: Nomenclature) -> _SetText:
    flow, together = code.flow, code.solve_together
    return _SetText(
        f"set_{number}",
        _constants(names, Vector.COORDINATES, flow.independent) or "0",
        _constants(names, Vector.COORDINATES, flow.dependent) or "0",
        len(flow.blocks),
        list(_blocks(code, names)),
        "NULL" if together is None else f"model_{together.name}",
        motion_name(number) if code.motion is not None and code.motion.stages else "NULL",
        repr(flow.quality),
    )


def _blocks(code: SetCode, names: Nomenclature) -> Iterator[_BlockText]:
    position = {row: index for index, row in enumerate(code.flow.rows)}
    functions = zip(code.flow.blocks, code.block_functions, code.solve_functions, strict=True)
    for block, evaluate, solve in functions:
        yield _BlockText(
            len(block.rows),
            _constants(names, Vector.COORDINATES, block.unknowns),
            _constants(names, Vector.MULTIPLIERS, (position[row] for row in block.rows)),
            f"model_{evaluate.name}",
            _string(block.name),
            "NULL" if solve is None else f"model_{solve.name}",
        )


def _constants(names: Nomenclature, vector: Vector, indices: Iterable[int]) -> str:
    return ", ".join(names.constant(vector, index) for index in indices)


@dataclass(frozen=True)
class _NetworkBlockText:
    size: int
    unknowns: str
    function: str
    name: str


def network_blocks(program: Program, names: Nomenclature) -> Iterator[_NetworkBlockText]:
    network = program.network
    for number, (unknowns, name) in enumerate(zip(network.blocks, network.block_names, strict=True)):
        function = f"model_network_block_{number}"
        places = _constants(names, Vector.UNKNOWNS, unknowns)
        yield _NetworkBlockText(len(unknowns), places, function, _string(name))


@dataclass(frozen=True)
class _Table:
    type: str
    name: str
    lines: list[str]


def tables(program: Program, description: FmuDescription) -> Iterator[_Table]:
    flow, network = program.flow, program.network
    places = {coordinate: place for place, coordinate in enumerate(program.turning)}
    yield _integers("model_turn", (places.get(i, -1) for i in range(len(program.coordinate_names))))
    kinds = [f"COORDINATE_{kind.name}" for kind in program.coordinate_kinds]
    yield _Table("const CoordinateKind", "model_kinds", _rows(kinds, "COORDINATE_LENGTH"))
    position = {row: index for index, row in enumerate(flow.rows)}
    attitudes = [f"{{{{{', '.join(map(str, a.components))}}}, {position[a.row]}}}" for a in program.attitudes]
    yield _Table("const Attitude", "model_attitudes", _rows(attitudes, "{{0, 0, 0, 0}, 0}"))
    yield _integers("model_state_turns", (unit == "rad" for unit in network.state_units))
    yield from _structure(program)
    yield _integers("model_input_rate", program.input_rates)
    yield _integers("model_input_drives", program.input_drives)
    yield _strings("model_input_names", (variable.name for variable in description.inputs))
    yield _integers("model_input_stamp", program.input_stamps)
    slopes = ["MODEL_NO_SLOPE" if slope is None else repr(slope) for slope in program.input_slopes]
    yield _Table("const double", "model_input_slope", _rows(slopes))
    partials = [f"{{{p.output}, {p.formula}, {p.input}, {int(p.subtract)}}}" for p in program.partials]
    yield _Table("const ModelPartial", "model_partials", _rows(partials, "{0, 0, 0, 0}"))
    yield _numbers("model_q0", flow.positions)
    yield _numbers("model_v0", flow.velocities)
    yield _numbers("model_start", map(float, description.start_values))
    yield _strings("model_coordinates", program.coordinate_names)
    yield _strings("model_constraint_names", program.constraint_names)
    left_out = [
        f"{{{_string(row.joint)}, {_string(row.direction)}, {_string(row.unit)}, {row.size!r}}}"
        for row in program.left_out
    ]
    yield _Table("const ModelLeftOut", "model_left_out_rows", _rows(left_out, "{NULL, NULL, NULL, 1.0}"))
    yield _Table("const ModelLimit", "model_limits", _rows(_limits(program), '{0, 0.0, "", ""}'))
    yield _numbers("model_z0", network.start_unknowns)
    yield _strings("model_states", network.states)
    yield _strings("model_fixed_state_names", network.fixed_states)
    yield _strings("model_angle_names", program.angles)
    references = [str(variable.value_reference) for variable in description.continuous_states]
    yield _Table("const unsigned", "model_state_references", _rows(references))


def _limits(program: Program) -> list[str]:
    """The calculated variables that have a limit."""
    return [
        f"{{{place}, {variable.limit.bound!r}, {_string(variable.name)}, {_string(variable.limit.reason)}}}"
        for place, variable in enumerate(program.calculated)
        if variable.limit is not None
    ]


def _integers(name: str, values: Iterable[int]) -> _Table:
    return _Table("const int", name, _rows([str(int(value)) for value in values]))


def _numbers(name: str, values: Iterable[float]) -> _Table:
    return _Table("const double", name, _rows([repr(value) for value in values]))


def _strings(name: str, texts: Iterable[str]) -> _Table:
    return _Table("const char *const", name, _rows([_string(text) for text in texts], "NULL"))


def _structure(program: Program) -> Iterator[_Table]:
    """Where the Jacobian of the constraints is not zero, row by row."""
    width = len(program.coordinate_names)
    places = sorted(r.index for r in program.function("jacobian").results if not r.value.is_zero)
    begins = [bisect_left(places, row * width) for row in range(len(program.flow.rows) + 1)]
    yield _integers("model_row_begin", begins)
    yield _integers("model_row_columns", (place % width for place in places))


def _rows(values: Sequence[str], empty: str = "0") -> list[str]:
    """Array elements, as many a line as it has room for; C has no arrays of length zero."""
    lines: list[str] = []
    for value in values:
        if lines and len(lines[-1]) + len(value) + 2 <= _WIDTH:
            lines[-1] += f" {value},"
        else:
            lines.append(f"{value},")
    return lines or [empty]
