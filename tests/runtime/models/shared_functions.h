/* Included by model.c: the functions and tables that are the same for all of these models. */
#include <stddef.h>
#include <string.h>

/* Tangents by central differences: what generated models have in closed form. */

const unsigned model_state_references[] = {
    MODEL_K0,     MODEL_K0 + 1, MODEL_K0 + 2, MODEL_K0 + 3, MODEL_K0 + 4,  MODEL_K0 + 5,
    MODEL_K0 + 6, MODEL_K0 + 7, MODEL_K0 + 8, MODEL_K0 + 9, MODEL_K0 + 10, MODEL_K0 + 11};

typedef struct {
    double p[MODEL_ROOM(MODEL_NP)], d[MODEL_ROOM(MODEL_ND)], u[MODEL_ROOM(MODEL_NU)];
    double q[MODEL_ROOM(MODEL_NQ)], v[MODEL_ROOM(MODEL_NQ)], a[MODEL_ROOM(MODEL_NQ)], l[MODEL_ROOM(MODEL_NC)];
    double x[MODEL_ROOM(MODEL_NX)], z[MODEL_ROOM(MODEL_NZ)];
} Displaced;

static void displace_vector(int n, const double *from, const double *along, double h, double *to)
{
    for (int i = 0; i < n; i++) {
        to[i] = from[i] + h * along[i];
    }
}

/* `solved`: accelerations and multipliers move, too. */
static ModelPoint displace(const ModelPoint *at, const ModelDirection *along, double h, bool solved,
                                  Displaced *room)
{
    const double *const still = at->accelerations;
    displace_vector(MODEL_NP, at->parameters, along->parameters, h, room->p);
    model_derive(room->p, room->d);
    displace_vector(MODEL_NU, at->inputs, along->inputs, h, room->u);
    displace_vector(MODEL_NQ, at->coordinates, along->coordinates, h, room->q);
    displace_vector(MODEL_NQ, at->velocities, along->velocities, h, room->v);
    displace_vector(MODEL_NQ, still, along->accelerations, solved ? h : 0.0, room->a);
    displace_vector(MODEL_NC, at->multipliers, along->multipliers, solved ? h : 0.0, room->l);
    displace_vector(MODEL_NX, at->states, along->states, h, room->x);
    displace_vector(MODEL_NZ, at->unknowns, along->unknowns, h, room->z);
    const ModelPoint moved = {at->time + h * along->time, room->p, room->d, room->u, room->q, room->v,
                              room->a,              room->l, room->x, room->z, at->sines,   at->signs, at->turns};
    return moved;
}

#define SAMPLE_STEP 1e-5
typedef void (*SampleFunction)(const ModelPoint *at, double *values);

static void sample_tangent(SampleFunction function, int n, const ModelPoint *at,
                                  const ModelDirection *along, bool solved, double *change)
{
    Displaced room;
    double ahead[MODEL_NQ + 3 * MODEL_NC + MODEL_NY + 2], behind[MODEL_NQ + 3 * MODEL_NC + MODEL_NY + 2];
    const ModelPoint after = displace(at, along, SAMPLE_STEP, solved, &room);
    function(&after, ahead);
    const ModelPoint before = displace(at, along, -SAMPLE_STEP, solved, &room);
    function(&before, behind);
    for (int i = 0; i < n; i++) {
        change[i] = (ahead[i] - behind[i]) / (2.0 * SAMPLE_STEP);
    }
}

static void sample_slip(const ModelPoint *at, double *slip)
{
    double phi_q[MODEL_ROOM(MODEL_NC * MODEL_NQ)];
    model_jacobian(at, phi_q);
    model_velocity(at, slip);
    for (int i = 0; i < MODEL_NC; i++) {
        slip[i] = -slip[i];
        for (int j = 0; j < MODEL_NQ; j++) {
            slip[i] += phi_q[i * MODEL_NQ + j] * at->velocities[j];
        }
    }
}

/* M a + Phi_q^T lambda - F, then Phi_q a - gamma */
static void sample_balance(const ModelPoint *at, double *balance)
{
    double phi_q[MODEL_ROOM(MODEL_NC * MODEL_NQ)], gamma[MODEL_ROOM(MODEL_NC)];
    double mass[MODEL_ROOM(MODEL_NQ * MODEL_NQ)], force[MODEL_ROOM(MODEL_NQ)];
    model_dynamics(at, phi_q, gamma, mass, force);
    for (int i = 0; i < MODEL_NQ; i++) {
        balance[i] = -force[i];
        for (int j = 0; j < MODEL_NQ; j++) {
            balance[i] += mass[i * MODEL_NQ + j] * at->accelerations[j];
        }
        for (int c = 0; c < MODEL_NC; c++) {
            balance[i] += phi_q[c * MODEL_NQ + i] * at->multipliers[c];
        }
    }
    for (int c = 0; c < MODEL_NC; c++) {
        balance[MODEL_NQ + c] = -gamma[c];
        for (int j = 0; j < MODEL_NQ; j++) {
            balance[MODEL_NQ + c] += phi_q[c * MODEL_NQ + j] * at->accelerations[j];
        }
    }
}

static void sample_fixed(const ModelPoint *at, double *residual)
{
    double jacobian[MODEL_ROOM(MODEL_NFIX * MODEL_NQ)];
    model_fixed(at, residual, jacobian);
}

static void sample_fixed_velocity(const ModelPoint *at, double *residual)
{
    double jacobian[MODEL_ROOM(MODEL_NFIXV * MODEL_NQ)];
    model_fixed_velocity(at, residual, jacobian);
}

void model_constraints_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(model_constraints, MODEL_NC, at, along, false, change);
}

void model_velocity_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(sample_slip, MODEL_NC, at, along, false, change);
}

void model_dynamics_tangent(const ModelPoint *at, const ModelDirection *along, double *balance,
                                          double *slip)
{
    double change[MODEL_ROOM(MODEL_NQ + MODEL_NC)];
    sample_tangent(sample_balance, MODEL_NQ + MODEL_NC, at, along, false, change);
    memcpy(balance, change, MODEL_NQ * sizeof *change);
    memcpy(slip, change + MODEL_NQ, MODEL_NC * sizeof *change);
}

void model_outputs_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(model_outputs, MODEL_NY, at, along, true, change);
}

void model_fixed_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    sample_tangent(sample_fixed, MODEL_NFIX, at, along, false, change);
}

void model_fixed_velocity_tangent(const ModelPoint *at, const ModelDirection *along,
                                                double *change)
{
    sample_tangent(sample_fixed_velocity, MODEL_NFIXV, at, along, false, change);
}

void model_partials_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    (void)at, (void)along, (void)change;
}

const ModelLeftOut model_left_out_rows[] = {{NULL, NULL, NULL, 1.0}};

const ModelLimit model_limits[] = {{0, 0.0, "", ""}};

void model_closing(const ModelPoint *at, double *phi)
{
    model_constraints(at, phi);
}

void model_left_out(const ModelPoint *at, double *phi)
{
    (void)at, (void)phi;
}

const int model_input_stamp[] = {-1};
const double model_input_slope[] = {MODEL_NO_SLOPE};
const int model_input_drives[] = {0};
const char *const model_input_names[] = {""};
const ModelPartial model_partials[] = {{0, 0, 0, 0}};

const char *const model_angle_names[] = {NULL};

void model_angles(const ModelPoint *at, double *angle, double *rate, double *second)
{
    (void)at, (void)angle, (void)rate, (void)second;
}

void model_start_angles(const ModelPoint *at, double *angle)
{
    (void)at, (void)angle;
}

#if MODEL_NE == 0
void model_time_relations(const ModelPoint *at, double *value, double *slope)
{
    (void)at, (void)value, (void)slope;
}

void model_relations(const ModelPoint *at, double *relation)
{
    (void)at, (void)relation;
}
#endif

#ifdef SAMPLE_WITHOUT_NETWORK
void model_network_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    (void)at, (void)along, (void)change;
}

void model_derivatives_tangent(const ModelPoint *at, const ModelDirection *along, double *change)
{
    (void)at, (void)along, (void)change;
}

void model_start_states_tangent(const ModelPoint *at, const ModelDirection *along,
                                              double *change)
{
    (void)at, (void)along, (void)change;
}

void model_derivatives(const ModelPoint *at, double *dx)
{
    (void)at;
    (void)dx;
}

void model_start_states(const ModelPoint *at, double *x)
{
    (void)at;
    (void)x;
}

void model_fixed_states(const ModelPoint *at, double *residual)
{
    (void)at;
    (void)residual;
}

const ModelNetworkBlock model_network_blocks[] = {{0, NULL, NULL, NULL}};
const double model_z0[] = {0.0};
const char *const model_states[] = {NULL};
const char *const model_fixed_state_names[] = {NULL};
#endif

extern const ModelBlock model_blocks[];
extern const int model_independent[];
extern const int model_dependent[];

const ModelSet model_sets[] = {
    {model_independent, model_dependent, MODEL_NBLOCKS, model_blocks, NULL, NULL, 1.0}};

const Attitude model_attitudes[] = {{{0, 0, 0, 0}, 0}};
const int model_state_turns[] = {0, 0, 0, 0, 0, 0, 0, 0};
