/* The embedding technique: equations of motion of the independent coordinates alone. */
#ifndef EMBEDDING_H
#define EMBEDDING_H

#include "instance.h"

/* point->t and the independent coordinates and velocities are given; all the rest is found. */
bool evaluate_embedded(Instance *self, Point *point);

/* How far the mass matrix of the independent coordinates is from losing definiteness at an accepted point: its smallest
 * pivot, each relative to its diagonal entry; 1 where that is not known. Changes work->trial. */
double mass_margin(Instance *self, const Point *point);

/* The same for the projection closure, where all coordinates are given. */
bool evaluate_projected(Instance *self, Point *point);

#endif
