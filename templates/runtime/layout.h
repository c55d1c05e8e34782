/* Where the vectors of an instance lie. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "instance.h"

/* Let the vectors of a state point into its memory, or nowhere if that is NULL. Returns their size in bytes. */
size_t place_state(State *state, char *memory);

/* The same for all vectors of an instance, those of the state first. */
size_t place_vectors(Instance *self, char *memory);

#endif
