#include "relations.h"

#include <math.h>
#include <string.h>

#include "partition.h"

/* Tolerance for an event time, which environments reach up to rounding. */
#define CLOCK_ROUNDING 1e-13
#define DEAD_BAND 1e-10

static double sign(double x)
{
    return (double)((x > 0.0) - (x < 0.0));
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

/* The sign of a relation that is zero at its event. During initialization it is the sign at that instant;
 * afterwards it is the sign just after the event. */
static double line_sign(const State *state, double value, double slope, double t)
{
    if (slope == 0.0) {
        return sign(value);
    }
    const double event = -value / slope;
    const bool starting = state->mode & (MODE_INSTANTIATED | MODE_INITIALIZING);
    if (starting && is_reached(event, t) && is_reached(t, event)) {
        return 0.0;
    }
    return is_reached(event, t) ? sign(slope) : -sign(slope);
}

static bool take_time_signs(Instance *self, const ModelPoint *at)
{
    double values[MODEL_ROOM(MODEL_TIME_EVENTS)], slopes[MODEL_ROOM(MODEL_TIME_EVENTS)];
    bool changed = false;
    model_time_relations(at, values, slopes);
    for (int k = 0; k < MODEL_TIME_EVENTS; k++) {
        const double found = line_sign(&self->state, values[k], slopes[k], at->time);
        changed = take_sign(&self->state, k, found) || changed;
    }
    return changed;
}

double next_time_event(Instance *self, double t)
{
    double values[MODEL_ROOM(MODEL_TIME_EVENTS)], slopes[MODEL_ROOM(MODEL_TIME_EVENTS)], next = INFINITY;
    const ModelPoint at = model_point(&self->state, &self->state.at);
    model_time_relations(&at, values, slopes);
    for (int k = 0; k < MODEL_TIME_EVENTS; k++) {
        const double event = slopes[k] != 0.0 ? -values[k] / slopes[k] : INFINITY;
        if (!is_reached(event, t)) {
            next = fmin(next, event);
        }
    }
    return next;
}

void begin_switching(Instance *self)
{
    memset(self->work.switched, 0, MODEL_NE * sizeof *self->work.switched);
}

/* Take the sign of a watched relation; inside its dead band it switches only once per instant. */
static bool switch_relation(Instance *self, int k, double value)
{
    bool *switched = &self->work.switched[k];
    const bool changed =
        !(*switched && fabs(value) < DEAD_BAND) && take_sign(&self->state, k, sign(value));
    *switched = *switched || changed;
    return changed;
}

bool take_signs(Instance *self, const ModelPoint *at)
{
    bool changed = take_time_signs(self, at);
    bool again = MODEL_NE > MODEL_TIME_EVENTS;
    for (int pass = 0; pass <= MODEL_NE && again; pass++) { /* a relation may depend on another one */
        again = false;
        model_relations(at, self->work.relations);
        for (int k = MODEL_TIME_EVENTS; k < MODEL_NE; k++) {
            again = switch_relation(self, k, self->work.relations[k - MODEL_TIME_EVENTS]) || again;
        }
        changed = changed || again;
    }
    return changed;
}

bool update_relations(Instance *self, const Point *point)
{
    const ModelPoint at = model_point(&self->state, point);
    return take_signs(self, &at);
}

void event_indicators(Instance *self, const Point *point, double *indicators)
{
    if (MODEL_NE > MODEL_TIME_EVENTS) {
        const ModelPoint at = model_point(&self->state, point);
        model_relations(&at, indicators);
    }
    for (int k = MODEL_TIME_EVENTS; k < MODEL_NE; k++) {
        indicators[k - MODEL_TIME_EVENTS] += DEAD_BAND * self->state.r[k];
    }
    if (HAS_PARTITION_INDICATOR) {
        indicators[MODEL_NW - 1] = partition_margin(self, point);
    }
}

double relation_excess(Instance *self, const Point *point)
{
    double excess = -INFINITY;
    if (MODEL_NE > MODEL_TIME_EVENTS) {
        const ModelPoint at = model_point(&self->state, point);
        model_relations(&at, self->work.relations);
    }
    for (int k = MODEL_TIME_EVENTS; k < MODEL_NE; k++) {
        const double value = self->work.relations[k - MODEL_TIME_EVENTS], held = self->state.r[k];
        excess = fmax(excess, held != 0.0 ? -held * value : fabs(value));
    }
    return excess;
}
