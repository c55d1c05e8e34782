#include "sparse.h"

#include <math.h>

/* A row that was a pivot's. */
#define DONE (-1.0)

static void find_largest(const SparseRows *a, int row)
{
    const double *const value = a->value + row * a->n;
    const int *const column = a->column + row * a->n;
    double largest = 0.0;
    int at = 0;
    for (int k = 0; k < a->count[row]; k++) {
        const double size = fabs(value[k]);
        if (size > largest || (size == largest && column[k] < column[at])) {
            largest = size;
            at = k;
        }
    }
    a->largest[row] = largest;
    a->at[row] = at;
}

static void list_rows(const SparseRows *a)
{
    for (int j = 0; j < a->n; j++) {
        a->row_count[j] = a->place[j] = 0;
    }
    for (int i = 0; i < a->m; i++) {
        for (int k = 0; k < a->count[i]; k++) {
            const int j = a->column[i * a->n + k];
            a->rows[j * a->m + a->row_count[j]++] = i;
        }
        find_largest(a, i);
    }
}

static int largest_row(const SparseRows *a)
{
    double largest = 0.0;
    int row = -1;
    for (int i = 0; i < a->m; i++) {
        if (a->largest[i] > largest) {
            largest = a->largest[i];
            row = i;
        }
    }
    return row;
}

/* Subtract the multiple of the pivot's row that makes the pivot's column vanish, and drop that column. */
static void eliminate_from(const SparseRows *a, int row, int pivot_row)
{
    double *const value = a->value + row * a->n;
    int *const column = a->column + row * a->n, count = a->count[row];
    const double *const pivot_value = a->value + pivot_row * a->n;
    const int *const pivot_column = a->column + pivot_row * a->n, pivot = a->at[pivot_row];
    for (int k = 0; k < count; k++) {
        a->place[column[k]] = k;
    }
    const int dropped = a->place[pivot_column[pivot]];
    const double factor = value[dropped] / pivot_value[pivot];
    for (int k = 0; factor != 0.0 && k < a->count[pivot_row]; k++) {
        const int j = pivot_column[k];
        int at = a->place[j];
        if (!(at < count && column[at] == j)) { /* a place of another row */
            at = a->place[j] = count++;
            column[at] = j;
            value[at] = 0.0;
            a->rows[j * a->m + a->row_count[j]++] = row;
        }
        value[at] -= factor * pivot_value[k];
    }
    count--;
    value[dropped] = value[count];
    column[dropped] = column[count];
    a->count[row] = count;
    find_largest(a, row);
}

double eliminate_sparse(const SparseRows *a, int *columns)
{
    double pivot = 1.0;
    list_rows(a);
    for (int k = 0; k < a->m; k++) {
        const int row = largest_row(a);
        if (row < 0) {
            return 0.0;
        }
        const int column = a->column[row * a->n + a->at[row]];
        pivot = a->largest[row];
        a->largest[row] = DONE;
        columns[k] = column;
        for (int i = 0; i < a->row_count[column]; i++) {
            const int other = a->rows[column * a->m + i];
            if (a->largest[other] != DONE) {
                eliminate_from(a, other, row);
            }
        }
    }
    return pivot;
}
