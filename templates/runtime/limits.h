/* Values beyond which the law of an element does not hold: see model_limits. */
#ifndef LIMITS_H
#define LIMITS_H

#include "instance.h"

/* Warn, once for each, of limits that the present values are beyond. */
void check_limits(Instance *self);

/* The limit that the values at a point exceed most, relative to its bound; -1: none. Calculates these values. */
int worst_limit(Instance *self, const Point *point);

double value_at_limit(const Instance *self, int limit);

#endif
