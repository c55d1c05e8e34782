/* Constraints that are redundant for the parameters of the export: they are not solved, but must hold. */
#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#include "instance.h"

/* The largest residual of such a constraint. */
double left_out_residual(Instance *self, const ModelPoint *at);

/* Whether they hold where the loops are closed that are solved. To be asked at accepted points only. */
bool left_out_hold(Instance *self, const Point *point);

#endif
