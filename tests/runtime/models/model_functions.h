/* The part of model.h that is the same for all of these models. */
#ifndef MODEL_FUNCTIONS_H
#define MODEL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifndef MODEL_FMI
#define MODEL_FMI 2
#endif
#define MODEL_STARTS_BY_INPUTS 0
#define MODEL_STAMPED 0
#define MODEL_NPART 0
#define MODEL_NATT 0
#define MODEL_NCOUNTED 0
#define MODEL_NJUMP 0
#define MODEL_NFORM 0
#define MODEL_CO_SIMULATION 1
#define MODEL_MODEL_EXCHANGE 1
#ifndef MODEL_NE
#define MODEL_NE 0
#define MODEL_TIME_EVENTS 0
#endif

#define MODEL_NETWORK_READS_MULTIPLIERS 0

/* Most of these models have no network. */
#ifndef MODEL_NX
#define SAMPLE_WITHOUT_NETWORK
#define MODEL_NX 0
#define MODEL_NZ 0
#define MODEL_NZBLOCKS 0
#define MODEL_MAX_ZBLOCK 0
#define MODEL_FIXED_STATES 0
#define MODEL_STEADY 0
#endif

/* Room for the states of every closure, so that diagnostics keep their places. */
#define SAMPLE_COORDINATES (MODEL_CLOSURE == CLOSURE_NEWTON || MODEL_CLOSURE == CLOSURE_NEWTON_ALL ? MODEL_NI : MODEL_NQ)
#define SAMPLE_ROOM 12
#define MODEL_K0 (MODEL_Y0 + MODEL_NY)
#define MODEL_NK (2 * SAMPLE_COORDINATES + MODEL_NX)
#define MODEL_FIRST_DERIVATIVE (MODEL_K0 + SAMPLE_ROOM)
#define MODEL_NKD MODEL_NK
#define MODEL_W0 (MODEL_FIRST_DERIVATIVE + SAMPLE_ROOM)
#define MODEL_NW 0
#define MODEL_G0 MODEL_W0
#define MODEL_NG 3
#define MODEL_N_REALS (MODEL_G0 + MODEL_NG)

/* No constraint of these models is redundant, nor does any of their variables have a limit. */
#define MODEL_NLEFT 0
#define MODEL_NLIMITS 0

/* One set of independent coordinates; no embedded form. */
#define MODEL_NSETS 1

#include "interface.h"

#endif
