"""Functions of a Program in C: their statements, and the declarations of what these read."""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from fmugen.expr.code import Operations
from fmugen.expr.dag import Expr
from fmugen.expr.statements import Condition, Heading, Statement, Temporary, Written
from fmugen.ir.program import Function, Leaf, MotionCode, Program, Result, SolveFunction, StepCode, Vector
from fmugen.phases.emit.c import CPrinter, Pivot, Require, StoreElement, Text, Unless, Zeros, comment
from fmugen.phases.emit.labels import Labels
from fmugen.phases.emit.names import LETTERS, Names, Nomenclature, expanded_size
from fmugen.phases.emit.parts import LONGEST_FUNCTION, LONGEST_MOTION, chunks, with_shared_array
from fmugen.phases.emit.steps import equation_of

__all__ = ["FunctionText", "FunctionWriter", "absent_function"]

#: More zeros than these are not written one by one.
_FEW_ZEROS = 8
#: Expressions of parameters with more leaves than this are not written in full.
_LONGEST_FORMULA = 30
#: What the elements of an array are named after.
_ELEMENTS = {
    "phi": Vector.MULTIPLIERS,
    "nu": Vector.MULTIPLIERS,
    "gamma": Vector.MULTIPLIERS,
    "slip": Vector.MULTIPLIERS,
    "l": Vector.MULTIPLIERS,
    "force": Vector.COORDINATES,
    "balance": Vector.COORDINATES,
    "v": Vector.COORDINATES,
    "a": Vector.COORDINATES,
    "d": Vector.DERIVED,
    "x": Vector.STATES,
    "dx": Vector.STATES,
    "angle": Vector.TURNS,
    "rate": Vector.TURNS,
    "second": Vector.TURNS,
}
#: The same for changes, by function.
_CHANGES = {
    "constraints_tangent": Vector.MULTIPLIERS,
    "velocity_tangent": Vector.MULTIPLIERS,
    "derivatives_tangent": Vector.STATES,
    "start_states_tangent": Vector.STATES,
}
#: Matrices with a column for each coordinate: the owners of their row names, if the rows have names.
_MATRICES = {"phi_q": Vector.MULTIPLIERS, "mass": Vector.COORDINATES}
_ARRAYS = {
    "phi_q": "Jacobian phi_q of the constraints",
    "gamma": "right-hand side gamma of phi_q a = gamma",
    "mass": "mass matrix M",
    "force": "forces F",
    "residual": "residuals",
    "jacobian": "their Jacobian",
    "balance": "M a + phi_q^T lambda - F",
    "slip": "phi_q a - gamma",
    "value": "values at time zero",
    "slope": "slopes",
}


@dataclass(frozen=True)
class FunctionText:
    """A function as the templates place it; ``called`` are the functions of formulas that it calls."""

    comment: str
    prototype: str
    lines: list[str]
    called: frozenset[str]


@dataclass(frozen=True)
class _Signature:
    """The arguments of a function: the point that it is evaluated at, a direction, arrays that it fills."""

    arrays: tuple[str, ...]
    at: bool = True
    along: bool = False

    @property
    def text(self) -> str:
        point = ["const ModelPoint *at"] if self.at else ["const double *p"]
        direction = ["const ModelDirection *along"] if self.along else []
        return ", ".join([*point, *direction, *(f"double *{array}" for array in self.arrays)])

    @property
    def passed(self) -> tuple[str, ...]:
        return ("at" if self.at else "p", *(("along",) if self.along else ()), *self.arrays)


_SIGNATURES = {
    "derive": _Signature(("d",), at=False),
    "constraints": _Signature(("phi",)),
    "closing": _Signature(("phi",)),
    "left_out": _Signature(("phi",)),
    "jacobian": _Signature(("phi_q",)),
    "velocity": _Signature(("nu",)),
    "dynamics": _Signature(("phi_q", "gamma", "mass", "force")),
    "outputs": _Signature(("y",)),
    "derivatives": _Signature(("dx",)),
    "start_states": _Signature(("x",)),
    "fixed_states": _Signature(("residual",)),
    "time_relations": _Signature(("value", "slope")),
    "relations": _Signature(("relation",)),
    "angles": _Signature(("angle", "rate", "second")),
    "start_angles": _Signature(("angle",)),
    "dynamics_tangent": _Signature(("balance", "slip"), along=True),
}
_SOLVE = "const ModelPoint *at, const Anchor *anchors, double *q, double *e"
_TANGENT = _Signature(("change",), along=True)
#: Of blocks, and of fixed start values.
_EQUATIONS = _Signature(("residual", "jacobian"))


def _signature(name: str) -> _Signature:
    return _SIGNATURES.get(name, _TANGENT if name.endswith("_tangent") else _EQUATIONS)


def absent_function(function: Function) -> str:
    """A function that has nothing to compute: its arguments are not used."""
    signature = _signature(function.name)
    unused = ", ".join(f"(void){name}" for name in signature.passed)
    return f"void model_{function.name}({signature.text}) {{ {unused}; }}"


class FunctionWriter:
    """Writes the functions of a program."""

    def __init__(self, program: Program, names: Nomenclature) -> None:
        self._program, self._nomenclature = program, names
        self._texts = {node: names.text(leaf) for node, leaf in program.leaves.items()}

    # --- functions of a point ------------------------------------------------------------------------

    def function(self, function: Function, storage: str) -> list[FunctionText]:
        """A function; a long one calls chunks that share its temporaries."""
        signature = _signature(function.name)
        whole = self._written(function, scratch=False)
        title = _title(function.purpose, function.operations)
        prototype = f"{storage} model_{function.name}({signature.text})"
        if sum(written.size for _, written in whole) + len(whole) <= LONGEST_FUNCTION:
            lines = self._lines(function, whole, signature)
            return [FunctionText(title, prototype, lines, _called(written for _, written in whole))]
        arguments, passed = signature.text, ", ".join(signature.passed)
        calls = []
        if function.temporaries:
            arguments, passed = f"{arguments}, double *w", f"{passed}, w"
            calls.append(f"double w[{len(function.temporaries)}];")
        texts = []
        for number, chunk in enumerate(chunks(self._written(function, scratch=True))):
            name = f"model_{function.name}_{number}"
            lines = self._lines(function, chunk, signature, chunked=True)
            called = _called(written for _, written in chunk)
            part = _title(f"{function.purpose}, part {number}")
            texts.append(FunctionText(part, f"static void {name}({arguments})", lines, called))
            calls.append(f"{name}({passed});")
        return [*texts, FunctionText(title, prototype, calls, frozenset())]

    def _written(self, function: Function, *, scratch: bool) -> list[tuple[Statement, Written]]:
        names = self._names(function.leaves)
        if function.name == "derive":
            # A parameter-only expression used by another one is read from the array once written.
            own = self._program.leaves.items()
            names = {node: names[node] for node, leaf in own if leaf.vector is not Vector.DERIVED}
        printer = CPrinter(names)
        statements: list[Statement] = []
        if scratch:
            statements += (Temporary(f"w[{i}]", node) for i, node in enumerate(function.temporaries))
        else:
            statements += self._temporaries(function.temporaries, function.leaves, Names(), count())
        statements += self._stores(function.results, function)
        body = [(statement, printer.write(statement)) for statement in statements]
        if function.name != "derive":
            return body
        return [(statement, self._explained(written, statement, function)) for statement, written in body]

    def _explained(self, written: Written, statement: Statement, function: Function) -> Written:
        """An expression of parameters that is composed of temporaries, with its formula in full."""
        if not isinstance(statement, StoreElement) or written.read.isdisjoint(function.temporaries):
            return written
        if expanded_size(statement.value, _LONGEST_FORMULA) > _LONGEST_FORMULA:
            return written
        note = f"/* {comment(self._nomenclature.formula(statement.value))} */"
        return replace(written, lines=(*written.lines[:-1], f"{written.lines[-1]} {note}"))

    def _lines(
        self,
        function: Function,
        body: Sequence[tuple[Statement, Written]],
        signature: _Signature,
        *,
        chunked: bool = False,
    ) -> list[str]:
        read = self._leaves_read((written for _, written in body), function.leaves)
        declared = (
            _declarations(read, without={result.array for result in function.results}) if signature.at else []
        )
        used = _used(read, [statement for statement, _ in body])
        used |= {"at"} if declared else set()
        used |= {"w" for _, written in body if not written.read.isdisjoint(function.temporaries)}
        passed = (*signature.passed, "w") if chunked and function.temporaries else signature.passed
        unused = [f"(void){argument};" for argument in passed if argument not in used]
        return [*declared, *unused, *(line for _, written in body for line in written.lines)]

    def _stores(self, results: Sequence[Result], function: Function) -> Iterator[Statement]:
        """One assignment a result; the zeros of a sparse array are written by a loop before all others."""
        headings = _ARRAYS if len({result.array for result in results}) > 1 else {}
        sparse = _sparse_arrays(results)
        begun: set[str] = set()
        origin = ""
        for result in results:
            array = result.array
            if array not in begun:
                begun.add(array)
                origin = ""
                if array in headings:
                    yield Heading(headings[array])
                if array in sparse:
                    yield Zeros(array, sparse[array])
            if array in sparse and result.value.is_zero:
                continue
            note = result.origin if result.origin != origin else ""
            origin = result.origin
            target = self._element(function.name, array, result.index)
            yield StoreElement(target, result.value, "" if array == "y" else note, array)

    def _element(self, function: str, array: str, index: int) -> str:
        """An element of an array that a function fills."""
        constant = self._nomenclature.constant
        width = len(self._program.coordinate_names)
        by_coordinates = function in ("fixed", "fixed_velocity") and array == "jacobian"
        if array in _MATRICES or by_coordinates:
            row, column = divmod(index, width)
            named = constant(_MATRICES[array], row) if array in _MATRICES else str(row)
            return f"{array}[ENTRY({named}, {constant(Vector.COORDINATES, column)})]"
        if array == "y" or function == "outputs_tangent":
            return f"{array}[{self._nomenclature.outputs[index]}]"
        vector = _CHANGES.get(function) if array == "change" else _ELEMENTS.get(array)
        if vector is None or function == "left_out":
            return f"{array}[{index}]"
        return f"{array}[{constant(vector, index)}]"

    # --- exact steps ---------------------------------------------------------------------------------

    def solve(self, solve: SolveFunction) -> FunctionText:
        """A function that solves the steps of a block in order; false where a guard fails."""
        printer = CPrinter(self._names(solve.leaves))
        numbers, names = count(), Names()
        statements = [
            statement for step in solve.steps for statement in self._step(step, solve, names, numbers)
        ]
        body = [printer.write(statement) for statement in statements]
        read = self._leaves_read(body, solve.leaves)
        declared = _declarations(read, without={"q", "e"})
        turned = any(step.unknown in self._program.turning for step in solve.steps)
        anchored = any(step.is_angle for step in solve.steps)
        sines = turned or any(leaf.vector is Vector.SINES for leaf in read)
        used = {"at": bool(declared), "anchors": anchored, "e": sines}
        unused = [f"(void){name};" for name, needed in used.items() if not needed]
        lines = [line for written in body for line in written.lines]
        return FunctionText(
            _title(f"exact solution of {solve.purpose}", solve.operations),
            f"static bool model_{solve.name}({_SOLVE})",
            [*unused, *declared, *lines, "return true;"],
            _called(body),
        )

    def _step(
        self, step: StepCode, solve: SolveFunction, names: Names, numbers: Iterator[int]
    ) -> Iterator[Statement]:
        """The statements of a step; its temporaries take the next ``numbers``."""
        unknown = self._unknown(step.unknown)
        yield Heading(f"{self._program.coordinate_names[step.unknown]}: {equation_of(step)}")
        if step.is_angle:
            yield Text(f"const Anchor *const {unknown.anchor} = &anchors[{unknown.place}];")
        if step.root is not None:
            sine, cosine = unknown.expected
            yield Text(f"double {sine}, {cosine}, {unknown.root};")
            yield Text(f"exact_predict({unknown.anchor}, {unknown.value}, &{sine}, &{cosine});")
        yield from self._temporaries(step.temporaries, solve.leaves, names, numbers)
        if step.helper:
            listed = step.helper in ("exact_polynomial", "exact_half_angle")
            yield Require(step.helper, step.arguments, _after_arguments(step, unknown), listed)
        yield from self._temporaries(step.after, solve.leaves, names, numbers)
        targets = (unknown.sine, unknown.cosine) if step.is_angle else (unknown.value,)
        for target, result in zip(targets, step.results, strict=False):
            yield StoreElement(target, result)
        if step.check:
            yield Require(step.check, (), _check_arguments(step, unknown))
        if step.is_angle:
            yield Text(f"exact_turn({unknown.anchor}, {unknown.sine}, {unknown.cosine}, &{unknown.value});")
        elif unknown.place is not None:  # later steps read its sine and cosine
            yield Text(f"circle_of({unknown.value}, &{unknown.sine}, &{unknown.cosine});")

    def _unknown(self, coordinate: int) -> _Unknown:
        names, turning = self._nomenclature, self._program.turning
        value = f"q[{names.constant(Vector.COORDINATES, coordinate)}]"
        if coordinate not in turning:
            return _Unknown(value)
        place, word = turning.index(coordinate), names.turning(coordinate)
        sine, cosine = (f"e[{names.constant(Vector.SINES, 2 * place + k)}]" for k in (0, 1))
        expected = (f"expected_sin_{word}", f"expected_cos_{word}")
        return _Unknown(value, place, sine, cosine, f"anchor_{word}", expected, f"root_{word}")

    # --- equations of motion -------------------------------------------------------------------------

    def motion(self, name: str, motion: MotionCode) -> list[FunctionText]:
        """The embedded equations of motion, with a verdict of its guards; long ones call their parts."""
        statements = list(self._motion_statements(motion))
        printer = CPrinter(self._names(self._program.circles))
        body = [(statement, printer.write(statement)) for statement in statements]
        long = sum(written.size + 1 for _, written in body) > LONGEST_MOTION
        if long:
            return self._motion_in_parts(name, motion, list(chunks(body)))
        return [self._motion_text(name, motion, body)]

    def _motion_in_parts(
        self, name: str, motion: MotionCode, parts: Sequence[list[tuple[Statement, Written]]]
    ) -> list[FunctionText]:
        """Equations of motion as functions one after another, each with the verdict of its guards."""
        printer = CPrinter(self._names(self._program.circles))
        given, size = with_shared_array(parts, "w")
        texts, calls = [], [f"double w[{max(size, 1)}];", "MotionVerdict verdict = MOTION_GOOD, found;"]
        for number, statements in enumerate(given):
            body = [printer.write(statement) for statement in statements]
            read = self._leaves_read(body, self._program.circles)
            lines = [line for written in body for line in written.lines]
            declared = _declarations(read, without={"v", "a", "l"})
            unused = [f"(void){argument};" for argument in ("at", "largest", "pivots", "w", "v", "a", "l")]
            texts.append(
                FunctionText(
                    _title(f"equations of motion, part {number}"),
                    f"static MotionVerdict {name}_{number}(const ModelPoint *at, const double *largest, "
                    "double *restrict pivots, double *restrict w, double *restrict v, double *restrict a, "
                    "double *restrict l)",
                    [*declared, *unused, "MotionVerdict verdict = MOTION_GOOD;", *lines, "return verdict;"],
                    _called(body),
                )
            )
            calls += [
                f"found = {name}_{number}(at, largest, pivots, w, v, a, l);",
                *("if (found == MOTION_UNKNOWN) {", *_UNKNOWN, "}"),
                "verdict = found == MOTION_WEAK ? found : verdict;",
                *(_WITHOUT_MULTIPLIERS.lines if _WITHOUT_MULTIPLIERS in statements else ()),
            ]
        whole = FunctionText(
            _title(_MOTION, motion.operations),
            _motion_prototype(name),
            [*calls, "return verdict;"],
            frozenset(),
        )
        return [*texts, whole]

    def _motion_text(
        self, name: str, motion: MotionCode, written_out: Sequence[tuple[Statement, Written]]
    ) -> FunctionText:
        statements, body = [each for each, _ in written_out], [written for _, written in written_out]
        read = self._leaves_read(body, self._program.circles)
        stored = {each.array for each in statements if isinstance(each, StoreElement)}
        used = stored | {LETTERS[leaf.vector] for leaf in read if leaf.vector in LETTERS}
        prologue = _declarations(read, without={"v", "a", "l"}) or ["(void)at;"]
        prologue += [f"(void){vector};" for vector in "val" if vector not in used]
        prologue += [] if motion.pivots else ["(void)largest;", "(void)pivots;"]
        lines = [line for written in body for line in written.lines]
        return FunctionText(
            _title(_MOTION, motion.operations),
            _motion_prototype(name),
            [*prologue, "MotionVerdict verdict = MOTION_GOOD;", *lines, "return verdict;"],
            _called(body),
        )

    def _motion_statements(self, motion: MotionCode) -> Iterator[Statement]:
        numbers, pivots, names = count(), count(), Names()
        labels = Labels(motion.labels)
        for place, stage in enumerate(motion.stages):
            if place == motion.before_multipliers:
                yield _WITHOUT_MULTIPLIERS
            yield Heading(stage.title)
            circles = self._program.circles
            yield from self._temporaries(stage.temporaries, circles, names, numbers, labels)
            for guard in stage.guards:
                if guard.factor:
                    yield Pivot(next(pivots), guard.value, guard.factor, guard.ease)
                else:
                    yield Condition(guard.value, 0.0, "return MOTION_UNKNOWN;")
            for result in stage.results:
                target = self._element("motion", result.array, result.index)
                yield StoreElement(target, result.value, "", result.array)

    # --- names ---------------------------------------------------------------------------------------

    def _temporaries(
        self,
        nodes: Sequence[Expr],
        leaves: dict[Expr, Leaf],
        names: Names,
        numbers: Iterator[int],
        labels: Labels | None = None,
    ) -> Iterator[Statement]:
        """Temporaries; those without a name of their own take the next ``numbers``."""
        for node in nodes:
            wanted = self._nomenclature.temporary(node, leaves)
            name = f"w{next(numbers)}" if wanted is None else names.new(wanted)
            yield Temporary(name, node, "" if labels is None else labels.of(node))

    def _names(self, leaves: dict[Expr, Leaf]) -> dict[Expr, str]:
        return self._texts | {node: self._nomenclature.text(leaf) for node, leaf in leaves.items()}

    def _leaves_read(self, body: Iterable[Written], leaves: dict[Expr, Leaf]) -> set[Leaf]:
        known = ChainMap(leaves, self._program.leaves)
        return {known[node] for written in body for node in written.read if node in known}


_MOTION = "velocities, accelerations and multipliers from the independent velocities"
_UNKNOWN = ("    return MOTION_UNKNOWN;",)
_WITHOUT_MULTIPLIERS = Unless("l", "verdict")


def _motion_prototype(name: str) -> str:
    # What is written is never read through ``at``: sin(q), cos(q) on both sides of a write are one call.
    return (
        f"static MotionVerdict {name}(const ModelPoint *at, const double *largest, "
        "double *restrict pivots, double *restrict v, double *restrict a, double *restrict l)"
    )


@dataclass(frozen=True)
class _Unknown:
    """What a step calls its unknown. If it turns: its place among the turning coordinates, and what belongs
    to the solution of an angle."""

    value: str
    place: int | None = None
    sine: str = ""
    cosine: str = ""
    anchor: str = ""
    expected: tuple[str, str] = ("", "")
    root: str = ""


def _after_arguments(step: StepCode, unknown: _Unknown) -> tuple[str, ...]:
    """The arguments of a helper of the runtime after its coefficients: mostly where it writes its result."""
    if step.root is not None:
        return (f"&{unknown.root}",)
    if step.helper == "exact_half_angle":
        return (unknown.anchor, unknown.value, f"&{unknown.sine}", f"&{unknown.cosine}")
    return () if step.results else (f"&{unknown.value}",)


def _check_arguments(step: StepCode, unknown: _Unknown) -> tuple[str, ...]:
    expected = (unknown.anchor, unknown.value) if step.check == "exact_expected" else ()
    return (*expected, unknown.sine, unknown.cosine)


def _title(purpose: str, operations: Operations | None = None) -> str:
    """The comment above a function."""
    counted = "" if operations is None else f" {str(operations).capitalize()}."
    return comment(f"{purpose[0].upper()}{purpose[1:]}.{counted}")


def _declarations(read: Iterable[Leaf], without: Iterable[str]) -> list[str]:
    """Declarations of what is read from the point; vectors ``without`` are arguments themselves."""
    # Changes are read from the direction itself: pointers to each of its vectors would take registers.
    vectors = {leaf.vector for leaf in read if not leaf.change}
    lines = [
        f"const double *const {letter} = at->{vector.value};"
        for vector, letter in LETTERS.items()
        if vector in vectors and letter not in without
    ]
    return [*lines, "const double t = at->time;"] if Vector.TIME in vectors else lines


def _used(read: Iterable[Leaf], statements: Iterable[Statement]) -> set[str]:
    """The arguments that statements use: arrays that they fill, parameters, a direction, temporaries."""
    used = {each.array for each in statements if isinstance(each, StoreElement | Zeros)}
    used |= {"w" for each in statements if isinstance(each, Temporary)}
    used |= {"p" for leaf in read if leaf.vector is Vector.PARAMETERS}
    return used | {"along" for leaf in read if leaf.change}


def _sparse_arrays(results: Sequence[Result]) -> dict[str, int]:
    """The lengths of the arrays that have many zeros."""
    zeros = Counter(result.array for result in results if result.value.is_zero)
    return {
        array: 1 + max(result.index for result in results if result.array == array)
        for array, number in zeros.items()
        if number > _FEW_ZEROS
    }


def _called(body: Iterable[Written]) -> frozenset[str]:
    return frozenset[str]().union(*(written.called for written in body))
