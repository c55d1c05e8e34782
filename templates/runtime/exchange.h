/* Model exchange: the importer integrates, the FMU evaluates. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "instance.h"

typedef struct {
    bool states_changed;  /* the importer must ask for the continuous states */
    bool time_event;      /* there is a next event at a known time */
    double next_time;
} EventInfo;

Status set_time(Instance *self, double t);
Status set_states(Instance *self, const double *y, size_t n);
Status get_states(Instance *self, double *y, size_t n);
Status get_derivatives(Instance *self, double *dydt, size_t n);
Status get_indicators(Instance *self, double *indicators, size_t n);
Status get_nominals(Instance *self, double *nominals, size_t n);

/* The point that was reached becomes the accepted one. *event requests event mode. */
Status completed_step(Instance *self, bool *event);

/* Relations take their signs, and a pending change of the independent coordinates is made. */
Status update_discrete_states(Instance *self, EventInfo *info);

#endif
