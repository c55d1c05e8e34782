/* FMI 2.0: each function checks the table of legal calls and calls the core. */
#include "instance.h"

#if MODEL_FMI == 2

#include <stdlib.h>

#include "calls.h"
#include "derivative.h"
#include "exchange.h"
#include "fmi2Functions.h"
#include "fmu_state.h"
#include "life.h"
#include "report.h"
#include "variables.h"

/* The statuses of the core are numbered as those of FMI. */
#define ADMITTED(call, action) (admit(c, call) ? (fmi2Status)(action) : fmi2Error)

const char *fmi2GetTypesPlatform(void)
{
    return fmi2TypesPlatform;
}

const char *fmi2GetVersion(void)
{
    return fmi2Version;
}

/* --- creation --------------------------------------------------------------------------------- */

static void log_message(const Environment *environment, const char *name, Status status, const char *category,
                        const char *text)
{
    ((fmi2CallbackLogger)environment->logger)(environment->data, name, (fmi2Status)status, category, text);
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation, const fmi2CallbackFunctions *functions,
                              fmi2Boolean visible, fmi2Boolean loggingOn)
{
    (void)fmuResourceLocation, (void)visible;
    if (!functions) {
        return NULL;
    }
    const bool own_memory = !functions->allocateMemory || !functions->freeMemory;
    const Environment environment = {log_message, (void (*)(void))functions->logger,
                                     functions->componentEnvironment,
                                     own_memory ? calloc : functions->allocateMemory,
                                     own_memory ? free : functions->freeMemory};
    return create_instance(instanceName, fmuType == fmi2CoSimulation ? CO_SIMULATION : MODEL_EXCHANGE, fmuGUID,
                           &environment, loggingOn);
}

void fmi2FreeInstance(fmi2Component c)
{
    free_instance(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[])
{
    return ADMITTED(CALL_SET_DEBUG_LOGGING, set_logging(c, loggingOn, nCategories, categories));
}

/* --- life ------------------------------------------------------------------------------------- */

static Status enter(Instance *self, Mode mode)
{
    self->state.mode = mode;
    return STATUS_OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime)
{
    return ADMITTED(CALL_SETUP_EXPERIMENT,
                    setup_experiment(c, toleranceDefined, tolerance, startTime, stopTimeDefined, stopTime));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    return ADMITTED(CALL_ENTER_INITIALIZATION_MODE, enter(c, MODE_INITIALIZING));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    return ADMITTED(CALL_EXIT_INITIALIZATION_MODE, exit_initialization(c));
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    return ADMITTED(CALL_TERMINATE, enter(c, MODE_TERMINATED));
}

fmi2Status fmi2Reset(fmi2Component c)
{
    if (!admit(c, CALL_RESET)) {
        return fmi2Error;
    }
    reset_state(c);
    return fmi2OK;
}

/* --- variables -------------------------------------------------------------------------------- */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[])
{
    return ADMITTED(CALL_GET_REAL, get_reals(c, vr, nvr, value));
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[])
{
    return ADMITTED(CALL_SET_REAL, set_reals(c, vr, nvr, value));
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Integer value[])
{
    Instance *self = c;
    if (!admit(self, CALL_GET_OTHER) || check_integers(self, vr, nvr) != STATUS_OK) {
        return fmi2Error;
    }
    for (size_t i = 0; i < nvr; i++) {
        value[i] = (fmi2Integer)self->state.reals[vr[i]];
    }
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Integer value[])
{
    if (!admit(c, CALL_SET_OTHER) || check_integers(c, vr, nvr) != STATUS_OK) {
        return fmi2Error;
    }
    Status status = STATUS_OK;
    for (size_t i = 0; i < nvr && status == STATUS_OK; i++) {
        const double real = value[i];
        status = set_reals(c, &vr[i], 1, &real);
    }
    return (fmi2Status)status;
}

/* A call for no variables of a type that the FMU does not have is legal. */
static Status about_no_variable(Instance *self, size_t n, const char *type)
{
    return n == 0 ? STATUS_OK : error(self, "this FMU has no variables of type %s", type);
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Boolean value[])
{
    (void)vr, (void)value;
    return ADMITTED(CALL_GET_OTHER, about_no_variable(c, nvr, "Boolean"));
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2String value[])
{
    (void)vr, (void)value;
    return ADMITTED(CALL_GET_OTHER, about_no_variable(c, nvr, "String"));
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Boolean value[])
{
    (void)vr, (void)value;
    return ADMITTED(CALL_SET_OTHER, about_no_variable(c, nvr, "Boolean"));
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2String value[])
{
    (void)vr, (void)value;
    return ADMITTED(CALL_SET_OTHER, about_no_variable(c, nvr, "String"));
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[],
                                        size_t nUnknown, const fmi2ValueReference vKnown_ref[], size_t nKnown,
                                        const fmi2Real dvKnown[], fmi2Real dvUnknown[])
{
    return ADMITTED(CALL_GET_DERIVATIVE, directional_derivative(c, vUnknown_ref, nUnknown, vKnown_ref, nKnown,
                                                                dvKnown, dvUnknown));
}

/* --- FMU states ------------------------------------------------------------------------------- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    return ADMITTED(CALL_FMU_STATE, save_state(c, FMUstate));
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate)
{
    return ADMITTED(CALL_FMU_STATE, restore_state(c, FMUstate));
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    return ADMITTED(CALL_FMU_STATE, free_state(c, FMUstate));
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size)
{
    return ADMITTED(CALL_FMU_STATE, serialized_size(c, FMUstate, size));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[],
                                 size_t size)
{
    return ADMITTED(CALL_FMU_STATE, serialize_state(c, FMUstate, serializedState, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate *FMUstate)
{
    return ADMITTED(CALL_FMU_STATE, deserialize_state(c, serializedState, size, FMUstate));
}

/* --- model exchange --------------------------------------------------------------------------- */

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    return ADMITTED(CALL_ENTER_EVENT_MODE, enter(c, MODE_EVENT));
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    return ADMITTED(CALL_ENTER_CONTINUOUS_TIME_MODE, enter(c, MODE_CONTINUOUS));
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *fmi2eventInfo)
{
    EventInfo info = {false, false, 0.0};
    const fmi2Status status = ADMITTED(CALL_UPDATE_DISCRETE_STATES, update_discrete_states(c, &info));
    if (status == fmi2OK) {
        fmi2eventInfo->newDiscreteStatesNeeded = fmi2False;
        fmi2eventInfo->terminateSimulation = fmi2False;
        fmi2eventInfo->nominalsOfContinuousStatesChanged = fmi2False;
        fmi2eventInfo->valuesOfContinuousStatesChanged = info.states_changed;
        fmi2eventInfo->nextEventTimeDefined = info.time_event;
        fmi2eventInfo->nextEventTime = info.time_event ? info.next_time : 0.0;
    }
    return status;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode, fmi2Boolean *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    bool event_needed = false;
    const fmi2Status status = ADMITTED(CALL_COMPLETED_INTEGRATOR_STEP, completed_step(c, &event_needed));
    *enterEventMode = event_needed;
    *terminateSimulation = fmi2False;
    return status;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    return ADMITTED(CALL_SET_TIME, set_time(c, time));
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx)
{
    return ADMITTED(CALL_SET_CONTINUOUS_STATES, set_states(c, x, nx));
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx)
{
    return ADMITTED(CALL_GET_DERIVATIVES, get_derivatives(c, derivatives, nx));
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[], size_t ni)
{
    return ADMITTED(CALL_GET_EVENT_INDICATORS, get_indicators(c, eventIndicators, ni));
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx)
{
    return ADMITTED(CALL_GET_CONTINUOUS_STATES, get_states(c, x, nx));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[], size_t nx)
{
    return ADMITTED(CALL_GET_NOMINALS, get_nominals(c, x_nominal, nx));
}

/* --- co-simulation ---------------------------------------------------------------------------- */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    return ADMITTED(CALL_DO_STEP, do_step(c, currentCommunicationPoint, communicationStepSize));
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    admit(c, CALL_CANCEL_STEP);
    return fmi2Error;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    return ADMITTED(CALL_SET_INPUT_DERIVATIVES, set_input_derivatives(c, vr, nvr, order, value));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[])
{
    return ADMITTED(CALL_GET_OUTPUT_DERIVATIVES, get_output_derivatives(c, vr, nvr, order, value));
}

/* --- status ----------------------------------------------------------------------------------- */

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    Instance *self = c;
    if (!admit(self, CALL_GET_STATUS)) {
        return fmi2Error;
    }
    if (s != fmi2LastSuccessfulTime) {
        return (fmi2Status)error(self, "fmi2GetRealStatus knows fmi2LastSuccessfulTime only");
    }
    *value = self->state.at.t;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value)
{
    Instance *self = c;
    if (!admit(self, CALL_GET_STATUS)) {
        return fmi2Error;
    }
    if (s != fmi2Terminated) {
        return (fmi2Status)error(self, "fmi2GetBooleanStatus knows fmi2Terminated only");
    }
    *value = self->state.mode == MODE_TERMINATED;
    return fmi2OK;
}

static Status unsupported(Instance *self, const char *what)
{
    return error(self, "this FMU does not support %s", what);
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value)
{
    (void)s, (void)value;
    return ADMITTED(CALL_GET_STATUS, unsupported(c, "fmi2GetStatus, as its steps are never pending"));
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value)
{
    (void)s, (void)value;
    return ADMITTED(CALL_GET_STATUS, unsupported(c, "an integer status"));
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value)
{
    (void)s, (void)value;
    return ADMITTED(CALL_GET_STATUS, unsupported(c, "fmi2GetStringStatus, as its steps are never pending"));
}

#endif
