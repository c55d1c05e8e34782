/* One instance of the FMU.
 *
 * State holds everything the future depends on: saving, restoring and serializing the FMU state is a copy of it and
 * of its vectors. Work holds scratch values that no evaluation reads before writing. */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "sizes.h"

/* Number of derivatives of an input that a co-simulation may give for a step. */
#define INPUT_ORDERS 5

/* Number of samples that are kept of an input with a stamp. */
#define MOST_SAMPLES 4

enum {
    SETTING_STEP,
    SETTING_RELATIVE_TOLERANCE,
    SETTING_ABSOLUTE_TOLERANCE,
    SETTING_MAX_STEPS,
    SETTING_METHOD,
    SETTING_SIGMA /* of the projection closure only */
};
enum { DIAGNOSTIC_RESIDUAL, DIAGNOSTIC_ITERATIONS, DIAGNOSTIC_STEPS };

/* How a call ended; numbered as in FMI 2 and FMI 3. */
typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL } Status;

typedef unsigned int Reference; /* of a variable: its place among the reals */

/* Whether a variable is one of those from `first` up to `end`, which are arguments since compilers warn of
 * unsigned numbers that are compared with the constant 0: the first of a model without parameters. */
static inline bool is_among(Reference reference, Reference first, Reference end)
{
    return first <= reference && reference < end;
}

typedef enum { CO_SIMULATION, MODEL_EXCHANGE } Interface;

/* The FMI calling state; one bit each, so that sets of them are masks. */
typedef enum {
    MODE_INSTANTIATED = 1,
    MODE_INITIALIZING = 2,
    MODE_STEP_COMPLETE = 4, /* co-simulation: between steps */
    MODE_EVENT = 8,         /* model exchange */
    MODE_CONTINUOUS = 16,   /* model exchange: continuous-time mode */
    MODE_TERMINATED = 32,
    MODE_FAILED = 64
} Mode;

/* Vectors are lists (type, name, length): members of a structure that are pointers, and what layout.c places in
 * the memory of an instance. Those of one structure lie side by side in this order. */
#define VECTOR_MEMBER(type, name, length) type *name;

typedef int Triple[3];
typedef double InputRates[INPUT_ORDERS];

/* The motion and the states of the network at one time: inputs u; motion q, v, a with multipliers l; sines and
 * cosines e of angles that turn; first-order states x with derivatives; iterated unknowns z; angles g near which
 * counted angles lie, see turns.h; pivots of the embedded equations of motion of the present set. */
#define POINT_VECTORS(X) \
    X(double, u, MODEL_NU) \
    X(double, q, MODEL_NQ) X(double, v, MODEL_NQ) X(double, a, MODEL_NQ) \
    X(double, l, MODEL_NC) \
    X(double, e, 2 * MODEL_NTURN) \
    X(double, x, MODEL_NX) X(double, dx, MODEL_NX) \
    X(double, z, MODEL_NZ) \
    X(double, g, MODEL_NCOUNTED) \
    X(double, pivots, MODEL_NPIVOTS)
typedef struct {
    double t;
    double iterations; /* Newton iterations that closed the loops and found z */
    int failed_steps;  /* a guard of the exact steps of the present set failed */
    MotionVerdict verdict;
    size_t size; /* of all vectors, in bytes from u on */
    POINT_VECTORS(VECTOR_MEMBER)
} Point;

/* Which coordinates are integrated and which follow from the constraints. Carried: the dependent coordinate is the
 * fourth of a whole attitude. By attitude: its fourth coordinate, -1 if it is not whole, and the places among the
 * independent ones that its spin takes. */
#define PARTITION_VECTORS(X) \
    X(int, independent, MODEL_NI) X(int, dependent, MODEL_NC) X(int, carried, MODEL_NC) \
    X(int, fourth, MODEL_NATT) X(Triple, spin, MODEL_NATT)
typedef struct {
    int set;     /* of model_sets that it is; -1: none of them */
    size_t size; /* of all vectors, in bytes from `independent` on */
    PARTITION_VECTORS(VECTOR_MEMBER)
} Partition;

/* The last samples of an input, the newest first. */
typedef struct {
    int count;
    double t[MOST_SAMPLES], u[MOST_SAMPLES];
} Samples;

#define STATE_VECTORS(X) \
    X(double, reals, MODEL_N_REALS) X(double, derived, MODEL_ND) \
    X(InputRates, input_rates, MODEL_NU) \
    X(double, told, MODEL_NU) X(double, told_time, MODEL_NU) /* inputs as last set, and when */ \
    X(double, told_slope, MODEL_NU)                          /* how fast they changed: see told.c */ \
    X(double, reached, MODEL_NU) /* inputs at the end of the last step, without what was set since */ \
    X(Samples, samples, MODEL_STAMPED * MODEL_NU) \
    X(double, y, ODE_STATES)          /* the ODE state of `now` */ \
    X(double, r, MODEL_NE)            /* signs of the relations, held between events */ \
    X(double, turned, MODEL_NCOUNTED) /* counted angles at `at`, see turns.h */ \
    X(double, turn_rate, MODEL_NCOUNTED) X(double, turn_second, MODEL_NCOUNTED) \
    X(int, warned, MODEL_NLIMITS)    /* limits beyond which a value was, see limits.h */ \
    X(Anchor, anchors, MODEL_NTURN)  /* near the angles of `at`, see loops.c */ \
    X(double, column_scale, MODEL_NQ) X(double, row_scale, MODEL_NC) /* usual derivatives, see scales.c */ \
    X(double, largest_pivots, MODEL_NSETS * MODEL_NPIVOTS)           /* of each set, met so far */ \
    X(double, reviewed_pivots, MODEL_NPIVOTS) /* at the last review of the partition; 0: none yet */
typedef struct {
    Mode mode;
    Interface interface;
    int assembled;          /* `at` satisfies the constraints for the current parameters */
    int parameters_changed; /* a tunable parameter has changed since the last evaluation */
    int loops_open;         /* ... and integrated coordinates may not satisfy the constraints yet */
    int fresh;              /* `now` belongs to the current time, states and inputs */
    int outputs_fresh;      /* the calculated reals belong to `now` */
    int tolerance_chosen;   /* the relative tolerance was set as a parameter */
    int partition_due;
    double start_time;
    double input_time;      /* since when the inputs change with their derivatives */
    double penalty;         /* lambda = penalty * (Phi_q a - gamma); 0: not known yet */
    double proposed_step;   /* 0: not known yet */
    double last_error;      /* error of the last accepted step, for the PI controller */
    double steps;
    double iterations; /* co-simulation: Newton iterations of all evaluations since the last step began */
    Point at;          /* the last accepted point */
    Point now;         /* the point that variables are read at */
    Partition partition;
    Partition next_partition; /* model exchange: what the next event changes to */
    STATE_VECTORS(VECTOR_MEMBER)
} State;

typedef enum {
    FAILURE_NONE,
    FAILURE_OPEN_LOOP,      /* Newton does not close a loop */
    FAILURE_LEFT_OPEN,      /* all blocks are solved, and a constraint is open */
    FAILURE_ITERATION,      /* only iteration goes on, and the FMU never iterates */
    FAILURE_LEFT_OUT,       /* a redundant constraint is not met */
    FAILURE_SINGULAR,       /* the constraints do not determine a coordinate */
    FAILURE_MULTIPLIERS,    /* the constraints do not determine the multipliers */
    FAILURE_MASS,           /* the mass matrix is not positive definite */
    FAILURE_NOT_FINITE,     /* an acceleration or a multiplier overflows */
    FAILURE_JUMP,           /* the motion leaves its assembly mode */
    FAILURE_TURNS,          /* an angle moves too far in one step to count its turns */
    FAILURE_STEPS,          /* too many internal steps in one communication step */
    FAILURE_ACCURACY,       /* the tolerances cannot be met */
    FAILURE_ASSEMBLY,       /* no start position */
    FAILURE_VELOCITY,       /* no start velocity */
    FAILURE_SINGULAR_START, /* the start is a singular position */
    FAILURE_CHATTER,        /* switches keep alternating at one time */
    FAILURE_SENSITIVITY,    /* no derivatives in a singular position */
    FAILURE_OUTPUT,         /* a calculated variable is not finite */
    FAILURE_NETWORK,        /* Newton does not solve a block of the network */
    FAILURE_STATE,          /* a state of the network or its derivative is not finite */
    FAILURE_START,          /* no start of the network */
    FAILURE_MOVING_START,   /* drivers or fixed velocities move a start that is to be steady */
    FAILURE_NO_EQUILIBRIUM, /* a coordinate or state does not come to rest */
    FAILURE_HELD_START      /* fixed start values or drivers keep a coordinate out of equilibrium */
} FailureKind;

typedef struct {
    FailureKind kind;
    double t;
    int index;       /* a coordinate, a constraint, a state ... as the kind says; -1 unknown */
    double residual;
    const ModelBlock *block; /* NULL: all loops together */
} Failure;

/* A direction in which everything known changes, and how everything else follows. */
#define DIRECTION_VECTORS(X) \
    X(double, p, MODEL_NP) X(double, u, MODEL_NU) \
    X(double, q, MODEL_NQ) X(double, v, MODEL_NQ) X(double, a, MODEL_NQ) \
    X(double, l, MODEL_NC) \
    X(double, x, MODEL_NX) X(double, dx, MODEL_NX) \
    X(double, z, MODEL_NZ)
typedef struct {
    double t;
    size_t size; /* of all vectors, in bytes from p on */
    DIRECTION_VECTORS(VECTOR_MEMBER)
} Direction;

/* Most stages that a method has. */
#define MOST_STAGES 7

#define WORK_VECTORS(X) \
    X(double, y, ODE_STATES) X(double, stage, ODE_STATES) \
    X(double, relations, MODEL_NE) \
    X(bool, switched, MODEL_NE) /* relations that have switched at this instant */ \
    /* derivatives */ \
    X(double, tangent_d, MODEL_NC * MODEL_NC) X(double, tangent_kkt, KKT_ROWS * KKT_ROWS) \
    X(int, pivot_d, MODEL_NC) X(int, pivot_kkt, KKT_ROWS) \
    X(double, change, MODEL_NQ + 2 * MODEL_NC + STACKED_ROWS + MODEL_NZ) \
    X(double, output_change, MODEL_NY) X(double, formula_change, MODEL_NFORM) \
    X(double, state_change, ODE_STATES) X(double, rate_change, ODE_STATES) \
    /* linearly implicit steps */ \
    X(double, ode_jacobian, ODE_STATES * ODE_STATES) X(double, ode_by_time, ODE_STATES) \
    X(double, implicit, ODE_STATES * ODE_STATES) \
    X(double, ode_scale, ODE_STATES) \
    X(int, ode_pivot, ODE_STATES) \
    /* closure */ \
    X(double, residual, MODEL_NC) X(double, correction, MODEL_NC) X(double, held, MODEL_NC) \
    X(double, phi_d, MODEL_NC * MODEL_NC) X(double, row_scale, KKT_ROWS) \
    X(int, pivot, KKT_ROWS) \
    X(double, left_out, MODEL_NLEFT) \
    /* dynamics */ \
    X(double, phi_q, MODEL_NC * MODEL_NQ) X(double, nu, MODEL_NC) X(double, gamma, MODEL_NC) \
    X(double, mass, MODEL_NQ * MODEL_NQ) X(double, force, MODEL_NQ) \
    X(double, tangent, MODEL_NQ * MODEL_NI) X(double, mass_tangent, MODEL_NQ * MODEL_NI) \
    X(double, reduced_mass, MODEL_NI * MODEL_NI) X(double, reduced_force, MODEL_NI) \
    X(double, kkt, KKT_ROWS * KKT_ROWS) X(double, kkt_rhs, KKT_ROWS) \
    /* partition and assembly */ \
    X(double, scaled, MODEL_NC * MODEL_NQ) X(double, largest, MODEL_NC) /* see sparse.h */ \
    X(int, scaled_column, MODEL_NC * MODEL_NQ) X(int, scaled_count, MODEL_NC) \
    X(int, largest_at, MODEL_NC) X(int, place, MODEL_NQ) \
    X(int, rows, MODEL_NQ * MODEL_NC) X(int, row_count, MODEL_NQ) \
    X(int, columns, MODEL_NC) \
    X(bool, taken, MODEL_NQ) \
    X(double, qualities, MODEL_NSETS) \
    X(double, stacked, STACKED_ROWS * MODEL_NQ) X(double, stacked_residual, STACKED_ROWS) \
    X(double, correction_q, MODEL_NQ) X(double, diagonal, MODEL_NQ) \
    X(double, parameters, MODEL_NP) X(double, derived, MODEL_ND) \
    /* network */ \
    X(double, z_jacobian, MODEL_MAX_ZBLOCK * MODEL_MAX_ZBLOCK) X(double, z_residual, MODEL_MAX_ZBLOCK) \
    X(double, z_correction, MODEL_MAX_ZBLOCK) X(double, z_held, MODEL_MAX_ZBLOCK) \
    X(double, z_scale, MODEL_MAX_ZBLOCK) X(double, z_rows, MODEL_MAX_ZBLOCK) \
    X(int, z_pivot, MODEL_MAX_ZBLOCK) \
    X(double, start_matrix, START_ROWS * MODEL_NX) X(double, start_residual, START_ROWS) \
    X(double, start_before, START_ROWS) X(double, start_after, START_ROWS) \
    X(double, start_held, MODEL_NX) X(double, start_correction, MODEL_NX) \
    X(double, start_diagonal, MODEL_NX) \
    /* equilibrium */ \
    X(double, steady_jacobian, STEADY_UNKNOWNS * STEADY_UNKNOWNS) \
    X(double, steady_kept, STEADY_UNKNOWNS * STEADY_UNKNOWNS) \
    X(double, steady_matrix, STEADY_UNKNOWNS * STEADY_UNKNOWNS) \
    X(double, steady_unrest, STEADY_UNKNOWNS) X(double, steady_scale, STEADY_UNKNOWNS) \
    X(double, steady_rows, STEADY_UNKNOWNS) \
    X(int, steady_pivot, STEADY_UNKNOWNS)
typedef struct {
    Point trial;
    Point centre, before, after; /* of a limit, see embedding.c */
    Point solved, closed;        /* by exact steps; with closed loops */
    Point beside, elsewhere;     /* of differences; of the usual size of derivatives */
    Point start;                 /* of an equilibrium */
    Partition before_call, before_step, before_search, generated;
    Direction along, kept_along;
    double *k[MOST_STAGES];
    bool without_steps; /* loops are closed by iteration, also where there are exact steps */
    bool within_step;   /* the point is a stage of a method: nothing reads its multipliers */
    WORK_VECTORS(VECTOR_MEMBER)
} Work;

/* Functions of the importer that an instance uses. */
typedef struct Environment {
    void (*log)(const struct Environment *environment, const char *name, Status status, const char *category,
                const char *text);
    void (*logger)(void); /* the importer's logger, which `log` calls; NULL: no messages */
    void *data;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
} Environment;

/* Counts for trial runs, see tally.h; they do not influence the instance. Iterations are counted by set and block
 * of loops, and by block of the network. */
#define TALLY_VECTORS(X) X(double, over_block, MODEL_NSETS * MODEL_NC) X(double, over_network, MODEL_NZBLOCKS)
typedef struct {
    double evaluations, changes; /* of the motion; of the independent coordinates */
    double over_all, at_limits;  /* over all loops at once, at singular positions */
    TALLY_VECTORS(VECTOR_MEMBER)
} Tally;

typedef struct {
    State state;
    Work work;
    Tally tally;
    Failure failure;
    Environment environment;
    char *name;
    char *state_memory; /* the vectors of the state */
    size_t state_size;
    bool log_events;
} Instance;

/* The generated set that is independent at present, or NULL. */
static inline const ModelSet *present_set(const State *state)
{
    return state->partition.set < 0 ? NULL : &model_sets[state->partition.set];
}

/* The largest pivots of a set that were met so far. */
static inline double *largest_pivots_of(const State *state, int set)
{
    return state->largest_pivots + set * MODEL_NPIVOTS;
}

/* A point as the model functions read it. */
static inline ModelPoint model_point(const State *state, const Point *point)
{
    const ModelPoint at = {point->t,
                           state->reals + MODEL_P0,
                           state->derived,
                           point->u,
                           point->q,
                           point->v,
                           point->a,
                           point->l,
                           point->x,
                           point->z,
                           point->e,
                           state->r,
                           point->g};
    return at;
}

static inline ModelDirection seen_direction(const Direction *along)
{
    const ModelDirection seen = {along->t, along->p, along->u, along->q,
                                 along->v, along->a, along->l, along->x, along->z};
    return seen;
}

static inline void copy_point(Point *to, const Point *from)
{
    to->t = from->t;
    to->iterations = from->iterations;
    to->failed_steps = from->failed_steps;
    to->verdict = from->verdict;
    memcpy(to->u, from->u, from->size);
}

static inline void reset_point(Point *point)
{
    point->t = point->iterations = 0.0;
    point->failed_steps = 0;
    point->verdict = MOTION_UNKNOWN;
    memset(point->u, 0, point->size);
}

static inline void copy_partition(Partition *to, const Partition *from)
{
    to->set = from->set;
    memcpy(to->independent, from->independent, from->size);
}

static inline bool same_partition(const Partition *one, const Partition *other)
{
    return one->set == other->set && memcmp(one->independent, other->independent, one->size) == 0;
}

static inline void copy_direction(Direction *to, const Direction *from)
{
    to->t = from->t;
    memcpy(to->p, from->p, from->size);
}

static inline void reset_direction(Direction *along)
{
    along->t = 0.0;
    memset(along->p, 0, along->size);
}

/* A vector of `length` numbers becomes zero. */
static inline void set_zero(double *vector, int length)
{
    memset(vector, 0, (size_t)length * sizeof *vector);
}

static inline double setting(const State *state, int which)
{
    return state->reals[MODEL_S0 + which];
}

/* Note a failure; returns false, for `return fail(...)`. */
static inline bool fail(Instance *self, FailureKind kind, double t, int index)
{
    const Failure failure = {kind, t, index, 0.0, NULL};
    self->failure = failure;
    return false;
}

#endif
