/* What the runtime reads of a model that it is not compiled with. */
#include "sizes.h"

#define SIZE_VALUE(member, value) .member = value,

const ModelSizes model_sizes = {
    SIZES_OF_MODEL(SIZE_VALUE)
    REALS_OF_MODEL(SIZE_VALUE)
    .guid = MODEL_GUID,
};
