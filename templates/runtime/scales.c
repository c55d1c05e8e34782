#include "scales.h"

#include <math.h>
#include <string.h>

#include "linear.h"

/* Lengths and angles become comparable by the usual size of their constraint derivatives: the mean over
 * positions with arbitrary angles and attitudes, at which the loops need not be closed, times what makes it the
 * amplitude of a sine. Scales are thus lever arms of the mechanism with its present parameters. They depend
 * neither on where it is nor on where it has been, and do not hide a row or a column that vanishes on the way. */

#define AMPLITUDE 1.5707963267948966 /* of a sine whose magnitude has the mean 1 */
/* The travel of points by a unit of deflection. A straight beam moves the points of a loop much less than this;
 * a scale from its present shape would make a deflection look like a good dependent coordinate. */
#define USUAL_DEFLECTION 1.0

/* Positions at which the usual size is taken. */
#define SCALING_POSITIONS 16

/* Numbers from -1 to 1 that are the same for every instance. */
static double scattered(unsigned *seed)
{
    *seed = (*seed * 1664525u + 1013904223u) & 0xffffffffu;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static void scatter_position(const Point *point, unsigned *seed, double *q)
{
    static const double pi = 3.141592653589793;
    for (int k = 0; k < MODEL_NQ; k++) {
        const double x = scattered(seed);
        switch (model_kinds[k]) {
        case COORDINATE_ANGLE:
            q[k] = pi * x;
            break;
        case COORDINATE_COMPONENT: /* of a quaternion: their squares have the mean 1/4 */
            q[k] = sqrt(0.75) * x;
            break;
        default:
            q[k] = point->q[k] * (1.0 + 0.5 * x);
        }
    }
}

/* The entry of the Jacobian in work->phi_q, or zero where it is not finite. */
static double size_of_entry(const Work *work, int row, int column)
{
    const double size = fabs(work->phi_q[row * MODEL_NQ + column]);
    return isfinite(size) ? size : 0.0;
}

/* Add to `mean` the contribution of the entries at one position: by columns or, relative to these, by rows. */
static void add_to_scales(Instance *self, bool by_rows, double *columns, double *rows)
{
    const Work *const work = &self->work;
    for (int i = 0; i < MODEL_NC; i++) {
        double largest = 0.0;
        for (int k = model_row_begin[i]; k < model_row_begin[i + 1]; k++) {
            const int j = model_row_columns[k];
            const double size = size_of_entry(work, i, j);
            if (by_rows) {
                largest = columns[j] > 0.0 ? larger(largest, size / columns[j]) : largest;
            } else {
                self->work.stacked[i * MODEL_NQ + j] += AMPLITUDE * size / SCALING_POSITIONS;
            }
        }
        rows[i] += by_rows ? largest / SCALING_POSITIONS : 0.0;
    }
}

void scale_constraints(Instance *self, const Point *point)
{
    State *const state = &self->state;
    Work *const work = &self->work;
    Point *const elsewhere = &work->elsewhere;
    copy_point(elsewhere, point);
    set_zero(work->stacked, MODEL_NC * MODEL_NQ);
    set_zero(state->row_scale, MODEL_NC);
    for (int j = 0; j < MODEL_NQ; j++) {
        state->column_scale[j] = model_kinds[j] == COORDINATE_DEFLECTION ? USUAL_DEFLECTION : 0.0;
    }
    for (int pass = 0; pass < 2; pass++) {
        unsigned seed = 1u;
        for (int n = 0; n < SCALING_POSITIONS && MODEL_NC > 0; n++) {
            scatter_position(point, &seed, elsewhere->q);
            const ModelPoint at = model_point(state, elsewhere);
            model_jacobian(&at, work->phi_q);
            add_to_scales(self, pass > 0, state->column_scale, state->row_scale);
        }
        for (int i = 0; i < MODEL_NC && pass == 0; i++) {
            for (int j = 0; j < MODEL_NQ; j++) {
                state->column_scale[j] = larger(state->column_scale[j], work->stacked[i * MODEL_NQ + j]);
            }
        }
    }
}
