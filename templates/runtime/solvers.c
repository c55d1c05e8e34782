#include "solvers.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "implicit.h"
#include "left_out.h"
#include "loops.h"
#include "motion.h"
#include "partition.h"
#include "relations.h"
#include "turns.h"

static int method_of(const State *state)
{
    return ODE_STATES == 0 ? SOLVER_EULER : (int)setting(state, SETTING_METHOD);
}

/* --- methods -------------------------------------------------------------------------------------
 *
 * A method starts from work->y with derivative work->k[0], leaves the point at t_new in work->trial and
 * returns false when an evaluation fails. Every method ends with the evaluation at its new point, whose
 * derivative is the first of the next step. */

/* work->stage = y + h * sum(weights[j] * k[j]) */
static void combine(Work *work, double h, int count, const double *weights)
{
    for (int i = 0; i < ODE_STATES; i++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++) {
            sum += weights[j] * work->k[j][i];
        }
        work->stage[i] = work->y[i] + h * sum;
    }
}

/* The derivative at a stage of a method, whose `last` stage is its new point. */
static bool evaluate_stage(Instance *self, double t, int stage, int last)
{
    Work *work = &self->work;
    work->within_step = stage < last;
    const bool found = evaluate_motion(self, t, work->stage, &work->trial);
    work->within_step = false;
    if (!found) {
        return false;
    }
    ode_derivative(&self->state, &work->trial, work->k[stage]);
    return true;
}

static bool step_euler(Instance *self, double t_new)
{
    static const double weights[] = {1.0};
    combine(&self->work, t_new - self->state.at.t, 1, weights);
    return evaluate_stage(self, t_new, 1, 1);
}

static bool step_rk4(Instance *self, double t_new)
{
    static const double weights[4][4] = {
        {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}, {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}};
    static const double nodes[4] = {0.5, 0.5, 1.0, 1.0};
    const double t = self->state.at.t, h = t_new - t;
    for (int stage = 1; stage <= 4; stage++) {
        combine(&self->work, h, stage, weights[stage - 1]);
        if (!evaluate_stage(self, stage < 3 ? t + nodes[stage - 1] * h : t_new, stage, 4)) {
            return false;
        }
    }
    return true;
}

/* The error that the tolerances allow for an integrated value of a size. An angle counts as at most one
 * radian: its value grows with every turn, but the accuracy of its direction must not decrease. */
static double allowed_error(const State *state, int i, double size)
{
    const int k = ODE_POSITIONS > 0 && i < ODE_POSITIONS ? ode_position(state, i) : -1;
    const bool is_angle = (k >= 0 && model_kinds[k] == COORDINATE_ANGLE) ||
                          (i >= ODE_MOTION && model_state_turns[i - ODE_MOTION]);
    return setting(state, SETTING_ABSOLUTE_TOLERANCE) +
           setting(state, SETTING_RELATIVE_TOLERANCE) * (is_angle ? fmin(size, 1.0) : size);
}

/* The size of sum(weights[j] * k[j]) relative to the tolerances. */
static double scaled_error(Instance *self, int count, const double *weights, double factor)
{
    const Work *work = &self->work;
    double sum = 0.0;
    for (int i = 0; i < ODE_STATES; i++) {
        double error = 0.0;
        for (int j = 0; j < count; j++) {
            error += factor * weights[j] * work->k[j][i];
        }
        error /= allowed_error(&self->state, i, fmax(fabs(work->y[i]), fabs(work->stage[i])));
        sum += error * error;
    }
    return ODE_STATES > 0 ? sqrt(sum / MODEL_ROOM(ODE_STATES)) : 0.0;
}

/* Dormand and Prince, fifth order; *error is relative to the tolerances. */
static bool step_dopri5(Instance *self, double t_new, double *error)
{
    static const double weights[6][6] = {
        {1.0 / 5.0},
        {3.0 / 40.0, 9.0 / 40.0},
        {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
        {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
        {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
        {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
    static const double nodes[6] = {1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
    static const double errors[7] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                     -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
    const double t = self->state.at.t, h = t_new - t;
    for (int stage = 1; stage <= 6; stage++) {
        combine(&self->work, h, stage, weights[stage - 1]);
        if (!evaluate_stage(self, stage < 5 ? t + nodes[stage - 1] * h : t_new, stage, 6)) {
            return false;
        }
    }
    *error = scaled_error(self, 7, errors, h);
    return true;
}

/* RODAS3 (Sandu et al. 1997): linearly implicit, L-stable, of third order. Its last stage is the error. */
static bool step_rodas3(Instance *self, double t_new, double *error)
{
    static const double errors[4] = {0.0, 0.0, 0.0, 1.0};
    if (!implicit_step(self, t_new)) {
        return false;
    }
    *error = scaled_error(self, 4, errors, 1.0);
    return true;
}

/* --- trial steps ------------------------------------------------------------------------------ */

/* The error that an importer with loose tolerances may make, in radians on the longest lever. */
#define IMPORTER_ERROR 1e-3

/* A smooth motion from `from` to `to` satisfies the corrected trapezoidal rule q1 - q0 = h/2 (v0 + v1) -
 * h^2/12 (a1 - a0) + O(h^5). A motion that has changed its assembly mode violates it by a large share of its
 * travel. With Euler's method this cannot be detected, since its own error is of that size. */
bool is_continuous(Instance *self, double allowed_share, bool by_importer)
{
    const Point *from = &self->state.at, *to = &self->work.trial;
    const double h = to->t - from->t, *const scale = self->state.column_scale;
    double reach = 0.0, longest = 0.0; /* of the accelerations and of all levers, in the unit of the constraints */
    for (int i = 0; i < MODEL_NQ && by_importer; i++) {
        reach = fmax(reach, h * h * scale[i] * fmax(fabs(from->a[i]), fabs(to->a[i])));
        longest = fmax(longest, scale[i]);
    }
    for (int i = 0; i < MODEL_NQ; i++) {
        const double moved = to->q[i] - from->q[i];
        const double expected = h * (from->v[i] + to->v[i]) / 2.0 - h * h * (to->a[i] - from->a[i]) / 12.0;
        double travel = h * (fabs(from->v[i]) + fabs(to->v[i])) / 2.0 +
                        h * h * (fabs(from->a[i]) + fabs(to->a[i])) / 12.0;
        double noise = 1e-8 * (1.0 + fabs(to->q[i]));
        if (by_importer) {
            if (!(scale[i] > 0.0)) {
                continue; /* it is in no loop */
            }
            travel += reach / scale[i];
            noise = IMPORTER_ERROR * longest / scale[i];
        }
        if (!(fabs(moved - expected) <= allowed_share * travel + noise)) {
            return fail(self, FAILURE_JUMP, to->t, i);
        }
    }
    return true;
}

/* One trial step; on success work->trial is the point at t_new if *error <= 1. */
static bool try_step(Instance *self, double t_new, double *error)
{
    Work *work = &self->work;
    *error = 0.0;
    copy_point(&work->trial, &self->state.at);
    ode_state(&self->state, &self->state.at, work->y);
    ode_derivative(&self->state, &self->state.at, work->k[0]);
    bool stepped = false;
    switch (method_of(&self->state)) {
    case SOLVER_EULER:
        stepped = step_euler(self, t_new);
        break;
    case SOLVER_RK4:
        stepped = step_rk4(self, t_new);
        break;
    case SOLVER_RODAS3:
        stepped = step_rodas3(self, t_new, error);
        break;
    default:
        stepped = step_dopri5(self, t_new, error);
    }
    if (!stepped || !(*error <= 1.0)) {
        return stepped;
    }
    if (!settle_motion(self, &work->trial)) {
        return false;
    }
    const bool closed = sharpen_motion(self, &work->trial) || check_closed(self, &work->trial);
    if (!closed || !left_out_hold(self, &work->trial)) {
        return false;
    }
    if (multipliers_are_lost(self, &work->trial)) {
        return fail(self, FAILURE_MULTIPLIERS, t_new, -1);
    }
    const bool untold = method_of(&self->state) == SOLVER_EULER && ODE_STATES > 0;
    return (untold || is_continuous(self, 0.25, false)) && turns_are_sure(self);
}

static void count_change(Instance *self, const Partition *before)
{
    self->tally.changes += same_partition(before, &self->state.partition) ? 0.0 : 1.0;
}

static bool leave_partition(Instance *self)
{
    Partition *const before = &self->work.before_step;
    copy_partition(before, &self->state.partition);
    const bool left = leave_failing_partition(self);
    count_change(self, before);
    return left;
}

void accept(Instance *self)
{
    State *state = &self->state;
    copy_point(&state->at, &self->work.trial);
    move_anchors(state);
    count_turns(state);
    state->outputs_fresh = false;
    state->steps += 1.0;
    Partition *const before = &self->work.before_step;
    copy_partition(before, &state->partition);
    review_partition(self);
    count_change(self, before);
}

/* --- events ----------------------------------------------------------------------------------- */

#define MAX_LOCATIONS 60
#define EVENT_TOLERANCE 1e-12 /* of a located time, relative to the step */

/* The trial step to t_new has changed the sign of a relation: shorten it until it ends just after the first
 * crossing (regula falsi with the Illinois weights). */
static bool locate_event(Instance *self, double t_new, double excess)
{
    const double begin = self->state.at.t;
    const double close = EVENT_TOLERANCE * (t_new - begin) + 2.0 * DBL_EPSILON * fabs(t_new);
    double before = begin, after = t_new, error;
    double below = relation_excess(self, &self->state.at), above = excess;
    int side = 0;
    for (int i = 0; i < MAX_LOCATIONS && after - before > close; i++) {
        const double share = below < 0.0 && i % 4 != 3 ? below / (below - above) : 0.5;
        const double middle = before + fmin(0.99, fmax(0.01, share)) * (after - before);
        if (!try_step(self, middle, &error)) {
            return false;
        }
        const double value = relation_excess(self, &self->work.trial);
        if (value > 0.0) {
            after = middle;
            above = value;
            below *= side > 0 ? 0.5 : 1.0;
            side = 1;
        } else {
            before = middle;
            below = value;
            above *= side < 0 ? 0.5 : 1.0;
            side = -1;
        }
    }
    return try_step(self, after, &error);
}

/* Accept the trial step, or the part of it up to an event. */
static bool accept_or_locate(Instance *self, double t_new, bool *event)
{
    const double excess = relation_excess(self, &self->work.trial);
    *event = excess > 0.0;
    return !*event || locate_event(self, t_new, excess);
}

/* --- fixed steps ------------------------------------------------------------------------------ */

static bool advance_fixed(Instance *self, double end, bool *event)
{
    const double begin = self->state.at.t, span = end - begin, step = setting(&self->state, SETTING_STEP);
    const double count = step > 0.0 ? fmax(1.0, ceil(span / step * (1.0 - 1e-9))) : 1.0;
    if (count > setting(&self->state, SETTING_MAX_STEPS)) {
        return fail(self, FAILURE_STEPS, begin, -1);
    }
    for (double k = 1.0; k <= count && !*event; k += 1.0) {
        const double t_new = k < count ? begin + span * (k / count) : end;
        double error;
        if (!try_step(self, t_new, &error) &&
            !(leave_partition(self) && try_step(self, t_new, &error))) {
            return false;
        }
        if (!accept_or_locate(self, t_new, event)) {
            return false;
        }
        accept(self);
    }
    return true;
}

/* --- adaptive steps --------------------------------------------------------------------------- */

#define SAFETY 0.9
#define LARGEST_GROWTH 5.0
#define LARGEST_SHRINKAGE 0.2
#define FAILURES_BEFORE_NEW_PARTITION 3

/* A first guess: the state may change by a hundredth of itself (Hairer, Norsett, Wanner, II.4). */
static double initial_step(Instance *self, double span)
{
    Work *work = &self->work;
    double state_size = 0.0, derivative_size = 0.0;
    ode_state(&self->state, &self->state.at, work->y);
    ode_derivative(&self->state, &self->state.at, work->k[0]);
    for (int i = 0; i < ODE_STATES; i++) {
        const double scale = allowed_error(&self->state, i, fabs(work->y[i]));
        state_size = fmax(state_size, fabs(work->y[i]) / scale);
        derivative_size = fmax(derivative_size, fabs(work->k[0][i]) / scale);
    }
    if (ODE_STATES == 0 || derivative_size == 0.0) {
        return span;
    }
    return fmin(span, state_size > 1e-5 ? 0.01 * state_size / derivative_size : 1e-6);
}

/* The step to try next towards `end`: it ends there exactly, or leaves a remainder that is not too short. */
static double next_step(double proposed, double rest)
{
    return proposed >= 0.99 * rest ? rest : proposed > 0.5 * rest ? 0.5 * rest : proposed;
}

/* Hairer's PI controller (Hairer, Wanner, IV.2), for a method of fifth or of third order. The powers of C
 * libraries differ in their last bits: rounded to single precision, all platforms take the same steps. */
static double growth(const State *state, double error, double last_error)
{
    const double exponent = method_of(state) == SOLVER_RODAS3 ? -0.3 : -0.17;
    const double factor = SAFETY * pow(fmax(error, 1e-10), exponent) * pow(last_error, 0.04);
    return (float)fmin(LARGEST_GROWTH, fmax(LARGEST_SHRINKAGE, factor));
}

static void accept_adaptive(Instance *self, double h, double error, bool retried)
{
    State *state = &self->state;
    const double limit = retried ? 1.0 : LARGEST_GROWTH;
    const double proposal = h * fmin(limit, growth(state, error, state->last_error));
    /* A step cut short by the communication point says little about the next one. */
    const bool cut = !retried && h < state->proposed_step;
    state->proposed_step = cut ? fmax(proposal, state->proposed_step) : proposal;
    state->last_error = fmax(error, 1e-4);
    accept(self);
}

static bool advance_adaptive(Instance *self, double end, bool *event)
{
    State *state = &self->state;
    const double max_step = setting(state, SETTING_STEP), max_steps = setting(state, SETTING_MAX_STEPS);
    const double smallest = 1e-12 * (end - state->at.t) + 4.0 * DBL_EPSILON * fabs(end);
    bool retried = false;
    int failures = 0;
    if (!(state->proposed_step > 0.0)) {
        state->proposed_step = initial_step(self, end - state->at.t);
    }
    for (double tries = 0.0; state->at.t < end && !*event; tries += 1.0) {
        if (tries >= max_steps) {
            return fail(self, FAILURE_STEPS, state->at.t, -1);
        }
        const double bounded = max_step > 0.0 ? fmin(max_step, state->proposed_step) : state->proposed_step;
        const double rest = end - state->at.t, h = next_step(bounded, rest);
        double error;
        const bool found = try_step(self, h < rest ? state->at.t + h : end, &error);
        if (found && error <= 1.0) {
            if (!accept_or_locate(self, self->work.trial.t, event)) {
                return false;
            }
            if (*event) {
                accept(self);
                break;
            }
            accept_adaptive(self, h, error, retried);
            retried = false;
            failures = 0;
            continue;
        }
        if (h <= smallest) {
            return found ? fail(self, FAILURE_ACCURACY, state->at.t, -1) : false;
        }
        retried = true;
        failures += !found;
        if (failures == FAILURES_BEFORE_NEW_PARTITION) {
            leave_partition(self);
        }
        state->proposed_step = h * (found ? fmin(0.9, growth(state, error, 1.0)) : 0.5);
    }
    return true;
}

/* --- from event to event ---------------------------------------------------------------------- */

#define MOST_EVENTS_AT_ONCE 50
#define AT_ONCE 1e-9 /* of a communication step */

bool is_adaptive(const State *state)
{
    const int method = method_of(state);
    return ODE_STATES == 0 || method == SOLVER_DOPRI5 || method == SOLVER_RODAS3;
}

/* At an accepted point: relations take their signs and the motion continues with them. */
static bool begin_segment(Instance *self)
{
    State *state = &self->state;
    begin_switching(self);
    if (MODEL_NE > 0 && update_relations(self, &state->at)) {
        show_accepted(self);
        state->fresh = false;
    }
    return follow_switches(self);
}

static bool advance_by_segments(Instance *self, double end)
{
    const State *state = &self->state;
    const double span = end - state->at.t;
    int events = 0;
    while (state->at.t < end) {
        const double begin = state->at.t;
        const double stop = MODEL_TIME_EVENTS > 0 ? fmin(end, next_time_event(self, begin)) : end;
        bool event = false;
        if (!(is_adaptive(state) ? advance_adaptive(self, stop, &event) : advance_fixed(self, stop, &event)) ||
            !begin_segment(self)) {
            return false;
        }
        events = event && state->at.t - begin < AT_ONCE * span ? events + 1 : 0;
        if (events > MOST_EVENTS_AT_ONCE) {
            return fail(self, FAILURE_CHATTER, state->at.t, -1);
        }
    }
    return true;
}

bool advance(Instance *self, double end)
{
    const bool reached = refresh_motion(self) && begin_segment(self) && advance_by_segments(self, end);
    show_accepted(self);
    return reached;
}
