/* Times every communication step of closures of one mechanism, and measures what each leaves open.
 *
 *     time_cycles STEP COUNT ROUNDS REFERENCE LIBRARY GUID [LIBRARY GUID ...]
 *
 * Each library goes COUNT steps of STEP seconds from its start, ROUNDS times. The time of a step is the least
 * of all rounds: what else the machine does takes longer. Prints a line a library: the mean and the longest
 * step in CPU nanoseconds, the value REFERENCE at the end, and for each coordinate by how much it differs, at
 * most, from where the last library puts it for the same independent coordinates; nan once it failed. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi2FunctionTypes.h"
#include "peers/stopwatch.h"

typedef struct {
    void *library;
    const char *guid;
    fmi2Component model;
} Runner;

static void *symbol(const Runner *runner, const char *name)
{
    void *found = dlsym(runner->library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return found;
}

static void *room(size_t count)
{
    void *found = calloc(count, sizeof(double));
    if (!found) {
        exit(4);
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

static void begin(Runner *runner)
{
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)symbol(runner, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = (fmi2SetupExperimentTYPE *)symbol(runner, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter =
        (fmi2EnterInitializationModeTYPE *)symbol(runner, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave =
        (fmi2ExitInitializationModeTYPE *)symbol(runner, "fmi2ExitInitializationMode");
    fmi2FreeInstanceTYPE *release = (fmi2FreeInstanceTYPE *)symbol(runner, "fmi2FreeInstance");
    if (runner->model) {
        release(runner->model);
    }
    runner->model =
        instantiate("timed", fmi2CoSimulation, runner->guid, "file:///", &callbacks, fmi2False, fmi2False);
    if (!runner->model || setup(runner->model, fmi2False, 0.0, 0.0, fmi2False, 0.0) > fmi2Warning ||
        enter(runner->model) > fmi2Warning || leave(runner->model) > fmi2Warning) {
        fprintf(stderr, "a closure does not start\n");
        exit(3);
    }
}

/* Whether it comes to the end; the times of its steps become smaller, and its motion is noted. */
static int run(Runner *runner, double step, int count, double *least, double *motion)
{
    typedef int Row(void);
    typedef void Now(fmi2Component component, double *row);
    fmi2DoStepTYPE *do_step = (fmi2DoStepTYPE *)symbol(runner, "fmi2DoStep");
    Now *note = (Now *)symbol(runner, "probe_now");
    const int row = ((Row *)symbol(runner, "probe_row"))();
    begin(runner);
    for (int i = 0; i < count; i++) {
        note(runner->model, motion + (size_t)i * (size_t)row);
        const double started = now();
        const fmi2Status status = do_step(runner->model, i * step, step, fmi2True);
        const double spent = since(started);
        if (status > fmi2Warning) {
            return 0;
        }
        least[i] = spent < least[i] ? spent : least[i];
    }
    return 1;
}

int main(int words, char **word)
{
    typedef int Row(void);
    typedef int Errors(fmi2Component component, const double *motion, int count, double *errors);
    const int closures = (words - 5) / 2;
    if (closures < 1 || words % 2 == 0) {
        return 1;
    }
    const double step = strtod(word[1], NULL);
    const int count = atoi(word[2]), rounds = atoi(word[3]);
    const fmi2ValueReference reference = (fmi2ValueReference)strtoul(word[4], NULL, 10);
    Runner *all = calloc((size_t)closures, sizeof *all);
    if (!all) {
        return 4;
    }
    for (int i = 0; i < closures; i++) {
        all[i].library = dlopen(word[5 + 2 * i], RTLD_NOW | RTLD_LOCAL);
        if (!all[i].library) {
            fprintf(stderr, "%s\n", dlerror());
            return 2;
        }
        all[i].guid = word[6 + 2 * i];
    }
    Runner *truth = &all[closures - 1];
    const int row = ((Row *)symbol(truth, "probe_row"))(), coordinates = (row - 1) / 2;
    double *least = room((size_t)count), *motion = room((size_t)count * (size_t)row);
    double *errors = room((size_t)coordinates);
    for (int i = 0; i < closures; i++) {
        int passed = 1;
        double sum = 0.0, longest = 0.0, end = NAN;
        for (int k = 0; k < count; k++) {
            least[k] = INFINITY;
        }
        for (int round = 0; round < rounds && passed; round++) {
            passed = run(&all[i], step, count, least, motion);
        }
        for (int k = 0; k < count; k++) {
            sum += least[k];
            longest = fmax(longest, least[k]);
        }
        if (passed) {
            ((fmi2GetRealTYPE *)symbol(&all[i], "fmi2GetReal"))(all[i].model, &reference, 1, &end);
            begin(truth);
            passed = ((Errors *)symbol(truth, "probe_errors"))(truth->model, motion, count, errors);
        }
        printf("%.1f %.1f %.17g", passed ? sum / count : NAN, passed ? longest : NAN, end);
        for (int k = 0; k < coordinates; k++) {
            printf(" %.3g", passed ? errors[k] : NAN);
        }
        printf("\n");
    }
    return 0;
}
