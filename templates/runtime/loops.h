/* Positions: the dependent coordinates that close the loops, given the independent ones. */
#ifndef LOOPS_H
#define LOOPS_H

#include "instance.h"

/* point->t and the independent coordinates are given; the others are found by Newton iterations that
 * start where the last accepted motion, extrapolated, would be: this keeps the assembly mode. `at` is what the
 * model sees of the point. */
bool close_loops(Instance *self, const ModelPoint *at, Point *point);

/* What exact steps leave of the constraints at a solved point. */
typedef enum {
    PRECISION_UNKNOWN, /* not all loops have exact steps */
    PRECISION_FULL,    /* rounding: all constraints hold */
    PRECISION_LOST     /* more: terms cancel somewhere, and no guard has detected it */
} Precision;

Precision precision_of_steps(Instance *self, const Point *point);

/* Whether all constraints hold at a solved point, as the steps of the blocks imply together. */
bool check_closed(Instance *self, const Point *point);

/* Move the anchors of exact angles to the last accepted point. They influence speed only. */
void move_anchors(State *state);

/* Anchors of a state that has no accepted point yet. */
void drop_anchors(State *state);

/* Move all coordinates onto the constraints by the shortest displacement. */
bool project_position(Instance *self, Point *point);

#endif
