/* Checks of inputs that prescribe a motion.
 *
 * Their rates are inputs of their own. An environment that sets the position alone would get velocities and
 * accelerations without it, and would not notice that they are wrong. */
#ifndef TOLD_H
#define TOLD_H

#include "instance.h"

/* Accept the present inputs without a check, at the end of the initialization. */
void begin_told(State *state);

/* An error if an input that prescribes a motion has changed since it was last set without matching rates. The
 * present inputs count as last set from here on. */
Status check_told(Instance *self, double t);

#endif
