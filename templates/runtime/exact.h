/* Exact solutions of one equation in one unknown, for generated code.
 *
 * On entry *x (or *q) holds a prediction; of several roots the one nearest to it is taken, and an
 * angle is continued without jumps of 2 pi. A helper returns false where its guard fails: the equation
 * does not determine the unknown, or has no real root. */
#ifndef EXACT_H
#define EXACT_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* A discriminant below this part of its terms is nearly a double root, which rounding blurs to the square
 * root of its own size: there iteration from the prediction is more accurate. */
#define EXACT_BLURRED 1e-4
/* Sine and cosine from linear equations are consistent if their squares add up to one this well. */
#define EXACT_CONSISTENT 1e-13
#define EXACT_PI 3.141592653589793

/* The angle with the given direction, continued from *q. */
static inline void exact_continue(double sine, double cosine, double *q)
{
    const double turns = (atan2(sine, cosine) - *q) / (2.0 * EXACT_PI);
    *q += 2.0 * EXACT_PI * (turns - floor(turns + 0.5));
}

static inline bool exact_linear(double numerator, double denominator, double *x)
{
    if (!(fabs(denominator) > DBL_EPSILON * fabs(numerator))) {
        return false;
    }
    *x = numerator / denominator;
    return true;
}

static inline bool exact_linear_angle(double sine, double cosine, double denominator, double *q, double *s,
                                      double *c)
{
    const double size = sqrt(sine * sine + cosine * cosine);
    if (!(fabs(size - fabs(denominator)) <= EXACT_CONSISTENT * size)) {
        return false;
    }
    *s = denominator < 0.0 ? -sine / size : sine / size;
    *c = denominator < 0.0 ? -cosine / size : cosine / size;
    exact_continue(*s, *c, q);
    return true;
}

/* a sin + b cos = c */
static inline bool exact_goniometric(double a, double b, double c, double *q, double *sine, double *cosine)
{
    const double square = a * a + b * b;
    const double discriminant = square - c * c;
    if (!(discriminant > EXACT_BLURRED * square)) {
        return false;
    }
    double root = sqrt(discriminant) / square;
    if (b * sin(*q) < a * cos(*q)) { /* the mode: b sin - a cos is plus or minus the root */
        root = -root;
    }
    const double share = c / square;
    *sine = a * share + b * root;
    *cosine = b * share - a * root;
    exact_continue(*sine, *cosine, q);
    return true;
}

/* a x^2 + b x + c = 0, without cancellation */
static inline bool exact_quadratic(double a, double b, double c, double *x)
{
    const double discriminant = b * b - 4.0 * a * c;
    if (!(discriminant > EXACT_BLURRED * (b * b + fabs(4.0 * a * c)))) {
        return false;
    }
    const double root = sqrt(discriminant);
    const double large = -0.5 * (b + (b < 0.0 ? -root : root));
    if (large == 0.0 && a == 0.0) {
        return false;
    }
    const double first = a != 0.0 ? large / a : c / large;
    const double second = large != 0.0 ? c / large : first;
    *x = fabs(first - *x) <= fabs(second - *x) ? first : second;
    return isfinite(*x);
}

#define EXACT_ITERATIONS 40

/* A root of sum(coefficients[i] x^i), by Newton's method from the prediction, step bounded. */
static inline bool exact_polynomial(int degree, const double *coefficients, double *x)
{
    double at = *x;
    for (int iteration = 0; iteration < EXACT_ITERATIONS; iteration++) {
        double value = coefficients[degree], slope = 0.0, size = fabs(value);
        for (int i = degree - 1; i >= 0; i--) {
            slope = slope * at + value;
            value = value * at + coefficients[i];
            size = size * fabs(at) + fabs(coefficients[i]);
        }
        if (!(fabs(value) > 4.0 * DBL_EPSILON * size)) {
            *x = at;
            return isfinite(at);
        }
        const double limit = 0.5 * (1.0 + fabs(at));
        const double step = slope != 0.0 ? value / slope : limit;
        at -= fmax(-limit, fmin(limit, step));
    }
    return false;
}

/* The same in the tangent of half the angle; turned by a half turn where that tangent is large. */
static inline bool exact_half_angle(int degree, const double *coefficients, double *q, double *sine,
                                    double *cosine)
{
    double tangent = tan(0.5 * *q);
    if (fabs(tangent) <= 1.0) {
        if (!exact_polynomial(degree, coefficients, &tangent)) {
            return false;
        }
    } else {
        double reversed[32];
        double cotangent = 1.0 / tangent;
        if (degree >= 32) {
            return false;
        }
        for (int i = 0; i <= degree; i++) {
            reversed[i] = coefficients[degree - i];
        }
        if (!exact_polynomial(degree, reversed, &cotangent) || cotangent == 0.0) {
            return false;
        }
        tangent = 1.0 / cotangent;
    }
    const double share = 1.0 / (1.0 + tangent * tangent);
    *sine = 2.0 * tangent * share;
    *cosine = (1.0 - tangent * tangent) * share;
    exact_continue(*sine, *cosine, q);
    return true;
}

#endif
