/* The part of model.h that is the same for all models. */
#ifndef MODEL_FUNCTIONS_H
#define MODEL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifndef MODEL_FMI
#define MODEL_FMI 2
#endif
#define MODEL_STARTS_BY_INPUTS 0
#define MODEL_STAMPED 0
#define MODEL_NPART 0
#define MODEL_NATT 0
#define MODEL_NCOUNTED 0
#define MODEL_NJUMP 0
#define MODEL_NFORM 0
#define MODEL_CO_SIMULATION 1
#define MODEL_MODEL_EXCHANGE 1
#ifndef MODEL_NE
#define MODEL_NE 0
#define MODEL_TIME_EVENTS 0
#endif

#define MODEL_NETWORK_READS_MULTIPLIERS 0

/* Most of these models have no network. */
#ifndef MODEL_NX
#define SAMPLE_WITHOUT_NETWORK
#define MODEL_NX 0
#define MODEL_NZ 0
#define MODEL_NZBLOCKS 0
#define MODEL_MAX_ZBLOCK 0
#define MODEL_FIXED_STATES 0
#define MODEL_STEADY 0
#endif

/* Room for the states of every closure, so that diagnostics keep their places. */
#define SAMPLE_COORDINATES (MODEL_CLOSURE == CLOSURE_NEWTON || MODEL_CLOSURE == CLOSURE_NEWTON_ALL ? MODEL_NI : MODEL_NQ)
#define SAMPLE_ROOM 12
#define MODEL_K0 (MODEL_Y0 + MODEL_NY)
#define MODEL_NK (2 * SAMPLE_COORDINATES + MODEL_NX)
#define MODEL_FIRST_DERIVATIVE (MODEL_K0 + SAMPLE_ROOM)
#define MODEL_NKD MODEL_NK
#define MODEL_W0 (MODEL_FIRST_DERIVATIVE + SAMPLE_ROOM)
#define MODEL_NW 0
#define MODEL_G0 MODEL_W0
#define MODEL_NG 3
#define MODEL_N_REALS (MODEL_G0 + MODEL_NG)

typedef struct {
    double time;
    const double *parameters, *derived, *inputs; /* derived: expressions of parameters alone */
    const double *coordinates, *velocities, *accelerations, *multipliers;
    const double *states, *unknowns; /* of the network; the unknowns are iterated */
    const double *sines;             /* and cosines of coordinates that turn, for exact steps and motion */
    const double *signs;             /* of the relations, as of the last event */
    const double *turns;             /* angles whose turns are counted: what they are near, or their turns */
} ModelPoint;

typedef bool ModelSolve(const ModelPoint *at, const Anchor *anchors, double *q, double *e);

typedef struct {
    double time;
    const double *parameters, *inputs;
    const double *coordinates, *velocities, *accelerations, *multipliers;
    const double *states, *unknowns;
} ModelDirection;

typedef struct {
    int size;
    const int *unknowns;
    const int *rows;
    void (*evaluate)(const ModelPoint *at, double *residual, double *jacobian);
    const char *name;
    ModelSolve *solve;
} ModelBlock;

typedef MotionVerdict ModelMotion(const ModelPoint *at, const double *largest, double *pivots, double *v,
                                  double *a, double *l);

typedef struct {
    const int *independent, *dependent;
    int size;
    const ModelBlock *blocks;
    ModelSolve *solve_all;
    ModelMotion *motion;
    double quality;
} ModelSet;

typedef struct {
    int size;
    const int *unknowns;
    void (*evaluate)(const ModelPoint *at, double *residual, double *jacobian);
    const char *name;
} ModelNetworkBlock;

typedef struct {
    int output, formula, input;
    int subtract;
} ModelPartial;

typedef struct {
    const char *joint, *direction, *unit;
    double size;
} ModelLeftOut;

typedef struct {
    int variable;
    double bound;
    const char *name, *reason;
} ModelLimit;

void model_derive(const double *p, double *d);
void model_constraints(const ModelPoint *at, double *phi);
void model_jacobian(const ModelPoint *at, double *phi_q);
void model_velocity(const ModelPoint *at, double *nu);
void model_dynamics(const ModelPoint *at, double *phi_q, double *gamma, double *mass, double *force);
void model_outputs(const ModelPoint *at, double *y);
void model_fixed(const ModelPoint *at, double *residual, double *jacobian);
void model_fixed_velocity(const ModelPoint *at, double *residual, double *jacobian);

/* Tangents by central differences: what generated models have in closed form. */

static const unsigned model_state_references[] = {
    MODEL_K0,     MODEL_K0 + 1, MODEL_K0 + 2, MODEL_K0 + 3, MODEL_K0 + 4,  MODEL_K0 + 5,
    MODEL_K0 + 6, MODEL_K0 + 7, MODEL_K0 + 8, MODEL_K0 + 9, MODEL_K0 + 10, MODEL_K0 + 11};

typedef struct {
    double p[MODEL_ROOM(MODEL_NP)], d[MODEL_ROOM(MODEL_ND)], u[MODEL_ROOM(MODEL_NU)];
    double q[MODEL_ROOM(MODEL_NQ)], v[MODEL_ROOM(MODEL_NQ)], a[MODEL_ROOM(MODEL_NQ)], l[MODEL_ROOM(MODEL_NC)];
    double x[MODEL_ROOM(MODEL_NX)], z[MODEL_ROOM(MODEL_NZ)];
} Displaced;

static inline void displace_vector(int n, const double *from, const double *along, double h, double *to)
{
    for (int i = 0; i < n; i++) {
        to[i] = from[i] + h * along[i];
    }
}

/* `solved`: accelerations and multipliers move, too. */
static inline ModelPoint displace(const ModelPoint *at, const ModelDirection *along, double h, bool solved,
                                  Displaced *room)
{
    const double *const still = at->accelerations;
    displace_vector(MODEL_NP, at->parameters, along->parameters, h, room->p);
    model_derive(room->p, room->d);
    displace_vector(MODEL_NU, at->inputs, along->inputs, h, room->u);
    displace_vector(MODEL_NQ, at->coordinates, along->coordinates, h, room->q);
    displace_vector(MODEL_NQ, at->velocities, along->velocities, h, room->v);
    displace_vector(MODEL_NQ, still, along->accelerations, solved ? h : 0.0, room->a);
    displace_vector(MODEL_NC, at->multipliers, along->multipliers, solved ? h : 0.0, room->l);
    displace_vector(MODEL_NX, at->states, along->states, h, room->x);
    displace_vector(MODEL_NZ, at->unknowns, along->unknowns, h, room->z);
    const ModelPoint moved = {at->time + h * along->time, room->p, room->d, room->u, room->q, room->v,
                              room->a,              room->l, room->x, room->z, at->sines,   at->signs, at->turns};
    return moved;
}

#define SAMPLE_STEP 1e-5
typedef void (*SampleFunction)(const ModelPoint *at, double *values);

static inline void sample_tangent(SampleFunction function, int n, const ModelPoint *at,
                                  const ModelDirection *along, bool solved, double *change)
{
    Displaced room;
    double ahead[MODEL_NQ + 3 * MODEL_NC + MODEL_NY + 2], behind[MODEL_NQ + 3 * MODEL_NC + MODEL_NY + 2];
    const ModelPoint after = displace(at, along, SAMPLE_STEP, solved, &room);
    function(&after, ahead);
    const ModelPoint before = displace(at, along, -SAMPLE_STEP, solved, &room);
    function(&before, behind);
    for (int i = 0; i < n; i++) {
        change[i] = (ahead[i] - behind[i]) / (2.0 * SAMPLE_STEP);
    }
}

static inline void sample_slip(const ModelPoint *at, double *slip)
{
    double phi_q[MODEL_ROOM(MODEL_NC * MODEL_NQ)];
    model_jacobian(at, phi_q);
    model_velocity(at, slip);
    for (int i = 0; i < MODEL_NC; i++) {
        slip[i] = -slip[i];
        for (int j = 0; j < MODEL_NQ; j++) {
            slip[i] += phi_q[i * MODEL_NQ + j] * at->velocities[j];
        }
    }
}

/* M a + Phi_q^T lambda - F, then Phi_q a - gamma */
static inline void sample_balance(const ModelPoint *at, double *balance)
{
    double phi_q[MODEL_ROOM(MODEL_NC * MODEL_NQ)], gamma[MODEL_ROOM(MODEL_NC)];
    double mass[MODEL_ROOM(MODEL_NQ * MODEL_NQ)], force[MODEL_ROOM(MODEL_NQ)];
    model_dynamics(at, phi_q, gamma, mass, force);
    for (int i = 0; i < MODEL_NQ; i++) {
        balance[i] = -force[i];
        for (int j = 0; j < MODEL_NQ; j++) {
            balance[i] += mass[i * MODEL_NQ + j] * at->accelerations[j];
        }
        for (int c = 0; c < MODEL_NC; c++) {
            balance[i] += phi_q[c * MODEL_NQ + i] * at->multipliers[c];
        }
    }
    for (int c = 0; c < MODEL_NC; c++) {
        balance[MODEL_NQ + c] = -gamma[c];
        for (int j = 0; j < MODEL_NQ; j++) {
            balance[MODEL_NQ + c] += phi_q[c * MODEL_NQ + j] * at->accelerations[j];
        }
    }
}

static inline void sample_fixed(const ModelPoint *at, double *residual)
{
    double jacobian[MODEL_ROOM(MODEL_NFIX * MODEL_NQ)];
    model_fixed(at, residual, jacobian);
}

static inline void sample_fixed_velocity(const ModelPoint *at, double *residual)
{
    double jacobian[MODEL_ROOM(MODEL_NFIXV * MODEL_NQ)];
    model_fixed_velocity(at, residual, jacobian);
}

static inline void model_constraints_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(model_constraints, MODEL_NC, at, along, false, change);
}

static inline void model_velocity_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(sample_slip, MODEL_NC, at, along, false, change);
}

static inline void model_dynamics_tangent(const ModelPoint *at, const ModelDirection *along, double *balance,
                                          double *slip)
{
    double change[MODEL_ROOM(MODEL_NQ + MODEL_NC)];
    sample_tangent(sample_balance, MODEL_NQ + MODEL_NC, at, along, false, change);
    memcpy(balance, change, MODEL_NQ * sizeof *change);
    memcpy(slip, change + MODEL_NQ, MODEL_NC * sizeof *change);
}

static inline void model_outputs_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(model_outputs, MODEL_NY, at, along, true, change);
}

static inline void model_fixed_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(sample_fixed, MODEL_NFIX, at, along, false, change);
}

static inline void model_fixed_velocity_tangent(const ModelPoint *at, const ModelDirection *along,
                                                double *change)
{
    sample_tangent(sample_fixed_velocity, MODEL_NFIXV, at, along, false, change);
}

static inline void model_partials_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    (void)at, (void)along, (void)change;
}

/* No constraint of these models is redundant. */
#define MODEL_NLEFT 0
static const ModelLeftOut model_left_out_rows[] = {{NULL, NULL, NULL, 1.0}};

/* Nor does any of their variables have a limit. */
#define MODEL_NLIMITS 0
static const ModelLimit model_limits[] = {{0, 0.0, "", ""}};

static inline void model_closing(const ModelPoint *at, double *phi)
{
    model_constraints(at, phi);
}

static inline void model_left_out(const ModelPoint *at, double *phi)
{
    (void)at, (void)phi;
}

static const int model_input_stamp[] = {-1};
#define MODEL_NO_SLOPE 1e300
static const double model_input_slope[] = {MODEL_NO_SLOPE};
static const int model_input_drives[] = {0};
static const char *const model_input_names[] = {""};
static const ModelPartial model_partials[] = {{0, 0, 0, 0}};

static const char *const model_angle_names[] = {NULL};

static inline void model_angles(const ModelPoint *at, double *angle, double *rate, double *second)
{
    (void)at, (void)angle, (void)rate, (void)second;
}

static inline void model_start_angles(const ModelPoint *at, double *angle)
{
    (void)at, (void)angle;
}

#if MODEL_NE == 0
static inline void model_time_relations(const ModelPoint *at, double *value, double *slope)
{
    (void)at, (void)value, (void)slope;
}

static inline void model_relations(const ModelPoint *at, double *relation)
{
    (void)at, (void)relation;
}
#endif

#ifdef SAMPLE_WITHOUT_NETWORK
static inline void model_network_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    (void)at, (void)along, (void)change;
}

static inline void model_derivatives_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    (void)at, (void)along, (void)change;
}

static inline void model_start_states_tangent(const ModelPoint *at, const ModelDirection *along,
                                              double *change)
{
    (void)at, (void)along, (void)change;
}

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
extern const int model_independent[];
extern const int model_dependent[];

/* One set of independent coordinates; no embedded form. */
#define MODEL_NSETS 1
static const ModelSet model_sets[] = {
    {model_independent, model_dependent, MODEL_NBLOCKS, model_blocks, NULL, NULL, 1.0}};

extern const int model_input_rate[];
extern const int model_row_begin[], model_row_columns[];
extern const int model_turn[];
extern const CoordinateKind model_kinds[];
static const Attitude model_attitudes[] = {{{0, 0, 0, 0}, 0}};
static const int model_state_turns[] = {0, 0, 0, 0, 0, 0, 0, 0};
extern const double model_q0[], model_v0[];
extern const double model_start[];
extern const char *const model_coordinates[];
extern const char *const model_constraint_names[];

#endif
