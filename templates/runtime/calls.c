#include "calls.h"

#include "report.h"

enum {
    NEVER = 0,
    BEFORE_STEPS = MODE_INSTANTIATED | MODE_INITIALIZING,
    EXCHANGING = MODE_EVENT | MODE_CONTINUOUS,
    RUNNING = MODE_STEP_COMPLETE | EXCHANGING,
    READABLE = MODE_INITIALIZING | RUNNING | MODE_TERMINATED | MODE_FAILED,
    STEPPED = MODE_STEP_COMPLETE | MODE_TERMINATED | MODE_FAILED,
    ALWAYS = MODE_INSTANTIATED | READABLE
};

/* Names without their prefix; some differ in FMI 3. */
#if MODEL_FMI == 3
#define NAMED(fmi2_name, fmi3_name) fmi3_name
#else
#define NAMED(fmi2_name, fmi3_name) fmi2_name
#endif

static const struct {
    const char *name;
    int legal;
} calls[N_CALLS] = {
    [CALL_SET_DEBUG_LOGGING] = {"SetDebugLogging", ALWAYS},
    [CALL_SETUP_EXPERIMENT] = {NAMED("SetupExperiment", "EnterInitializationMode"), MODE_INSTANTIATED},
    [CALL_ENTER_INITIALIZATION_MODE] = {"EnterInitializationMode", MODE_INSTANTIATED},
    [CALL_EXIT_INITIALIZATION_MODE] = {"ExitInitializationMode", MODE_INITIALIZING},
    [CALL_TERMINATE] = {"Terminate", RUNNING},
    [CALL_RESET] = {"Reset", ALWAYS},
    [CALL_GET_REAL] = {NAMED("GetReal", "GetFloat64"), READABLE},
    [CALL_SET_REAL] = {NAMED("SetReal", "SetFloat64"), BEFORE_STEPS | RUNNING},
    [CALL_GET_OTHER] = {"Get... of another type", READABLE},
    [CALL_SET_OTHER] = {"Set... of another type", BEFORE_STEPS | RUNNING},
    [CALL_FMU_STATE] = {NAMED("...FMUstate", "...FMUState"), ALWAYS},
    [CALL_GET_DERIVATIVE] = {NAMED("GetDirectionalDerivative", "Get...Derivative"), READABLE},
    [CALL_SET_INPUT_DERIVATIVES] = {"SetRealInputDerivatives", BEFORE_STEPS | MODE_STEP_COMPLETE},
    [CALL_GET_OUTPUT_DERIVATIVES] = {NAMED("GetRealOutputDerivatives", "GetOutputDerivatives"), STEPPED},
    [CALL_DO_STEP] = {"DoStep", MODE_STEP_COMPLETE},
    [CALL_CANCEL_STEP] = {"CancelStep", NEVER}, /* steps are never pending */
    [CALL_GET_STATUS] = {"Get...Status", STEPPED},
    [CALL_ENTER_EVENT_MODE] = {"EnterEventMode", MODE_CONTINUOUS},
    [CALL_ENTER_CONTINUOUS_TIME_MODE] = {"EnterContinuousTimeMode", MODE_EVENT},
    [CALL_UPDATE_DISCRETE_STATES] = {NAMED("NewDiscreteStates", "UpdateDiscreteStates"), MODE_EVENT},
    [CALL_COMPLETED_INTEGRATOR_STEP] = {"CompletedIntegratorStep", MODE_CONTINUOUS},
    [CALL_SET_TIME] = {"SetTime", EXCHANGING},
    [CALL_SET_CONTINUOUS_STATES] = {"SetContinuousStates", MODE_CONTINUOUS},
    [CALL_GET_CONTINUOUS_STATES] = {"GetContinuousStates", READABLE},
    [CALL_GET_DERIVATIVES] = {NAMED("GetDerivatives", "GetContinuousStateDerivatives"), READABLE},
    [CALL_GET_EVENT_INDICATORS] = {"GetEventIndicators", READABLE},
    [CALL_GET_NOMINALS] = {"GetNominalsOfContinuousStates", ALWAYS},
    [CALL_UNSUPPORTED] = {"... of a feature that this FMU lacks", ALWAYS},
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
    case MODE_EVENT:
        return "in event mode";
    case MODE_CONTINUOUS:
        return "in continuous-time mode";
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
        error(self, "fmi%d%s must not be called while the FMU is %s", MODEL_FMI, calls[call].name,
              mode_name(self->state.mode));
        return false;
    }
    return true;
}
