"""Code from the DAG means what the DAG means, however it shares, gathers constants and moves signs."""

from __future__ import annotations

import math
import random

import pytest

from fmugen.expr.code import compile_python, constants_read, count_operations, print_expression, schedule
from fmugen.expr.dag import Dag, Expr, SymbolRole

#: An expression, and the same as Python text that nobody has simplified.
Pair = tuple[Expr, str]

ROLES = {
    "a": SymbolRole.PARAMETER,
    "b": SymbolRole.PARAMETER,
    "x": SymbolRole.COORDINATE,
    "y": SymbolRole.COORDINATE,
}


def grown(dag: Dag, chance: random.Random, size: int) -> list[Pair]:
    pool = [(dag.symbol(name, role), name) for name, role in ROLES.items()]
    for _ in range(size):
        (e, f), (g, h) = chance.choice(pool), chance.choice(pool)
        number = chance.choice([-3, -2, -1, 2, 5])
        pool.append(
            chance.choice(
                [
                    (e + g, f"({f} + {h})"),
                    (e - g, f"({f} - {h})"),
                    (e * g, f"({f} * {h})"),
                    (number * e - g, f"({number} * {f} - {h})"),
                    (-(e**2), f"(-({f} ** 2))"),
                    (g / (e**2 + 1), f"({h} / ({f} ** 2 + 1))"),
                    (dag.call("sin", e), f"sin({f})"),
                ]
            )
        )
    return pool[-6:]


@pytest.mark.parametrize("seed", range(40))
def test_code_of_random_expressions(seed: int) -> None:
    chance = random.Random(seed)
    dag = Dag()
    pairs = grown(dag, chance, 14)
    symbols = [dag.symbol(name, role) for name, role in ROLES.items()]
    point = {name: chance.uniform(-1.0, 1.0) for name in ROLES}
    found = compile_python([e for e, _ in pairs], {"q": symbols})(q=list(point.values()))
    expected = [eval(text, {"sin": math.sin}, dict(point)) for _, text in pairs]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_sum_and_its_negative_are_computed_once() -> None:
    dag = Dag()
    x, y = (dag.symbol(name, SymbolRole.COORDINATE) for name in "xy")
    roots = [(x - y) * dag.call("sin", x), (y - x) * dag.call("sin", y)]
    named = schedule(roots, lambda node: node in (x, y))
    assert [print_expression(node, {x: "x", y: "y"}) for node in named] == ["x - y"]
    assert count_operations(named, roots, lambda node: node in (x, y)).additions == 1


def test_number_and_parameters_of_a_product_are_one_constant() -> None:
    dag = Dag()
    a, b = (dag.symbol(name, SymbolRole.PARAMETER) for name in "ab")
    x = dag.symbol("x", SymbolRole.COORDINATE)
    root = 2 * a * b * x + a + b**2
    assert set(constants_read([root])) == {2 * a * b, a + b**2}
    names = {2 * a * b: "d[0]", a + b**2: "d[1]", x: "x"}
    assert print_expression(root, names) in ("d[1] + d[0]*x", "d[0]*x + d[1]")
    operations = count_operations([], [root], lambda node: node in names)
    assert (operations.additions, operations.multiplications) == (1, 1)


def test_moving_products_are_shared_whatever_their_constants() -> None:
    dag = Dag()
    a, b = (dag.symbol(name, SymbolRole.PARAMETER) for name in "ab")
    x, y = (dag.symbol(name, SymbolRole.COORDINATE) for name in "xy")
    named = schedule([a * x * y, b * x * y], lambda node: node in (a, b, x, y))
    assert named == (x * y,)
