#include <model.h>

#include "shared_functions.h"

#include <math.h>
#include <string.h>

enum { L1, L2, M1, M2, M3, G, START_ANGLE, START_OMEGA, SPEED };
enum { CRANK, ROD, SLIDER };

static void evaluate_rod(const ModelPoint *at, double *residual, double *jacobian)
{
    residual[0] = at->parameters[L1] * sin(at->coordinates[CRANK]) + at->parameters[L2] * sin(at->coordinates[ROD]);
    jacobian[0] = at->parameters[L2] * cos(at->coordinates[ROD]);
}

static void evaluate_slider(const ModelPoint *at, double *residual, double *jacobian)
{
    residual[0] = at->parameters[L1] * cos(at->coordinates[CRANK]) + at->parameters[L2] * cos(at->coordinates[ROD]) - at->coordinates[SLIDER];
    jacobian[0] = -1.0;
}

#if DRIVEN
static void evaluate_driver(const ModelPoint *at, double *residual, double *jacobian)
{
    residual[0] = at->coordinates[CRANK] - at->parameters[START_ANGLE] - at->parameters[SPEED] * at->time;
    jacobian[0] = 1.0;
}

static const int driver_unknowns[] = {CRANK}, driver_rows[] = {2};
#endif

#if INDEPENDENT == 2
static void evaluate_loop(const ModelPoint *at, double *residual, double *jacobian)
{
    evaluate_slider(at, residual, jacobian);
    evaluate_rod(at, residual + 1, jacobian);
    jacobian[0] = -at->parameters[L1] * sin(at->coordinates[CRANK]);
    jacobian[1] = -at->parameters[L2] * sin(at->coordinates[ROD]);
    jacobian[2] = at->parameters[L1] * cos(at->coordinates[CRANK]);
    jacobian[3] = at->parameters[L2] * cos(at->coordinates[ROD]);
}

static const int loop_unknowns[] = {CRANK, ROD}, loop_rows[] = {0, 1};
const ModelBlock model_blocks[] = {
    {2, loop_unknowns, loop_rows, evaluate_loop, "loop pin_c (pin_c, x; pin_c, y)", NULL}};
const int model_independent[] = {SLIDER};
const int model_dependent[] = {CRANK, ROD};
#else
static const int rod_unknowns[] = {ROD}, rod_rows[] = {1};
static const int slider_unknowns[] = {SLIDER}, slider_rows[] = {0};
const ModelBlock model_blocks[] = {
#if DRIVEN
    {1, driver_unknowns, driver_rows, evaluate_driver, "motor", NULL},
#endif
    {1, rod_unknowns, rod_rows, evaluate_rod, "loop pin_c (pin_c, y)", NULL},
    {1, slider_unknowns, slider_rows, evaluate_slider, "loop pin_c (pin_c, x)", NULL}};
#if DRIVEN
const int model_independent[] = {0};
const int model_dependent[] = {CRANK, ROD, SLIDER};
#else
const int model_independent[] = {CRANK};
const int model_dependent[] = {ROD, SLIDER};
#endif
#endif

/* Assembled for l1 = 1, l2 = 2, angle = 0.5. */
const int model_input_rate[] = {-1};
const int model_row_begin[] = {0, 3, 5, 6};
const int model_row_columns[] = {CRANK, ROD, SLIDER, CRANK, ROD, CRANK};
const int model_turn[] = {-1, -1, -1};
const CoordinateKind model_kinds[] = {COORDINATE_ANGLE, COORDINATE_ANGLE, COORDINATE_LENGTH};
const double model_q0[] = {0.5, -0.24207391687414637, 2.8192771242993965};
const double model_v0[] = {0.0, 0.0, 0.0};
const double model_start[MODEL_N_REALS] = {1.0, 2.0, 0.6, 0.8, 0.5, 9.81, 0.5, 0.0, 2.0,
                                           0.0, 1e-10, 1e-12, 1e5, MODEL_SOLVER};
const char *const model_coordinates[] = {"pin_a.angle", "rod.angle", "slide.s"};
const char *const model_constraint_names[] = {"pin_c, x", "pin_c, y", "motor"};

void model_derive(const double *p, double *d)
{
    d[0] = p[M1] * p[L1] * p[L1] / 3.0;
    d[1] = p[M2] * p[L2] * p[L2] / 3.0;
}

void model_constraints(const ModelPoint *at, double *phi)
{
    double ignored;
    evaluate_slider(at, phi, &ignored);
    evaluate_rod(at, phi + 1, &ignored);
#if DRIVEN
    evaluate_driver(at, phi + 2, &ignored);
#endif
}

void model_jacobian(const ModelPoint *at, double *phi_q)
{
    memset(phi_q, 0, MODEL_NC * MODEL_NQ * sizeof *phi_q);
    phi_q[0] = -at->parameters[L1] * sin(at->coordinates[CRANK]);
    phi_q[1] = -at->parameters[L2] * sin(at->coordinates[ROD]);
    phi_q[2] = -1.0;
    phi_q[3] = at->parameters[L1] * cos(at->coordinates[CRANK]);
    phi_q[4] = at->parameters[L2] * cos(at->coordinates[ROD]);
#if DRIVEN
    phi_q[6] = 1.0;
#endif
}

void model_velocity(const ModelPoint *at, double *nu)
{
    memset(nu, 0, MODEL_NC * sizeof *nu);
#if DRIVEN
    nu[2] = at->parameters[SPEED];
#else
    (void)at;
#endif
}

void model_dynamics(const ModelPoint *at, double *phi_q, double *gamma, double *mass, double *force)
{
    const double *p = at->parameters, *q = at->coordinates, *v = at->velocities;
    const double coupling = p[M2] * p[L1] * p[L2] / 2.0, angle = q[CRANK] - q[ROD];
    model_jacobian(at, phi_q);
    memset(gamma, 0, MODEL_NC * sizeof *gamma);
    gamma[0] = p[L1] * cos(q[CRANK]) * v[CRANK] * v[CRANK] + p[L2] * cos(q[ROD]) * v[ROD] * v[ROD];
    gamma[1] = p[L1] * sin(q[CRANK]) * v[CRANK] * v[CRANK] + p[L2] * sin(q[ROD]) * v[ROD] * v[ROD];
    memset(mass, 0, MODEL_NQ * MODEL_NQ * sizeof *mass);
    mass[0] = at->derived[0] + p[M2] * p[L1] * p[L1];
    mass[1] = mass[3] = coupling * cos(angle);
    mass[4] = at->derived[1];
    mass[8] = p[M3];
    force[0] = at->inputs[0] - coupling * sin(angle) * v[ROD] * v[ROD] -
               (p[M1] / 2.0 + p[M2]) * p[G] * p[L1] * cos(q[CRANK]);
    force[1] = coupling * sin(angle) * v[CRANK] * v[CRANK] - p[M2] * p[G] * p[L2] / 2.0 * cos(q[ROD]);
    force[2] = 0.0;
}

void model_outputs(const ModelPoint *at, double *y)
{
    const double *p = at->parameters, *q = at->coordinates, *v = at->velocities;
    const double coupling = p[M2] * p[L1] * p[L2] / 2.0 * cos(q[CRANK] - q[ROD]);
    for (int i = 0; i < 3; i++) {
        y[i] = q[i];
        y[3 + i] = v[i];
        y[6 + i] = at->accelerations[i];
    }
    y[9] = at->multipliers[0];
    y[10] = at->multipliers[1];
    y[11] = 0.5 * ((at->derived[0] + p[M2] * p[L1] * p[L1]) * v[0] * v[0] + at->derived[1] * v[1] * v[1] +
                   p[M3] * v[2] * v[2]) +
            coupling * v[0] * v[1] + (p[M1] / 2.0 + p[M2]) * p[G] * p[L1] * sin(q[CRANK]) +
            p[M2] * p[G] * p[L2] / 2.0 * sin(q[ROD]);
}

void model_fixed(const ModelPoint *at, double *residual, double *jacobian)
{
#if DRIVEN
    (void)at, (void)residual, (void)jacobian;
#else
    residual[0] = at->coordinates[CRANK] - at->parameters[START_ANGLE];
    memset(jacobian, 0, MODEL_NQ * sizeof *jacobian);
    jacobian[CRANK] = 1.0;
#endif
}

void model_fixed_velocity(const ModelPoint *at, double *residual, double *jacobian)
{
#if DRIVEN
    (void)at, (void)residual, (void)jacobian;
#else
    residual[0] = at->velocities[CRANK] - at->parameters[START_OMEGA];
    memset(jacobian, 0, MODEL_NQ * sizeof *jacobian);
    jacobian[CRANK] = 1.0;
#endif
}
