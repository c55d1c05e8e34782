/* The FMU variables: one array of reals, [parameters][settings][inputs][calculated][diagnostics]. */
#ifndef VARIABLES_H
#define VARIABLES_H

#include "instance.h"

/* Start values, nothing assembled. */
void reset_state(Instance *self);

/* Check that the settings make sense. */
fmi2Status check_settings(Instance *self);

/* Assemble if a parameter has changed since. */
fmi2Status ensure_assembled(Instance *self);

fmi2Status get_reals(Instance *self, const fmi2ValueReference *references, size_t n, fmi2Real *values);

/* All values are set, or none. */
fmi2Status set_reals(Instance *self, const fmi2ValueReference *references, size_t n, const fmi2Real *values);

#endif
