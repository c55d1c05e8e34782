#include "relations.h"

#include <math.h>
#include <string.h>

#include "partition.h"

/* Environments reach an event time up to rounding. */
#define CLOCK_ROUNDING 1e-13
#define DEAD_BAND 1e-10

static double sign(double x)
{
    return (double)((x > 0.0) - (x < 0.0));
}

/* Values at time zero and slopes of the relations with known times. */
static void evaluate_lines(Instance *self, double *values, double *slopes)
{
    const ModelPoint at = seen_by_model(&self->state, &self->state.at);
    model_time_relations(&at, values, slopes);
}

static bool is_reached(double event, double t)
{
    return t >= event - CLOCK_ROUNDING * (1.0 + fabs(event));
}

static bool take_sign(State *state, int k, double value)
{
    const bool changed = state->r[k] != value;
    state->r[k] = value;
    return changed;
}

bool update_time_relations(Instance *self, double t)
{
    double values[MODEL_ROOM(MODEL_NET)], slopes[MODEL_ROOM(MODEL_NET)];
    bool changed = false;
    evaluate_lines(self, values, slopes);
    for (int k = 0; k < MODEL_NET; k++) {
        const double before = slopes[k] != 0.0 ? -sign(slopes[k]) : sign(values[k]);
        const bool passed = slopes[k] != 0.0 && is_reached(-values[k] / slopes[k], t);
        changed = take_sign(&self->state, k, passed ? -before : before) || changed;
    }
    return changed;
}

double next_time_event(Instance *self, double t)
{
    double values[MODEL_ROOM(MODEL_NET)], slopes[MODEL_ROOM(MODEL_NET)], next = INFINITY;
    evaluate_lines(self, values, slopes);
    for (int k = 0; k < MODEL_NET; k++) {
        const double event = slopes[k] != 0.0 ? -values[k] / slopes[k] : INFINITY;
        if (!is_reached(event, t)) {
            next = fmin(next, event);
        }
    }
    return next;
}

void begin_switching(Instance *self)
{
    memset(self->work.switched, 0, sizeof self->work.switched);
}

/* Take the sign of a watched relation; in its dead band it does not turn twice at one instant. */
static bool switch_relation(Instance *self, int k, double value)
{
    bool *switched = &self->work.switched[k];
    const bool changed =
        !(*switched && fabs(value) < DEAD_BAND) && take_sign(&self->state, k, sign(value));
    *switched = *switched || changed;
    return changed;
}

bool update_relations(Instance *self, const Point *point)
{
    bool changed = update_time_relations(self, point->t);
    const ModelPoint at = seen_by_model(&self->state, point);
    bool again = MODEL_NE > MODEL_NET;
    for (int pass = 0; pass <= MODEL_NE && again; pass++) { /* a relation may hang on another one */
        again = false;
        model_relations(&at, self->work.relations);
        for (int k = MODEL_NET; k < MODEL_NE; k++) {
            again = switch_relation(self, k, self->work.relations[k - MODEL_NET]) || again;
        }
        changed = changed || again;
    }
    return changed;
}

void event_indicators(Instance *self, const Point *point, double *indicators)
{
    if (MODEL_NE > MODEL_NET) {
        const ModelPoint at = seen_by_model(&self->state, point);
        model_relations(&at, indicators);
    }
    for (int k = MODEL_NET; k < MODEL_NE; k++) {
        indicators[k - MODEL_NET] += DEAD_BAND * self->state.r[k];
    }
    if (HAS_PARTITION_INDICATOR) {
        indicators[MODEL_NW - 1] = partition_margin(self, point);
    }
}

double relation_excess(Instance *self, const Point *point)
{
    double excess = -INFINITY;
    if (MODEL_NE > MODEL_NET) {
        const ModelPoint at = seen_by_model(&self->state, point);
        model_relations(&at, self->work.relations);
    }
    for (int k = MODEL_NET; k < MODEL_NE; k++) {
        const double value = self->work.relations[k - MODEL_NET], held = self->state.r[k];
        excess = fmax(excess, held != 0.0 ? -held * value : fabs(value));
    }
    return excess;
}
