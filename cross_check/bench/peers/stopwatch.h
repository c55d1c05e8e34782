/* What all stopwatches share: the clock, a low quantile of rounds, and how results are printed. */
#ifndef STOPWATCH_H
#define STOPWATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A low quantile of rounds is little disturbed by what else the machine does. */
#define QUANTILE 0.2

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

#define READINGS 1000

/* The least time between two readings of the clock. */
static double reading(void)
{
    static double least = -1.0;
    if (least < 0.0) {
        least = 1e9;
        for (int i = 0; i < READINGS; i++) {
            const double begin = now(), spent = now() - begin;
            least = spent < least ? spent : least;
        }
    }
    return least;
}

/* Nanoseconds from `begin` on, without those of reading the clock, which are a good part of a short motion. */
static double since(double begin)
{
    const double spent = now() - begin;
    return spent - reading();
}

static int by_size(const void *left, const void *right)
{
    const double difference = *(const double *)left - *(const double *)right;
    return (difference > 0.0) - (difference < 0.0);
}

static double quantile(double *times, int rounds)
{
    qsort(times, (size_t)rounds, sizeof *times, by_size);
    return times[(int)(QUANTILE * rounds)];
}

#endif
