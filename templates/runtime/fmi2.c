/* FMI 2.0 for co-simulation: each function asks the table of legal calls, checks its arguments and
 * hands over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "instance.h"
#include "report.h"
#include "solvers.h"
#include "variables.h"

/* Relative disagreement that is allowed between the environment's clock and ours. */
#define CLOCK_TOLERANCE 1e-9

const char *fmi2GetTypesPlatform(void)
{
    return fmi2TypesPlatform;
}

const char *fmi2GetVersion(void)
{
    return fmi2Version;
}

/* --- creation --------------------------------------------------------------------------------- */

static void *allocate(const fmi2CallbackFunctions *callbacks, size_t size)
{
    void *memory = callbacks->allocateMemory ? callbacks->allocateMemory(1, size) : malloc(size);
    return memory ? memset(memory, 0, size) : NULL;
}

static void release(const fmi2CallbackFunctions *callbacks, void *memory)
{
    if (callbacks->freeMemory) {
        callbacks->freeMemory(memory);
    } else {
        free(memory);
    }
}

static fmi2Component refuse(const fmi2CallbackFunctions *callbacks, fmi2String name, const char *why)
{
    if (callbacks->logger) {
        callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError", why);
    }
    return NULL;
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation, const fmi2CallbackFunctions *functions,
                              fmi2Boolean visible, fmi2Boolean loggingOn)
{
    (void)fmuResourceLocation;
    (void)visible;
    if (!functions) {
        return NULL;
    }
    if (!instanceName || !instanceName[0]) {
        return refuse(functions, "", "the instance needs a name");
    }
    if (fmuType != fmi2CoSimulation) {
        return refuse(functions, instanceName, "this FMU supports co-simulation only");
    }
    if (!fmuGUID || strcmp(fmuGUID, MODEL_GUID) != 0) {
        return refuse(functions, instanceName, "the GUID is not that of this FMU, " MODEL_GUID);
    }
    Instance *self = allocate(functions, sizeof *self);
    char *name = allocate(functions, strlen(instanceName) + 1);
    if (!self || !name) {
        release(functions, self);
        release(functions, name);
        return refuse(functions, instanceName, "there is not enough memory");
    }
    strcpy(name, instanceName);
    self->name = name;
    self->callbacks = *functions;
    self->log_events = loggingOn;
    reset_state(self);
    return self;
}

void fmi2FreeInstance(fmi2Component c)
{
    Instance *self = c;
    if (self) {
        const fmi2CallbackFunctions callbacks = self->callbacks;
        release(&callbacks, self->name);
        release(&callbacks, self);
    }
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[])
{
    Instance *self = c;
    if (!admit(self, CALL_SET_DEBUG_LOGGING)) {
        return fmi2Error;
    }
    bool events = nCategories == 0; /* no list: all categories */
    for (size_t i = 0; i < nCategories; i++) {
        if (strcmp(categories[i], "logEvents") == 0) {
            events = true;
        } else if (strcmp(categories[i], "logStatusError") != 0) {
            return error(self, "there are two log categories, logStatusError and logEvents");
        }
    }
    if (events) {
        self->log_events = loggingOn;
    }
    return fmi2OK;
}

/* --- life ------------------------------------------------------------------------------------- */

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime)
{
    Instance *self = c;
    if (!admit(self, CALL_SETUP_EXPERIMENT)) {
        return fmi2Error;
    }
    if (!isfinite(startTime) || (stopTimeDefined && !(stopTime >= startTime))) {
        return error(self, "the start time must be finite and not after the stop time");
    }
    if (toleranceDefined && !(tolerance > 0.0 && isfinite(tolerance))) {
        return error(self, "the tolerance must be positive");
    }
    if (toleranceDefined && !self->state.tolerance_chosen) {
        double *settings = self->state.reals + MODEL_S0;
        settings[SETTING_RELATIVE_TOLERANCE] = tolerance;
        settings[SETTING_ABSOLUTE_TOLERANCE] = fmin(settings[SETTING_ABSOLUTE_TOLERANCE], tolerance);
    }
    self->state.start_time = startTime;
    self->state.assembled = false;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    Instance *self = c;
    if (!admit(self, CALL_ENTER_INITIALIZATION_MODE)) {
        return fmi2Error;
    }
    self->state.mode = MODE_INITIALIZING;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    Instance *self = c;
    if (!admit(self, CALL_EXIT_INITIALIZATION_MODE)) {
        return fmi2Error;
    }
    const bool ready = check_settings(self) == fmi2OK && ensure_assembled(self) == fmi2OK;
    self->state.mode = ready ? MODE_STEP_COMPLETE : MODE_FAILED;
    return ready ? fmi2OK : fmi2Error;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    Instance *self = c;
    if (!admit(self, CALL_TERMINATE)) {
        return fmi2Error;
    }
    self->state.mode = MODE_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    Instance *self = c;
    if (!admit(self, CALL_RESET)) {
        return fmi2Error;
    }
    reset_state(self);
    return fmi2OK;
}

/* --- variables -------------------------------------------------------------------------------- */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[])
{
    Instance *self = c;
    return admit(self, CALL_GET_REAL) ? get_reals(self, vr, nvr, value) : fmi2Error;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[])
{
    Instance *self = c;
    return admit(self, CALL_SET_REAL) ? set_reals(self, vr, nvr, value) : fmi2Error;
}

/* All variables are real; a call about none of the others is in order. */
static fmi2Status about_no_variable(Instance *self, Call call, size_t n)
{
    if (!admit(self, call)) {
        return fmi2Error;
    }
    return n == 0 ? fmi2OK : error(self, "all variables of this FMU are real");
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Integer value[])
{
    (void)vr, (void)value;
    return about_no_variable(c, CALL_GET_OTHER, nvr);
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Boolean value[])
{
    (void)vr, (void)value;
    return about_no_variable(c, CALL_GET_OTHER, nvr);
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2String value[])
{
    (void)vr, (void)value;
    return about_no_variable(c, CALL_GET_OTHER, nvr);
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Integer value[])
{
    (void)vr, (void)value;
    return about_no_variable(c, CALL_SET_OTHER, nvr);
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Boolean value[])
{
    (void)vr, (void)value;
    return about_no_variable(c, CALL_SET_OTHER, nvr);
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2String value[])
{
    (void)vr, (void)value;
    return about_no_variable(c, CALL_SET_OTHER, nvr);
}

/* --- steps ------------------------------------------------------------------------------------ */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    Instance *self = c;
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!admit(self, CALL_DO_STEP)) {
        return fmi2Error;
    }
    State *state = &self->state;
    const double end = currentCommunicationPoint + communicationStepSize, t = state->at.t;
    if (!(communicationStepSize > 0.0) || !isfinite(end)) {
        return error(self, "t = %.6g s: the communication step size must be positive and finite", t);
    }
    const double clock_error = fabs(currentCommunicationPoint - t);
    if (!(clock_error <= CLOCK_TOLERANCE * fmax(fabs(t), communicationStepSize)) || !(end > t)) {
        return error(self, "t = %.6g s: the step must start there, not at %.6g s", t,
                     currentCommunicationPoint);
    }
    const int generated = state->partition.generated;
    if (!advance(self, end)) {
        state->mode = MODE_FAILED;
        return report_failure(self);
    }
    if (state->partition.generated != generated) {
        event(self, "t = %.6g s: %s independent coordinates", end, generated ? "other" : "the generated");
    }
    return fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    admit(c, CALL_CANCEL_STEP);
    return fmi2Error;
}

static fmi2Status unsupported(Instance *self, Call call, const char *what)
{
    return admit(self, call) ? error(self, "this FMU does not support %s", what) : fmi2Error;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    (void)vr, (void)nvr, (void)order, (void)value;
    return unsupported(c, CALL_SET_REAL_INPUT_DERIVATIVES, "derivatives of inputs");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[])
{
    (void)vr, (void)nvr, (void)order, (void)value;
    return unsupported(c, CALL_GET_REAL_OUTPUT_DERIVATIVES, "derivatives of outputs");
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[],
                                        size_t nUnknown, const fmi2ValueReference vKnown_ref[], size_t nKnown,
                                        const fmi2Real dvKnown[], fmi2Real dvUnknown[])
{
    (void)vUnknown_ref, (void)nUnknown, (void)vKnown_ref, (void)nKnown, (void)dvKnown, (void)dvUnknown;
    return unsupported(c, CALL_GET_DIRECTIONAL_DERIVATIVE, "directional derivatives");
}

/* --- status ----------------------------------------------------------------------------------- */

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    Instance *self = c;
    if (!admit(self, CALL_GET_STATUS)) {
        return fmi2Error;
    }
    if (s != fmi2LastSuccessfulTime) {
        return error(self, "fmi2GetRealStatus knows fmi2LastSuccessfulTime only");
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
        return error(self, "fmi2GetBooleanStatus knows fmi2Terminated only");
    }
    *value = self->state.mode == MODE_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value)
{
    (void)s, (void)value;
    return unsupported(c, CALL_GET_STATUS, "fmi2GetStatus, as its steps are never pending");
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value)
{
    (void)s, (void)value;
    return unsupported(c, CALL_GET_STATUS, "an integer status");
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value)
{
    (void)s, (void)value;
    return unsupported(c, CALL_GET_STATUS, "fmi2GetStringStatus, as its steps are never pending");
}
