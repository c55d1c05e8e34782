/* Inputs that are samples taken at a time which another input, their stamp, tells.
 *
 * A co-simulation keeps the last of them and takes the polynomial through as many as it needs: behind the last
 * sample where all parts of a system step at once (Jacobi), before it where this one steps after the part that
 * the sample comes from (Gauss-Seidel). Model exchange takes plain values. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "instance.h"

static inline bool is_sampled(const State *state, int input)
{
    return MODEL_STAMPED && state->interface == CO_SIMULATION && model_input_stamp[input] >= 0 &&
           !(state->mode & (MODE_INSTANTIATED | MODE_INITIALIZING));
}

/* What the inputs are at the end of the initialization is the first sample, of the start time. */
void keep_start_samples(State *state);

/* What the inputs are becomes the newest sample: before a step. */
void keep_samples(State *state);

/* The value of a sampled input at a time, and its rate. */
double sampled_value(const State *state, int input, double t, double *rate);

/* Whether some input jumps from one sample to the next as no signal does that is sampled often enough. */
bool samples_swing(const State *state);

#endif
