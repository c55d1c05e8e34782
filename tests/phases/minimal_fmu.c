/* The smallest FMI 2.0 co-simulation slave: every function is there, the only value is the time. */
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"
#include "model.h"

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)resources, (void)functions, (void)visible, (void)logging;
    return strcmp(guid, MODEL_GUID) == 0 ? calloc(1, sizeof(double)) : NULL;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean d, fmi2Real t, fmi2Real start, fmi2Boolean e, fmi2Real stop) {
    (void)d, (void)t, (void)e, (void)stop;
    *(double *)c = start;
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean b) {
    (void)b;
    *(double *)c = model_time(t, h);
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    (void)vr;
    for (size_t i = 0; i < n; i++) value[i] = *(double *)c;
    return fmi2OK;
}

#define ACCEPT(name, ...) \
    fmi2Status name(__VA_ARGS__) { return fmi2OK; }
#define UNUSED __attribute__((unused))
#define C UNUSED fmi2Component c
#define REFS C, UNUSED const fmi2ValueReference vr[], UNUSED size_t n

ACCEPT(fmi2SetDebugLogging, C, UNUSED fmi2Boolean on, UNUSED size_t n, UNUSED const fmi2String categories[])
ACCEPT(fmi2EnterInitializationMode, C)
ACCEPT(fmi2ExitInitializationMode, C)
ACCEPT(fmi2Terminate, C)
ACCEPT(fmi2Reset, C)
ACCEPT(fmi2CancelStep, C)
ACCEPT(fmi2GetInteger, REFS, UNUSED fmi2Integer value[])
ACCEPT(fmi2GetBoolean, REFS, UNUSED fmi2Boolean value[])
ACCEPT(fmi2GetString, REFS, UNUSED fmi2String value[])
ACCEPT(fmi2SetReal, REFS, UNUSED const fmi2Real value[])
ACCEPT(fmi2SetInteger, REFS, UNUSED const fmi2Integer value[])
ACCEPT(fmi2SetBoolean, REFS, UNUSED const fmi2Boolean value[])
ACCEPT(fmi2SetString, REFS, UNUSED const fmi2String value[])
ACCEPT(fmi2GetFMUstate, C, UNUSED fmi2FMUstate *state)
ACCEPT(fmi2SetFMUstate, C, UNUSED fmi2FMUstate state)
ACCEPT(fmi2FreeFMUstate, C, UNUSED fmi2FMUstate *state)
ACCEPT(fmi2SerializedFMUstateSize, C, UNUSED fmi2FMUstate state, UNUSED size_t *size)
ACCEPT(fmi2SerializeFMUstate, C, UNUSED fmi2FMUstate state, UNUSED fmi2Byte bytes[], UNUSED size_t size)
ACCEPT(fmi2DeSerializeFMUstate, C, UNUSED const fmi2Byte bytes[], UNUSED size_t size, UNUSED fmi2FMUstate *state)
ACCEPT(fmi2GetDirectionalDerivative, C, UNUSED const fmi2ValueReference z[], UNUSED size_t nz,
       UNUSED const fmi2ValueReference v[], UNUSED size_t nv, UNUSED const fmi2Real dv[], UNUSED fmi2Real dz[])
ACCEPT(fmi2SetRealInputDerivatives, REFS, UNUSED const fmi2Integer order[], UNUSED const fmi2Real value[])
ACCEPT(fmi2GetRealOutputDerivatives, REFS, UNUSED const fmi2Integer order[], UNUSED fmi2Real value[])
ACCEPT(fmi2GetStatus, C, UNUSED const fmi2StatusKind kind, UNUSED fmi2Status *value)
ACCEPT(fmi2GetRealStatus, C, UNUSED const fmi2StatusKind kind, UNUSED fmi2Real *value)
ACCEPT(fmi2GetIntegerStatus, C, UNUSED const fmi2StatusKind kind, UNUSED fmi2Integer *value)
ACCEPT(fmi2GetBooleanStatus, C, UNUSED const fmi2StatusKind kind, UNUSED fmi2Boolean *value)
ACCEPT(fmi2GetStringStatus, C, UNUSED const fmi2StatusKind kind, UNUSED fmi2String *value)
ACCEPT(fmi2EnterEventMode, C)
ACCEPT(fmi2NewDiscreteStates, C, UNUSED fmi2EventInfo *info)
ACCEPT(fmi2EnterContinuousTimeMode, C)
ACCEPT(fmi2CompletedIntegratorStep, C, UNUSED fmi2Boolean keep, UNUSED fmi2Boolean *event, UNUSED fmi2Boolean *end)
ACCEPT(fmi2SetTime, C, UNUSED fmi2Real time)
ACCEPT(fmi2SetContinuousStates, C, UNUSED const fmi2Real x[], UNUSED size_t n)
ACCEPT(fmi2GetDerivatives, C, UNUSED fmi2Real derivatives[], UNUSED size_t n)
ACCEPT(fmi2GetEventIndicators, C, UNUSED fmi2Real indicators[], UNUSED size_t n)
ACCEPT(fmi2GetContinuousStates, C, UNUSED fmi2Real x[], UNUSED size_t n)
ACCEPT(fmi2GetNominalsOfContinuousStates, C, UNUSED fmi2Real nominals[], UNUSED size_t n)
