/* Calls functions at random, legal or not, with arguments at random, sensible or not, for the sanitizers to
 * watch. Nothing that is not a number may come out, and a reset must always lead back to a run.
 *
 *     wander SEED CALLS
 *
 * Exit code: the number of the first expectation that is not met, 0 if all are. */
#include <math.h>
#include <stdint.h>
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

enum { MOST = 4, STATES = MODEL_NKD, STEPS = 300, LONGEST = 40 };

static uint64_t random_state;

static unsigned draw(unsigned below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % below;
}

static double number(void)
{
    static const double odd[] = {0.0, -1.0, 1e-300, 1e300, NAN, INFINITY};
    return draw(4) ? draw(1000) * 2e-3 : odd[draw(6)];
}

/* A time that steps may well begin at. */
static double moment(const double *now)
{
    return draw(4) ? *now : number();
}

static fmi2FMUstate saved;

static int call(fmi2Component it, double *now)
{
    fmi2ValueReference some[MOST], others[MOST];
    fmi2Integer orders[MOST], whole[MOST];
    double values[MOST], seeds[MOST], y[STATES + 2];
    const size_t n = draw(MOST), m = draw(MOST), nx = draw(8) ? STATES : STATES + 1;
    fmi2EventInfo info;
    fmi2Boolean event, end;
    fmi2Status status = fmi2Error;
    size_t size;
    for (int i = 0; i < MOST; i++) {
        some[i] = draw(MODEL_N_REALS + 1);
        others[i] = draw(MODEL_N_REALS + 1);
        orders[i] = (fmi2Integer)draw(5);
        whole[i] = (fmi2Integer)draw(6);
        values[i] = number();
        seeds[i] = number();
    }
    for (int i = 0; i < STATES + 2; i++) {
        y[i] = number();
    }
    switch (draw(24)) {
    case 0: fmi2SetupExperiment(it, draw(2), number(), 0.0, draw(2), number()); break;
    case 1: fmi2EnterInitializationMode(it); break;
    case 2: fmi2ExitInitializationMode(it); break;
    case 3: fmi2Terminate(it); break;
    case 4:
    case 5: status = fmi2GetReal(it, some, n, values); break;
    case 6: fmi2SetReal(it, some, n, values); break;
    case 7: fmi2GetInteger(it, some, n, whole); break;
    case 8: fmi2SetInteger(it, some, n, whole); break;
    case 9: status = fmi2GetDirectionalDerivative(it, some, n, others, m, seeds, values); break;
    case 10: fmi2GetFMUstate(it, &saved); break;
    case 11: fmi2SetFMUstate(it, saved); break;
    case 12: fmi2FreeFMUstate(it, &saved); break;
    case 13: fmi2SerializedFMUstateSize(it, saved, &size); break;
    case 14: fmi2EnterEventMode(it); break;
    case 15: fmi2EnterContinuousTimeMode(it); break;
    case 16: fmi2NewDiscreteStates(it, &info); break;
    case 17: fmi2CompletedIntegratorStep(it, draw(2), &event, &end); break;
    case 18: fmi2SetTime(it, number()); break;
    case 19: fmi2SetContinuousStates(it, y, nx); break;
    case 20:
        if (fmi2GetDerivatives(it, y, nx) == fmi2OK) {
            for (size_t i = 0; i < nx; i++) {
                EXPECT(1, isfinite(y[i]));
            }
        }
        break;
    case 21: fmi2SetRealInputDerivatives(it, some, n, orders, values); break;
    case 22: status = fmi2GetRealOutputDerivatives(it, some, n, orders, values); break;
    default: {
        const double begin = moment(now), step = draw(4) ? 0.02 : number();
        if (fmi2DoStep(it, begin, step, draw(2)) == fmi2OK) {
            *now = begin + step;
        }
    }
    }
    for (size_t i = 0; status == fmi2OK && i < n; i++) {
        EXPECT(2, isfinite(values[i]));
    }
    return 0;
}

/* Back to the beginning, and from there to where calls are legal. */
static int begin_anew(fmi2Component it, int type)
{
    const fmi2ValueReference limit = MODEL_S0 + 3; /* of steps, so that nonsense ends soon */
    const double steps = STEPS;
    fmi2EventInfo info;
    EXPECT(10, fmi2Reset(it) == fmi2OK);
    EXPECT(11, fmi2SetReal(it, &limit, 1, &steps) == fmi2OK);
    EXPECT(12, fmi2SetupExperiment(it, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK);
    EXPECT(13, fmi2EnterInitializationMode(it) == fmi2OK && fmi2ExitInitializationMode(it) == fmi2OK);
    if (type == fmi2CoSimulation) {
        EXPECT(14, fmi2DoStep(it, 0.0, 0.02, fmi2True) == fmi2OK);
    } else {
        EXPECT(15, fmi2NewDiscreteStates(it, &info) == fmi2OK && fmi2EnterContinuousTimeMode(it) == fmi2OK);
    }
    return 0;
}

static int wander(int type, long calls)
{
    const fmi2CallbackFunctions none = {NULL, NULL, NULL, NULL, NULL};
    fmi2Component it = fmi2Instantiate("it", (fmi2Type)type, MODEL_GUID, "", &none, fmi2False, fmi2False);
    EXPECT(20, it);
    while (calls > 0) {
        int failed = begin_anew(it, type);
        EXPECT(failed, !failed);
        double now = type == fmi2CoSimulation ? 0.02 : 0.0;
        for (unsigned left = 1 + draw(LONGEST); left > 0; left--, calls--) {
            failed = call(it, &now);
            EXPECT(failed, !failed);
        }
    }
    fmi2FreeFMUstate(it, &saved);
    fmi2FreeInstance(it);
    return 0;
}

int main(int argc, char **argv)
{
    random_state = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    const long calls = argc > 2 ? strtol(argv[2], NULL, 10) : 10000;
    const int failed = wander(fmi2CoSimulation, calls);
    return failed ? failed : wander(fmi2ModelExchange, calls);
}
