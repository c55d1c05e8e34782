/* Networks: first-order states x, and unknowns z of nonlinear algebraic equations. Linear equations are
 * solved symbolically in the model functions. */
#ifndef NETWORK_H
#define NETWORK_H

#include "instance.h"

/* Find z, block by block, for the time, the states, positions and velocities of the point, starting from
 * the z of the point. */
bool solve_network(Instance *self, Point *point);

/* The derivatives of the states; the rest of the point is known. */
bool differentiate_network(Instance *self, Point *point);

/* Start values of the states: given values, fixed values, and rest if requested. Positions and velocities of
 * the point are known. */
bool start_network(Instance *self, Point *point);

#endif
