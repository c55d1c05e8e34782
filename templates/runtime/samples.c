#include "samples.h"

#include <math.h>
#include <string.h>

/* A polynomial with fewer conditions than this uses another sample, if there is one. */
#define ENOUGH_CONDITIONS 4
#define MOST_CONDITIONS 6
#define MOST_RATES 2
/* A stamp interval this many times longer than the previous one restarts the history. */
#define LONGEST_GROWTH 10.0
/* Swings smaller than this share of a value are rounding. */
#define SMALLEST_SWING 1e-6

static void push(Samples *samples, double t, double value)
{
    const double *times = samples->t;
    const int count = samples->count;
    const bool back = count > 0 && t < times[0];
    const bool away = count > 1 && t - times[0] > LONGEST_GROWTH * (times[0] - times[1]);
    if (back || away) {
        samples->count = 0;
    } else if (count > 0 && t > times[0]) {
        memmove(samples->t + 1, samples->t, (MOST_SAMPLES - 1) * sizeof *samples->t);
        memmove(samples->u + 1, samples->u, (MOST_SAMPLES - 1) * sizeof *samples->u);
        samples->count = count < MOST_SAMPLES ? count + 1 : MOST_SAMPLES;
    }
    samples->count = samples->count > 0 ? samples->count : 1;
    samples->t[0] = t;
    samples->u[0] = value;
}

/* Add the present value to the samples of an input; adding the same sample again changes nothing.
 *
 * The sample of the start time is that of the initialization: some masters set inputs and stamps to zero for
 * their first step, whatever they have sent before. */
static Samples samples_of(const State *state, int input)
{
    Samples samples = state->samples[input];
    const double stamp = state->reals[MODEL_U0 + model_input_stamp[input]];
    if (stamp > state->start_time) {
        push(&samples, stamp, state->reals[MODEL_U0 + input]);
    }
    return samples;
}

void keep_start_samples(State *state)
{
    for (int k = 0; k < MODEL_NU; k++) {
        if (is_sampled(state, k)) {
            push(&state->samples[k], state->start_time, state->reals[MODEL_U0 + k]);
        }
    }
}

void keep_samples(State *state)
{
    for (int k = 0; k < MODEL_NU; k++) {
        if (is_sampled(state, k)) {
            state->samples[k] = samples_of(state, k);
        }
    }
}

/* The input, its rate, the rate of that, as far as they have the same stamp. */
static int chain_of(const State *state, int input, Samples *chain)
{
    int count = 0;
    const int stamp = model_input_stamp[input];
    for (int k = input; k >= 0 && count <= MOST_RATES && model_input_stamp[k] == stamp; k = model_input_rate[k]) {
        chain[count++] = samples_of(state, k);
    }
    return count;
}

/* Newton's form of the polynomial through the newest samples, with their values and rates (divided
 * differences; at a repeated node they are derivatives). For an input without rates the slope at the start
 * may be known. */
double sampled_value(const State *state, int input, double t, double *rate)
{
    static const double factorial[MOST_RATES + 1] = {1.0, 1.0, 2.0};
    Samples chain[MOST_RATES + 1];
    const int rates = chain_of(state, input, chain);
    double node[MOST_CONDITIONS], c[MOST_CONDITIONS];
    int sample[MOST_CONDITIONS], n = 0;
    const double slope = model_input_slope[input];
    for (int s = 0; s < chain[0].count && n < ENOUGH_CONDITIONS; s++) {
        int conditions = rates;
        if (rates == 1 && slope != MODEL_NO_SLOPE && chain[0].t[s] == state->start_time) {
            chain[1].u[s] = slope;
            conditions = 2;
        }
        for (int k = 0; k < conditions && n < MOST_CONDITIONS; k++, n++) {
            node[n] = chain[0].t[s];
            sample[n] = s;
            c[n] = chain[0].u[s];
        }
    }
    for (int order = 1; order < n; order++) {
        for (int i = n - 1; i >= order; i--) {
            c[i] = sample[i] == sample[i - order] ? chain[order].u[sample[i]] / factorial[order]
                                                  : (c[i] - c[i - 1]) / (node[i] - node[i - order]);
        }
    }
    double value = c[n - 1];
    *rate = 0.0;
    for (int i = n - 2; i >= 0; i--) {
        *rate = *rate * (t - node[i]) + value;
        value = value * (t - node[i]) + c[i];
    }
    return value;
}

/* Samples of a smooth signal lie close to a parabola: their third difference is small against the first. For
 * a sine with nine samples a period it is half of it. */
static bool swings(const Samples *samples)
{
    const double *u = samples->u;
    double size = 0.0, largest = 0.0;
    for (int k = 0; k < MOST_SAMPLES; k++) {
        size = fmax(size, fabs(u[k]));
        largest = k > 0 ? fmax(largest, fabs(u[k] - u[k - 1])) : 0.0;
    }
    const double third = fabs(u[0] - 3.0 * u[1] + 3.0 * u[2] - u[3]);
    return third > 0.5 * largest && third > SMALLEST_SWING * size;
}

bool samples_swing(const State *state)
{
    for (int k = 0; k < MODEL_NU; k++) {
        if (is_sampled(state, k) && state->samples[k].count == MOST_SAMPLES && swings(&state->samples[k])) {
            return true;
        }
    }
    return false;
}
