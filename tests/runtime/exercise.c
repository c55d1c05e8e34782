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

int main(void)
{
    const fmi2CallbackFunctions theirs = {log_message, count_allocation, count_release, NULL, NULL};
    const fmi2CallbackFunctions none = {NULL, NULL, NULL, NULL, NULL};
    int failed = live(&theirs);
    EXPECT(failed, !failed);
    EXPECT(40, allocated == 0);
    return live(&none);
}
