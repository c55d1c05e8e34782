/* The motion of the mechanism as an ordinary differential equation: for a time and an ODE state
 * y = (coordinates, velocities) find positions, velocities, accelerations and multipliers. */
#ifndef MOTION_H
#define MOTION_H

#include "instance.h"

/* The coordinate whose position, or velocity, is the k-th integrated one; -1 if there is none at present. For
 * whole attitudes the velocities are angular velocities. */
static inline int ode_position(const State *state, int k)
{
    if (!EMBEDDED) {
        return k;
    }
    return k < MODEL_NI ? state->partition.independent[k] : state->partition.fourth[k - MODEL_NI];
}

static inline int ode_velocity(const State *state, int k)
{
    return PARTITIONED ? state->partition.independent[k] : k;
}

/* The inputs at point->t, and their rates at a time. */
void take_inputs(const State *state, Point *point);
void input_rates(const State *state, double t, double *rates);

/* Baumgarte, penalty, projection: gamma -= rate * (Phi_q v - nu) + stiffness * Phi; zero for the others. */
double stabilization_rate(void);
double stabilization_stiffness(const State *state);

/* Projection: Phi_q v = nu - sigma Phi. */
static inline double decay_rate(const State *state)
{
    return MODEL_CLOSURE == CLOSURE_PROJECTION ? setting(state, SETTING_SIGMA) : 0.0;
}

/* Evaluate everything at (t, y). False: see self->failure. */
bool evaluate_motion(Instance *self, double t, const double *y, Point *point);

/* Accelerations, multipliers and derivatives of the network's states at rest; positions close the loops. */
bool evaluate_at_rest(Instance *self, Point *point);

/* The ODE state of a point, and its derivative. */
void ode_state(const State *state, const Point *point, double *y);
void ode_derivative(const State *state, const Point *point, double *dydt);

/* Augmented closure: move an integrated point onto the constraints. The others need nothing. */
bool settle_motion(Instance *self, Point *point);

/* Evaluate a point again, with loops closed by iteration, where exact steps have lost digits. Returns whether
 * all constraints are known to hold; check_closed tells where they are not. */
bool sharpen_motion(Instance *self, Point *point);

/* The accepted point becomes the one that variables are read at. */
void show_accepted(Instance *self);

/* After parameters were tuned: the independent coordinates stay, and the loops are closed from the present
 * position. Where all coordinates are integrated, they move to the nearest position that closes the loops. */
bool settle_parameters(Instance *self);

/* Update the point that variables are read at to the present time, states, inputs and parameters. */
bool refresh_motion(Instance *self);

/* The same at an instant at which relations have already switched. */
bool follow_switches(Instance *self);

#endif
