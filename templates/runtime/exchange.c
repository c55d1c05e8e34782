#include "exchange.h"

#include <math.h>
#include <string.h>

#include "left_out.h"
#include "limits.h"
#include "loops.h"
#include "motion.h"
#include "partition.h"
#include "relations.h"
#include "report.h"
#include "solvers.h"
#include "told.h"
#include "turns.h"
#include "variables.h"

/* An importer may integrate with Euler's method, whose error in the first step is as large as the step
 * itself. */
#define SHARE_OF_ANY_METHOD 2.0

/* An importer stops at the sign change of an indicator, up to rounding. */
#define PARTITION_BAND 1e-6

static Status check_count(Instance *self, size_t n, size_t expected, const char *what)
{
    return n == expected ? STATUS_OK
                         : error(self, "there are %u %s, not %u", (unsigned)expected, what, (unsigned)n);
}

Status set_time(Instance *self, double t)
{
    State *state = &self->state;
    if (!isfinite(t)) {
        return error(self, "the time must be a finite number");
    }
    state->fresh = state->fresh && state->now.t == t;
    state->now.t = t;
    return STATUS_OK;
}

Status set_states(Instance *self, const double *y, size_t n)
{
    State *state = &self->state;
    if (check_count(self, n, ODE_STATES, "continuous states") != STATUS_OK) {
        return STATUS_ERROR;
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(y[i])) {
            return error(self, "a continuous state must be a finite number");
        }
    }
    if (memcmp(state->y, y, n * sizeof *y) != 0) {
        memcpy(state->y, y, n * sizeof *y);
        state->fresh = false;
    }
    return STATUS_OK;
}

Status get_states(Instance *self, double *y, size_t n)
{
    if (check_count(self, n, ODE_STATES, "continuous states") != STATUS_OK ||
        ensure_assembled(self) != STATUS_OK) {
        return STATUS_ERROR;
    }
    memcpy(y, self->state.y, n * sizeof *y);
    return STATUS_OK;
}

/* The loops may not close at a point of a trial step; a smaller step may avoid this. */
static Status refresh(Instance *self)
{
    if (ensure_assembled(self) != STATUS_OK) {
        return STATUS_ERROR;
    }
    return refresh_motion(self) ? STATUS_OK : discard_failure(self);
}

Status get_derivatives(Instance *self, double *dydt, size_t n)
{
    if (check_count(self, n, ODE_STATES, "derivatives") != STATUS_OK) {
        return STATUS_ERROR;
    }
    const Status status = refresh(self);
    if (status == STATUS_OK) {
        ode_derivative(&self->state, &self->state.now, dydt);
    }
    return status;
}

Status get_indicators(Instance *self, double *indicators, size_t n)
{
    if (check_count(self, n, MODEL_NW, "event indicators") != STATUS_OK) {
        return STATUS_ERROR;
    }
    const Status status = refresh(self);
    if (status == STATUS_OK && n > 0) {
        event_indicators(self, &self->state.now, indicators);
    }
    return status;
}

Status get_nominals(Instance *self, double *nominals, size_t n)
{
    if (check_count(self, n, ODE_STATES, "continuous states") != STATUS_OK) {
        return STATUS_ERROR;
    }
    for (size_t i = 0; i < n; i++) {
        nominals[i] = 1.0; /* metres, radians and their rates */
    }
    return STATUS_OK;
}

Status completed_step(Instance *self, bool *event_needed)
{
    State *state = &self->state;
    *event_needed = state->partition_due;
    const Status status = refresh(self);
    if (status != STATUS_OK) {
        return status;
    }
    if (check_told(self, state->now.t) != STATUS_OK) {
        return STATUS_ERROR;
    }
    copy_point(&self->work.trial, &state->now);
    if (!check_closed(self, &state->now) ||
        (state->now.t > state->at.t &&
         !(is_continuous(self, SHARE_OF_ANY_METHOD, true) && turns_are_sure(self)))) {
        return discard_failure(self);
    }
    if (!left_out_hold(self, &state->now)) {
        return report_failure(self);
    }
    Partition *const before = &self->work.before_call;
    copy_partition(before, &state->partition);
    accept(self);
    if (!same_partition(before, &state->partition)) {
        copy_partition(&state->next_partition, &state->partition);
        copy_partition(&state->partition, before);
        state->partition_due = true;
    }
    *event_needed = state->partition_due;
    check_limits(self);
    return STATUS_OK;
}

static void change_partition(Instance *self)
{
    State *state = &self->state;
    event(self, "t = %.6g s: %s independent coordinates", state->at.t,
          state->next_partition.set == 0 ? "the first" : "other");
    copy_partition(&state->partition, &state->next_partition);
    state->partition_due = false;
    show_accepted(self);
    state->fresh = false;
}

Status update_discrete_states(Instance *self, EventInfo *info)
{
    State *state = &self->state;
    double before[MODEL_ROOM(ODE_STATES)];
    memcpy(before, state->y, sizeof before);
    info->states_changed = state->partition_due;
    if (refresh(self) != STATUS_OK) {
        return STATUS_ERROR;
    }
    if (!settle_parameters(self)) {
        return report_failure(self);
    }
    if (!state->partition_due && HAS_PARTITION_INDICATOR &&
        partition_margin(self, &state->at) <= PARTITION_BAND) {
        Partition *const kept = &self->work.before_call;
        copy_partition(kept, &state->partition);
        state->partition_due = leave_weak_partition(self);
        copy_partition(&state->next_partition, &state->partition);
        copy_partition(&state->partition, kept);
    }
    info->states_changed = info->states_changed || state->partition_due;
    if (state->partition_due) {
        change_partition(self);
    }
    state->fresh = false; /* relations are looked at again */
    if (refresh(self) != STATUS_OK) {
        return STATUS_ERROR;
    }
    info->states_changed = info->states_changed || memcmp(before, state->y, ODE_STATES * sizeof *before) != 0;
    info->next_time = next_time_event(self, state->now.t);
    info->time_event = isfinite(info->next_time);
    return STATUS_OK;
}
