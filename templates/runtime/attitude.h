/* Attitudes: unit quaternions that are integrated whole.
 *
 * Three of the four components are independent, and dividing by the fourth makes errors large where it is small.
 * An attitude with three independent components in the present partition is therefore integrated whole: by all
 * four components, which are normalized, and by its angular velocity in the axes of the head,
 *
 *     p' = G(p)^T w / 2,   w = 2 G(p) p',   w' = 2 G(p) p''
 *
 * with G(p) = (-p1 p0 p3 -p2; -p2 -p3 p0 p1; -p3 p2 -p1 p0). The rows of G(p) are orthogonal to p and to each
 * other. An attitude with fewer independent components is closed as every other loop. */
#ifndef ATTITUDE_H
#define ATTITUDE_H

#include "instance.h"

/* The entry of G(p) in the row of an axis and the column of a component. */
static inline double attitude_entry(const double *p, int axis, int component)
{
    static const int place[3][4] = {{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    static const double sign[3][4] = {{-1.0, 1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0, 1.0}, {-1.0, 1.0, -1.0, 1.0}};
    return sign[axis][component] * p[place[axis][component]];
}

/* Whether an attitude is integrated whole at present. */
static inline bool is_whole(const State *state, int attitude)
{
    return state->partition.fourth[attitude] >= 0;
}

/* Copy the components of an attitude from a vector of all coordinates, and back. */
void take_attitude(int attitude, const double *vector, double *components);
void put_attitude(int attitude, const double *components, double *vector);

/* w = 2 G(p) x, and x = G(p)^T w / 2. */
void spin_of(const double *p, const double *x, double *w);
void rates_of(const double *p, const double *w, double *x);

/* Divides p by its norm, and returns the norm. */
double normalize(double *p);

/* Derivatives of the constraints by the dependent coordinates, in rows of MODEL_NC. The fourth component of a
 * whole attitude is known: in its row and column there is only a one. */
void dependent_columns(const State *state, const double *phi_q, double *phi_d);

/* Completes a right-hand side for that matrix: with the fourth components and their contributions to other
 * rows. */
void move_fourth(const State *state, const double *phi_q, const double *values, double *side);

/* The entries of `rows` that belong to the lengths of whole attitudes become zero. */
void clear_lengths(const State *state, double *rows);

#endif
