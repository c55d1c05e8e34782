/* FMI 3.0: functions for features that this FMU does not have. Each of them returns an error with a message. */
#include "instance.h"

#if MODEL_FMI == 3

#include "calls.h"
#include "fmi3Functions.h"
#include "report.h"

/* --- scheduled execution ---------------------------------------------------------------------- */

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String instanceName, fmi3String instantiationToken,
                                               fmi3String resourcePath, fmi3Boolean visible,
                                               fmi3Boolean loggingOn,
                                               fmi3InstanceEnvironment instanceEnvironment,
                                               fmi3LogMessageCallback logMessage,
                                               fmi3ClockUpdateCallback clockUpdate,
                                               fmi3LockPreemptionCallback lockPreemption,
                                               fmi3UnlockPreemptionCallback unlockPreemption)
{
    (void)instanceName, (void)instantiationToken, (void)resourcePath, (void)visible, (void)loggingOn;
    (void)clockUpdate, (void)lockPreemption, (void)unlockPreemption;
    if (logMessage) {
        logMessage(instanceEnvironment, fmi3Error, "logStatusError", "this FMU has no scheduled execution");
    }
    return NULL;
}

/* --- variables of other types ----------------------------------------------------------------- */

/* A call for no variables of a type that the FMU does not have is legal. */
static fmi3Status about_no_variable(Instance *self, Call call, size_t n, const char *type)
{
    if (!admit(self, call)) {
        return fmi3Error;
    }
    return n == 0 ? fmi3OK : (fmi3Status)error(self, "this FMU has no variables of type %s", type);
}

#define NO_VARIABLES_OF(type) \
    fmi3Status fmi3Get##type(fmi3Instance instance, const fmi3ValueReference valueReferences[], \
                             size_t nValueReferences, fmi3##type values[], size_t nValues) \
    { \
        (void)valueReferences, (void)values, (void)nValues; \
        return about_no_variable(instance, CALL_GET_OTHER, nValueReferences, #type); \
    } \
    fmi3Status fmi3Set##type(fmi3Instance instance, const fmi3ValueReference valueReferences[], \
                             size_t nValueReferences, const fmi3##type values[], size_t nValues) \
    { \
        (void)valueReferences, (void)values, (void)nValues; \
        return about_no_variable(instance, CALL_SET_OTHER, nValueReferences, #type); \
    }

NO_VARIABLES_OF(Float32)
NO_VARIABLES_OF(Int8)
NO_VARIABLES_OF(UInt8)
NO_VARIABLES_OF(Int16)
NO_VARIABLES_OF(UInt16)
NO_VARIABLES_OF(Int32)
NO_VARIABLES_OF(UInt32)
NO_VARIABLES_OF(UInt64)
NO_VARIABLES_OF(Boolean)
NO_VARIABLES_OF(String)

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, size_t valueSizes[], fmi3Binary values[], size_t nValues)
{
    (void)valueReferences, (void)valueSizes, (void)values, (void)nValues;
    return about_no_variable(instance, CALL_GET_OTHER, nValueReferences, "Binary");
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, const size_t valueSizes[], const fmi3Binary values[],
                         size_t nValues)
{
    (void)valueReferences, (void)valueSizes, (void)values, (void)nValues;
    return about_no_variable(instance, CALL_SET_OTHER, nValueReferences, "Binary");
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, fmi3Clock values[])
{
    (void)valueReferences, (void)values;
    return about_no_variable(instance, CALL_GET_OTHER, nValueReferences, "Clock");
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, const fmi3Clock values[])
{
    (void)valueReferences, (void)values;
    return about_no_variable(instance, CALL_SET_OTHER, nValueReferences, "Clock");
}

/* --- modes, arrays and clocks ----------------------------------------------------------------- */

static fmi3Status unsupported(Instance *self, const char *what)
{
    return admit(self, CALL_UNSUPPORTED) ? (fmi3Status)error(self, "this FMU has no %s", what) : fmi3Error;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance)
{
    return unsupported(instance, "structural parameters");
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance)
{
    return unsupported(instance, "structural parameters");
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    return unsupported(instance, "event mode in co-simulation");
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference valueReference,
                                               size_t *nDependencies)
{
    (void)valueReference, (void)nDependencies;
    return unsupported(instance, "dependencies of elements of arrays");
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference dependent,
                                       size_t elementIndicesOfDependent[], fmi3ValueReference independents[],
                                       size_t elementIndicesOfIndependents[],
                                       fmi3DependencyKind dependencyKinds[], size_t nDependencies)
{
    (void)dependent, (void)elementIndicesOfDependent, (void)independents, (void)elementIndicesOfIndependents;
    (void)dependencyKinds, (void)nDependencies;
    return unsupported(instance, "dependencies of elements of arrays");
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                  size_t nValueReferences, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[])
{
    (void)valueReferences, (void)nValueReferences, (void)intervals, (void)qualifiers;
    return unsupported(instance, "clocks");
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                   size_t nValueReferences, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                   fmi3IntervalQualifier qualifiers[])
{
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions, (void)qualifiers;
    return unsupported(instance, "clocks");
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                               size_t nValueReferences, fmi3Float64 shifts[])
{
    (void)valueReferences, (void)nValueReferences, (void)shifts;
    return unsupported(instance, "clocks");
}

fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                size_t nValueReferences, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
    return unsupported(instance, "clocks");
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                  size_t nValueReferences, const fmi3Float64 intervals[])
{
    (void)valueReferences, (void)nValueReferences, (void)intervals;
    return unsupported(instance, "clocks");
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                   size_t nValueReferences, const fmi3UInt64 counters[],
                                   const fmi3UInt64 resolutions[])
{
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
    return unsupported(instance, "clocks");
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                               size_t nValueReferences, const fmi3Float64 shifts[])
{
    (void)valueReferences, (void)nValueReferences, (void)shifts;
    return unsupported(instance, "clocks");
}

fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                size_t nValueReferences, const fmi3UInt64 counters[],
                                const fmi3UInt64 resolutions[])
{
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
    return unsupported(instance, "clocks");
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clockReference,
                                      fmi3Float64 activationTime)
{
    (void)clockReference, (void)activationTime;
    return unsupported(instance, "clocks");
}

#endif
