#include "partials.h"

#include <math.h>
#include <string.h>

#include "derivative.h"

/* The relative displacement for finite differences. */
#define SHARE_OF_DIFFERENCE 1e-3

/* The derivatives of all partials at a point. */
static bool slopes_at(Instance *self, const Point *point, double *slopes)
{
    if (!factor_at(self, point)) {
        return false;
    }
    const double *change = self->work.formula_change;
    for (int k = 0; k < MODEL_NPART; k++) {
        const ModelPartial *partial = &model_partials[k];
        if (k == 0 || partial->input != model_partials[k - 1].input) {
            follow_input(self, point, partial->input);
        }
        slopes[k] = change[partial->formula];
    }
    return true;
}

bool take_partials(Instance *self, const Point *point, double *y)
{
    double slopes[MODEL_ROOM(MODEL_NPART)];
    if (MODEL_NPART == 0) {
        return true;
    }
    if (!slopes_at(self, point, slopes)) {
        return false;
    }
    for (int k = 0; k < MODEL_NPART; k++) {
        const ModelPartial *partial = &model_partials[k];
        double *value = y + partial->output;
        *value = partial->subtract ? *value - slopes[k] * point->u[partial->input] : slopes[k];
    }
    return true;
}

/* --- along a direction ------------------------------------------------------------------------ */

static void widen(double *largest, int n, const double *change, const double *value, double least)
{
    for (int i = 0; i < n; i++) {
        const double size = fabs(value[i]) + least;
        *largest = fmax(*largest, fabs(change[i]) / (size > 0.0 ? size : 1.0));
    }
}

/* The displacement along the direction. Accelerations and multipliers are solved for afterwards. */
static double difference_step(const State *state, const Point *point, const Direction *along)
{
    double largest = 0.0;
    widen(&largest, 1, &along->t, &point->t, 1.0);
    widen(&largest, MODEL_NP, along->p, state->reals + MODEL_P0, 0.0); /* lengths, masses: never through zero */
    widen(&largest, MODEL_NU, along->u, point->u, 1.0);
    widen(&largest, MODEL_NQ, along->q, point->q, 1.0);
    widen(&largest, MODEL_NQ, along->v, point->v, 1.0);
    widen(&largest, MODEL_NX, along->x, point->x, 1.0);
    widen(&largest, MODEL_NZ, along->z, point->z, 1.0);
    return largest > 0.0 ? SHARE_OF_DIFFERENCE / largest : 0.0;
}

static void move(int n, double *value, const double *change, double way)
{
    for (int i = 0; i < n; i++) {
        value[i] += way * change[i];
    }
}

/* The displaced point satisfies all equations to first order in the displacement, which is enough. */
static bool slopes_beside(Instance *self, const Point *point, const Direction *along, double way,
                          double *slopes)
{
    State *state = &self->state;
    double parameters[MODEL_ROOM(MODEL_NP)], derived[MODEL_ROOM(MODEL_ND)];
    memcpy(parameters, state->reals + MODEL_P0, MODEL_NP * sizeof *parameters);
    memcpy(derived, state->derived, sizeof derived);
    Point *const beside = &self->work.beside;
    copy_point(beside, point);
    beside->t += way * along->t;
    move(MODEL_NU, beside->u, along->u, way);
    move(MODEL_NQ, beside->q, along->q, way);
    move(MODEL_NQ, beside->v, along->v, way);
    move(MODEL_NQ, beside->a, along->a, way);
    move(MODEL_NC, beside->l, along->l, way);
    move(MODEL_NX, beside->x, along->x, way);
    move(MODEL_NZ, beside->z, along->z, way);
    move(MODEL_NP, state->reals + MODEL_P0, along->p, way);
    model_derive(state->reals + MODEL_P0, state->derived);
    const bool found = slopes_at(self, beside, slopes);
    memcpy(state->reals + MODEL_P0, parameters, MODEL_NP * sizeof *parameters);
    memcpy(state->derived, derived, sizeof derived);
    return found;
}

bool change_partials(Instance *self, const Point *point, const Direction *along, double *change)
{
    static const double ways[4] = {-2.0, -1.0, 1.0, 2.0};
    static const double weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    double slopes[MODEL_ROOM(MODEL_NPART)], slope_change[MODEL_ROOM(MODEL_NPART)];
    if (MODEL_NPART == 0) {
        return true;
    }
    set_zero(slope_change, MODEL_NPART);
    const double step = difference_step(&self->state, point, along);
    for (int i = 0; i < 4 && step > 0.0; i++) {
        if (!slopes_beside(self, point, along, ways[i] * step, slopes)) {
            return false;
        }
        move(MODEL_NPART, slope_change, slopes, weights[i] / step);
    }
    if (!slopes_at(self, point, slopes)) { /* which leaves the matrices of the point behind */
        return false;
    }
    for (int k = 0; k < MODEL_NPART; k++) {
        const ModelPartial *partial = &model_partials[k];
        double *value = change + partial->output;
        if (partial->subtract) {
            *value -= slope_change[k] * point->u[partial->input] + slopes[k] * along->u[partial->input];
        } else {
            *value = slope_change[k];
        }
    }
    return true;
}
