/* What the environment tells of inputs that prescribe a motion.
 *
 * Their rates are inputs of their own. An environment that sets the position alone would have velocities and
 * accelerations without it, and no way to see that they are wrong. */
#ifndef TOLD_H
#define TOLD_H

#include "instance.h"

/* What the inputs are now needs no rate to explain it: at the end of the initialization. */
void begin_told(State *state);

/* An error, if an input that prescribes a motion has changed since it was last told, and its rates have not said
 * so. What the inputs are now is what they were told last from here on. */
Status check_told(Instance *self, double t);

#endif
