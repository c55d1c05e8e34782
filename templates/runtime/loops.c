#include "loops.h"

#include <math.h>

#include "attitude.h"
#include "circular.h"
#include "linear.h"
#include "tally.h"

#define MAX_ITERATIONS 25
#define MAX_HALVINGS 8
#define NEGLIGIBLE_STEP 1e-15 /* relative to 1 + |q| */
#define ROUND_OFF 1e-14       /* a residual below this is small enough */
#define ACCEPTABLE 1e-12      /* a residual above this is an open loop */
#define LEFT_OPEN 1e-8        /* of a solved position, relative to 1 + |q|: steps contradict the constraints */
#define STEPS_TOO_FEW 1e-3    /* ... after a fixed number of Newton steps */
#define LOST_DIGITS 1e-10     /* ... exact steps have lost digits, and iteration is more accurate */
#define FAR_FROM_ANCHOR 0.03
#define LONGEST_DELAY 0.3 /* in the travel of the independent coordinates (rad, m) */

static int size_of(const ModelBlock *block)
{
    return block ? block->size : MODEL_NC;
}

static const int *unknowns_of(const Instance *self, const ModelBlock *block)
{
    return block ? block->unknowns : self->state.partition.dependent;
}

/* Residual and Jacobian of a block (all constraints if NULL); returns the largest residual. */
static double evaluate_block(Instance *self, const ModelBlock *block, const ModelPoint *at)
{
    Work *work = &self->work;
    if (block) {
        block->evaluate(at, work->residual, work->phi_d);
    } else {
        model_constraints(at, work->residual);
        clear_lengths(&self->state, work->residual);
        model_jacobian(at, work->phi_q);
        dependent_columns(&self->state, work->phi_q, work->phi_d);
    }
    return max_magnitude(size_of(block), work->residual);
}

static bool negligible(int n, const int *unknowns, const double *q, const double *correction)
{
    for (int i = 0; i < n; i++) {
        if (!(fabs(correction[i]) <= NEGLIGIBLE_STEP * (1.0 + fabs(q[unknowns[i]])))) {
            return false;
        }
    }
    return true;
}

/* Apply the correction, halved until the residual falls below `before`. If it never does, q is unchanged. */
static double damped_step(Instance *self, const ModelBlock *block, const ModelPoint *at, double *q,
                          double before)
{
    Work *work = &self->work;
    const int n = size_of(block), *unknowns = unknowns_of(self, block);
    const int halvings = before <= ROUND_OFF ? 0 : MAX_HALVINGS;
    double fraction = 1.0;
    for (int i = 0; i < n; i++) {
        work->held[i] = q[unknowns[i]];
    }
    for (int trial = 0; trial <= halvings; trial++, fraction /= 2.0) {
        for (int i = 0; i < n; i++) {
            q[unknowns[i]] = work->held[i] - fraction * work->correction[i];
        }
        const double after = evaluate_block(self, block, at);
        if (after < before) {
            return after;
        }
    }
    for (int i = 0; i < n; i++) {
        q[unknowns[i]] = work->held[i];
    }
    return before;
}

/* Report which constraint stays open; the residuals are evaluated at the last q. */
static bool open_loop(Instance *self, const ModelBlock *block, const ModelPoint *at)
{
    Work *work = &self->work;
    int worst = 0;
    evaluate_block(self, block, at);
    for (int i = 1; i < size_of(block); i++) {
        worst = fabs(work->residual[i]) > fabs(work->residual[worst]) ? i : worst;
    }
    fail(self, FAILURE_OPEN_LOOP, at->time, block ? block->rows[worst] : worst);
    self->failure.residual = fabs(work->residual[worst]);
    self->failure.block = block;
    return false;
}

/* Exact steps. Where a guard fails, the prediction is restored and Newton starts from it. */
static bool solve_exactly(Instance *self, const ModelBlock *block, const ModelPoint *at, Point *point)
{
    double *const q = point->q;
    double *const held = self->work.held;
    for (int i = 0; i < block->size; i++) {
        held[i] = q[block->unknowns[i]];
    }
    if (block->solve(at, self->state.anchors, q, point->e)) {
        return true;
    }
    for (int i = 0; i < block->size; i++) {
        q[block->unknowns[i]] = held[i];
    }
    return false;
}

static bool must_not_iterate(Instance *self, const ModelBlock *block, const ModelPoint *at)
{
    fail(self, FAILURE_ITERATION, at->time, -1);
    self->failure.block = block;
    return false;
}

/* A fixed number of whole Newton steps. What they leave open is in closure.residual: see check_closed. */
static bool take_newton_steps(Instance *self, const ModelBlock *block, const ModelPoint *at, Point *point)
{
    Work *work = &self->work;
    const int n = size_of(block), *unknowns = unknowns_of(self, block);
    for (int iteration = 0; iteration < MODEL_ITERATIONS; iteration++) {
        const double residual = evaluate_block(self, block, at);
        if (!isfinite(residual) || lu_factor(n, work->phi_d, work->pivot, work->row_scale) >= 0) {
            return open_loop(self, block, at);
        }
        lu_solve(n, work->phi_d, work->pivot, work->residual);
        for (int i = 0; i < n; i++) {
            point->q[unknowns[i]] -= work->residual[i];
        }
        count_over_loops(self, block, point);
    }
    return true;
}

static bool solve_block(Instance *self, const ModelBlock *block, const ModelPoint *at, Point *point)
{
    if (NEVER_ITERATES) {
        return must_not_iterate(self, block, at);
    }
    if (FIXED_ITERATIONS) {
        return take_newton_steps(self, block, at, point);
    }
    Work *work = &self->work;
    const int n = size_of(block), *unknowns = unknowns_of(self, block);
    double residual = evaluate_block(self, block, at);
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        if (!isfinite(residual) || lu_factor(n, work->phi_d, work->pivot, work->row_scale) >= 0) {
            break;
        }
        for (int i = 0; i < n; i++) {
            work->correction[i] = work->residual[i];
        }
        lu_solve(n, work->phi_d, work->pivot, work->correction);
        if (max_magnitude(n, work->correction) < MODEL_NEWTON_TOLERANCE) {
            for (int i = 0; i < n; i++) {
                point->q[unknowns[i]] -= work->correction[i];
            }
            count_over_loops(self, block, point);
            return true;
        }
        if (negligible(n, unknowns, point->q, work->correction)) {
            break;
        }
        const double after = damped_step(self, block, at, point->q, residual);
        if (!(after < residual)) {
            break;
        }
        residual = after;
        count_over_loops(self, block, point);
    }
    return residual <= ACCEPTABLE || open_loop(self, block, at);
}

/* The time, beyond `dt`, after which the accepted motion reaches the independent coordinates that an importer has
 * set: its method may be of first order, and it may set states before it sets the time. */
static double delay_of(const State *state, const Point *point, double dt)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < MODEL_NI; i++) {
        const int k = state->partition.independent[i];
        const double v = state->at.v[k] + dt * state->at.a[k];
        sum += v * (point->q[k] - state->at.q[k] - dt * (state->at.v[k] + 0.5 * dt * state->at.a[k]));
        squares += v * v;
    }
    const bool is_short = dt != 0.0 ? fabs(sum) <= fabs(dt) * squares : fabs(sum) <= LONGEST_DELAY * sqrt(squares);
    return is_short && squares > 0.0 ? sum / squares : 0.0;
}

static void predict_dependent(const State *state, Point *point)
{
    const double dt = point->t - state->at.t;
    const double delay = state->interface == MODEL_EXCHANGE ? delay_of(state, point, dt) : 0.0;
    for (int i = 0; i < MODEL_NC; i++) {
        const int k = state->partition.dependent[i];
        if (!state->partition.carried[i]) {
            point->q[k] = state->at.q[k] + dt * (state->at.v[k] + 0.5 * dt * state->at.a[k]) +
                          delay * (state->at.v[k] + dt * state->at.a[k]);
        }
    }
}

/* Sines and cosines of coordinates that are known. */
static void take_directions(int n, const int *coordinates, Point *point)
{
    for (int i = 0; i < n; i++) {
        const int k = coordinates[i], place = model_turn[k];
        if (place >= 0) {
            circle_of(point->q[k], &point->e[2 * place], &point->e[2 * place + 1]);
        }
    }
}

bool close_loops(Instance *self, const ModelPoint *at, Point *point)
{
    point->iterations = 0.0;
    point->failed_steps = false;
    predict_dependent(&self->state, point);
    take_directions(MODEL_NI, self->state.partition.independent, point);
    const ModelSet *const set = present_set(&self->state);
    if (!BY_BLOCKS || !set) {
        const bool closed = MODEL_NC == 0 || solve_block(self, NULL, at, point);
        take_directions(MODEL_NC, self->state.partition.dependent, point);
        return closed;
    }
    if (set->solve_all && !self->work.without_steps) {
        if (set->solve_all(at, self->state.anchors, point->q, point->e)) {
            return true;
        }
        predict_dependent(&self->state, point);
    }
    for (int i = 0; i < set->size; i++) {
        const ModelBlock *block = &set->blocks[i];
        if (block->solve && !self->work.without_steps && solve_exactly(self, block, at, point)) {
            continue;
        }
        point->failed_steps = point->failed_steps || block->solve;
        if (!solve_block(self, block, at, point)) {
            return false;
        }
        take_directions(block->size, block->unknowns, point);
    }
    return true;
}

Precision precision_of_steps(Instance *self, const Point *point)
{
    const ModelSet *const set = present_set(&self->state);
    bool has_steps = false;
    for (int i = 0; BY_BLOCKS && set && i < set->size; i++) {
        has_steps = has_steps || set->blocks[i].solve;
    }
    if (!has_steps) {
        return PRECISION_UNKNOWN;
    }
    const ModelPoint at = model_point(&self->state, point);
    model_closing(&at, self->work.residual);
    bool exact = true;
    for (int i = 0; FIXED_ITERATIONS && i < set->size; i++) { /* what Newton steps leave open is no loss */
        exact = exact && set->blocks[i].solve;
        for (int k = 0; !set->blocks[i].solve && k < set->blocks[i].size; k++) {
            self->work.residual[set->blocks[i].rows[k]] = 0.0;
        }
    }
    double open = max_magnitude(MODEL_NC, self->work.residual);
    for (int i = 0; i < MODEL_NTURN; i++) { /* where a root lost digits, its angle has no unit length */
        const double *const e = point->e + 2 * i;
        open += fabs(e[0] * e[0] + e[1] * e[1] - 1.0);
    }
    const double limit = LOST_DIGITS * (1.0 + max_magnitude(MODEL_NQ, point->q));
    if (!(open <= limit)) {
        return PRECISION_LOST;
    }
    return exact ? PRECISION_FULL : PRECISION_UNKNOWN;
}

bool check_closed(Instance *self, const Point *point)
{
    Work *work = &self->work;
    if (!EMBEDDED || MODEL_NC == 0) {
        return true; /* the other closures integrate positions, which may drift */
    }
    const ModelPoint at = model_point(&self->state, point);
    model_constraints(&at, work->residual);
    const double limit = (FIXED_ITERATIONS ? STEPS_TOO_FEW : LEFT_OPEN) * (1.0 + max_magnitude(MODEL_NQ, point->q));
    for (int i = 0; i < MODEL_NC; i++) {
        if (!(fabs(work->residual[i]) <= limit)) {
            fail(self, FAILURE_LEFT_OPEN, point->t, i);
            self->failure.residual = fabs(work->residual[i]);
            return false;
        }
    }
    return true;
}

void move_anchors(State *state)
{
    for (int k = 0; k < MODEL_NQ; k++) {
        const int place = model_turn[k];
        if (place >= 0 && !(fabs(state->at.q[k] - state->anchors[place].q) <= FAR_FROM_ANCHOR)) {
            Anchor *const anchor = &state->anchors[place];
            anchor->q = state->at.q[k];
            circle_of(anchor->q, &anchor->sine, &anchor->cosine);
        }
    }
}

void drop_anchors(State *state)
{
    static const Anchor upright = {0.0, 0.0, 1.0};
    for (int i = 0; i < MODEL_NTURN; i++) {
        state->anchors[i] = upright;
    }
}

bool project_position(Instance *self, Point *point)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    point->iterations = 0.0;
    double before = INFINITY;
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        model_constraints(&at, work->residual);
        const double residual = max_magnitude(MODEL_NC, work->residual);
        if (residual <= ROUND_OFF || !(residual < before)) {
            break; /* a residual that no longer falls is round-off or an open loop */
        }
        before = residual;
        model_jacobian(&at, work->phi_q);
        minimal_norm(MODEL_NC, MODEL_NQ, work->phi_q, work->residual, 1e-12, work->correction_q,
                     work->diagonal);
        for (int i = 0; i < MODEL_NQ; i++) {
            point->q[i] -= work->correction_q[i];
        }
        count_over_loops(self, NULL, point);
    }
    model_constraints(&at, work->residual);
    return max_magnitude(MODEL_NC, work->residual) <= ACCEPTABLE || open_loop(self, NULL, &at);
}
