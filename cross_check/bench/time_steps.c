/* Times fmi2DoStep of the libraries of FMUs, in turns.
 *
 *     time_steps SECONDS STEPS ROUNDS LIBRARY GUID REFERENCE VALUE [LIBRARY GUID REFERENCE VALUE ...]
 *
 * prints a line a round: the CPU time in nanoseconds of SECONDS from the start, in as many communication STEPS,
 * for each library in turn, or nan once it failed; at last, on a line each, what the FMUs said that failed.
 * Every round begins at the same state, so that all do the same work. Before it starts, the parameter of an
 * FMU with the value REFERENCE gets VALUE, unless REFERENCE is "-". */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2FunctionTypes.h"
#include "peers/stopwatch.h"

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

/* Whether the call went well; the runner is out of the race if not. */
static int passed(Runner *runner, fmi2Status status, const char *call) {
    if (status <= fmi2Warning) return 1;
    if (!runner->message[0]) snprintf(runner->message, 500, "%s: status %d", call, (int)status);
    runner->model = NULL;
    return 0;
}

#define WORDS 4 /* of a library */

static void begin(Runner *runner, char **words) {
    const char *guid = words[1];
    void *library = dlopen(words[0], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    fmi2InstantiateTYPE *instantiate;
    fmi2SetupExperimentTYPE *setup;
    fmi2EnterInitializationModeTYPE *enter;
    fmi2ExitInitializationModeTYPE *leave;
    fmi2GetFMUstateTYPE *save;
    fmi2SetRealTYPE *set;
    find(library, "fmi2SetReal", &set);
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
    if (strcmp(words[2], "-") != 0) {
        const fmi2ValueReference reference = (fmi2ValueReference)strtoul(words[2], NULL, 10);
        const fmi2Real value = strtod(words[3], NULL);
        if (!passed(runner, set(runner->model, &reference, 1, &value), "fmi2SetReal")) return;
    }
    if (!passed(runner, setup(runner->model, fmi2False, 0.0, 0.0, fmi2False, 0.0), "fmi2SetupExperiment")) return;
    if (!passed(runner, enter(runner->model), "fmi2EnterInitializationMode")) return;
    if (!passed(runner, leave(runner->model), "fmi2ExitInitializationMode")) return;
    passed(runner, save(runner->model, &runner->start), "fmi2GetFMUstate");
}

static double elapsed(Runner *runner, double step, int steps) {
    if (!runner->model) return NAN;
    if (!passed(runner, runner->restore(runner->model, runner->start), "fmi2SetFMUstate")) return NAN;
    const double started = now();
    fmi2Status status = fmi2OK;
    for (int i = 0; i < steps && status <= fmi2Warning; i++) {
        status = runner->do_step(runner->model, i * step, step, fmi2False);
    }
    const double spent = since(started);
    return passed(runner, status, "fmi2DoStep") ? spent : NAN;
}

int main(int count, char **words) {
    if (count < 4 + WORDS || (count - 4) % WORDS != 0) return 1;
    const int steps = atoi(words[2]), rounds = atoi(words[3]), runners = (count - 4) / WORDS;
    if (steps < 1) return 1;
    const double step = strtod(words[1], NULL) / steps;
    Runner *all = calloc((size_t)runners, sizeof *all);
    if (!all) return 2;
    for (int i = 0; i < runners; i++) begin(&all[i], words + 4 + WORDS * i);
    double *spent = calloc((size_t)runners, sizeof *spent);
    if (!spent) return 2;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < runners; i++) spent[i] = elapsed(&all[i], step, steps);
        for (int i = 0; i < runners; i++) printf("%.0f%c", spent[i], i + 1 < runners ? ' ' : '\n');
    }
    for (int i = 0; i < runners; i++) {
        if (!all[i].model) printf("%s\n", all[i].message);
    }
    free(spent);
    free(all);
    return 0;
}
