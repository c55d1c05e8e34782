/* The sizes and choices of a model, as constants or as what the model was compiled with.
 *
 * The runtime is compiled once for all models, with RUNTIME_SHARED: it reads them from model_sizes, which sizes.c
 * defines for each model. Where the runtime is compiled with a model, as from the sources in an FMU, they are
 * the constants of model.h. */
#ifndef SIZES_H
#define SIZES_H

#include "runtime.h"

/* --- the table: its members and the constants that they have the values of --------------------------- */

#define SIZES_OF_MODEL(X) \
    X(nq, MODEL_NQ) X(nc, MODEL_NC) X(nleft, MODEL_NLEFT) X(nlimits, MODEL_NLIMITS) X(ni, MODEL_NI) \
    X(natt, MODEL_NATT) X(nsets, MODEL_NSETS) X(npivots, MODEL_NPIVOTS) X(nturn, MODEL_NTURN) \
    X(nd, MODEL_ND) X(nfix, MODEL_NFIX) X(nfixv, MODEL_NFIXV) X(nx, MODEL_NX) X(nz, MODEL_NZ) \
    X(nzblocks, MODEL_NZBLOCKS) X(max_zblock, MODEL_MAX_ZBLOCK) \
    X(network_reads_multipliers, MODEL_NETWORK_READS_MULTIPLIERS) X(fixed_states, MODEL_FIXED_STATES) \
    X(steady, MODEL_STEADY) X(ne, MODEL_NE) X(time_events, MODEL_TIME_EVENTS) X(ncounted, MODEL_NCOUNTED) \
    X(njump, MODEL_NJUMP) X(starts_by_inputs, MODEL_STARTS_BY_INPUTS) X(stamped, MODEL_STAMPED) \
    X(npart, MODEL_NPART) X(nform, MODEL_NFORM) X(closure, MODEL_CLOSURE) X(iterations, MODEL_ITERATIONS) \
    X(p0, MODEL_P0) X(np, MODEL_NP) X(s0, MODEL_S0) X(u0, MODEL_U0) X(nu, MODEL_NU) X(y0, MODEL_Y0) \
    X(ny, MODEL_NY) X(k0, MODEL_K0) X(nk, MODEL_NK) X(first_derivative, MODEL_FIRST_DERIVATIVE) \
    X(w0, MODEL_W0) X(nw, MODEL_NW) X(g0, MODEL_G0) X(n_reals, MODEL_N_REALS) X(nt, MODEL_NT) \
    X(co_simulation, MODEL_CO_SIMULATION) X(model_exchange, MODEL_MODEL_EXCHANGE) \
    X(by_blocks, BY_BLOCKS) X(embedded, EMBEDDED) X(partitioned, PARTITIONED) \
    X(ode_positions, ODE_POSITIONS) X(ode_velocities, ODE_VELOCITIES) X(ode_states, ODE_STATES)
#define REALS_OF_MODEL(X) \
    X(newton_tolerance, MODEL_NEWTON_TOLERANCE) X(baumgarte_alpha, MODEL_BAUMGARTE_ALPHA) \
    X(baumgarte_beta, MODEL_BAUMGARTE_BETA) X(penalty_factor, MODEL_PENALTY_FACTOR) \
    X(penalty_frequency, MODEL_PENALTY_FREQUENCY) X(penalty_damping, MODEL_PENALTY_DAMPING)

#define SIZE_MEMBER(member, value) int member;
#define REAL_MEMBER(member, value) double member;

typedef struct {
    SIZES_OF_MODEL(SIZE_MEMBER)
    REALS_OF_MODEL(REAL_MEMBER)
    const char *guid;
} ModelSizes;

#ifdef __GNUC__
#pragma GCC visibility push(hidden)
#endif
extern const ModelSizes model_sizes;
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef RUNTIME_SHARED

/* --- from the table ------------------------------------------------------------------------------- */

#include "interface.h"

#define MODEL_NQ (model_sizes.nq)
#define MODEL_NC (model_sizes.nc)
#define MODEL_NLEFT (model_sizes.nleft)
#define MODEL_NLIMITS (model_sizes.nlimits)
#define MODEL_NI (model_sizes.ni)
#define MODEL_NATT (model_sizes.natt)
#define MODEL_NSETS (model_sizes.nsets)
#define MODEL_NPIVOTS (model_sizes.npivots)
#define MODEL_NTURN (model_sizes.nturn)
#define MODEL_ND (model_sizes.nd)
#define MODEL_NFIX (model_sizes.nfix)
#define MODEL_NFIXV (model_sizes.nfixv)
#define MODEL_NX (model_sizes.nx)
#define MODEL_NZ (model_sizes.nz)
#define MODEL_NZBLOCKS (model_sizes.nzblocks)
#define MODEL_MAX_ZBLOCK (model_sizes.max_zblock)
#define MODEL_NETWORK_READS_MULTIPLIERS (model_sizes.network_reads_multipliers)
#define MODEL_FIXED_STATES (model_sizes.fixed_states)
#define MODEL_STEADY (model_sizes.steady)
#define MODEL_NE (model_sizes.ne)
#define MODEL_TIME_EVENTS (model_sizes.time_events)
#define MODEL_NCOUNTED (model_sizes.ncounted)
#define MODEL_NJUMP (model_sizes.njump)
#define MODEL_STARTS_BY_INPUTS (model_sizes.starts_by_inputs)
#define MODEL_STAMPED (model_sizes.stamped)
#define MODEL_NPART (model_sizes.npart)
#define MODEL_NFORM (model_sizes.nform)
#define MODEL_CLOSURE (model_sizes.closure)
#define MODEL_ITERATIONS (model_sizes.iterations)
#define MODEL_P0 (model_sizes.p0)
#define MODEL_NP (model_sizes.np)
#define MODEL_S0 (model_sizes.s0)
#define MODEL_U0 (model_sizes.u0)
#define MODEL_NU (model_sizes.nu)
#define MODEL_Y0 (model_sizes.y0)
#define MODEL_NY (model_sizes.ny)
#define MODEL_K0 (model_sizes.k0)
#define MODEL_NK (model_sizes.nk)
#define MODEL_FIRST_DERIVATIVE (model_sizes.first_derivative)
#define MODEL_W0 (model_sizes.w0)
#define MODEL_NW (model_sizes.nw)
#define MODEL_G0 (model_sizes.g0)
#define MODEL_N_REALS (model_sizes.n_reals)
#define MODEL_NT (model_sizes.nt)
#define MODEL_CO_SIMULATION (model_sizes.co_simulation)
#define MODEL_MODEL_EXCHANGE (model_sizes.model_exchange)
#define MODEL_NEWTON_TOLERANCE (model_sizes.newton_tolerance)
#define MODEL_BAUMGARTE_ALPHA (model_sizes.baumgarte_alpha)
#define MODEL_BAUMGARTE_BETA (model_sizes.baumgarte_beta)
#define MODEL_PENALTY_FACTOR (model_sizes.penalty_factor)
#define MODEL_PENALTY_FREQUENCY (model_sizes.penalty_frequency)
#define MODEL_PENALTY_DAMPING (model_sizes.penalty_damping)
#define MODEL_GUID (model_sizes.guid)

#define BY_BLOCKS (model_sizes.by_blocks)
#define EMBEDDED (model_sizes.embedded)
#define PARTITIONED (model_sizes.partitioned)
#define ODE_POSITIONS (model_sizes.ode_positions)
#define ODE_VELOCITIES (model_sizes.ode_velocities)
#define ODE_STATES (model_sizes.ode_states)

#else

/* --- from model.h --------------------------------------------------------------------------------- */

#include "model.h"

/* Newton steps over a block of loops: exactly so many; negative: until rounding; 0: the FMU stops instead. */
#ifndef MODEL_ITERATIONS
#define MODEL_ITERATIONS (-1)
#endif
#ifndef MODEL_NEWTON_TOLERANCE /* a step below this is the last one, unchecked; zero: iterate to rounding */
#define MODEL_NEWTON_TOLERANCE 0.0
#endif
/* Stabilization constants; a model may set its own. */
#ifndef MODEL_BAUMGARTE_ALPHA
#define MODEL_BAUMGARTE_ALPHA 10.0
#endif
#ifndef MODEL_BAUMGARTE_BETA
#define MODEL_BAUMGARTE_BETA 10.0
#endif
#ifndef MODEL_PENALTY_FACTOR /* relative to the largest entry of the mass matrix */
#define MODEL_PENALTY_FACTOR 1e7
#endif
#ifndef MODEL_PENALTY_FREQUENCY
#define MODEL_PENALTY_FREQUENCY 10.0
#endif
#ifndef MODEL_PENALTY_DAMPING
#define MODEL_PENALTY_DAMPING 1.0
#endif

/* The embedding closures integrate the independent coordinates, the others all of them; of the velocities,
 * projection integrates the independent ones too. */
#define BY_BLOCKS (MODEL_CLOSURE == CLOSURE_TRIANGULAR || MODEL_CLOSURE == CLOSURE_NEWTON)
#define EMBEDDED (BY_BLOCKS || MODEL_CLOSURE == CLOSURE_NEWTON_ALL)
#define PARTITIONED (EMBEDDED || MODEL_CLOSURE == CLOSURE_PROJECTION)
/* Behind the independent coordinates come the fourth components of attitudes, see attitude.h. */
#define ODE_POSITIONS (EMBEDDED ? MODEL_NI + MODEL_NATT : MODEL_NQ)
#define ODE_VELOCITIES (PARTITIONED ? MODEL_NI : MODEL_NQ)
#define ODE_STATES (ODE_POSITIONS + ODE_VELOCITIES + MODEL_NX)

#endif

#define FIXED_ITERATIONS (MODEL_ITERATIONS > 0)
#define NEVER_ITERATES (MODEL_ITERATIONS == 0)
#define ODE_MOTION (ODE_POSITIONS + ODE_VELOCITIES)
/* Where the states begin that are not calculated variables: projection calculates the positions. */
#define FIRST_OWN_STATE (MODEL_CLOSURE == CLOSURE_PROJECTION ? ODE_POSITIONS : 0)
#define STACKED_ROWS (MODEL_NC + MODEL_NFIX + MODEL_NFIXV)
#define KKT_ROWS (MODEL_NQ + MODEL_NC)
/* Conditions on the states at the start, beside the given start values. */
#define START_ROWS (MODEL_FIXED_STATES + MODEL_STEADY * MODEL_NX)
/* The unknowns of an equilibrium, see steady.c. */
#define STEADY_UNKNOWNS (MODEL_STEADY * (MODEL_NQ + MODEL_NX))

#endif
