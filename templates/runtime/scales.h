/* The usual size of constraint derivatives, by which the columns and rows of pivots are scaled. */
#ifndef SCALES_H
#define SCALES_H

#include "instance.h"

/* The scales of the constraint derivatives, for the present parameters. */
void scale_constraints(Instance *self, const Point *point);

#endif
