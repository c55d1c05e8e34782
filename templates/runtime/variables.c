#include "variables.h"

#include <math.h>
#include <string.h>

#include "assemble.h"
#include "linear.h"
#include "motion.h"
#include "report.h"

void reset_state(Instance *self)
{
    State *state = &self->state;
    memset(state, 0, sizeof *state);
    memcpy(state->reals, model_start, sizeof state->reals);
    state->mode = MODE_INSTANTIATED;
}

fmi2Status check_settings(Instance *self)
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
    return fmi2OK;
}

fmi2Status ensure_assembled(Instance *self)
{
    return self->state.assembled || assemble(self) ? fmi2OK : report_failure(self);
}

static bool is_parameter(fmi2ValueReference reference)
{
    return reference < MODEL_S0;
}

static bool is_setting(fmi2ValueReference reference)
{
    return reference >= MODEL_S0 && reference < MODEL_U0;
}

static bool is_given(fmi2ValueReference reference)
{
    return reference < MODEL_Y0;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool calculate(Instance *self)
{
    State *state = &self->state;
    double *diagnostics = state->reals + MODEL_G0;
    if (!refresh_motion(self)) {
        return false;
    }
    if (state->outputs_fresh) {
        return true;
    }
    const ModelPoint at = seen_by_model(state, &state->at);
    model_outputs(&at, state->reals + MODEL_Y0);
    model_constraints(&at, self->work.residual);
    diagnostics[DIAGNOSTIC_RESIDUAL] = max_magnitude(MODEL_NC, self->work.residual);
    diagnostics[DIAGNOSTIC_ITERATIONS] = state->at.iterations;
    diagnostics[DIAGNOSTIC_STEPS] = state->steps;
    for (int i = MODEL_Y0; i < MODEL_N_REALS; i++) {
        if (!isfinite(state->reals[i])) {
            return fail(self, FAILURE_OUTPUT, state->at.t, i);
        }
    }
    state->outputs_fresh = true;
    return true;
}

fmi2Status get_reals(Instance *self, const fmi2ValueReference *references, size_t n, fmi2Real *values)
{
    bool calculated = false;
    for (size_t i = 0; i < n; i++) {
        if (references[i] >= MODEL_N_REALS) {
            return error(self, "there is no real variable with value reference %u", references[i]);
        }
        calculated = calculated || !is_given(references[i]);
    }
    if (calculated && ensure_assembled(self) != fmi2OK) {
        return fmi2Error;
    }
    if (calculated && !calculate(self)) {
        return report_failure(self);
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = self->state.reals[references[i]];
    }
    return fmi2OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

static fmi2Status check_settable(Instance *self, fmi2ValueReference reference, double value)
{
    if (reference >= MODEL_N_REALS) {
        return error(self, "there is no real variable with value reference %u", reference);
    }
    if (!is_given(reference)) {
        return error(self, "the variable with value reference %u is calculated and cannot be set", reference);
    }
    if (self->state.mode == MODE_STEP_COMPLETE && (is_parameter(reference) || is_setting(reference))) {
        return error(self, "the parameter with value reference %u is fixed after initialization", reference);
    }
    if (!isfinite(value)) {
        return error(self, "the variable with value reference %u must be set to a finite number", reference);
    }
    return fmi2OK;
}

static void set_real(State *state, fmi2ValueReference reference, double value)
{
    if (reference == MODEL_S0 + SETTING_RELATIVE_TOLERANCE) {
        state->tolerance_chosen = true;
    }
    if (state->reals[reference] == value) {
        return; /* what was calculated is still right */
    }
    state->reals[reference] = value;
    state->outputs_fresh = false;
    if (is_parameter(reference)) {
        state->assembled = false;
    } else if (!is_setting(reference)) {
        state->fresh = false;
    }
}

fmi2Status set_reals(Instance *self, const fmi2ValueReference *references, size_t n, const fmi2Real *values)
{
    for (size_t i = 0; i < n; i++) {
        if (check_settable(self, references[i], values[i]) != fmi2OK) {
            return fmi2Error;
        }
    }
    for (size_t i = 0; i < n; i++) {
        set_real(&self->state, references[i], values[i]);
    }
    return fmi2OK;
}
