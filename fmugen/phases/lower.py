"""Dae, SolutionFlow -> Program: straight-line functions with shared subexpressions named.

Whatever depends on parameters alone is evaluated once, at initialization (``derive``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from fmugen.expr.calculus import Tangent, postorder, symbols_of
from fmugen.expr.code import Operations, constants_read, count_operations, reached, schedule
from fmugen.expr.dag import Expr, Operation, Role
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import CalculatedVariable
from fmugen.ir.model import SystemModel, quantities
from fmugen.ir.program import Function, Motion, Program, Result, Section, SolveFunction, StepCode
from fmugen.ir.steps import (
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)

__all__ = ["lower_program"]


def lower_program(model: SystemModel, dae: Dae, flow: SolutionFlow, motion: Motion | None = None) -> Program:
    """The functions that generated code consists of; ``motion`` is the embedded form of the equations."""
    return _Lowering(model, dae, flow).program(motion)


class _Lowering:
    def __init__(self, model: SystemModel, dae: Dae, flow: SolutionFlow) -> None:
        self._model, self._dae, self._flow = model, dae, flow
        self._rows = [dae.constraints[row] for row in flow.rows]
        self._names = _symbol_names(dae, flow)
        self._derived: dict[Expr, int] = {}
        self._turning: dict[int, int] = {}

    def program(self, motion: Motion | None) -> Program:
        calculated, values = self._calculated()
        size = len(self._dae.coordinates)
        jacobian = self._jacobian_results()
        gamma = [Result("gamma", i, row.gamma, str(row.origin)) for i, row in enumerate(self._rows)]
        force = [
            Result("force", i, value, str(self._dae.coordinates[i].origin))
            for i, value in enumerate(self._dae.force)
        ]
        functions = [
            self._function(
                "constraints",
                "loop constraints phi(q, t)",
                [Result("phi", i, row.phi, str(row.origin)) for i, row in enumerate(self._rows)],
            ),
            self._function("jacobian", "their Jacobian phi_q", jacobian),
            self._function(
                "velocity",
                "right-hand side nu of phi_q v = nu",
                [Result("nu", i, row.nu, str(row.origin)) for i, row in enumerate(self._rows)],
            ),
            self._function(
                "dynamics",
                "phi_q, gamma, mass matrix and forces of M a + phi_q^T lambda = F, phi_q a = gamma",
                [*jacobian, *gamma, *self._mass_results(size), *force],
            ),
            self._function(
                "outputs",
                "coordinates, motion of bodies, outputs",
                [Result("y", i, v, c.name) for i, (c, v) in enumerate(zip(calculated, values, strict=True))],
            ),
            self._start_function("fixed", self._dae.fixed_positions, by_velocity=False),
            self._start_function("fixed_velocity", self._dae.fixed_velocities, by_velocity=True),
        ]
        forms = [[self._form(step) for step in block.steps] for block in self._flow.blocks]
        self._turning = self._turning_coordinates(forms, motion)
        blocks = [self._block_function(number) for number in range(len(self._flow.blocks))]
        solves = [
            self._solve_function(f"solve_{number}", block.name, steps)
            for number, (block, steps) in enumerate(zip(self._flow.blocks, forms, strict=True))
        ]
        together = None
        if len(forms) > 1 and all(forms):
            steps = [form for block in forms for form in block]
            together = self._solve_function("solve_together", "all loops", steps)
        lowered = None if motion is None else self._motion(motion)
        derive = self._derive_function()
        return Program(
            self._leaf_names(),
            (derive, *functions),
            tuple(blocks),
            tuple(solves),
            together,
            lowered,
            len(self._derived),
            tuple(coordinate.name for coordinate in self._dae.coordinates),
            tuple(row.name for row in self._rows),
            tuple(self._turning),
            self._directions(),
            len(self._dae.fixed_positions),
            len(self._dae.fixed_velocities),
            tuple(calculated),
            self._flow,
        )

    # --- results -----------------------------------------------------------------------------------

    def _jacobian_results(self) -> list[Result]:
        size, zero = len(self._dae.coordinates), self._dae.symbols.dag.zero
        return [
            Result("phi_q", i * size + j, row.jacobian.get(j, zero), str(row.origin))
            for i, row in enumerate(self._rows)
            for j in range(size)
        ]

    def _mass_results(self, size: int) -> list[Result]:
        zero, mass = self._dae.symbols.dag.zero, self._dae.mass
        return [
            Result("mass", i * size + j, mass.get((max(i, j), min(i, j)), zero), f"M[{i},{j}]")
            for i in range(size)
            for j in range(size)
        ]

    def _start_function(self, name: str, residuals: dict[str, Expr], *, by_velocity: bool) -> Function:
        size = len(self._dae.coordinates)
        level = "velocity" if by_velocity else "position"
        results = [Result("residual", i, value, key) for i, (key, value) in enumerate(residuals.items())]
        for column, coordinate in enumerate(self._dae.coordinates):
            variable = coordinate.velocity if by_velocity else coordinate.position
            partial = Tangent(variable.dag, {variable: variable.dag.one})
            results += [
                Result("jacobian", i * size + column, partial(value), key)
                for i, (key, value) in enumerate(residuals.items())
            ]
        return self._function(name, f"fixed start {level} values: residual and Jacobian", results)

    def _block_function(self, number: int) -> Function:
        block = self._flow.blocks[number]
        zero = self._dae.symbols.dag.zero
        rows = [self._dae.constraints[row] for row in block.rows]
        results = [Result("residual", i, row.phi, str(row.origin)) for i, row in enumerate(rows)]
        results += [
            Result("jacobian", i * len(block.unknowns) + j, row.jacobian.get(column, zero), str(row.origin))
            for i, row in enumerate(rows)
            for j, column in enumerate(block.unknowns)
        ]
        known = self._directions(without=block.unknowns)
        return self._function(f"block_{number}", block.name, results, known)

    # --- sines and cosines that are found once -------------------------------------------------------

    def _turning_coordinates(self, forms: Sequence[Sequence[_Form]], motion: Motion | None) -> dict[int, int]:
        """The coordinates whose sine or cosine the closure or the motion reads, numbered in order."""
        roots = [root for steps in forms for form in steps for root in (*form.arguments, *form.results)]
        roots += [row.phi for row in self._rows]
        if motion is not None:
            roots += [root for section in motion.sections for root in _section_roots(section)]
        read = {
            node.args[0]
            for node in postorder(roots)
            if node.operation is Operation.CALL and node.name in ("sin", "cos")
        }
        turned = {form.unknown for steps in forms for form in steps if form.is_angle}
        found = [i for i, c in enumerate(self._dae.coordinates) if c.position in read or i in turned]
        return {coordinate: place for place, coordinate in enumerate(found)}

    def _directions(self, without: Sequence[int] = ()) -> dict[Expr, str]:
        """Texts of the sines and cosines of turning coordinates."""
        names: dict[Expr, str] = {}
        for coordinate, place in self._turning.items():
            if coordinate not in without:
                symbol = self._dae.coordinates[coordinate].position
                names[symbol.dag.call("sin", symbol)] = f"e[{2 * place}]"
                names[symbol.dag.call("cos", symbol)] = f"e[{2 * place + 1}]"
        return names

    # --- exact steps ---------------------------------------------------------------------------------

    def _form(self, step: ExactStep) -> _Form:
        return _form(step, self._dae.coordinates[step.unknown].name)

    def _solve_function(self, name: str, purpose: str, forms: Sequence[_Form]) -> SolveFunction | None:
        """The exact steps of a block, or of all of them; ``None`` for a block without steps."""
        if not forms:
            return None
        groups = [group for form in forms for group in (form.arguments, form.results)]
        roots = [root for group in groups for root in group]
        self._derive(roots)
        names = self._directions()
        for form in forms:
            names |= {leaf: f"{letter}{form.unknown}" for leaf, letter in form.leaves.items()}

        is_leaf = self._leaf_test(names)
        waiting = list(schedule(roots, is_leaf))
        done: set[Expr] = set()
        steps = []
        for form in forms:
            before, waiting = _taken(waiting, form.arguments, is_leaf)
            after, waiting = _taken(waiting, form.results, is_leaf)
            operations = count_operations(
                (*before, *after),
                (*form.arguments, *form.results),
                lambda node: node in done or is_leaf(node),
            )
            done.update(before, after)
            steps.append(
                StepCode(
                    form.unknown,
                    form.is_angle,
                    form.helper,
                    before,
                    form.arguments,
                    form.root,
                    after,
                    form.results,
                    form.check,
                    form.own,
                    operations,
                )
            )
        return SolveFunction(name, purpose, tuple(steps), names)

    def _motion(self, motion: Motion) -> Motion:
        """The sections with the temporaries that each needs and no earlier one has."""
        groups = [_section_roots(section) for section in motion.sections]
        roots = [root for group in groups for root in group]
        self._derive(roots)
        is_leaf = self._leaf_test(self._directions())
        named = schedule(roots, is_leaf)
        waiting = list(named)
        sections = []
        for section, group in zip(motion.sections, groups, strict=True):
            temporaries, waiting = _taken(waiting, group, is_leaf)
            sections.append(replace(section, temporaries=temporaries))
        return Motion(tuple(sections), count_operations(named, roots, is_leaf))

    # --- what an FMU shows --------------------------------------------------------------------------

    def _calculated(self) -> tuple[list[CalculatedVariable], list[Expr]]:
        """Outputs, then coordinates, rates and accelerations, then all other quantities, each once."""
        shown: dict[str, tuple[CalculatedVariable, Expr]] = {}
        driven = self._inputs_that_accelerate()
        units = {quantity.name: quantity.unit for quantity in quantities(self._model)}

        def show(name: str, value: Expr, unit: str, text: str, *, output: bool = False) -> None:
            if name not in shown:
                inputs = _inputs_of(value, driven)
                variable = CalculatedVariable(name, unit, text, "output" if output else "local", inputs)
                shown[name] = (variable, value)

        for output in self._model.outputs:
            show(output.name, self._dae.outputs[output.name], output.unit, output.description, output=True)
        for c in self._dae.coordinates:
            show(c.name, c.position, c.unit, f"branch coordinate ({c.origin})")
            show(c.rate, c.velocity, f"{c.unit}/s", f"rate of {c.name}")
            show(c.acceleration, c.second, f"{c.unit}/s2", f"second rate of {c.name}")
        for name, value in self._dae.quantities.items():
            show(name, value, units[name], "")
        return [variable for variable, _ in shown.values()], [value for _, value in shown.values()]

    def _inputs_that_accelerate(self) -> tuple[str, ...]:
        """Inputs on which accelerations and multipliers depend."""
        found = symbols_of(self._dae.force, Role.INPUT)
        return tuple(name for name, symbol in self._dae.symbols.inputs.items() if symbol in found)

    # --- functions ----------------------------------------------------------------------------------

    def _function(
        self, name: str, purpose: str, results: Sequence[Result], leaves: dict[Expr, str] | None = None
    ) -> Function:
        """A function of leaves that all functions know, and of further ``leaves``."""
        roots = [result.value for result in results]
        self._derive(roots)
        is_leaf = self._leaf_test(leaves or {})
        named = schedule(roots, is_leaf)
        operations = count_operations(named, roots, is_leaf)
        return Function(name, purpose, named, tuple(results), operations, leaves or {})

    def _derive(self, roots: Iterable[Expr]) -> None:
        """Number the largest parameter-only expressions below ``roots``."""
        for node in constants_read(roots):
            self._derived.setdefault(node, len(self._derived))

    def _derive_function(self) -> Function:
        roots = list(self._derived)
        named = schedule(roots, lambda node: node in self._names)
        operations = count_operations(named, roots, lambda node: node in self._names)
        results = tuple(Result("d", index, node) for node, index in self._derived.items())
        return Function("derive", "expressions of parameters only", named, results, operations)

    def _leaf_test(self, leaves: dict[Expr, str]) -> Callable[[Expr], bool]:
        return lambda node: node in leaves or node in self._names or node in self._derived

    def _leaf_names(self) -> dict[Expr, str]:
        return self._names | {node: f"d[{index}]" for node, index in self._derived.items()}


def _section_roots(section: Section) -> list[Expr]:
    guards = [guard.value for guard in section.guards]
    return [*guards, *(result.value for result in section.results)]


def _taken(
    waiting: Sequence[Expr], roots: Iterable[Expr], is_leaf: Callable[[Expr], bool]
) -> tuple[tuple[Expr, ...], list[Expr]]:
    """The temporaries among ``waiting`` that ``roots`` need, and those still waiting."""
    needed = reached(roots, is_leaf)
    return tuple(n for n in waiting if n in needed), [n for n in waiting if n not in needed]


# --- exact steps on the DAG ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Form:
    """A step as expressions around a helper of the runtime; see ``StepCode``.

    ``leaves`` are what the step finds before its results: the root, and the direction that is expected of an
    angle, each with the first letter of its name.
    """

    unknown: int
    is_angle: bool
    helper: str
    arguments: tuple[Expr, ...]
    results: tuple[Expr, ...]
    own: Operations
    leaves: dict[Expr, str] = field(default_factory=dict)
    root: Expr | None = None
    check: str = ""


#: Operations of the helpers in exact.h; comparisons, signs and magnitudes are not counted. The way to an
#: angle is the short one, near its anchor.
_TURN = Operations(9, 11)
_PREDICT = Operations(5, 6)
_ROOT = Operations(0, 1, 0, 1)
_UNIT = Operations(2, 2)
_REGULAR = Operations(0, 1)
_QUADRATIC = Operations(5, 5, 2, 1)
_HALF_ANGLE = Operations(3, 4, 3)


def _form(step: ExactStep, name: str) -> _Form:
    match step:
        case LinearStep(denominator=denominator) if denominator.is_number:
            return _Form(step.unknown, False, "", (), (step.numerator / denominator,), Operations())
        case LinearStep():
            arguments = (step.numerator, step.denominator)
            length = step.numerator / step.denominator
            return _Form(step.unknown, False, "exact_regular", arguments, (length,), _REGULAR)
        case LinearAngleStep():
            results = (step.sine / step.denominator, step.cosine / step.denominator)
            return _Form(step.unknown, True, "", (), results, _UNIT + _TURN, check="exact_unit")
        case GoniometricStep():
            return _goniometric_form(step, name)
        case QuadraticStep():
            return _Form(step.unknown, False, "exact_quadratic", (step.a, step.b, step.c), (), _QUADRATIC)
        case PolynomialStep(half_angle=True):
            own = _HALF_ANGLE + _PREDICT + _TURN
            return _Form(step.unknown, True, "exact_half_angle", step.coefficients, (), own)
        case PolynomialStep():
            return _Form(step.unknown, False, "exact_polynomial", step.coefficients, (), Operations())


def _goniometric_form(step: GoniometricStep, name: str) -> _Form:
    """``a sin + b cos = c``; with a or b zero the equation gives one of both, and the circle the other."""
    dag = step.c.dag
    a, b, c = _without_common_factor(step.a, step.b, step.c)
    sine = dag.symbol(f"sine expected of {name}", Role.COORDINATE)
    cosine = dag.symbol(f"cosine expected of {name}", Role.COORDINATE)
    root = dag.symbol(f"root for {name}", Role.COORDINATE)
    if a.is_zero:
        results = (root, c / b)
        arguments = (1 - results[1] ** 2, dag.one, sine)
    elif b.is_zero:
        results = (c / a, root)
        arguments = (1 - results[0] ** 2, dag.one, cosine)
    elif c.is_zero:
        square = a**2 + b**2
        results = (b / root, -a / root)
        arguments = (square, square, b * sine - a * cosine)
    else:
        square = a**2 + b**2
        results = ((a * c + b * root) / square, (b * c - a * root) / square)
        arguments = (square - c**2, square, b * sine - a * cosine)
    leaves = {sine: "s", cosine: "c", root: "r"}
    own = _PREDICT + _ROOT + _TURN
    return _Form(step.unknown, True, "exact_root", arguments, results, own, leaves, root)


def _without_common_factor(a: Expr, b: Expr, c: Expr) -> tuple[Expr, Expr, Expr]:
    """The equation divided by what a and b have in common of numbers and parameters."""
    factor = _constant_factor(a)
    if (factor.is_number and factor.number in (0, 1)) or _constant_factor(b) not in (factor, -factor):
        return a, b, c
    return a / factor, b / factor, c / factor


def _constant_factor(root: Expr) -> Expr:
    dag = root.dag
    factors = root.args if root.operation is Operation.MUL else (root,)
    return dag.mul(factor for factor in factors if factor.constant)


def _symbol_names(dae: Dae, flow: SolutionFlow) -> dict[Expr, str]:
    symbols = dae.symbols
    names = {symbols.time: "t"}
    names |= {symbol: f"p[{i}]" for i, symbol in enumerate(symbols.parameters.values())}
    names |= {symbol: f"u[{i}]" for i, symbol in enumerate(symbols.inputs.values())}
    for i, coordinate in enumerate(dae.coordinates):
        names[coordinate.position] = f"q[{i}]"
        names[coordinate.velocity] = f"v[{i}]"
        names[coordinate.second] = f"a[{i}]"
    names |= {dae.constraints[row].multiplier: f"l[{i}]" for i, row in enumerate(flow.rows)}
    # The reaction of a redundant constraint is not determined; zero is the one that costs nothing.
    names |= {dae.constraints[row].multiplier: "0.0" for row in flow.redundant}
    return names


def _inputs_of(value: Expr, accelerating: tuple[str, ...]) -> tuple[str, ...]:
    found = symbols_of((value,), Role.INPUT, Role.ACCELERATION, Role.MULTIPLIER)
    names = [symbol.name for symbol in found if symbol.role is Role.INPUT]
    if len(names) < len(found):
        names += [name for name in accelerating if name not in names]
    return tuple(names)
