/* mechanism.h -- one step of rigid bodies that joints without compliance hold together.

   Unknowns are each body's mean velocity u = (x1 - x0) / dt, the Cayley vector t of its rotation R1 = cay(t) R0, and half of each joint's
   impulse, f. All numbers are double in every build. The file knows no world: bodies and rows are lists of numbers.
   Source: Simo & Wong 1991 (rotation that keeps energy and angular momentum), Gonzalez 1999 (constraints by discrete derivatives). */
#pragma once

#include "../1_math/d3.h"
#include "../2_linalg/lu3.h"

/* cti_mechanism_body -- mass [kg], inertia [9] about the centre of mass in the body's frame [kg m^2]; pose, velocity and angular momentum at
   the start. */
typedef struct cti_mechanism_body {
    double mass, inertia[9];
    double slow;            /* dt alpha / 2, alpha the rate of mass damping */
    double kick[3];         /* [m/s] half of gravity's change of velocity */
    double x[3], R[9];      /* at the start */
    double v[3], spin[3];   /* at the start; spin [N m s] in world axes */
    double u[3], turn[3];   /* mean velocity [m/s], Cayley vector [1]: |turn| = 2 tan(angle / 2) */
    double x1[3], R1[9];    /* pose at the end */
    double loads[9];        /* dt/2 times the stiffness of forces besides the joints', whose arms turn with the body */
    double D[9], inverse[9]; /* derivative of the equation of rotation by turn / dt, symmetric part, and its inverse; in Newton's method `inverse`
                               is that of the whole derivative */
    double lack[6];         /* what the equations of translation and of rotation lack */
    double step[6];         /* last full Newton step, of u and of turn / dt */
    double v1[3], spin1[3]; /* velocity and angular momentum at the end */
} cti_mechanism_body;

/* cti_mechanism_row -- three equations: part 0, the points of both sides meet; part 1, their axes coincide. A side without a body is the
   world, or a script's: its point and axes are given in world coordinates at the start and at the end. */
typedef struct cti_mechanism_row {
    int32_t body[2];        /* number in `bodies`, -1: none */
    int32_t part, is_hinge; /* a hinge leaves the rotation about its axis, the first of its triad, free */
    double point[2][2][3];  /* [side][0 start, 1 end]; of a body: [side][0] in its frame */
    double triad[2][2][9];  /* rows are axes; as `point` */
    double rate[2][3];      /* [0 start, 1 end]: velocity of what the two sides' scripts prescribe, a - b */
    double lever;           /* [m] a rotation error times this counts as a distance */
    double left[3];         /* [m] error that may remain at the end, world axes */
    int keeps;              /* 1: it is the rounding of the start, and turns with a body */
    double compliance;      /* [1/kg] of f, above 0: bounds the impulses of rows that contradict or repeat each other */
    int is_soft, is_loose;  /* 1: a spring; one that the step resolves, so that velocities are not projected along it */
    double f[3];            /* half impulse [N s], world axes; of part 1: the moment over the lever */
    double noted[3];        /* [N s] what projections of velocities have given, world axes: cti_mechanism_note */
    double arm[2][3];       /* part 0: mean of the arms at the start and the end, world axes */
    double axis[3];         /* hinge: its mean axis; else 0 */
    double error[3];        /* [m] at the end, less `left` */
    double response;        /* [1/kg] what a unit impulse changes in the row's velocity, in the mean of its directions, with free bodies */
    double axes;            /* length of the sum of a hinge's axes */
    double turning[2][9];   /* [m] E: derivative of the rate of a side's error by its angular velocity */
    double moment[2][9];    /* [m] J': moments of unit impulses, column by column */
} cti_mechanism_row;

/* cti_mechanism_use -- row `row` acts on a body by its side `side`. */
typedef struct cti_mechanism_use {
    int32_t row, side;
} cti_mechanism_use;

/* cti_mechanism -- zero it before first use. Bodies and rows are arrays of its own. */
typedef struct cti_mechanism {
    cti_mechanism_body *bodies;
    cti_mechanism_row *rows;
    int32_t *first;          /* [bodies + 1] in `uses` */
    cti_mechanism_use *uses; /* body by body */
    cti_lu3 factor;          /* of E D^-1 J' + C: rows that share a body are coupled */
    double *right, *x;       /* [3 rows] of a solve */
    double residual;         /* [m/s] largest change of a velocity in the next iteration, or what a row's equation lacks over dt */
} cti_mechanism;

/* cti_mechanism_make -- after bodies and rows[].body are set: analysis and memory for all that follows. 0: out of memory. */
CTI_FN int cti_mechanism_make(cti_mem *mem, cti_mechanism *m);
/* cti_mechanism_place -- the end's pose and the rows' mean arms, for u, turns and impulses at hand. */
CTI_FN void cti_mechanism_place(cti_mechanism *m, double dt);
/* cti_mechanism_equation -- D and its inverse of a body, spin1, and out [3] = (L1 - L0) / 2 and half of damping: the moment that f and
   contacts must have for the turn at hand. */
CTI_FN void cti_mechanism_equation(cti_mechanism *m, int body, double dt, double *out);
/* cti_mechanism_solve -- a step of dt from u, turns and impulses at hand; sets these, v1 and spin1. 0: Newton's method did not converge. */
CTI_FN int cti_mechanism_solve(cti_mechanism *m, double dt);
/* cti_mechanism_finish -- v1 and spin1 of the motion at hand. */
CTI_FN void cti_mechanism_finish(cti_mechanism *m, double dt);
/* cti_mechanism_turn -- the Cayley vector of a rotation vector [rad], cti_mechanism_angle -- the rotation vector of a Cayley vector. */
CTI_FN void cti_mechanism_turn(const double *angle, double *out);
CTI_FN void cti_mechanism_angle(const double *turn, double *out);
/* cti_mechanism_project -- removes from the velocities at the start (end 0) or the end (1) what the joints do not allow there, in the metric
   of the masses; sets `slow` to 0. Returns the kinetic energy that this takes [J]. */
CTI_FN double cti_mechanism_project(cti_mechanism *m, int end);
/* cti_mechanism_note -- adds the impulses of the last projection to the rows' `noted`. */
CTI_FN void cti_mechanism_note(cti_mechanism *m);
/* cti_mechanism_clean -- the same again for other velocities there. rated 0: the rows' scripts stand still. */
CTI_FN void cti_mechanism_clean(cti_mechanism *m, int end, int rated);
/* cti_mechanism_load -- adds the force and the moment of a row's impulse f on a side. */
CTI_FN void cti_mechanism_load(const cti_mechanism_row *q, int side, const double *f, double *force, double *moment);
/* cti_mechanism_turned -- K += share ((arm . f) 1 - sym(arm f')), minus the derivative of the moment arm x f by the body's rotation. */
CTI_FN void cti_mechanism_turned(const double *arm, const double *f, double share, double *K);
/* cti_mechanism_rate -- angular velocity of a body at the start or the end, w [3], and its inertia there in D. */
CTI_FN void cti_mechanism_rate(cti_mechanism_body *b, int end, double *w);
/* cti_mechanism_rest -- changes a row's `left`: an error up to `rounding` [m] stays; the force of a loose spring is that of 3/2 of its error
   at the end less 1/2 of that at the start: it decays as under implicit Euler, at w^2 dt / 2. */
CTI_FN void cti_mechanism_rest(cti_mechanism *m, int row, double rounding);
/* cti_mechanism_work -- work [J] of scripts and springs on the bodies through the rows' impulses at hand, over the step. */
CTI_FN double cti_mechanism_work(const cti_mechanism *m, double dt);
/* cti_mechanism_kinetic -- kinetic energy [J] at the start or the end. */
CTI_FN double cti_mechanism_kinetic(cti_mechanism *m, int end);
/* cti_mechanism_scale -- changes the kinetic energy at the end by `change` [J] along the motion relative to the common rigid one, or along all
   of it if the world holds the mechanism. So linear and angular momentum of a free one stay. Returns the change that it made. */
CTI_FN double cti_mechanism_scale(cti_mechanism *m, double change);

/* ---- parts of mechanism.c that mechanism_speed.c uses ---- */

/* cti_mechanism_inertia -- out = R J R'. */
CTI_FN void cti_mechanism_inertia(const double *R, const double *J, double *out);
/* cti_mechanism_across -- removes the part of x along a hinge's axis. */
CTI_FN void cti_mechanism_across(const cti_mechanism_row *q, double *x);
/* cti_mechanism_row_at -- arms, axis, impulse and error of a row; mean 1: of the motion, 0: at the start (end 0) or the end. */
CTI_FN void cti_mechanism_row_at(const cti_mechanism *m, cti_mechanism_row *q, int mean, int end);
/* cti_mechanism_slopes -- `turning` and `moment` of a side of a row, whose arm for the error is given; bend [3]: of what is along a hinge's axis. */
CTI_FN void cti_mechanism_slopes(cti_mechanism_row *q, int side, const double *arm, const double *bend);
/* cti_mechanism_factor -- factors S = E D^-1 J' + C; taut 1: without springs that the step resolves. damping [1]: added to each row, over the
   mobility of its points. 0: S is singular. cti_mechanism_unknowns -- m->x = S^-1 (m->right + E D^-1 lack); changes m->right. */
CTI_FN int cti_mechanism_factor(cti_mechanism *m, int taut, double damping);
CTI_FN void cti_mechanism_unknowns(cti_mechanism *m);
/* cti_mechanism_change -- v, w = D^-1 (J' x - lack) of a body; x NULL: without it. */
CTI_FN void cti_mechanism_change(const cti_mechanism *m, int body, const double *x, double *v, double *w);
