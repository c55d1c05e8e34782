/* The start: a position and velocities that satisfy the constraints and the fixed start values. */
#ifndef ASSEMBLE_H
#define ASSEMBLE_H

#include "instance.h"

/* Assemble at the start time for the current parameters. False: see self->failure. */
bool assemble(Instance *self);

/* Move coordinates onto the constraints and the fixed start positions. False: convergence is not certain. */
bool contract_to_position(Work *work, const ModelPoint *at, Point *point);

#endif
