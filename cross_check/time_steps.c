/* Times fmi2DoStep of the libraries of FMUs, in turns.
 *
 *     time_steps SECONDS ROUNDS LIBRARY GUID [LIBRARY GUID ...]
 *
 * prints a line a round: the CPU time in nanoseconds of a communication step of SECONDS from the start, for
 * each library in turn, or nan once it failed; at last, on a line each, what the FMUs said that failed. Every
 * step begins at the same state, so that all rounds do the same work. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi2FunctionTypes.h"

typedef struct {
    fmi2Component model;
    fmi2FMUstate start;
    fmi2SetFMUstateTYPE *restore;
    fmi2DoStepTYPE *do_step;
    char message[500];
} Runner;

/* dlsym gives an object pointer; POSIX promises that it may be read as one to a function. */
static void find(void *library, const char *name, void *function) {
    *(void **)function = dlsym(library, name);
    if (!*(void **)function) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
}

static void report(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String message, ...) {
    (void)instance, (void)category;
    if (status > fmi2Warning) snprintf(((Runner *)environment)->message, 500, "%s", message);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* Whether the call went well; the runner is out of the race if not. */
static int passed(Runner *runner, fmi2Status status, const char *call) {
    if (status <= fmi2Warning) return 1;
    if (!runner->message[0]) snprintf(runner->message, 500, "%s: status %d", call, (int)status);
    runner->model = NULL;
    return 0;
}

static void begin(Runner *runner, const char *path, const char *guid) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    fmi2InstantiateTYPE *instantiate;
    fmi2SetupExperimentTYPE *setup;
    fmi2EnterInitializationModeTYPE *enter;
    fmi2ExitInitializationModeTYPE *leave;
    fmi2GetFMUstateTYPE *save;
    find(library, "fmi2Instantiate", &instantiate);
    find(library, "fmi2SetupExperiment", &setup);
    find(library, "fmi2EnterInitializationMode", &enter);
    find(library, "fmi2ExitInitializationMode", &leave);
    find(library, "fmi2GetFMUstate", &save);
    find(library, "fmi2SetFMUstate", &runner->restore);
    find(library, "fmi2DoStep", &runner->do_step);
    /* The library keeps the pointer. */
    fmi2CallbackFunctions *callbacks = malloc(sizeof *callbacks);
    if (!callbacks) exit(2);
    const fmi2CallbackFunctions filled = {report, calloc, free, NULL, runner};
    memcpy(callbacks, &filled, sizeof filled);
    runner->model = instantiate("timed", fmi2CoSimulation, guid, "file:///", callbacks, fmi2False, fmi2False);
    if (!passed(runner, runner->model ? fmi2OK : fmi2Error, "fmi2Instantiate")) return;
    if (!passed(runner, setup(runner->model, fmi2False, 0.0, 0.0, fmi2False, 0.0), "fmi2SetupExperiment")) return;
    if (!passed(runner, enter(runner->model), "fmi2EnterInitializationMode")) return;
    if (!passed(runner, leave(runner->model), "fmi2ExitInitializationMode")) return;
    passed(runner, save(runner->model, &runner->start), "fmi2GetFMUstate");
}

static double elapsed(Runner *runner, double step) {
    if (!runner->model) return NAN;
    if (!passed(runner, runner->restore(runner->model, runner->start), "fmi2SetFMUstate")) return NAN;
    const double started = now();
    const fmi2Status status = runner->do_step(runner->model, 0.0, step, fmi2False);
    const double spent = now() - started;
    return passed(runner, status, "fmi2DoStep") ? spent : NAN;
}

int main(int count, char **words) {
    if (count < 5 || count % 2 == 0) return 1;
    const double step = strtod(words[1], NULL);
    const int rounds = atoi(words[2]), runners = (count - 3) / 2;
    Runner *all = calloc((size_t)runners, sizeof *all);
    if (!all) return 2;
    for (int i = 0; i < runners; i++) begin(&all[i], words[3 + 2 * i], words[4 + 2 * i]);
    double *spent = calloc((size_t)runners, sizeof *spent);
    if (!spent) return 2;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < runners; i++) spent[i] = elapsed(&all[i], step);
        for (int i = 0; i < runners; i++) printf("%.0f%c", spent[i], i + 1 < runners ? ' ' : '\n');
    }
    for (int i = 0; i < runners; i++) {
        if (!all[i].model) printf("%s\n", all[i].message);
    }
    free(spent);
    free(all);
    return 0;
}
