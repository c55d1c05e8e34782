#include "assemble.h"

#include <math.h>
#include <string.h>

#include "linear.h"
#include "loops.h"
#include "motion.h"
#include "network.h"
#include "partition.h"
#include "relations.h"
#include "steady.h"
#include "turns.h"

#define ASSEMBLY_ITERATIONS 30
#define MAX_HOMOTOPY_TRIES 1000
#define HOMOTOPY_PATHS 7
#define LARGEST_MOVE 0.3 /* rad or m */
#define SMALLEST_HOMOTOPY_STEP 1e-6
#define ASSEMBLED 1e-11
#define RANK_TOLERANCE 1e-10

#define POSITION_ROWS (MODEL_NC + MODEL_NFIX)
#define VELOCITY_ROWS (MODEL_NC + MODEL_NFIXV)

/* Subtract the shortest solution of stacked * x = stacked_residual. Returns its largest component, relative
 * to 1 + |value|. */
static double correct(Work *work, int rows, double *values)
{
    double largest = 0.0;
    minimal_norm(rows, MODEL_NQ, work->stacked, work->stacked_residual, RANK_TOLERANCE, work->correction_q,
                 work->diagonal);
    for (int i = 0; i < MODEL_NQ; i++) {
        const double size = fabs(work->correction_q[i]) / (1.0 + fabs(values[i]));
        largest = size <= largest ? largest : size;
        values[i] -= work->correction_q[i];
    }
    return largest;
}

static int largest_index(int n, const double *x)
{
    int index = 0;
    for (int i = 1; i < n; i++) {
        index = fabs(x[i]) > fabs(x[index]) ? i : index;
    }
    return index;
}

/* Note the worst of the residuals in work->stacked_residual. */
static bool cannot(Instance *self, FailureKind kind, double t, int rows)
{
    const int worst = largest_index(rows, self->work.stacked_residual);
    fail(self, kind, t, worst);
    self->failure.residual = fabs(self->work.stacked_residual[worst]);
    return false;
}

/* --- positions -------------------------------------------------------------------------------- */

static double position_residual(Work *work, const ModelPoint *at, Point *point)
{
    guess_turns(at, point->g);
    model_constraints(at, work->stacked_residual);
    model_jacobian(at, work->stacked);
    model_fixed(at, work->stacked_residual + MODEL_NC, work->stacked + MODEL_NC * MODEL_NQ);
    return max_magnitude(POSITION_ROWS, work->stacked_residual);
}

/* Whether the last correction moved a coordinate further than allowed between two continued positions. These
 * are close together: a larger first step could end in another assembly mode, or some turns away. */
static bool went_far(const Work *work, const Point *point)
{
    for (int i = 0; i < MODEL_NQ; i++) {
        if (!(fabs(work->correction_q[i]) <= LARGEST_MOVE * (1.0 + 0.1 * fabs(point->q[i])))) {
            return true;
        }
    }
    return false;
}

/* Gauss-Newton steps that must shrink by half each time. A start outside the region of sure convergence is
 * refused, because the root found from there could belong to another assembly mode. From the third step on,
 * shrinking by four in two steps is enough: with Euler parameters every other step only restores the unit
 * length. With `near` the first step must be small as well. */
static bool contract(Work *work, const ModelPoint *at, Point *point, bool near)
{
    double last_step = INFINITY, step_before = 0.0;
    double residual = position_residual(work, at, point);
    for (int iteration = 0; iteration < ASSEMBLY_ITERATIONS && isfinite(residual); iteration++) {
        const double step = correct(work, POSITION_ROWS, point->q);
        if (near && iteration == 0 && went_far(work, point)) {
            return false;
        }
        if (!(step <= 0.5 * last_step || step <= 0.25 * step_before)) {
            break; /* round-off is reached, or convergence is not certain */
        }
        step_before = isfinite(last_step) ? last_step : 0.0;
        last_step = step;
        residual = position_residual(work, at, point);
        if (step <= 1e-15) {
            break;
        }
    }
    return residual <= ASSEMBLED;
}

bool contract_to_position(Work *work, const ModelPoint *at, Point *point)
{
    return contract(work, at, point, false);
}

/* The progress of a parameter at s, from 0 to 1. On the first path it is s itself. On other paths some
 * parameters run ahead of the others, since the straight path may lead through values for which the mechanism
 * cannot be assembled. */
static double progress_of(int parameter, int path, double s)
{
    const double lag = ((unsigned)parameter * 2654435761u) >> (31 - path) & 1u ? 4.0 : 0.25;
    return path == 0 ? s : s / (s + lag * (1.0 - s));
}

/* Parameters and time between those of model_q0 (s = 0) and the current ones (s = 1). Switches that move the
 * mechanism depend on these and on inputs alone, so their signs are known before the position. */
static ModelPoint homotopy_point(Instance *self, int path, double s, const Point *point)
{
    Work *work = &self->work;
    const State *state = &self->state;
    for (int i = 0; i < MODEL_NP; i++) {
        const double from = model_start[MODEL_P0 + i], to = state->reals[MODEL_P0 + i];
        work->parameters[i] = s < 1.0 ? from + progress_of(i, path, s) * (to - from) : to;
    }
    model_derive(work->parameters, work->derived);
    ModelPoint at = model_point(state, point);
    at.time = s * state->start_time;
    at.parameters = work->parameters;
    at.derived = work->derived;
    begin_switching(self);
    take_signs(self, &at);
    return at;
}

/* Follow the assembled position from the default parameters to the current ones: in one step if it surely
 * converges, otherwise in as many steps as needed. */
static bool follow_path(Instance *self, int path, Point *point)
{
    Work *work = &self->work;
    double s = 0.0, step = 1.0;
    memcpy(point->q, model_q0, MODEL_NQ * sizeof(double));
    for (int tries = 0; tries < MAX_HOMOTOPY_TRIES && s < 1.0 && step >= SMALLEST_HOMOTOPY_STEP; tries++) {
        const double next = fmin(1.0, s + step);
        const ModelPoint at = homotopy_point(self, path, next, point);
        double reached[MODEL_ROOM(MODEL_NQ)];
        memcpy(reached, point->q, sizeof reached);
        if (contract(work, &at, point, true)) {
            s = next;
            step *= 2.0;
        } else {
            memcpy(point->q, reached, sizeof reached);
            step /= 2.0;
        }
    }
    return s >= 1.0;
}

static bool assemble_position(Instance *self, Point *point)
{
    for (int path = 0; path < HOMOTOPY_PATHS; path++) {
        if (follow_path(self, path, point)) {
            return true;
        }
    }
    const ModelPoint wanted = homotopy_point(self, 0, 1.0, point);
    position_residual(&self->work, &wanted, point);
    return cannot(self, FAILURE_ASSEMBLY, point->t, POSITION_ROWS);
}

/* --- velocities ------------------------------------------------------------------------------- */

static double velocity_residual(Work *work, const ModelPoint *at)
{
    model_jacobian(at, work->stacked);
    model_velocity(at, work->stacked_residual);
    for (int i = 0; i < MODEL_NC; i++) {
        double sum = -work->stacked_residual[i];
        for (int j = 0; j < MODEL_NQ; j++) {
            sum += work->stacked[i * MODEL_NQ + j] * at->velocities[j];
        }
        work->stacked_residual[i] = sum;
    }
    model_fixed_velocity(at, work->stacked_residual + MODEL_NC, work->stacked + MODEL_NC * MODEL_NQ);
    return max_magnitude(VELOCITY_ROWS, work->stacked_residual);
}

/* The velocities nearest to model_v0. The equations are linear: the second pass removes round-off. */
static bool assemble_velocity(Instance *self, Point *point)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    if (STEADY_MOTION) { /* velocities are zero already */
        return velocity_residual(work, &at) <= ASSEMBLED ||
               cannot(self, FAILURE_MOVING_START, point->t, VELOCITY_ROWS);
    }
    memcpy(point->v, model_v0, MODEL_NQ * sizeof(double));
    for (int pass = 0; pass < 2; pass++) {
        velocity_residual(work, &at);
        correct(work, VELOCITY_ROWS, point->v);
    }
    const double scale = 1.0 + max_magnitude(MODEL_NQ, point->v);
    return velocity_residual(work, &at) <= ASSEMBLED * scale ||
           cannot(self, FAILURE_VELOCITY, point->t, VELOCITY_ROWS);
}

/* The states of the network and, for a steady start, the equilibrium of the whole system. `again`: continue
 * from the end of the last search. */
static bool start_rest(Instance *self, Point *point, bool again)
{
    if (!STEADY_MOTION) {
        return start_network(self, point);
    }
    if (!again) {
        const ModelPoint at = model_point(&self->state, point);
        model_start_states(&at, point->x);
        memcpy(point->z, model_z0, MODEL_NZ * sizeof(double));
    }
    if (!find_equilibrium(self, point)) {
        return false;
    }
    start_turns(&self->state);
    return start_partition(self) || fail(self, FAILURE_SINGULAR_START, point->t, -1);
}

/* The states of the network, repeated until the signs of the relations agree with them. */
static bool start_states(Instance *self)
{
    State *state = &self->state;
    Work *work = &self->work;
    begin_switching(self);
    update_relations(self, &state->at);
    for (int pass = 0; pass < MODEL_NE + 2; pass++) {
        if (!start_rest(self, &state->at, pass > 0)) {
            return false;
        }
        if (MODEL_NE == 0 || (START_ROWS == 0 && !STEADY_MOTION)) {
            return true; /* nothing was found that depends on signs */
        }
        copy_point(&work->trial, &state->at);
        ode_state(state, &state->at, work->stage);
        if (!evaluate_motion(self, state->at.t, work->stage, &work->trial)) {
            return false;
        }
        if (!update_relations(self, &work->trial)) {
            return true;
        }
    }
    return fail(self, FAILURE_CHATTER, state->at.t, -1);
}

bool assemble(Instance *self)
{
    State *state = &self->state;
    reset_point(&state->at);
    drop_anchors(state);
    state->at.t = state->input_time = state->start_time;
    take_inputs(state, &state->at);
    set_zero(state->largest_pivots, MODEL_NSETS * MODEL_NPIVOTS);
    state->fresh = state->outputs_fresh = state->parameters_changed = state->loops_open = state->partition_due = false;
    model_derive(state->reals + MODEL_P0, state->derived);
    if (!assemble_position(self, &state->at) || !assemble_velocity(self, &state->at)) {
        return false;
    }
    start_turns(state);
    if (!start_partition(self)) {
        return fail(self, FAILURE_SINGULAR_START, state->at.t, -1);
    }
    if (!start_states(self)) {
        return false;
    }
    state->proposed_step = state->penalty = 0.0;
    state->last_error = 1e-4;
    state->steps = 0.0;
    move_anchors(state);
    show_accepted(self);
    state->assembled = refresh_motion(self) && check_closed(self, &state->at);
    memcpy(state->reviewed_pivots, state->at.pivots, MODEL_NPIVOTS * sizeof(double)); /* by start_partition */
    return state->assembled;
}
