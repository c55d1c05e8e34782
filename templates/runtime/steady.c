#include "steady.h"

#include <math.h>
#include <string.h>

#include "assemble.h"
#include "derivative.h"
#include "linear.h"
#include "motion.h"
#include "relations.h"


#define NQ MODEL_NQ
#define NC MODEL_NC
#define ROWS (MODEL_NC + MODEL_NFIX)

#define MAX_TRIES 400
#define STEADY_MOVE 0.25 /* largest change of a coordinate in one step, to stay in the assembly mode */
#define SHORTEST_TIME 1e-16
#define LONGEST_TIME 1e8    /* from here on steps are those of Newton's method */
#define STEADY_GROWTH 100.0
#define WORSE 2.0              /* accelerations may grow by this factor in one step */
#define STEADY_ROUND_OFF 1e-15 /* a step below this, relative to 1 + |y|, is negligible */
#define RANK_TOLERANCE 1e-10
#define AT_REST 1e-9        /* relative to the effect of a change of the unknowns by their own size */

/* Set the switches for a point of the search; each point is an instant of its own. */
static void switch_at(Instance *self, const Point *point)
{
    begin_switching(self);
    update_relations(self, point);
}

/* --- directions that keep loops and fixed positions -------------------------------------------- */

/* Remove the part of a direction that violates the constraints or the fixed start positions. */
static void keep_allowed(Work *work, const ModelPoint *at, double *direction)
{
    model_jacobian(at, work->stacked);
    model_fixed(at, work->stacked_residual, work->stacked + NC * NQ);
    for (int i = 0; i < ROWS; i++) {
        work->stacked_residual[i] = dot(NQ, work->stacked + i * NQ, direction);
    }
    minimal_norm(ROWS, NQ, work->stacked, work->stacked_residual, RANK_TOLERANCE, work->correction_q,
                 work->diagonal);
    for (int i = 0; i < NQ; i++) {
        direction[i] -= work->correction_q[i];
    }
}

/* --- what is to vanish ------------------------------------------------------------------------- */

/* Accelerations in allowed directions, then the derivatives of the states of the network. */
static void take_unrest(Instance *self, const Point *point, double *unrest)
{
    const ModelPoint at = model_point(&self->state, point);
    memcpy(unrest, point->a, NQ * sizeof *unrest);
    keep_allowed(&self->work, &at, unrest);
    memcpy(unrest + NQ, point->dx, MODEL_NX * sizeof *unrest);
}

static double scaled_size(const double *unrest, const double *scale)
{
    double sum = 0.0;
    for (int i = 0; i < STEADY_UNKNOWNS; i++) {
        sum += unrest[i] / scale[i] * (unrest[i] / scale[i]);
    }
    return sqrt(sum);
}

/* One column of the derivative of what is to vanish, by a coordinate in allowed directions or by a state. */
static void take_column(Instance *self, const Point *point, int column, double *allowed, double *change)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    reset_direction(&work->along);
    memset(allowed, 0, NQ * sizeof *allowed);
    if (column < NQ) {
        allowed[column] = 1.0;
        keep_allowed(work, &at, allowed);
        memcpy(work->along.q, allowed, NQ * sizeof *allowed);
    } else {
        work->along.x[column - NQ] = 1.0;
    }
    follow_rest(self, point);
    memcpy(change, work->along.a, NQ * sizeof *change);
    keep_allowed(work, &at, change);
    memcpy(change + NQ, work->along.dx, MODEL_NX * sizeof *change);
}

/* J of work->steady_jacobian, I - P of work->steady_kept, and the largest entry of every row of J. */
static bool linearize(Instance *self, const Point *point)
{
    Work *work = &self->work;
    const int n = STEADY_UNKNOWNS;
    double allowed[MODEL_ROOM(NQ)], change[MODEL_ROOM(STEADY_UNKNOWNS)];
    if (!factor_rest(self, point)) {
        return false;
    }
    set_zero(work->steady_scale, STEADY_UNKNOWNS);
    for (int j = 0; j < n; j++) {
        take_column(self, point, j, allowed, change);
        for (int i = 0; i < n; i++) {
            work->steady_jacobian[i * n + j] = change[i];
            work->steady_scale[i] = fmax(work->steady_scale[i], fabs(change[i]));
            work->steady_kept[i * n + j] = i < NQ && j < NQ ? (double)(i == j) - allowed[i] : 0.0;
        }
    }
    for (int i = 0; i < n; i++) {
        work->steady_scale[i] = work->steady_scale[i] > 0.0 ? work->steady_scale[i] : 1.0;
    }
    return true;
}

/* --- steps ------------------------------------------------------------------------------------- */

/* (1/h + I - P - J) s = unrest, an implicit Euler step of y' = unrest: far from rest it follows the forces, and
 * for a long time h it is a step of Newton's method. Returns its size relative to 1 + |y|. */
static double solve_step(Work *work, const Point *point, double h, double *step)
{
    const int n = STEADY_UNKNOWNS;
    double size = 0.0;
    for (int i = 0; i < n * n; i++) {
        work->steady_matrix[i] = work->steady_kept[i] - work->steady_jacobian[i];
    }
    for (int i = 0; i < n; i++) {
        work->steady_matrix[i * n + i] += 1.0 / h;
        step[i] = work->steady_unrest[i];
    }
    if (lu_factor(n, work->steady_matrix, work->steady_pivot, work->steady_rows) >= 0) {
        return INFINITY;
    }
    lu_solve(n, work->steady_matrix, work->steady_pivot, step);
    for (int i = 0; i < n; i++) {
        const double value = i < NQ ? point->q[i] : point->x[i - NQ];
        const double relative = fabs(step[i]) / (1.0 + fabs(value));
        size = relative <= size ? size : relative;
    }
    return size;
}

/* The point one step further: its loops are closed, its switches set, and everything is evaluated. */
static bool take_step(Instance *self, const double *step, Point *point)
{
    const double largest = max_magnitude(NQ, step);
    const double share = largest > STEADY_MOVE ? STEADY_MOVE / largest : 1.0;
    for (int i = 0; i < NQ; i++) {
        point->q[i] += share * step[i];
    }
    for (int i = 0; i < MODEL_NX; i++) {
        point->x[i] += share * step[NQ + i];
    }
    const ModelPoint at = model_point(&self->state, point);
    if (!contract_to_position(&self->work, &at, point)) {
        return false;
    }
    switch_at(self, point);
    return evaluate_at_rest(self, point);
}

/* --- the verdict ------------------------------------------------------------------------------- */

static bool is_at_rest(const Work *work, const Point *point, const double *rates, int *worst)
{
    const double size = 1.0 + max_magnitude(NQ, point->q) + max_magnitude(MODEL_NX, point->x);
    double largest = 0.0;
    for (int i = 0; i < STEADY_UNKNOWNS; i++) {
        const double missed = fabs(rates[i]) / (AT_REST * (1.0 + work->steady_scale[i] * size));
        if (!(missed <= largest)) {
            largest = missed;
            *worst = i;
        }
    }
    return largest <= 1.0;
}

/* Forces in forbidden directions must vanish as well: nothing holds a fixed start value once the motion
 * begins. */
static bool judge(Instance *self, const Point *point)
{
    Work *work = &self->work;
    double rates[MODEL_ROOM(STEADY_UNKNOWNS)];
    int worst = 0;
    if (!is_at_rest(work, point, work->steady_unrest, &worst)) {
        fail(self, FAILURE_NO_EQUILIBRIUM, point->t, worst);
        self->failure.residual = work->steady_unrest[worst];
        return false;
    }
    memcpy(rates, point->a, NQ * sizeof *rates);
    memcpy(rates + NQ, point->dx, MODEL_NX * sizeof *rates);
    if (!is_at_rest(work, point, rates, &worst)) {
        fail(self, FAILURE_HELD_START, point->t, worst);
        self->failure.residual = rates[worst];
        return false;
    }
    double residual[MODEL_ROOM(MODEL_FIXED_STATES)];
    const ModelPoint at = model_point(&self->state, point);
    model_fixed_states(&at, residual);
    for (int i = 0; i < MODEL_FIXED_STATES; i++) {
        if (!(fabs(residual[i]) <= 1e-8 * (1.0 + max_magnitude(MODEL_NX, point->x)))) {
            fail(self, FAILURE_START, point->t, i);
            self->failure.residual = fabs(residual[i]);
            return false;
        }
    }
    return true;
}

/* Whether a step goes against the accelerations: the position is unstable, and the step too long for it. */
static bool goes_uphill(const Work *work, const double *step)
{
    return dot(NQ, step, work->steady_unrest) < 0.0;
}

/* Move the point towards rest, as far as steps succeed. `downhill`: never to an unstable position. */
static bool approach_rest(Instance *self, Point *point, bool downhill)
{
    Work *work = &self->work;
    double step[MODEL_ROOM(STEADY_UNKNOWNS)], unrest[MODEL_ROOM(STEADY_UNKNOWNS)];
    bool moved = true;
    switch_at(self, point);
    if (!evaluate_at_rest(self, point)) {
        return false;
    }
    take_unrest(self, point, work->steady_unrest);
    double h = STEADY_MOVE / fmax(1e-6, max_magnitude(STEADY_UNKNOWNS, work->steady_unrest));
    for (int tries = 0; tries < MAX_TRIES && h > SHORTEST_TIME; tries++) {
        if (moved && !linearize(self, point)) {
            return false;
        }
        if (solve_step(work, point, h, step) <= STEADY_ROUND_OFF * (1.0 + 1.0 / h)) {
            break;
        }
        double growth = 0.0; /* of h, where the step is taken */
        copy_point(&work->trial, point);
        if (!(downhill && goes_uphill(work, step)) && take_step(self, step, &work->trial)) {
            const double before = scaled_size(work->steady_unrest, work->steady_scale);
            take_unrest(self, &work->trial, unrest);
            const double after = scaled_size(unrest, work->steady_scale);
            growth = 2.0 * before / fmax(after, before * 2.0 / STEADY_GROWTH);
        }
        moved = growth >= 2.0 / WORSE;
        if (moved) {
            copy_point(point, &work->trial);
            memcpy(work->steady_unrest, unrest, sizeof unrest);
            h = fmin(LONGEST_TIME, h * growth);
        } else {
            switch_at(self, point);
            h /= 8.0;
        }
    }
    return true;
}

bool find_equilibrium(Instance *self, Point *point)
{
    Point *const start = &self->work.start;
    if (!MODEL_STEADY) {
        return true;
    }
    copy_point(start, point);
    if (!approach_rest(self, point, true)) {
        return false;
    }
    if (judge(self, point)) {
        return true;
    }
    const Failure first = self->failure;
    copy_point(point, start); /* the equilibrium may be an unstable one */
    if (approach_rest(self, point, false) && judge(self, point)) {
        return true;
    }
    self->failure = first;
    return false;
}
