/* Times fmi2DoStep of an FMU's library.
 *
 *     time_steps LIBRARY GUID SECONDS REPEATS
 *
 * prints the least time, in nanoseconds, of REPEATS communication steps of SECONDS each. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fmi2FunctionTypes.h"

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return found;
}

static void require(fmi2Status status, const char *call) {
    if (status > fmi2Warning) {
        fprintf(stderr, "%s: status %d\n", call, (int)status);
        exit(3);
    }
}

static void report(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String message, ...) {
    (void)environment, (void)instance, (void)category;
    if (status > fmi2Warning) fprintf(stderr, "%s\n", message);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

int main(int count, char **words) {
    if (count != 5) return 1;
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    const double step = strtod(words[3], NULL);
    const int repeats = atoi(words[4]);
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)symbol(library, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = (fmi2SetupExperimentTYPE *)symbol(library, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter =
        (fmi2EnterInitializationModeTYPE *)symbol(library, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave =
        (fmi2ExitInitializationModeTYPE *)symbol(library, "fmi2ExitInitializationMode");
    fmi2DoStepTYPE *do_step = (fmi2DoStepTYPE *)symbol(library, "fmi2DoStep");

    const fmi2CallbackFunctions callbacks = {report, calloc, free, NULL, NULL};
    fmi2Component model =
        instantiate("timed", fmi2CoSimulation, words[2], "file:///", &callbacks, fmi2False, fmi2False);
    if (!model) return 3;
    require(setup(model, fmi2False, 0.0, 0.0, fmi2False, 0.0), "fmi2SetupExperiment");
    require(enter(model), "fmi2EnterInitializationMode");
    require(leave(model), "fmi2ExitInitializationMode");
    double least = 0.0;
    for (int i = 0; i < repeats; i++) {
        const double begin = now();
        require(do_step(model, i * step, step, fmi2True), "fmi2DoStep");
        const double elapsed = now() - begin;
        if (i == 0 || elapsed < least) least = elapsed;
    }
    printf("%.0f\n", least);
    return 0;
}
