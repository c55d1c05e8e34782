#include <model.h>

#include "shared_functions.h"

#include <stddef.h>

const ModelBlock model_blocks[] = {{0, NULL, NULL, NULL, "", NULL}};
const int model_independent[] = {0};
const int model_dependent[] = {0};
const int model_input_rate[] = {-1};
const int model_row_begin[] = {0}, model_row_columns[] = {0};
const int model_turn[] = {-1};
const CoordinateKind model_kinds[] = {COORDINATE_LENGTH};
const double model_q0[] = {0.0}, model_v0[] = {0.0};
const double model_start[MODEL_N_REALS] = {1.0, 10.0, 2.0, 0.0, 1e-9, 1e-11, 1e5, MODEL_SOLVER, 1.0};
const char *const model_coordinates[] = {""};
const char *const model_constraint_names[] = {""};
const double model_z0[] = {0.0};
const char *const model_states[] = {"tank.p"};
const char *const model_fixed_state_names[] = {"valve.q"};

void model_derive(const double *p, double *d)
{
    (void)p, (void)d;
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
    (void)at, (void)phi_q, (void)gamma, (void)mass, (void)force;
}

void model_fixed(const ModelPoint *at, double *residual, double *jacobian)
{
    (void)at, (void)residual, (void)jacobian;
}

void model_fixed_velocity(const ModelPoint *at, double *residual, double *jacobian)
{
    (void)at, (void)residual, (void)jacobian;
}

static void outflow(const ModelPoint *at, double *residual, double *jacobian)
{
    const double x = at->states[0], z = at->unknowns[0];
    residual[0] = FLOOR ? z * z + FLOOR - x : z * z * z + z - x;
    jacobian[0] = FLOOR ? 2.0 * z + 1e-3 : 3.0 * z * z + 1.0;
}

static const int unknowns[] = {0};
const ModelNetworkBlock model_network_blocks[] = {{1, unknowns, outflow, "valve.q"}};

void model_derivatives(const ModelPoint *at, double *dx)
{
    dx[0] = (at->inputs[0] - at->unknowns[0]) / at->parameters[0];
}

void model_start_states(const ModelPoint *at, double *x)
{
    x[0] = at->parameters[1];
}

void model_fixed_states(const ModelPoint *at, double *residual)
{
    if (MODEL_FIXED_STATES) {
        residual[0] = at->unknowns[0] - at->parameters[2];
    }
}

void model_outputs(const ModelPoint *at, double *y)
{
    y[0] = at->states[0];
    y[1] = at->unknowns[0];
}

static void residual_of(const ModelPoint *at, double *residual)
{
    double jacobian[1];
    outflow(at, residual, jacobian);
}

void model_network_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(residual_of, 1, at, along, false, change);
}

void model_derivatives_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(model_derivatives, 1, at, along, true, change);
}

void model_start_states_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    (void)at;
    change[0] = along->parameters[1];
}
