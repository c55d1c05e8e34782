"""Dae, SolutionFlow -> Motion: one differential equation a degree of freedom, without any matrix left.

The embedding technique (Uchida 2.1.5, 3.4.1) on the expression DAG, block by block:

    v_U = Phi_U^-1 (nu - Phi_K v_K)                     velocities of a block's unknowns U, K being known
    B_U = -Phi_U^-1 Phi_K B_K,  a0_U = Phi_U^-1 (gamma - Phi_K a0_K)
    (B^T M B) a_i = B^T (F - M a0),   a = B a_i + a0
    Phi_U^T lambda_R = (F - M a)_U - (later rows)^T lambda

The components p of a whole attitude are known. Their part of B belongs to the angular acceleration, and is
G(p)^T / 2, their part of a0 is -(p' . p') p (Nikravesh; see attitude.h).

B^T M B and B^T (F - M a0) are found at once, or folded from the last block to the first; then accelerations
follow block by block, as velocities do.

Small systems are written out (Cramer, LU in the order that the block has its rows and unknowns in, LDL^T),
each with guards on its pivots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fmugen.algebra.folding import Folding
from fmugen.algebra.recursion import accelerations
from fmugen.algebra.systems import Matrix, solve_symmetric, written_out
from fmugen.expr.code import count_operations
from fmugen.expr.dag import Dag, Expr, Operation
from fmugen.ir.dae import Dae
from fmugen.ir.flow import EMBEDDED, Attitude, Block, SolutionFlow
from fmugen.ir.program import Guard, MotionCode, MotionStage, Result

__all__ = ["embed", "embed_all", "ways"]

#: Blocks with more unknowns than this stay numerical.
_LARGEST_BLOCK = 20
#: So do systems with more degrees of freedom. To factor M of 24 takes about 5,000 operations, less than the
#: equations of so many bodies: numerical matrices, full of zeros, cost 2.7 times as much for a car with 14.
_MOST_FREEDOMS = 24
#: With fewer degrees of freedom B has so few columns that B^T M B is found at once.
_FOLDED_FREEDOMS = 3


def embed(dae: Dae, flow: SolutionFlow) -> MotionCode | None:
    """The embedded equations of motion, or ``None`` where they are better solved numerically.

    Those of a tree of bodies go from body to body, or factor M if that takes fewer operations. With loops the
    reduced mass matrix is found at once, or block by block if that takes fewer.
    """
    few = len(flow.independent) <= _MOST_FREEDOMS or _is_tree(dae, flow)
    if any(len(block.rows) > _LARGEST_BLOCK for block in flow.blocks) or not few:
        return None
    try:
        forms = [way() for way in ways(dae, flow)]
    except ZeroDivisionError:  # a pivot that vanishes everywhere: what is left needs a search for pivots
        return None
    return forms[0] if len(forms) == 1 else min(forms, key=_operations)


def ways(dae: Dae, flow: SolutionFlow) -> list[Callable[[], MotionCode]]:
    """The ways to the equations of motion, of which one or another takes fewer operations."""
    freedoms = len(flow.independent)
    if _is_tree(dae, flow):
        recursive = [_Embedding(dae, flow).from_body_to_body]
        small = freedoms <= _MOST_FREEDOMS and not flow.whole
        return [*recursive, _Embedding(dae, flow).build] if small else [*recursive]
    folded = [_Embedding(dae, flow).fold] if flow.blocks and freedoms >= _FOLDED_FREEDOMS else []
    return [_Embedding(dae, flow).build, *folded]


def _is_tree(dae: Dae, flow: SolutionFlow) -> bool:
    return dae.tree is not None and not flow.blocks


def _operations(motion: MotionCode) -> int:
    """The operations of equations of motion as they stand."""
    values = [guard.value for stage in motion.stages for guard in stage.guards]
    values += [result.value for stage in motion.stages for result in stage.results]
    return count_operations(
        (), values, lambda node: node.constant or node.operation is Operation.SYMBOL
    ).total


def embed_all(dae: Dae, flow: SolutionFlow) -> list[MotionCode | None]:
    """The embedded equations of all sets of ``flow``; none for a closure that keeps all coordinates."""
    return [embed(dae, each) for each in flow.sets] if flow.closure in EMBEDDED else []


class _Embedding:
    def __init__(self, dae: Dae, flow: SolutionFlow) -> None:
        self.dae, self.flow = dae, flow
        self.dag: Dag = dae.symbols.dag
        self.place = {row: index for index, row in enumerate(flow.rows)}
        self.stages: list[MotionStage] = []
        self.labels: list[tuple[Expr, str]] = []
        self.systems = {
            block.rows: written_out(self._block(block.rows, block.unknowns)) for block in flow.blocks
        }

    def build(self) -> MotionCode:
        """By B, whose rows go from block to block."""
        tangent, drift = self._known_rows()
        for block in self.flow.blocks:
            self._velocities(block)
            self._tangent(block.rows, block.unknowns, tangent, drift)
        self._accelerations(Folding(self.dag, self.dae.mass, list(self.dae.force)), tangent, drift)
        return self._with_multipliers()

    def fold(self) -> MotionCode:
        """By M and F, whose unknowns of the last block go first."""
        tangent, drift = self._known_rows()
        rest = Folding(self.dag, dict(self.dae.mass), list(self.dae.force))
        for block in self.flow.blocks:
            self._velocities(block)
        for block in reversed(self.flow.blocks):
            self._fold(block, rest)
        self._accelerations(rest, tangent, drift)
        for block in self.flow.blocks:
            sides = [self._side(row, block.unknowns) for row in block.rows]
            solution = zip(block.unknowns, self.systems[block.rows].solve(sides), strict=True)
            self._stage_accelerations(f"from {block.name}", dict(solution))
        return self._with_multipliers()

    def _known_rows(self) -> tuple[dict[int, dict[int, Expr]], dict[int, Expr]]:
        """The rows of B and a0 that no block gives; B by coordinate, then by independent coordinate."""
        tangent = {k: {j: self.dag.one} for j, k in enumerate(self.flow.independent)}
        drift = dict.fromkeys(self.flow.independent, self.dag.zero)
        for attitude in self.flow.whole:
            self._turn(attitude, tangent, drift)
        return tangent, drift

    def _with_multipliers(self) -> MotionCode:
        for block in reversed(self.flow.blocks):
            self._multipliers(block.rows, block.unknowns)
        self._length_multipliers()
        return MotionCode(tuple(self.stages), labels=tuple(self.labels))

    def from_body_to_body(self) -> MotionCode:
        """The accelerations of a tree of bodies by its articulated inertias.

        Nothing constrains it but the lengths of Euler parameters, whose multipliers are zero: along them
        no body turns.
        """
        dae, dag = self.dae, self.dag
        if dae.tree is None:
            raise ValueError("the bodies form no tree")
        pivots, solution = accelerations(dae.tree, dae.force)
        for attitude in self.flow.whole:
            found = [dae.coordinates[k] for k in attitude.components]
            length = -dag.add(c.velocity**2 for c in found)
            for k, c in zip(attitude.components, found, strict=True):
                solution[k] = solution[k] + length * c.position
        guards = tuple(Guard(pivot) for pivot in pivots)
        self.labels += [(pivot, "articulated inertia") for pivot in pivots]
        results = tuple(Result("a", k, value) for k, value in enumerate(solution))
        self.stages += [
            MotionStage(guards, (), title="articulated inertias, from the leaves to the ground"),
            MotionStage((), results, title="accelerations of the coordinates"),
        ]
        for attitude in self.flow.whole:
            result = Result("l", self.place[attitude.row], dag.zero)
            name = dae.constraints[attitude.row].name
            self.stages.append(MotionStage((), (result,), title=f"multiplier of {name}"))
        return MotionCode(tuple(self.stages), labels=tuple(self.labels))

    def _turn(self, attitude: Attitude, tangent: dict[int, dict[int, Expr]], drift: dict[int, Expr]) -> None:
        """How the components of a whole attitude follow from its angular acceleration."""
        coordinates = [self.dae.coordinates[k] for k in attitude.components]
        p0, p1, p2, p3 = (c.position for c in coordinates)
        axes = ((-p1, p0, p3, -p2), (-p2, -p3, p0, p1), (-p3, p2, -p1, p0))
        places = [j for j, k in enumerate(self.flow.independent) if k in attitude.components]
        length = -self.dag.add(c.velocity**2 for c in coordinates)
        for number, (k, c) in enumerate(zip(attitude.components, coordinates, strict=True)):
            tangent[k] = {j: axis[number] / 2 for j, axis in zip(places, axes, strict=True)}
            drift[k] = length * c.position

    # --- blocks ------------------------------------------------------------------------------------

    def _entry(self, row: int, column: int) -> Expr:
        return self.dae.constraints[row].jacobian.get(column, self.dag.zero)

    def _block(self, rows: Sequence[int], unknowns: Sequence[int]) -> Matrix:
        return [[self._entry(row, column) for column in unknowns] for row in rows]

    def _known(self, row: int, unknowns: Sequence[int]) -> list[tuple[int, Expr]]:
        entries = self.dae.constraints[row].jacobian.items()
        return [(column, entry) for column, entry in entries if column not in unknowns]

    def _velocities(self, block: Block) -> None:
        system = self.systems[block.rows]
        sides = []
        for row in block.rows:
            known = self._known(row, block.unknowns)
            moved = [-entry * self.dae.coordinates[k].velocity for k, entry in known]
            sides.append(self.dag.add([self.dae.constraints[row].nu, *moved]))
        solution = zip(block.unknowns, system.solve(sides), strict=True)
        results = tuple(Result("v", k, value) for k, value in solution)
        self.stages.append(MotionStage(system.guards, results, title=f"velocities from {block.name}"))

    def _tangent(
        self,
        rows: tuple[int, ...],
        unknowns: Sequence[int],
        tangent: dict[int, dict[int, Expr]],
        drift: dict[int, Expr],
    ) -> None:
        system = self.systems[rows]
        for j in range(len(self.flow.independent)):
            sides = [
                self._combine(row, unknowns, {k: b[j] for k, b in tangent.items() if j in b}) for row in rows
            ]
            if all(side.is_zero for side in sides):
                continue
            for k, value in zip(unknowns, system.solve(sides), strict=True):
                tangent.setdefault(k, {})[j] = value
        sides = [self.dae.constraints[row].gamma + self._combine(row, unknowns, drift) for row in rows]
        for k, value in zip(unknowns, system.solve(sides), strict=True):
            drift[k] = value
            tangent.setdefault(k, {})

    def _combine(self, row: int, unknowns: Sequence[int], values: dict[int, Expr]) -> Expr:
        """``-Phi_K x_K`` of a row."""
        return self.dag.add(-entry * values[k] for k, entry in self._known(row, unknowns) if k in values)

    def _fold(self, block: Block, rest: Folding) -> None:
        columns = {k for row in block.rows for k, _ in self._known(row, block.unknowns)}
        known = {k: [self._entry(row, k) for row in block.rows] for k in sorted(columns)}
        gamma = [self.dae.constraints[row].gamma for row in block.rows]
        rest.fold(self.systems[block.rows], block.unknowns, known, gamma)

    def _side(self, row: int, unknowns: Sequence[int]) -> Expr:
        """``gamma - Phi_K a_K`` of a row."""
        seconds = (-entry * self.dae.coordinates[k].acceleration for k, entry in self._known(row, unknowns))
        return self.dag.add([self.dae.constraints[row].gamma, *seconds])

    # --- the whole -----------------------------------------------------------------------------------

    def _accelerations(
        self, rest: Folding, tangent: dict[int, dict[int, Expr]], drift: dict[int, Expr]
    ) -> None:
        """Those of all coordinates in ``tangent``, for the mass and force of ``rest``."""
        reduced, forces = self._reduced(rest, tangent, drift)
        pivots, factors, solution = solve_symmetric(reduced, forces)
        names = [self.dae.coordinates[k].name for k in self.flow.independent]
        self._label(names, reduced, factors, pivots, forces)
        if pivots:
            title = f"reduced mass matrix B^T M B of {', '.join(names)}, and its factors L D L^T"
            self.stages.append(MotionStage(tuple(map(Guard, pivots)), (), title=title))
        turned = {k for attitude in self.flow.whole for k in attitude.components}
        found = dict(zip(self.flow.independent, solution, strict=True))
        direct = {k: a for k, a in found.items() if k not in turned}
        self._stage_accelerations("of the independent coordinates", direct)
        second = [a if k in turned else self.dae.coordinates[k].acceleration for k, a in found.items()]
        others = {
            k: self.dag.add([drift[k], *(b * second[j] for j, b in tangent[k].items())])
            for k in sorted(tangent.keys() - direct.keys())
        }
        self._stage_accelerations("of the dependent coordinates", others)

    def _reduced(
        self, rest: Folding, tangent: dict[int, dict[int, Expr]], drift: dict[int, Expr]
    ) -> tuple[Matrix, list[Expr]]:
        """B^T M B, on and below its diagonal, and B^T (F - M a0)."""
        present, freedoms = sorted(tangent), range(len(self.flow.independent))

        def across(values: Mapping[int, Expr], i: int) -> Expr:
            """A column of B times a vector."""
            return self.dag.add(tangent[k][i] * values[k] for k in present if i in tangent[k])

        excess: dict[int, Expr] = {}
        moved: list[dict[int, Expr]] = [{} for _ in freedoms]
        for k in present:
            row = {m: rest.entry(k, m) for m in present}
            excess[k] = self.dag.add([rest.force[k], *(-row[m] * drift[m] for m in present)])
            for j in freedoms:
                moved[j][k] = across(row, j)
        reduced = [[across(moved[j], i) for j in range(i + 1)] for i in freedoms]
        return reduced, [across(excess, i) for i in freedoms]

    def _stage_accelerations(self, which: str, values: dict[int, Expr]) -> None:
        if values:
            results = tuple(Result("a", k, value) for k, value in values.items())
            title = f"accelerations {which}"
            self.stages.append(MotionStage((), results, title=title))

    def _label(
        self,
        names: Sequence[str],
        reduced: Matrix,
        factors: Matrix,
        pivots: Sequence[Expr],
        forces: Sequence[Expr],
    ) -> None:
        """What the parts of the equations of motion of the independent coordinates are."""
        for i, name in enumerate(names):
            for j, other in enumerate(names[: i + 1]):
                self.labels.append((reduced[i][j], f"reduced mass of {name}" + f", {other}" * (i != j)))
            self.labels += [(factors[i][j], f"factor of {name}, {names[j]}") for j in range(i)]
            self.labels.append((pivots[i], f"pivot of {name}"))
            self.labels.append((forces[i], f"reduced force of {name}"))

    def _mass(self, row: int, column: int) -> Expr:
        return self.dae.mass.get((max(row, column), min(row, column)), self.dag.zero)

    def _length_multipliers(self) -> None:
        """2 p lambda = F - M a - (other rows)^T lambda, for the components p of a whole attitude."""
        size = range(len(self.dae.coordinates))
        for attitude in self.flow.whole:
            terms = []
            for k in attitude.components:
                parts = [self.dae.force[k]]
                parts += [-self._mass(k, m) * self.dae.coordinates[m].acceleration for m in size]
                others = (row for row in self.flow.rows if row != attitude.row)
                parts += [-self._entry(row, k) * self.dae.constraints[row].multiplier for row in others]
                terms.append(self.dae.coordinates[k].position * self.dag.add(parts))
            name = self.dae.constraints[attitude.row].name
            result = Result("l", self.place[attitude.row], self.dag.add(terms) / 2)
            self.stages.append(MotionStage((), (result,), title=f"multiplier of {name}"))

    def _multipliers(self, rows: tuple[int, ...], unknowns: Sequence[int]) -> None:
        size = len(self.dae.coordinates)
        solved = [row for row in self.flow.rows if row not in rows]
        sides = []
        for k in unknowns:
            terms = [self.dae.force[k]]
            terms += [-self._mass(k, m) * self.dae.coordinates[m].acceleration for m in range(size)]
            terms += [-self._entry(row, k) * self.dae.constraints[row].multiplier for row in solved]
            sides.append(self.dag.add(terms))
        values = self.systems[rows].solve_transposed(sides)
        results = tuple(Result("l", self.place[row], value) for row, value in zip(rows, values, strict=True))
        names = "; ".join(self.dae.constraints[row].name for row in rows)
        title = f"{'multiplier' if len(rows) == 1 else 'multipliers'} of {names}"
        self.stages.append(MotionStage((), results, title=title))
