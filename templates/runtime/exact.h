/* Exact solutions of one equation in one unknown, for generated code.
 *
 * On entry *x (or q) holds a prediction; of several roots the one nearest to it is taken, and an
 * angle is continued without jumps of 2 pi. A helper returns false where its guard fails: the equation
 * does not determine the unknown, or has no real root. */
#ifndef EXACT_H
#define EXACT_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "circular.h"
#include "runtime.h"

/* Marks functions that every step calls. GNU compilers make two of each: one for processors with AVX, whose
 * instructions have three operands, and one for all others. The system's loader takes one. Both do the same
 * arithmetic in the same order, so the results are the same in every digit. */
#if defined __GNUC__ && !defined __clang__ && defined __x86_64__ && defined __GLIBC__ &&                       \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define EVERY_STEP __attribute__((target_clones("avx", "default")))
#else
#define EVERY_STEP
#endif

/* A discriminant below this share of its terms is nearly a double root. Rounding perturbs such a root by its
 * square root: iteration from the prediction is more accurate. */
#define EXACT_BLURRED 1e-4
/* Sine and cosine from linear equations are consistent if the sum of their squares differs from one by less. */
#define EXACT_CONSISTENT 1e-13
/* ... where known terms follow from a fixed number of Newton steps. */
#define EXACT_CONSISTENT_AFTER_FEW_STEPS 1e-4
#if defined MODEL_ITERATIONS && MODEL_ITERATIONS > 0
#define EXACT_UNIT_MARGIN EXACT_CONSISTENT_AFTER_FEW_STEPS
#else
#define EXACT_UNIT_MARGIN EXACT_CONSISTENT
#endif
/* A denominator below this share of its terms has lost digits, and so has a numerator that vanishes with it. */
#define EXACT_CANCELLED 1e-5
/* The cosine of the largest difference between an expected angle and one in the same assembly mode. */
#define EXACT_SAME_MODE 0.95
#define EXACT_PI 3.141592653589793

/* --- angles ------------------------------------------------------------------------------------ */

#define EXACT_NEAR 0.06    /* a sine this small gives its angle by a short series */
#define EXACT_EXPECTED 0.25 /* for a turn this small two terms are exact enough */

/* The expected direction of the angle q, accurate enough to distinguish two roots. */
static inline void exact_predict(const Anchor *anchor, double q, double *sine, double *cosine)
{
    const double turn = q - anchor->q;
    if (fabs(turn) <= EXACT_EXPECTED) {
        const double loss = 0.5 * turn * turn;
        *sine = anchor->sine + anchor->cosine * turn - anchor->sine * loss;
        *cosine = anchor->cosine - anchor->sine * turn - anchor->cosine * loss;
    } else {
        circle_of(q, sine, cosine);
    }
}

/* The angle with the given direction, continued from *q. */
static inline void exact_turn(const Anchor *anchor, double sine, double cosine, double *q)
{
    const double x = sine * anchor->cosine - cosine * anchor->sine;
    if (fabs(x) <= EXACT_NEAR && cosine * anchor->cosine + sine * anchor->sine > 0.0 &&
        fabs(*q - anchor->q) < 1.0) {
        const double z = x * x; /* the series of arc sine */
        const double rest = (((945.0 / 42240.0 * z + 105.0 / 3456.0) * z + 15.0 / 336.0) * z + 0.075) * z;
        *q = anchor->q + (x + x * z * (1.0 / 6.0 + rest));
    } else {
        const double turns = (atan2(sine, cosine) - *q) / (2.0 * EXACT_PI);
        *q += 2.0 * EXACT_PI * (turns - floor(turns + 0.5));
    }
}

/* Whether sine and cosine, found one by one, belong to an angle. */
static inline bool exact_unit(double sine, double cosine)
{
    return fabs(sine * sine + cosine * cosine - 1.0) <= 2.0 * EXACT_UNIT_MARGIN;
}

/* Whether the direction of an angle that equals another one is as expected. It is not if the mechanism is in an
 * assembly mode in which these angles differ. */
static inline bool exact_expected(const Anchor *anchor, double q, double sine, double cosine)
{
    double s, c;
    exact_predict(anchor, q, &s, &c);
    return s * sine + c * cosine > EXACT_SAME_MODE;
}

/* --- roots ------------------------------------------------------------------------------------- */

/* Whether numerator / denominator is accurate; `size` is the size of the terms of the denominator. */
static inline bool exact_regular(double numerator, double denominator, double size)
{
    return fabs(denominator) > DBL_EPSILON * fabs(numerator) && fabs(denominator) > EXACT_CANCELLED * size;
}

/* The square root of a discriminant with the sign of `side`, the side on which the unknown is expected. */
static inline bool exact_root(double discriminant, double scale, double side, double *root)
{
    if (!(discriminant > EXACT_BLURRED * scale)) {
        return false;
    }
    *root = copysign(sqrt(discriminant), side);
    return true;
}

/* x^2 = square; `size` is the size of the terms of the square. */
static inline bool exact_square(double square, double size, double *x)
{
    if (!(square > EXACT_BLURRED * size && square <= DBL_MAX)) {
        return false;
    }
    *x = copysign(sqrt(square), *x);
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

/* The same in the tangent of half the angle; the angle is offset by half a turn where that tangent is large. */
static inline bool exact_half_angle(int degree, const double *coefficients, const Anchor *anchor, double q,
                                    double *sine, double *cosine)
{
    double s, c;
    exact_predict(anchor, q, &s, &c);
    double tangent;
    if (c >= 0.0) {
        tangent = s / (1.0 + c);
        if (!exact_polynomial(degree, coefficients, &tangent)) {
            return false;
        }
    } else {
        double reversed[32];
        double cotangent = s / (1.0 - c);
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
    return true;
}

#endif
