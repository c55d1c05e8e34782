#include "partition.h"

#include <math.h>
#include <string.h>

#include "attitude.h"
#include "linear.h"
#include "scales.h"
#include "solvers.h"
#include "sparse.h"

/* The quality of a partition is its smallest pivot relative to that of the best partition. Near a dead centre
 * the accelerations are steep functions of the independent coordinates. Steps of fixed size follow them
 * badly, adaptive ones only with many steps. Such coordinates are therefore left many steps before the dead
 * centre. The threshold is relative to the best quality of a generated set on the declared motion. Two
 * thresholds keep the choice from oscillating. */
#define LEAVE_BELOW 0.3
#define RETURN_ABOVE 0.5
#define CLEARLY_BETTER 1.5

/* A generated set with less quality than this is poor. */
#define POOR 0.2

/* Steps that are chosen by a tolerance keep it close to a dead centre, too. There, a generated set whose exact
 * steps hold is left for iteration only below this quality; steps of fixed size lose accuracy. */
#define ITERATE_BELOW 0.02

/* Attitudes stay whole if this keeps at least this share of the smallest pivot. */
#define KEEP_WHOLE 0.5

/* While the embedded equations of motion are well conditioned, a review waits until one of their pivots has
 * fallen to this share of its value at the last review: early where another set may be better, late where
 * only coordinates closed by iteration remain. A review also follows when the pivot has risen close to the
 * largest one met, where a set may have become better. */
#define FALLEN (MODEL_NSETS > 1 ? 0.95 : 0.5)
#define RISEN 1.25
#define NEAR_LARGEST 0.8

/* A start with a smaller pivot than this is a singular position. */
#define SINGULAR_START 1e-7

/* Closer than this to a singular position, multipliers are dominated by rounding. Penalties act on a
 * constraint with its squared pivot and fail earlier. */
#define SINGULAR_PARTITION (MODEL_CLOSURE == CLOSURE_PENALTY ? 1e-3 : 1e-5)

/* Whether there is a choice: the fourth components of whole attitudes are equivalent. */
#define HAS_CHOICE (PARTITIONED && MODEL_NI > 0 && MODEL_NC > MODEL_NATT)

static void evaluate_jacobian(Instance *self, const Point *point)
{
    const ModelPoint at = model_point(&self->state, point);
    model_jacobian(&at, self->work.phi_q);
}

/* --- pivots ----------------------------------------------------------------------------------- */

/* Leave out the rows of attitudes of which one component is among the given columns, or, of all columns, every
 * attitude: its components are known. Returns how many. */
static int leave_out_attitudes(Work *work, const int *columns, bool *left_out)
{
    int count = 0;
    memset(left_out, 0, MODEL_NC * sizeof *left_out);
    for (int k = 0; k < MODEL_NATT; k++) {
        const int *const components = model_attitudes[k].components;
        int taken = 0;
        for (int i = 0; i < 4; i++) {
            taken += work->taken[components[i]];
        }
        if (!columns || taken == 1) {
            for (int i = 0; i < 4; i++) {
                work->taken[components[i]] = false;
            }
            left_out[model_attitudes[k].row] = true;
            count++;
        }
    }
    return count;
}

/* Smallest pivot of the constraints over the given columns, rows and columns scaled. Over all columns if NULL:
 * then those of attitudes that are to be `whole` are left out, and work->columns has the order of the others. */
static double smallest_pivot(Instance *self, const int *columns, bool whole)
{
    const State *const state = &self->state;
    Work *const work = &self->work;
    bool left_out[MODEL_ROOM(MODEL_NC)];
    memset(left_out, 0, sizeof left_out);
    for (int j = 0; j < MODEL_NQ; j++) {
        work->taken[j] = !columns;
    }
    for (int k = 0; columns && k < MODEL_NC; k++) {
        work->taken[columns[k]] = true;
    }
    const int without = whole ? leave_out_attitudes(work, columns, left_out) : 0;
    if (without == MODEL_NC) {
        return 1.0;
    }
    int row = 0;
    for (int i = 0; i < MODEL_NC; i++) {
        int end = row * MODEL_NQ;
        for (int k = model_row_begin[i]; k < model_row_begin[i + 1]; k++) {
            const int j = model_row_columns[k];
            const double scale = state->column_scale[j] * state->row_scale[i];
            if (scale > 0.0 && work->taken[j]) {
                work->scaled[end] = work->phi_q[i * MODEL_NQ + j] / scale;
                work->scaled_column[end++] = j;
            }
        }
        work->scaled_count[row] = end - row * MODEL_NQ;
        row += !left_out[i];
    }
    const SparseRows scaled = {row,           MODEL_NQ,         work->scaled, work->scaled_column, work->scaled_count,
                               work->largest, work->largest_at, work->rows,   work->row_count,     work->place};
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

/* --- partitions --------------------------------------------------------------------------------- */

/* Attitudes with three independent components are whole. */
static void find_whole(Partition *partition)
{
    memset(partition->carried, 0, MODEL_NC * sizeof *partition->carried);
    for (int k = 0; k < MODEL_NATT; k++) {
        int count = 0, fourth = -1, places[4];
        for (int i = 0; i < 4; i++) {
            const int component = model_attitudes[k].components[i];
            const int place = by_index(partition->independent, MODEL_NI, component);
            if (place < MODEL_NI) {
                places[count++] = place;
            } else {
                fourth = component;
            }
        }
        partition->fourth[k] = count == 3 ? fourth : -1;
        for (int axis = 0; axis < 3; axis++) {
            partition->spin[k][axis] = count == 3 ? places[axis] : -1;
        }
        if (count == 3) {
            partition->carried[by_index(partition->dependent, MODEL_NC, fourth)] = true;
        }
    }
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
    find_whole(partition);
}

/* Whether the same coordinates are dependent, whichever component of a whole attitude is its fourth. */
static bool is_same(const Partition *one, const Partition *other)
{
    for (int i = 0; i < MODEL_NC; i++) {
        if (!one->carried[i] && by_index(other->dependent, MODEL_NC, one->dependent[i]) == MODEL_NC) {
            return false;
        }
    }
    for (int k = 0; k < MODEL_NATT; k++) {
        if ((one->fourth[k] < 0) != (other->fourth[k] < 0)) {
            return false;
        }
    }
    return true;
}

/* The first MODEL_NC of `columns` become dependent; both lists are kept in ascending order, so that
 * the result does not depend on the order of elimination. */
static void use_columns(Partition *partition, const int *columns, Partition *generated)
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
    find_whole(partition);
    for (int set = 0; set < MODEL_NSETS && partition->set < 0; set++) {
        use_set(generated, set);
        if (is_same(partition, generated)) {
            copy_partition(partition, generated);
        }
    }
}

/* The smallest pivot of the best conditioned partition, whose dependent coordinates are left in work->columns. */
static double best_columns(Instance *self)
{
    Work *const work = &self->work;
    const double broken = smallest_pivot(self, NULL, false);
    if (MODEL_NATT == 0) {
        return broken;
    }
    int columns[MODEL_ROOM(MODEL_NC)];
    memcpy(columns, work->columns, sizeof columns);
    const double whole = smallest_pivot(self, NULL, true);
    if (!(whole >= KEEP_WHOLE * broken)) {
        memcpy(work->columns, columns, sizeof columns);
        return broken;
    }
    for (int k = 0; k < MODEL_NATT; k++) {
        work->columns[MODEL_NC - 1 - k] = model_attitudes[k].components[3];
    }
    return whole;
}

/* Take the columns of the best conditioned partition. */
static void use_best_columns(Instance *self)
{
    best_columns(self);
    use_columns(&self->state.partition, self->work.columns, &self->work.generated);
}

/* Qualities at a point whose constraint derivatives are known: of the sets, and of the present partition. */
typedef struct {
    double best; /* the smallest pivot of the best partition, which all are relative to */
    double *of_set;
    double present;
    int other; /* the best of the sets that are not the present one; -1: there is none */
} Qualities;

/* The quality of the present partition; those of the other sets are not known yet. */
static Qualities judge_present(Instance *self)
{
    Qualities found = {best_columns(self), self->work.qualities, 0.0, -1};
    set_zero(found.of_set, MODEL_NSETS);
    if (!(found.best < SINGULAR_PARTITION)) {
        found.present = smallest_pivot(self, self->state.partition.dependent, true) / found.best;
    }
    return found;
}

static void judge_sets(Instance *self, Qualities *found)
{
    for (int set = 0; set < MODEL_NSETS && !(found->best < SINGULAR_PARTITION); set++) {
        if (set == self->state.partition.set) {
            found->of_set[set] = found->present;
            continue;
        }
        found->of_set[set] = smallest_pivot(self, model_sets[set].dependent, true) / found->best;
        if (found->other < 0 || found->of_set[set] > found->of_set[found->other]) {
            found->other = set;
        }
    }
}

static Qualities judge_partitions(Instance *self)
{
    Qualities found = judge_present(self);
    judge_sets(self, &found);
    return found;
}

/* Whether the present set has exact steps for all its loops, their guards held, and steps are adaptive. */
static bool stays_exact(const State *state)
{
    const ModelSet *const set = state->partition.set < 0 ? NULL : &model_sets[state->partition.set];
    const bool adaptive = state->interface == CO_SIMULATION && is_adaptive(state);
    bool exact = BY_BLOCKS && set && adaptive && !state->at.failed_steps;
    for (int i = 0; exact && i < set->size; i++) {
        exact = set->blocks[i].solve != NULL;
    }
    return exact;
}

/* The least quality of a set to change to. A present set with less is left for the best coordinates. */
static double least_quality(const State *state)
{
    return stays_exact(state) ? ITERATE_BELOW : POOR;
}

/* The quality below which the present partition is left. If it is one of several sets chosen for the whole
 * motion, it is left only for a clearly better set, or where all of them are poor. If it stays exact, it is
 * left for iteration only close to a dead centre. */
static double leave_below(const State *state, const Qualities *found)
{
    const int set = state->partition.set;
    if (set < 0) {
        return LEAVE_BELOW;
    }
    const double weak = LEAVE_BELOW * model_sets[set].quality, least = least_quality(state);
    if (found->other < 0) {
        return stays_exact(state) ? fmin(weak, least) : weak;
    }
    const double other = found->of_set[found->other];
    return fmin(weak, fmax(other >= POOR ? POOR : least, other / CLEARLY_BETTER));
}

/* Change to another set. If that has less than the least quality, change to the best coordinates, from which
 * loops are closed by iteration. */
static void leave_present(Instance *self, const Qualities *found, double least)
{
    Partition *const partition = &self->state.partition;
    const double other = found->other < 0 ? 0.0 : found->of_set[found->other];
    if (partition->set >= 0 && other >= least && other > found->present) {
        use_set(partition, found->other);
    } else if (!NEVER_ITERATES) {
        use_best_columns(self);
    }
}

static bool leave_accepted(Instance *self, double least)
{
    if (!HAS_CHOICE) {
        return false;
    }
    Partition *const before = &self->work.before_search;
    copy_partition(before, &self->state.partition);
    evaluate_jacobian(self, &self->state.at);
    const Qualities found = judge_partitions(self);
    if (found.best > 0.0) {
        leave_present(self, &found, least);
    }
    return !same_partition(before, &self->state.partition);
}

bool leave_weak_partition(Instance *self)
{
    return leave_accepted(self, least_quality(&self->state));
}

bool leave_failing_partition(Instance *self)
{
    return leave_accepted(self, LEAVE_BELOW);
}

/* The first of `count` sets that is good again. It is needed where the coordinates belong to no generated
 * set, or where the exact steps of a set fail. A set with failing steps returns only to sets before it, and
 * these are left for it only where they are weak: the choice does not oscillate. */
static bool return_to_set(State *state, const Qualities *found, int count)
{
    for (int set = 0; set < count; set++) {
        if (found->of_set[set] >= RETURN_ABOVE * model_sets[set].quality) {
            use_set(&state->partition, set);
            return true;
        }
    }
    return false;
}

static void review(Instance *self)
{
    State *const state = &self->state;
    if (!HAS_CHOICE) {
        return;
    }
    evaluate_jacobian(self, &state->at);
    Qualities found = judge_present(self);
    if (found.best < SINGULAR_PARTITION) {
        return; /* no partition is better than another */
    }
    const int set = state->partition.set, before = set < 0 ? MODEL_NSETS : state->at.failed_steps ? set : 0;
    if (set >= 0 && before == 0 && found.present >= LEAVE_BELOW * model_sets[set].quality) {
        return; /* it is left for no other set, however good */
    }
    judge_sets(self, &found);
    if (return_to_set(state, &found, before)) {
        return;
    }
    if (found.present < leave_below(state, &found)) {
        leave_present(self, &found, least_quality(state));
    }
}

/* Record the pivots at the accepted point; returns whether one has changed enough for a review. */
static bool note_pivots(State *state)
{
    const int count = state->partition.set < 0 ? 0 : MODEL_NPIVOTS;
    bool changed = false;
    for (int i = 0; i < count; i++) {
        const double pivot = state->at.pivots[i], reviewed = state->reviewed_pivots[i];
        double *const largest = &largest_pivots_of(state, state->partition.set)[i];
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
    const bool returning = state->partition.set > 0 && state->at.failed_steps;
    if (state->at.verdict == MOTION_GOOD && !changed && !returning) {
        return;
    }
    const int set = state->partition.set;
    review(self);
    if (embedded && state->partition.set == set) {
        memcpy(state->reviewed_pivots, state->at.pivots, MODEL_NPIVOTS * sizeof(double));
    } else {
        set_zero(state->reviewed_pivots, MODEL_NPIVOTS);
    }
}

bool multipliers_are_lost(Instance *self, const Point *point)
{
    if (PARTITIONED || MODEL_NC == 0) {
        return false;
    }
    evaluate_jacobian(self, point);
    return smallest_pivot(self, NULL, false) < SINGULAR_PARTITION;
}

bool start_partition(Instance *self)
{
    State *state = &self->state;
    scale_constraints(self, &state->at);
    use_set(&state->partition, 0);
    evaluate_jacobian(self, &state->at);
    if (MODEL_NC > 0 && best_columns(self) < SINGULAR_START) {
        return false;
    }
    review(self);
    return true;
}

double partition_margin(Instance *self, const Point *point)
{
    const ModelPoint at = model_point(&self->state, point);
    model_jacobian(&at, self->work.phi_q);
    const Qualities found = judge_partitions(self);
    if (found.best < SINGULAR_PARTITION) {
        return 1.0; /* no partition is better than another */
    }
    return found.present - leave_below(&self->state, &found);
}
