"""The nomenclature of generated C: what the elements of vectors and the temporaries of functions are called.

An element of a vector is read by a constant that is named after it in the model: ``q[M1_ANGLE]`` is the
coordinate ``m1.angle``, ``v[M1_ANGLE]`` its velocity. Expressions that are simple enough are named after what
they consist of: ``HALF_CRANK_LENGTH``, ``sin_m1``, ``m1_omega_squared``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fmugen.expr.code import print_expression
from fmugen.expr.dag import Expr, Operation
from fmugen.ir.fmu import FmuDescription, Variable
from fmugen.ir.program import Leaf, Program, Vector
from fmugen.phases.emit.c import comment

__all__ = ["LETTERS", "Group", "Names", "Nomenclature", "expanded_size", "identifier", "lines_of"]

#: What vectors are called in functions, in the order of their declarations.
LETTERS = {
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
#: Vectors whose elements go by the constants of another one.
_SHARED = {Vector.VELOCITIES: Vector.COORDINATES, Vector.ACCELERATIONS: Vector.COORDINATES}
#: Macros of the headers that generated code includes, in any C library, and of generated code itself.
_RESERVED = """
NULL TRUE FALSE NAN INFINITY HUGE HUGE_VAL HUGE_VALF HUGE_VALL MAXFLOAT DOMAIN SING OVERFLOW UNDERFLOW PLOSS
TLOSS X_TLOSS I EOF ENTRY M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI
M_SQRT2 M_SQRT1_2 SNAN
"""
_RESERVED_PREFIXES = (
    *("CIRCULAR_", "CLOSURE_", "COORDINATE_", "DBL_", "DECIMAL_", "EXACT_", "FLT_", "FP_", "LDBL_"),
    *("MATH_", "MODEL_", "MOTION_", "SOLVER_"),
)
#: A longer name is replaced by a number: its formula beside it is easier to read.
_LONGEST = 32
_FACTORS = {Fraction(1, 2): "half", Fraction(2): "twice", Fraction(1, 4): "quarter_of", Fraction(-1): "minus"}


def identifier(name: str) -> str:
    """A C identifier for a name of the model, in small letters.

    >>> identifier("m1.angle"), identifier("s11, normal"), identifier("3 phases")
    ('m1_angle', 's11_normal', 'n3_phases')
    """
    plain = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in name)
    words = "_".join(plain.lower().split()) or "unnamed"
    return f"n{words}" if words[0].isdigit() else words


class Names:
    """Names that are all different: of equal ones, the second gets the number 2."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        base = f"N_{wanted}" if wanted.startswith(_RESERVED_PREFIXES) else wanted
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


@dataclass(frozen=True)
class Group:
    """Constants of one vector, each with its index and what it stands for."""

    title: str
    constants: tuple[tuple[str, int, str], ...]


class Nomenclature:
    """The names of a program."""

    def __init__(self, program: Program, description: FmuDescription) -> None:
        self._program = program
        leaves = program.leaves.items()
        self._parameters = {node: leaf.name for node, leaf in leaves if leaf.vector is Vector.PARAMETERS}
        self._names = Names(_RESERVED.split())
        self._constants: dict[Vector, dict[int, str]] = {}
        self.groups: list[Group] = []
        coordinates = list(zip(program.coordinate_names, program.coordinate_units, strict=True))
        rates = {leaf.index: leaf.name for leaf in self._of(Vector.VELOCITIES)}
        self._add(Vector.PARAMETERS, "parameters p", map(_variable, description.parameters))
        self._add(Vector.INPUTS, "inputs u", map(_variable, description.inputs))
        self._add(
            Vector.COORDINATES,
            "coordinates q, velocities v, accelerations a",
            ((name, f"{name}, {unit}; velocity {rates[i]}") for i, (name, unit) in enumerate(coordinates)),
        )
        rows = [(name, name) for name in program.constraint_names]
        self._add(Vector.MULTIPLIERS, "constraints phi, multipliers l", rows)
        self._add_sines()
        network = program.network
        states = zip(network.states, network.state_units, strict=True)
        self._add(
            Vector.STATES, "states x of the network", ((name, f"{name}, {unit}") for name, unit in states)
        )
        self._add(Vector.UNKNOWNS, "iterated unknowns z of the network", [(n, n) for n in network.unknowns])
        self._add(Vector.TURNS, "angles g whose turns are counted", [(n, n) for n in program.angles])
        self._add_derived()
        outputs = [(f"y {variable.name}", _variable(variable)[1]) for variable in description.calculated]
        self.outputs = self._numbered("calculated variables y", outputs)

    def _of(self, vector: Vector) -> list[Leaf]:
        leaves = self._program.leaves.values()
        return [leaf for leaf in leaves if leaf.vector is vector and not leaf.change]

    def _add(self, vector: Vector, title: str, members: Iterable[tuple[str, str]]) -> None:
        self._constants[vector] = self._numbered(title, members)

    def _numbered(self, title: str, members: Iterable[tuple[str, str]]) -> dict[int, str]:
        found = [
            (self._names.new(identifier(name).upper()), i, note) for i, (name, note) in enumerate(members)
        ]
        if found:
            self.groups.append(Group(title, tuple(found)))
        return {index: constant for constant, index, _ in found}

    def _add_sines(self) -> None:
        turning = [self._program.coordinate_names[i] for i in self._program.turning]
        members = [
            (f"{short} {_angle(name)}", f"{function} of {name}")
            for name in turning
            for short, function in (("sin", "sine"), ("cos", "cosine"))
        ]
        self._add(Vector.SINES, "sines and cosines e of coordinates", members)

    def _add_derived(self) -> None:
        named = []
        for node, leaf in self._program.leaves.items():
            if leaf.vector is Vector.DERIVED:
                name = _simple(node, self._word)
                if name is not None:
                    named.append((self._names.new(name.upper()), leaf.index, self.formula(node)))
        if named:
            title = "expressions d of parameters that have a name; all of them: model_derive"
            self.groups.append(Group(title, tuple(named)))
        self._constants[Vector.DERIVED] = {index: constant for constant, index, _ in named}

    # --- elements --------------------------------------------------------------------------------------

    def constant(self, vector: Vector, index: int) -> str:
        """The index of an element: a constant, or a number where it has no name."""
        return self._constants.get(_SHARED.get(vector, vector), {}).get(index, str(index))

    def turning(self, coordinate: int) -> str:
        """The base of the names of the sine and the cosine of a coordinate."""
        place = self._program.turning.index(coordinate)
        return self._constants[Vector.SINES][2 * place].lower().removeprefix("sin_")

    def text(self, leaf: Leaf) -> str:
        """How code reads a leaf."""
        match leaf.vector:
            case Vector.UNDETERMINED:
                return "0.0"
            case Vector.TIME:
                return "along->time" if leaf.change else "t"
            case Vector.EXPECTED_SINES:
                return f"expected_sin_{self.turning(leaf.index)}"
            case Vector.EXPECTED_COSINES:
                return f"expected_cos_{self.turning(leaf.index)}"
            case Vector.ROOTS:
                return f"root_{self.turning(leaf.index)}"
            case _:
                element = f"[{self.constant(leaf.vector, leaf.index)}]"
                return (
                    f"along->{leaf.vector.value}{element}" if leaf.change else LETTERS[leaf.vector] + element
                )

    # --- expressions -----------------------------------------------------------------------------------

    def temporary(self, node: Expr, leaves: Mapping[Expr, Leaf]) -> str | None:
        """The name of a temporary that is simple enough for one."""
        return _simple(node, lambda each: self._word(each, leaves))

    def _word(self, node: Expr, leaves: Mapping[Expr, Leaf] | None = None) -> str | None:
        """The name of a leaf within names of expressions."""
        leaf = (leaves or {}).get(node) or self._program.leaves.get(node)
        if leaf is None or leaf.change or leaf.vector in (Vector.UNDETERMINED, Vector.SIGNS):
            return None
        if leaf.vector in (Vector.EXPECTED_SINES, Vector.EXPECTED_COSINES, Vector.ROOTS):
            return self.text(leaf)
        if leaf.vector is Vector.MULTIPLIERS:
            return f"lambda_{identifier(leaf.name)}"
        if leaf.vector is Vector.SINES:
            return f"{'cos' if leaf.index % 2 else 'sin'}_{identifier(_angle(leaf.name))}"
        if leaf.vector is Vector.DERIVED:
            return self._constants.get(leaf.vector, {}).get(leaf.index, "").lower() or None
        return identifier(leaf.name)

    def formula(self, node: Expr) -> str:
        """An expression of parameters in full, in the names of the model."""
        return print_expression(node, self._parameters)


def _variable(variable: Variable) -> tuple[str, str]:
    """The name of a variable and its meaning; the name only if the constant does not contain it."""
    name = "" if identifier(variable.name) == variable.name else variable.name
    unit = "" if variable.unit in ("", "1") else variable.unit
    known = ", ".join(part for part in (name, unit) if part)
    return variable.name, ": ".join(part for part in (known, variable.description) if part)


def _angle(name: str) -> str:
    """The argument of the sine of a coordinate; ``m1`` stands for its angle."""
    return name.removesuffix(".angle")


_Word = Callable[[Expr], str | None]
#: Sums of more angles than this have names that are too long, and their terms take long to look through.
_MOST_ANGLES = 4


def _simple(node: Expr, word: _Word) -> str | None:
    """The name of an expression of one or two leaves, if it is not too long."""
    name = _name_of(node, word)
    return name if name is not None and len(name) <= _LONGEST else None


def _name_of(node: Expr, word: _Word, angles: int = _MOST_ANGLES) -> str | None:
    match node.operation:
        case Operation.CALL if node.name in ("sin", "cos"):
            argument = word(node.args[0])
            return argument and f"{node.name}_{argument.removesuffix('_angle')}"
        case Operation.POWER:
            return _power_name(word(node.args[0]), node.exponent)
        case Operation.MUL if len(node.args) > 1:
            return _multiple_name(node.args, word)
        case Operation.ADD if len(node.args) == 2:
            first, second = map(word, node.args)
            return f"{first}_plus_{second}" if first and second else _of_two_angles(node.args, word, angles)
    return None


def _multiple_name(factors: Sequence[Expr], word: _Word) -> str | None:
    """A product, which may begin with a number."""
    if not factors[0].is_number:
        return _product_name(factors, word)
    number = _FACTORS.get(Fraction(factors[0].number))
    rest = _product_name(factors[1:], word)
    return f"{number}_{rest}" if number and rest else None


#: A sine or cosine of an angle.
_Circle = tuple[str, str]
#: The products of two sines or cosines in a sum, each with its sign.
_Products = dict[frozenset[_Circle], int]


def _of_two_angles(terms: Sequence[Expr], word: _Word, angles: int) -> str | None:
    """The sine or cosine of a sum or difference: ``cos a sin b - sin a cos b`` is ``sin_b_minus_a``."""
    if angles < 2:
        return None
    found = [product for term in terms if (product := _circles(term, word, angles - 1)) is not None]
    products = {frozenset(circles): sign for sign, circles in found}
    both = sorted({angle for circles in products for _, angle in circles})
    if len(products) != len(terms) or len(both) != 2:
        return None
    theorems = _addition_theorems(*both)
    return next((name for name, expanded in theorems.items() if expanded == products), None)


def _addition_theorems(a: str, b: str) -> dict[str, _Products]:
    """The sines and cosines of sums and differences of two angles, each with its expansion."""
    sin_a, cos_a, sin_b, cos_b = ("sin", a), ("cos", a), ("sin", b), ("cos", b)
    of_a, of_b = frozenset({sin_a, cos_b}), frozenset({cos_a, sin_b})
    cosines, sines = frozenset({cos_a, cos_b}), frozenset({sin_a, sin_b})
    return {
        f"sin_{a}_plus_{b}": {of_a: 1, of_b: 1},
        f"sin_{a}_minus_{b}": {of_a: 1, of_b: -1},
        f"sin_{b}_minus_{a}": {of_a: -1, of_b: 1},
        f"cos_{a}_minus_{b}": {cosines: 1, sines: 1},
        f"cos_{a}_plus_{b}": {cosines: 1, sines: -1},
    }


def _circles(term: Expr, word: _Word, angles: int) -> tuple[int, list[_Circle]] | None:
    """The sign of a product of two sines or cosines, and each of them with its angle."""
    sign, found = 1, []
    factors = [term]
    for factor in factors:
        if factor.operation is Operation.MUL:
            factors.extend(factor.args)
        elif factor.is_number and factor.number in (1, -1):
            sign *= int(factor.number)
        elif (name := word(factor) or _name_of(factor, word, angles)) and name.startswith(("sin_", "cos_")):
            found.append((name[:3], name[4:]))
            if len(found) > 2:
                return None
        else:
            return None
    return (sign, found) if len(found) == 2 else None


def _power_name(base: str | None, exponent: int) -> str | None:
    if base is None or abs(exponent) > 2:
        return None
    squared = f"{base}_squared" if abs(exponent) == 2 else base
    return f"inverse_{squared}" if exponent < 0 else squared


def _product_name(factors: Sequence[Expr], word: _Word) -> str | None:
    """One factor, or two: ``a_times_b``, ``a_by_b``."""
    if len(factors) > 2:
        return None
    names = []
    for factor in factors:
        power = factor.operation is Operation.POWER
        base, exponent = (factor.args[0], factor.exponent) if power else (factor, 1)
        name = word(base)
        if name is None or exponent not in (1, 2, -1):
            return None
        names.append((exponent < 0, f"{name}_squared" if exponent == 2 else name))
    above, below = ([name for down, name in names if down is side] for side in (False, True))
    if not below:
        return "_times_".join(above)
    return f"{'_times_'.join(above)}_by_{below[0]}" if above and len(below) == 1 else _inverse(below)


def _inverse(below: Sequence[str]) -> str | None:
    return f"inverse_{below[0]}" if len(below) == 1 else None


def expanded_size(node: Expr, limit: int) -> int:
    """The number of leaves of an expression that is written in full, or more than ``limit``."""
    sizes: dict[Expr, int] = {}

    def size(each: Expr) -> int:
        if each not in sizes:
            sizes[each] = min(sum(map(size, each.args)) or 1, limit + 1)
        return sizes[each]

    return size(node)


def lines_of(group: Group) -> Iterator[str]:
    """The constants of a group, one a line, their notes below each other."""
    texts, expected = [], 0
    for constant, index, note in group.constants:
        texts.append((constant if index == expected else f"{constant} = {index}", note))
        expected = index + 1
    width = min(max(len(text) for text, _ in texts), _LONGEST) + 1
    for text, note in texts:
        yield f"{text + ',':<{width}} /* {comment(note)} */" if note else f"{text},"
