/* FMI 3.0: each function checks the table of legal calls and calls the core. */
#include "instance.h"

#if MODEL_FMI == 3

#include <stdlib.h>

#include "calls.h"
#include "derivative.h"
#include "exchange.h"
#include "fmi3Functions.h"
#include "fmu_state.h"
#include "life.h"
#include "report.h"
#include "variables.h"

/* The statuses of the core are numbered as those of FMI. */
#define ADMITTED(call, action) (admit(instance, call) ? (fmi3Status)(action) : fmi3Error)

const char *fmi3GetVersion(void)
{
    return fmi3Version;
}

/* --- creation --------------------------------------------------------------------------------- */

static void log_message(const Environment *environment, const char *name, Status status, const char *category,
                        const char *text)
{
    (void)name; /* the environment knows it by itself */
    ((fmi3LogMessageCallback)environment->logger)(environment->data, (fmi3Status)status, category, text);
}

static Environment environment_of(fmi3InstanceEnvironment data, fmi3LogMessageCallback logger)
{
    const Environment environment = {log_message, (void (*)(void))logger, data, calloc, free};
    return environment;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage)
{
    (void)resourcePath, (void)visible;
    const Environment environment = environment_of(instanceEnvironment, logMessage);
    return create_instance(instanceName, MODEL_EXCHANGE, instantiationToken, &environment, loggingOn);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String instanceName, fmi3String instantiationToken,
                                         fmi3String resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn,
                                         fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,
                                         const fmi3ValueReference requiredIntermediateVariables[],
                                         size_t nRequiredIntermediateVariables,
                                         fmi3InstanceEnvironment instanceEnvironment,
                                         fmi3LogMessageCallback logMessage,
                                         fmi3IntermediateUpdateCallback intermediateUpdate)
{
    /* Steps are never returned from early, and events inside them are handled there. */
    (void)resourcePath, (void)visible, (void)eventModeUsed, (void)earlyReturnAllowed;
    (void)requiredIntermediateVariables, (void)nRequiredIntermediateVariables, (void)intermediateUpdate;
    const Environment environment = environment_of(instanceEnvironment, logMessage);
    return create_instance(instanceName, CO_SIMULATION, instantiationToken, &environment, loggingOn);
}

void fmi3FreeInstance(fmi3Instance instance)
{
    free_instance(instance);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[])
{
    return ADMITTED(CALL_SET_DEBUG_LOGGING, set_logging(instance, loggingOn, nCategories, categories));
}

/* --- life ------------------------------------------------------------------------------------- */

static Status enter(Instance *self, Mode mode)
{
    self->state.mode = mode;
    return STATUS_OK;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime)
{
    const fmi3Status status = ADMITTED(
        CALL_SETUP_EXPERIMENT,
        setup_experiment(instance, toleranceDefined, tolerance, startTime, stopTimeDefined, stopTime));
    return status == fmi3OK ? (fmi3Status)enter(instance, MODE_INITIALIZING) : status;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    return ADMITTED(CALL_EXIT_INITIALIZATION_MODE, exit_initialization(instance));
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    return ADMITTED(CALL_TERMINATE, enter(instance, MODE_TERMINATED));
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    if (!admit(instance, CALL_RESET)) {
        return fmi3Error;
    }
    reset_state(instance);
    return fmi3OK;
}

/* --- variables -------------------------------------------------------------------------------- */

static Status check_scalars(Instance *self, size_t references, size_t values)
{
    return references == values ? STATUS_OK : error(self, "all variables of this FMU are scalars");
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, fmi3Float64 values[], size_t nValues)
{
    return ADMITTED(CALL_GET_REAL, check_scalars(instance, nValueReferences, nValues) == STATUS_OK
                                       ? get_reals(instance, valueReferences, nValues, values)
                                       : STATUS_ERROR);
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, const fmi3Float64 values[], size_t nValues)
{
    return ADMITTED(CALL_SET_REAL, check_scalars(instance, nValueReferences, nValues) == STATUS_OK
                                       ? set_reals(instance, valueReferences, nValues, values)
                                       : STATUS_ERROR);
}

/* Enumerations are 64-bit integers. */
fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, fmi3Int64 values[], size_t nValues)
{
    Instance *self = instance;
    if (!admit(self, CALL_GET_OTHER) || check_scalars(self, nValueReferences, nValues) != STATUS_OK ||
        check_integers(self, valueReferences, nValues) != STATUS_OK) {
        return fmi3Error;
    }
    for (size_t i = 0; i < nValues; i++) {
        values[i] = (fmi3Int64)self->state.reals[valueReferences[i]];
    }
    return fmi3OK;
}

fmi3Status fmi3SetInt64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, const fmi3Int64 values[], size_t nValues)
{
    if (!admit(instance, CALL_SET_OTHER) || check_scalars(instance, nValueReferences, nValues) != STATUS_OK ||
        check_integers(instance, valueReferences, nValues) != STATUS_OK) {
        return fmi3Error;
    }
    Status status = STATUS_OK;
    for (size_t i = 0; i < nValues && status == STATUS_OK; i++) {
        const double real = (double)values[i];
        status = set_reals(instance, &valueReferences[i], 1, &real);
    }
    return (fmi3Status)status;
}

static Status check_seeds(Instance *self, size_t n_seed, size_t seeds, size_t n_found, size_t found)
{
    return n_seed == seeds && n_found == found ? STATUS_OK
                                               : error(self, "there must be one value for each variable");
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t nUnknowns, const fmi3ValueReference knowns[], size_t nKnowns,
                                        const fmi3Float64 seed[], size_t nSeed, fmi3Float64 sensitivity[],
                                        size_t nSensitivity)
{
    if (!admit(instance, CALL_GET_DERIVATIVE) ||
        check_seeds(instance, nSeed, nKnowns, nSensitivity, nUnknowns) != STATUS_OK) {
        return fmi3Error;
    }
    return (fmi3Status)directional_derivative(instance, unknowns, nUnknowns, knowns, nKnowns, seed, sensitivity);
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t nUnknowns, const fmi3ValueReference knowns[], size_t nKnowns,
                                    const fmi3Float64 seed[], size_t nSeed, fmi3Float64 sensitivity[],
                                    size_t nSensitivity)
{
    if (!admit(instance, CALL_GET_DERIVATIVE) ||
        check_seeds(instance, nSeed, nUnknowns, nSensitivity, nKnowns) != STATUS_OK) {
        return fmi3Error;
    }
    return (fmi3Status)adjoint_derivative(instance, unknowns, nUnknowns, knowns, nKnowns, seed, sensitivity);
}

/* --- FMU states ------------------------------------------------------------------------------- */

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    return ADMITTED(CALL_FMU_STATE, save_state(instance, FMUState));
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState FMUState)
{
    return ADMITTED(CALL_FMU_STATE, restore_state(instance, FMUState));
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    return ADMITTED(CALL_FMU_STATE, free_state(instance, FMUState));
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState FMUState, size_t *size)
{
    return ADMITTED(CALL_FMU_STATE, serialized_size(instance, FMUState, size));
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState FMUState, fmi3Byte serializedState[],
                                 size_t size)
{
    return ADMITTED(CALL_FMU_STATE, serialize_state(instance, FMUState, serializedState, size));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte serializedState[], size_t size,
                                   fmi3FMUState *FMUState)
{
    return ADMITTED(CALL_FMU_STATE, deserialize_state(instance, serializedState, size, FMUState));
}

/* --- model exchange --------------------------------------------------------------------------- */

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    return ADMITTED(CALL_ENTER_EVENT_MODE, enter(instance, MODE_EVENT));
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    return ADMITTED(CALL_ENTER_CONTINUOUS_TIME_MODE, enter(instance, MODE_CONTINUOUS));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsOfContinuousStatesChanged,
                                    fmi3Boolean *valuesOfContinuousStatesChanged,
                                    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime)
{
    EventInfo info = {false, false, 0.0};
    const fmi3Status status = ADMITTED(CALL_UPDATE_DISCRETE_STATES, update_discrete_states(instance, &info));
    *discreteStatesNeedUpdate = *terminateSimulation = *nominalsOfContinuousStatesChanged = fmi3False;
    *valuesOfContinuousStatesChanged = info.states_changed;
    *nextEventTimeDefined = info.time_event;
    *nextEventTime = info.time_event ? info.next_time : 0.0;
    return status;
}

/* Event mode has nothing to iterate: everything is evaluated when it is read. */
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    return ADMITTED(CALL_UPDATE_DISCRETE_STATES, STATUS_OK);
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode, fmi3Boolean *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    *enterEventMode = *terminateSimulation = fmi3False;
    return ADMITTED(CALL_COMPLETED_INTEGRATOR_STEP, completed_step(instance, enterEventMode));
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    return ADMITTED(CALL_SET_TIME, set_time(instance, time));
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 continuousStates[],
                                   size_t nContinuousStates)
{
    return ADMITTED(CALL_SET_CONTINUOUS_STATES, set_states(instance, continuousStates, nContinuousStates));
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[],
                                             size_t nContinuousStates)
{
    return ADMITTED(CALL_GET_DERIVATIVES, get_derivatives(instance, derivatives, nContinuousStates));
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 eventIndicators[],
                                  size_t nEventIndicators)
{
    return ADMITTED(CALL_GET_EVENT_INDICATORS, get_indicators(instance, eventIndicators, nEventIndicators));
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 continuousStates[],
                                   size_t nContinuousStates)
{
    return ADMITTED(CALL_GET_CONTINUOUS_STATES, get_states(instance, continuousStates, nContinuousStates));
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[],
                                             size_t nContinuousStates)
{
    return ADMITTED(CALL_GET_NOMINALS, get_nominals(instance, nominals, nContinuousStates));
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *nEventIndicators)
{
    *nEventIndicators = MODEL_NW;
    return ADMITTED(CALL_GET_NOMINALS, STATUS_OK);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *nContinuousStates)
{
    *nContinuousStates = ODE_STATES;
    return ADMITTED(CALL_GET_NOMINALS, STATUS_OK);
}

/* --- co-simulation ---------------------------------------------------------------------------- */

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime)
{
    Instance *self = instance;
    (void)noSetFMUStatePriorToCurrentPoint;
    *eventHandlingNeeded = *terminateSimulation = *earlyReturn = fmi3False;
    const fmi3Status status =
        ADMITTED(CALL_DO_STEP, do_step(self, currentCommunicationPoint, communicationStepSize));
    *lastSuccessfulTime = self ? self->state.at.t : currentCommunicationPoint;
    return status;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[], fmi3Float64 values[],
                                    size_t nValues)
{
    return ADMITTED(CALL_GET_OUTPUT_DERIVATIVES,
                    check_scalars(instance, nValueReferences, nValues) == STATUS_OK
                        ? get_output_derivatives(instance, valueReferences, nValues, orders, values)
                        : STATUS_ERROR);
}

#endif
