#include "partition.h"

#include <math.h>
#include <string.h>

#include "sparse.h"

/* Quality of a partition: its smallest pivot relative to that of the best one. Coordinates that come near
 * a dead centre make the accelerations steep functions of them, which fixed steps follow badly and
 * adaptive ones only with many steps: they are left while the dead centre is many steps away, which the
 * quality tells relative to the best that a generated set has shown. Two thresholds, so that the
 * choice does not flutter. */
#define LEAVE_BELOW 0.3
#define RETURN_ABOVE 0.5
#define CLEARLY_BETTER 1.5

/* A generated set that was never better than this is not good at any time. */
#define POOR 0.1

/* While the embedded equations of motion are easy, a review waits until one of their pivots has fallen to this
 * part of what it was at the last one: early where another set may be better, late where coordinates that are
 * closed by iteration are all there is. Or until it has risen and is near the largest one met, where a set may
 * show itself better than before. */
#define FALLEN (MODEL_NSETS > 1 ? 0.95 : 0.5)
#define RISEN 1.25
#define NEAR_LARGEST 0.8

/* A start with a smaller pivot than this is a singular position. */
#define SINGULAR_START 1e-7

/* Closer than this to a singular position, multipliers are noise; penalties, which hold a constraint
 * with its squared pivot, give way earlier. */
#define SINGULAR_BELOW (MODEL_CLOSURE == CLOSURE_PENALTY ? 1e-3 : 1e-5)

/* As fmax, without a call: y may be no number, x is one. */
static double larger(double x, double y)
{
    return y > x ? y : x;
}

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
        for (int k = model_row_begin[i]; k < model_row_begin[i + 1]; k++) {
            const int j = model_row_columns[k];
            state->column_scale[j] = larger(state->column_scale[j], fabs(phi_q[i * MODEL_NQ + j]));
        }
    }
    for (int i = 0; i < MODEL_NC; i++) {
        for (int k = model_row_begin[i]; k < model_row_begin[i + 1]; k++) {
            const int j = model_row_columns[k];
            const double scale = state->column_scale[j];
            const double entry = scale > 0.0 ? fabs(phi_q[i * MODEL_NQ + j]) / scale : 0.0;
            state->row_scale[i] = larger(state->row_scale[i], entry);
        }
    }
}

/* Smallest pivot of the constraints over the given columns (all if NULL), rows and columns scaled. */
static double smallest_pivot(Instance *self, const int *columns)
{
    const State *const state = &self->state;
    Work *const work = &self->work;
    const SparseRows scaled = {MODEL_NC,           MODEL_NQ,      work->scaled,     work->scaled_column,
                               work->scaled_count, work->largest, work->largest_at, work->rows,
                               work->row_count,    work->place};
    memset(work->taken, 0, sizeof work->taken);
    for (int k = 0; columns && k < MODEL_NC; k++) {
        work->taken[columns[k]] = true;
    }
    for (int i = 0; i < MODEL_NC; i++) {
        int end = i * MODEL_NQ;
        for (int k = model_row_begin[i]; k < model_row_begin[i + 1]; k++) {
            const int j = model_row_columns[k];
            const double scale = state->column_scale[j] * state->row_scale[i];
            if (scale > 0.0 && (!columns || work->taken[j])) {
                work->scaled[end] = work->phi_q[i * MODEL_NQ + j] / scale;
                work->scaled_column[end++] = j;
            }
        }
        work->scaled_count[i] = end - i * MODEL_NQ;
    }
    return eliminate_sparse(&scaled, work->columns);
}

static int by_index(const int *x, int n, int value)
{
    int i = 0;
    while (i < n && x[i] != value) {
        i++;
    }
    return i;
}

/* Take a set of the generated model; its coordinates are in ascending order, too. */
static void use_set(Partition *partition, int set)
{
    for (int i = 0; i < MODEL_NI; i++) {
        partition->independent[i] = model_sets[set].independent[i];
    }
    for (int i = 0; i < MODEL_NC; i++) {
        partition->dependent[i] = model_sets[set].dependent[i];
    }
    partition->set = set;
}

/* The first MODEL_NC of `columns` become dependent; both lists are kept in ascending order, so that
 * the result does not depend on the order of elimination. */
static void use_columns(Partition *partition, const int *columns)
{
    int independent = 0, dependent = 0;
    for (int k = 0; k < MODEL_NQ; k++) {
        if (by_index(columns, MODEL_NC, k) < MODEL_NC) {
            partition->dependent[dependent++] = k;
        } else {
            partition->independent[independent++] = k;
        }
    }
    partition->set = -1;
    for (int set = 0; set < MODEL_NSETS && partition->set < 0; set++) {
        int same = 0;
        for (int k = 0; k < MODEL_NC; k++) {
            same += by_index(model_sets[set].dependent, MODEL_NC, partition->dependent[k]) < MODEL_NC;
        }
        if (same == MODEL_NC) {
            use_set(partition, set);
        }
    }
}

/* Take the columns of the best conditioned partition. */
static void use_best_columns(Instance *self)
{
    smallest_pivot(self, NULL); /* leaves the order of the columns in work */
    use_columns(&self->state.partition, self->work.columns);
}

/* Qualities at a point whose constraint derivatives are known: of the sets, and of the present partition. */
typedef struct {
    double best; /* the smallest pivot of the best partition, which all are relative to */
    double of_set[MODEL_NSETS];
    double present;
    int other; /* the best of the sets that are not the present one; -1: there is none */
} Qualities;

static Qualities judge_partitions(Instance *self)
{
    const Partition *const partition = &self->state.partition;
    Qualities found = {smallest_pivot(self, NULL), {0.0}, 0.0, -1};
    if (found.best < SINGULAR_BELOW) {
        return found;
    }
    found.present = smallest_pivot(self, partition->dependent) / found.best;
    for (int set = 0; set < MODEL_NSETS; set++) {
        if (set == partition->set) {
            found.of_set[set] = found.present;
            continue;
        }
        found.of_set[set] = smallest_pivot(self, model_sets[set].dependent) / found.best;
        if (found.other < 0 || found.of_set[set] > found.of_set[found.other]) {
            found.other = set;
        }
    }
    return found;
}

/* The quality below which the present partition is left: one of several sets, which were chosen for the whole
 * motion, only for a set that is clearly better, or where all of them are poor. */
static double leave_below(const State *state, const Qualities *found)
{
    const int set = state->partition.set;
    if (set < 0) {
        return LEAVE_BELOW;
    }
    const double weak = LEAVE_BELOW * state->set_quality[set];
    return found->other < 0 ? weak : fmin(weak, fmax(POOR, found->of_set[found->other] / CLEARLY_BETTER));
}

/* To another set, or, where that has less than the least quality, to the best coordinates, from which loops are
 * closed by iteration. */
static void leave_present(Instance *self, const Qualities *found, double least)
{
    Partition *const partition = &self->state.partition;
    const double other = found->other < 0 ? 0.0 : found->of_set[found->other];
    if (partition->set >= 0 && other >= least && other > found->present) {
        use_set(partition, found->other);
    } else {
        use_best_columns(self);
    }
}

static bool leave_accepted(Instance *self, double least)
{
    if (!PARTITIONED || MODEL_NI == 0 || MODEL_NC == 0) {
        return false;
    }
    const Partition before = self->state.partition;
    evaluate_jacobian(self, &self->state.at);
    const Qualities found = judge_partitions(self);
    if (found.best > 0.0) {
        leave_present(self, &found, least);
    }
    return memcmp(&before, &self->state.partition, sizeof before) != 0;
}

bool leave_weak_partition(Instance *self)
{
    return leave_accepted(self, POOR);
}

bool leave_failing_partition(Instance *self)
{
    return leave_accepted(self, LEAVE_BELOW);
}

/* From coordinates that no generated set belongs to: the first set that is good again. */
static bool return_to_set(State *state, const Qualities *found)
{
    for (int set = 0; set < MODEL_NSETS; set++) {
        if (found->of_set[set] >= RETURN_ABOVE * state->set_quality[set]) {
            use_set(&state->partition, set);
            return true;
        }
    }
    return false;
}

static void review(Instance *self)
{
    State *const state = &self->state;
    evaluate_jacobian(self, &state->at);
    if (!PARTITIONED || MODEL_NI == 0 || MODEL_NC == 0) {
        return;
    }
    const Qualities found = judge_partitions(self);
    if (found.best < SINGULAR_BELOW) {
        return; /* no partition is better than another */
    }
    for (int set = 0; set < MODEL_NSETS; set++) {
        state->set_quality[set] = fmax(state->set_quality[set], fmin(found.of_set[set], 1.0));
    }
    if (state->partition.set < 0 && return_to_set(state, &found)) {
        return;
    }
    if (found.present < leave_below(state, &found)) {
        leave_present(self, &found, POOR);
    }
}

/* The pivots at the accepted point count as met; returns whether one has changed enough for a review. */
static bool note_pivots(State *state)
{
    const int count = state->partition.set < 0 ? 0 : MODEL_NPIVOTS;
    bool changed = false;
    for (int i = 0; i < count; i++) {
        const double pivot = state->at.pivots[i], reviewed = state->reviewed_pivots[i];
        double *const largest = &state->largest_pivots[state->partition.set][i];
        changed = changed || pivot < FALLEN * reviewed ||
                  (pivot > RISEN * reviewed && pivot > NEAR_LARGEST * *largest);
        *largest = larger(*largest, pivot);
    }
    return changed;
}

void review_partition(Instance *self)
{
    State *const state = &self->state;
    const bool embedded = state->at.verdict != MOTION_UNKNOWN;
    const bool changed = embedded && note_pivots(state);
    if (state->at.verdict == MOTION_EASY && !changed) {
        return;
    }
    const int set = state->partition.set;
    review(self);
    if (embedded && state->partition.set == set) {
        memcpy(state->reviewed_pivots, state->at.pivots, sizeof state->reviewed_pivots);
    } else {
        memset(state->reviewed_pivots, 0, sizeof state->reviewed_pivots);
    }
}

bool multipliers_are_lost(Instance *self, const Point *point)
{
    if (PARTITIONED || MODEL_NC == 0) {
        return false;
    }
    evaluate_jacobian(self, point);
    return smallest_pivot(self, NULL) < SINGULAR_BELOW;
}

bool start_partition(Instance *self)
{
    State *state = &self->state;
    memset(state->column_scale, 0, sizeof state->column_scale);
    for (int i = 0; i < MODEL_NC; i++) {
        state->row_scale[i] = 1.0; /* a row that vanishes at the start is to be seen, not scaled up */
    }
    use_set(&state->partition, 0);
    evaluate_jacobian(self, &state->at);
    if (smallest_pivot(self, NULL) < SINGULAR_START) {
        return false;
    }
    memset(state->row_scale, 0, sizeof state->row_scale);
    for (int set = 0; set < MODEL_NSETS; set++) {
        state->set_quality[set] = POOR;
    }
    review(self);
    return true;
}

double partition_margin(Instance *self, const Point *point)
{
    const ModelPoint at = seen_by_model(&self->state, point);
    model_jacobian(&at, self->work.phi_q);
    const Qualities found = judge_partitions(self);
    if (found.best < SINGULAR_BELOW) {
        return 1.0; /* no partition is better than another */
    }
    return found.present - leave_below(&self->state, &found);
}
