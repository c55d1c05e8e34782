#include "motion.h"

#include <math.h>
#include <string.h>

#include "attitude.h"
#include "embedding.h"
#include "left_out.h"
#include "linear.h"
#include "loops.h"
#include "network.h"
#include "partition.h"
#include "relations.h"
#include "samples.h"
#include "scales.h"
#include "turns.h"

#define NQ MODEL_NQ
#define NC MODEL_NC
#define KKT KKT_ROWS

/* 2 G(p) x of all whole attitudes to the places that their spins have among the integrated velocities. */
static void put_spins(const State *state, const double *q, const double *vector, double *velocities)
{
    double p[4], x[4], w[3];
    for (int k = 0; k < MODEL_NATT; k++) {
        if (!is_whole(state, k)) {
            continue;
        }
        take_attitude(k, q, p);
        take_attitude(k, vector, x);
        spin_of(p, x, w);
        for (int axis = 0; axis < 3; axis++) {
            velocities[state->partition.spin[k][axis]] = w[axis];
        }
    }
}

void ode_state(const State *state, const Point *point, double *y)
{
    for (int k = 0; k < ODE_POSITIONS; k++) {
        const int i = ode_position(state, k);
        y[k] = i < 0 ? 0.0 : point->q[i];
    }
    for (int k = 0; k < ODE_VELOCITIES; k++) {
        y[ODE_POSITIONS + k] = point->v[ode_velocity(state, k)];
    }
    put_spins(state, point->q, point->v, y + ODE_POSITIONS);
    memcpy(y + ODE_MOTION, point->x, MODEL_NX * sizeof(double));
}

void ode_derivative(const State *state, const Point *point, double *dydt)
{
    for (int k = 0; k < ODE_POSITIONS; k++) {
        const int i = ode_position(state, k);
        dydt[k] = i < 0 ? 0.0 : point->v[i];
    }
    for (int k = 0; k < ODE_VELOCITIES; k++) {
        dydt[ODE_POSITIONS + k] = point->a[ode_velocity(state, k)];
    }
    put_spins(state, point->q, point->a, dydt + ODE_POSITIONS);
    memcpy(dydt + ODE_MOTION, point->dx, MODEL_NX * sizeof(double));
}

static void scatter_attitude(const State *state, int attitude, const double *velocities, Point *point)
{
    double p[4], w[3], rates[4];
    take_attitude(attitude, point->q, p);
    normalize(p);
    put_attitude(attitude, p, point->q);
    for (int axis = 0; axis < 3; axis++) {
        w[axis] = velocities[state->partition.spin[attitude][axis]];
    }
    rates_of(p, w, rates);
    put_attitude(attitude, rates, point->v);
}

static void scatter_state(const State *state, const double *y, Point *point)
{
    for (int k = 0; k < ODE_POSITIONS; k++) {
        const int i = ode_position(state, k);
        if (i >= 0) {
            point->q[i] = y[k];
        }
    }
    for (int k = 0; k < ODE_VELOCITIES; k++) {
        point->v[ode_velocity(state, k)] = y[ODE_POSITIONS + k];
    }
    for (int k = 0; k < MODEL_NATT; k++) {
        if (is_whole(state, k)) {
            scatter_attitude(state, k, y + ODE_POSITIONS, point);
        }
    }
    memcpy(point->x, y + ODE_MOTION, MODEL_NX * sizeof(double));
}

static bool check_finite(Instance *self, const Point *point)
{
    double sum = 0.0, other = 0.0; /* finite sums have finite terms */
    for (int i = 0; i < NQ; i++) {
        sum += point->q[i] + point->v[i];
        other += point->a[i];
    }
    for (int i = 0; i < NC; i++) {
        sum += point->l[i];
    }
    if (isfinite(sum + other)) {
        return true;
    }
    for (int i = 0; i < NQ; i++) {
        if (!isfinite(point->q[i]) || !isfinite(point->v[i]) || !isfinite(point->a[i])) {
            return fail(self, FAILURE_NOT_FINITE, point->t, i);
        }
    }
    for (int i = 0; i < NC; i++) {
        if (!isfinite(point->l[i])) {
            return fail(self, FAILURE_NOT_FINITE, point->t, self->state.partition.dependent[i]);
        }
    }
    return true;
}

double stabilization_rate(void)
{
    switch (MODEL_CLOSURE) {
    case CLOSURE_BAUMGARTE:
        return 2.0 * MODEL_BAUMGARTE_ALPHA;
    case CLOSURE_PENALTY:
        return 2.0 * MODEL_PENALTY_FREQUENCY * MODEL_PENALTY_DAMPING;
    default:
        return 0.0;
    }
}

double stabilization_stiffness(const State *state)
{
    switch (MODEL_CLOSURE) {
    case CLOSURE_PROJECTION: /* Phi_q v - nu is -sigma Phi, and changes at the rate sigma^2 Phi */
        return -decay_rate(state) * decay_rate(state);
    case CLOSURE_BAUMGARTE:
        return MODEL_BAUMGARTE_BETA * MODEL_BAUMGARTE_BETA;
    case CLOSURE_PENALTY:
        return MODEL_PENALTY_FREQUENCY * MODEL_PENALTY_FREQUENCY;
    default:
        return 0.0;
    }
}

/* --- all coordinates integrated --------------------------------------------------------------- */

/* gamma -= rate * (Phi_q v - nu) + stiffness * Phi */
static void stabilize(const State *state, Work *work, const ModelPoint *at)
{
    const double rate = stabilization_rate(), stiffness = stabilization_stiffness(state);
    model_constraints(at, work->residual);
    model_velocity(at, work->nu);
    for (int i = 0; i < NC; i++) {
        const double slip = dot(NQ, work->phi_q + i * NQ, at->velocities) - work->nu[i];
        work->gamma[i] -= rate * slip + stiffness * work->residual[i];
    }
}

/* M a + Phi_q^T lambda = F,  Phi_q a = gamma */
static bool solve_multipliers(Instance *self, Point *point)
{
    Work *work = &self->work;
    set_zero(work->kkt, KKT * KKT);
    for (int i = 0; i < NQ; i++) {
        for (int j = 0; j < NQ; j++) {
            work->kkt[i * KKT + j] = work->mass[i * NQ + j];
        }
        work->kkt_rhs[i] = work->force[i];
    }
    for (int i = 0; i < NC; i++) {
        for (int j = 0; j < NQ; j++) {
            work->kkt[(NQ + i) * KKT + j] = work->kkt[j * KKT + NQ + i] = work->phi_q[i * NQ + j];
        }
        work->kkt_rhs[NQ + i] = work->gamma[i];
    }
    const int column = lu_factor(KKT, work->kkt, work->pivot, work->row_scale);
    if (column >= 0) {
        return column < NQ ? fail(self, FAILURE_MASS, point->t, column)
                           : fail(self, FAILURE_MULTIPLIERS, point->t, -1);
    }
    lu_solve(KKT, work->kkt, work->pivot, work->kkt_rhs);
    memcpy(point->a, work->kkt_rhs, NQ * sizeof(double));
    for (int i = 0; i < NC; i++) {
        point->l[i] = work->kkt_rhs[NQ + i];
    }
    return true;
}

/* (M + Phi_q^T rho Phi_q) a = F + Phi_q^T rho gamma,  lambda = rho (Phi_q a - gamma)  (Uchida 2.21) */
static bool solve_penalty(Instance *self, Point *point)
{
    Work *work = &self->work;
    State *state = &self->state;
    if (!(state->penalty > 0.0)) { /* set once at the start: the motion stays differentiable */
        state->penalty = MODEL_PENALTY_FACTOR * max_magnitude(NQ * NQ, work->mass);
    }
    const double rho = state->penalty;
    for (int c = 0; c < NC; c++) {
        const double *row = work->phi_q + c * NQ;
        for (int i = 0; i < NQ; i++) {
            for (int j = 0; j < NQ; j++) {
                work->mass[i * NQ + j] += rho * row[i] * row[j];
            }
            work->force[i] += rho * row[i] * work->gamma[c];
        }
    }
    const int row = cholesky_factor(NQ, work->mass);
    if (row >= 0) {
        return fail(self, FAILURE_MASS, point->t, row);
    }
    memcpy(point->a, work->force, NQ * sizeof(double));
    cholesky_solve(NQ, work->mass, point->a);
    for (int c = 0; c < NC; c++) {
        point->l[c] = rho * (dot(NQ, work->phi_q + c * NQ, point->a) - work->gamma[c]);
    }
    return true;
}

static bool evaluate_unreduced(Instance *self, Point *point)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    point->iterations = 0.0;
    if (!solve_network(self, point)) {
        return false;
    }
    model_dynamics(&at, work->phi_q, work->gamma, work->mass, work->force);
    if (stabilization_rate() > 0.0) {
        stabilize(&self->state, work, &at);
    }
    return MODEL_CLOSURE == CLOSURE_PENALTY ? solve_penalty(self, point) : solve_multipliers(self, point);
}

/* --- the point -------------------------------------------------------------------------------- */

void take_inputs(const State *state, Point *point)
{
    const double since = point->t - state->input_time;
    for (int k = 0; k < MODEL_NU; k++) {
        const double *rates = state->input_rates[k];
        double value = 0.0;
        if (is_sampled(state, k)) {
            point->u[k] = sampled_value(state, k, point->t, &value);
            continue;
        }
        for (int order = INPUT_ORDERS; order > 0; order--) {
            value = (value + rates[order - 1]) * since / order;
        }
        point->u[k] = state->reals[MODEL_U0 + k] + value;
    }
}

void input_rates(const State *state, double t, double *rates)
{
    const double since = t - state->input_time;
    for (int k = 0; k < MODEL_NU; k++) {
        double value = 0.0;
        if (is_sampled(state, k)) {
            sampled_value(state, k, t, &rates[k]);
            continue;
        }
        for (int order = INPUT_ORDERS; order > 0; order--) {
            value = value * since / order + state->input_rates[k][order - 1];
        }
        rates[k] = value;
    }
}

bool evaluate_motion(Instance *self, double t, const double *y, Point *point)
{
    point->t = t;
    self->tally.evaluations += 1.0;
    take_inputs(&self->state, point);
    expect_turns(&self->state, point);
    scatter_state(&self->state, y, point);
    const bool evaluated = EMBEDDED ? evaluate_embedded(self, point)
                           : PARTITIONED ? evaluate_projected(self, point)
                                         : evaluate_unreduced(self, point);
    return evaluated && check_finite(self, point) && differentiate_network(self, point);
}

bool evaluate_at_rest(Instance *self, Point *point)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    set_zero(point->v, NQ);
    if (!solve_network(self, point)) {
        return false;
    }
    model_dynamics(&at, work->phi_q, work->gamma, work->mass, work->force);
    return solve_multipliers(self, point) && check_finite(self, point) && differentiate_network(self, point);
}

static void project_velocity(Instance *self, Point *point)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    model_jacobian(&at, work->phi_q);
    model_velocity(&at, work->nu);
    for (int i = 0; i < NC; i++) {
        work->residual[i] = dot(NQ, work->phi_q + i * NQ, point->v) - work->nu[i];
    }
    minimal_norm(NC, NQ, work->phi_q, work->residual, 1e-12, work->correction_q, work->diagonal);
    for (int i = 0; i < NQ; i++) {
        point->v[i] -= work->correction_q[i];
    }
}

bool settle_motion(Instance *self, Point *point)
{
    if (MODEL_CLOSURE != CLOSURE_AUGMENTED || NC == 0) {
        return true;
    }
    if (!project_position(self, point)) {
        return false;
    }
    const double iterations = point->iterations;
    project_velocity(self, point);
    ode_state(&self->state, point, self->work.stage);
    const bool found = evaluate_motion(self, point->t, self->work.stage, point);
    point->iterations = iterations;
    return found;
}

bool sharpen_motion(Instance *self, Point *point)
{
    Work *work = &self->work;
    if (!EMBEDDED || NC == 0) {
        return true;
    }
    const Precision precision = precision_of_steps(self, point);
    if (precision != PRECISION_LOST || NEVER_ITERATES) {
        return precision == PRECISION_FULL;
    }
    copy_point(&work->solved, point);
    const Failure failure = self->failure;
    ode_state(&self->state, point, work->stage);
    work->without_steps = true;
    const bool found = evaluate_motion(self, point->t, work->stage, point);
    work->without_steps = false;
    if (!found) { /* the result of the exact steps is the best available */
        copy_point(point, &work->solved);
        self->failure = failure;
    }
    return false;
}

void show_accepted(Instance *self)
{
    State *state = &self->state;
    copy_point(&state->now, &state->at);
    ode_state(state, &state->at, state->y);
}

bool settle_parameters(Instance *self)
{
    State *state = &self->state;
    if (state->loops_open && !EMBEDDED && NC > 0) {
        if (!project_position(self, &state->at)) {
            return false;
        }
        project_velocity(self, &state->at);
        show_accepted(self);
        state->fresh = false;
    }
    state->loops_open = false;
    return true;
}

static bool retune(Instance *self)
{
    State *state = &self->state;
    model_derive(state->reals + MODEL_P0, state->derived);
    set_zero(state->largest_pivots, MODEL_NSETS * MODEL_NPIVOTS);
    set_zero(state->reviewed_pivots, MODEL_NPIVOTS);
    scale_constraints(self, &state->at);
    state->parameters_changed = false;
    state->loops_open = true;
    return state->interface == MODEL_EXCHANGE || settle_parameters(self);
}

bool refresh_motion(Instance *self)
{
    begin_switching(self);
    return follow_switches(self);
}

bool follow_switches(Instance *self)
{
    State *state = &self->state;
    Work *work = &self->work;
    const bool held = state->mode == MODE_CONTINUOUS; /* relations keep their signs */
    if (state->fresh) {
        return true;
    }
    if (state->parameters_changed && !retune(self)) {
        return false;
    }
    bool again = true;
    for (int pass = 0; pass < MODEL_NE + 2 && again; pass++) {
        copy_point(&work->trial, &state->at);
        if (!evaluate_motion(self, state->now.t, state->y, &work->trial)) {
            return false;
        }
        again = MODEL_NE > 0 && !held && update_relations(self, &work->trial);
    }
    if (again) {
        return fail(self, FAILURE_CHATTER, state->now.t, -1);
    }
    sharpen_motion(self, &work->trial);
    /* If integrated coordinates do not fit the tuned parameters yet, this is checked once the loops are
     * closed again. */
    const bool settled = EMBEDDED || !state->loops_open;
    if (!held && settled && !left_out_hold(self, &work->trial)) {
        return false;
    }
    copy_point(&state->now, &work->trial);
    if (!held) {
        copy_point(&state->at, &state->now);
        count_turns(state);
    }
    state->fresh = true;
    state->outputs_fresh = false;
    return true;
}
