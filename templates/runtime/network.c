#include "network.h"

#include <math.h>
#include <string.h>

#include "linear.h"
#include "motion.h"
#include "tally.h"

#define NETWORK_ITERATIONS 100
#define NETWORK_HALVINGS 60
#define NETWORK_ROUND_OFF 1e-15 /* a correction below this, relative to the largest unknown, is negligible */
#define NETWORK_ACCEPTABLE 1e-9 /* a correction above this is a failure */
#define SMALLEST_UNKNOWN 1e-9   /* smaller unknowns are judged as if they were this large */

/* --- nonlinear blocks ------------------------------------------------------------------------- */

static double evaluate_network_block(Work *work, const ModelNetworkBlock *block, const ModelPoint *at)
{
    double sum = 0.0;
    block->evaluate(at, work->z_residual, work->z_jacobian);
    for (int i = 0; i < block->size; i++) {
        const double scaled = work->z_residual[i] / work->z_scale[i];
        sum += scaled * scaled;
    }
    return sqrt(sum);
}

/* Residuals are made comparable in the units of the unknowns: each is divided by the largest entry of its
 * row. */
static double scaled_residual(Work *work, const ModelNetworkBlock *block, const ModelPoint *at)
{
    block->evaluate(at, work->z_residual, work->z_jacobian);
    for (int i = 0; i < block->size; i++) {
        const double largest = max_magnitude(block->size, work->z_jacobian + i * block->size);
        work->z_scale[i] = largest > 0.0 ? largest : 1.0;
    }
    return evaluate_network_block(work, block, at);
}

static double relative_size(const ModelNetworkBlock *block, const double *z, const double *correction)
{
    double largest = SMALLEST_UNKNOWN, size = 0.0;
    for (int i = 0; i < block->size; i++) {
        largest = fmax(largest, fabs(z[block->unknowns[i]]));
        size = fabs(correction[i]) <= size ? size : fabs(correction[i]);
    }
    return size / largest;
}

/* Apply the correction, halved until the residual falls. False: it never does, and z is unchanged. */
static bool damped_network_step(Work *work, const ModelNetworkBlock *block, const ModelPoint *at, double *z,
                        double before)
{
    double fraction = 1.0;
    for (int i = 0; i < block->size; i++) {
        work->z_held[i] = z[block->unknowns[i]];
    }
    for (int trial = 0; trial <= NETWORK_HALVINGS; trial++, fraction /= 2.0) {
        for (int i = 0; i < block->size; i++) {
            z[block->unknowns[i]] = work->z_held[i] - fraction * work->z_correction[i];
        }
        if (evaluate_network_block(work, block, at) < before) {
            return true;
        }
    }
    for (int i = 0; i < block->size; i++) {
        z[block->unknowns[i]] = work->z_held[i];
    }
    return false;
}

static bool unsolved(Instance *self, const ModelNetworkBlock *block, double t)
{
    fail(self, FAILURE_NETWORK, t, (int)(block - model_network_blocks));
    self->failure.residual = max_magnitude(block->size, self->work.z_residual);
    return false;
}

static bool solve_network_block(Instance *self, const ModelNetworkBlock *block, const ModelPoint *at, Point *point)
{
    Work *work = &self->work;
    double size = INFINITY;
    for (int iteration = 0; iteration < NETWORK_ITERATIONS; iteration++) {
        const double residual = scaled_residual(work, block, at);
        if (!isfinite(residual) ||
            lu_factor(block->size, work->z_jacobian, work->z_pivot, work->z_rows) >= 0) {
            return unsolved(self, block, point->t);
        }
        memcpy(work->z_correction, work->z_residual, (size_t)block->size * sizeof(double));
        lu_solve(block->size, work->z_jacobian, work->z_pivot, work->z_correction);
        size = relative_size(block, point->z, work->z_correction);
        if (size <= NETWORK_ROUND_OFF || !damped_network_step(work, block, at, point->z, residual)) {
            break;
        }
        count_over_network(self, block, point);
    }
    return size <= NETWORK_ACCEPTABLE || unsolved(self, block, point->t);
}

bool solve_network(Instance *self, Point *point)
{
    const ModelPoint at = model_point(&self->state, point);
    for (int i = 0; i < MODEL_NZBLOCKS; i++) {
        if (!solve_network_block(self, &model_network_blocks[i], &at, point)) {
            return false;
        }
    }
    return true;
}

/* --- states ----------------------------------------------------------------------------------- */

bool differentiate_network(Instance *self, Point *point)
{
    if (MODEL_NX == 0) {
        return true;
    }
    const ModelPoint at = model_point(&self->state, point);
    model_derivatives(&at, point->dx);
    for (int i = 0; i < MODEL_NX; i++) {
        if (!isfinite(point->x[i]) || !isfinite(point->dx[i])) {
            return fail(self, FAILURE_STATE, point->t, i);
        }
    }
    return true;
}

/* --- start ------------------------------------------------------------------------------------ */

#define START_ITERATIONS 50
#define START_HALVINGS 12
#define START_RANK 1e-10
#define START_ACCEPTABLE 1e-9
#define START_RESIDUAL 1e-7 /* relative to the effect of a change of the states by their own size */

/* Residual of the start: fixed values and, for a steady start, the derivatives. */
static bool start_residual(Instance *self, Point *point, double *residual)
{
    Work *work = &self->work;
    ode_state(&self->state, point, work->stage);
    if (!evaluate_motion(self, point->t, work->stage, point)) {
        return false;
    }
    const ModelPoint at = model_point(&self->state, point);
    model_fixed_states(&at, residual);
    for (int i = 0; i < MODEL_STEADY * MODEL_NX; i++) {
        residual[MODEL_FIXED_STATES + i] = point->dx[i];
    }
    return true;
}

/* Finite differences suffice: a linear start needs one step and another one for its round-off. */
static bool start_jacobian(Instance *self, Point *point)
{
    Work *work = &self->work;
    for (int j = 0; j < MODEL_NX; j++) {
        const double held = point->x[j], h = 1e-6 * (1.0 + fabs(held));
        for (int side = 0; side < 2; side++) {
            point->x[j] = side ? held + h : held - h;
            if (!start_residual(self, point, side ? work->start_after : work->start_before)) {
                return false;
            }
        }
        point->x[j] = held;
        for (int i = 0; i < START_ROWS; i++) {
            work->start_matrix[i * MODEL_NX + j] = (work->start_after[i] - work->start_before[i]) / (2.0 * h);
        }
    }
    return true;
}

static bool missed_start(Instance *self, double t)
{
    const double *residual = self->work.start_residual;
    int worst = 0;
    for (int i = 1; i < START_ROWS; i++) {
        worst = fabs(residual[i]) > fabs(residual[worst]) ? i : worst;
    }
    fail(self, FAILURE_START, t, worst);
    self->failure.residual = fabs(residual[worst]);
    return false;
}

/* One Gauss-Newton step of minimal length, halved until the residual shrinks; *size is its length, relative
 * to 1 + |x|. */
static bool step_to_start(Instance *self, Point *point, double *size)
{
    Work *work = &self->work;
    const double before = max_magnitude(START_ROWS, work->start_residual);
    double fraction = 1.0;
    if (!start_jacobian(self, point)) {
        return false;
    }
    memcpy(work->start_held, point->x, MODEL_NX * sizeof *point->x);
    minimal_norm(START_ROWS, MODEL_NX, work->start_matrix, work->start_residual, START_RANK,
                 work->start_correction, work->start_diagonal);
    *size = 0.0;
    for (int i = 0; i < MODEL_NX; i++) {
        *size = fmax(*size, fabs(work->start_correction[i]) / (1.0 + fabs(point->x[i])));
    }
    for (int trial = 0; trial <= START_HALVINGS; trial++, fraction /= 2.0) {
        for (int i = 0; i < MODEL_NX; i++) {
            point->x[i] = work->start_held[i] - fraction * work->start_correction[i];
        }
        if (start_residual(self, point, work->start_residual) &&
            max_magnitude(START_ROWS, work->start_residual) < before) {
            return true;
        }
    }
    memcpy(point->x, work->start_held, MODEL_NX * sizeof *point->x);
    start_residual(self, point, work->start_residual);
    return false;
}

/* A small step does not prove convergence if the states do not affect the residual. */
static bool meets_start(const Work *work, const Point *point)
{
    const double influence = max_magnitude(START_ROWS * MODEL_NX, work->start_matrix);
    const double size = 1.0 + max_magnitude(MODEL_NX, point->x);
    return max_magnitude(START_ROWS, work->start_residual) <= START_RESIDUAL * influence * size;
}

bool start_network(Instance *self, Point *point)
{
    Work *work = &self->work;
    const ModelPoint at = model_point(&self->state, point);
    model_start_states(&at, point->x);
    memcpy(point->z, model_z0, MODEL_NZ * sizeof(double));
    if (START_ROWS == 0 || MODEL_NX == 0) {
        return true;
    }
    if (!start_residual(self, point, work->start_residual)) {
        return false;
    }
    double size = INFINITY;
    for (int iteration = 0; iteration < START_ITERATIONS && size > 1e-14; iteration++) {
        if (!step_to_start(self, point, &size)) {
            break;
        }
    }
    return (size <= START_ACCEPTABLE && meets_start(work, point)) || missed_start(self, point->t);
}
