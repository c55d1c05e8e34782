/* Relations: expressions whose sign switches the equations (if, step, sign, abs, max, min).
 *
 * Between events the equations hold the signs of the last one, so that integrators see smooth functions.
 * The first MODEL_TIME_EVENTS relations are linear in time alone and switch at known times; the others are
 * watched for a change of sign. */
#ifndef RELATIONS_H
#define RELATIONS_H

#include "instance.h"

/* Begin an instant, at which every relation may switch once. */
void begin_switching(Instance *self);

/* Take the signs of all relations at what the model sees of a point. Returns whether one has changed.
 *
 * What a relation watches may be the solution of equations that it switches. At the instant of a switch the
 * solutions with either sign differ by rounding, and each may contradict its own sign. A relation that has
 * switched at this instant therefore keeps its sign in a dead band around zero. */
bool take_signs(Instance *self, const ModelPoint *at);

/* The same at a point, for the present parameters. */
bool update_relations(Instance *self, const Point *point);

/* The first time after `t` at which a relation switches; infinite if there is none. */
double next_time_event(Instance *self, double t);

/* Event indicators: the watched relations, with a dead band that an importer who stops at a change of sign has
 * surely left. */
void event_indicators(Instance *self, const Point *point, double *indicators);

/* Positive if a relation has left its sign at a point: by how much. */
double relation_excess(Instance *self, const Point *point);

#endif
