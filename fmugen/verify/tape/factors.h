/* Orthogonal factorization with exchange of columns, and what is solved with it. */
#include <math.h>
#include <stdint.h>
#include <string.h>

static double product(const double *a, const double *b, int count)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        s0 += a[k] * b[k];
        s1 += a[k + 1] * b[k + 1];
        s2 += a[k + 2] * b[k + 2];
        s3 += a[k + 3] * b[k + 3];
    }
    for (; k < count; k++)
        s0 += a[k] * b[k];
    return (s0 + s1) + (s2 + s3);
}

static void add_multiple(double *a, double factor, const double *b, int count)
{
    for (int k = 0; k < count; k++)
        a[k] += factor * b[k];
}

/* A = Q R P^T of `columns` columns of length n, one after the other, by Householder's reflections
 * I - beta u u^T. R is on and above the diagonal, u below it, with its first entry in `head`. The columns are
 * taken by their remaining lengths. Returns how many diagonal entries exceed the tolerance, relative to the
 * first. */
static int factorize(int n, int columns, double *A, int32_t *order, double *head, double *beta, double *norm,
                     double tolerance)
{
    int most = n < columns ? n : columns, rank = 0;
    double *whole = norm + columns;
    for (int j = 0; j < columns; j++) {
        order[j] = j;
        whole[j] = norm[j] = product(A + (size_t)j * n, A + (size_t)j * n, n);
    }
    double first = 0.0;
    for (int k = 0; k < most; k++, rank++) {
        int best = k;
        for (int j = k + 1; j < columns; j++)
            if (norm[j] > norm[best])
                best = j;
        double *column = A + (size_t)k * n;
        if (best != k) {
            double *other = A + (size_t)best * n;
            for (int i = 0; i < n; i++) {
                double kept = column[i];
                column[i] = other[i];
                other[i] = kept;
            }
            int32_t kept = order[k];
            order[k] = order[best];
            order[best] = kept;
            norm[best] = norm[k];
            whole[best] = whole[k];
        }
        double length = sqrt(product(column + k, column + k, n - k));
        if (k == 0)
            first = length;
        if (!(length > tolerance * first))
            break;
        double diagonal = column[k] > 0.0 ? -length : length;
        double u = column[k] - diagonal;
        head[k] = u;
        beta[k] = -1.0 / (diagonal * u);
        column[k] = u;
        for (int j = k + 1; j < columns; j++) {
            double *other = A + (size_t)j * n;
            add_multiple(other + k, -beta[k] * product(column + k, other + k, n - k), column + k, n - k);
            /* A difference of squares loses digits: the remaining length is found anew when few are left. */
            norm[j] -= other[k] * other[k];
            if (!(norm[j] > 1e-6 * whole[j]))
                whole[j] = norm[j] = product(other + k + 1, other + k + 1, n - k - 1);
        }
        column[k] = diagonal;
    }
    return rank;
}

/* x = Q x, or Q^T x. */
static void reflect(int n, int rank, double *A, const double *head, const double *beta, double *x, int transposed)
{
    for (int step = 0; step < rank; step++) {
        int k = transposed ? step : rank - 1 - step;
        double *u = A + (size_t)k * n + k, diagonal = u[0];
        u[0] = head[k];
        add_multiple(x + k, -beta[k] * product(u, x + k, n - k), u, n - k);
        u[0] = diagonal;
    }
}

/* x = R^-T x for the leading rank columns; R is stored by columns. */
static void forward(int n, int rank, const double *A, double *x)
{
    for (int j = 0; j < rank; j++) {
        const double *column = A + (size_t)j * n;
        x[j] = (x[j] - product(column, x, j)) / column[j];
    }
}

/* x = R^-1 x */
static void backward(int n, int rank, const double *A, double *x)
{
    for (int j = rank - 1; j >= 0; j--) {
        const double *column = A + (size_t)j * n;
        x[j] /= column[j];
        add_multiple(x, -x[j], column, j);
    }
}

static void scale_to_one(double *x, int count)
{
    double length = sqrt(product(x, x, count));
    for (int k = 0; k < count; k++)
        x[k] /= length;
}

/* About the smallest singular value of R relative to the largest, by the power method. */
static double conditioning(int n, int rank, const double *A, double *x)
{
    enum { ITERATIONS = 3 };
    double smallest = 1.0, largest = 1.0;
    if (!rank)
        return 1.0;
    memset(x, 0, sizeof(double) * (size_t)rank);
    x[rank - 1] = 1.0;
    for (int k = 0; k < ITERATIONS; k++) {
        backward(n, rank, A, x);
        scale_to_one(x, rank);
        forward(n, rank, A, x);
        smallest = 1.0 / sqrt(product(x, x, rank));
        scale_to_one(x, rank);
    }
    for (int k = 0; k < rank; k++)
        x[k] = 1.0;
    double *y = x + rank;
    for (int k = 0; k < ITERATIONS; k++) {
        scale_to_one(x, rank);
        memset(y, 0, sizeof(double) * (size_t)rank);
        for (int j = 0; j < rank; j++)
            add_multiple(y, x[j], A + (size_t)j * n, j + 1);
        largest = sqrt(product(y, y, rank));
        for (int j = 0; j < rank; j++)
            x[j] = product(A + (size_t)j * n, y, j + 1);
    }
    return smallest / largest;
}
