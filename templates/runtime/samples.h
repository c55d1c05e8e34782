/* Inputs that are samples; their time is another input, the stamp.
 *
 * A co-simulation keeps the last samples and extrapolates or interpolates with a polynomial. It extrapolates
 * where all parts of a system step at once (Jacobi). It interpolates where this part steps after the part
 * that sends the sample (Gauss-Seidel). Model exchange uses plain values. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "instance.h"

static inline bool is_sampled(const State *state, int input)
{
    return MODEL_STAMPED && state->interface == CO_SIMULATION && model_input_stamp[input] >= 0 &&
           !(state->mode & (MODE_INSTANTIATED | MODE_INITIALIZING));
}

/* Take the inputs at the end of the initialization as the first sample, at the start time. */
void keep_start_samples(State *state);

/* Take the present inputs as the newest sample, before a step. */
void keep_samples(State *state);

/* The value of a sampled input at a time, and its rate. */
double sampled_value(const State *state, int input, double t, double *rate);

/* Whether some input jumps between samples more than a sufficiently sampled signal does. */
bool samples_swing(const State *state);

#endif
