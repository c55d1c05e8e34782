#include "linear.h"

#include <float.h>
#include <math.h>

double max_magnitude(int n, const double *x)
{
    double largest = 0.0;
    int none = 0;
    for (int i = 0; i < n; i++) {
        largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
        none |= x[i] != x[i]; /* true for NaN alone */
    }
    return none ? NAN : largest;
}

double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void swap_rows(int n, double *a, int i, int k)
{
    for (int j = 0; i != k && j < n; j++) {
        const double held = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = held;
    }
}

static void swap(double *x, int i, int k)
{
    const double held = x[i];
    x[i] = x[k];
    x[k] = held;
}

/* --- LU --------------------------------------------------------------------------------------- */

static int scaled_pivot_row(int n, const double *a, const double *scale, int k)
{
    int best = -1;
    double largest = 0.0;
    for (int i = k; i < n; i++) {
        const double size = scale[i] > 0.0 ? fabs(a[i * n + k]) / scale[i] : 0.0;
        if (size > largest) {
            largest = size;
            best = i;
        }
    }
    return largest > n * DBL_EPSILON ? best : -1;
}

int lu_factor(int n, double *a, int *pivot, double *scale)
{
    for (int i = 0; i < n; i++) {
        scale[i] = max_magnitude(n, a + i * n);
    }
    for (int k = 0; k < n; k++) {
        pivot[k] = scaled_pivot_row(n, a, scale, k);
        if (pivot[k] < 0) {
            return k;
        }
        swap_rows(n, a, k, pivot[k]);
        swap(scale, k, pivot[k]);
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; factor != 0.0 && j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    return -1;
}

void lu_solve(int n, const double *lu, const int *pivot, double *b)
{
    for (int k = 0; k < n; k++) {
        swap(b, k, pivot[k]);
    }
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < i; j++) {
            b[i] -= lu[i * n + j] * b[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            b[i] -= lu[i * n + j] * b[j];
        }
        b[i] /= lu[i * n + i];
    }
}

void lu_solve_transposed(int n, const double *lu, const int *pivot, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            b[i] -= lu[j * n + i] * b[j];
        }
        b[i] /= lu[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            b[i] -= lu[j * n + i] * b[j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        swap(b, k, pivot[k]);
    }
}

/* --- Cholesky --------------------------------------------------------------------------------- */

int cholesky_factor(int n, double *a)
{
    for (int i = 0; i < n; i++) {
        const double diagonal = a[i * n + i];
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (j < i) {
                a[i * n + j] = sum / a[j * n + j];
            } else if (sum > n * DBL_EPSILON * diagonal) {
                a[i * n + i] = sqrt(sum);
            } else {
                return i;
            }
        }
    }
    return -1;
}

void cholesky_solve(int n, const double *factor, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            b[i] -= factor[i * n + j] * b[j];
        }
        b[i] /= factor[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            b[i] -= factor[j * n + i] * b[j];
        }
        b[i] /= factor[i * n + i];
    }
}

/* --- shortest solution ------------------------------------------------------------------------ */

static double norm(int n, const double *x)
{
    return sqrt(dot(n, x, x));
}

/* x -= 2 w (w.x) for the unit vector w. */
static void reflect(int n, const double *w, double *x)
{
    const double product = dot(n, w, x);
    for (int i = 0; i < n; i++) {
        x[i] -= 2.0 * product * w[i];
    }
}

/* Replace x by the unit vector w of the reflection that takes x to (value, 0, ..., 0); return value. */
static double make_reflection(int n, double *x)
{
    const double value = x[0] > 0.0 ? -norm(n, x) : norm(n, x);
    x[0] -= value;
    const double length = norm(n, x);
    for (int i = 0; i < n; i++) {
        x[i] /= length;
    }
    return value;
}

static int longest_row(int m, int n, const double *a, int k, double *length)
{
    int longest = k;
    *length = 0.0;
    for (int i = k; i < m; i++) {
        const double size = norm(n - k, a + i * n + k);
        if (size > *length) {
            *length = size;
            longest = i;
        }
    }
    return longest;
}

int minimal_norm(int m, int n, double *a, double *b, double tolerance, double *x, double *diagonal)
{
    const int most = m < n ? m : n;
    double threshold = 0.0;
    int rank = 0;
    for (; rank < most; rank++) {
        const int k = rank;
        double length;
        const int row = longest_row(m, n, a, k, &length);
        if (k == 0) {
            threshold = tolerance * length;
        }
        if (length <= threshold) {
            break;
        }
        swap_rows(n, a, k, row);
        swap(b, k, row);
        diagonal[k] = make_reflection(n - k, a + k * n + k);
        for (int i = k + 1; i < m; i++) {
            reflect(n - k, a + k * n + k, a + i * n + k);
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] = i < rank ? b[i] : 0.0;
        for (int j = 0; i < rank && j < i; j++) {
            x[i] -= a[i * n + j] * x[j]; /* left of the diagonal: the triangular factor */
        }
        x[i] /= i < rank ? diagonal[i] : 1.0;
    }
    for (int k = rank - 1; k >= 0; k--) {
        reflect(n - k, a + k * n + k, x + k);
    }
    return rank;
}
