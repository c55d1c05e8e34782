"""A planar skeleton as C, by Kane's method of sympy.

The equations of the tree of joints in relative coordinates, the accelerations of the loops, and common
subexpressions: M a + G' l = f, G a = g, to be solved as one linear system.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from element_views import JointType
from sympy.physics.mechanics import (
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

from bench.peers.skeleton import Array, Link, Skeleton

__all__ = ["kane_source"]

_Q, _V = "q", "v"


class _Tree:
    """Frames, points and coordinates of the bodies, added joint by joint."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.ground = ReferenceFrame("N")
        self.origin = Point("O")
        self.origin.set_vel(self.ground, 0)
        self.coordinates = dynamicsymbols(f"{_Q}:{len(skeleton.tree)}", real=True)
        self.speeds = dynamicsymbols(f"{_V}:{len(skeleton.tree)}", real=True)
        self.frames = {-1: self.ground}
        self.centers = {-1: self.origin}
        for link, q, v in zip(skeleton.tree, self.coordinates, self.speeds, strict=True):
            self._add(link, q, v)

    def _add(self, link: Link, q: sympy.Expr, v: sympy.Expr) -> None:
        tail, ground = self.frames[link.tail], self.ground
        name = self.skeleton.bones[link.head].name
        pin = self.place(link, link.tail)
        frame = ReferenceFrame(name)
        if link.type is JointType.REVOLUTE:
            frame.orient_axis(tail, q, tail.z)
            frame.set_ang_vel(tail, v * tail.z)
        elif link.type is JointType.PRISMATIC:
            frame.orient_axis(tail, 0, tail.z)
            frame.set_ang_vel(tail, 0)
            along = _vector(tail, link.axes[0])
            slid = pin.locatenew(f"{link.name}_slid", q * along)
            turning = tail.ang_vel_in(ground).cross(q * along)
            slid.set_vel(ground, pin.vel(ground) + turning + v * along)
            pin = slid
        else:
            raise ValueError(f"{link.name}: no {link.type.value} joint in the plane")
        arm = self.skeleton.bones[link.head].center - link.place
        center = pin.locatenew(f"{name}_center", _vector(frame, arm))
        center.v2pt_theory(pin, ground, frame)
        self.frames[link.head], self.centers[link.head] = frame, center

    def place(self, link: Link, bone: int) -> Point:
        """The point of a body at which a joint sits."""
        frame, center = self.frames[bone], self.centers[bone]
        origin = 0 if bone < 0 else self.skeleton.bones[bone].center
        point = center.locatenew(f"{link.name}_{bone}", _vector(frame, link.place - origin))
        point.v2pt_theory(center, self.ground, frame)
        return point

    def equations(self) -> tuple[sympy.Matrix, sympy.Matrix]:
        """Mass matrix and forces of the tree."""
        bodies, loads = [], []
        for index, bone in enumerate(self.skeleton.bones):
            frame, center = self.frames[index], self.centers[index]
            spin = inertia(frame, 0, 0, _number(bone.inertia[2, 2]))
            mass = _number(bone.mass)
            bodies.append(RigidBody(bone.name, center, frame, mass, (spin, center)))
            loads.append((center, mass * _vector(self.ground, self.skeleton.gravity)))
        rates = [v - q.diff() for q, v in zip(self.coordinates, self.speeds, strict=True)]
        method = KanesMethod(self.ground, self.coordinates, self.speeds, kd_eqs=rates)
        method.kanes_equations(bodies, loads)
        return method.mass_matrix, method.forcing

    def closures(self) -> sympy.Matrix:
        """The gaps of all loops, along x and y."""
        gaps = []
        for link in self.skeleton.chords:
            gap = self.place(link, link.tail).pos_from(self.place(link, link.head))
            gaps += [gap.dot(self.ground.x), gap.dot(self.ground.y)]
        return sympy.Matrix(gaps)

    def positions(self) -> sympy.Matrix:
        axes = (self.ground.x, self.ground.y)
        centers = [self.centers[index].pos_from(self.origin) for index in range(len(self.skeleton.bones))]
        return sympy.Matrix([center.dot(axis) for center in centers for axis in axes])


def kane_source(skeleton: Skeleton) -> str:
    """C that defines N, M, BODIES and the functions ``terms`` and ``centers``."""
    tree = _Tree(skeleton)
    mass, force = tree.equations()
    gaps = tree.closures()
    jacobian = gaps.jacobian(tree.coordinates)
    speeds = sympy.Matrix(tree.speeds)
    bias = -(jacobian * speeds).jacobian(tree.coordinates) * speeds
    plain = {
        dynamic: sympy.Symbol(f"{letter}[{index}]", real=True)
        for letter, dynamics in ((_Q, tree.coordinates), (_V, tree.speeds))
        for index, dynamic in enumerate(dynamics)
    }
    size, rows = len(tree.coordinates), len(gaps)
    parts = {"mass": mass, "force": force, "jacobian": jacobian, "bias": bias}
    names = ", ".join(f'"{bone.name}"' for bone in skeleton.bones)
    signature = ", ".join(f"double *{name}" for name in parts)
    return "\n".join(
        [
            "/* Written from sympy's equations of Kane. */",
            "#include <math.h>",
            f"#define N {size}",
            f"#define M {rows}",
            f"#define BODIES {len(skeleton.bones)}",
            f"static const char *const names[] = {{{names}}};",
            f"static void terms(const double *q, const double *v, {signature})",
            "{",
            *_statements({name: part.xreplace(plain) for name, part in parts.items()}),
            "}",
            "static void centers(const double *q, double *place)",
            "{",
            *_statements({"place": tree.positions().xreplace(plain)}),
            "}",
            "",
        ]
    )


def _statements(parts: dict[str, sympy.Matrix]) -> Sequence[str]:
    """Common subexpressions first, then every entry of the matrices, row by row."""
    shared, reduced = sympy.cse(list(parts.values()), symbols=sympy.numbered_symbols("t"))
    lines = [f"    const double {name} = {sympy.ccode(value)};" for name, value in shared]
    for name, matrix in zip(parts, reduced, strict=True):
        lines += [f"    {name}[{index}] = {sympy.ccode(value)};" for index, value in enumerate(matrix)]
    return [line.replace("pow(", "POW(") for line in lines]


def _vector(frame: ReferenceFrame, components: Array) -> sympy.Expr:
    x, y = (_number(component) for component in components[:2])
    return x * frame.x + y * frame.y


def _number(value: float) -> sympy.Expr:
    """A number as it is; a zero that rounding has missed is zero."""
    return sympy.Integer(0) if abs(value) < 1e-14 else sympy.Float(float(value), 17)
