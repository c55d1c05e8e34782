/* The part of model.h that is the same for all models. */
#ifndef MODEL_FUNCTIONS_H
#define MODEL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    double t;
    const double *p, *d, *u;
    const double *q, *v, *a, *l;
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

extern const ModelBlock model_blocks[];
extern ModelSolve *const model_solve_all;
extern const int model_independent[];
extern const int model_dependent[];
extern const int model_turn[];
extern const double model_q0[], model_v0[];
extern const double model_start[];
extern const char *const model_coordinates[];
extern const char *const model_constraint_names[];

#endif
