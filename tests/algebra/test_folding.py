"""Mass and force that are folded onto fewer coordinates, against matrices of numbers."""

from __future__ import annotations

import numpy as np

from fmugen.algebra.folding import Folding
from fmugen.algebra.systems import written_out
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Dag, SymbolRole


def test_folded_mass_and_force_are_those_of_the_motions_that_constraints_allow() -> None:
    """Five coordinates, of which 1 and 4 follow from 0 and 2; coordinate 3 is in no constraint."""
    dag = Dag()
    mass = [[dag.symbol(f"m{i}_{j}", SymbolRole.VELOCITY) for j in range(i + 1)] for i in range(5)]
    force = [dag.symbol(f"f{i}", SymbolRole.VELOCITY) for i in range(5)]
    jacobian = [[dag.symbol(f"p{i}_{j}", SymbolRole.VELOCITY) for j in range(5)] for i in range(2)]
    gamma = [dag.symbol(f"g{i}", SymbolRole.VELOCITY) for i in range(2)]
    unknowns, known, left = [1, 4], [0, 2], [0, 2, 3]
    entries = {(i, j): entry for i, row in enumerate(mass) for j, entry in enumerate(row)}
    folding = Folding(dag, entries, list(force))
    system = written_out([[row[u] for u in unknowns] for row in jacobian])
    folding.fold(system, unknowns, {k: [row[k] for row in jacobian] for k in known}, gamma)
    assert all(not set(place) & set(unknowns) for place in folding.mass)
    found = [folding.entry(i, j) for i in left for j in left] + [folding.force[i] for i in left]
    symbols = {"m": [e for row in mass for e in row], "f": force, "p": [e for r in jacobian for e in r]}
    function = compile_python(found, {**symbols, "g": gamma})

    random = np.random.default_rng(4)
    lower = np.tril(random.standard_normal((5, 5)))
    m = lower + np.tril(lower, -1).T
    f, phi, g = random.standard_normal(5), random.standard_normal((2, 5)), random.standard_normal(2)
    values = function(m[np.tril_indices(5)].tolist(), f.tolist(), phi.ravel().tolist(), g.tolist())
    tangent, drift = np.zeros((5, 3)), np.zeros(5)
    tangent[left, range(3)] = 1.0
    inverse = np.linalg.inv(phi[:, unknowns])
    tangent[np.ix_(unknowns, [0, 1])] = -inverse @ phi[:, known]
    drift[unknowns] = inverse @ g
    np.testing.assert_allclose(values[:9], (tangent.T @ m @ tangent).ravel(), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(values[9:], tangent.T @ (f - m @ drift), rtol=1e-11, atol=1e-12)
