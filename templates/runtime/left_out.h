/* Constraints that are redundant for the parameters of the export: they are not solved, but must hold. */
#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#include "instance.h"

/* The largest residual of such a constraint. */
double left_out_residual(Instance *self, const ModelPoint *at);

/* Whether these constraints hold where the solved loops are closed. Only for accepted points. */
bool left_out_hold(Instance *self, const Point *point);

#endif
