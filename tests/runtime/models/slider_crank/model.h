/* A slider-crank: angles of crank and rod, displacement of the slider; a torque on the crank.
 * Written by hand in the form of a generated model.
 *
 * INDEPENDENT chooses the independent coordinate: 0 (crank angle, always good) or 2 (slider, singular at
 * both dead centres). DRIVEN adds a constraint that prescribes the crank angle: no degree of freedom. */
#ifndef MODEL_H
#define MODEL_H

#include "runtime.h"

#ifndef DRIVEN
#define DRIVEN 0
#endif
#ifndef INDEPENDENT
#define INDEPENDENT 0
#endif

#define MODEL_IDENTIFIER "SliderCrank"
#define MODEL_GUID "{slider-crank}"
#define MODEL_NQ 3
#define MODEL_NC (2 + DRIVEN)
#define MODEL_NI (1 - DRIVEN)
#define MODEL_NBLOCKS (INDEPENDENT == 2 ? 1 : 2 + DRIVEN)
#define MODEL_NPIVOTS 0
#define MODEL_MAX_BLOCK (INDEPENDENT == 2 ? 2 : 1)
#define MODEL_ND 2
#define MODEL_NTURN 0
#define MODEL_NFIX (1 - DRIVEN)
#define MODEL_NFIXV (1 - DRIVEN)
#ifndef MODEL_CLOSURE
#define MODEL_CLOSURE CLOSURE_NEWTON
#endif
#ifndef MODEL_SOLVER
#define MODEL_SOLVER SOLVER_DOPRI5
#endif

#define MODEL_P0 0
#define MODEL_NP 9 /* l1 l2 m1 m2 m3 g start.angle start.omega speed */
#define MODEL_S0 9
#define MODEL_NS 5
#define MODEL_U0 14
#define MODEL_NU 1 /* torque on the crank */
#define MODEL_Y0 15
#define MODEL_NY 12 /* q (3), v (3), a (3), lambda of the loop (2), energy */
#define MODEL_NT 6 /* tunable ones */

#include "model_functions.h"

#endif
