/* FMU states: a copy of State behind a header that tells whether it belongs to this FMU. */
#ifndef FMU_STATE_H
#define FMU_STATE_H

#include "instance.h"

/* Into *saved, or into new memory if that is NULL. */
Status save_state(Instance *self, void **saved);
Status restore_state(Instance *self, const void *saved);
Status free_state(Instance *self, void **saved);

Status serialized_size(Instance *self, const void *saved, size_t *size);
Status serialize_state(Instance *self, const void *saved, void *bytes, size_t size);
Status deserialize_state(Instance *self, const void *bytes, size_t size, void **saved);

#endif
