/* The choice of independent coordinates. The first generated set is good at the start. Along the motion it
 * may approach a dead centre, where the independent coordinates no longer determine a dependent one. Then
 * another generated set takes its place; if none is good, coordinates are chosen by their pivots. The choice
 * is a discrete state of the instance and changes only at accepted points. */
#ifndef PARTITION_H
#define PARTITION_H

#include "instance.h"

/* At the assembled start: the first set of the generated model, or a better one. Returns false if the
 * start is a singular position, where the assembly mode would be a guess. */
bool start_partition(Instance *self);

/* At an accepted point: leave a partition that has become badly conditioned, return to a generated set
 * when it is good again. If the embedded equations of motion are good, this is checked only after their
 * pivots have changed. */
void review_partition(Instance *self);

/* Take the best of the other generated sets, or the best conditioned partition of all. The latter is taken
 * instead of a weak set if steps fail, or instead of a poor set if the current one is only weak. Return whether
 * another one is taken. */
bool leave_failing_partition(Instance *self);
bool leave_weak_partition(Instance *self);

/* Event indicator of model exchange: negative where other independent coordinates are much better. */
#define HAS_PARTITION_INDICATOR (MODEL_NW > MODEL_NE - MODEL_TIME_EVENTS)
double partition_margin(Instance *self, const Point *point);

/* Closures that integrate all coordinates are led by the multipliers alone: close to a singular position
 * they may be pushed into any assembly mode. */
bool multipliers_are_lost(Instance *self, const Point *point);

#endif
