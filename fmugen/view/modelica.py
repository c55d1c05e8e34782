"""The equations of a model as a plain Modelica model, and a script that imports its FMU into OpenModelica.

The states are the independent coordinates with their velocities, and the states of networks. Coordinates
that exact steps give are explicit equations; blocks of loops without such steps are left as equations
for the tool to solve. Where the equations of motion are embedded they are explicit, too; otherwise they are
M a + Phi_q^T lambda = F, Phi_q a = gamma.

An angle from its sine and cosine is known up to full turns: the turn nearest to the integral of its velocity,
a state named ``..._near``, is taken. So it is for angles that are not coordinates.

The independent coordinates and the assembly modes stay those of the start, while an FMU may change them as it
moves. Assertions end a simulation where they no longer determine the motion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fmugen.errors import OutputError
from fmugen.evaluation import values_at_start
from fmugen.expr.calculus import Tangent, symbols_of
from fmugen.expr.code import print_expression, schedule
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.expr.statements import Assignment, Condition, Heading, Statement, StatementPrinter, Temporary
from fmugen.expr.substitute import Substitution
from fmugen.ir.dae import Coordinate, Dae
from fmugen.ir.flow import EMBEDDED, Block, SolutionFlow
from fmugen.ir.model import SystemModel, start_parameter
from fmugen.ir.program import Program
from fmugen.ir.steps import GoniometricStep, LinearAngleStep, LinearStep, PolynomialStep, QuadraticStep
from fmugen.version import __version__

if TYPE_CHECKING:
    from fmugen.pipeline import Compilation

__all__ = ["import_script", "modelica_files", "modelica_model"]

#: Words that cannot be names of variables: keywords, and functions and types that the equations use.
_RESERVED = """
algorithm and annotation assert block break class connect connector constant constrainedby der discrete each
else elseif elsewhen encapsulated end enumeration equation expandable extends external false final flow for
function if import impure in initial inner input loop model not operator or outer output package parameter
partial protected public pure record redeclare replaceable return stream then true type when while within
time abs acos asin atan atan2 cos cosh exp log max min sign sin sinh sqrt tan tanh Real
"""
#: A redundant constraint with a larger residual, as a part of its size, is open; as in the runtime.
_OPEN = 1e-6
_RESERVED_WORDS = frozenset(_RESERVED.split())


def modelica_files(made: Compilation, fmu: str) -> dict[str, str]:
    """The equations in Modelica, and a script that imports the file ``fmu``, by name."""
    name = made.description.identifier
    equations = modelica_model(made.model, made.dae, made.flow, made.program)
    return {f"{name}.mo": equations, f"{name}_import.mos": import_script(made.model, fmu)}


def modelica_model(model: SystemModel, dae: Dae, flow: SolutionFlow, program: Program) -> str:
    """The text of ``<model name>.mo``.

    Parameters
    ----------
    model, dae, flow
        The model, its equations, and how its loops are closed.
    program
        What has the embedded equations of motion, if there are any.

    Raises
    ------
    OutputError
        If the loops are closed by a method that has no counterpart in Modelica, or elements have modes.
    """
    if flow.closure not in EMBEDDED:
        allowed = ", ".join(closure.value for closure in EMBEDDED)
        raise OutputError(f"the closure {flow.closure.value} cannot be written in Modelica: use {allowed}")
    if dae.modes:
        names = ", ".join(mode.name for mode in dae.modes)
        raise OutputError(f"modes that elements remember cannot be written in Modelica: {names}; use the FMU")
    return _Writer(model, dae, flow, program).text()


def import_script(model: SystemModel, fmu: str) -> str:
    """A script for OpenModelica that imports an FMU for model exchange and simulates it."""
    name = _identifier(model.name)
    experiment = model.experiment
    intervals = max(round(experiment.stop / experiment.step), 1)
    feeds = [f"  fmu.{item.name} = {item.start!r};" for item in model.inputs]
    lines = [
        f"// Written by fmugen {__version__}: imports {fmu} into OpenModelica and simulates it.",
        f"// Run it by omc {name}_import.mos",
        f"importFMU({_string(fmu)}); getErrorString();",
        f'loadFile("{name}_me_FMU.mo"); getErrorString();',
        'loadString("',
        f"model {name}Imported",
        f"  {name}_me_FMU fmu;",
        *(["equation", *feeds] if feeds else []),
        f"end {name}Imported;",
        '"); getErrorString();',
        f"simulate({name}Imported, startTime=0.0, stopTime={experiment.stop!r}, "
        f"numberOfIntervals={intervals}, tolerance={experiment.tolerance!r}); getErrorString();",
    ]
    return "\n".join(lines) + "\n"


def _identifier(name: str) -> str:
    """A Modelica identifier for a name of the model.

    >>> _identifier("h8.angle"), _identifier("end")
    ('h8_angle', 'end_')
    """
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"{plain}_" if plain in _RESERVED_WORDS or plain[0].isdigit() else plain


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _call(name: str, arguments: Sequence[str]) -> str:
    """A function call; most functions of formulas are functions of Modelica."""
    if name == "pow":
        return f"({arguments[0]})^({arguments[1]})"
    if name in ("if", "step"):
        condition, *values = arguments
        yes, no = values or ("1.0", "0.0")
        return f"(if {condition} >= 0 then {yes} else {no})"
    if name == "turns":  # without an event where the angle jumps
        angle, near = (f"({argument})" for argument in arguments)
        return f"({near} - {angle} + atan2(sin({angle} - {near}), cos({angle} - {near})))"
    return f"{name}({', '.join(arguments)})"


class _ModelicaPrinter(StatementPrinter):
    """Writes statements as equations; a temporary is a variable, which is declared elsewhere."""

    def __init__(self, names: Mapping[Expr, str]) -> None:
        super().__init__(names, _call)

    def _lines(self, statement: Statement) -> list[str]:
        match statement:
            case Heading(text=text):
                return [f"  // {text}"]
            case Temporary(name=name, value=value):
                return [] if value.constant else [f"  {name} = {self.expression(value)};"]
            case Assignment(target=target, value=value):
                return [f"  {target} = {self.expression(value)};"]
            case Condition(value=value, bound=bound, otherwise=message):
                return [f"  assert({self.expression(value)} > {bound!r}, {_string(message)});"]
        raise TypeError(f"{type(statement).__name__} is not a statement of Modelica")


class _Writer:
    def __init__(self, model: SystemModel, dae: Dae, flow: SolutionFlow, program: Program) -> None:
        self._model, self._dae, self._flow, self._motion = model, dae, flow, program.motion
        # Signs that generated code holds between events are variables, which a tool holds as well.
        sign_of = dae.symbols.dag.call
        self._signs = {symbol: sign_of("sign", value) for symbol, value in program.relations.items()}
        # All components of a whole attitude are states, so that none of them is divided by.
        self._integrated = (*flow.independent, *flow.carried)
        self._taken: set[str] = set()
        self._names: dict[Expr, str] = {dae.symbols.time: "time"}
        self._declarations: list[str] = []
        self._equations: list[Assignment] = []
        self._initial: list[Assignment] = []
        self._assertions: list[Condition] = []
        # Modelica has no derivatives of what is solved for by an input.
        self._outputs = [output for output in model.outputs if not (output.by or output.without)]

    def text(self) -> str:
        self._declare_interface()
        self._declare_coordinates()
        self._closure_equations()
        self._left_out_assertions()
        self._motion_equations()
        self._network_equations()
        self._counted_angles()
        for output in self._outputs:
            value = self._dae.outputs[output.name]
            self._equations.append(Assignment(self._output_names[output.name], value, "outputs"))
        self._declare_signs()
        temporaries, initial, equations = self._printed()
        experiment = self._model.experiment
        name = _identifier(self._model.name)
        title = f" {_string(self._model.description)}" if self._model.description else ""
        lines = [
            f"model {name}{title}",
            f"  // Written by fmugen {__version__}. Start values are those of the default parameters.",
            *self._declarations,
            *(["protected", *temporaries] if temporaries else []),
            *(["initial equation", *initial] if initial else []),
            "equation",
            *equations,
            f"  annotation(experiment(StartTime=0.0, StopTime={experiment.stop!r}, "
            f"Interval={experiment.step!r}, Tolerance={experiment.tolerance!r}));",
            f"end {name};",
            "",
        ]
        return "\n".join(lines)

    # --- declarations ------------------------------------------------------------------------------

    def _name(self, wanted: str) -> str:
        name = _identifier(wanted)
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _declare(
        self, kind: str, name: str, unit: str = "1", *, attributes: str = "", value: str = "", text: str = ""
    ) -> None:
        measure = f"unit={_string(unit)}" if unit != "1" else ""
        said = ", ".join(part for part in (attributes, measure) if part)
        binding = f" = {value}" if value else ""
        comment = f" {_string(text)}" if text else ""
        self._declarations.append(f"  {kind} {name}{f'({said})' if said else ''}{binding}{comment};")

    def _declare_interface(self) -> None:
        symbols = self._dae.symbols
        for parameter in self._model.parameters:
            name = self._names[symbols.parameters[parameter.name]] = self._name(parameter.name)
            value = repr(float(parameter.value))
            self._declare("parameter Real", name, parameter.unit, value=value, text=parameter.description)
        self._declare_starts()
        for item in self._model.inputs:
            name = self._names[symbols.inputs[item.name]] = self._name(item.name)
            start = f"start={float(item.start)!r}"
            self._declare("input Real", name, item.unit, attributes=start, text=item.description)
        self._output_names = {output.name: self._name(output.name) for output in self._outputs}
        for output in self._outputs:
            name = self._output_names[output.name]
            self._declare("output Real", name, output.unit, text=output.description)

    def _declare_starts(self) -> None:
        """The parameters of the FMU on which start values of the network depend."""
        values = {start_parameter(start): start.value.number for start in self._model.starts}
        roots = [*(state.start for state in self._dae.states), *self._dae.fixed_states.values()]
        for symbol in symbols_of(roots, SymbolRole.PARAMETER):
            value = values.get(symbol.name)
            if symbol not in self._names and value is not None:
                self._names[symbol] = self._name(symbol.name)
                self._declare("parameter Real", self._names[symbol], value=repr(float(value)))

    def _declare_coordinates(self) -> None:
        for k, c in enumerate(self._dae.coordinates):
            is_state = k in self._integrated
            position, velocity = self._flow.positions[k], self._flow.velocities[k]
            origin = f"branch coordinate ({c.origin})"
            kept = is_state and not self._dae.steady
            self._declare_symbol(c.position, c.name, c.unit, _start(position, kept), origin)
            self._declare_symbol(c.velocity, c.rate_name, f"{c.unit}/s", _start(velocity, is_state), "")
            self._declare_symbol(c.acceleration, c.acceleration_name, f"{c.unit}/s2", "", "")
            if is_state and self._dae.steady:
                self._initial.append(Assignment("0", c.acceleration))
        for row in self._flow.rows:
            constraint = self._dae.constraints[row]
            text = f"multiplier ({constraint.origin})"
            self._declare_symbol(constraint.multiplier, f"lambda_{constraint.name}", "1", "", text)
        # The reaction of a redundant constraint is not determined; it is set to zero.
        self._names |= {self._dae.constraints[row].multiplier: "0.0" for row in self._flow.redundant}

    def _declare_symbol(self, symbol: Expr, name: str, unit: str, attributes: str, text: str) -> str:
        self._names[symbol] = self._name(name)
        self._declare("Real", self._names[symbol], unit, attributes=attributes, text=text)
        return self._names[symbol]

    # --- closure -----------------------------------------------------------------------------------

    def _closure_equations(self) -> None:
        for k in self._integrated:
            c = self._dae.coordinates[k]
            position, velocity = self._names[c.position], self._names[c.velocity]
            comment = "independent coordinates"
            self._equations.append(Assignment(f"der({position})", c.velocity, comment))
            self._equations.append(Assignment(f"der({velocity})", c.acceleration, comment))
        for block in self._flow.blocks:
            if block.steps and not any(isinstance(step, PolynomialStep) for step in block.steps):
                self._exact_block(block)
            else:
                for row in block.rows:
                    constraint = self._dae.constraints[row]
                    self._equations.append(Assignment("0", constraint.phi, f"{constraint.origin}"))

    def _left_out_assertions(self) -> None:
        """Redundant constraints are not solved, but must hold."""
        for number in self._flow.redundant:
            row = self._dae.constraints[number]
            open_by = _OPEN * self._flow.size_of(row.origin.domain)
            violated = f"with these parameters a redundant constraint is violated ({row.origin})"
            message = f"{row.origin.edge} is open: {violated}"
            self._assertions.append(Condition(-(row.phi**2), -(open_by**2), message))

    def _exact_block(self, block: Block) -> None:
        comment = f"closure of {block.name}"
        for step in block.steps:
            c = self._dae.coordinates[step.unknown]
            name = self._names[c.position]
            if isinstance(step, LinearStep):
                self._equations.append(Assignment(name, step.numerator / step.denominator, comment))
            elif isinstance(step, LinearAngleStep):
                self._angle(c, step.sine / step.denominator, step.cosine / step.denominator, comment)
            elif isinstance(step, GoniometricStep):
                square = step.a**2 + step.b**2
                root = self._mode(step, step.b, -step.a) * self._root(square - step.c**2, c)
                sine = (step.a * step.c + step.b * root) / square
                self._angle(c, sine, (step.b * step.c - step.a * root) / square, comment)
            elif isinstance(step, QuadraticStep):
                root = self._root(step.b**2 - 4 * step.a * step.c, c)
                value = (self._mode(step) * root - step.b) / (2 * step.a)
                self._equations.append(Assignment(name, value, comment))

    def _angle(self, c: Coordinate, sine: Expr, cosine: Expr, comment: str) -> None:
        """The angle with a sine and a cosine, in the turn nearest to the integral of its velocity."""
        dag, number = c.position.dag, self._dae.coordinates.index(c)
        near = dag.symbol(f"{c.name}.near", SymbolRole.COORDINATE)
        start = _start(self._flow.positions[number], True)
        name = self._declare_symbol(near, f"{c.name}_near", c.unit, start, f"{c.name}, integrated")
        self._equations.append(Assignment(f"der({name})", c.velocity, comment))
        s, k = dag.call("sin", near), dag.call("cos", near)
        value = near + dag.call("atan2", sine * k - cosine * s, cosine * k + sine * s)
        self._equations.append(Assignment(self._names[c.position], value, comment))

    def _counted_angles(self) -> None:
        """Angles that are not coordinates: a nearby angle is integrated, or they keep their turns."""
        motion = dict(self._dae.symbols.rates)
        for c in self._dae.coordinates:
            motion[c.position] = c.velocity
        outputs = [self._dae.outputs[output.name] for output in self._outputs]
        equations = [equation.value for equation in self._equations]
        read = symbols_of([*outputs, *equations], SymbolRole.TURNS)
        for angle in (angle for angle in self._dae.angles if angle.symbol in read):
            if angle.jumps:
                start = _start(self._at_start(angle.value), True)
                name = self._declare_symbol(
                    angle.symbol, f"{angle.name}_near", "rad", start, f"{angle.name}, integrated"
                )
                rate = Tangent(self._dae.symbols.dag, motion)(angle.base)
                self._equations.append(Assignment(f"der({name})", rate, "angles that count turns"))
            else:
                name = self._names[angle.symbol] = self._name(f"{angle.name}_turns")
                turns = repr(self._at_start(angle.symbol))
                self._declare("parameter Real", name, "rad", value=turns, text=f"whole turns in {angle.name}")

    def _root(self, discriminant: Expr, c: Coordinate) -> Expr:
        """Its square root; where it is negative the simulation ends with a sentence, not with NaN."""
        message = f"{c.name} reaches a position in which its assembly mode ends"
        self._assertions.append(Condition(discriminant, 0.0, message))
        dag = discriminant.dag
        return dag.call("sqrt", dag.call("max", discriminant, dag.zero))

    def _mode(self, step: GoniometricStep | QuadraticStep, *direction: Expr) -> Expr:
        """The assembly mode of a step, +1 or -1 as at the start, as a parameter of the model."""
        c = self._dae.coordinates[step.unknown]
        dag, q = c.position.dag, c.position
        if direction:
            value = direction[0] * dag.call("sin", q) + direction[1] * dag.call("cos", q)
        else:
            value = 2 * step.a * q + step.b
        mode = 1.0 if self._at_start(value) >= 0 else -1.0
        symbol = dag.symbol(f"{c.name}.mode", SymbolRole.PARAMETER)
        self._names[symbol] = self._name(f"{c.name}_mode")
        text = f"assembly mode of {c.name}"
        self._declare("parameter Real", self._names[symbol], value=repr(mode), text=text)
        return symbol

    def _at_start(self, value: Expr) -> float:
        free = Substitution(self._signs)
        return values_at_start(self._model, self._dae, self._flow, [free(value)])[0]

    # --- motion ------------------------------------------------------------------------------------

    def _motion_equations(self) -> None:
        if self._motion is None:
            self._matrix_equations()
            return
        dae, flow = self._dae, self._flow
        arrays = {
            "v": [c.velocity for c in dae.coordinates],
            "a": [c.acceleration for c in dae.coordinates],
            "l": [dae.constraints[row].multiplier for row in flow.rows],
        }
        for stage in self._motion.stages:
            for guard in stage.guards:
                bound = guard.factor * max(self._at_start(guard.value), 0.0)
                self._assertions.append(Condition(guard.value, bound, self._warning()))
            for result in stage.results:
                name = self._names[arrays[result.array][result.index]]
                self._equations.append(Assignment(name, result.value, stage.title))

    def _warning(self) -> str:
        names = ", ".join(self._dae.coordinates[k].name for k in self._flow.independent)
        subject = f"the coordinates {names} no longer determine" if names else "nothing determines"
        return f"{subject} the motion"

    def _matrix_equations(self) -> None:
        dae, dag = self._dae, self._dae.symbols.dag
        coordinates, rows = dae.coordinates, [dae.constraints[row] for row in self._flow.rows]
        lengths = [dae.constraints[attitude.row] for attitude in self._flow.whole]
        for row in rows:
            levels = ((row.nu, "velocity"), (row.gamma, "acceleration"))
            for side, level in levels[1:] if row in lengths else levels:
                terms = [entry * getattr(coordinates[k], level) for k, entry in row.jacobian.items()]
                self._equations.append(Assignment("0", dag.add(terms) - side, str(row.origin)))
        for k, c in enumerate(coordinates):
            terms = [
                dae.mass[max(k, m), min(k, m)] * other.acceleration
                for m, other in enumerate(coordinates)
                if (max(k, m), min(k, m)) in dae.mass
            ]
            terms += [row.jacobian[k] * row.multiplier for row in rows if k in row.jacobian]
            self._equations.append(Assignment("0", dag.add(terms) - dae.force[k], str(c.origin)))

    def _network_equations(self) -> None:
        dae = self._dae
        for unknown in dae.iterated:
            self._declare_symbol(unknown.symbol, unknown.name, unknown.unit, "", "")
        conditions = [*dae.fixed_states.values(), *(s.derivative for s in dae.states if dae.steady)]
        self._initial += [Assignment("0", condition) for condition in conditions]
        for state in dae.states:
            fixed = ", fixed=true" if state.fixed or not conditions else ""
            start = f"start={print_expression(state.start, self._names, call=_call)}{fixed}"
            name = self._declare_symbol(state.symbol, state.name, state.unit, start, "state of the network")
            self._equations.append(Assignment(f"der({name})", state.derivative, "network"))
        for block in dae.network_blocks:
            self._equations += [Assignment("0", e.residual, str(e.origin)) for e in block.equations]

    # --- text --------------------------------------------------------------------------------------

    def _declare_signs(self) -> None:
        """Variables for the signs that the equations read."""
        statements: list[Assignment | Condition] = [*self._assertions, *self._initial, *self._equations]
        read = symbols_of([statement.value for statement in statements], SymbolRole.RELATION)
        for symbol, value in self._signs.items():
            if symbol in read:
                name = self._declare_symbol(symbol, symbol.name.replace(" ", "_"), "1", "", "held sign")
                self._equations.append(Assignment(name, value, "signs that hold between events"))

    def _printed(self) -> tuple[list[str], list[str], list[str]]:
        """Declarations of shared terms, initial equations, and all other equations."""
        statements: list[Assignment | Condition] = [*self._assertions, *self._initial, *self._equations]
        shared = schedule([statement.value for statement in statements], lambda node: node in self._names)
        printer = _ModelicaPrinter(self._names)
        declarations: list[str] = []
        terms: list[Statement] = [Heading("shared terms")] if shared else []
        lines = list(self._written(printer, terms))
        for number, node in enumerate(shared):
            name = self._name(f"w{number}")
            if node.constant:
                value = printer.expression(node)
                declarations.append(f"  final parameter Real {name} = {value};")
            else:
                declarations.append(f"  Real {name};")
            lines += self._written(printer, [Temporary(name, node)])
        lines += self._written(printer, self._assertions)
        lines += self._written(printer, _with_headings(self._equations))
        return declarations, list(self._written(printer, _with_headings(self._initial))), lines

    @staticmethod
    def _written(printer: _ModelicaPrinter, statements: Iterable[Statement]) -> Iterator[str]:
        for statement in statements:
            yield from printer.write(statement).lines


def _with_headings(equations: Iterable[Assignment]) -> Iterator[Statement]:
    """Equations, with a heading where what they are about changes."""
    said = ""
    for equation in equations:
        if equation.note and equation.note != said:
            yield Heading(equation.note)
            said = equation.note
        yield equation


def _start(value: float, fixed: bool) -> str:
    return f"start={value!r}" + (", fixed=true" if fixed else "")
