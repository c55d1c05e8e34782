"""Make panel.npz: a thin plate by finite elements, reduced by the method of Craig and Bampton.

    python make_panel.py

The plate lies in the plane z = 0 with its root edge on the y axis. The root is held; static modes of the two
outer corners and modes of the plate with root and corners held follow. ``reduced`` takes any mass and
stiffness matrix, so that the rest of this file is what to replace for another structure.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

LENGTH, WIDTH, THICKNESS = 1.2, 0.6, 0.006
DENSITY, MODULUS, POISSON = 2700.0, 7e10, 0.33
#: Elements along x and y.
ALONG, ACROSS = 12, 6
FIXED_MODES = 6
#: The lowest modes of the reduced plate, which are written.
MODES = 8


def reduced(mass, stiffness, held, kept, count):
    """Craig-Bampton modes, a column each: unit mass, and a diagonal stiffness, which is returned as well.

    The degrees of freedom ``held`` do not move, ``kept`` have static modes, and ``count`` is the number of
    modes for which both are held.
    """
    inner = np.setdiff1d(np.arange(len(mass)), [*held, *kept])
    static = np.zeros((len(mass), len(kept)))
    static[kept, np.arange(len(kept))] = 1.0
    static[inner] = -np.linalg.solve(stiffness[np.ix_(inner, inner)], stiffness[np.ix_(inner, kept)])
    fixed = np.zeros((len(mass), count))
    fixed[inner] = lowest(mass[np.ix_(inner, inner)], stiffness[np.ix_(inner, inner)])[1][:, :count]
    basis = np.hstack((static, fixed))
    squares, vectors = lowest(basis.T @ mass @ basis, basis.T @ stiffness @ basis)
    return basis @ vectors, np.diag(squares)


def lowest(mass, stiffness):
    """Squares of frequencies in ascending order, and modes of unit mass."""
    root = np.linalg.cholesky(mass)
    half = np.linalg.solve(root, stiffness)
    squares, vectors = np.linalg.eigh(np.linalg.solve(root, half.T))
    return squares, np.linalg.solve(root.T, vectors)


# --- the plate: four nodes an element, each with w, dw/dy and -dw/dx -------------------------------

#: Exponents of the polynomial of an element (Adini, Clough and Melosh).
POWERS = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3), (3, 1), (1, 3)]


def terms(x, y, dx=0, dy=0):
    """The terms of the polynomial at a place, or their derivatives."""

    def power(base, exponent, order):
        factor = np.prod([exponent - k for k in range(order)])
        return factor * base ** (exponent - order) if exponent >= order else 0.0

    return np.array([power(x, i, dx) * power(y, j, dy) for i, j in POWERS])


def element(a, b):
    """The mass and stiffness matrix of an element with sides a and b."""
    corners = [(0, 0), (a, 0), (a, b), (0, b)]
    rows = [row for x, y in corners for row in (terms(x, y), terms(x, y, dy=1), -terms(x, y, dx=1))]
    shapes = np.linalg.inv(rows)
    rigidity = MODULUS * THICKNESS**3 / 12 / (1 - POISSON**2)
    law = rigidity * np.array([[1, POISSON, 0], [POISSON, 1, 0], [0, 0, (1 - POISSON) / 2]])
    places, weights = np.polynomial.legendre.leggauss(4)
    mass, stiffness = np.zeros((12, 12)), np.zeros((12, 12))
    for x, wx in zip((places + 1) * a / 2, weights * a / 2, strict=True):
        for y, wy in zip((places + 1) * b / 2, weights * b / 2, strict=True):
            bent = np.array([terms(x, y, 2, 0), terms(x, y, 0, 2), 2 * terms(x, y, 1, 1)]) @ shapes
            moved = terms(x, y) @ shapes
            stiffness += wx * wy * bent.T @ law @ bent
            mass += wx * wy * DENSITY * THICKNESS * np.outer(moved, moved)
    return mass, stiffness


def plate():
    """Nodes, and the mass and stiffness matrix."""
    xs, ys = np.linspace(0, LENGTH, ALONG + 1), np.linspace(-WIDTH / 2, WIDTH / 2, ACROSS + 1)
    nodes = np.array([(x, y, 0.0) for x in xs for y in ys])
    own = element(xs[1] - xs[0], ys[1] - ys[0])
    mass, stiffness = (np.zeros((3 * len(nodes), 3 * len(nodes))) for _ in range(2))
    for i in range(ALONG):
        for j in range(ACROSS):
            first = i * (ACROSS + 1) + j
            corners = [first, first + ACROSS + 1, first + ACROSS + 2, first + 1]
            places = np.ix_(*2 * [[3 * node + k for node in corners for k in range(3)]])
            mass[places] += own[0]
            stiffness[places] += own[1]
    return nodes, mass, stiffness


def arrays():
    """The arrays of the file."""
    nodes, mass, stiffness = plate()
    root = [3 * node + k for node in range(ACROSS + 1) for k in range(3)]
    corners = [3 * (len(nodes) - 1 - back) + k for back in (ACROSS, 0) for k in range(3)]
    vectors, modal = reduced(mass, stiffness, root, corners, FIXED_MODES)
    vectors, modal = vectors[:, :MODES], modal[:MODES, :MODES]
    w, by_y, by_x = vectors[0::3].T, vectors[1::3].T, vectors[2::3].T
    flat = np.zeros_like(w)
    # Rigid motions of the plate across its plane: along z, about x and about y.
    x, y = nodes[:, 0], nodes[:, 1]
    rigid = np.zeros((len(mass), 6))
    rigid[0::3, 2], rigid[0::3, 3], rigid[0::3, 4] = 1.0, y, -x
    rigid[1::3, 3] = rigid[2::3, 4] = 1.0
    lumped = mass[0::3, 0::3].sum(axis=1)
    total = DENSITY * THICKNESS * LENGTH * WIDTH
    about_x, about_y = total * WIDTH**2 / 12, total * LENGTH**2 / 3
    whole = np.diag([total, total, total, about_x, about_y, about_x + about_y])
    # The mass centre is at x = LENGTH / 2.
    whole[1, 5] = whole[5, 1] = total * LENGTH / 2
    whole[2, 4] = whole[4, 2] = -total * LENGTH / 2
    return {
        "nodes": nodes,
        "masses": lumped * total / lumped.sum(),
        "modes": np.stack((flat, flat, w), axis=2),
        "rotations": np.stack((by_y, by_x, flat), axis=2),
        "stiffness": modal,
        "mass": vectors.T @ mass @ vectors,
        "coupling": rigid.T @ mass @ vectors,
        "rigid": whole,
        "damping_ratios": np.full(len(modal), 0.01),
    }


if __name__ == "__main__":
    made = arrays()
    np.savez_compressed(Path(__file__).with_name("panel.npz"), **made)
    print("frequencies in Hz:", np.round(np.sqrt(np.diag(made["stiffness"])) / (2 * np.pi), 2))
