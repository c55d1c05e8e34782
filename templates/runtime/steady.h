/* A start at rest: the static equilibrium of a mechanism, together with the network that acts on it. */
#ifndef STEADY_H
#define STEADY_H

#include "instance.h"

/* Whether the start is an equilibrium of coordinates; a network without a mechanism has network.c. */
#define STEADY_MOTION (MODEL_STEADY && MODEL_NQ > 0)

/* Move an assembled point at rest to the equilibrium near it: accelerations and derivatives of states vanish.
 * Loops stay closed and fixed start positions stay. False: see self->failure. */
bool find_equilibrium(Instance *self, Point *point);

#endif
