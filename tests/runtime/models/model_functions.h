/* The part of model.h that is the same for all models. */
#ifndef MODEL_FUNCTIONS_H
#define MODEL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    double t;
    const double *p, *d, *u;
    const double *q, *v, *a, *l;
    const double *x, *z;
    const double *e;
} ModelPoint;

typedef bool ModelSolve(const ModelPoint *at, const Anchor *anchors, double *q, double *e);

typedef struct {
    int size;
    const int *unknowns;
    const int *rows;
    void (*evaluate)(const ModelPoint *at, double *residual, double *jacobian);
    const char *name;
    ModelSolve *solve;
} ModelBlock;

typedef struct {
    int size;
    const int *unknowns;
    void (*evaluate)(const ModelPoint *at, double *residual, double *jacobian);
    const char *name;
} ModelNetworkBlock;

void model_derive(const double *p, double *d);
void model_constraints(const ModelPoint *at, double *phi);
void model_jacobian(const ModelPoint *at, double *phi_q);
void model_velocity(const ModelPoint *at, double *nu);
void model_dynamics(const ModelPoint *at, double *phi_q, double *gamma, double *mass, double *force);
void model_outputs(const ModelPoint *at, double *y);
void model_fixed(const ModelPoint *at, double *residual, double *jacobian);
void model_fixed_velocity(const ModelPoint *at, double *residual, double *jacobian);

/* These models have no embedded form. */
static inline MotionVerdict model_motion(const ModelPoint *at, const double *largest, double *pivots, double *v,
                                         double *a, double *l)
{
    (void)at;
    (void)largest;
    (void)pivots;
    (void)v;
    (void)a;
    (void)l;
    return MOTION_UNKNOWN;
}

/* These models have no network. */
#ifndef MODEL_NX
#define MODEL_NX 0
#define MODEL_NZ 0
#define MODEL_NZBLOCKS 0
#define MODEL_MAX_ZBLOCK 0
#define MODEL_NFIXX 0
#define MODEL_STEADY 0

static inline void model_derivatives(const ModelPoint *at, double *dx)
{
    (void)at;
    (void)dx;
}

static inline void model_start_states(const ModelPoint *at, double *x)
{
    (void)at;
    (void)x;
}

static inline void model_fixed_states(const ModelPoint *at, double *residual)
{
    (void)at;
    (void)residual;
}

static const ModelNetworkBlock model_network_blocks[] = {{0, NULL, NULL, NULL}};
static const double model_z0[] = {0.0};
static const char *const model_states[] = {NULL};
static const char *const model_fixed_state_names[] = {NULL};
#endif

extern const ModelBlock model_blocks[];
extern ModelSolve *const model_solve_all;
extern const int model_independent[];
extern const int model_dependent[];
extern const int model_input_rate[];
extern const int model_turn[];
extern const double model_q0[], model_v0[];
extern const double model_start[];
extern const char *const model_coordinates[];
extern const char *const model_constraint_names[];

#endif
