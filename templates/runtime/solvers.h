/* Explicit Euler, the classical Runge-Kutta method and Dormand-Prince 5(4). */
#ifndef SOLVERS_H
#define SOLVERS_H

#include "instance.h"

/* Advance the accepted point to exactly `end`. False: see self->failure; the accepted point is then the
 * last one that was reached. */
bool advance(Instance *self, double end);

#endif
