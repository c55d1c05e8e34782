"""Operations of exact closures beside those that Uchida prints.

The thesis counts what gives sines, cosines and lengths, quotients as multiplications, square roots apart; its
lengths are numbers, ours stay parameters. Guards, the choice of the root and the angle itself, which it does
not have, are left out here and counted by ``Program.right_hand_side``.
"""

from __future__ import annotations

import pytest
from element_views import with_views

from fmugen.expr.code import Operations, count_operations, schedule
from fmugen.ir.options import ExportOptions
from fmugen.ir.program import Program, SolveFunction
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from tests.support import EXAMPLES, example


def generated(name: str, trees: str, *independent: str) -> Compilation:
    model = example(name)
    return Compilation(model, ExportOptions(trees, independent=independent))


def closure(program: Program) -> Operations:
    solves = program.solve_functions if program.solve_together is None else (program.solve_together,)
    return sum((of_unknowns(program, solve) for solve in solves if solve is not None), Operations())


def of_unknowns(program: Program, solve: SolveFunction) -> Operations:
    """The operations for the unknowns themselves: of the arguments of a root, only the discriminant."""
    leaves = program.leaves | solve.leaves
    roots = [
        root for step in solve.steps for root in (*(step.arguments[:1] if step.root else ()), *step.results)
    ]
    return count_operations(schedule(roots, leaves.__contains__), roots, leaves.__contains__)


def products(operations: Operations) -> int:
    return operations.multiplications + operations.divisions


def test_slider_crank() -> None:
    """Table 3.1: 11 multiplications and 7 additions by sines and cosines."""
    operations = closure(generated("slider_crank_uchida", "joint").program)
    assert products(operations) <= 11
    assert operations.additions <= 7


def test_spatial_four_bar() -> None:
    """Table 4.1: 16 multiplications and 6 additions, the crank angle known and the follower without twist."""
    text = (EXAMPLES / "spatial_four_bar" / "model.toml").read_text(encoding="utf-8")
    model = parse_model(text.replace('"-twist"', "0"), "untwisted")
    known = with_views(model, drivers=(), outputs=(), independent=("bearing.angle",))
    operations = closure(Compilation(known, ExportOptions("jc")).program)
    assert products(operations) <= 16
    assert operations.additions <= 6


def test_spatial_four_bar_with_a_twisted_follower() -> None:
    """Table 4.2: 30 multiplications and 10 additions; the twist is a parameter there, too."""
    operations = closure(generated("spatial_four_bar_skew", "jc").program)
    assert products(operations) <= 30
    assert operations.additions <= 10


@pytest.fixture(scope="module")
def planar_robot() -> Program:
    return generated("three_rrr_uchida", "platform_pose", "pose.x", "pose.y", "pose.angle").program


def test_closure_of_the_planar_parallel_robot(planar_robot: Program) -> None:
    """Table 4.7: 293 multiplications and 286 additions; everything else of a step is included here."""
    assert planar_robot.solve_together is not None
    operations = planar_robot.solve_together.operations
    assert products(operations) <= 293
    assert operations.additions <= 286


def test_dynamic_equations_of_the_planar_parallel_robot(planar_robot: Program) -> None:
    """Table 4.7: 642 multiplications and 268 additions after projection."""
    assert planar_robot.motion is not None
    operations = planar_robot.motion.operations
    assert products(operations) <= 642
    assert operations.additions <= 268


def test_sines_and_cosines_are_found_once(planar_robot: Program) -> None:
    """No function is called for an angle that a step has turned; the pose has one angle of its own."""
    assert planar_robot.motion is not None
    assert planar_robot.solve_together is not None
    called = planar_robot.solve_together.operations.functions
    assert called == 3  # one square root a leg
    assert planar_robot.right_hand_side.functions == called + 2 + planar_robot.motion.operations.functions
