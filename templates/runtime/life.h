/* The life of an instance, the same under every standard: creation, initialization, steps, end. The calls are
 * legal; arguments are checked here. */
#ifndef LIFE_H
#define LIFE_H

#include "instance.h"

/* NULL if the instance cannot be created; the environment then gets a message. */
Instance *create_instance(const char *name, Interface interface, const char *token,
                          const Environment *environment, bool log_events);
void free_instance(Instance *self);

Status set_logging(Instance *self, bool on, size_t n_categories, const char *const *categories);
Status setup_experiment(Instance *self, bool tolerance_defined, double tolerance, double start_time,
                        bool stop_time_defined, double stop_time);
Status exit_initialization(Instance *self);

/* Co-simulation. */
Status do_step(Instance *self, double current, double size);
Status set_input_derivatives(Instance *self, const Reference *references, size_t n, const int *orders,
                             const double *values);
Status get_output_derivatives(Instance *self, const Reference *references, size_t n, const int *orders,
                              double *values);

#endif
