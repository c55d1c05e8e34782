/* Times fmi2DoStep of an FMI 2.0 co-simulation library from C.
 *
 *     driver LIBRARY GUID STEP COUNT REPEATS
 *
 * prints the least CPU time of one step over the repeats, in nanoseconds. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fmi2Functions.h"

static void print_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                          fmi2String category, fmi2String message, ...)
{
    (void)environment;
    (void)name;
    (void)status;
    (void)category;
    fprintf(stderr, "%s\n", message);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define FUNCTION(name) name##TYPE *const name##_ = (name##TYPE *)dlsym(library, #name)

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: driver LIBRARY GUID STEP COUNT REPEATS\n");
        return 2;
    }
    void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    FUNCTION(fmi2Instantiate);
    FUNCTION(fmi2SetupExperiment);
    FUNCTION(fmi2EnterInitializationMode);
    FUNCTION(fmi2ExitInitializationMode);
    FUNCTION(fmi2DoStep);
    FUNCTION(fmi2Reset);
    const fmi2CallbackFunctions callbacks = {print_message, calloc, free, NULL, NULL};
    const fmi2Component fmu =
        fmi2Instantiate_("timed", fmi2CoSimulation, argv[2], "", &callbacks, fmi2False, fmi2False);
    const double step = atof(argv[3]);
    const int count = atoi(argv[4]), repeats = atoi(argv[5]);
    double best = 1e300;
    if (!fmu) {
        return 1;
    }
    for (int repeat = 0; repeat < repeats; repeat++) {
        fmi2Reset_(fmu);
        fmi2SetupExperiment_(fmu, fmi2False, 0.0, 0.0, fmi2False, 0.0);
        fmi2EnterInitializationMode_(fmu);
        if (fmi2ExitInitializationMode_(fmu) != fmi2OK) {
            return 1;
        }
        const double begin = cpu_seconds();
        for (int i = 0; i < count; i++) {
            if (fmi2DoStep_(fmu, i * step, step, fmi2True) != fmi2OK) {
                return 1;
            }
        }
        const double spent = cpu_seconds() - begin;
        best = spent < best ? spent : best;
    }
    printf("%.1f\n", best / count * 1e9);
    return 0;
}
