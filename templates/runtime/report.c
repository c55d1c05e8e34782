#include "report.h"

#include "embedding.h"
#include "limits.h"
#include "samples.h"

#include <stdarg.h>
#include <stdio.h>

#define LONGEST_MESSAGE 512
/* A mass matrix with a smaller pivot, relative to its diagonal, is about to lose definiteness. */
#define LOST_MASS 1e-6

/* The message is formatted completely before it is sent. Names of the model contain no percent sign, so an
 * environment may use the message as text or as a format. */
static void send(Instance *self, Status status, const char *category, const char *format, va_list values)
{
    char text[LONGEST_MESSAGE];
    vsnprintf(text, sizeof text, format, values);
    if (self->environment.logger) {
        self->environment.log(&self->environment, self->name, status, category, text);
    }
}

Status error(Instance *self, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    send(self, STATUS_ERROR, "logStatusError", format, values);
    va_end(values);
    return STATUS_ERROR;
}

void warning(Instance *self, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    send(self, STATUS_WARNING, "logStatusWarning", format, values);
    va_end(values);
}

void event(Instance *self, const char *format, ...)
{
    if (self->log_events) {
        va_list values;
        va_start(values, format);
        send(self, STATUS_OK, "logEvents", format, values);
        va_end(values);
    }
}

static const char *named(const char *const *names, int count, int index)
{
    return index >= 0 && index < count ? names[index] : "";
}

static const char *constraint(int index)
{
    return named(model_constraint_names, MODEL_NC, index);
}

static const char *state_name(int index)
{
    return named(model_states, MODEL_NX, index);
}

static const char *loop_name(const ModelBlock *block)
{
    return block ? block->name : "the system of all loops";
}

/* The block that determines a coordinate in the present set, or else in the first one; NULL if none does. */
static const ModelBlock *block_of(const State *state, int coordinate)
{
    const ModelSet *const present = present_set(state), *const set = present ? present : model_sets;
    for (int i = 0; i < set->size; i++) {
        for (int k = 0; k < set->blocks[i].size; k++) {
            if (set->blocks[i].unknowns[k] == coordinate) {
                return &set->blocks[i];
            }
        }
    }
    return NULL;
}

static Status report_open_loop(Instance *self)
{
    const Failure *failure = &self->failure;
    return error(self,
                 "t = %.6g s: %s cannot be closed: the mechanism is in or beyond a singular position "
                 "(constraint '%s', residual %.1e)",
                 failure->t, loop_name(failure->block), constraint(failure->index), failure->residual);
}

static Status report_iteration(Instance *self)
{
    const Failure *failure = &self->failure;
    return error(self,
                 "t = %.6g s: %s would be closed by Newton iteration, since a guard of its exact steps fails: this FMU "
                 "was exported with --never-iterate, and stops instead; keep the motion away from this position, or "
                 "export without the option",
                 failure->t, loop_name(failure->block));
}

static bool parameters_differ(const State *state)
{
    for (int i = MODEL_P0; i < MODEL_S0; i++) {
        if (state->reals[i] != model_start[i]) {
            return true;
        }
    }
    return false;
}

static Status report_left_out(Instance *self)
{
    const Failure *failure = &self->failure;
    const ModelLeftOut *row = &model_left_out_rows[failure->index];
    const char *why = parameters_differ(&self->state)
                          ? "the present parameters break this redundancy: choose parameters with which all "
                            "joints close, or export the model with these"
                          : "the redundancy does not hold along this motion: check the start position, the "
                            "drivers and the inputs";
    return error(self,
                 "t = %.6g s: joint or driver '%s' is open by %.3g %s (%s): this constraint is redundant with "
                 "the parameters of the export, so it is not solved; %s",
                 failure->t, row->joint, failure->residual, row->unit, row->direction, why);
}

/* Rows of the stacked start equations: the constraints, then the fixed start values. */
static Status report_start(Instance *self, const char *what, const char *quantity)
{
    const Failure *failure = &self->failure;
    if (failure->index < MODEL_NC) {
        return error(self, "%s: constraint '%s' stays open by %.1e", what,
                     constraint(failure->index), failure->residual);
    }
    return error(self, "%s: fixed start %s number %d is missed by %.1e", what, quantity,
                 failure->index - MODEL_NC + 1, failure->residual);
}

/* Rows of the start of the network: fixed start values, then the derivatives of the states. */
static Status report_network_start(Instance *self)
{
    const Failure *failure = &self->failure;
    const char *problem = "the network has no such start";
    if (failure->index >= 0 && failure->index < MODEL_FIXED_STATES) {
        return error(self, "%s: the fixed start value of %s is missed by %.1e", problem,
                     named(model_fixed_state_names, MODEL_FIXED_STATES, failure->index), failure->residual);
    }
    return error(self, "%s: %s does not come to rest, its derivative is %.1e", problem,
                 state_name(failure->index - MODEL_FIXED_STATES), failure->residual);
}

/* Unknowns of an equilibrium: coordinates, then states of the network. */
static const char *unknown_name(int index)
{
    return index < MODEL_NQ ? named(model_coordinates, MODEL_NQ, index) : state_name(index - MODEL_NQ);
}

static const char *unknown_verb(int index)
{
    return index < MODEL_NQ ? "accelerates" : "changes";
}

/* A mass matrix that is singular from the start lacks a mass; one that was good has left where its terms hold. */
static Status report_mass(Instance *self)
{
    const Failure *failure = &self->failure;
    const int worst = worst_limit(self, &self->state.at);
    if (worst >= 0) {
        return error(self,
                     "t = %.6g s: the mass matrix is not positive definite: before, %s was %.3g, more than %g; %s",
                     failure->t, model_limits[worst].name, value_at_limit(self, worst), model_limits[worst].bound,
                     model_limits[worst].reason);
    }
    return error(self,
                 "t = %.6g s: the mass matrix is singular: give mass or inertia to a body that moves with %s",
                 failure->t, model_coordinates[failure->index]);
}

/* Where the mass matrix loses definiteness accelerations grow without bound, and no step is small enough. */
static Status report_accuracy(Instance *self)
{
    const double t = self->failure.t, margin = MODEL_NLIMITS > 0 ? mass_margin(self, &self->state.at) : 1.0;
    if (margin < LOST_MASS) {
        return error(self,
                     "t = %.6g s: the mass matrix loses definiteness, its smallest pivot is %.1e of the diagonal: %s; "
                     "shapes for the way in which a beam is held (supports) bend less, too",
                     t, margin, model_limits[0].reason);
    }
    return error(self, "t = %.6g s: the solver cannot meet its tolerances with any step size", t);
}

static Status report_kind(Instance *self)
{
    const Failure *failure = &self->failure;
    switch (failure->kind) {
    case FAILURE_OPEN_LOOP:
        return report_open_loop(self);
    case FAILURE_ITERATION:
        return report_iteration(self);
    case FAILURE_LEFT_OPEN:
        if (FIXED_ITERATIONS) {
            return error(self,
                         "t = %.6g s: constraint '%s' is open by %.1e after %d Newton step(s) over its loops: export "
                         "the model with more (--iterations), or take shorter steps",
                         failure->t, constraint(failure->index), failure->residual, MODEL_ITERATIONS);
        }
        return error(self,
                     "t = %.6g s: constraint '%s' is open by %.1e after all loops were solved: export the "
                     "model with --closure newton-all, which solves them together",
                     failure->t, constraint(failure->index), failure->residual);
    case FAILURE_LEFT_OUT:
        return report_left_out(self);
    case FAILURE_MULTIPLIERS:
        return error(self,
                     "t = %.6g s: the mechanism is in a singular position, where the constraints do not "
                     "determine the multipliers (the closure 'newton' can pass it)",
                     failure->t);
    case FAILURE_SINGULAR:
        return error(self,
                     "t = %.6g s: the mechanism is in a singular position: %s does not determine %s",
                     failure->t, loop_name(block_of(&self->state, failure->index)), model_coordinates[failure->index]);
    case FAILURE_MASS:
        return report_mass(self);
    case FAILURE_NOT_FINITE:
        return error(self, "t = %.6g s: the motion or the reaction of %s is not finite", failure->t,
                     model_coordinates[failure->index]);
    case FAILURE_JUMP:
        return error(self,
                     "t = %.6g s: %s leaves its assembly mode: the mechanism is in or beyond a singular "
                     "position (%s would jump)",
                     failure->t, loop_name(block_of(&self->state, failure->index)), model_coordinates[failure->index]);
    case FAILURE_TURNS:
        return error(self,
                     "t = %.6g s: %s turns too far in one step to count its turns: take shorter steps "
                     "(solver.step), and let bodies tilt from its axis by less than a right angle",
                     failure->t, named(model_angle_names, MODEL_NCOUNTED, failure->index));
    case FAILURE_STEPS:
        return error(self,
                     "t = %.6g s: more than %.0f internal steps in one communication step "
                     "(solver.max_steps)",
                     failure->t, setting(&self->state, SETTING_MAX_STEPS));
    case FAILURE_ACCURACY:
        return report_accuracy(self);
    case FAILURE_ASSEMBLY:
        return report_start(self,
                            "the mechanism cannot be assembled with these parameters in the mode of the "
                            "defaults",
                            "position");
    case FAILURE_VELOCITY:
        return report_start(self, "the start velocities contradict the constraints", "velocity");
    case FAILURE_SINGULAR_START:
        return error(self,
                     "t = %.6g s: the mechanism cannot start in a singular position, where its loops may "
                     "move in several ways: change the start values or the parameters",
                     failure->t);
    case FAILURE_CHATTER:
        return error(self,
                     "t = %.6g s: a switch goes to and fro without end: give it a dead band, or smooth it "
                     "(tanh instead of sign)",
                     failure->t);
    case FAILURE_SENSITIVITY:
        return error(self, "t = %.6g s: there are no derivatives in a singular position", failure->t);
    case FAILURE_OUTPUT:
        return error(self, "t = %.6g s: the variable with value reference %d is not finite", failure->t,
                     failure->index);
    case FAILURE_NETWORK:
        return error(self, "t = %.6g s: no solution is found for %s (residual %.1e)", failure->t,
                     model_network_blocks[failure->index].name, failure->residual);
    case FAILURE_STATE:
        return error(self,
                     "t = %.6g s: %s or its derivative is not finite: a value of the network around it is "
                     "zero or out of range",
                     failure->t, state_name(failure->index));
    case FAILURE_START:
        return report_network_start(self);
    case FAILURE_MOVING_START:
        return report_start(self, "the start cannot be steady: something moves", "velocity or driver");
    case FAILURE_NO_EQUILIBRIUM:
        return error(self,
                     "the start cannot be steady: no equilibrium is found from the assembled position, %s "
                     "%s with %.3g: change the guesses or the forces",
                     unknown_name(failure->index), unknown_verb(failure->index), failure->residual);
    case FAILURE_HELD_START:
        return error(self,
                     "the start cannot be steady: %s %s with %.3g where fixed start values or drivers hold it: "
                     "make fixed start values guesses",
                     unknown_name(failure->index), unknown_verb(failure->index), failure->residual);
    default:
        return error(self, "t = %.6g s: the evaluation failed", failure->t);
    }
}

Status report_failure(Instance *self)
{
    const Status status = report_kind(self);
    if (samples_swing(&self->state)) {
        error(self, "t = %.6g s: what other FMUs send jumps from step to step: the exchange between them is "
                    "unstable or too rare; take shorter communication steps, or let one FMU step after the "
                    "other (Gauss-Seidel)",
              self->failure.t);
    }
    return status;
}

Status discard_failure(Instance *self)
{
    report_failure(self);
    return STATUS_DISCARD;
}
