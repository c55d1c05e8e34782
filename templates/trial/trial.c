/* A trial run of a model, as a program of its own: one co-simulation from 0 to a stop time, repeated.
 *
 *     trial STOP STEP REPETITIONS ENOUGH LIMIT
 *
 * A line for each communication point: its time, Newton iterations of the step to it, evaluations, internal steps,
 * changes of coordinates, the seconds of the step, and what was iterated: `b0.3` a block of a set, `z0` a block
 * of the network, `all` all loops, `limit` a singular position. A line `warned` and a sentence follow where the instance
 * warns. A last line `stopped TIME` and the sentence
 * of the instance follow where it fails, or where the run takes more than LIMIT seconds. Runs are repeated while they
 * have taken less than ENOUGH seconds in all; of each step the least time counts. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 199309L
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _WIN32
#include <windows.h>
#endif

#include "life.h"
#include "tally.h"
#include "variables.h"

#define LONGEST_SENTENCE 1000

typedef struct {
    double t, iterations, evaluations, steps, changes, seconds;
} Row;

static char sentence[LONGEST_SENTENCE];
static bool listens = true; /* during the first run: all runs are the same */

static double seconds(void)
{
#ifdef _WIN32
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (double)count.QuadPart / (double)frequency.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

static void keep_sentence(const Environment *environment, const char *name, Status status, const char *category,
                          const char *text)
{
    (void)environment, (void)name, (void)category;
    if (status == STATUS_WARNING && listens) {
        printf("warned %s\n", text);
    }
    if (status >= STATUS_DISCARD) {
        strncpy(sentence, text, LONGEST_SENTENCE - 1);
    }
}

static void wants_messages(void)
{
}

static void print_parts(const Tally *tally)
{
    for (int set = 0; set < MODEL_NSETS; set++) {
        for (int k = 0; k < MODEL_NC; k++) {
            if (tally->over_block[set * MODEL_NC + k] > 0.0) {
                printf(" b%d.%d", set, k);
            }
        }
    }
    for (int k = 0; k < MODEL_NZBLOCKS; k++) {
        if (tally->over_network[k] > 0.0) {
            printf(" z%d", k);
        }
    }
    printf("%s%s\n", tally->over_all > 0.0 ? " all" : "", tally->at_limits > 0.0 ? " limit" : "");
}

/* The parts of one line; those of the first run are printed, since all runs are the same. */
static bool note(Instance *self, Row *row, double elapsed, bool first)
{
    const Reference iterations = MODEL_G0 + DIAGNOSTIC_ITERATIONS;
    if (first) {
        row->seconds = elapsed;
        row->t = self->state.at.t;
        row->evaluations = self->tally.evaluations;
        row->changes = self->tally.changes;
        row->steps = self->state.steps;
        if (get_reals(self, &iterations, 1, &row->iterations) != STATUS_OK) {
            return false;
        }
        printf("%.17g %.0f %.0f %.0f %.0f", row->t, row->iterations, row->evaluations, row->steps, row->changes);
        print_parts(&self->tally);
    }
    row->seconds = fmin(row->seconds, elapsed);
    reset_tally(&self->tally);
    return true;
}

static Instance *started(const Environment *environment, double stop)
{
    Instance *self = create_instance("trial", CO_SIMULATION, MODEL_GUID, environment, false);
    if (!self) {
        return NULL;
    }
    bool ready = setup_experiment(self, false, 0.0, 0.0, true, stop) == STATUS_OK;
    self->state.mode = MODE_INITIALIZING;
    ready = ready && exit_initialization(self) == STATUS_OK;
    if (!ready) {
        free_instance(self);
        return NULL;
    }
    reset_tally(&self->tally);
    return self;
}

/* The declared motion: `last` is the point at `stop`. */
typedef struct {
    double stop, step, limit;
    int last;
} Motion;

/* The rows that were reached; `end` is the one to end with. */
static int run(const Environment *environment, const Motion *motion, int end, Row *rows, bool first)
{
    const double start = seconds();
    Instance *self = started(environment, motion->stop);
    if (!self) {
        return 0;
    }
    int reached = note(self, &rows[0], 0.0, first) ? 0 : -1;
    for (int i = 1; i <= end && reached == i - 1; i++) {
        const double begin = motion->step * (i - 1), next = i < motion->last ? motion->step * i : motion->stop;
        const double before = seconds();
        if (before - start > motion->limit) {
            snprintf(sentence, LONGEST_SENTENCE, "the run was given up after %.0f s", motion->limit);
            break;
        }
        const bool done = do_step(self, begin, next - begin) == STATUS_OK;
        const double elapsed = seconds() - before;
        if (done && note(self, &rows[i], elapsed, first)) {
            reached = i;
        }
    }
    free_instance(self);
    return reached + 1;
}

int main(int count, char **arguments)
{
    const Environment environment = {keep_sentence, wants_messages, NULL, calloc, free};
    if (count != 6) {
        return 2;
    }
    const double stop = atof(arguments[1]), step = atof(arguments[2]), enough = atof(arguments[4]);
    const double whole = floor(stop / step * (1.0 + 1e-12));
    const int last = (int)whole + (stop - step * whole > 1e-9 * step), repetitions = atoi(arguments[3]);
    const Motion motion = {stop, step, atof(arguments[5]), last};
    Row *rows = calloc((size_t)last + 1, sizeof *rows);
    if (!rows) {
        return 2;
    }
    const double begin = seconds();
    const int reached = run(&environment, &motion, last, rows, true);
    listens = false;
    const char *const unsaid = sentence[0] ? sentence : "it gave no reason";
    if (reached <= last) {
        printf("stopped %.17g %s\n", reached > 0 ? rows[reached - 1].t : 0.0, unsaid);
    }
    for (int k = 1; k < repetitions && seconds() - begin < enough; k++) {
        run(&environment, &motion, reached - 1, rows, false);
    }
    for (int i = 1; i < reached; i++) {
        printf("seconds %.9g\n", rows[i].seconds);
    }
    free(rows);
    return 0;
}
