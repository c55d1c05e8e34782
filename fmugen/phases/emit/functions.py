"""Functions of a Program in C: their statements, and the declarations of what these read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from fmugen.expr.dag import Expr
from fmugen.expr.statements import Condition, Statement, Temporary, Written
from fmugen.ir.program import Function, Leaf, Motion, Program, Result, SolveFunction, StepCode, Vector
from fmugen.phases.emit.c import Attempt, CPrinter, Line, Pivot, Store, Zeros, comment

__all__ = ["FunctionText", "FunctionWriter"]

#: Functions with more names and numbers than this are cut into chunks: compilers take too long for them.
_LONGEST_FUNCTION = 2_000
#: More zeros than these are not written one by one.
_FEW_ZEROS = 8
#: What vectors are called in functions, in the order of their declarations.
_LETTERS = {
    Vector.PARAMETERS: "p",
    Vector.DERIVED: "d",
    Vector.INPUTS: "u",
    Vector.COORDINATES: "q",
    Vector.VELOCITIES: "v",
    Vector.ACCELERATIONS: "a",
    Vector.MULTIPLIERS: "l",
    Vector.SINES: "e",
    Vector.STATES: "x",
    Vector.UNKNOWNS: "z",
    Vector.SIGNS: "r",
    Vector.TURNS: "g",
}


@dataclass(frozen=True)
class FunctionText:
    """A function as the templates place it; ``called`` are the functions of formulas that it calls."""

    purpose: str
    prototype: str
    operations: str
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
    def passed(self) -> str:
        return ", ".join(["at" if self.at else "p", *(["along"] if self.along else []), *self.arrays])


_SIGNATURES = {
    "derive": _Signature(("d",), at=False),
    "constraints": _Signature(("phi",)),
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


class FunctionWriter:
    """Writes the functions of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    # --- functions of a point ------------------------------------------------------------------------

    def function(self, function: Function, storage: str) -> list[FunctionText]:
        """A function; a long one calls chunks that share its temporaries."""
        signature = _signature(function.name)
        whole = self._written(function, scratch=False)
        if sum(written.size for _, written in whole) + len(whole) <= _LONGEST_FUNCTION:
            return [self._function_text(function.name, function, storage, whole, signature, signature.text)]
        arguments, passed = signature.text, signature.passed
        calls = []
        if function.temporaries:
            arguments, passed = f"{arguments}, double *w", f"{passed}, w"
            calls.append(f"double w[{len(function.temporaries)}];")
        texts = []
        for number, chunk in enumerate(_chunks(self._written(function, scratch=True))):
            name = f"{function.name}_{number}"
            texts.append(
                self._function_text(name, function, "static void", chunk, signature, arguments, number)
            )
            calls.append(f"model_{name}({passed});")
        prototype = f"{storage} model_{function.name}({signature.text})"
        operations = str(function.operations)
        texts.append(FunctionText(comment(function.purpose), prototype, operations, calls, frozenset()))
        return texts

    def _written(self, function: Function, *, scratch: bool) -> list[tuple[Statement, Written]]:
        names = self._names(function.leaves)
        if function.name == "derive":
            # A parameter-only expression used by another one is read from the array once written.
            own = self._program.leaves.items()
            names = {node: names[node] for node, leaf in own if leaf.vector is not Vector.DERIVED}
        printer = CPrinter(names, scratch=scratch)
        temporary = "w[{}]" if scratch else "w{}"
        statements: list[Statement] = [
            Temporary(temporary.format(index), node) for index, node in enumerate(function.temporaries)
        ]
        statements += _stores(function.results)
        return [(statement, printer.write(statement)) for statement in statements]

    def _function_text(
        self,
        name: str,
        function: Function,
        storage: str,
        body: Sequence[tuple[Statement, Written]],
        signature: _Signature,
        arguments: str,
        part: int | None = None,
    ) -> FunctionText:
        statements = [statement for statement, _ in body]
        stored = {each.array for each in statements if isinstance(each, Store | Zeros)}
        read = self._leaves_read((written for _, written in body), function.leaves)
        purpose = function.purpose if part is None else f"{function.purpose}, part {part}"
        lines: list[str] = []
        if signature.at:
            own = {result.array for result in function.results}
            lines += _declarations(read, without=own) or ["(void)at;"]
        elif not read:
            lines.append("(void)p;")
        if signature.along and not any(leaf.change for leaf in read):
            lines.append("(void)along;")
        lines += [f"(void){array};" for array in signature.arrays if array not in stored]
        named = any(isinstance(each, Temporary) for each in statements)
        reads = any(node in written.read for node in function.temporaries for _, written in body)
        if part is not None and function.temporaries and not (named or reads):
            lines.append("(void)w;")
        return FunctionText(
            comment(purpose),
            f"{storage} model_{name}({arguments})",
            str(function.operations),
            lines + [line for _, written in body for line in written.lines],
            _called(written for _, written in body),
        )

    # --- exact steps ---------------------------------------------------------------------------------

    def solve(self, solve: SolveFunction) -> FunctionText:
        """A function that solves the steps of a block in order; false where a guard fails."""
        printer = CPrinter(self._names(solve.leaves))
        numbers = count()
        statements = [statement for step in solve.steps for statement in self._step(step, numbers)]
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
            comment(f"exact solution of {solve.purpose}"),
            f"static bool model_{solve.name}({_SOLVE})",
            str(solve.operations),
            [*unused, *declared, *lines, "return true;"],
            _called(body),
        )

    def _step(self, step: StepCode, numbers: Iterator[int]) -> Iterator[Statement]:
        """The statements of a step; its temporaries take the next ``numbers``."""
        i = step.unknown
        turning = self._program.turning
        place = turning.index(i) if i in turning else 0
        sine, cosine, anchor = f"e[{2 * place}]", f"e[{2 * place + 1}]", f"anchors[{place}]"
        if step.root is not None:
            yield Line(f"double s{i}, c{i}, r{i};")
            yield Line(f"exact_predict(&{anchor}, q[{i}], &s{i}, &c{i});")
        yield from _temporaries(step.temporaries, numbers)
        more: tuple[str, ...] = ()
        if step.root is not None:
            more = (f"&r{i}",)
        elif step.helper == "exact_half_angle":
            more = (f"&{anchor}", f"q[{i}]", f"&{sine}", f"&{cosine}")
        elif not step.results:
            more = (f"&q[{i}]",)
        if step.helper:
            listed = step.helper in ("exact_polynomial", "exact_half_angle")
            yield Attempt(step.helper, step.arguments, more, listed)
        yield from _temporaries(step.after, numbers)
        targets = (sine, cosine) if step.is_angle else (f"q[{i}]",)
        for target, result in zip(targets, step.results, strict=False):
            yield Store(target, result)
        if step.check:
            yield Attempt(step.check, (), (sine, cosine))
        if step.is_angle:
            yield Line(f"exact_turn(&{anchor}, {sine}, {cosine}, &q[{i}]);")
        elif i in turning:  # later steps read its sine and cosine
            yield Line(f"circle_of(q[{i}], &{sine}, &{cosine});")

    # --- equations of motion -------------------------------------------------------------------------

    def motion(self, name: str, motion: Motion) -> FunctionText:
        """The embedded equations of motion, with a verdict of its guards."""
        # What is written is never read through ``at``: sin(q), cos(q) on both sides of a write are one call.
        prototype = (
            f"static MotionVerdict {name}(const ModelPoint *at, const double *largest, "
            "double *restrict pivots, double *restrict v, double *restrict a, double *restrict l)"
        )
        printer = CPrinter(self._names(self._program.circles))
        statements = list(_motion_statements(motion))
        body = [printer.write(statement) for statement in statements]
        read = self._leaves_read(body, self._program.circles)
        stored = {each.array for each in statements if isinstance(each, Store)}
        used = stored | {_LETTERS[leaf.vector] for leaf in read if leaf.vector in _LETTERS}
        prologue = _declarations(read, without={"v", "a", "l"}) or ["(void)at;"]
        prologue += [f"(void){vector};" for vector in "val" if vector not in used]
        prologue += [] if motion.pivots else ["(void)largest;", "(void)pivots;"]
        lines = [line for written in body for line in written.lines]
        purpose = "velocities, accelerations and multipliers from the independent velocities"
        return FunctionText(
            purpose,
            prototype,
            str(motion.operations),
            [*prologue, "MotionVerdict verdict = MOTION_EASY;", *lines, "return verdict;"],
            _called(body),
        )

    # --- names ---------------------------------------------------------------------------------------

    def _names(self, leaves: dict[Expr, Leaf]) -> dict[Expr, str]:
        return {node: _leaf_text(leaf) for node, leaf in (self._program.leaves | leaves).items()}

    def _leaves_read(self, body: Iterable[Written], leaves: dict[Expr, Leaf]) -> set[Leaf]:
        known = self._program.leaves | leaves
        return {known[node] for written in body for node in written.read if node in known}


def _leaf_text(leaf: Leaf) -> str:
    match leaf.vector:
        case Vector.UNDETERMINED:
            return "0.0"
        case Vector.TIME:
            text = "t"
        case Vector.EXPECTED_SINES:
            text = f"s{leaf.index}"
        case Vector.EXPECTED_COSINES:
            text = f"c{leaf.index}"
        case Vector.ROOTS:
            text = f"r{leaf.index}"
        case _:
            text = f"{_LETTERS[leaf.vector]}[{leaf.index}]"
    return f"along->{text}" if leaf.change else text


def _declarations(read: Iterable[Leaf], without: Iterable[str]) -> list[str]:
    """Declarations of what is read from the point; vectors ``without`` are arguments themselves."""
    vectors = {leaf.vector for leaf in read if not leaf.change}
    lines = [
        f"const double *const {letter} = at->{letter};"
        for vector, letter in _LETTERS.items()
        if vector in vectors and letter not in without
    ]
    return [*lines, "const double t = at->t;"] if Vector.TIME in vectors else lines


def _called(body: Iterable[Written]) -> frozenset[str]:
    return frozenset[str]().union(*(written.called for written in body))


def _chunks(body: Sequence[tuple[Statement, Written]]) -> Iterator[list[tuple[Statement, Written]]]:
    chunk: list[tuple[Statement, Written]] = []
    size = 0
    for statement, written in body:
        if chunk and size + written.size >= _LONGEST_FUNCTION:
            yield chunk
            chunk, size = [], 0
        chunk.append((statement, written))
        size += written.size + 1  # what is assigned to
    yield chunk


def _temporaries(nodes: Sequence[Expr], numbers: Iterator[int]) -> Iterator[Statement]:
    for node, number in zip(nodes, numbers, strict=False):
        yield Temporary(f"w{number}", node)


def _motion_statements(motion: Motion) -> Iterator[Statement]:
    numbers, pivots = count(), count()
    for section in motion.sections:
        yield from _temporaries(section.temporaries, numbers)
        for guard in section.guards:
            if guard.factor:
                yield Pivot(next(pivots), guard.value, guard.factor, guard.ease)
            else:
                yield Condition(guard.value, 0.0, "return MOTION_UNKNOWN;")
        yield from _stores(section.results)


def _stores(results: Sequence[Result]) -> Iterator[Statement]:
    """One assignment a result; the zeros of a sparse array are written by a loop before all others."""
    zeros = Counter(result.array for result in results if result.value.is_zero)
    sparse = {array for array, number in zeros.items() if number > _FEW_ZEROS}
    for array in sorted(sparse):
        yield Zeros(array, 1 + max(result.index for result in results if result.array == array))
    origin = ""
    for result in results:
        if result.array in sparse and result.value.is_zero:
            continue
        note = result.origin if result.origin != origin else ""
        origin = result.origin
        yield Store(f"{result.array}[{result.index}]", result.value, note, result.array)
