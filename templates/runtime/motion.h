/* The motion of the mechanism as an ordinary differential equation: for a time and an ODE state
 * y = (coordinates, velocities) find positions, velocities, accelerations and multipliers. */
#ifndef MOTION_H
#define MOTION_H

#include "instance.h"

/* Evaluate everything at (t, y). False: see self->failure. */
bool evaluate_motion(Instance *self, double t, const double *y, Point *point);

/* The ODE state of a point, and its derivative. */
void ode_state(const State *state, const Point *point, double *y);
void ode_derivative(const State *state, const Point *point, double *dydt);

/* Augmented closure: move an integrated point onto the constraints. The others need nothing. */
bool settle_motion(Instance *self, Point *point);

/* Bring accelerations and multipliers of the last accepted point up to date with the inputs. */
bool refresh_motion(Instance *self);

#endif
