#include "derivative.h"

#include <math.h>
#include <string.h>

#include "attitude.h"
#include "direction.h"
#include "linear.h"
#include "motion.h"
#include "partials.h"
#include "report.h"
#include "variables.h"

#define NQ MODEL_NQ
#define NC MODEL_NC
#define KKT KKT_ROWS
#define RANK_TOLERANCE 1e-10

/* --- matrices --------------------------------------------------------------------------------- */

static bool factor_closure(Instance *self)
{
    Work *work = &self->work;
    dependent_columns(&self->state, work->phi_q, work->tangent_d);
    return lu_factor(NC, work->tangent_d, work->pivot_d, work->row_scale) < 0;
}

static bool factor_dynamics(Instance *self)
{
    Work *work = &self->work;
    double *kkt = work->tangent_kkt;
    set_zero(kkt, KKT * KKT);
    for (int i = 0; i < NQ; i++) {
        memcpy(kkt + i * KKT, work->mass + i * NQ, NQ * sizeof *kkt);
    }
    for (int i = 0; i < NC; i++) {
        for (int j = 0; j < NQ; j++) {
            kkt[(NQ + i) * KKT + j] = kkt[j * KKT + NQ + i] = work->phi_q[i * NQ + j];
        }
        if (MODEL_CLOSURE == CLOSURE_PENALTY && self->state.penalty > 0.0) { /* lambda = rho (Phi_q a - gamma) */
            kkt[(NQ + i) * KKT + NQ + i] = -1.0 / self->state.penalty;
        }
    }
    return lu_factor(KKT, kkt, work->pivot_kkt, work->row_scale) < 0;
}

bool factor_at(Instance *self, const Point *point)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    model_dynamics(&at, work->phi_q, work->gamma, work->mass, work->force);
    if ((PARTITIONED && !factor_closure(self)) || !factor_dynamics(self)) {
        return fail(self, FAILURE_SENSITIVITY, point->t, -1);
    }
    return true;
}

/* --- levels ----------------------------------------------------------------------------------- */

/* Dependent components of a level. `change` is the residual of the constraints without them. Those of whole
 * attitudes are known. */
static void follow_closure(Instance *self, double *change, double *component)
{
    const Work *work = &self->work;
    clear_lengths(&self->state, change);
    lu_solve(NC, work->tangent_d, work->pivot_d, change);
    for (int i = 0; i < NC; i++) {
        if (!self->state.partition.carried[i]) {
            component[self->state.partition.dependent[i]] = -change[i];
        }
    }
}

static void clear_dependent_components(const State *state, double *component)
{
    for (int i = 0; i < NC; i++) {
        if (!state->partition.carried[i]) {
            component[state->partition.dependent[i]] = 0.0;
        }
    }
}

/* Time, parameters, inputs and the integrated components of `along` are given. */
static void follow_states(Instance *self, const ModelPoint *at, Direction *along)
{
    Work *work = &self->work;
    const ModelDirection seen = seen_direction(along);
    if (!PARTITIONED) {
        return;
    }
    double *open = work->change, *slip = open + NC;
    if (EMBEDDED) {
        clear_dependent_components(&self->state, along->q);
        model_constraints_tangent(at, &seen, open);
        follow_closure(self, open, along->q);
    }
    clear_dependent_components(&self->state, along->v);
    model_velocity_tangent(at, &seen, slip);
    if (MODEL_CLOSURE == CLOSURE_PROJECTION) {
        model_constraints_tangent(at, &seen, open);
        for (int i = 0; i < NC; i++) {
            slip[i] += decay_rate(&self->state) * open[i];
        }
    }
    follow_closure(self, slip, along->v);
}

/* Unknowns of the network, block by block. A block with a singular Jacobian would not have been solved. */
static void follow_network(Instance *self, const ModelPoint *at, Direction *along)
{
    Work *work = &self->work;
    const ModelDirection seen = seen_direction(along);
    const double *rows = work->change;
    set_zero(along->z, MODEL_NZ);
    for (int b = 0; b < MODEL_NZBLOCKS; b++) {
        const ModelNetworkBlock *block = &model_network_blocks[b];
        model_network_tangent(at, &seen, work->change);
        block->evaluate(at, work->z_residual, work->z_jacobian);
        lu_factor(block->size, work->z_jacobian, work->z_pivot, work->z_rows);
        memcpy(work->z_correction, rows, (size_t)block->size * sizeof *rows);
        lu_solve(block->size, work->z_jacobian, work->z_pivot, work->z_correction);
        for (int i = 0; i < block->size; i++) {
            along->z[block->unknowns[i]] = -work->z_correction[i];
        }
        rows += block->size;
    }
}

static void follow_dynamics(Instance *self, const ModelPoint *at, Direction *along)
{
    Work *work = &self->work;
    double *balance = work->change, *slip = work->change + KKT, *open = slip + NC;
    const ModelDirection seen = seen_direction(along);
    model_dynamics_tangent(at, &seen, balance, balance + NQ);
    if (stabilization_rate() > 0.0 || MODEL_CLOSURE == CLOSURE_PROJECTION) {
        model_constraints_tangent(at, &seen, open);
        model_velocity_tangent(at, &seen, slip);
        for (int i = 0; i < NC; i++) {
            balance[NQ + i] += stabilization_rate() * slip[i] + stabilization_stiffness(&self->state) * open[i];
        }
    }
    lu_solve(KKT, work->tangent_kkt, work->pivot_kkt, balance);
    for (int i = 0; i < NQ; i++) {
        along->a[i] = -balance[i];
    }
    for (int i = 0; i < NC; i++) {
        along->l[i] = -balance[NQ + i];
    }
}

static void subtract_shortest(Work *work, int rows, double *component)
{
    minimal_norm(rows, NQ, work->stacked, work->change, RANK_TOLERANCE, work->correction_q, work->diagonal);
    for (int i = 0; i < NQ; i++) {
        component[i] -= work->correction_q[i];
    }
}

/* While initializing, positions and velocities follow from the parameters. */
static void follow_start(Instance *self, const ModelPoint *at, Direction *along)
{
    Work *work = &self->work;
    const ModelDirection seen = seen_direction(along);
    double *fixed = work->change + NC;
    set_zero(along->q, NQ);
    set_zero(along->v, NQ);
    model_jacobian(at, work->stacked);
    model_fixed(at, work->stacked_residual, work->stacked + NC * NQ);
    model_constraints_tangent(at, &seen, work->change);
    model_fixed_tangent(at, &seen, fixed);
    subtract_shortest(work, NC + MODEL_NFIX, along->q);
    model_jacobian(at, work->stacked);
    model_fixed_velocity(at, work->stacked_residual, work->stacked + NC * NQ);
    model_velocity_tangent(at, &seen, work->change);
    model_fixed_velocity_tangent(at, &seen, fixed);
    subtract_shortest(work, NC + MODEL_NFIXV, along->v);
    model_start_states_tangent(at, &seen, along->x);
}

/* Everything that depends on time, parameters and inputs of work->along and on work->state_change. With
 * `at_start`, the quantities that determine the start take the place of the latter. */
static void follow(Instance *self, const Point *point, bool at_start)
{
    Direction *along = &self->work.along;
    const ModelPoint at = model_point(&self->state, point);
    if (at_start) {
        follow_start(self, &at, along);
    } else {
        scatter_states(&self->state, point, self->work.state_change, along);
        follow_states(self, &at, along);
    }
    follow_network(self, &at, along);
    follow_dynamics(self, &at, along);
    const ModelDirection seen = seen_direction(along);
    model_derivatives_tangent(&at, &seen, along->dx);
    if (at_start) {
        gather_states(&self->state, point, along, along->q, point->v, along->v, along->x, self->work.state_change);
    }
    gather_states(&self->state, point, along, along->v, point->a, along->a, along->dx, self->work.rate_change);
}

bool factor_rest(Instance *self, const Point *point)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    model_dynamics(&at, work->phi_q, work->gamma, work->mass, work->force);
    return factor_dynamics(self) || fail(self, FAILURE_SENSITIVITY, point->t, -1);
}

void follow_rest(Instance *self, const Point *point)
{
    Direction *along = &self->work.along;
    const ModelPoint at = model_point(&self->state, point);
    follow_network(self, &at, along);
    follow_dynamics(self, &at, along);
    const ModelDirection seen = seen_direction(along);
    model_derivatives_tangent(&at, &seen, along->dx);
}

/* --- variables -------------------------------------------------------------------------------- */

static bool is_fixed_now(const State *state, Reference reference)
{
    return is_among(reference, MODEL_NT, MODEL_S0) && state->mode != MODE_INITIALIZING;
}

/* The component of the direction that belongs to a known variable; NULL if there is none. */
static double *component_of(Instance *self, Reference reference)
{
    Work *work = &self->work;
    if (is_among(reference, MODEL_P0, MODEL_S0)) {
        return is_fixed_now(&self->state, reference) ? NULL : &work->along.p[reference - MODEL_P0];
    }
    if (is_among(reference, MODEL_U0, MODEL_Y0)) {
        return &work->along.u[reference - MODEL_U0];
    }
    if (reference == (Reference)MODEL_N_REALS) {
        return &work->along.t;
    }
    for (int k = 0; k < ODE_STATES && self->state.mode != MODE_INITIALIZING; k++) {
        if (model_state_references[k] == reference) {
            return &work->state_change[k];
        }
    }
    return NULL;
}

static void clear_direction(Work *work)
{
    reset_direction(&work->along);
    set_zero(work->state_change, ODE_STATES);
}

/* The array holds outputs, then states, then derivatives of states. */
static bool is_unknown(Reference reference)
{
    return is_among(reference, MODEL_Y0, MODEL_K0 + MODEL_NK) ||
           is_among(reference, MODEL_FIRST_DERIVATIVE, MODEL_FIRST_DERIVATIVE + ODE_STATES);
}

static Status check_unknowns(Instance *self, const Reference *unknowns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_unknown(unknowns[i])) {
            return error(self, "there is no derivative of the variable with value reference %u", unknowns[i]);
        }
    }
    return STATUS_OK;
}

static Status check_knowns(Instance *self, const Reference *knowns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!component_of(self, knowns[i])) {
            return error(self, "there is no derivative by the variable with value reference %u", knowns[i]);
        }
    }
    return STATUS_OK;
}

/* The change of an unknown, once all that it depends on is known. */
static double change_of(const Work *work, Reference reference)
{
    if (is_among(reference, 0, MODEL_K0)) {
        return work->output_change[reference - MODEL_Y0];
    }
    return is_among(reference, MODEL_K0, MODEL_FIRST_DERIVATIVE) ? work->state_change[FIRST_OWN_STATE + reference - MODEL_K0]
                                 : work->rate_change[reference - MODEL_FIRST_DERIVATIVE];
}

/* Seeds are arbitrary, so derivatives may overflow where the motion itself does not. */
static Status check_finite_values(Instance *self, const Reference *references, size_t n, const double *values)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return error(self, "the derivative of or by the variable with value reference %u is not finite",
                         references[i]);
        }
    }
    return STATUS_OK;
}

void follow_input(Instance *self, const Point *point, int input)
{
    Work *work = &self->work;
    clear_direction(work);
    work->along.u[input] = 1.0;
    follow(self, point, false);
    const ModelPoint at = model_point(&self->state, point);
    const ModelDirection seen = seen_direction(&work->along);
    model_partials_tangent(&at, &seen, work->formula_change);
}

static bool follow_to_outputs(Instance *self)
{
    Work *work = &self->work;
    const Point *now = &self->state.now;
    follow(self, now, self->state.mode == MODE_INITIALIZING);
    const ModelPoint at = model_point(&self->state, now);
    const ModelDirection seen = seen_direction(&work->along);
    model_outputs_tangent(&at, &seen, work->output_change);
    if (MODEL_NPART == 0) {
        return true;
    }
    double state_change[MODEL_ROOM(ODE_STATES)], rate_change[MODEL_ROOM(ODE_STATES)];
    memcpy(state_change, work->state_change, sizeof state_change);
    memcpy(rate_change, work->rate_change, sizeof rate_change);
    copy_direction(&work->kept_along, &work->along);
    const bool found = change_partials(self, now, &work->kept_along, work->output_change);
    memcpy(work->state_change, state_change, sizeof state_change);
    memcpy(work->rate_change, rate_change, sizeof rate_change);
    return found;
}

static Status prepare(Instance *self)
{
    if (ensure_assembled(self) != STATUS_OK) {
        return STATUS_ERROR;
    }
    if (self->state.mode == MODE_INITIALIZING && (START_ROWS > 0 || STEADY_UNKNOWNS > 0)) {
        return error(self, "there are no derivatives of a start that is found by iteration");
    }
    return refresh_motion(self) && factor_at(self, &self->state.now) ? STATUS_OK : discard_failure(self);
}

static Status check_and_prepare(Instance *self, const Reference *unknowns, size_t n_unknowns,
                                const Reference *knowns, size_t n_knowns)
{
    if (check_unknowns(self, unknowns, n_unknowns) != STATUS_OK ||
        check_knowns(self, knowns, n_knowns) != STATUS_OK) {
        return STATUS_ERROR;
    }
    return prepare(self);
}

Status directional_derivative(Instance *self, const Reference *unknowns, size_t n_unknowns,
                              const Reference *knowns, size_t n_knowns, const double *seed,
                              double *sensitivity)
{
    const Status prepared = check_and_prepare(self, unknowns, n_unknowns, knowns, n_knowns);
    if (prepared != STATUS_OK) {
        return prepared;
    }
    clear_direction(&self->work);
    for (size_t i = 0; i < n_knowns; i++) {
        *component_of(self, knowns[i]) += seed[i];
    }
    if (!follow_to_outputs(self)) {
        return discard_failure(self);
    }
    for (size_t i = 0; i < n_unknowns; i++) {
        sensitivity[i] = change_of(&self->work, unknowns[i]);
    }
    return check_finite_values(self, unknowns, n_unknowns, sensitivity);
}

Status adjoint_derivative(Instance *self, const Reference *unknowns, size_t n_unknowns,
                          const Reference *knowns, size_t n_knowns, const double *seed, double *sensitivity)
{
    const Status prepared = check_and_prepare(self, unknowns, n_unknowns, knowns, n_knowns);
    if (prepared != STATUS_OK) {
        return prepared;
    }
    for (size_t j = 0; j < n_knowns; j++) { /* the matrices are factored once for all directions */
        clear_direction(&self->work);
        *component_of(self, knowns[j]) = 1.0;
        if (!follow_to_outputs(self)) {
            return discard_failure(self);
        }
        sensitivity[j] = 0.0;
        for (size_t i = 0; i < n_unknowns; i++) {
            sensitivity[j] += seed[i] * change_of(&self->work, unknowns[i]);
        }
    }
    return check_finite_values(self, knowns, n_knowns, sensitivity);
}

/* --- time ------------------------------------------------------------------------------------- */

Status time_derivatives(Instance *self, const Reference *references, size_t n, double *values)
{
    const State *state = &self->state;
    Work *work = &self->work;
    for (size_t i = 0; i < n; i++) {
        if (!is_among(references[i], MODEL_Y0, MODEL_K0)) {
            return error(self, "the variable with value reference %u is not an output", references[i]);
        }
    }
    const Status prepared = prepare(self);
    if (prepared != STATUS_OK) {
        return prepared;
    }
    clear_direction(work);
    work->along.t = 1.0;
    input_rates(state, state->now.t, work->along.u);
    ode_derivative(state, &state->now, work->state_change);
    if (!follow_to_outputs(self)) {
        return discard_failure(self);
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = change_of(work, references[i]);
    }
    return check_finite_values(self, references, n, values);
}

bool ode_derivatives_at_accepted(Instance *self)
{
    const State *state = &self->state;
    Work *work = &self->work;
    if (!factor_at(self, &state->at)) {
        return false;
    }
    for (int column = 0; column < ODE_STATES; column++) {
        clear_direction(work);
        work->state_change[column] = 1.0;
        follow(self, &state->at, false);
        for (int k = 0; k < ODE_STATES; k++) {
            work->ode_jacobian[k * ODE_STATES + column] = work->rate_change[k];
        }
    }
    clear_direction(work);
    work->along.t = 1.0;
    input_rates(state, state->at.t, work->along.u);
    follow(self, &state->at, false);
    memcpy(work->ode_by_time, work->rate_change, ODE_STATES * sizeof *work->ode_by_time);
    return true;
}
