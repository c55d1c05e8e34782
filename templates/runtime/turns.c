#include "turns.h"

#include <math.h>
#include <string.h>

#include "circular.h"

/* In one step an angle may differ from the prediction by its rates by a quarter turn. */
#define MOST_MISSED (0.25 * CIRCULAR_TURN)

typedef struct {
    double *angle, *rate, *second;
} Turning;

#define TURNING_ROOM (3 * MODEL_ROOM(MODEL_NCOUNTED))

static Turning turning_in(double *room)
{
    const Turning turning = {room, room + MODEL_NCOUNTED, room + 2 * MODEL_NCOUNTED};
    return turning;
}

static void evaluate_turning(const State *state, const Point *point, const Turning *turning)
{
    const ModelPoint at = model_point(state, point);
    model_angles(&at, turning->angle, turning->rate, turning->second);
    for (int i = 0; i < MODEL_NJUMP; i++) {
        turning->angle[i] += whole_turns(turning->angle[i], point->g[i]);
        if (!isfinite(turning->rate[i]) || !isfinite(turning->second[i])) { /* where the angle has no value */
            turning->rate[i] = turning->second[i] = 0.0;
        }
    }
}

static void remember(State *state, const Turning *turning)
{
    for (int i = 0; i < MODEL_NJUMP; i++) {
        state->turned[i] = state->at.g[i] = turning->angle[i];
        state->turn_rate[i] = turning->rate[i];
        state->turn_second[i] = turning->second[i];
    }
}

void guess_turns(const ModelPoint *at, double *g)
{
    if (MODEL_NCOUNTED > 0) {
        double room[TURNING_ROOM];
        const Turning turning = turning_in(room);
        model_angles(at, turning.angle, turning.rate, turning.second);
        model_start_angles(at, g);
        for (int i = MODEL_NJUMP; i < MODEL_NCOUNTED; i++) {
            g[i] = whole_turns(turning.angle[i], g[i]);
        }
    }
}

void start_turns(State *state)
{
    if (MODEL_NCOUNTED > 0) {
        const ModelPoint at = model_point(state, &state->at);
        guess_turns(&at, state->at.g);
        memcpy(state->turned, state->at.g, MODEL_NCOUNTED * sizeof *state->turned);
        count_turns(state);
    }
}

void expect_turns(const State *state, Point *point)
{
    const double dt = point->t - state->at.t;
    for (int i = 0; i < MODEL_NCOUNTED; i++) {
        point->g[i] = state->turned[i] + dt * (state->turn_rate[i] + 0.5 * dt * state->turn_second[i]);
    }
}

bool turns_are_sure(Instance *self)
{
    const State *state = &self->state;
    if (MODEL_NJUMP > 0) {
        double room[TURNING_ROOM];
        const Turning end = turning_in(room);
        const double h = self->work.trial.t - state->at.t;
        evaluate_turning(state, &self->work.trial, &end);
        for (int i = 0; i < MODEL_NJUMP; i++) { /* the corrected trapezoidal rule */
            const double expected = h * (state->turn_rate[i] + end.rate[i]) / 2.0 -
                                    h * h * (end.second[i] - state->turn_second[i]) / 12.0;
            if (!(fabs(end.angle[i] - state->turned[i] - expected) <= MOST_MISSED)) {
                return fail(self, FAILURE_TURNS, self->work.trial.t, i);
            }
        }
    }
    return true;
}

void count_turns(State *state)
{
    if (MODEL_NJUMP > 0) {
        double room[TURNING_ROOM];
        const Turning turning = turning_in(room);
        evaluate_turning(state, &state->at, &turning);
        remember(state, &turning);
    }
}
