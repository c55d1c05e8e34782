#include "life.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative.h"
#include "layout.h"
#include "limits.h"
#include "linear.h"
#include "motion.h"
#include "report.h"
#include "samples.h"
#include "solvers.h"
#include "told.h"
#include "variables.h"

/* Relative disagreement that is allowed between the environment's clock and ours. */
#define CLOCK_TOLERANCE 1e-9

/* --- creation --------------------------------------------------------------------------------- */

static void *allocate(const Environment *environment, size_t size)
{
    void *memory = environment->allocate(1, size);
    return memory ? memset(memory, 0, size) : NULL;
}

static Instance *refuse_instance(const Environment *environment, const char *name, const char *why)
{
    if (environment->logger) {
        environment->log(environment, name, STATUS_ERROR, "logStatusError", why);
    }
    return NULL;
}

Instance *create_instance(const char *name, Interface interface, const char *token,
                          const Environment *environment, bool log_events)
{
    if (!name || !name[0]) {
        return refuse_instance(environment, "", "the instance needs a name");
    }
    if (!(interface == CO_SIMULATION ? MODEL_CO_SIMULATION : MODEL_MODEL_EXCHANGE)) {
        return refuse_instance(environment, name,
                      interface == CO_SIMULATION ? "this FMU was exported for model exchange only"
                                                 : "this FMU was exported for co-simulation only");
    }
    if (!token || strcmp(token, MODEL_GUID) != 0) {
        char text[200];
        snprintf(text, sizeof text, "the token is not that of this FMU, %s", MODEL_GUID);
        return refuse_instance(environment, name, text);
    }
    Instance measured;
    Instance *self = allocate(environment, sizeof *self + place_vectors(&measured, NULL));
    char *copy = allocate(environment, strlen(name) + 1);
    if (!self || !copy) {
        environment->release(self);
        environment->release(copy);
        return refuse_instance(environment, name, "there is not enough memory");
    }
    place_vectors(self, (char *)(self + 1));
    self->name = strcpy(copy, name);
    self->environment = *environment;
    self->log_events = log_events;
    self->state.interface = interface;
    reset_state(self);
    return self;
}

void free_instance(Instance *self)
{
    if (self) {
        void (*const release)(void *) = self->environment.release;
        release(self->name);
        release(self);
    }
}

Status set_logging(Instance *self, bool on, size_t n_categories, const char *const *categories)
{
    bool events = n_categories == 0; /* no list: all categories */
    for (size_t i = 0; i < n_categories; i++) {
        if (strcmp(categories[i], "logEvents") == 0) {
            events = true;
        } else if (strcmp(categories[i], "logStatusError") != 0 && strcmp(categories[i], "logStatusWarning") != 0) {
            return error(self, "there are three log categories: logStatusError, logStatusWarning, logEvents");
        }
    }
    if (events) {
        self->log_events = on;
    }
    return STATUS_OK;
}

/* --- initialization --------------------------------------------------------------------------- */

Status setup_experiment(Instance *self, bool tolerance_defined, double tolerance, double start_time,
                        bool stop_time_defined, double stop_time)
{
    if (!isfinite(start_time) || (stop_time_defined && !(stop_time >= start_time))) {
        return error(self, "the start time must be finite and not after the stop time");
    }
    if (tolerance_defined && !(tolerance > 0.0 && isfinite(tolerance))) {
        return error(self, "the tolerance must be positive");
    }
    if (tolerance_defined && !self->state.tolerance_chosen) {
        double *settings = self->state.reals + MODEL_S0;
        settings[SETTING_RELATIVE_TOLERANCE] = tolerance;
        settings[SETTING_ABSOLUTE_TOLERANCE] = fmin(settings[SETTING_ABSOLUTE_TOLERANCE], tolerance);
    }
    self->state.start_time = self->state.input_time = start_time;
    self->state.assembled = false;
    return STATUS_OK;
}

Status exit_initialization(Instance *self)
{
    const bool ready = check_settings(self) == STATUS_OK && ensure_assembled(self) == STATUS_OK;
    const Mode running = self->state.interface == CO_SIMULATION ? MODE_STEP_COMPLETE : MODE_EVENT;
    self->state.mode = ready ? running : MODE_FAILED;
    self->state.iterations = self->state.now.iterations;
    keep_start_samples(&self->state);
    begin_told(&self->state);
    if (ready) {
        check_limits(self);
    }
    return ready ? STATUS_OK : STATUS_ERROR;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Inputs keep their present values until they are set; samples are not changed. */
static void end_input_derivatives(State *state)
{
    for (int k = 0; k < MODEL_NU; k++) {
        state->reached[k] = state->at.u[k];
        if (!is_sampled(state, k)) {
            state->reals[MODEL_U0 + k] = state->at.u[k];
        }
    }
    set_zero(*state->input_rates, MODEL_NU * INPUT_ORDERS);
    state->input_time = state->at.t;
}

/* Inputs whose rates are inputs change at these rates, unless an importer gave derivatives. The last of these
 * rates continues its change over the last step: holding it would leave an error of first order in the step. */
static void follow_rates(State *state)
{
    for (int k = 0; k < MODEL_NU; k++) {
        double *rates = state->input_rates[k];
        if (max_magnitude(INPUT_ORDERS, rates) > 0.0) {
            continue;
        }
        int last = k;
        for (int order = 0; order < INPUT_ORDERS && last >= 0; order++) {
            const int rate = model_input_rate[last];
            rates[order] = rate >= 0 ? state->reals[MODEL_U0 + rate] : state->told_slope[last];
            last = rate;
        }
    }
}

Status do_step(Instance *self, double current, double size)
{
    State *state = &self->state;
    const double end = current + size, t = state->at.t;
    if (!(size > 0.0) || !isfinite(end)) {
        return error(self, "t = %.6g s: the communication step size must be positive and finite", t);
    }
    const double clock_error = fabs(current - t);
    if (!(clock_error <= CLOCK_TOLERANCE * fmax(fabs(t), size)) || !(end > t)) {
        return error(self, "t = %.6g s: the step must start there, not at %.6g s", t, current);
    }
    if (check_told(self, t) != STATUS_OK) {
        return STATUS_ERROR;
    }
    copy_partition(&self->work.before_call, &state->partition);
    state->iterations = 0.0;
    follow_rates(state);
    keep_samples(state);
    if (!advance(self, end)) {
        state->mode = MODE_FAILED;
        return report_failure(self);
    }
    end_input_derivatives(state);
    if (!same_partition(&self->work.before_call, &state->partition)) {
        event(self, "t = %.6g s: %s independent coordinates", end,
              state->partition.set == 0 ? "the first" : "other");
    }
    check_limits(self);
    return STATUS_OK;
}

/* Where derivatives of an input are inputs as well, they are set with it. */
static void set_derivative(Instance *self, int input, int order, double value)
{
    for (; input >= 0 && order > 0; input = model_input_rate[input], order--) {
        self->state.input_rates[input][order - 1] = value;
    }
    if (input >= 0) {
        const Reference rate = (Reference)(MODEL_U0 + input);
        set_reals(self, &rate, 1, &value);
    }
}

Status set_input_derivatives(Instance *self, const Reference *references, size_t n, const int *orders,
                             const double *values)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_among(references[i], MODEL_U0, MODEL_Y0)) {
            return error(self, "the variable with value reference %u is not an input", references[i]);
        }
        if (orders[i] < 1 || orders[i] > INPUT_ORDERS) {
            return error(self, "derivatives of inputs are of orders 1 to %d", INPUT_ORDERS);
        }
        if (!isfinite(values[i])) {
            return error(self, "a derivative of an input must be a finite number");
        }
    }
    for (size_t i = 0; i < n; i++) {
        set_derivative(self, (int)(references[i] - MODEL_U0), orders[i], values[i]);
    }
    return STATUS_OK;
}

Status get_output_derivatives(Instance *self, const Reference *references, size_t n, const int *orders,
                              double *values)
{
    for (size_t i = 0; i < n; i++) {
        if (orders[i] != 1) {
            return error(self, "derivatives of outputs are of order 1");
        }
    }
    return time_derivatives(self, references, n, values);
}
