/* Two FMUs, two instances of each, in one process: a thread drives one instance of each FMU, step by step in
 * turn, while another thread drives the other two.
 *
 *     master STOP STEP LIBRARY GUID REFERENCE LIBRARY GUID REFERENCE
 *
 * A line an instance: all values of its reference, with all their digits. Instances of one FMU must print
 * the same line. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi2Functions.h"
#include "loading.h"

typedef struct {
    fmi2InstantiateTYPE *instantiate;
    fmi2SetupExperimentTYPE *setup;
    fmi2EnterInitializationModeTYPE *enter;
    fmi2ExitInitializationModeTYPE *leave;
    fmi2DoStepTYPE *do_step;
    fmi2GetRealTYPE *get_real;
    fmi2TerminateTYPE *terminate;
    fmi2FreeInstanceTYPE *free_instance;
    const char *guid;
    fmi2ValueReference reference;
} Fmu;

typedef struct {
    const Fmu *fmus[2];
    double stop, step;
    long steps;
    double *values[2];
    int failed;
} Work;

static void say_nothing(void *environment, fmi2String instance, fmi2Status status, fmi2String category,
                        fmi2String message, ...)
{
    (void)environment;
    (void)instance;
    (void)status;
    (void)category;
    (void)message;
}

static const fmi2CallbackFunctions CALLBACKS = {say_nothing, calloc, free, NULL, NULL};

static Fmu load_fmu(const char *path, const char *guid, const char *reference)
{
    void *library = load_library(path);
    if (!library) {
        fprintf(stderr, "%s cannot be loaded\n", path);
        exit(3);
    }
    const Fmu fmu = {
        (fmi2InstantiateTYPE *)load_function(library, "fmi2Instantiate"),
        (fmi2SetupExperimentTYPE *)load_function(library, "fmi2SetupExperiment"),
        (fmi2EnterInitializationModeTYPE *)load_function(library, "fmi2EnterInitializationMode"),
        (fmi2ExitInitializationModeTYPE *)load_function(library, "fmi2ExitInitializationMode"),
        (fmi2DoStepTYPE *)load_function(library, "fmi2DoStep"),
        (fmi2GetRealTYPE *)load_function(library, "fmi2GetReal"),
        (fmi2TerminateTYPE *)load_function(library, "fmi2Terminate"),
        (fmi2FreeInstanceTYPE *)load_function(library, "fmi2FreeInstance"),
        guid,
        (fmi2ValueReference)strtoul(reference, NULL, 10),
    };
    return fmu;
}

static void *run(void *argument)
{
    Work *work = argument;
    fmi2Component instances[2];
    for (int k = 0; k < 2; k++) {
        const Fmu *fmu = work->fmus[k];
        instances[k] =
            fmu->instantiate("one of four", fmi2CoSimulation, fmu->guid, "", &CALLBACKS, fmi2False, fmi2False);
        if (!instances[k] || fmu->setup(instances[k], fmi2False, 0.0, 0.0, fmi2True, work->stop) > fmi2Warning ||
            fmu->enter(instances[k]) > fmi2Warning || fmu->leave(instances[k]) > fmi2Warning) {
            work->failed = 1;
            return NULL;
        }
    }
    for (long i = 0; i < work->steps; i++) {
        for (int k = 0; k < 2; k++) {
            const Fmu *fmu = work->fmus[k];
            const double begin = (double)i * work->step;
            const double end = i + 1 < work->steps ? (double)(i + 1) * work->step : work->stop;
            if (fmu->do_step(instances[k], begin, end - begin, fmi2True) > fmi2Warning ||
                fmu->get_real(instances[k], &fmu->reference, 1, &work->values[k][i]) > fmi2Warning) {
                work->failed = 1;
                return NULL;
            }
        }
    }
    for (int k = 0; k < 2; k++) {
        work->fmus[k]->terminate(instances[k]);
        work->fmus[k]->free_instance(instances[k]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 9) {
        fprintf(stderr, "usage: master STOP STEP LIBRARY GUID REFERENCE LIBRARY GUID REFERENCE\n");
        return 2;
    }
    const double stop = strtod(argv[1], NULL), step = strtod(argv[2], NULL);
    const Fmu first = load_fmu(argv[3], argv[4], argv[5]), second = load_fmu(argv[6], argv[7], argv[8]);
    Work work[2];
    pthread_t threads[2];
    for (int n = 0; n < 2; n++) {
        work[n] = (Work){.fmus = {&first, &second}, .stop = stop, .step = step, .steps = (long)(stop / step + 0.5)};
        for (int k = 0; k < 2; k++) {
            work[n].values[k] = calloc((size_t)work[n].steps, sizeof(double));
            if (!work[n].values[k]) {
                return 3;
            }
        }
    }
    for (int n = 0; n < 2; n++) {
        if (pthread_create(&threads[n], NULL, run, &work[n]) != 0) {
            return 3;
        }
    }
    for (int n = 0; n < 2; n++) {
        pthread_join(threads[n], NULL);
    }
    for (int k = 0; k < 2; k++) {
        for (int n = 0; n < 2; n++) {
            for (long i = 0; i < work[n].steps; i++) {
                printf("%.17g%c", work[n].values[k][i], i + 1 < work[n].steps ? ' ' : '\n');
            }
            free(work[n].values[k]);
        }
    }
    return work[0].failed || work[1].failed ? 5 : 0;
}
