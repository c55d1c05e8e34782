/* A tank x that is filled by u and emptied by z, with z^3 + z = x: one state, one iterated unknown, no
 * mechanism. Written by hand in the form of a generated model. */
#ifndef MODEL_H
#define MODEL_H

#include "runtime.h"

#define MODEL_IDENTIFIER "Tank"
#define MODEL_GUID "{tank}"
#define MODEL_NQ 0
#define MODEL_NC 0
#define MODEL_NI 0
#define MODEL_NBLOCKS 0
#define MODEL_NPIVOTS 0
#define MODEL_MAX_BLOCK 0
#define MODEL_ND 0
#define MODEL_NTURN 0
#define MODEL_NFIX 0
#define MODEL_NFIXV 0
#define MODEL_NX 1
#define MODEL_NZ 1
#define MODEL_NZBLOCKS 1
#define MODEL_MAX_ZBLOCK 1
#ifndef MODEL_FIXED_STATES
#define MODEL_FIXED_STATES 0 /* 1: the outflow is fixed at the start */
#endif
#ifndef MODEL_STEADY
#define MODEL_STEADY 0
#endif
#ifndef FLOOR /* z^2 + FLOOR = x in place of z^3 + z = x */
#define FLOOR 0
#endif
#define MODEL_CLOSURE CLOSURE_TRIANGULAR
#ifndef MODEL_SOLVER
#define MODEL_SOLVER SOLVER_DOPRI5
#endif

#define MODEL_P0 0
#define MODEL_NP 3 /* capacity, start level, start outflow */
#define MODEL_S0 3
#define MODEL_NS 5
#define MODEL_U0 8
#define MODEL_NU 1 /* inflow */
#define MODEL_Y0 9
#define MODEL_NY 2 /* level, outflow */
#define MODEL_NT 1 /* tunable ones */

#include "model_functions.h"

void model_derivatives(const ModelPoint *at, double *dx);
void model_start_states(const ModelPoint *at, double *x);
void model_fixed_states(const ModelPoint *at, double *residual);
void model_network_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_derivatives_tangent(const ModelPoint *at, const ModelDirection *along, double *change);
void model_start_states_tangent(const ModelPoint *at, const ModelDirection *along, double *change);

extern const ModelNetworkBlock model_network_blocks[];
extern const double model_z0[];
extern const char *const model_states[];
extern const char *const model_fixed_state_names[];

#endif
