/* Outputs that are partial derivatives by inputs with states held, or formulas evaluated as if some inputs
 * were zero. */
#ifndef PARTIALS_H
#define PARTIALS_H

#include "instance.h"

/* Replace the values of all formulas in `y`, as the model calculates them at the point, by those of the
 * outputs. */
bool take_partials(Instance *self, const Point *point, double *y);

/* Replace the changes of all formulas in `change` along a direction at the point by those of the outputs. The
 * derivatives are differentiated numerically, by differences of fourth order. */
bool change_partials(Instance *self, const Point *point, const Direction *along, double *change);

#endif
