/* The choices a model makes at export, by number, so that the preprocessor can compare them.
 * model.h includes this file before it names its closure and its solver. */
#ifndef RUNTIME_H
#define RUNTIME_H

/* How the loops are closed. TRIANGULAR and NEWTON integrate the independent coordinates only (embedding);
 * the others integrate all coordinates. */
#define CLOSURE_NEWTON 1     /* Newton block by block, in the order of the set */
#define CLOSURE_NEWTON_ALL 2 /* one Newton over all constraints */
#define CLOSURE_AUGMENTED 3  /* Lagrange multipliers, projection after each accepted step */
#define CLOSURE_BAUMGARTE 4  /* Lagrange multipliers, stabilized accelerations */
#define CLOSURE_PENALTY 5    /* constraints as stiff spring-dampers on the acceleration level */
#define CLOSURE_TRIANGULAR 6 /* exact steps block by block, Newton where there are none */

#define CLOSURE_PROJECTION 7 /* all coordinates and the independent velocities are integrated */

#define SOLVER_EULER 1
#define SOLVER_RK4 2
#define SOLVER_DOPRI5 3
#define SOLVER_RODAS3 4 /* linearly implicit */

/* The verdict of the guards of the embedded equations of motion on a position. */
typedef enum {
    MOTION_UNKNOWN, /* singular, or no embedded equations: nothing was computed */
    MOTION_WEAK,    /* computed, but other independent coordinates may be better */
    MOTION_GOOD     /* computed */
} MotionVerdict;

/* An angle with its sine and cosine, from which those of nearby angles are computed without a function call. */
typedef struct {
    double q, sine, cosine;
} Anchor;

/* What a coordinate is. */
typedef enum {
    COORDINATE_LENGTH,
    COORDINATE_ANGLE,
    COORDINATE_COMPONENT, /* of a quaternion */
    COORDINATE_DEFLECTION /* of an element, which moves points by about as much as itself */
} CoordinateKind;

/* A unit quaternion, of which three components are independent: its coordinates, and the constraint of length. */
typedef struct {
    int components[4], row;
} Attitude;

/* Room for n elements: C99 has no arrays of length zero. */
#define MODEL_ROOM(n) ((n) > 0 ? (n) : 1)

#endif
