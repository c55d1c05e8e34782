/* Newton iterations are counted here: for the variable closure.iterations, and by block. */
#ifndef TALLY_H
#define TALLY_H

#include "instance.h"

static inline void reset_tally(Tally *tally)
{
    tally->evaluations = tally->changes = tally->over_all = tally->at_limits = 0.0;
    set_zero(tally->over_block, MODEL_NSETS * MODEL_NC);
    set_zero(tally->over_network, MODEL_NZBLOCKS);
}

static inline void count_iteration(Instance *self, Point *point)
{
    point->iterations += 1.0;
    self->state.iterations += 1.0;
}

/* Over a block of loops; NULL: over all of them. */
static inline void count_over_loops(Instance *self, const ModelBlock *block, Point *point)
{
    count_iteration(self, point);
    const ModelSet *const set = present_set(&self->state);
    if (block && set) {
        self->tally.over_block[self->state.partition.set * MODEL_NC + (block - set->blocks)] += 1.0;
    } else {
        self->tally.over_all += 1.0;
    }
}

static inline void count_over_network(Instance *self, const ModelNetworkBlock *block, Point *point)
{
    count_iteration(self, point);
    self->tally.over_network[block - model_network_blocks] += 1.0;
}

/* Over what the constraints leave open in a singular position. */
static inline void count_at_limit(Instance *self, Point *point)
{
    count_iteration(self, point);
    self->tally.at_limits += 1.0;
}

#endif
