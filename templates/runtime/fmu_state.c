/* FMU states: a copy of State behind a header that tells whether it belongs to this FMU. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "instance.h"
#include "report.h"

#define MAGIC 0x54534d46u /* "FMST" */
#define FORMAT_VERSION 1u

typedef struct {
    uint32_t magic, version;
    uint64_t guid_hash, size;
} Header;

typedef struct {
    Header header;
    State state;
} SavedState;

/* FNV-1a. */
static uint64_t hash(const char *text)
{
    uint64_t value = 14695981039346656037u;
    for (; *text; text++) {
        value = (value ^ (unsigned char)*text) * 1099511628211u;
    }
    return value;
}

static Header own_header(void)
{
    const Header header = {MAGIC, FORMAT_VERSION, hash(MODEL_GUID), sizeof(SavedState)};
    return header;
}

static bool is_own(const Header *header)
{
    const Header own = own_header();
    return header->magic == own.magic && header->version == own.version &&
           header->guid_hash == own.guid_hash && header->size == own.size;
}

static SavedState *new_state(Instance *self)
{
    const fmi2CallbackFunctions *callbacks = &self->callbacks;
    SavedState *saved = callbacks->allocateMemory ? callbacks->allocateMemory(1, sizeof *saved)
                                                  : malloc(sizeof *saved);
    if (!saved) {
        error(self, "there is not enough memory for an FMU state");
    }
    return saved;
}

static fmi2Status check_own(Instance *self, const SavedState *saved)
{
    if (!admit(self, CALL_FMU_STATE)) {
        return fmi2Error;
    }
    return saved && is_own(&saved->header) ? fmi2OK : error(self, "the FMU state is not one of this FMU");
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    Instance *self = c;
    if (!admit(self, CALL_FMU_STATE)) {
        return fmi2Error;
    }
    if (*FMUstate && check_own(self, *FMUstate) != fmi2OK) {
        return fmi2Error;
    }
    SavedState *saved = *FMUstate ? *FMUstate : new_state(self);
    if (!saved) {
        return fmi2Error;
    }
    saved->header = own_header();
    memcpy(&saved->state, &self->state, sizeof saved->state);
    *FMUstate = saved;
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate)
{
    Instance *self = c;
    const SavedState *saved = FMUstate;
    if (check_own(self, saved) != fmi2OK) {
        return fmi2Error;
    }
    memcpy(&self->state, &saved->state, sizeof self->state);
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    Instance *self = c;
    if (!admit(self, CALL_FMU_STATE)) {
        return fmi2Error;
    }
    if (self->callbacks.freeMemory) {
        self->callbacks.freeMemory(*FMUstate);
    } else {
        free(*FMUstate);
    }
    *FMUstate = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size)
{
    if (check_own(c, FMUstate) != fmi2OK) {
        return fmi2Error;
    }
    *size = sizeof(SavedState);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[],
                                 size_t size)
{
    Instance *self = c;
    if (check_own(self, FMUstate) != fmi2OK) {
        return fmi2Error;
    }
    if (size < sizeof(SavedState)) {
        return error(self, "the FMU state needs %u bytes", (unsigned)sizeof(SavedState));
    }
    memcpy(serializedState, FMUstate, sizeof(SavedState));
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate *FMUstate)
{
    Instance *self = c;
    Header header;
    if (!admit(self, CALL_FMU_STATE)) {
        return fmi2Error;
    }
    if (size < sizeof header) {
        return error(self, "the FMU state is not one of this FMU");
    }
    memcpy(&header, serializedState, sizeof header);
    if (size < sizeof(SavedState) || !is_own(&header)) {
        return error(self, "the FMU state is not one of this FMU");
    }
    SavedState *saved = new_state(self);
    if (!saved) {
        return fmi2Error;
    }
    memcpy(saved, serializedState, sizeof *saved);
    *FMUstate = saved;
    return fmi2OK;
}
