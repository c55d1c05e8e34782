/* Runs tapes, and solves the equations of motion that they give.
 *
 * The laws are data: a tape is made by verify/tape/scalar.py. This file is the same for all models. It is
 * compiled once, as a library. No function allocates memory.
 */
#include "factors.h"

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API
#endif

enum {
    ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, CHOOSE, POWER, ARCTAN2, ABSOLUTE, SQRT, ROUND, SIN, COS, TAN,
    ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG
};

typedef struct {
    int32_t operation, a, b, c;
} Step;

/* Registers: constants, inputs, results of all steps. */
typedef struct {
    int32_t constants, inputs, steps, outputs;
    const Step *step;
    const int32_t *output;
    double *registers;
} Tape;

static void execute(const Tape *tape, const double *input, double *output)
{
    double *r = tape->registers, *result = r + tape->constants + tape->inputs;
    memcpy(r + tape->constants, input, sizeof(double) * (size_t)tape->inputs);
    for (const Step *s = tape->step, *end = s + tape->steps; s < end; s++, result++) {
        double a = r[s->a], b = r[s->b];
        switch (s->operation) {
        case ADD: *result = a + b; break;
        case SUBTRACT: *result = a - b; break;
        case MULTIPLY: *result = a * b; break;
        case DIVIDE: *result = a / b; break;
        case NEGATE: *result = -a; break;
        case CHOOSE: *result = a >= 0.0 ? b : r[s->c]; break;
        case POWER: *result = pow(a, b); break;
        case ARCTAN2: *result = atan2(a, b); break;
        case ABSOLUTE: *result = fabs(a); break;
        case SQRT: *result = sqrt(a); break;
        case ROUND: *result = rint(a); break;
        case SIN: *result = sin(a); break;
        case COS: *result = cos(a); break;
        case TAN: *result = tan(a); break;
        case ASIN: *result = asin(a); break;
        case ACOS: *result = acos(a); break;
        case ATAN: *result = atan(a); break;
        case SINH: *result = sinh(a); break;
        case COSH: *result = cosh(a); break;
        case TANH: *result = tanh(a); break;
        case EXP: *result = exp(a); break;
        default: *result = log(a); break;
        }
    }
    for (int32_t k = 0; k < tape->outputs; k++)
        output[k] = r[tape->output[k]];
}

/* Run a tape for each row of a table. */
API void run(const Tape *tape, int64_t rows, const double *inputs, double *outputs)
{
    for (int64_t row = 0; row < rows; row++)
        execute(tape, inputs + row * tape->inputs, outputs + row * tape->outputs);
}

/* --- constraints --------------------------------------------------------------------------------------- */

/* The space that `work` has: */
API int64_t work_size(int64_t n, int64_t rows)
{
    int64_t wide = n > rows ? n : rows;
    return 2 * n * (rows + n) + rows * rows + n * n + 20 * wide + 64;
}

typedef struct {
    double *A, *head, *beta, *rest;
    int32_t *order;
    int rank;
} Factors;

/* The factors of (G S)^T; G has rows of length n. */
static Factors of_constraints(int n, int rows, const double *G, const double *scale, double tolerance, double *work)
{
    int most = n > rows ? n : rows;
    Factors f = {work, work + (size_t)n * rows, 0, 0, 0, 0};
    f.beta = f.head + most;
    f.rest = f.beta + most;
    f.order = (int32_t *)f.rest;
    f.rest += most;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            f.A[(size_t)i * n + j] = G[(size_t)i * n + j] * scale[j];
    f.rank = factorize(n, rows, f.A, f.order, f.head, f.beta, f.rest, tolerance);
    return f;
}

/* x = S y with the smallest y that satisfies G S y = target. */
static void least(int n, const Factors *f, const double *scale, const double *target, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < f->rank; k++)
        x[k] = target[f->order[k]];
    forward(n, f->rank, f->A, x);
    reflect(n, f->rank, f->A, f->head, f->beta, x, 0);
    for (int k = 0; k < n; k++)
        x[k] *= scale[k];
}

/* --- the equations of motion -------------------------------------------------------------------------- */

/* Masses: a square block for each body, and a full matrix to be added, if there is one. */
typedef struct {
    int32_t size, rows, block;
    const double *scale;
    double tolerance;
    double *work;
} Equations;

static void weigh(const Equations *e, const double *blocks, const double *added, const double *x, double *y)
{
    int n = e->size, b = e->block;
    for (int i = 0; i < n; i++) {
        int first = i / b * b;
        y[i] = product(blocks + (size_t)i * b, x + first, b);
        if (added)
            y[i] += product(added + (size_t)i * n, x, n);
    }
}

/* Solve C x = y for a symmetric matrix of f rows by Cholesky's method; 0 if it is not positive definite. */
static int solve_definite(int f, double *C, double *y)
{
    for (int i = 0; i < f; i++)
        for (int j = 0; j <= i; j++) {
            double sum = C[i * f + j] - product(C + i * f, C + j * f, j);
            if (i == j) {
                if (!(sum > 1e-13))
                    return 0;
                C[i * f + i] = sqrt(sum);
            } else
                C[i * f + j] = sum / C[j * f + j];
        }
    for (int i = 0; i < f; i++)
        y[i] = (y[i] - product(C + i * f, y, i)) / C[i * f + i];
    for (int i = f - 1; i >= 0; i--) {
        y[i] /= C[i * f + i];
        add_multiple(y, -y[i], C + i * f, i);
    }
    return 1;
}

/* M a + G^T lambda = F, G a = gamma; lambda (of least norm) only if it is asked for. The values are the rows
 * of G, then gamma, the blocks of M, F and the matrix that is added to M, if there is one. Returns the
 * conditioning of the constraints, negative if there is no solution. */
API double accelerate(const Equations *e, const double *values, int32_t has_added, double *a, double *lambda)
{
    int n = e->size, m = e->rows;
    const double *G = values, *gamma = G + (size_t)m * n, *blocks = gamma + m, *F = blocks + (size_t)n * e->block;
    const double *added = has_added ? F + n : 0;
    Factors f = of_constraints(n, m, G, e->scale, e->tolerance, e->work);
    int open = n - f.rank;
    double *free = f.rest, *weighed = free + (size_t)n * open, *C = weighed + n, *y = C + (size_t)open * open;
    double *diagonal = y + open, *excess = diagonal + open, *rest = excess + n;
    least(n, &f, e->scale, gamma, a);
    weigh(e, blocks, added, a, weighed);
    for (int i = 0; i < n; i++)
        excess[i] = F[i] - weighed[i];
    for (int k = 0; k < open; k++) {
        double *x = free + (size_t)k * n;
        memset(x, 0, sizeof(double) * (size_t)n);
        x[f.rank + k] = 1.0;
        reflect(n, f.rank, f.A, f.head, f.beta, x, 0);
        for (int i = 0; i < n; i++)
            x[i] *= e->scale[i];
        y[k] = product(x, excess, n);
    }
    for (int k = 0; k < open; k++) {
        weigh(e, blocks, added, free + (size_t)k * n, weighed);
        for (int i = 0; i < open; i++)
            C[i * open + k] = product(free + (size_t)i * n, weighed, n);
    }
    /* Inertias differ by orders of magnitude: each is compared with its own row. */
    for (int k = 0; k < open; k++) {
        if (!(C[k * open + k] > 0.0))
            return -1.0;
        diagonal[k] = sqrt(C[k * open + k]);
    }
    for (int i = 0; i < open; i++) {
        for (int j = 0; j < open; j++)
            C[i * open + j] /= diagonal[i] * diagonal[j];
        y[i] /= diagonal[i];
    }
    if (!solve_definite(open, C, y))
        return -1.0;
    for (int k = 0; k < open; k++)
        add_multiple(a, y[k] / diagonal[k], free + (size_t)k * n, n);
    if (lambda) {
        weigh(e, blocks, added, a, weighed);
        for (int i = 0; i < n; i++)
            excess[i] = (F[i] - weighed[i]) * e->scale[i];
        reflect(n, f.rank, f.A, f.head, f.beta, excess, 1);
        memset(rest, 0, sizeof(double) * (size_t)m);
        memset(lambda, 0, sizeof(double) * (size_t)m);
        if (f.rank == m) {
            backward(n, m, f.A, excess);
            for (int k = 0; k < m; k++)
                lambda[f.order[k]] = excess[k];
        } else {
            /* The smallest solution of W x = b with the leading rows W of R: W^T = Q R, x = Q R^-T b. */
            double *W = rest + m, *head = W + (size_t)m * f.rank, *beta = head + m, *norm = beta + m;
            int32_t *order = (int32_t *)(norm + 2 * m);
            for (int k = 0; k < f.rank; k++)
                for (int j = 0; j < m; j++)
                    W[(size_t)k * m + j] = j < k ? 0.0 : f.A[(size_t)j * n + k];
            int rank = factorize(m, f.rank, W, order, head, beta, norm, 0.0);
            for (int k = 0; k < rank; k++)
                rest[k] = excess[order[k]];
            forward(m, rank, W, rest);
            reflect(m, rank, W, head, beta, rest, 0);
            for (int k = 0; k < m; k++)
                lambda[f.order[k]] = rest[k];
        }
    }
    return conditioning(n, f.rank, f.A, weighed);
}

/* --- steps of an integration ---------------------------------------------------------------------------- */

/* Inputs of all tapes begin with `given` numbers: time, and the values of names. */
typedef struct {
    Equations equations;
    int32_t given, coordinates, states, positions, accelerated;
    /* given, coordinates, velocities, states -> rates of coordinates and states, values of accelerate() */
    const Tape *motion;
    /* given, coordinates -> violations, rows of their Jacobian */
    const Tape *violation;
    /* given, coordinates -> rows of G, prescribed rates */
    const Tape *speeds;
    /* coordinates, change of the rates' integrals -> coordinates */
    const Tape *move;
    /* coordinates -> coordinates of unit quaternions, with the present angles */
    const Tape *normal;
    /* The largest violation that remains; the conditioning that is poor, and that which is too poor; the
     * tolerance of projections. */
    double closed, poor, least, tolerance;
    double *space;
} Motion;

API int64_t space_size(const Motion *m)
{
    int64_t n = m->equations.size, rows = m->equations.rows, all = m->given + 2 * m->coordinates + 2 * n + m->states;
    return 6 * all + 2 * (rows + 1) * (n + 1) + m->motion->outputs + 64;
}

static double largest(const double *x, int count)
{
    double found = 0.0;
    for (int k = 0; k < count; k++) {
        if (!(fabs(x[k]) <= 1e300))
            return 1e301;
        if (fabs(x[k]) > found)
            found = fabs(x[k]);
    }
    return found;
}

/* Move coordinates and velocities by the least amount that satisfies the constraints; 0 if these are poorly
 * conditioned. The input of tapes is put together in `input`. */
static int project(const Motion *m, double *input, double *q, double *v, double *space)
{
    const Equations *e = &m->equations;
    int n = e->size, c = m->coordinates, g = m->given;
    double *found = space, *next = found + m->violation->outputs, *change = next + m->speeds->outputs;
    double *trial = change + n, *both = trial + c;
    memcpy(input + g, q, sizeof(double) * (size_t)c);
    execute(m->violation, input, found);
    double error = largest(found, m->positions);
    while (error > m->closed) {
        Factors f = of_constraints(n, m->positions, found + m->positions, e->scale, m->tolerance, e->work);
        if (!(conditioning(n, f.rank, f.A, f.rest) > m->least))
            return 0;
        least(n, &f, e->scale, found, change);
        memcpy(both, q, sizeof(double) * (size_t)c);
        for (int k = 0; k < n; k++)
            both[c + k] = -change[k];
        execute(m->move, both, trial);
        memcpy(input + g, trial, sizeof(double) * (size_t)c);
        execute(m->violation, input, found);
        double left = largest(found, m->positions);
        if (!(left < 0.5 * error))
            break;
        memcpy(q, trial, sizeof(double) * (size_t)c);
        error = left;
    }
    memcpy(trial, q, sizeof(double) * (size_t)c);
    execute(m->normal, trial, q);
    if (!e->rows)
        return 1;
    memcpy(input + g, q, sizeof(double) * (size_t)c);
    execute(m->speeds, input, next);
    Factors f = of_constraints(n, e->rows, next, e->scale, m->tolerance, e->work);
    if (!(conditioning(n, f.rank, f.A, f.rest) > m->least))
        return 0;
    for (int i = 0; i < e->rows; i++)
        found[i] = product(next + (size_t)i * n, v, n) - next[(size_t)e->rows * n + i];
    least(n, &f, e->scale, found, change);
    for (int k = 0; k < n; k++)
        v[k] -= change[k];
    return 1;
}

API int32_t project_state(const Motion *m, const double *given, double *q, double *v)
{
    memcpy(m->space, given, sizeof(double) * (size_t)m->given);
    return project(m, m->space, q, v, m->space + m->given + m->coordinates);
}

static double evaluate(const Motion *m, double *input, double *rates, double *found)
{
    int c = m->coordinates, s = m->states;
    execute(m->motion, input, found);
    memcpy(rates, found, sizeof(double) * (size_t)c);
    memcpy(rates + c + m->equations.size, found + c, sizeof(double) * (size_t)s);
    double conditioned = accelerate(&m->equations, found + c + s, m->accelerated, rates + c, 0);
    return largest(rates, c + m->equations.size + s) > 1e300 ? -1.0 : conditioned;
}

/* The rates of coordinates, velocities and states. Near a singular position a small violation of the
 * constraints makes large errors of the accelerations: there the state is projected first. Returns 0 if
 * there is no solution, or if the constraints are too poorly conditioned. */
API int32_t rates_of(const Motion *m, const double *given, const double *packed, double *rates)
{
    int c = m->coordinates, n = m->equations.size, s = m->states, g = m->given;
    double *input = m->space, *found = input + g + c + n + s, *rest = found + m->motion->outputs;
    memcpy(input, given, sizeof(double) * (size_t)g);
    memcpy(input + g, packed, sizeof(double) * (size_t)(c + n + s));
    double conditioned = evaluate(m, input, rates, found);
    if (conditioned >= m->poor)
        return 1;
    if (!(conditioned > m->least))
        return 0;
    double *state = rest, *other = state + c + n + s;
    memcpy(state, packed, sizeof(double) * (size_t)(c + n + s));
    if (!project(m, input, state, state + c, other + g + c))
        return 0;
    memcpy(input + g, state, sizeof(double) * (size_t)(c + n + s));
    return evaluate(m, input, rates, found) > m->least;
}

/* The rates K at all stages but the first of an explicit method with the matrix A; `given` has a row for each
 * stage. Returns 0 if rates_of() does. */
API int32_t stages(const Motion *m, int32_t count, int32_t width, const double *A, double step, const double *given,
                   const double *y, double *state, double *K)
{
    int length = m->coordinates + m->equations.size + m->states;
    for (int s = 1; s < count; s++) {
        memset(state, 0, sizeof(double) * (size_t)length);
        for (int k = 0; k < s; k++)
            if (A[(size_t)s * width + k] != 0.0)
                add_multiple(state, A[(size_t)s * width + k], K + (size_t)k * length, length);
        for (int i = 0; i < length; i++)
            state[i] = y[i] + step * state[i];
        if (!rates_of(m, given + (size_t)s * m->given, state, K + (size_t)s * length))
            return 0;
    }
    return 1;
}
