/* Which FMI function may be called in which state: one table, asked at the head of every function. */
#ifndef CALLS_H
#define CALLS_H

#include "instance.h"

typedef enum {
    CALL_SET_DEBUG_LOGGING,
    CALL_SETUP_EXPERIMENT,
    CALL_ENTER_INITIALIZATION_MODE,
    CALL_EXIT_INITIALIZATION_MODE,
    CALL_TERMINATE,
    CALL_RESET,
    CALL_GET_REAL,
    CALL_SET_REAL,
    CALL_GET_OTHER,
    CALL_SET_OTHER,
    CALL_FMU_STATE,
    CALL_GET_DERIVATIVE,
    /* co-simulation */
    CALL_SET_INPUT_DERIVATIVES,
    CALL_GET_OUTPUT_DERIVATIVES,
    CALL_DO_STEP,
    CALL_CANCEL_STEP,
    CALL_GET_STATUS,
    /* model exchange */
    CALL_ENTER_EVENT_MODE,
    CALL_ENTER_CONTINUOUS_TIME_MODE,
    CALL_UPDATE_DISCRETE_STATES,
    CALL_COMPLETED_INTEGRATOR_STEP,
    CALL_SET_TIME,
    CALL_SET_CONTINUOUS_STATES,
    CALL_GET_CONTINUOUS_STATES,
    CALL_GET_DERIVATIVES,
    CALL_GET_EVENT_INDICATORS,
    CALL_GET_NOMINALS,
    CALL_UNSUPPORTED,
    N_CALLS
} Call;

/* True if the call is legal now; otherwise the environment is told why not. */
bool admit(Instance *self, Call call);

#endif
