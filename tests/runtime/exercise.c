/* Lives through everything an FMU can be asked, several instances at once, for the sanitizers to watch.
 * Exit code: the number of the first expectation that is not met, 0 if all are. */
#include <stdio.h>
#include <stdlib.h>

#include "fmi2Functions.h"
#include "model.h"

#define EXPECT(number, condition) \
    do { \
        if (!(condition)) { \
            return number; \
        } \
    } while (0)

static int allocated;

static void *count_allocation(size_t n, size_t size)
{
    allocated++;
    return calloc(n, size);
}

static void count_release(void *memory)
{
    allocated -= memory != NULL;
    free(memory);
}

static void log_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                        fmi2String category, fmi2String message, ...)
{
    (void)environment;
    fprintf(stderr, "%s %d %s: %s\n", name, (int)status, category, message);
}

static int run(fmi2Component it, double size, int steps)
{
    fmi2ValueReference references[MODEL_N_REALS];
    double values[MODEL_N_REALS];
    for (unsigned i = 0; i < MODEL_N_REALS; i++) {
        references[i] = i;
    }
    EXPECT(1, fmi2SetupExperiment(it, fmi2True, 1e-8, 0.0, fmi2True, size * steps) == fmi2OK);
    EXPECT(2, fmi2EnterInitializationMode(it) == fmi2OK);
    EXPECT(3, fmi2GetReal(it, references, MODEL_N_REALS, values) == fmi2OK);
    EXPECT(4, fmi2ExitInitializationMode(it) == fmi2OK);
    double t = 0.0;
    for (int k = 0; k < steps; k++, t += size) {
        EXPECT(5, fmi2DoStep(it, t, size, fmi2True) == fmi2OK);
        EXPECT(6, fmi2GetReal(it, references, MODEL_N_REALS, values) == fmi2OK);
    }
    EXPECT(7, fmi2Terminate(it) == fmi2OK);
    return 0;
}

static int save_and_restore(fmi2Component it)
{
    fmi2FMUstate state = NULL, copy = NULL;
    size_t size;
    EXPECT(10, fmi2GetFMUstate(it, &state) == fmi2OK);
    EXPECT(11, fmi2GetFMUstate(it, &state) == fmi2OK); /* into the same memory */
    EXPECT(12, fmi2SerializedFMUstateSize(it, state, &size) == fmi2OK);
    char *bytes = malloc(size);
    EXPECT(13, fmi2SerializeFMUstate(it, state, bytes, size) == fmi2OK);
    EXPECT(14, fmi2SerializeFMUstate(it, state, bytes, size - 1) == fmi2Error);
    EXPECT(15, fmi2DeSerializeFMUstate(it, bytes, size, &copy) == fmi2OK);
    EXPECT(16, fmi2SetFMUstate(it, copy) == fmi2OK);
    bytes[0] ^= 1;
    EXPECT(17, fmi2SetFMUstate(it, NULL) == fmi2Error);
    fmi2FMUstate refused = NULL;
    EXPECT(18, fmi2DeSerializeFMUstate(it, bytes, size, &refused) == fmi2Error && !refused);
    free(bytes);
    EXPECT(19, fmi2FreeFMUstate(it, &state) == fmi2OK && !state);
    EXPECT(20, fmi2FreeFMUstate(it, &copy) == fmi2OK && fmi2FreeFMUstate(it, &copy) == fmi2OK);
    return 0;
}

static int live(const fmi2CallbackFunctions *callbacks)
{
    fmi2Component it[3];
    for (int i = 0; i < 3; i++) {
        it[i] = fmi2Instantiate("it", fmi2CoSimulation, MODEL_GUID, "", callbacks, fmi2False, fmi2True);
        EXPECT(30, it[i]);
    }
    EXPECT(32, !fmi2Instantiate("it", fmi2CoSimulation, "{no}", "", callbacks, fmi2False, fmi2False));
    EXPECT(33, !fmi2Instantiate("", fmi2CoSimulation, MODEL_GUID, "", callbacks, fmi2False, fmi2False));
    for (int i = 0; i < 3; i++) {
        int failed = run(it[i], 0.05, 40);
        failed = failed ? failed : save_and_restore(it[i]);
        EXPECT(failed, !failed);
        EXPECT(34, fmi2Reset(it[i]) == fmi2OK);
        failed = run(it[i], 0.3, 4);
        EXPECT(failed, !failed);
    }
    for (int i = 0; i < 3; i++) {
        fmi2FreeInstance(it[i]);
    }
    fmi2FreeInstance(NULL);
    EXPECT(35, fmi2DoStep(NULL, 0.0, 1.0, fmi2True) == fmi2Error);
    return 0;
}

/* Explicit Euler by an importer, with derivatives and everything else that may be asked on the way. */
static int exchange(const fmi2CallbackFunctions *callbacks)
{
    enum { STATES = MODEL_NKD };
    double y[STATES + 1], dydt[STATES + 1], seed = 1.0, found = 0.0;
    fmi2EventInfo info;
    fmi2Boolean event, terminate;
    fmi2ValueReference unknown = MODEL_Y0, known = MODEL_P0;
    fmi2Component it =
        fmi2Instantiate("it", fmi2ModelExchange, MODEL_GUID, "", callbacks, fmi2False, fmi2True);
    EXPECT(50, it && fmi2SetupExperiment(it, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK);
    EXPECT(51, fmi2EnterInitializationMode(it) == fmi2OK);
    EXPECT(52, fmi2GetDirectionalDerivative(it, &unknown, 1, &known, 1, &seed, &found) == fmi2OK);
    EXPECT(53, fmi2ExitInitializationMode(it) == fmi2OK && fmi2DoStep(it, 0.0, 0.1, fmi2True) == fmi2Error);
    EXPECT(54, fmi2NewDiscreteStates(it, &info) == fmi2OK && fmi2EnterContinuousTimeMode(it) == fmi2OK);
    for (int k = 0; k < 200; k++) {
        EXPECT(55, fmi2GetContinuousStates(it, y, STATES) == fmi2OK);
        EXPECT(56, fmi2GetDerivatives(it, dydt, STATES) == fmi2OK);
        for (int i = 0; i < STATES; i++) {
            y[i] += 1e-3 * dydt[i];
        }
        EXPECT(57, fmi2SetTime(it, 1e-3 * (k + 1)) == fmi2OK && fmi2SetContinuousStates(it, y, STATES) == fmi2OK);
        EXPECT(58, fmi2CompletedIntegratorStep(it, fmi2True, &event, &terminate) == fmi2OK);
        EXPECT(59, fmi2GetDirectionalDerivative(it, &unknown, 1, &known, 1, &seed, &found) == fmi2OK);
        if (event) {
            EXPECT(60, fmi2EnterEventMode(it) == fmi2OK && fmi2NewDiscreteStates(it, &info) == fmi2OK);
            EXPECT(61, fmi2EnterContinuousTimeMode(it) == fmi2OK);
        }
    }
    EXPECT(62, fmi2SetContinuousStates(it, y, STATES + 1) == fmi2Error);
    EXPECT(63, fmi2GetEventIndicators(it, y, 0) == fmi2OK);
    const int failed = save_and_restore(it);
    EXPECT(failed, !failed);
    EXPECT(64, fmi2Terminate(it) == fmi2OK);
    fmi2FreeInstance(it);
    return 0;
}

static int live_and_die(const fmi2CallbackFunctions *callbacks)
{
    for (int k = 0; k < 1000; k++) {
        fmi2Component it =
            fmi2Instantiate("it", fmi2CoSimulation, MODEL_GUID, "", callbacks, fmi2False, fmi2False);
        EXPECT(70, it);
        fmi2FreeInstance(it);
    }
    return 0;
}

int main(void)
{
    const fmi2CallbackFunctions theirs = {log_message, count_allocation, count_release, NULL, NULL};
    const fmi2CallbackFunctions none = {NULL, NULL, NULL, NULL, NULL};
    int failed = live(&theirs);
    EXPECT(failed, !failed);
    failed = exchange(&theirs);
    EXPECT(failed, !failed);
    failed = live_and_die(&theirs);
    EXPECT(failed, !failed);
    EXPECT(40, allocated == 0);
    return live(&none);
}
