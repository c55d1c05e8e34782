/* One instance of the FMU.
 *
 * State holds everything the future depends on, without pointers: saving, restoring and serializing
 * the FMU state is a copy of it. Work holds scratch values that no evaluation reads before writing. */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

/* The embedding closures integrate the independent coordinates, the others all of them; of the velocities,
 * projection integrates the independent ones too. */
#define BY_BLOCKS (MODEL_CLOSURE == CLOSURE_TRIANGULAR || MODEL_CLOSURE == CLOSURE_NEWTON)
#define EMBEDDED (BY_BLOCKS || MODEL_CLOSURE == CLOSURE_NEWTON_ALL)

/* Newton steps over a block of loops: exactly so many; negative: until rounding; 0: the FMU stops instead. */
#ifndef MODEL_ITERATIONS
#define MODEL_ITERATIONS (-1)
#endif
#define FIXED_ITERATIONS (MODEL_ITERATIONS > 0)
#define NEVER_ITERATES (MODEL_ITERATIONS == 0)
#define PARTITIONED (EMBEDDED || MODEL_CLOSURE == CLOSURE_PROJECTION)
/* Behind the independent coordinates come the fourth components of attitudes, see attitude.h. */
#define ODE_POSITIONS (EMBEDDED ? MODEL_NI + MODEL_NATT : MODEL_NQ)
#define ODE_VELOCITIES (PARTITIONED ? MODEL_NI : MODEL_NQ)
#define ODE_MOTION (ODE_POSITIONS + ODE_VELOCITIES)
#define ODE_STATES (ODE_MOTION + MODEL_NX)
/* Where the states begin that are not calculated variables: projection calculates the positions. */
#define FIRST_OWN_STATE (MODEL_CLOSURE == CLOSURE_PROJECTION ? ODE_POSITIONS : 0)
#define STACKED_ROWS (MODEL_NC + MODEL_NFIX + MODEL_NFIXV)
#define KKT_ROWS (MODEL_NQ + MODEL_NC)
/* Conditions on the states at the start, beside the given start values. */
#define START_ROWS (MODEL_FIXED_STATES + MODEL_STEADY * MODEL_NX)
/* The unknowns of an equilibrium, see steady.c. */
#define STEADY_UNKNOWNS (MODEL_STEADY * (MODEL_NQ + MODEL_NX))

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

/* The motion and the states of the network at one time. */
typedef struct {
    double t;
    double u[MODEL_ROOM(MODEL_NU)]; /* inputs */
    double q[MODEL_ROOM(MODEL_NQ)], v[MODEL_ROOM(MODEL_NQ)], a[MODEL_ROOM(MODEL_NQ)];
    double l[MODEL_ROOM(MODEL_NC)];
    double e[2 * MODEL_ROOM(MODEL_NTURN)]; /* sines and cosines of angles that turn */
    double x[MODEL_ROOM(MODEL_NX)], dx[MODEL_ROOM(MODEL_NX)]; /* first-order states */
    double z[MODEL_ROOM(MODEL_NZ)];                           /* iterated unknowns */
    double g[MODEL_ROOM(MODEL_NCOUNTED)]; /* angles near which counted angles lie, see turns.h */
    double iterations; /* Newton iterations that closed the loops and found z */
    int failed_steps;  /* a guard of the exact steps of the present set failed */
    MotionVerdict verdict;
    double pivots[MODEL_ROOM(MODEL_NPIVOTS)]; /* of the embedded equations of motion of the present set */
} Point;

/* Which coordinates are integrated and which follow from the constraints. */
typedef struct {
    int independent[MODEL_ROOM(MODEL_NI)];
    int dependent[MODEL_ROOM(MODEL_NC)];
    int set; /* of model_sets that it is; -1: none of them */
    int carried[MODEL_ROOM(MODEL_NC)];      /* the dependent coordinate is the fourth of a whole attitude */
    int fourth[MODEL_ROOM(MODEL_NATT)];     /* by attitude: that coordinate; -1: it is not whole */
    int spin[MODEL_ROOM(MODEL_NATT)][3];    /* the places among the independent ones that its spin takes */
} Partition;

/* The last samples of an input, the newest first. */
typedef struct {
    int count;
    double t[MOST_SAMPLES], u[MOST_SAMPLES];
} Samples;

typedef struct {
    Mode mode;
    Interface interface;
    int assembled;        /* `at` satisfies the constraints for the current parameters */
    int parameters_changed; /* a tunable parameter has changed since the last evaluation */
    int loops_open;       /* ... and integrated coordinates may not satisfy the constraints yet */
    int fresh;            /* `now` belongs to the current time, states and inputs */
    int outputs_fresh;    /* the calculated reals belong to `now` */
    int tolerance_chosen; /* the relative tolerance was set as a parameter */
    double start_time;
    double reals[MODEL_N_REALS];
    double derived[MODEL_ROOM(MODEL_ND)];
    double input_time; /* since when the inputs change with these derivatives */
    double input_rates[MODEL_ROOM(MODEL_NU)][INPUT_ORDERS];
    double told[MODEL_ROOM(MODEL_NU)], told_time[MODEL_ROOM(MODEL_NU)]; /* inputs as last set, and when */
    double told_slope[MODEL_ROOM(MODEL_NU)];                            /* how fast they changed: see told.c */
    double reached[MODEL_ROOM(MODEL_NU)]; /* inputs at the end of the last step, without what was set since */
    Samples samples[MODEL_ROOM(MODEL_STAMPED * MODEL_NU)];
    Point at;                           /* the last accepted point */
    Point now;                          /* the point that variables are read at */
    double y[MODEL_ROOM(ODE_STATES)];   /* the ODE state of `now` */
    double r[MODEL_ROOM(MODEL_NE)];     /* signs of the relations, held between events */
    double turned[MODEL_ROOM(MODEL_NCOUNTED)]; /* counted angles at `at`, see turns.h */
    double turn_rate[MODEL_ROOM(MODEL_NCOUNTED)], turn_second[MODEL_ROOM(MODEL_NCOUNTED)];
    int warned[MODEL_ROOM(MODEL_NLIMITS)]; /* limits beyond which a value was, see limits.h */
    Partition partition;
    Anchor anchors[MODEL_ROOM(MODEL_NTURN)]; /* near the angles of `at`, see loops.c */
    Partition next_partition; /* model exchange: what the next event changes to */
    int partition_due;
    double column_scale[MODEL_ROOM(MODEL_NQ)]; /* usual constraint derivatives, */
    double row_scale[MODEL_ROOM(MODEL_NC)]; /* see partition.c */
    double largest_pivots[MODEL_NSETS][MODEL_ROOM(MODEL_NPIVOTS)]; /* of each set, met so far */
    double reviewed_pivots[MODEL_ROOM(MODEL_NPIVOTS)]; /* at the last review of the partition; 0: none yet */
    double penalty;       /* lambda = penalty * (Phi_q a - gamma); 0: not known yet */
    double proposed_step; /* 0: not known yet */
    double last_error;             /* error of the last accepted step, for the PI controller */
    double steps;
    double iterations; /* co-simulation: Newton iterations of all evaluations since the last step began */
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
typedef struct {
    double t;
    double p[MODEL_ROOM(MODEL_NP)], u[MODEL_ROOM(MODEL_NU)];
    double q[MODEL_ROOM(MODEL_NQ)], v[MODEL_ROOM(MODEL_NQ)], a[MODEL_ROOM(MODEL_NQ)];
    double l[MODEL_ROOM(MODEL_NC)];
    double x[MODEL_ROOM(MODEL_NX)], dx[MODEL_ROOM(MODEL_NX)], z[MODEL_ROOM(MODEL_NZ)];
} Direction;

typedef struct {
    Point trial;
    double y[MODEL_ROOM(ODE_STATES)], stage[MODEL_ROOM(ODE_STATES)], k[7][MODEL_ROOM(ODE_STATES)];
    double relations[MODEL_ROOM(MODEL_NE)];
    bool switched[MODEL_ROOM(MODEL_NE)]; /* relations that have switched at this instant */
    /* derivatives */
    Direction along;
    double tangent_d[MODEL_ROOM(MODEL_NC * MODEL_NC)], tangent_kkt[MODEL_ROOM(KKT_ROWS * KKT_ROWS)];
    int pivot_d[MODEL_ROOM(MODEL_NC)], pivot_kkt[MODEL_ROOM(KKT_ROWS)];
    double change[MODEL_ROOM(MODEL_NQ + 2 * MODEL_NC + STACKED_ROWS + MODEL_NZ)];
    double output_change[MODEL_ROOM(MODEL_NY)], formula_change[MODEL_ROOM(MODEL_NFORM)];
    double state_change[MODEL_ROOM(ODE_STATES)], rate_change[MODEL_ROOM(ODE_STATES)];
    /* linearly implicit steps */
    double ode_jacobian[MODEL_ROOM(ODE_STATES * ODE_STATES)], ode_by_time[MODEL_ROOM(ODE_STATES)];
    double implicit[MODEL_ROOM(ODE_STATES * ODE_STATES)];
    double ode_scale[MODEL_ROOM(ODE_STATES)];
    int ode_pivot[MODEL_ROOM(ODE_STATES)];
    /* closure */
    double residual[MODEL_ROOM(MODEL_NC)], correction[MODEL_ROOM(MODEL_NC)], held[MODEL_ROOM(MODEL_NC)];
    double phi_d[MODEL_ROOM(MODEL_NC * MODEL_NC)], row_scale[MODEL_ROOM(KKT_ROWS)];
    int pivot[MODEL_ROOM(KKT_ROWS)];
    double left_out[MODEL_ROOM(MODEL_NLEFT)];
    /* dynamics */
    double phi_q[MODEL_ROOM(MODEL_NC * MODEL_NQ)], nu[MODEL_ROOM(MODEL_NC)], gamma[MODEL_ROOM(MODEL_NC)];
    double mass[MODEL_ROOM(MODEL_NQ * MODEL_NQ)], force[MODEL_ROOM(MODEL_NQ)];
    double tangent[MODEL_ROOM(MODEL_NQ * MODEL_NI)], mass_tangent[MODEL_ROOM(MODEL_NQ * MODEL_NI)];
    double reduced_mass[MODEL_ROOM(MODEL_NI * MODEL_NI)], reduced_force[MODEL_ROOM(MODEL_NI)];
    double kkt[MODEL_ROOM(KKT_ROWS * KKT_ROWS)], kkt_rhs[MODEL_ROOM(KKT_ROWS)];
    /* partition and assembly */
    double scaled[MODEL_ROOM(MODEL_NC * MODEL_NQ)], largest[MODEL_ROOM(MODEL_NC)]; /* see sparse.h */
    int scaled_column[MODEL_ROOM(MODEL_NC * MODEL_NQ)], scaled_count[MODEL_ROOM(MODEL_NC)];
    int largest_at[MODEL_ROOM(MODEL_NC)], place[MODEL_ROOM(MODEL_NQ)];
    int rows[MODEL_ROOM(MODEL_NQ * MODEL_NC)], row_count[MODEL_ROOM(MODEL_NQ)];
    int columns[MODEL_ROOM(MODEL_NC)];
    bool taken[MODEL_ROOM(MODEL_NQ)];
    double stacked[MODEL_ROOM(STACKED_ROWS * MODEL_NQ)], stacked_residual[MODEL_ROOM(STACKED_ROWS)];
    double correction_q[MODEL_ROOM(MODEL_NQ)], diagonal[MODEL_ROOM(MODEL_NQ)];
    double parameters[MODEL_ROOM(MODEL_NP)], derived[MODEL_ROOM(MODEL_ND)];
    /* network */
    double z_jacobian[MODEL_ROOM(MODEL_MAX_ZBLOCK * MODEL_MAX_ZBLOCK)], z_residual[MODEL_ROOM(MODEL_MAX_ZBLOCK)];
    double z_correction[MODEL_ROOM(MODEL_MAX_ZBLOCK)], z_held[MODEL_ROOM(MODEL_MAX_ZBLOCK)];
    double z_scale[MODEL_ROOM(MODEL_MAX_ZBLOCK)], z_rows[MODEL_ROOM(MODEL_MAX_ZBLOCK)];
    int z_pivot[MODEL_ROOM(MODEL_MAX_ZBLOCK)];
    double start_matrix[MODEL_ROOM(START_ROWS * MODEL_NX)], start_residual[MODEL_ROOM(START_ROWS)];
    double start_before[MODEL_ROOM(START_ROWS)], start_after[MODEL_ROOM(START_ROWS)];
    double start_held[MODEL_ROOM(MODEL_NX)], start_correction[MODEL_ROOM(MODEL_NX)];
    double start_diagonal[MODEL_ROOM(MODEL_NX)];
    bool without_steps; /* loops are closed by iteration, also where there are exact steps */
    /* equilibrium */
    double steady_jacobian[MODEL_ROOM(STEADY_UNKNOWNS * STEADY_UNKNOWNS)];
    double steady_kept[MODEL_ROOM(STEADY_UNKNOWNS * STEADY_UNKNOWNS)];
    double steady_matrix[MODEL_ROOM(STEADY_UNKNOWNS * STEADY_UNKNOWNS)];
    double steady_unrest[MODEL_ROOM(STEADY_UNKNOWNS)], steady_scale[MODEL_ROOM(STEADY_UNKNOWNS)];
    double steady_rows[MODEL_ROOM(STEADY_UNKNOWNS)];
    int steady_pivot[MODEL_ROOM(STEADY_UNKNOWNS)];
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

/* Counts for trial runs, see tally.h; they do not influence the instance. */
typedef struct {
    double evaluations, changes;                          /* of the motion; of the independent coordinates */
    double over_block[MODEL_NSETS][MODEL_ROOM(MODEL_NC)]; /* iterations by set and block of loops, */
    double over_network[MODEL_ROOM(MODEL_NZBLOCKS)];      /* by block of the network, */
    double over_all, at_limits;                           /* over all loops at once, at singular positions */
} Tally;

typedef struct {
    State state;
    Work work;
    Tally tally;
    Failure failure;
    Environment environment;
    char *name;
    bool log_events;
} Instance;

/* The generated set that is independent at present, or NULL. */
static inline const ModelSet *present_set(const State *state)
{
    return state->partition.set < 0 ? NULL : &model_sets[state->partition.set];
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
