/* Angles in space that are not coordinates but count turns.
 *
 * The model gives them up to whole turns. The first MODEL_NJUMP of them jump by a turn where they pass half a
 * turn: the turn closest to the angle expected from the last accepted point is taken. The others are sums of
 * coordinates and keep the whole turns of the start. */
#ifndef TURNS_H
#define TURNS_H

#include "instance.h"

/* The expected angles at a point of the search for a start. */
void guess_turns(const ModelPoint *at, double *g);

/* Count from an assembled start on. */
void start_turns(State *state);

/* The expected angles at a point that follows the accepted one. */
void expect_turns(const State *state, Point *point);

/* Whether the rates at both ends of the trial step agree about the turns in it. */
bool turns_are_sure(Instance *self);

/* Remember the angles of the accepted point. */
void count_turns(State *state);

#endif
