#include "fmu_state.h"

#include <stdint.h>
#include <string.h>

#include "layout.h"
#include "report.h"

#define MAGIC 0x54534d46u /* "FMST" */
#define FORMAT_VERSION 6u

typedef struct {
    uint32_t magic, version;
    uint64_t guid_hash, size;
} Header;

/* Behind it come the vectors of the state. */
typedef struct {
    Header header;
    State state;
} SavedState;

static size_t saved_size(const Instance *self)
{
    return sizeof(SavedState) + self->state_size;
}

/* FNV-1a. */
static uint64_t hash(const char *text)
{
    uint64_t value = 14695981039346656037u;
    for (; *text; text++) {
        value = (value ^ (unsigned char)*text) * 1099511628211u;
    }
    return value;
}

static Header own_header(const Instance *self)
{
    const Header header = {MAGIC, FORMAT_VERSION, hash(MODEL_GUID), saved_size(self)};
    return header;
}

static bool is_own(const Instance *self, const Header *header)
{
    const Header own = own_header(self);
    return header->magic == own.magic && header->version == own.version &&
           header->guid_hash == own.guid_hash && header->size == own.size;
}

static Status refuse_state(Instance *self)
{
    return error(self, "the FMU state is not one of this FMU");
}

static SavedState *new_state(Instance *self)
{
    SavedState *saved = self->environment.allocate(1, saved_size(self));
    if (!saved) {
        error(self, "there is not enough memory for an FMU state");
    }
    return saved;
}

static Status check_own(Instance *self, const SavedState *saved)
{
    return saved && is_own(self, &saved->header) ? STATUS_OK : refuse_state(self);
}

Status save_state(Instance *self, void **saved)
{
    if (*saved && check_own(self, *saved) != STATUS_OK) {
        return STATUS_ERROR;
    }
    SavedState *copy = *saved ? *saved : new_state(self);
    if (!copy) {
        return STATUS_ERROR;
    }
    copy->header = own_header(self);
    memcpy(&copy->state, &self->state, sizeof copy->state);
    place_state(&copy->state, NULL); /* addresses are not saved */
    memcpy(copy + 1, self->state_memory, self->state_size);
    *saved = copy;
    return STATUS_OK;
}

Status restore_state(Instance *self, const void *saved)
{
    const SavedState *copy = saved;
    if (check_own(self, copy) != STATUS_OK) {
        return STATUS_ERROR;
    }
    if (copy->state.interface != self->state.interface) {
        return error(self, "the FMU state is one of the other interface type");
    }
    memcpy(&self->state, &copy->state, sizeof self->state);
    place_state(&self->state, self->state_memory);
    memcpy(self->state_memory, copy + 1, self->state_size);
    return STATUS_OK;
}

Status free_state(Instance *self, void **saved)
{
    self->environment.release(*saved);
    *saved = NULL;
    return STATUS_OK;
}

Status serialized_size(Instance *self, const void *saved, size_t *size)
{
    *size = saved_size(self);
    return check_own(self, saved);
}

Status serialize_state(Instance *self, const void *saved, void *bytes, size_t size)
{
    if (check_own(self, saved) != STATUS_OK) {
        return STATUS_ERROR;
    }
    if (size < saved_size(self)) {
        return error(self, "the FMU state needs %u bytes", (unsigned)saved_size(self));
    }
    memcpy(bytes, saved, saved_size(self));
    return STATUS_OK;
}

Status deserialize_state(Instance *self, const void *bytes, size_t size, void **saved)
{
    Header header;
    if (size < sizeof header) {
        return refuse_state(self);
    }
    memcpy(&header, bytes, sizeof header);
    if (size < saved_size(self) || !is_own(self, &header)) {
        return refuse_state(self);
    }
    SavedState *copy = new_state(self);
    if (!copy) {
        return STATUS_ERROR;
    }
    memcpy(copy, bytes, saved_size(self));
    *saved = copy;
    return STATUS_OK;
}
