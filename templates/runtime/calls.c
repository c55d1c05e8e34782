#include "calls.h"

#include "report.h"

enum {
    NEVER = 0,
    BEFORE_STEPS = MODE_INSTANTIATED | MODE_INITIALIZING,
    READABLE = MODE_INITIALIZING | MODE_STEP_COMPLETE | MODE_TERMINATED | MODE_FAILED,
    STEPPED = MODE_STEP_COMPLETE | MODE_TERMINATED | MODE_FAILED,
    ALWAYS = MODE_INSTANTIATED | READABLE
};

static const struct {
    const char *name;
    int legal;
} calls[N_CALLS] = {
    [CALL_SET_DEBUG_LOGGING] = {"fmi2SetDebugLogging", ALWAYS},
    [CALL_SETUP_EXPERIMENT] = {"fmi2SetupExperiment", MODE_INSTANTIATED},
    [CALL_ENTER_INITIALIZATION_MODE] = {"fmi2EnterInitializationMode", MODE_INSTANTIATED},
    [CALL_EXIT_INITIALIZATION_MODE] = {"fmi2ExitInitializationMode", MODE_INITIALIZING},
    [CALL_TERMINATE] = {"fmi2Terminate", MODE_STEP_COMPLETE},
    [CALL_RESET] = {"fmi2Reset", ALWAYS},
    [CALL_GET_REAL] = {"fmi2GetReal", READABLE},
    [CALL_SET_REAL] = {"fmi2SetReal", BEFORE_STEPS | MODE_STEP_COMPLETE},
    [CALL_GET_OTHER] = {"fmi2GetInteger, fmi2GetBoolean or fmi2GetString", READABLE},
    [CALL_SET_OTHER] = {"fmi2SetInteger, fmi2SetBoolean or fmi2SetString", BEFORE_STEPS | MODE_STEP_COMPLETE},
    [CALL_FMU_STATE] = {"a function of the FMU state", ALWAYS},
    [CALL_GET_DIRECTIONAL_DERIVATIVE] = {"fmi2GetDirectionalDerivative", READABLE},
    [CALL_SET_REAL_INPUT_DERIVATIVES] = {"fmi2SetRealInputDerivatives", BEFORE_STEPS | MODE_STEP_COMPLETE},
    [CALL_GET_REAL_OUTPUT_DERIVATIVES] = {"fmi2GetRealOutputDerivatives", STEPPED},
    [CALL_DO_STEP] = {"fmi2DoStep", MODE_STEP_COMPLETE},
    [CALL_CANCEL_STEP] = {"fmi2CancelStep", NEVER}, /* steps are never pending */
    [CALL_GET_STATUS] = {"fmi2GetStatus or a relative of it", STEPPED},
};

static const char *mode_name(Mode mode)
{
    switch (mode) {
    case MODE_INSTANTIATED:
        return "instantiated";
    case MODE_INITIALIZING:
        return "in initialization mode";
    case MODE_STEP_COMPLETE:
        return "between steps";
    case MODE_TERMINATED:
        return "terminated";
    default:
        return "in the error state";
    }
}

bool admit(Instance *self, Call call)
{
    if (!self) {
        return false;
    }
    if (!(calls[call].legal & (int)self->state.mode)) {
        error(self, "%s must not be called while the FMU is %s", calls[call].name,
              mode_name(self->state.mode));
        return false;
    }
    return true;
}
