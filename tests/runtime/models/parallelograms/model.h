/* LOOPS parallelograms of unit rods in a row (the "N four-bar"): all rods line up twice per turn, where
 * every loop is singular at once. Written by hand in the form of a generated model. */
#ifndef MODEL_H
#define MODEL_H

#include "runtime.h"

#ifndef LOOPS
#define LOOPS 1
#endif

#define MODEL_IDENTIFIER "Parallelograms"
#define MODEL_GUID "{parallelograms}"
#define MODEL_NQ (2 * LOOPS + 1)
#define MODEL_NC (2 * LOOPS)
#define MODEL_NI 1
#define MODEL_NBLOCKS LOOPS
#define MODEL_NPIVOTS 0
#define MODEL_MAX_BLOCK 2
#define MODEL_ND 0
#define MODEL_NTURN 0
#define MODEL_NFIX 1
#define MODEL_NFIXV 1
#ifndef MODEL_CLOSURE
#define MODEL_CLOSURE CLOSURE_NEWTON
#endif
#ifndef MODEL_SOLVER
#define MODEL_SOLVER SOLVER_DOPRI5
#endif

#define MODEL_P0 0
#define MODEL_NP 3 /* g, start.angle, start.omega */
#define MODEL_S0 3
#define MODEL_NS 5
#define MODEL_U0 8
#define MODEL_NU 0
#define MODEL_Y0 8
#define MODEL_NY 4 /* first crank: angle, rate; last crank: angle; energy */
#define MODEL_NT 1 /* tunable ones */

#include "model_functions.h"

#endif
