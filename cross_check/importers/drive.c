/* Runs an FMI 2.0 co-simulation FMU from its library alone, on any platform, and prints what it does.
 *
 *     drive LIBRARY GUID STOP STEP REFERENCE...
 *
 * A line a communication point: the values of the references, with all their digits. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi2Functions.h"
#include "loading.h"

static void print_message(void *environment, fmi2String instance, fmi2Status status, fmi2String category,
                          fmi2String message, ...)
{
    va_list arguments;
    (void)environment;
    (void)category;
    if (status == fmi2OK) {
        return;
    }
    va_start(arguments, message);
    fprintf(stderr, "%s: ", instance);
    vfprintf(stderr, message, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

static void print_values(fmi2GetRealTYPE *get_real, fmi2Component fmu, const fmi2ValueReference *references,
                         size_t count, double *values)
{
    if (get_real(fmu, references, count, values) > fmi2Warning) {
        exit(5);
    }
    for (size_t i = 0; i < count; i++) {
        printf("%.17g%c", values[i], i + 1 < count ? ' ' : '\n');
    }
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: drive LIBRARY GUID STOP STEP REFERENCE...\n");
        return 2;
    }
    void *library = load_library(argv[1]);
    if (!library) {
        fprintf(stderr, "%s cannot be loaded\n", argv[1]);
        return 3;
    }
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)load_function(library, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = (fmi2SetupExperimentTYPE *)load_function(library, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter =
        (fmi2EnterInitializationModeTYPE *)load_function(library, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave =
        (fmi2ExitInitializationModeTYPE *)load_function(library, "fmi2ExitInitializationMode");
    fmi2DoStepTYPE *do_step = (fmi2DoStepTYPE *)load_function(library, "fmi2DoStep");
    fmi2GetRealTYPE *get_real = (fmi2GetRealTYPE *)load_function(library, "fmi2GetReal");
    fmi2TerminateTYPE *terminate = (fmi2TerminateTYPE *)load_function(library, "fmi2Terminate");
    fmi2FreeInstanceTYPE *free_instance = (fmi2FreeInstanceTYPE *)load_function(library, "fmi2FreeInstance");

    const fmi2CallbackFunctions callbacks = {print_message, calloc, free, NULL, NULL};
    const double stop = strtod(argv[3], NULL), step = strtod(argv[4], NULL);
    const size_t count = (size_t)argc - 5;
    fmi2ValueReference *references = calloc(count, sizeof *references);
    double *values = calloc(count, sizeof *values);
    if (!references || !values) {
        return 3;
    }
    for (size_t i = 0; i < count; i++) {
        references[i] = (fmi2ValueReference)strtoul(argv[5 + i], NULL, 10);
    }
    fmi2Component fmu = instantiate("drive", fmi2CoSimulation, argv[2], "", &callbacks, fmi2False, fmi2True);
    if (!fmu || setup(fmu, fmi2False, 0.0, 0.0, fmi2True, stop) > fmi2Warning || enter(fmu) > fmi2Warning ||
        leave(fmu) > fmi2Warning) {
        return 4;
    }
    const long steps = (long)(stop / step + 0.5);
    print_values(get_real, fmu, references, count, values);
    for (long i = 0; i < steps; i++) {
        const double begin = (double)i * step, end = i + 1 < steps ? (double)(i + 1) * step : stop;
        if (do_step(fmu, begin, end - begin, fmi2True) > fmi2Warning) {
            return 5;
        }
        print_values(get_real, fmu, references, count, values);
    }
    terminate(fmu);
    free_instance(fmu);
    free(references);
    free(values);
    return 0;
}
