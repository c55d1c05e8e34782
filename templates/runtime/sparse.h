/* Elimination of sparse matrices: the cost grows with the number of nonzero entries. */
#ifndef SPARSE_H
#define SPARSE_H

/* An m*n matrix by rows, in the caller's work space: the k-th entry of row i, k < count[i], has its value and
 * its column at i * n + k. The other vectors are scratch. */
typedef struct {
    int m, n;
    double *value; /* room for m * n, the most that can fill in */
    int *column;   /* room for m * n */
    int *count;    /* room for m */
    double *largest; /* room for m: the largest magnitude of each row */
    int *at;         /* room for m: its place */
    int *rows;       /* room for n * m: by column, the rows that have it */
    int *row_count;  /* room for n */
    int *place;      /* room for n: of the columns in one row */
} SparseRows;

/* Gauss elimination of a (destroyed), m <= n, with complete pivoting; of equal pivots, the first row and there
 * the first column is taken. columns, with room for m, receives the columns of the best conditioned square
 * part. Returns the magnitude of the m-th pivot (1 if m = 0): how far the rows are from being dependent. */
double eliminate_sparse(const SparseRows *a, int *columns);

#endif
