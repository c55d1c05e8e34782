/* Changes of what is integrated as a direction of all coordinates, and back. */
#ifndef DIRECTION_H
#define DIRECTION_H

#include "instance.h"

/* The changes of the ODE state at a point as changes of positions, velocities and states of the network. */
void scatter_states(const State *state, const Point *point, const double *change, Direction *along);

/* Back: `q` are changes of positions or of their rates, `vector` the velocities or accelerations at the point,
 * `along_vector` their changes, `x` changes of states of the network or of their derivatives. */
void gather_states(const State *state, const Point *point, const Direction *along, const double *q,
                   const double *vector, const double *along_vector, const double *x, double *change);

#endif
