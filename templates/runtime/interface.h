/* What a model gives to the runtime: its functions and its tables, in a form that is the same for all models. */
#ifndef INTERFACE_H
#define INTERFACE_H

#include <stdbool.h>

#include "runtime.h"

typedef struct {
    double time;
    const double *parameters, *derived, *inputs; /* derived: expressions of parameters alone */
    const double *coordinates, *velocities, *accelerations, *multipliers;
    const double *states, *unknowns; /* of the network; the unknowns are iterated */
    const double *sines;             /* and cosines of coordinates that turn, for exact steps and motion */
    const double *signs;             /* of the relations, as of the last event */
    const double *turns;             /* angles whose turns are counted: what they are near, or their turns */
} ModelPoint;

/* A direction: how time and the vectors of a point change. */
typedef struct {
    double time;
    const double *parameters, *inputs;
    const double *coordinates, *velocities, *accelerations, *multipliers;
    const double *states, *unknowns;
} ModelDirection;

/* Exact steps; false: a guard failed. */
typedef bool ModelSolve(const ModelPoint *at, const Anchor *anchors, double *q, double *e);

typedef struct {
    int size;
    const int *unknowns; /* indices into q */
    const int *rows;     /* indices into phi */
    void (*evaluate)(const ModelPoint *at, double *residual, double *jacobian);
    const char *name;
    ModelSolve *solve; /* or NULL */
} ModelBlock;

/* Velocities, accelerations and, unless `l` is NULL, multipliers from the independent velocities. */
typedef MotionVerdict ModelMotion(const ModelPoint *at, const double *largest, double *pivots, double *v,
                                  double *a, double *l);

/* A set of independent coordinates, and how all others follow from them. */
typedef struct {
    const int *independent, *dependent;
    int size; /* the number of blocks */
    const ModelBlock *blocks;
    ModelSolve *solve_all; /* the steps of all blocks at once, or NULL */
    ModelMotion *motion;   /* NULL: it is solved numerically, or there is no mechanism */
    double quality;        /* the best on the declared motion, see partition.c */
} ModelSet;

typedef struct {
    int size;
    const int *unknowns; /* indices into z */
    void (*evaluate)(const ModelPoint *at, double *residual, double *jacobian);
    const char *name;
} ModelNetworkBlock;

/* A redundant constraint, which is checked instead of solved. */
typedef struct {
    const char *joint, *direction, *unit;
    double size; /* that its residual compares with */
} ModelLeftOut;

/* The largest value of a calculated variable for which the law of an element holds. */
typedef struct {
    int variable;
    double bound;
    const char *name, *reason;
} ModelLimit;

/* An output that is the derivative of a formula by an input, or from which such a share is to subtract. */
typedef struct {
    int output, formula, input;
    int subtract;
} ModelPartial;

#define MODEL_NO_SLOPE 1e300 /* a slope that is not known */

/* None of this leaves the library. */
#ifdef __GNUC__
#pragma GCC visibility push(hidden)
#endif

/* --- functions: those that a model has nothing to compute for do nothing --------------------------- */

void model_derive(const double *p, double *d);
void model_constraints(const ModelPoint *at, double *phi);
void model_closing(const ModelPoint *at, double *phi);
void model_left_out(const ModelPoint *at, double *phi);
void model_jacobian(const ModelPoint *at, double *phi_q);
void model_velocity(const ModelPoint *at, double *nu);
void model_dynamics(const ModelPoint *at, double *phi_q, double *gamma, double *mass, double *force);
void model_outputs(const ModelPoint *at, double *y);
void model_fixed(const ModelPoint *at, double *residual, double *jacobian);
void model_fixed_velocity(const ModelPoint *at, double *residual, double *jacobian);
void model_derivatives(const ModelPoint *at, double *dx);
void model_start_states(const ModelPoint *at, double *x);
void model_fixed_states(const ModelPoint *at, double *residual);
void model_time_relations(const ModelPoint *at, double *value, double *slope);
void model_relations(const ModelPoint *at, double *relation);
void model_angles(const ModelPoint *at, double *angle, double *rate, double *second);
void model_start_angles(const ModelPoint *at, double *angle);
void model_constraints_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_velocity_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_dynamics_tangent(const ModelPoint *at, const ModelDirection *along, double *balance, double *slip);
void model_outputs_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_partials_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_fixed_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_fixed_velocity_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_network_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_derivatives_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_start_states_tangent(const ModelPoint *at, const ModelDirection *along, double *change);

/* --- tables ------------------------------------------------------------------------------------------ */

extern const ModelSet model_sets[]; /* the first is that of the start */
extern const ModelNetworkBlock model_network_blocks[];
extern const int model_turn[]; /* by coordinate: half of the place of its sine in e, or -1 */
extern const CoordinateKind model_kinds[];
extern const Attitude model_attitudes[]; /* those that are integrated as a whole */
extern const int model_state_turns[];    /* by state of the network: whether it is an angle */
extern const int model_row_begin[];   /* by constraint, and once more: where its entries in the next begin */
extern const int model_row_columns[]; /* the columns of Phi_q that are not zero, constraint by constraint */
extern const int model_input_rate[];  /* by input: the input that is its rate, or -1 */
extern const int model_input_drives[]; /* by input: whether a driver depends on it, or on one that it is a rate of */
extern const int model_input_stamp[]; /* by input: the input with the time of its sample, or -1 */
extern const double model_input_slope[]; /* by input: the rate of its samples at the start, if it is known */
extern const ModelPartial model_partials[]; /* in the order of inputs */
extern const double model_q0[], model_v0[]; /* by coordinate: of the assembled start */
extern const double model_z0[];             /* by unknown of the network: its guess at the start */
extern const double model_start[];          /* by value reference: the start value of the variable */
extern const ModelLeftOut model_left_out_rows[];
extern const ModelLimit model_limits[];
extern const unsigned model_state_references[]; /* by continuous state: its value reference */
/* Names in messages. */
extern const char *const model_input_names[], *const model_coordinates[], *const model_constraint_names[];
extern const char *const model_states[], *const model_fixed_state_names[], *const model_angle_names[];

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
