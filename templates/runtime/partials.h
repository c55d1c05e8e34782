/* Outputs that are partial derivatives by inputs, states held, or formulas as if some inputs were zero. */
#ifndef PARTIALS_H
#define PARTIALS_H

#include "instance.h"

/* The values of all formulas in `y`, as the model calculates them at the point, become those of the outputs. */
bool take_partials(Instance *self, const Point *point, double *y);

/* The changes of all formulas in `change` along a direction, which the point follows, become those of the
 * outputs. The derivatives are differentiated numerically, by differences of fourth order. */
bool change_partials(Instance *self, const Point *point, const Direction *along, double *change);

#endif
