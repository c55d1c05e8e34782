/* Sine and cosine, to less than one unit in the last place and to the same bits on every platform.
 *
 * The functions of C libraries differ in their last bits between systems, and some even between processors;
 * motions amplify that. These use only additions, multiplications and comparisons, which IEEE 754 defines
 * exactly.
 *
 * The argument is reduced to [-pi/4, pi/4] as a sum of two numbers: pi/2 is split into parts whose products
 * with the number of quarter turns are exact (W. J. Cody and W. Waite, Software Manual for the Elementary
 * Functions, 1980). There the functions are minimax polynomials in the square of the argument, with relative
 * errors of 2^-57 and 2^-59. Beyond CIRCULAR_LARGEST, some 160,000 turns, the C library answers. */
#ifndef CIRCULAR_H
#define CIRCULAR_H

#include <math.h>

#define CIRCULAR_LARGEST 1e6
#define CIRCULAR_TURN 6.283185307179586
#define CIRCULAR_PER_RADIAN 0.6366197723675814 /* quarter turns: 2/pi */
#define CIRCULAR_ROUND 6755399441055744.0      /* 1.5 * 2^52: a sum with it has no fraction */
/* An argument this close to a whole number of quarter turns has lost leading digits. */
#define CIRCULAR_NEAR 0.015625
/* pi/2 as sums: 33 bits and a rest of 53 bits; and 33 bits, 33 bits and a rest. */
#define CIRCULAR_QUARTER 0x1.921fb544p+0
#define CIRCULAR_REST 0x1.0b4611a626331p-34
#define CIRCULAR_REST_1 0x1.0b4611a6p-34
#define CIRCULAR_REST_2 0x1.3198a2ep-69
#define CIRCULAR_REST_3 0x1.b839a252049c1p-104

/* An angle y + small within an eighth of a turn, after removing that many quarter turns. */
typedef struct {
    double y, small;
    unsigned quarters;
} CircularAngle;

/* The difference a - b; *error receives its rounding error. */
static inline double circular_difference(double a, double b, double *error)
{
    const double d = a - b, part = d - a;
    *error = (a - (d - part)) - (b + part);
    return d;
}

static inline CircularAngle circular_reduce(double x)
{
    const double n = (x * CIRCULAR_PER_RADIAN + CIRCULAR_ROUND) - CIRCULAR_ROUND;
    const double first = x - n * CIRCULAR_QUARTER; /* exact */
    const double rest = n * CIRCULAR_REST;
    CircularAngle angle = {first - rest, 0.0, (unsigned)(int)n};
    if (fabs(angle.y) >= CIRCULAR_NEAR || n == 0.0) {
        angle.small = (first - angle.y) - rest;
    } else {
        double lost, lost_too;
        const double second = circular_difference(first, n * CIRCULAR_REST_1, &lost);
        const double third = circular_difference(second, n * CIRCULAR_REST_2, &lost_too);
        const double small = (lost + lost_too) - n * CIRCULAR_REST_3;
        angle.y = third + small;
        angle.small = (third - angle.y) + small;
    }
    return angle;
}

static inline double circular_near_zero(double y, double small)
{
    const double z = y * y, z2 = z * z;
    const double series = (-0.16666666666666632 + z * 0.00833333333332237) +
                          z2 * ((-0.00019841269829770587 + z * 2.7557313678496326e-06) +
                                z2 * (-2.5050755938228708e-08 + z * 1.589666530349776e-10));
    return y + (y * z * series + small * (1.0 - 0.5 * z));
}

static inline double circular_near_one(double y, double small)
{
    const double z = y * y, z2 = z * z;
    const double series = (0.0416666666666666 + z * -0.0013888888888874064) +
                          z2 * ((2.48015872894434e-05 + z * -2.7557314340640275e-07) +
                                z2 * (2.0875721621523857e-09 + z * -1.135955923211303e-11));
    const double half = 0.5 * z, most = 1.0 - half;
    return most + (((1.0 - most) - half) + (z2 * series - y * small));
}

/* The sine of an angle that is ahead by so many quarter turns. */
static inline double circular_ahead(CircularAngle angle, unsigned quarters)
{
    const unsigned turned = angle.quarters + quarters;
    const double value = turned & 1u ? circular_near_one(angle.y, angle.small)
                                     : circular_near_zero(angle.y, angle.small);
    return turned & 2u ? -value : value;
}

/* Both at once: the same bits, with one reduction. */
static inline void circle_of(double x, double *sine, double *cosine)
{
    if (!(fabs(x) <= CIRCULAR_LARGEST)) {
        *sine = sin(x);
        *cosine = cos(x);
        return;
    }
    const CircularAngle angle = circular_reduce(x);
    const double zero = circular_near_zero(angle.y, angle.small);
    const double one = circular_near_one(angle.y, angle.small);
    const double s = angle.quarters & 1u ? one : zero, c = angle.quarters & 1u ? zero : one;
    *sine = angle.quarters & 2u ? -s : s;
    *cosine = (angle.quarters + 1u) & 2u ? -c : c;
}

static inline double sine_of(double x)
{
    return fabs(x) <= CIRCULAR_LARGEST ? circular_ahead(circular_reduce(x), 0u) : sin(x);
}

static inline double cosine_of(double x)
{
    return fabs(x) <= CIRCULAR_LARGEST ? circular_ahead(circular_reduce(x), 1u) : cos(x);
}

/* The whole turns, in radians, that bring an angle closest to another one; zero if an angle is not finite. */
static inline double whole_turns(double angle, double near)
{
    return isfinite(near) ? CIRCULAR_TURN * floor((near - angle) / CIRCULAR_TURN + 0.5) : 0.0;
}

#endif
