/* Small dense linear algebra. Matrices are row major without gaps; all work space is the caller's;
 * every size may be zero. */
#ifndef LINEAR_H
#define LINEAR_H

#include <stdbool.h>

/* As fmax, without a call; y may be NaN, x may not. */
static inline double larger(double x, double y)
{
    return y > x ? y : x;
}

/* Largest magnitude in x; a NaN in x is returned as NaN. */
double max_magnitude(int n, const double *x);

/* Scalar product. */
double dot(int n, const double *x, const double *y);

/* LU factors of the n*n matrix a, in place, with partial pivoting on implicitly scaled rows.
 * scale has room for n. Returns -1, or the column in which no pivot is left. */
int lu_factor(int n, double *a, int *pivot, double *scale);

/* Solve a x = b (or a^T x = b) in place of b, from the factors. */
void lu_solve(int n, const double *lu, const int *pivot, double *b);
void lu_solve_transposed(int n, const double *lu, const int *pivot, double *b);

/* Cholesky factor of the symmetric n*n matrix a, in place (lower triangle).
 * Returns -1, or the row whose pivot is not positive: a is not positive definite. */
int cholesky_factor(int n, double *a);
void cholesky_solve(int n, const double *factor, double *b);

/* The shortest x with a x = b for the m*n matrix a (destroyed, as is b), by Householder reflections
 * from the right with row pivoting. Rows that depend on earlier ones to within `tolerance` (relative
 * to the longest row) are left out. x has room for n, diagonal for min(m, n). Returns the rank. */
int minimal_norm(int m, int n, double *a, double *b, double tolerance, double *x, double *diagonal);

#endif
