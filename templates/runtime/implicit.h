/* Linearly implicit steps for stiff systems, with the analytic Jacobian of the equations of motion. */
#ifndef IMPLICIT_H
#define IMPLICIT_H

#include "instance.h"

/* One step of RODAS3 from the accepted point (work->y) to t_new: the new state is left in work->stage, the
 * stages in work->k, the point in work->trial. False: see self->failure. */
bool implicit_step(Instance *self, double t_new);

#endif
