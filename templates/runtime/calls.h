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
    CALL_GET_DIRECTIONAL_DERIVATIVE,
    CALL_SET_REAL_INPUT_DERIVATIVES,
    CALL_GET_REAL_OUTPUT_DERIVATIVES,
    CALL_DO_STEP,
    CALL_CANCEL_STEP,
    CALL_GET_STATUS,
    N_CALLS
} Call;

/* True if the call is legal now; otherwise the environment is told why not. */
bool admit(Instance *self, Call call);

#endif
