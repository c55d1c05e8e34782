#include "implicit.h"

#include "derivative.h"
#include "linear.h"
#include "motion.h"

/* W = 1/(h gamma) - J, factored. */
static bool factor_step_matrix(Instance *self, double diagonal)
{
    Work *work = &self->work;
    for (int i = 0; i < ODE_STATES * ODE_STATES; i++) {
        work->implicit[i] = -work->ode_jacobian[i];
    }
    for (int i = 0; i < ODE_STATES; i++) {
        work->implicit[i * ODE_STATES + i] += diagonal;
    }
    return lu_factor(ODE_STATES, work->implicit, work->ode_pivot, work->ode_scale) < 0;
}

/* work->stage = y + sum(weights[j] * k[j]) */
static void combine_stages(Work *work, int count, const double *weights)
{
    for (int i = 0; i < ODE_STATES; i++) {
        work->stage[i] = work->y[i];
        for (int j = 0; j < count; j++) {
            work->stage[i] += weights[j] * work->k[j][i];
        }
    }
}

bool implicit_step(Instance *self, double t_new)
{
    static const double gamma = 0.5;
    static const double weights[4][4] = {{0.0}, {0.0}, {2.0, 0.0}, {2.0, 0.0, 1.0}};
    static const double couplings[4][3] = {{0.0}, {4.0}, {1.0, -1.0}, {1.0, -1.0, -8.0 / 3.0}};
    static const double drifts[4] = {0.5, 1.5, 0.0, 0.0};
    static const double solution[4] = {2.0, 0.0, 1.0, 1.0};
    Work *work = &self->work;
    const double h = t_new - self->state.at.t;
    double slope[MODEL_ROOM(ODE_STATES)];
    if (!ode_derivatives_at_accepted(self) || !factor_step_matrix(self, 1.0 / (h * gamma))) {
        return fail(self, FAILURE_ACCURACY, self->state.at.t, -1);
    }
    ode_derivative(&self->state, &self->state.at, slope);
    for (int stage = 0; stage < 4; stage++) {
        if (stage >= 2) { /* the second stage is evaluated where the first one is */
            combine_stages(work, stage, weights[stage]);
            if (!evaluate_motion(self, t_new, work->stage, &work->trial)) {
                return false;
            }
            ode_derivative(&self->state, &work->trial, slope);
        }
        for (int i = 0; i < ODE_STATES; i++) {
            double sum = slope[i] + h * drifts[stage] * work->ode_by_time[i];
            for (int j = 0; j < stage; j++) {
                sum += couplings[stage][j] / h * work->k[j][i];
            }
            work->k[stage][i] = sum;
        }
        lu_solve(ODE_STATES, work->implicit, work->ode_pivot, work->k[stage]);
    }
    combine_stages(work, 4, solution);
    return evaluate_motion(self, t_new, work->stage, &work->trial);
}
