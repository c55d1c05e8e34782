"""A flexible body that the project does not have: a planar beam with shapes that are clamped at its base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from fmugen.components.base import State, component, points, value
from fmugen.components.bodies import Body, RigidBody
from fmugen.components.measures import Reading
from fmugen.components.site import Site
from fmugen.expr.affine import Affine, AffineScalar
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import scale3
from fmugen.ir.element import GROUND, Point
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Displacement, Edge, EdgeConstraint, Rotation, Work
from fmugen.ir.motion import Motion

SHAPES = 3
_Polynomial = list[Fraction]


def _product(a: _Polynomial, b: _Polynomial) -> _Polynomial:
    found = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return found


def _derivative(a: _Polynomial) -> _Polynomial:
    return [n * x for n, x in enumerate(a)][1:]


def _integral(a: _Polynomial) -> Fraction:
    return sum((x / (n + 1) for n, x in enumerate(a)), Fraction(0))


@cache
def shapes() -> list[_Polynomial]:
    """x^2, x^3, ...: the lateral displacement of a beam whose base is clamped, at x of its length."""
    return [[Fraction(0)] * (k + 2) + [Fraction(1)] for k in range(SHAPES)]


@cache
def integrals() -> dict[str, list[list[Fraction]]]:
    """The integrals over the length, for a beam of unit length, mass and rigidity."""
    first = [_derivative(shape) for shape in shapes()]
    second = [_derivative(each) for each in first]

    def table(a: list[_Polynomial], weight: Sequence[Fraction | int]) -> list[list[Fraction]]:
        w = [Fraction(x) for x in weight]
        return [[_integral(_product(_product(x, y), w)) for y in a] for x in a]

    one = [1]
    return {
        "c1": [[_integral(shape) for shape in shapes()]],
        "c2": [[_integral(_product(shape, [Fraction(0), Fraction(1)])) for shape in shapes()]],
        "M": table(shapes(), one),
        "K": table(second, one),
        "Ka": table(first, [1, -1]),
        "Kw": table(first, [Fraction(1, 2), 0, Fraction(-1, 2)]),
        "H": table(first, one),
    }


def enter_beam() -> None:
    """Enter the type into the registry."""

    @component
    class Beam(Body):
        """A planar beam with its frame at the base, bending only, with foreshortening of second order."""

        type = "bending_beam"
        mass: Formula = value("kg", "mass")
        length: Formula = value("m", "length")
        rigidity: Formula = value("N.m2", "bending stiffness EI")
        points: tuple[Point, ...] = points("points; they are at the tip")

        def frames(self, name: str) -> Iterator[tuple[str, str]]:
            yield name, name
            yield from ((f"{name}.{point.name}",) * 2 for point in self.points)

        def own_coordinates(self, *, planar: bool) -> Iterator[State]:
            yield from (State(f"e{k}", "m") for k in range(1, SHAPES + 1))

        def readings(self, *, planar: bool) -> Iterator[Reading]:
            return RigidBody(mass=self.mass, points=self.points).readings(planar=planar)

        def build(self, at: Site) -> Iterator[Edge | EdgeConstraint | Work]:
            m, length, rigidity = at[self.mass], at[self.length], at[self.rigidity]
            gravity = at.vector(at.context.model.gravity)
            bending = tuple(at.freedom(each.name, each.unit) for each in self.own_coordinates(planar=True))
            tables = integrals()
            factors = {"c1": m, "c2": m * length, "M": m, "K": rigidity / length**3, "Kw": m}
            factors |= {"Ka": m / length, "H": 1 / length}
            scaled = {key: [[x * factors[key] for x in row] for row in rows] for key, rows in tables.items()}
            zero = at.zero

            def form(name: str, a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
                rows = scaled[name]
                total = zero
                for i, row in enumerate(rows):
                    for j, entry in enumerate(row):
                        total = total + a[i] * entry * b[j]
                return total

            def linear(name: str, b: Sequence[Expr]) -> Expr:
                return sum((x * y for x, y in zip(scaled[name][0], b, strict=True)), start=zero)

            class Moving:
                """What all laws read."""

                def __init__(self, motion: Motion) -> None:
                    names = [f"e{k}" for k in range(1, SHAPES + 1)]
                    self.q = [motion.freedom(name) for name in names]
                    self.dq = [motion.freedom(name, 1) for name in names]
                    self.ddq = [motion.second(name) for name in names]
                    felt = motion.acceleration() - motion.vector(gravity, GROUND)
                    self.ax, self.ay, _ = motion.components(felt)
                    self.alpha = motion.components(motion.alpha())[2]
                    self.w = motion.omega()[2]
                    self.sx = m * length / 2 - form("Ka", self.q, self.q) / 2
                    self.sy = linear("c1", self.q)
                    self.none = self.ax * 0

                def over(self, name: str, left: Sequence[Expr] | None = None) -> AffineScalar:
                    """A sum over the second derivatives of the freedoms."""
                    rows = scaled[name]
                    total = self.none
                    for j, second in enumerate(self.ddq):
                        if left is None:
                            factor = rows[0][j]
                        else:
                            factor = sum((left[i] * rows[i][j] for i in range(SHAPES)), start=zero)
                        total = total + second * factor
                    return total

            def force(motion: Motion) -> Affine:
                at_ = Moving(motion)
                q, dq, w = at_.q, at_.dq, at_.w
                fx = at_.ax * m - at_.alpha * at_.sy - w**2 * at_.sx - 2 * w * linear("c1", dq)
                fx = fx - at_.over("Ka", q) - form("Ka", dq, dq)
                fy = at_.ay * m + at_.alpha * at_.sx - w**2 * at_.sy - 2 * w * form("Ka", q, dq)
                fy = fy + at_.over("c1")
                return motion.composed((-fx, -fy, at_.none))

            def torque(motion: Motion) -> Affine:
                at_ = Moving(motion)
                q, dq, w = at_.q, at_.dq, at_.w
                inertia = m * length**2 / 3 + form("M", q, q) - form("Kw", q, q)
                total = at_.ay * at_.sx - at_.ax * at_.sy + at_.alpha * inertia
                total = total + 2 * w * (form("M", q, dq) - form("Kw", q, dq)) + at_.over("c2")
                return motion.composed((at_.none, at_.none, -total)) - motion.moments()

            def bent(motion: Motion) -> list[AffineScalar]:
                at_ = Moving(motion)
                found = []
                for i in range(SHAPES):
                    unit = [zero] * SHAPES
                    unit[i] = zero + 1
                    c1, c2 = scaled["c1"][0][i], scaled["c2"][0][i]
                    total = at_.over("M", unit) + at_.ay * c1 - at_.ax * form("Ka", unit, at_.q)
                    total = total + at_.alpha * c2 + form("K", unit, at_.q)
                    total = total + at_.w**2 * (form("Kw", unit, at_.q) - form("M", unit, at_.q))
                    found.append(-total)
                return found

            # Laws of rotation read the acceleration of the base, which is the head of the translational edge.
            free = Displacement(GROUND, at.null, at.slides(at.name, at.directions))
            yield at.edge(free, force, tail=GROUND, head=at.name)
            yield at.edge(Rotation(at.attitude("")), torque, tail=GROUND, head=at.name)
            q = [freedom.position for freedom in bending]
            ends = [sum(shape) for shape in shapes()]
            slopes = [sum(_derivative(shape)) for shape in shapes()]
            tip_y = sum((e * x for e, x in zip(ends, q, strict=True)), start=zero)
            slope = sum((e * x for e, x in zip(slopes, q, strict=True)), start=zero) / length
            way = (length - form("H", q, q) / 2, tip_y, zero)
            for point in self.points:
                turn = at.turn(at.z, at.x, slope, moves=False)
                yield from at.flexible_arm(f"{at.name}.{point.name}", scale3(1, way), (turn,))
            yield Work(at.name, bending, bent)
