"""A planar skeleton integrated by the solvers of SUNDIALS, with exact derivatives by CasADi.

CVODES integrates the accelerations that the loops leave; IDAS the accelerations and multipliers as algebraic
unknowns (index 1).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import process_time
from typing import Any

import numpy as np
from element_views import JointType

from bench.peers.skeleton import Array, Link, Skeleton

__all__ = ["casadi_integration"]


def casadi_integration(
    skeleton: Skeleton, solver: str, stop: float
) -> Callable[[float], tuple[float, Array]]:
    """What integrates to ``stop`` with a relative tolerance, a tenth of it absolute.

    It gives its CPU seconds, and the mass centres at the end, a row each.
    """
    import casadi as ca

    size = len(skeleton.tree)
    q, v = ca.SX.sym("q", size), ca.SX.sym("v", size)
    angles, centers = _posture(ca, skeleton, q)
    mass, force = _tree_equations(ca, skeleton, angles, centers, q, v)
    gaps = ca.vertcat(*(_gap(ca, skeleton, angles, centers, link) for link in skeleton.chords))
    jacobian = ca.jacobian(gaps, q)
    matrix = ca.blockcat([[mass, jacobian.T], [jacobian, ca.SX(gaps.numel(), gaps.numel())]])
    right = ca.vertcat(force, -ca.jtimes(jacobian @ v, q, v))
    problem = {"x": ca.vertcat(q, v)}
    if solver == "cvodes":
        problem["ode"] = ca.vertcat(v, ca.solve(matrix, right)[:size])
    else:
        unknowns = ca.SX.sym("z", right.numel())
        problem |= {"z": unknowns, "ode": ca.vertcat(v, unknowns[:size]), "alg": matrix @ unknowns - right}
    places = ca.Function("places", [q], [ca.horzcat(*centers)])

    @cache
    def integrator(tolerance: float) -> Any:
        options = {"reltol": tolerance, "abstol": 0.1 * tolerance}
        return ca.integrator("race", solver, problem, 0.0, stop, options)

    def run(tolerance: float) -> tuple[float, Array]:
        integrate = integrator(tolerance)
        begin = process_time()
        end = integrate(x0=np.zeros(2 * size))["xf"]
        spent = process_time() - begin
        flat = np.array(places(end[:size])).T
        return spent, np.column_stack([flat, np.zeros(len(flat))])

    return run


def _posture(ca: Any, skeleton: Skeleton, q: Any) -> tuple[list[Any], list[Any]]:
    """Angles since the start and mass centres of all bodies, the ground last."""
    count = len(skeleton.bones)
    angles: list[Any] = [ca.SX(0)] * (count + 1)
    centers: list[Any] = [ca.SX.zeros(2)] * (count + 1)
    for number, link in enumerate(skeleton.tree):
        pin = _place(ca, skeleton, angles, centers, link.tail, link.place)
        angles[link.head] = angles[link.tail]
        if link.type is JointType.REVOLUTE:
            angles[link.head] = angles[link.tail] + q[number]
        else:
            pin = pin + _turned(ca, angles[link.tail], link.axes[0]) * q[number]
        arm = skeleton.bones[link.head].center - link.place
        centers[link.head] = pin + _turned(ca, angles[link.head], arm)
    return angles, centers[:count]


def _place(
    ca: Any, skeleton: Skeleton, angles: list[Any], centers: list[Any], bone: int, place: Array
) -> Any:
    """Where the point of a body is that was at ``place`` at the start; body -1 is the ground."""
    if bone < 0:
        return ca.DM(place[:2])
    return centers[bone] + _turned(ca, angles[bone], place - skeleton.bones[bone].center)


def _turned(ca: Any, angle: Any, arm: Array) -> Any:
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(c * arm[0] - s * arm[1], s * arm[0] + c * arm[1])


def _gap(ca: Any, skeleton: Skeleton, angles: list[Any], centers: list[Any], link: Link) -> Any:
    tail, head = (_place(ca, skeleton, angles, centers, end, link.place) for end in (link.tail, link.head))
    return head - tail


def _tree_equations(
    ca: Any, skeleton: Skeleton, angles: list[Any], centers: list[Any], q: Any, v: Any
) -> tuple[Any, Any]:
    """Mass matrix and forces of the tree, by Lagrange."""
    kinetic, potential = ca.SX(0), ca.SX(0)
    gravity = ca.DM(skeleton.gravity[:2])
    for bone, angle, center in zip(skeleton.bones, angles, centers, strict=False):
        kinetic += bone.mass / 2 * ca.sumsqr(ca.jtimes(center, q, v))
        kinetic += bone.inertia[2, 2] / 2 * ca.sumsqr(ca.jtimes(angle, q, v))
        potential -= bone.mass * ca.dot(gravity, center)
    momentum = ca.gradient(kinetic, v)
    force = ca.gradient(kinetic - potential, q) - ca.jtimes(momentum, q, v)
    return ca.jacobian(momentum, v), force
