/* Measures one closure from inside: compiled into the library of an FMU beside its runtime.
 *
 * A motion is rows of (t, q, v). Every probe follows it row by row, the position found last being the guess
 * for the next, as Uchida's iterative solutions have it. */
#include <math.h>
#include <string.h>

#include "fmi2Functions.h"
#include "instance.h"
#include "linear.h"
#include "loops.h"
#include "motion.h"
#include "relations.h"

#define EXPORTED __attribute__((visibility("default")))
#define ROW (1 + 2 * MODEL_NQ)

EXPORTED int probe_row(void)
{
    return ROW;
}

/* The row of the present point. */
EXPORTED void probe_now(fmi2Component component, double *row)
{
    const Point *at = &((Instance *)component)->state.at;
    row[0] = at->t;
    memcpy(row + 1, at->q, MODEL_NQ * sizeof *at->q);
    memcpy(row + 1 + MODEL_NQ, at->v, MODEL_NQ * sizeof *at->v);
}

/* Let the FMU run and note its motion; returns how many rows were written. */
EXPORTED int probe_record(fmi2Component component, double step, int count, double *motion)
{
    for (int i = 0; i < count; i++) {
        probe_now(component, motion + i * ROW);
        if (fmi2DoStep(component, i * step, step, fmi2True) > fmi2Warning) {
            return i + 1;
        }
    }
    return count;
}

/* The guess for the next row is `q`, standing still. */
static void remember(State *state, double t, const double *q)
{
    state->at.t = t;
    memcpy(state->at.q, q, MODEL_NQ * sizeof *q);
    set_zero(state->at.v, MODEL_NQ);
    set_zero(state->at.a, MODEL_NQ);
    move_anchors(state);
}

static bool find_position(Instance *self, const double *row, Point *point)
{
    point->t = row[0];
    for (int j = 0; j < MODEL_NI; j++) {
        const int k = self->state.partition.independent[j];
        point->q[k] = row[1 + k];
    }
    const ModelPoint at = model_point(&self->state, point);
    if (!close_loops(self, &at, point)) {
        return false;
    }
    remember(&self->state, row[0], point->q);
    return true;
}

/* Positions of the dependent coordinates; returns the iterations of all rows, or -1 where a loop stays open. */
EXPORTED double probe_positions(fmi2Component component, const double *motion, int count)
{
    Instance *self = component;
    Point *point = &self->work.trial;
    double iterations = 0.0;
    remember(&self->state, motion[0], motion + 1);
    for (int i = 0; i < count; i++) {
        if (!find_position(self, motion + i * ROW, point)) {
            return -1.0;
        }
        iterations += point->iterations;
    }
    return iterations;
}

static bool find_motion(Instance *self, const double *row, Point *point)
{
    double y[MODEL_ROOM(ODE_STATES)];
    memcpy(point->q, row + 1, MODEL_NQ * sizeof *row);
    memcpy(point->v, row + 1 + MODEL_NQ, MODEL_NQ * sizeof *row);
    ode_state(&self->state, point, y);
    return evaluate_motion(self, row[0], y, point);
}

/* Positions, velocities, accelerations and multipliers; returns as probe_positions does. */
EXPORTED double probe_motion(fmi2Component component, const double *motion, int count)
{
    Instance *self = component;
    Point *point = &self->work.trial;
    double iterations = 0.0;
    remember(&self->state, motion[0], motion + 1);
    for (int i = 0; i < count; i++) {
        if (!find_motion(self, motion + i * ROW, point)) {
            return -1.0;
        }
        iterations += point->iterations;
        remember(&self->state, motion[i * ROW], point->q);
    }
    return iterations;
}

/* The same of a short motion: from its first row all others are predicted, as stages of a step are. */
EXPORTED double probe_short_motion(fmi2Component component, const double *motion, int count)
{
    Instance *self = component;
    Point *point = &self->work.trial;
    double iterations = 0.0;
    remember(&self->state, motion[0], motion + 1);
    memcpy(self->state.at.v, motion + 1 + MODEL_NQ, MODEL_NQ * sizeof *motion);
    for (int i = 0; i < count; i++) {
        if (!find_motion(self, motion + i * ROW, point)) {
            return -1.0;
        }
        iterations += point->iterations;
    }
    return iterations;
}

/* The largest residual that probe_positions leaves. */
EXPORTED double probe_residual(fmi2Component component, const double *motion, int count)
{
    Instance *self = component;
    Point *point = &self->work.trial;
    double largest = 0.0;
    remember(&self->state, motion[0], motion + 1);
    for (int i = 0; i < count; i++) {
        if (!find_position(self, motion + i * ROW, point)) {
            return -1.0;
        }
        const ModelPoint at = model_point(&self->state, point);
        model_constraints(&at, self->work.residual);
        largest = fmax(largest, max_magnitude(MODEL_NC, self->work.residual));
    }
    return largest;
}

/* By how much each coordinate of a motion differs, at most, from where this closure puts it for the same
 * independent coordinates; returns 0 where a loop stays open. */
EXPORTED int probe_errors(fmi2Component component, const double *motion, int count, double *errors)
{
    Instance *self = component;
    Point *point = &self->work.trial;
    memset(errors, 0, MODEL_NQ * sizeof *errors);
    remember(&self->state, motion[0], motion + 1);
    for (int i = 0; i < count; i++) {
        const double *row = motion + i * ROW;
        point->t = row[0];
        memcpy(point->q, row + 1, sizeof point->q);
        begin_switching(self); /* drivers may switch with time */
        update_relations(self, point);
        if (!find_position(self, row, point)) {
            return 0;
        }
        for (int k = 0; k < MODEL_NQ; k++) {
            errors[k] = fmax(errors[k], fabs(point->q[k] - row[1 + k]));
        }
    }
    return 1;
}
