#include <model.h>

#include "shared_functions.h"

#include <math.h>
#include <string.h>

/* Crank i turns about (i, 0); coupler i joins the tips of cranks i and i + 1. */
#define CRANK(i) (i)
#define COUPLER(i) (LOOPS + 1 + (i))
#define HALF_PI 1.5707963267948966

static void evaluate_loop(const ModelPoint *at, int loop, double *residual, double *jacobian)
{
    const double *q = at->coordinates;
    const int a = CRANK(loop), b = CRANK(loop + 1), c = COUPLER(loop);
    residual[0] = cos(q[a]) + cos(q[c]) - cos(q[b]) - 1.0;
    residual[1] = sin(q[a]) + sin(q[c]) - sin(q[b]);
    jacobian[0] = sin(q[b]);
    jacobian[1] = -sin(q[c]);
    jacobian[2] = -cos(q[b]);
    jacobian[3] = cos(q[c]);
}

static void evaluate_loop_0(const ModelPoint *at, double *residual, double *jacobian)
{
    evaluate_loop(at, 0, residual, jacobian);
}

static const int unknowns_0[] = {CRANK(1), COUPLER(0)}, rows_0[] = {0, 1};

#if LOOPS == 1
const ModelBlock model_blocks[] = {{2, unknowns_0, rows_0, evaluate_loop_0, "loop pin_1", NULL}};
const int model_dependent[] = {CRANK(1), COUPLER(0)};
const int model_input_rate[] = {-1};
const int model_row_begin[] = {0, 3, 6};
const int model_row_columns[] = {CRANK(0), CRANK(1), COUPLER(0), CRANK(0), CRANK(1), COUPLER(0)};
const int model_turn[] = {-1, -1, -1};
const CoordinateKind model_kinds[] = {COORDINATE_ANGLE, COORDINATE_ANGLE, COORDINATE_ANGLE};
const double model_q0[] = {HALF_PI, HALF_PI, 0.0};
const char *const model_coordinates[] = {"crank_0", "crank_1", "coupler_0"};
const char *const model_constraint_names[] = {"pin_1, x", "pin_1, y"};
#else
static void evaluate_loop_1(const ModelPoint *at, double *residual, double *jacobian)
{
    evaluate_loop(at, 1, residual, jacobian);
}

static const int unknowns_1[] = {CRANK(2), COUPLER(1)}, rows_1[] = {2, 3};
const ModelBlock model_blocks[] = {{2, unknowns_0, rows_0, evaluate_loop_0, "loop pin_1", NULL},
                                   {2, unknowns_1, rows_1, evaluate_loop_1, "loop pin_2", NULL}};
const int model_dependent[] = {CRANK(1), COUPLER(0), CRANK(2), COUPLER(1)};
const int model_input_rate[] = {-1};
const int model_row_begin[] = {0, 3, 6, 9, 12};
const int model_row_columns[] = {CRANK(0), CRANK(1), COUPLER(0), CRANK(0), CRANK(1), COUPLER(0),
                                 CRANK(1), CRANK(2), COUPLER(1), CRANK(1), CRANK(2), COUPLER(1)};
const int model_turn[] = {-1, -1, -1, -1, -1};
const CoordinateKind model_kinds[] = {COORDINATE_ANGLE, COORDINATE_ANGLE, COORDINATE_ANGLE, COORDINATE_ANGLE, COORDINATE_ANGLE};
const double model_q0[] = {HALF_PI, HALF_PI, HALF_PI, 0.0, 0.0};
const char *const model_coordinates[] = {"crank_0", "crank_1", "crank_2", "coupler_0", "coupler_1"};
const char *const model_constraint_names[] = {"pin_1, x", "pin_1, y", "pin_2, x", "pin_2, y"};
#endif

const int model_independent[] = {CRANK(0)};
const double model_v0[MODEL_NQ] = {0.0};
const double model_start[MODEL_N_REALS] = {9.81, HALF_PI, -1.0, 0.0, 1e-10, 1e-12, 1e5, MODEL_SOLVER};

void model_derive(const double *p, double *d)
{
    (void)p, (void)d;
}

void model_constraints(const ModelPoint *at, double *phi)
{
    double ignored[4];
    for (int loop = 0; loop < LOOPS; loop++) {
        evaluate_loop(at, loop, phi + 2 * loop, ignored);
    }
}

void model_jacobian(const ModelPoint *at, double *phi_q)
{
    memset(phi_q, 0, MODEL_NC * MODEL_NQ * sizeof *phi_q);
    for (int loop = 0; loop < LOOPS; loop++) {
        double *x = phi_q + 2 * loop * MODEL_NQ, *y = x + MODEL_NQ;
        const int part[] = {CRANK(loop), COUPLER(loop), CRANK(loop + 1)};
        for (int k = 0; k < 3; k++) {
            const double sign = k == 2 ? -1.0 : 1.0;
            x[part[k]] = -sign * sin(at->coordinates[part[k]]);
            y[part[k]] = sign * cos(at->coordinates[part[k]]);
        }
    }
}

void model_velocity(const ModelPoint *at, double *nu)
{
    (void)at;
    memset(nu, 0, MODEL_NC * sizeof *nu);
}

void model_dynamics(const ModelPoint *at, double *phi_q, double *gamma, double *mass, double *force)
{
    const double *q = at->coordinates, *v = at->velocities, g = at->parameters[0];
    model_jacobian(at, phi_q);
    memset(mass, 0, MODEL_NQ * MODEL_NQ * sizeof *mass);
    for (int i = 0; i <= LOOPS; i++) {
        mass[CRANK(i) * MODEL_NQ + CRANK(i)] = 1.0 / 3.0;
        force[CRANK(i)] = -0.5 * g * cos(q[CRANK(i)]);
    }
    for (int loop = 0; loop < LOOPS; loop++) {
        const int a = CRANK(loop), b = CRANK(loop + 1), c = COUPLER(loop);
        const double angle = q[a] - q[c];
        mass[a * MODEL_NQ + a] += 1.0;
        mass[c * MODEL_NQ + c] = 1.0 / 3.0;
        mass[a * MODEL_NQ + c] = mass[c * MODEL_NQ + a] = 0.5 * cos(angle);
        force[a] -= 0.5 * sin(angle) * v[c] * v[c] + g * cos(q[a]);
        force[c] = 0.5 * sin(angle) * v[a] * v[a] - 0.5 * g * cos(q[c]);
        gamma[2 * loop] = cos(q[a]) * v[a] * v[a] + cos(q[c]) * v[c] * v[c] - cos(q[b]) * v[b] * v[b];
        gamma[2 * loop + 1] = sin(q[a]) * v[a] * v[a] + sin(q[c]) * v[c] * v[c] - sin(q[b]) * v[b] * v[b];
    }
}

void model_outputs(const ModelPoint *at, double *y)
{
    const double *q = at->coordinates, *v = at->velocities, g = at->parameters[0];
    double energy = 0.0;
    for (int i = 0; i <= LOOPS; i++) {
        energy += v[CRANK(i)] * v[CRANK(i)] / 6.0 + 0.5 * g * sin(q[CRANK(i)]);
    }
    for (int loop = 0; loop < LOOPS; loop++) {
        const int a = CRANK(loop), c = COUPLER(loop);
        energy += 0.5 * v[a] * v[a] + v[c] * v[c] / 6.0 + 0.5 * cos(q[a] - q[c]) * v[a] * v[c] +
                  g * (sin(q[a]) + 0.5 * sin(q[c]));
    }
    y[0] = q[0];
    y[1] = v[0];
    y[2] = q[CRANK(LOOPS)];
    y[3] = energy;
}

void model_fixed(const ModelPoint *at, double *residual, double *jacobian)
{
    memset(jacobian, 0, MODEL_NQ * sizeof *jacobian);
    residual[0] = at->coordinates[0] - at->parameters[1];
    jacobian[0] = 1.0;
}

void model_fixed_velocity(const ModelPoint *at, double *residual, double *jacobian)
{
    memset(jacobian, 0, MODEL_NQ * sizeof *jacobian);
    residual[0] = at->velocities[0] - at->parameters[2];
    jacobian[0] = 1.0;
}
