/* Times several closures of one mechanism against each other, in one process and in turns.
 *
 *     time_closures STEP COUNT ROUNDS LIBRARY GUID [LIBRARY GUID ...]
 *
 * The first library runs COUNT steps of STEP seconds; all libraries then follow that motion ROUNDS times.
 * Prints a line a library: CPU nanoseconds a row for positions and for all of the motion, low quantiles of
 * the rounds, and iterations a row. A closure that cannot follow has -1 in place of its times. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi2FunctionTypes.h"
#include "peers/stopwatch.h"

#define MOST 16

typedef double Probe(fmi2Component component, const double *motion, int count);

typedef struct {
    void *library;
    fmi2Component model;
    Probe *probes[2];
    double *times[2];
    double iterations;
} Closure;

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return found;
}

static void require(fmi2Status status, const char *call)
{
    if (status > fmi2Warning) {
        fprintf(stderr, "%s: status %d\n", call, (int)status);
        exit(3);
    }
}

static void report(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)instance, (void)category;
    if (status > fmi2Warning) {
        fprintf(stderr, "%s\n", message);
    }
}

static const fmi2CallbackFunctions callbacks = {report, calloc, free, NULL, NULL};

static void start(Closure *closure, const char *path, const char *guid, int rounds)
{
    closure->library = dlopen(path, RTLD_NOW);
    if (!closure->library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    void *library = closure->library;
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)symbol(library, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = (fmi2SetupExperimentTYPE *)symbol(library, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter =
        (fmi2EnterInitializationModeTYPE *)symbol(library, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave =
        (fmi2ExitInitializationModeTYPE *)symbol(library, "fmi2ExitInitializationMode");
    closure->model = instantiate("timed", fmi2CoSimulation, guid, "file:///", &callbacks, fmi2False, fmi2False);
    if (!closure->model) {
        exit(3);
    }
    require(setup(closure->model, fmi2False, 0.0, 0.0, fmi2False, 0.0), "fmi2SetupExperiment");
    require(enter(closure->model), "fmi2EnterInitializationMode");
    require(leave(closure->model), "fmi2ExitInitializationMode");
    closure->probes[0] = (Probe *)symbol(library, "probe_positions");
    closure->probes[1] = (Probe *)symbol(library, "probe_motion");
    for (int i = 0; i < 2; i++) {
        closure->times[i] = calloc((size_t)rounds, sizeof(double));
    }
}

static void measure(Closure *closure, const double *motion, int count, int round)
{
    for (int i = 0; i < 2; i++) {
        const double begin = now();
        const double iterations = closure->probes[i](closure->model, motion, count);
        closure->times[i][round] = iterations < 0.0 ? -1.0 : since(begin) / count;
        closure->iterations = iterations / count;
    }
}

int main(int words, char **word)
{
    const int closures = (words - 4) / 2;
    if (closures < 1 || closures > MOST || words % 2) {
        return 1;
    }
    const double step = strtod(word[1], NULL);
    const int rounds = atoi(word[3]);
    static Closure all[MOST];
    for (int i = 0; i < closures; i++) {
        start(&all[i], word[4 + 2 * i], word[5 + 2 * i], rounds);
    }
    typedef int Row(void);
    typedef int Record(fmi2Component component, double step, int count, double *motion);
    const int row = ((Row *)symbol(all[0].library, "probe_row"))();
    double *motion = calloc((size_t)atoi(word[2]) * (size_t)row, sizeof *motion);
    if (!motion) {
        return 4;
    }
    const int count = ((Record *)symbol(all[0].library, "probe_record"))(all[0].model, step, atoi(word[2]), motion);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < closures; i++) {
            measure(&all[i], motion, count, round);
        }
    }
    for (int i = 0; i < closures; i++) {
        Probe *residual = (Probe *)symbol(all[i].library, "probe_residual");
        printf("%.1f %.1f %.3f %.3g\n", quantile(all[i].times[0], rounds), quantile(all[i].times[1], rounds),
               all[i].iterations, residual(all[i].model, motion, count));
    }
    return 0;
}
