/* Explicit Euler, the classical Runge-Kutta method, Dormand-Prince 5(4) and RODAS3. */
#ifndef SOLVERS_H
#define SOLVERS_H

#include "instance.h"

/* Advance the accepted point to exactly `end`. False: see self->failure; the accepted point is then the
 * last one that was reached. */
bool advance(Instance *self, double end);

/* Whether work->trial continues the motion of the accepted point, in the same assembly mode: it misses what
 * velocities and accelerations foretell by no more than this share of its travel. A step of an importer, which
 * may be one of Euler's method, misses it by what the accelerations move in its time and by its tolerance, too. */
bool is_continuous(Instance *self, double allowed_share, bool by_importer);

/* work->trial becomes the accepted point, and the choice of independent coordinates is reviewed. */
void accept(Instance *self);

#endif
