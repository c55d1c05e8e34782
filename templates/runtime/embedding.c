#include "embedding.h"

#include <math.h>
#include <string.h>

#include "attitude.h"
#include "linear.h"
#include "loops.h"
#include "motion.h"
#include "network.h"
#include "tally.h"

#define NQ MODEL_NQ
#define NC MODEL_NC
#define NI MODEL_NI

/* --- regular positions ----------------------------------------------------------------------
 *
 *     v = B v_i + c,  a = B a_i + a_0,  B = (1, -Phi_d^-1 Phi_i)
 *     (B^T M B) a_i = B^T (F - M a_0),  Phi_d^T lambda = (F - M a)_d
 *
 * (Uchida 2.24 to 2.28.) Phi_d is factored once per evaluation. */

/* A pivot smaller than this, relative to the usual derivatives, is a singular position. Accelerations lose
 * digits with the third power of the pivot, a limit with the fourth power of LIMIT_DISTANCE. */
#define SINGULAR_BELOW 1e-3

static void take_dependent_columns(Instance *self, const ModelPoint *at)
{
    Work *work = &self->work;
    model_jacobian(at, work->phi_q);
    dependent_columns(&self->state, work->phi_q, work->phi_d);
}

/* Returns -1, or the dependent coordinate that the constraints barely determine. */
static int factor_dependent(Instance *self, const ModelPoint *at)
{
    const State *state = &self->state;
    Work *work = &self->work;
    take_dependent_columns(self, at);
    const int column = lu_factor(NC, work->phi_d, work->pivot, work->row_scale);
    if (column >= 0) {
        return state->partition.dependent[column];
    }
    double row_scale = 1.0;
    for (int i = 0; i < NC; i++) {
        row_scale = fmin(row_scale, state->row_scale[i]);
    }
    for (int k = 0; k < NC; k++) {
        const int dependent = state->partition.dependent[k];
        if (fabs(work->phi_d[k * NC + k]) < SINGULAR_BELOW * row_scale * state->column_scale[dependent]) {
            return dependent;
        }
    }
    return -1;
}

static void dependent_velocities(Instance *self, const ModelPoint *at, Point *point)
{
    Work *work = &self->work;
    const Partition *partition = &self->state.partition;
    model_velocity(at, work->nu);
    if (MODEL_CLOSURE == CLOSURE_PROJECTION) {
        model_constraints(at, work->residual);
    }
    for (int i = 0; i < NC; i++) {
        work->nu[i] -= MODEL_CLOSURE == CLOSURE_PROJECTION ? decay_rate(&self->state) * work->residual[i] : 0.0;
        for (int j = 0; j < NI; j++) {
            const int k = partition->independent[j];
            work->nu[i] -= work->phi_q[i * NQ + k] * point->v[k];
        }
    }
    move_fourth(&self->state, work->phi_q, point->v, work->nu);
    lu_solve(NC, work->phi_d, work->pivot, work->nu);
    for (int i = 0; i < NC; i++) {
        point->v[partition->dependent[i]] = work->nu[i];
    }
}

/* The rows of B and of a_0 that are known: those of the independent coordinates and of whole attitudes. There
 * B is G(p)^T / 2, and a_0 is what keeps their length: p . p'' = -p' . p'. */
static void known_rows(Instance *self, Point *point)
{
    const Partition *partition = &self->state.partition;
    double *const tangent = self->work.tangent;
    set_zero(tangent, NQ * NI);
    for (int j = 0; j < NI; j++) {
        tangent[partition->independent[j] * NI + j] = 1.0;
        point->a[partition->independent[j]] = 0.0;
    }
    for (int k = 0; k < MODEL_NATT; k++) {
        double p[4], rates[4];
        take_attitude(k, point->q, p);
        take_attitude(k, point->v, rates);
        for (int i = 0; i < 4 && is_whole(&self->state, k); i++) {
            const int row = model_attitudes[k].components[i];
            memset(tangent + row * NI, 0, NI * sizeof *tangent);
            for (int axis = 0; axis < 3; axis++) {
                tangent[row * NI + partition->spin[k][axis]] = 0.5 * attitude_entry(p, axis, i);
            }
            point->a[row] = -dot(4, rates, rates) * p[i];
        }
    }
}

/* side -= Phi_i x_i; without attitudes x is zero but for its component `only`. */
static void subtract_known(Instance *self, int only, const double *x, double *side)
{
    const Work *work = &self->work;
    const Partition *partition = &self->state.partition;
    const int first = MODEL_NATT > 0 ? 0 : only, end = MODEL_NATT > 0 ? NI : only + 1;
    for (int i = 0; i < NC; i++) {
        for (int j = first; j < end; j++) {
            const int k = partition->independent[j];
            side[i] -= work->phi_q[i * NQ + k] * x[k];
        }
    }
    move_fourth(&self->state, work->phi_q, x, side);
}

/* B, by columns of the independent velocities, and a_0 into point->a. */
static void tangent_space(Instance *self, Point *point)
{
    Work *work = &self->work;
    const Partition *partition = &self->state.partition;
    known_rows(self, point);
    for (int j = 0; j < NI; j++) {
        for (int k = 0; k < NQ; k++) {
            work->correction_q[k] = work->tangent[k * NI + j];
        }
        set_zero(work->correction, NC);
        subtract_known(self, j, work->correction_q, work->correction);
        lu_solve(NC, work->phi_d, work->pivot, work->correction);
        for (int i = 0; i < NC; i++) {
            work->tangent[partition->dependent[i] * NI + j] = work->correction[i];
        }
    }
    if (MODEL_NATT > 0) {
        subtract_known(self, 0, point->a, work->gamma);
    }
    lu_solve(NC, work->phi_d, work->pivot, work->gamma);
    for (int i = 0; i < NC; i++) {
        point->a[partition->dependent[i]] = work->gamma[i];
    }
}

/* B^T M B and B^T (F - M a_0). */
static void reduce_to_independent(Work *work, const double *offset)
{
    for (int i = 0; i < NQ; i++) {
        work->correction_q[i] = work->force[i] - dot(NQ, work->mass + i * NQ, offset);
        for (int j = 0; j < NI; j++) {
            double sum = 0.0;
            for (int k = 0; k < NQ; k++) {
                sum += work->mass[i * NQ + k] * work->tangent[k * NI + j];
            }
            work->mass_tangent[i * NI + j] = sum;
        }
    }
    for (int i = 0; i < NI; i++) {
        work->reduced_force[i] = 0.0;
        for (int k = 0; k < NQ; k++) {
            work->reduced_force[i] += work->tangent[k * NI + i] * work->correction_q[k];
        }
        for (int j = 0; j < NI; j++) {
            double sum = 0.0;
            for (int k = 0; k < NQ; k++) {
                sum += work->tangent[k * NI + i] * work->mass_tangent[k * NI + j];
            }
            work->reduced_mass[i * NI + j] = sum;
        }
    }
}

/* Those of the lengths of whole attitudes: 2 p lambda = F - M a - (other rows)^T lambda. */
static void length_multipliers(Instance *self, Point *point)
{
    const Work *work = &self->work;
    clear_lengths(&self->state, point->l);
    for (int k = 0; k < MODEL_NATT; k++) {
        double sum = 0.0;
        for (int i = 0; i < 4 && is_whole(&self->state, k); i++) {
            const int c = model_attitudes[k].components[i];
            double rest = work->force[c] - dot(NQ, work->mass + c * NQ, point->a);
            for (int row = 0; row < NC; row++) {
                rest -= row == model_attitudes[k].row ? 0.0 : work->phi_q[row * NQ + c] * point->l[row];
            }
            sum += 0.5 * point->q[c] * rest;
        }
        if (is_whole(&self->state, k)) {
            point->l[model_attitudes[k].row] = sum;
        }
    }
}

static void multipliers(Instance *self, Point *point)
{
    Work *work = &self->work;
    for (int i = 0; i < NC; i++) {
        const int k = self->state.partition.dependent[i];
        point->l[i] = work->force[k] - dot(NQ, work->mass + k * NQ, point->a);
    }
    lu_solve_transposed(NC, work->phi_d, work->pivot, point->l);
    length_multipliers(self, point);
}

/* The dependent coordinates and the factors of Phi_d are known. */
static bool evaluate_regular(Instance *self, const ModelPoint *at, Point *point)
{
    Work *work = &self->work;
    dependent_velocities(self, at, point);
    if (!solve_network(self, point)) {
        return false;
    }
    model_dynamics(at, work->phi_q, work->gamma, work->mass, work->force);
    for (int i = 0; i < NC && MODEL_CLOSURE == CLOSURE_PROJECTION; i++) {
        work->gamma[i] -= stabilization_stiffness(&self->state) * work->residual[i];
    }
    tangent_space(self, point);
    reduce_to_independent(work, point->a);
    const int row = cholesky_factor(NI, work->reduced_mass);
    if (row >= 0) {
        return fail(self, FAILURE_MASS, at->time, self->state.partition.independent[row]);
    }
    cholesky_solve(NI, work->reduced_mass, work->reduced_force);
    for (int i = 0; i < NQ; i++) {
        point->a[i] += dot(NI, work->tangent + i * NI, work->reduced_force);
    }
    multipliers(self, point);
    return true;
}

/* --- singular positions ---------------------------------------------------------------------
 *
 * Where parallelograms line up, the constraints lose rank although the motion is smooth: what they no
 * longer determine is the limit from either side. It is taken from four neighbours on the motion, at
 * +-d and +-d/2, by Richardson's extrapolation: (4 mean(d/2) - mean(d)) / 3, with an error of d^4. */

#define LIMIT_DISTANCE 1e-2  /* d, in units of the fastest coordinate */
#define LARGEST_CHANGE 0.25  /* of the velocities between the sides, relative to the largest */
#define POLISHING_ITERATIONS 3
#define POLISHING_RANK 1e-5

/* A whole attitude that turns on with its angular velocity. */
static void turn_attitude(int attitude, const Point *centre, double delay, Point *point)
{
    double p[4], rates[4], w[3];
    take_attitude(attitude, centre->q, p);
    take_attitude(attitude, centre->v, rates);
    spin_of(p, rates, w);
    for (int i = 0; i < 4; i++) {
        p[i] += delay * rates[i];
    }
    normalize(p);
    rates_of(p, w, rates);
    put_attitude(attitude, p, point->q);
    put_attitude(attitude, rates, point->v);
}

/* The point that the motion passes `delay` later, with the same independent velocities. */
static bool evaluate_neighbour(Instance *self, const Point *centre, double delay, Point *point)
{
    const Partition *partition = &self->state.partition;
    point->t = centre->t + delay;
    for (int j = 0; j < NI; j++) {
        const int k = partition->independent[j];
        point->q[k] = centre->q[k] + delay * centre->v[k];
        point->v[k] = centre->v[k];
    }
    for (int k = 0; k < MODEL_NATT; k++) {
        if (is_whole(&self->state, k)) {
            turn_attitude(k, centre, delay, point);
        }
    }
    const ModelPoint at = model_point(&self->state, point);
    if (!close_loops(self, &at, point)) {
        return false;
    }
    const int undetermined = factor_dependent(self, &at);
    return undetermined < 0 ? evaluate_regular(self, &at, point)
                            : fail(self, FAILURE_SINGULAR, point->t, undetermined);
}

static void add_share(const State *state, double share, const Point *from, Point *to)
{
    for (int i = 0; i < NC; i++) {
        const int k = state->partition.dependent[i];
        if (!state->partition.carried[i]) {
            to->q[k] += share * from->q[k];
            to->v[k] += share * from->v[k];
        }
        to->l[i] += share * from->l[i];
    }
    for (int k = 0; k < NQ; k++) {
        to->a[k] += share * from->a[k];
    }
}

static void clear_dependent(const State *state, Point *point)
{
    set_zero(point->a, NQ);
    set_zero(point->l, NC);
    for (int i = 0; i < NC; i++) {
        const int k = state->partition.dependent[i];
        if (!state->partition.carried[i]) {
            point->q[k] = point->v[k] = 0.0;
        }
    }
}

/* The sides belong to one motion if the velocities hardly change from one to the other. */
static bool is_one_motion(Instance *self, const Point *before, const Point *after)
{
    const double largest = max_magnitude(NQ, after->v);
    for (int k = 0; k < NQ; k++) {
        if (!(fabs(after->v[k] - before->v[k]) <= LARGEST_CHANGE * largest)) {
            return fail(self, FAILURE_SINGULAR, after->t, k);
        }
    }
    return true;
}

/* Remove the error of extrapolation in the directions that the constraints do determine. */
static void polish_dependent(Instance *self, Point *point)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    for (int iteration = 0; iteration < POLISHING_ITERATIONS; iteration++) {
        model_constraints(&at, work->residual);
        clear_lengths(&self->state, work->residual);
        take_dependent_columns(self, &at);
        minimal_norm(NC, NC, work->phi_d, work->residual, POLISHING_RANK, work->correction, work->diagonal);
        for (int i = 0; i < NC; i++) {
            point->q[self->state.partition.dependent[i]] -= work->correction[i];
        }
        count_at_limit(self, point);
    }
}

static bool evaluate_limit(Instance *self, Point *point, int undetermined)
{
    static const double shares[2] = {-1.0 / 6.0, 4.0 / 6.0};
    const double speed = max_magnitude(NQ, self->state.at.v);
    if (!(speed > 0.0) || NEVER_ITERATES) {
        return fail(self, FAILURE_SINGULAR, point->t, undetermined);
    }
    Point *const centre = &self->work.centre, *const before = &self->work.before, *const after = &self->work.after;
    copy_point(centre, point);
    copy_point(before, point);
    copy_point(after, point);
    double delay = LIMIT_DISTANCE / speed;
    clear_dependent(&self->state, point);
    for (int level = 0; level < 2; level++, delay /= 2.0) {
        if (!evaluate_neighbour(self, centre, -delay, before) ||
            !evaluate_neighbour(self, centre, delay, after) || !is_one_motion(self, before, after)) {
            return false;
        }
        add_share(&self->state, shares[level], before, point);
        add_share(&self->state, shares[level], after, point);
    }
    polish_dependent(self, point);
    return true;
}

static MotionVerdict generated_motion(Instance *self, const ModelPoint *at, Point *point)
{
    const State *state = &self->state;
    const ModelSet *const set = present_set(state);
    if (MODEL_NQ == 0) { /* a network without a mechanism */
        return MOTION_GOOD;
    }
    double *const l = self->work.within_step && !MODEL_NETWORK_READS_MULTIPLIERS ? NULL : point->l;
    return set && set->motion ? set->motion(at, largest_pivots_of(state, state->partition.set), point->pivots,
                                            point->v, point->a, l)
                              : MOTION_UNKNOWN;
}

/* The positions are known. */
static bool evaluate_numerically(Instance *self, const ModelPoint *at, Point *point)
{
    const int undetermined = factor_dependent(self, at);
    return undetermined < 0 ? evaluate_regular(self, at, point)
                            : evaluate_limit(self, point, undetermined) && solve_network(self, point);
}

bool evaluate_embedded(Instance *self, Point *point)
{
    const ModelPoint at = model_point(&self->state, point);
    if (!close_loops(self, &at, point)) {
        return false;
    }
    point->verdict = generated_motion(self, &at, point);
    if (point->verdict != MOTION_UNKNOWN && MODEL_NZ > 0) {
        /* Unknowns of the network need the velocities, and the accelerations need those unknowns. */
        if (!solve_network(self, point)) {
            return false;
        }
        point->verdict = generated_motion(self, &at, point);
    }
    return point->verdict != MOTION_UNKNOWN || evaluate_numerically(self, &at, point);
}

double mass_margin(Instance *self, const Point *point)
{
    Point *const trial = &self->work.trial;
    copy_point(trial, point);
    const ModelPoint at = model_point(&self->state, trial);
    if (!EMBEDDED || factor_dependent(self, &at) >= 0 || !evaluate_regular(self, &at, trial)) {
        return 1.0;
    }
    double margin = 1.0;
    for (int i = 0; i < NI; i++) {
        const double *const row = self->work.reduced_mass + i * NI; /* of the factor */
        margin = fmin(margin, row[i] * row[i] / dot(i + 1, row, row));
    }
    return margin;
}

/* Positions are what was integrated: velocities lead them back to the constraints (Khan 2.11 to 2.19, with
 * independent coordinates in place of an orthogonal basis). */
bool evaluate_projected(Instance *self, Point *point)
{
    const ModelPoint at = model_point(&self->state, point);
    point->iterations = 0.0;
    const int undetermined = factor_dependent(self, &at);
    return undetermined < 0 ? evaluate_regular(self, &at, point)
                            : fail(self, FAILURE_SINGULAR, point->t, undetermined);
}
