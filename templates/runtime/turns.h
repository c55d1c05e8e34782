/* Angles in space that are not coordinates, but count turns.
 *
 * The model gives them up to whole turns. The first MODEL_NJUMP jump by a turn where they pass a half: of these
 * the turn is taken that is nearest to the angle expected from the last accepted point. To the others,
 * sums of coordinates, the same turns are added from the start on. */
#ifndef TURNS_H
#define TURNS_H

#include "instance.h"

/* What the angles are near at a point of the search for a start. */
void guess_turns(const ModelPoint *at, double *g);

/* Count from an assembled start on. */
void start_turns(State *state);

/* What the angles are near at a point that follows the accepted one. */
void expect_turns(const State *state, Point *point);

/* Whether the rates at both ends of the trial step agree about the turns in it. */
bool turns_are_sure(Instance *self);

/* Remember the angles of the accepted point. */
void count_turns(State *state);

#endif
