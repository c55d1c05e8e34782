/* A mathematical pendulum with a torque: one coordinate, no constraint.
 * Written by hand in the form of a generated model. */
#ifndef MODEL_H
#define MODEL_H

#include "runtime.h"

#define MODEL_IDENTIFIER "Pendulum"
#define MODEL_GUID "{pendulum}"
#define MODEL_NQ 1
#define MODEL_NC 0
#define MODEL_NI 1
#define MODEL_NBLOCKS 0
#define MODEL_NPIVOTS 0
#define MODEL_MAX_BLOCK 0
#define MODEL_ND 1
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
#define MODEL_NP 5 /* m, l, g, start.angle, start.omega */
#define MODEL_S0 5
#define MODEL_NS 5
#define MODEL_U0 10
#define MODEL_NU 1 /* torque */
#define MODEL_Y0 11
#define MODEL_NY 5 /* angle, omega, alpha, energy, 1/(angle - 100) */
#define MODEL_NT 3 /* tunable ones */

#include "model_functions.h"

#endif
