#include "told.h"

#include <math.h>
#include <string.h>

#include "report.h"
#include "samples.h"

/* Changes smaller than this share of a value are rounding. */
#define SMALLEST_CHANGE 1e-9

/* Now and when it was last told, together. */
static double size_of_input(const State *state, int input)
{
    return input < 0 ? 0.0 : fabs(state->reals[MODEL_U0 + input]) + fabs(state->told[input]);
}

/* Whether an input is close to where its derivatives led in the last step. A sufficiently sampled signal
 * changes by at most its largest rate times the time that has passed. The rate and its slope are known at
 * both ends. */
static bool is_explained(const State *state, int input, double since)
{
    const int rate = model_input_rate[input], second = model_input_rate[rate];
    const double now = state->reals[MODEL_U0 + input];
    const double change = fmin(fabs(now - state->told[input]), fabs(now - state->reached[input]));
    const double way = since * (size_of_input(state, rate) + since * size_of_input(state, second));
    return change <= way + SMALLEST_CHANGE * size_of_input(state, input);
}

/* The rate of an input without a rate of its own: its mean since it was last set, if it was set again. */
static double slope_of(const State *state, int input, double t)
{
    const double now = state->reals[MODEL_U0 + input], since = t - state->told_time[input];
    const bool anew = now != state->told[input] && now != state->reached[input];
    return model_input_drives[input] && anew && since > 0.0 ? (now - state->told[input]) / since : 0.0;
}

static void take(State *state, int input, double t)
{
    state->told[input] = state->reached[input] = state->reals[MODEL_U0 + input];
    state->told_time[input] = t;
}

void begin_told(State *state)
{
    for (int k = 0; k < MODEL_NU; k++) {
        take(state, k, state->start_time);
    }
}

static Status refuse_input(Instance *self, int input, double t)
{
    const State *state = &self->state;
    const char *const offer = MODEL_FMI == 2 && state->interface == CO_SIMULATION
                                  ? ", or its derivatives with fmi2SetRealInputDerivatives"
                                  : "";
    return error(self,
                 "t = %.6g s: the input %s prescribes a motion and has changed by %.3g since t = %.6g s, but its "
                 "rate %s is %.3g: feed %s with the derivative of %s%s (a value that jumps has none)",
                 t, model_input_names[input], state->reals[MODEL_U0 + input] - state->told[input],
                 state->told_time[input], model_input_names[model_input_rate[input]],
                 state->reals[MODEL_U0 + model_input_rate[input]], model_input_names[model_input_rate[input]],
                 model_input_names[input], offer);
}

Status check_told(Instance *self, double t)
{
    State *state = &self->state;
    for (int k = 0; k < MODEL_NU; k++) {
        const double since = t - state->told_time[k];
        if (model_input_drives[k] && model_input_rate[k] >= 0 && !is_sampled(state, k) && since > 0.0 &&
            !is_explained(state, k, since)) {
            return refuse_input(self, k, t);
        }
    }
    for (int k = 0; k < MODEL_NU; k++) {
        state->told_slope[k] = slope_of(state, k, t);
        if (state->reals[MODEL_U0 + k] != state->told[k]) {
            take(state, k, t);
        }
    }
    return STATUS_OK;
}
