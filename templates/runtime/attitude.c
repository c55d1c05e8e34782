#include "attitude.h"

#include <math.h>

void take_attitude(int attitude, const double *vector, double *components)
{
    for (int i = 0; i < 4; i++) {
        components[i] = vector[model_attitudes[attitude].components[i]];
    }
}

void put_attitude(int attitude, const double *components, double *vector)
{
    for (int i = 0; i < 4; i++) {
        vector[model_attitudes[attitude].components[i]] = components[i];
    }
}

void spin_of(const double *p, const double *x, double *w)
{
    for (int axis = 0; axis < 3; axis++) {
        w[axis] = 0.0;
        for (int i = 0; i < 4; i++) {
            w[axis] += 2.0 * attitude_entry(p, axis, i) * x[i];
        }
    }
}

void rates_of(const double *p, const double *w, double *x)
{
    for (int i = 0; i < 4; i++) {
        x[i] = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            x[i] += 0.5 * attitude_entry(p, axis, i) * w[axis];
        }
    }
}

double normalize(double *p)
{
    const double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4; i++) {
        p[i] /= norm;
    }
    return norm;
}

void dependent_columns(const State *state, const double *phi_q, double *phi_d)
{
    const Partition *const partition = &state->partition;
    for (int i = 0; i < MODEL_NC; i++) {
        for (int j = 0; j < MODEL_NC; j++) {
            phi_d[i * MODEL_NC + j] =
                partition->carried[j] ? 0.0 : phi_q[i * MODEL_NQ + partition->dependent[j]];
        }
    }
    for (int k = 0; k < MODEL_NATT; k++) {
        const int row = model_attitudes[k].row;
        for (int j = 0; j < MODEL_NC && is_whole(state, k); j++) {
            phi_d[row * MODEL_NC + j] = partition->dependent[j] == partition->fourth[k] ? 1.0 : 0.0;
        }
    }
}

void move_fourth(const State *state, const double *phi_q, const double *values, double *side)
{
    for (int k = 0; k < MODEL_NATT; k++) {
        const int fourth = state->partition.fourth[k];
        for (int i = 0; i < MODEL_NC && fourth >= 0; i++) {
            side[i] -= phi_q[i * MODEL_NQ + fourth] * values[fourth];
        }
    }
    for (int k = 0; k < MODEL_NATT; k++) {
        if (is_whole(state, k)) {
            side[model_attitudes[k].row] = values[state->partition.fourth[k]];
        }
    }
}

void clear_lengths(const State *state, double *rows)
{
    for (int k = 0; k < MODEL_NATT; k++) {
        if (is_whole(state, k)) {
            rows[model_attitudes[k].row] = 0.0;
        }
    }
}
