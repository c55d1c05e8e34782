/* Derivatives: how everything changes along a direction, found level by level.
 *
 * The generated tangents are linear in the direction. The closure and the accelerations are not
 * differentiated as programs, but as equations, with the matrices that they are solved with:
 *
 *     Phi_d dq_d = -dPhi,   Phi_d dv_d = -d(Phi_q v - nu)
 *     [M Phi_q^T; Phi_q 0] (da, dlambda) = -d(M a + Phi_q^T lambda - F, Phi_q a - gamma)   */
#ifndef DERIVATIVE_H
#define DERIVATIVE_H

#include "instance.h"

/* d(unknowns) = (partial derivative by the knowns) d(knowns), at the point that variables are read at. */
Status directional_derivative(Instance *self, const Reference *unknowns, size_t n_unknowns,
                              const Reference *knowns, size_t n_knowns, const double *seed,
                              double *sensitivity);

/* The transposed product. */
Status adjoint_derivative(Instance *self, const Reference *unknowns, size_t n_unknowns,
                          const Reference *knowns, size_t n_knowns, const double *seed, double *sensitivity);

/* Time derivatives of calculated variables, the inputs changing as given. */
Status time_derivatives(Instance *self, const Reference *references, size_t n, double *values);

/* The matrices of the derivatives at a point. False: they are singular. */
bool factor_at(Instance *self, const Point *point);

/* At a point at rest: the matrices, and how accelerations and the derivatives of the network's states follow the
 * changes of positions and states in work->along, which keep the loops closed. */
bool factor_rest(Instance *self, const Point *point);
void follow_rest(Instance *self, const Point *point);

/* How everything changes with one input while states are held, into work->along and work->formula_change. */
void follow_input(Instance *self, const Point *point, int input);

/* At the accepted point: the Jacobian of the ODE and its derivative by time, into work. */
bool ode_derivatives_at_accepted(Instance *self);

#endif
