"""Triples and 3x3 matrices of expressions; zeros and ones vanish on the DAG."""

from __future__ import annotations

from fmugen.expr.dag import Dag, Expr, Scalar

__all__ = [
    "Matrix3",
    "Vector3",
    "add3",
    "cross",
    "dot",
    "identity",
    "is_null",
    "matmul",
    "matvec",
    "null",
    "null_matrix",
    "rotation_about",
    "scale3",
    "transpose",
    "unit",
]

Vector3 = tuple[Expr, Expr, Expr]
Matrix3 = tuple[Vector3, Vector3, Vector3]


def null(dag: Dag) -> Vector3:
    return (dag.zero, dag.zero, dag.zero)


def null_matrix(dag: Dag) -> Matrix3:
    return (null(dag), null(dag), null(dag))


def is_null(vector: Vector3) -> bool:
    x, y, z = vector
    return x.is_zero and y.is_zero and z.is_zero


def identity(dag: Dag) -> Matrix3:
    zero, one = dag.zero, dag.one
    return ((one, zero, zero), (zero, one, zero), (zero, zero, one))


def add3(a: Vector3, b: Vector3) -> Vector3:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def scale3(factor: Scalar, vector: Vector3) -> Vector3:
    number = vector[0].dag.expr(factor)
    return (number * vector[0], number * vector[1], number * vector[2])


def dot(a: Vector3, b: Vector3) -> Expr:
    pairs = zip(a, b, strict=True)
    products = [one * other for one, other in pairs if not (one.is_zero or other.is_zero)]
    return a[0].dag.add(products) if products else a[0].dag.zero


def cross(a: Vector3, b: Vector3) -> Vector3:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def transpose(matrix: Matrix3) -> Matrix3:
    (a, b, c), (d, e, f), (g, h, i) = matrix
    return ((a, d, g), (b, e, h), (c, f, i))


def matvec(matrix: Matrix3, vector: Vector3) -> Vector3:
    return (dot(matrix[0], vector), dot(matrix[1], vector), dot(matrix[2], vector))


def matmul(a: Matrix3, b: Matrix3) -> Matrix3:
    columns = transpose(b)
    rows = [tuple(dot(row, column) for column in columns) for row in a]
    return ((*rows[0],), (*rows[1],), (*rows[2],))  # type: ignore[return-value]


def rotation_about(axis: Vector3, angle: Expr) -> Matrix3:
    """The rotation by ``angle`` about the unit vector ``axis`` (Rodrigues; McPhee (72) about z)."""
    dag = angle.dag
    c, s = dag.call("cos", angle), dag.call("sin", angle)
    x, y, z = axis
    v = 1 - c
    return (
        (x * x * v + c, x * y * v - z * s, x * z * v + y * s),
        (x * y * v + z * s, y * y * v + c, y * z * v - x * s),
        (x * z * v - y * s, y * z * v + x * s, z * z * v + c),
    )


def unit(vector: Vector3) -> Vector3:
    """``vector`` divided by its length."""
    length = vector[0].dag.call("sqrt", dot(vector, vector))
    return (vector[0] / length, vector[1] / length, vector[2] / length)
