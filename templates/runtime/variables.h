/* The FMU variables: one array of reals, [parameters][settings][inputs]
 * [calculated][states][derivatives][diagnostics]. States have variables of their own where the independent
 * coordinates may change; elsewhere model_state_references refers to calculated variables. */
#ifndef VARIABLES_H
#define VARIABLES_H

#include "instance.h"

/* Start values, nothing assembled. */
void reset_state(Instance *self);

/* Check that the settings make sense. */
Status check_settings(Instance *self);

/* Assemble if a parameter has changed since. */
Status ensure_assembled(Instance *self);

/* Calculate all reals at the present point; a failure is noted. */
bool calculate(Instance *self);

Status get_reals(Instance *self, const Reference *references, size_t n, double *values);

/* The one integer among the settings, an enumeration. */
Status check_integers(Instance *self, const Reference *references, size_t n);

/* All values are set, or none. */
Status set_reals(Instance *self, const Reference *references, size_t n, const double *values);

#endif
