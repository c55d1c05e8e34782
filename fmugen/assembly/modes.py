"""All real configurations at the start, and why they are all there are.

Where a block of loops has exact steps, all roots of all steps are followed. The equations of the steps follow
from the constraints, so no configuration is lost. Other blocks are solved by continuation from the solutions
of a system with a random right-hand side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fmugen.algebra.costs import expressions_of
from fmugen.assembly.continuation import Solutions, generic_solutions
from fmugen.assembly.paths import Equations, Reals, tracked
from fmugen.assembly.roots import holds_in_all_modes, real_roots
from fmugen.assembly.system import Stage, StartSystem
from fmugen.evaluation import Evaluation
from fmugen.ir.assembly_modes import AssemblyMode, AssemblyModes
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Block, SolutionFlow
from fmugen.ir.model import SystemModel

__all__ = ["assembly_modes"]

#: More configurations than this are not followed.
_MOST = 1024
#: What a solution of exact steps may leave open before it is corrected, and any solution in the end.
_CLOSED, _CORRECTED = 1e-5, 1e-9
#: The largest imaginary part of a real solution.
_REAL = 1e-7
#: Configurations whose bodies are nearer are the same.
_SAME = 1e-6
#: Paths to infinity or to singular configurations stop near their end, later than at this part before it.
_AT_THE_END = 1e-3
_ITERATIONS = 12
_TURN = 2.0 * np.pi

#: The solutions of a stage for each position of the coordinates before it, and a reason for doubt.
_Solver = Callable[[Reals], list[Reals]]


def assembly_modes(model: SystemModel, dae: Dae, flow: SolutionFlow) -> AssemblyModes:
    """The configurations that have the fixed start values, with the default parameters at time zero."""
    if not dae.coordinates:
        return AssemblyModes((AssemblyMode((), 0.0),), (), ("drivers determine all positions",))
    return _Listing(model, dae, flow).modes()


class _Listing:
    """The configurations, found stage by stage."""

    def __init__(self, model: SystemModel, dae: Dae, flow: SolutionFlow) -> None:
        self._system = StartSystem(model, dae, flow)
        self._evaluation, self._known = Evaluation.at_defaults(model, dae), dae.known_at_start
        self._dae, self._flow = dae, flow
        self._by_steps: list[str] = []
        self._by_paths: dict[str, tuple[Solutions, int]] = {}
        self._doubts: list[str] = []
        # Loops and fixed values are smooth; these decide between what is smooth and what is meant.
        self._facing = self._evaluation.function(
            [cosine for row in dae.constraints for cosine in row.facing], self._known
        )

    def modes(self) -> AssemblyModes:
        system = self._system
        if not system.are_smooth:
            self._doubts.append("a loop constraint is not a smooth function: only the start is listed")
        for name in system.left_out:
            self._doubts.append(f"the fixed start value of {name} is not a smooth function: it is not kept")
        found = [system.start]
        for stage in system.stages if system.are_smooth else ():
            found = self._after(stage, found)
        listed = self._listed(found)
        held = tuple(self._dae.coordinates[k].name for k in system.held)
        return AssemblyModes(listed, held, tuple(self._said()), tuple(dict.fromkeys(self._doubts)))

    def _said(self) -> Iterator[str]:
        """How the list was found."""
        if self._by_steps:
            yield f"all roots of the exact steps: {', '.join(self._by_steps)}"
        for names, (general, arrived) in self._by_paths.items():
            yield (
                f"by continuation: {names}: {arrived} complex configurations, the ends of {general.count} "
                "paths from a random system"
            )

    def _after(self, stage: Stage, before: list[Reals]) -> list[Reals]:
        equations = self._system.equations(stage)
        solve = (
            self._exact(stage.block) if stage.block is not None and holds_in_all_modes(stage.block) else None
        )
        if solve is None:
            solve = self._continued(stage, equations)
        found = []
        for at in before:
            found += [_corrected(equations, each) for each in solve(at)]
            if len(found) > _MOST:
                self._doubts.append(f"there are more than {_MOST} configurations")
                return found[:_MOST]
        return found

    # --- by exact steps -----------------------------------------------------------------------------

    def _exact(self, block: Block) -> _Solver:
        self._by_steps += [self._dae.coordinates[k].name for k in block.unknowns]
        compute = [self._evaluation.function(expressions_of(step), self._known) for step in block.steps]

        def solve(at: Reals) -> list[Reals]:
            found = [at]
            for step, terms_at in zip(block.steps, compute, strict=True):
                extended = []
                for each in found:
                    terms = terms_at(each.tolist())
                    if not np.any(terms) or not np.isfinite(terms).all():
                        name = self._dae.coordinates[step.unknown].name
                        self._doubts.append(f"the step for {name} is singular at a configuration")
                        continue
                    for root in real_roots(step, terms):
                        solved = each.copy()
                        solved[step.unknown] = root
                        extended.append(solved)
                found = extended
            return found

        return solve

    # --- by continuation -----------------------------------------------------------------------------

    def _continued(self, stage: Stage, equations: Equations) -> _Solver:
        if self._is_given(stage):
            return lambda at: [at]
        names = ", ".join(self._dae.coordinates[k].name for k in stage.unknowns)
        general = generic_solutions(equations, self._system.start)
        self._by_paths[names] = general, 0
        if general.reason:
            self._doubts.append(f"{names}: {general.reason}")
        return lambda at: self._ends(equations, general, at, names)

    def _is_given(self, stage: Stage) -> bool:
        """Whether the stage is a coordinate that a single linear equation gives."""
        if len(stage.unknowns) != 1:
            return False
        [row] = stage.rows
        position = self._dae.coordinates[stage.unknowns[0]].position
        rest = self._system.expressions[row] - position
        return self._system.is_constant(rest)

    def _ends(self, equations: Equations, general: Solutions, at: Reals, names: str) -> list[Reals]:
        """The real solutions at the ends of all paths to the loops of the mechanism."""
        target = np.repeat(at[:, None], general.count, axis=1).astype(np.complex128)
        begin = np.repeat(general.right[:, None], general.count, axis=1)
        moved = tracked(equations, general.positions, begin, np.zeros_like(begin), target)
        columns = list(equations.unknowns)
        most = max(self._by_paths[names][1], int(moved.arrived.sum()))
        self._by_paths[names] = general, most
        lost = int(np.sum(~moved.arrived & (moved.parts < 1.0 - _AT_THE_END)))
        if lost:
            self._doubts.append(f"{names}: {lost} complex configurations could not be followed to the end")
        real = np.abs(moved.ends[columns].imag / equations.scale[:, None]).max(axis=0) < _REAL
        found = [moved.ends[:, k].real for k in np.flatnonzero(real & moved.arrived)]
        for k in np.flatnonzero(~moved.arrived & (moved.parts > 1.0 - _CLOSED)):
            near = at.copy()
            near[columns] = moved.ends[columns, k].real
            found.append(near)
        return found

    # --- the list ----------------------------------------------------------------------------------------

    def _listed(self, found: list[Reals]) -> tuple[AssemblyMode, ...]:
        start = self._system.start
        here = self._described(start)
        listed: list[tuple[float, Reals, Reals]] = []
        for at in found:
            closed = self._in_its_turns(at)
            if closed is None:
                continue
            poses = self._described(closed)
            if all(np.abs(poses - other).max(initial=0.0) > _SAME for _, other, _ in listed):
                listed.append((float(np.linalg.norm(poses - here)), poses, closed))
        if not any(distance < _SAME for distance, _, _ in listed):
            self._doubts.append("the start is not among the configurations found")
        listed = [(0.0, here, start), *(each for each in listed if each[0] >= _SAME)]
        listed.sort(key=lambda each: (round(each[0], 6), [-round(value, 6) for value in each[1].tolist()]))
        return tuple(self._grouped(listed))

    def _grouped(self, listed: list[tuple[float, Reals, Reals]]) -> Iterator[AssemblyMode]:
        """One mode for all configurations with the same places of all points, the nearest of them."""
        groups: list[tuple[Reals, list[tuple[float, Reals]]]] = []
        for distance, poses, q in listed:
            places = self._system.places(poses)
            same = (members for other, members in groups if np.abs(places - other).max(initial=0.0) < _SAME)
            members = next(same, None)
            if members is None:
                groups.append((places, [(distance, q)]))
            else:
                members.append((distance, q))
        for _, members in groups:
            distance, q = members[0]
            singular = self._system.are_smooth and self._system.is_singular(q)
            yield AssemblyMode(tuple(q.tolist()), distance, len(members) - 1, singular)

    def _described(self, at: Reals) -> Reals:
        """The poses of all bodies, lengths as parts of that of the mechanism."""
        signature: Reals = self._system.signature(at[:, None].astype(np.complex128))[:, 0].real
        return signature / self._system.signature_scale

    def _in_its_turns(self, at: Reals) -> Reals | None:
        """The position with angles near those of the start, if it closes all loops and keeps fixed values."""
        start, assembly = self._system.start, self._system.assembly
        angles = np.array([c.unit == "rad" for c in self._dae.coordinates])
        turned = at - np.where(angles, _TURN * np.round((at - start) / _TURN), 0.0)
        for q in (turned, at):
            missed = np.abs(assembly.equations(q)[0]).max(initial=0.0)
            if missed < 10 * _CORRECTED and min(self._facing(q.tolist()), default=1.0) > 0.0:
                return q
        return None


def _corrected(equations: Equations, at: Reals) -> Reals:
    """A solution to the last digit, by Newton's method."""
    columns = list(equations.unknowns)
    best = at
    least = float("inf")
    q = at.astype(np.complex128)[:, None]
    with np.errstate(all="ignore"):
        for _ in range(_ITERATIONS):
            missed = equations.values(q)[:, 0].real
            error = float(np.abs(missed).max(initial=0.0))
            if not error < least:
                break
            best, least = q[:, 0].real.copy(), error
            matrix = equations.rates(q)[0][:, columns].real
            if not np.isfinite(matrix).all():
                break
            q[columns, 0] -= np.linalg.lstsq(matrix, missed, rcond=1e-12)[0]
    return best
