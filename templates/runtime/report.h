/* Messages of the FMU: one sentence each, with the time and the name of the part concerned. */
#ifndef REPORT_H
#define REPORT_H

#include "instance.h"

/* Send a sentence to the logger of the environment; returns STATUS_ERROR, for `return error(...)`.
 * Errors are always sent. */
Status error(Instance *self, const char *format, ...);

/* Warnings are always sent, too. */
void warning(Instance *self, const char *format, ...);

/* Events are sent if debug logging is on. */
void event(Instance *self, const char *format, ...);

/* The same for a problem that a smaller step of the integrator may solve; returns STATUS_DISCARD. */
Status discard_failure(Instance *self);

/* The sentence for self->failure. */
Status report_failure(Instance *self);

#endif
