/* Times equations of Kane's method with multipliers, one dense linear system a right-hand side.
 *
 *     time_kane STEP COUNT ROUNDS
 *
 * Follows COUNT steps of STEP seconds of RK4 from the start, then prints the CPU nanoseconds of a right-hand
 * side along that motion and of a step, and then the mass centres of all bodies at its end. KANE names the
 * file with the equations. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>

/* As a person would write it: powers of two are products. */
#define POW(base, exponent) ((exponent) == 2 ? (base) * (base) : pow(base, exponent))
#include KANE
#include "stopwatch.h"

#define SIZE (N + M)
#define ROW (2 * N)

/* Gauss with partial pivoting; `b` becomes the solution. */
static int solve(double a[SIZE][SIZE], double b[SIZE])
{
    for (int k = 0; k < SIZE; k++) {
        int pivot = k;
        for (int i = k + 1; i < SIZE; i++) {
            if (fabs(a[i][k]) > fabs(a[pivot][k])) {
                pivot = i;
            }
        }
        if (a[pivot][k] == 0.0) {
            return 0;
        }
        if (pivot != k) {
            for (int j = k; j < SIZE; j++) {
                const double held = a[k][j];
                a[k][j] = a[pivot][j];
                a[pivot][j] = held;
            }
            const double held = b[k];
            b[k] = b[pivot];
            b[pivot] = held;
        }
        for (int i = k + 1; i < SIZE; i++) {
            const double factor = a[i][k] / a[k][k];
            if (factor != 0.0) {
                for (int j = k + 1; j < SIZE; j++) {
                    a[i][j] -= factor * a[k][j];
                }
                b[i] -= factor * b[k];
            }
        }
    }
    for (int i = SIZE - 1; i >= 0; i--) {
        for (int j = i + 1; j < SIZE; j++) {
            b[i] -= a[i][j] * b[j];
        }
        b[i] /= a[i][i];
    }
    return 1;
}

static void side(const double *row, double *rates)
{
    double mass[N * N], jacobian[M * N], matrix[SIZE][SIZE], right[SIZE];
    terms(row, row + N, mass, right, jacobian, right + N);
    memset(matrix, 0, sizeof matrix);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            matrix[i][j] = mass[i * N + j];
        }
        for (int j = 0; j < M; j++) {
            matrix[i][N + j] = matrix[N + j][i] = jacobian[j * N + i];
        }
    }
    if (!solve(matrix, right)) {
        fprintf(stderr, "the equations are singular\n");
        exit(3);
    }
    memcpy(rates, row + N, N * sizeof *rates);
    memcpy(rates + N, right, N * sizeof *rates);
}

static void advance(double *row, const double *from, const double *rates, double h)
{
    for (int i = 0; i < ROW; i++) {
        row[i] = from[i] + h * rates[i];
    }
}

static void step(double *row, double h)
{
    double k1[ROW], k2[ROW], k3[ROW], k4[ROW], trial[ROW];
    side(row, k1);
    advance(trial, row, k1, h / 2);
    side(trial, k2);
    advance(trial, row, k2, h / 2);
    side(trial, k3);
    advance(trial, row, k3, h);
    side(trial, k4);
    for (int i = 0; i < ROW; i++) {
        row[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
}

int main(int words, char **word)
{
    if (words != 4) {
        return 1;
    }
    const double h = strtod(word[1], NULL);
    const int count = atoi(word[2]), rounds = atoi(word[3]);
    double *motion = calloc((size_t)count * ROW, sizeof *motion);
    double *sides = calloc((size_t)rounds, sizeof *sides), *steps = calloc((size_t)rounds, sizeof *steps);
    double row[ROW] = {0.0}, rates[ROW], place[2 * BODIES], kept = 0.0;
    if (!motion || !sides || !steps) {
        return 2;
    }
    for (int i = 0; i < count; i++) {
        memcpy(motion + (size_t)i * ROW, row, sizeof row);
        step(row, h);
    }
    centers(row, place);
    for (int round = 0; round < rounds; round++) {
        double begin = now();
        for (int i = 0; i < count; i++) {
            side(motion + (size_t)i * ROW, rates);
            kept += rates[N];
        }
        sides[round] = since(begin) / count;
        memset(row, 0, sizeof row);
        begin = now();
        for (int i = 0; i < count; i++) {
            step(row, h);
        }
        steps[round] = since(begin) / count;
        kept += row[0];
    }
    printf("%.1f %.1f\n", quantile(sides, rounds), quantile(steps, rounds));
    for (int i = 0; i < BODIES; i++) {
        printf("%s %.15g %.15g 0\n", names[i], place[2 * i], place[2 * i + 1]);
    }
    return isfinite(kept) ? 0 : 4;
}
