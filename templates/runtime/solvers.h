/* Explicit Euler, the classical Runge-Kutta method, Dormand-Prince 5(4) and RODAS3. */
#ifndef SOLVERS_H
#define SOLVERS_H

#include "instance.h"

/* Whether the steps of the FMU's own method are chosen by a tolerance. */
bool is_adaptive(const State *state);

/* Advance the accepted point to exactly `end`. False: see self->failure; the accepted point is then the
 * last one that was reached. */
bool advance(Instance *self, double end);

/* Whether work->trial continues the motion of the accepted point in the same assembly mode: it differs from
 * the prediction by velocities and accelerations by no more than this share of its travel. For an importer,
 * which may use Euler's method, the effect of the accelerations during the step and its tolerance are allowed
 * in addition. */
bool is_continuous(Instance *self, double allowed_share, bool by_importer);

/* work->trial becomes the accepted point, and the choice of independent coordinates is reviewed. */
void accept(Instance *self);

#endif
