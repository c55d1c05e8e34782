#include "partition.h"

#include <math.h>
#include <string.h>

#include "linear.h"

/* Quality of a partition: its smallest pivot relative to that of the best one. Coordinates that come near
 * a dead centre make the accelerations steep functions of them, which fixed steps follow badly and
 * adaptive ones only with many steps: they are left while the dead centre is many steps away, which the
 * quality tells relative to the best that the generated partition has shown. Two thresholds, so that the
 * choice does not flutter. */
#define LEAVE_BELOW 0.3
#define RETURN_ABOVE 0.5

/* A generated partition that was never better than this is not good at any time. */
#define POOR 0.1

/* A start with a smaller pivot than this is a singular position. */
#define SINGULAR_START 1e-7

/* Closer than this to a singular position, multipliers are noise; penalties, which hold a constraint
 * with its squared pivot, give way earlier. */
#define SINGULAR_BELOW (MODEL_CLOSURE == CLOSURE_PENALTY ? 1e-3 : 1e-5)

/* Constraint derivatives at a point. The largest one met so far of each coordinate, and then of each
 * constraint, are remembered as scales: they make lengths and angles comparable, and do not hide a
 * row or a column that vanishes on the way. */
static void evaluate_jacobian(Instance *self, const Point *point)
{
    State *state = &self->state;
    const double *phi_q = self->work.phi_q;
    const ModelPoint at = seen_by_model(state, point);
    model_jacobian(&at, self->work.phi_q);
    for (int i = 0; i < MODEL_NC; i++) {
        for (int j = 0; j < MODEL_NQ; j++) {
            state->column_scale[j] = fmax(state->column_scale[j], fabs(phi_q[i * MODEL_NQ + j]));
        }
    }
    for (int i = 0; i < MODEL_NC; i++) {
        for (int j = 0; j < MODEL_NQ; j++) {
            const double scale = state->column_scale[j];
            const double entry = scale > 0.0 ? fabs(phi_q[i * MODEL_NQ + j]) / scale : 0.0;
            state->row_scale[i] = fmax(state->row_scale[i], entry);
        }
    }
}

/* Smallest pivot of the constraints over the given columns (all if NULL), rows and columns scaled. */
static double smallest_pivot(Instance *self, const int *columns, int n)
{
    Work *work = &self->work;
    for (int i = 0; i < MODEL_NC; i++) {
        for (int j = 0; j < n; j++) {
            const int column = columns ? columns[j] : j;
            const double scale = self->state.column_scale[column] * self->state.row_scale[i];
            work->scaled[i * n + j] = scale > 0.0 ? work->phi_q[i * MODEL_NQ + column] / scale : 0.0;
        }
    }
    return complete_pivoting(MODEL_NC, n, work->scaled, work->columns);
}

static int by_index(const int *x, int n, int value)
{
    int i = 0;
    while (i < n && x[i] != value) {
        i++;
    }
    return i;
}

static void use_generated(Partition *partition)
{
    for (int i = 0; i < MODEL_NI; i++) {
        partition->independent[i] = model_independent[i];
    }
    for (int i = 0; i < MODEL_NC; i++) {
        partition->dependent[i] = model_dependent[i];
    }
    partition->generated = true;
}

/* The first MODEL_NC of `columns` become dependent; both lists are kept in ascending order, so that
 * the result does not depend on the order of elimination. */
static void use_columns(Partition *partition, const int *columns)
{
    int independent = 0, dependent = 0, same = 0;
    for (int k = 0; k < MODEL_NQ; k++) {
        if (by_index(columns, MODEL_NC, k) < MODEL_NC) {
            partition->dependent[dependent++] = k;
            same += by_index(model_dependent, MODEL_NC, k) < MODEL_NC;
        } else {
            partition->independent[independent++] = k;
        }
    }
    partition->generated = false;
    if (same == MODEL_NC) {
        use_generated(partition);
    }
}

bool take_best_partition(Instance *self)
{
    if (!PARTITIONED || MODEL_NI == 0 || MODEL_NC == 0) {
        return false;
    }
    const Partition before = self->state.partition;
    evaluate_jacobian(self, &self->state.at);
    if (smallest_pivot(self, NULL, MODEL_NQ) == 0.0) {
        return false;
    }
    use_columns(&self->state.partition, self->work.columns);
    return memcmp(&before, &self->state.partition, sizeof before) != 0;
}

/* The quality below which the present partition is left. */
static double leave_below(const State *state)
{
    return LEAVE_BELOW * (state->partition.generated ? state->home_quality : 1.0);
}

void review_partition(Instance *self)
{
    Partition *partition = &self->state.partition;
    evaluate_jacobian(self, &self->state.at);
    if (!PARTITIONED || MODEL_NI == 0 || MODEL_NC == 0) {
        return;
    }
    const double best = smallest_pivot(self, NULL, MODEL_NQ);
    if (best < SINGULAR_BELOW) {
        return; /* no partition is better than another */
    }
    const double home = smallest_pivot(self, model_dependent, MODEL_NC) / best;
    self->state.home_quality = fmax(self->state.home_quality, fmin(home, 1.0));
    if (home >= RETURN_ABOVE * self->state.home_quality) {
        use_generated(partition);
    } else if (smallest_pivot(self, partition->dependent, MODEL_NC) < leave_below(&self->state) * best) {
        smallest_pivot(self, NULL, MODEL_NQ); /* leaves the order of the columns in work */
        use_columns(partition, self->work.columns);
    }
}

bool multipliers_are_lost(Instance *self, const Point *point)
{
    if (PARTITIONED || MODEL_NC == 0) {
        return false;
    }
    evaluate_jacobian(self, point);
    return smallest_pivot(self, NULL, MODEL_NQ) < SINGULAR_BELOW;
}

bool start_partition(Instance *self)
{
    State *state = &self->state;
    memset(state->column_scale, 0, sizeof state->column_scale);
    for (int i = 0; i < MODEL_NC; i++) {
        state->row_scale[i] = 1.0; /* a row that vanishes at the start is to be seen, not scaled up */
    }
    use_generated(&state->partition);
    evaluate_jacobian(self, &state->at);
    if (smallest_pivot(self, NULL, MODEL_NQ) < SINGULAR_START) {
        return false;
    }
    memset(state->row_scale, 0, sizeof state->row_scale);
    state->home_quality = POOR;
    review_partition(self);
    return true;
}

double partition_margin(Instance *self, const Point *point)
{
    const ModelPoint at = seen_by_model(&self->state, point);
    model_jacobian(&at, self->work.phi_q);
    const double best = smallest_pivot(self, NULL, MODEL_NQ);
    if (best < SINGULAR_BELOW) {
        return 1.0; /* no partition is better than another */
    }
    return smallest_pivot(self, self->state.partition.dependent, MODEL_NC) / best - leave_below(&self->state);
}
