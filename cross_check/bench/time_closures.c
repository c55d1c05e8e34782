/* Times several closures, or several sets of coordinates, of one mechanism, in one process and in turns.
 *
 *     time_closures WHOSE STEP COUNT ROUNDS LIBRARY GUID [LIBRARY GUID ...]
 *
 * The first library runs COUNT steps of STEP seconds, and all libraries then follow that motion ROUNDS times;
 * with "own" for WHOSE, in place of "first", each runs and follows its own, which is to be a short one.
 * Where an instance lies in memory makes a difference of some percent: each library has PLACES of them, which
 * take turns from round to round.
 * Prints a line a round: for each library CPU nanoseconds a row for positions and for all of the motion, or nan
 * where it cannot follow; then a line a library: iterations a row, and the largest residual. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2FunctionTypes.h"
#include "peers/stopwatch.h"

#define MOST 16
#define PLACES 8

typedef double Probe(fmi2Component component, const double *motion, int count);

typedef struct {
    void *library;
    fmi2Component models[PLACES]; /* none where the FMU does not start */
    Probe *probes[2];
    double *motion;
    int count;
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

static void report(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)instance, (void)category;
    if (status > fmi2Warning) {
        fprintf(stderr, "%s\n", message);
    }
}

static const fmi2CallbackFunctions callbacks = {report, calloc, free, NULL, NULL};

static fmi2Component started(void *library, const char *guid)
{
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)symbol(library, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = (fmi2SetupExperimentTYPE *)symbol(library, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter =
        (fmi2EnterInitializationModeTYPE *)symbol(library, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave =
        (fmi2ExitInitializationModeTYPE *)symbol(library, "fmi2ExitInitializationMode");
    fmi2Component model =
        instantiate("timed", fmi2CoSimulation, guid, "file:///", &callbacks, fmi2False, fmi2False);
    const int fails = !model || setup(model, fmi2False, 0.0, 0.0, fmi2False, 0.0) > fmi2Warning ||
                      enter(model) > fmi2Warning || leave(model) > fmi2Warning;
    return fails ? NULL : model;
}

static void start(Closure *closure, const char *path, const char *guid, const char *motion)
{
    closure->library = dlopen(path, RTLD_NOW);
    if (!closure->library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    for (int i = 0; i < PLACES; i++) {
        closure->models[i] = started(closure->library, guid);
        if (!malloc((size_t)(40 + 208 * i))) { /* moves the next one */
            exit(4);
        }
    }
    closure->probes[0] = (Probe *)symbol(closure->library, "probe_positions");
    closure->probes[1] = (Probe *)symbol(closure->library, motion);
}

static void record(Closure *closure, double step, int count)
{
    typedef int Row(void);
    typedef int Record(fmi2Component component, double step, int count, double *motion);
    const int row = ((Row *)symbol(closure->library, "probe_row"))();
    closure->motion = calloc((size_t)count * (size_t)row, sizeof(double));
    if (!closure->motion) {
        exit(4);
    }
    Record *run = (Record *)symbol(closure->library, "probe_record");
    for (int i = 0; i < PLACES; i++) { /* all alike, so that all are in the same coordinates at the end */
        closure->count = closure->models[i] ? run(closure->models[i], step, count, closure->motion) : 0;
    }
}

static double measured(Closure *closure, Probe *probe, fmi2Component model)
{
    if (!model) {
        return NAN;
    }
    const double begin = now();
    const double iterations = probe(model, closure->motion, closure->count);
    const double spent = since(begin);
    closure->iterations = iterations / closure->count;
    return iterations < 0.0 ? NAN : spent / closure->count;
}

int main(int words, char **word)
{
    const int closures = (words - 5) / 2;
    if (closures < 1 || closures > MOST || words % 2 == 0) {
        return 1;
    }
    const int own = strcmp(word[1], "own") == 0;
    const double step = strtod(word[2], NULL);
    const int count = atoi(word[3]), rounds = atoi(word[4]);
    static Closure all[MOST];
    for (int i = 0; i < closures; i++) {
        start(&all[i], word[5 + 2 * i], word[6 + 2 * i], own ? "probe_short_motion" : "probe_motion");
        if (own || i == 0) {
            record(&all[i], step, count);
        } else {
            all[i].motion = all[0].motion;
            all[i].count = all[0].count;
        }
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < closures; i++) {
            fmi2Component model = all[i].models[round % PLACES];
            const double positions = measured(&all[i], all[i].probes[0], model);
            const double motion = measured(&all[i], all[i].probes[1], model);
            printf("%.2f %.2f%c", positions, motion, i + 1 < closures ? ' ' : '\n');
        }
    }
    for (int i = 0; i < closures; i++) {
        Probe *residual = (Probe *)symbol(all[i].library, "probe_residual");
        fmi2Component model = all[i].models[0];
        const double largest = model ? residual(model, all[i].motion, all[i].count) : NAN;
        printf("%.3f %.3g\n", all[i].iterations, largest);
    }
    return 0;
}
