#include <model.h>

#include "shared_functions.h"

#include <math.h>
#include <stddef.h>

const ModelBlock model_blocks[] = {{0, NULL, NULL, NULL, "", NULL}};
const int model_independent[] = {0};
const int model_dependent[] = {0};
const int model_input_rate[] = {-1};
const int model_row_begin[] = {0}, model_row_columns[] = {0};
const int model_turn[] = {-1};
const CoordinateKind model_kinds[] = {COORDINATE_ANGLE};
const double model_q0[] = {1.0}, model_v0[] = {0.0};
const double model_start[MODEL_N_REALS] = {1.0, 1.0, 9.81, 1.0, 0.0, 0.0, 1e-8, 1e-10, 1e5, MODEL_SOLVER};
const char *const model_coordinates[] = {"pin.angle"};
const char *const model_constraint_names[] = {""};

void model_derive(const double *p, double *d)
{
    d[0] = p[0] * p[1] * p[1];
}

void model_constraints(const ModelPoint *at, double *phi)
{
    (void)at, (void)phi;
}

void model_jacobian(const ModelPoint *at, double *phi_q)
{
    (void)at, (void)phi_q;
}

void model_velocity(const ModelPoint *at, double *nu)
{
    (void)at, (void)nu;
}

void model_dynamics(const ModelPoint *at, double *phi_q, double *gamma, double *mass, double *force)
{
    (void)phi_q, (void)gamma;
    mass[0] = at->derived[0];
    force[0] = at->inputs[0] - at->parameters[0] * at->parameters[2] * at->parameters[1] * sin(at->coordinates[0]);
}

void model_outputs(const ModelPoint *at, double *y)
{
    y[0] = at->coordinates[0];
    y[1] = at->velocities[0];
    y[2] = at->accelerations[0];
    y[3] = 0.5 * at->derived[0] * at->velocities[0] * at->velocities[0] - at->parameters[0] * at->parameters[2] * at->parameters[1] * cos(at->coordinates[0]);
    y[4] = 1.0 / (at->coordinates[0] - 100.0);
}

void model_fixed(const ModelPoint *at, double *residual, double *jacobian)
{
    residual[0] = at->coordinates[0] - at->parameters[3];
    jacobian[0] = 1.0;
}

void model_fixed_velocity(const ModelPoint *at, double *residual, double *jacobian)
{
    residual[0] = at->velocities[0] - at->parameters[4];
    jacobian[0] = 1.0;
}
