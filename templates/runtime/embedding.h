/* The embedding technique: equations of motion of the independent coordinates alone. */
#ifndef EMBEDDING_H
#define EMBEDDING_H

#include "instance.h"

/* point->t and the independent coordinates and velocities are given; all the rest is found. */
bool evaluate_embedded(Instance *self, Point *point);

/* The same for the projection closure, where all coordinates are given. */
bool evaluate_projected(Instance *self, Point *point);

#endif
