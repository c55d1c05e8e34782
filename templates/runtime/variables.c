#include "variables.h"

#include <math.h>
#include <string.h>

#include "assemble.h"
#include "layout.h"
#include "left_out.h"
#include "linear.h"
#include "motion.h"
#include "partials.h"
#include "relations.h"
#include "report.h"

void reset_state(Instance *self)
{
    State *state = &self->state;
    const Interface interface = state->interface;
    memset(state, 0, sizeof *state);
    memset(self->state_memory, 0, self->state_size);
    place_state(state, self->state_memory);
    memcpy(state->reals, model_start, MODEL_N_REALS * sizeof *state->reals);
    state->mode = MODE_INSTANTIATED;
    state->interface = interface;
}

Status check_settings(Instance *self)
{
    const State *state = &self->state;
    if (setting(state, SETTING_STEP) < 0.0) {
        return error(self, "solver.step must not be negative (0: chosen by the solver)");
    }
    if (!(setting(state, SETTING_RELATIVE_TOLERANCE) > 0.0) ||
        !(setting(state, SETTING_ABSOLUTE_TOLERANCE) > 0.0)) {
        return error(self, "solver.relative_tolerance and solver.absolute_tolerance must be positive");
    }
    if (setting(state, SETTING_MAX_STEPS) < 1.0) {
        return error(self, "solver.max_steps must be at least 1");
    }
    const double method = setting(state, SETTING_METHOD);
    if (!(method >= SOLVER_EULER && method <= SOLVER_RODAS3) || method != floor(method)) {
        return error(self, "solver.method must be 1 (euler), 2 (rk4), 3 (dopri5) or 4 (rodas3)");
    }
    if (MODEL_CLOSURE == CLOSURE_PROJECTION && !(setting(state, SETTING_SIGMA) >= 0.0)) {
        return error(self, "closure.sigma must not be negative");
    }
    return STATUS_OK;
}

Status ensure_assembled(Instance *self)
{
    return self->state.assembled || assemble(self) ? STATUS_OK : report_failure(self);
}

static bool is_parameter(Reference reference)
{
    return is_among(reference, MODEL_P0, MODEL_S0);
}

static bool is_setting(Reference reference)
{
    return is_among(reference, MODEL_S0, MODEL_U0);
}

static bool is_given(Reference reference)
{
    return is_among(reference, MODEL_P0, MODEL_Y0);
}

/* The number of the continuous state that is this variable; -1 if there is none. */
static int state_number(Reference reference)
{
    for (int k = 0; k < ODE_STATES; k++) {
        if (model_state_references[k] == reference) {
            return k;
        }
    }
    return -1;
}

Status check_integers(Instance *self, const Reference *references, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (references[i] != (Reference)MODEL_S0 + SETTING_METHOD) {
            return error(self, "there is no integer variable with value reference %u", references[i]);
        }
    }
    return STATUS_OK;
}

/* FMI 3 has a variable for time, after all others. */
#define TIME_REFERENCE ((Reference)(MODEL_FMI == 3 ? MODEL_N_REALS : MODEL_N_REALS - 1))

/* --- reading ---------------------------------------------------------------------------------- */

bool calculate(Instance *self)
{
    State *state = &self->state;
    double *diagnostics = state->reals + MODEL_G0;
    if (!refresh_motion(self)) {
        return false;
    }
    if (state->outputs_fresh) {
        return true;
    }
    const ModelPoint at = model_point(state, &state->now);
    model_outputs(&at, state->reals + MODEL_Y0);
    if (!take_partials(self, &state->now, state->reals + MODEL_Y0)) {
        return false;
    }
    model_constraints(&at, self->work.residual);
    diagnostics[DIAGNOSTIC_RESIDUAL] =
        fmax(max_magnitude(MODEL_NC, self->work.residual), left_out_residual(self, &at));
    const bool between_steps = state->interface == CO_SIMULATION && state->mode == MODE_STEP_COMPLETE;
    diagnostics[DIAGNOSTIC_ITERATIONS] = between_steps ? state->iterations : state->now.iterations;
    diagnostics[DIAGNOSTIC_STEPS] = state->steps;
    memcpy(state->reals + MODEL_K0, state->y + FIRST_OWN_STATE, MODEL_NK * sizeof *state->y);
    ode_derivative(state, &state->now, self->work.stage);
    memcpy(state->reals + MODEL_FIRST_DERIVATIVE, self->work.stage, ODE_STATES * sizeof *state->y);
    if (MODEL_NW > 0) {
        event_indicators(self, &state->now, state->reals + MODEL_W0);
    }
    for (int i = MODEL_Y0; i < MODEL_N_REALS; i++) {
        if (!isfinite(state->reals[i])) {
            return fail(self, FAILURE_OUTPUT, state->now.t, i);
        }
    }
    state->outputs_fresh = true;
    return true;
}

Status get_reals(Instance *self, const Reference *references, size_t n, double *values)
{
    bool calculated = false;
    for (size_t i = 0; i < n; i++) {
        if (references[i] > TIME_REFERENCE) {
            return error(self, "there is no real variable with value reference %u", references[i]);
        }
        calculated = calculated || !is_given(references[i]);
    }
    if (calculated && ensure_assembled(self) != STATUS_OK) {
        return STATUS_ERROR;
    }
    if (calculated && !calculate(self)) {
        return self->state.mode == MODE_CONTINUOUS ? discard_failure(self) : report_failure(self);
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = is_among(references[i], 0, MODEL_N_REALS) ? self->state.reals[references[i]] : self->state.now.t;
    }
    return STATUS_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

static Status check_settable(Instance *self, Reference reference, double value)
{
    if (!is_among(reference, 0, MODEL_N_REALS)) {
        return error(self, "there is no real variable with value reference %u", reference);
    }
    const bool is_state = state_number(reference) >= 0 && self->state.mode != MODE_STEP_COMPLETE;
    if (!is_given(reference) && !is_state) {
        return error(self, "the variable with value reference %u is calculated and cannot be set", reference);
    }
    const Mode mode = self->state.mode;
    if (mode == MODE_CONTINUOUS && is_among(reference, 0, MODEL_U0)) {
        return error(self, "the parameter with value reference %u changes at events only", reference);
    }
    if ((mode == MODE_STEP_COMPLETE || mode == MODE_EVENT) && is_among(reference, MODEL_NT, MODEL_U0)) {
        return error(self, "the parameter with value reference %u is fixed after initialization", reference);
    }
    if (!isfinite(value)) {
        return error(self, "the variable with value reference %u must be set to a finite number", reference);
    }
    return STATUS_OK;
}

/* Before initialization mode the value of a state is a guess, which the assembly does not use. */
static void set_state(State *state, int k, double value)
{
    if (k >= 0 && state->mode != MODE_INSTANTIATED && state->y[k] != value) {
        state->y[k] = value;
        state->fresh = state->outputs_fresh = false;
    }
}

static void set_real(State *state, Reference reference, double value)
{
    if (!is_given(reference)) {
        set_state(state, state_number(reference), value);
        return;
    }
    if (reference == (Reference)MODEL_S0 + SETTING_RELATIVE_TOLERANCE) {
        state->tolerance_chosen = true;
    }
    if (state->reals[reference] == value) {
        return; /* what was calculated is still right */
    }
    state->reals[reference] = value;
    state->outputs_fresh = false;
    const bool moves_start = is_parameter(reference) || (MODEL_STARTS_BY_INPUTS && !is_setting(reference));
    if (moves_start && state->mode & (MODE_INSTANTIATED | MODE_INITIALIZING)) {
        state->assembled = false;
    } else if (is_parameter(reference)) {
        state->parameters_changed = true;
        state->fresh = false;
    } else if (!is_setting(reference)) {
        state->fresh = false;
    }
}

Status set_reals(Instance *self, const Reference *references, size_t n, const double *values)
{
    bool states = false;
    for (size_t i = 0; i < n; i++) {
        if (check_settable(self, references[i], values[i]) != STATUS_OK) {
            return STATUS_ERROR;
        }
        states = states || !is_given(references[i]);
    }
    if (states && self->state.mode == MODE_INITIALIZING && ensure_assembled(self) != STATUS_OK) {
        return STATUS_ERROR;
    }
    for (size_t i = 0; i < n; i++) {
        set_real(&self->state, references[i], values[i]);
    }
    return STATUS_OK;
}
