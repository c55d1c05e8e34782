/* What the FMU says: one sentence per message, with the time and the name of the part concerned. */
#ifndef REPORT_H
#define REPORT_H

#include "instance.h"

/* Send a sentence to the logger of the environment; returns fmi2Error, for `return error(...)`.
 * Errors are always sent. */
fmi2Status error(Instance *self, const char *format, ...);

/* Events are sent if debug logging is on. */
void event(Instance *self, const char *format, ...);

/* The sentence for self->failure. */
fmi2Status report_failure(Instance *self);

#endif
