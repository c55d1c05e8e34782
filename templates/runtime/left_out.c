#include "left_out.h"

#include <math.h>

#include "linear.h"
#include "loops.h"

/* Residual of an open joint, relative to the size of its row. Where a loop lines up, a rounding error in the
 * residual is the square of an angle: closed joints show up to 1e-7 there. */
#define OPEN 1e-6

double left_out_residual(Instance *self, const ModelPoint *at)
{
    model_left_out(at, self->work.left_out);
    return max_magnitude(MODEL_NLEFT, self->work.left_out);
}

/* The row with the largest residual, and that residual; -1 if there is none. */
static int open_row(Instance *self, const Point *point, double *residual)
{
    double *const phi = self->work.left_out;
    double most = OPEN;
    const ModelPoint at = model_point(&self->state, point);
    int found = -1;
    model_left_out(&at, phi);
    for (int i = 0; i < MODEL_NLEFT; i++) {
        const double share = fabs(phi[i]) / model_left_out_rows[i].size;
        if (!(share <= most)) {
            most = share;
            found = i;
            *residual = fabs(phi[i]);
        }
    }
    return found;
}

bool left_out_hold(Instance *self, const Point *point)
{
    double residual = 0.0;
    int row = MODEL_NLEFT > 0 ? open_row(self, point, &residual) : -1;
    if (row >= 0 && !NEVER_ITERATES) { /* integrated coordinates drift: check where the solved loops are closed */
        Point *const closed = &self->work.closed;
        copy_point(closed, point);
        row = project_position(self, closed) ? open_row(self, closed, &residual) : row;
    }
    if (row >= 0) {
        fail(self, FAILURE_LEFT_OUT, point->t, row);
        self->failure.residual = residual;
    }
    return row < 0;
}
