#include "direction.h"

#include <string.h>

#include "attitude.h"
#include "linear.h"
#include "motion.h"

/* The norm of the components as they are integrated, since an importer does not normalize them. */
static double attitude_norm(const State *state, int attitude)
{
    double p[4];
    take_attitude(attitude, state->now.q, p);
    for (int k = 0; k < ODE_POSITIONS && state->interface == MODEL_EXCHANGE; k++) {
        for (int i = 0; i < 4; i++) {
            p[i] = ode_position(state, k) == model_attitudes[attitude].components[i] ? state->y[k] : p[i];
        }
    }
    return normalize(p);
}

/* Components p of a whole attitude change as p / |p| does, and its rates as G(p)^T w / 2. */
static void scatter_attitude_change(const State *state, const Point *point, int attitude, const double *spins,
                             Direction *along)
{
    double p[4], rates[4], w[3], change[4], turned[4], spun[4];
    take_attitude(attitude, point->q, p);
    take_attitude(attitude, point->v, rates);
    take_attitude(attitude, along->q, change);
    spin_of(p, rates, w);
    const double norm = attitude_norm(state, attitude), along_p = dot(4, p, change);
    for (int i = 0; i < 4; i++) {
        change[i] = (change[i] - along_p * p[i]) / norm;
    }
    put_attitude(attitude, change, along->q);
    rates_of(change, w, turned);
    for (int axis = 0; axis < 3; axis++) {
        w[axis] = spins[state->partition.spin[attitude][axis]];
    }
    rates_of(p, w, spun);
    for (int i = 0; i < 4; i++) {
        turned[i] += spun[i];
    }
    put_attitude(attitude, turned, along->v);
}

void scatter_states(const State *state, const Point *point, const double *change, Direction *along)
{
    for (int k = 0; k < ODE_POSITIONS; k++) {
        const int i = ode_position(state, k);
        if (i >= 0) {
            along->q[i] = change[k];
        }
    }
    for (int k = 0; k < ODE_VELOCITIES; k++) {
        along->v[ode_velocity(state, k)] = change[ODE_POSITIONS + k];
    }
    for (int k = 0; k < MODEL_NATT; k++) {
        if (is_whole(state, k)) {
            scatter_attitude_change(state, point, k, change + ODE_POSITIONS, along);
        }
    }
    memcpy(along->x, change + ODE_MOTION, MODEL_NX * sizeof *change);
}

/* The change of w = 2 G(p) x, written to the places of the spin. */
static void gather_spin(const State *state, int attitude, const double *q, const double *vector,
                        const double *along_q, const double *along_vector, double *velocities)
{
    double p[4], x[4], changed[3], turned[3];
    take_attitude(attitude, q, p);
    take_attitude(attitude, along_vector, x);
    spin_of(p, x, changed);
    take_attitude(attitude, along_q, p);
    take_attitude(attitude, vector, x);
    spin_of(p, x, turned);
    for (int axis = 0; axis < 3; axis++) {
        velocities[state->partition.spin[attitude][axis]] = changed[axis] + turned[axis];
    }
}

void gather_states(const State *state, const Point *point, const Direction *along, const double *q,
                   const double *vector, const double *along_vector, const double *x, double *change)
{
    for (int k = 0; k < ODE_POSITIONS; k++) {
        const int i = ode_position(state, k);
        change[k] = i < 0 ? 0.0 : q[i];
    }
    for (int k = 0; k < ODE_VELOCITIES; k++) {
        change[ODE_POSITIONS + k] = along_vector[ode_velocity(state, k)];
    }
    for (int k = 0; k < MODEL_NATT; k++) {
        if (is_whole(state, k)) {
            gather_spin(state, k, point->q, vector, along->q, along_vector, change + ODE_POSITIONS);
        }
    }
    memcpy(change + ODE_MOTION, x, MODEL_NX * sizeof *change);
}
