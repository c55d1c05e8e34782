#include "limits.h"

#include "report.h"
#include "variables.h"

double value_at_limit(const Instance *self, int limit)
{
    return self->state.reals[MODEL_Y0 + model_limits[limit].variable];
}

static bool is_beyond(const Instance *self, int limit)
{
    return value_at_limit(self, limit) > model_limits[limit].bound;
}

void check_limits(Instance *self)
{
    State *const state = &self->state;
    if (MODEL_NLIMITS == 0 || !calculate(self)) {
        return; /* whoever reads the values learns why they cannot be calculated */
    }
    for (int k = 0; k < MODEL_NLIMITS; k++) {
        const ModelLimit *const limit = &model_limits[k];
        if (is_beyond(self, k) && !state->warned[k]) {
            state->warned[k] = true;
            warning(self, "t = %.6g s: %s is %.3g, more than %g: %s", state->now.t, limit->name,
                    value_at_limit(self, k), limit->bound, limit->reason);
        }
    }
}

int worst_limit(Instance *self, const Point *point)
{
    State *const state = &self->state;
    const ModelPoint at = model_point(state, point);
    int worst = -1;
    double most = 1.0;
    state->outputs_fresh = false;
    if (MODEL_NLIMITS > 0) {
        model_outputs(&at, state->reals + MODEL_Y0);
    }
    for (int k = 0; k < MODEL_NLIMITS; k++) {
        const double share = value_at_limit(self, k) / model_limits[k].bound;
        if (share > most) {
            worst = k;
            most = share;
        }
    }
    return worst;
}
