/* barrier.h -- the barrier stepper: implicit Euler as the minimum of one incremental potential, in which contacts are barriers.
   [Li, Ferguson, Schneider, Langlois, Zorin, Panozzo, Jiang, Kaufman 2020, Incremental potential contact; Lan, Kaufman, Li, Jiang, Yang 2022,
   Affine body dynamics] */
#ifndef CTI_BARRIER_H
#define CTI_BARRIER_H

#include "../8_step/stepper.h"
#include "../7_contact/potential.h"

/* cti_barrier_attach -- a surface vertex as a sum of blocks y: x = sum w_k y_k; n 0: no block moves it. */
typedef struct cti_barrier_attach {
    int32_t n, block[4];
    ct_real w[4];
} cti_barrier_attach;

/* cti_affine -- a rigid body as four blocks: its centre of mass p and the columns of A, x = p + A X. */
typedef struct cti_affine {
    int32_t block;
    ct_real mass, J[9];  /* [kg], [kg m^2] second moments about the centre, body frame */
    ct_real stiff;       /* [J] of the energy stiff |A'A - 1|^2 */
    ct_real radius;      /* [m] turns a change of A into one of a vertex */
} cti_affine;

/* cti_barrier_list -- candidate pairs of two or three or four vertices. */
typedef struct cti_barrier_list {
    ct_pair_kind kind;
    int32_t *pairs;      /* [2 n] features */
    int32_t *quads;      /* [4 n] vertices; of VE and VV pairs the last ones are 0 */
    ct_real *hat;        /* [n] dhat of the pair [m] */
    ct_real *d2;         /* [n] squared distances at the positions that active pairs were last found at, */
    ct_real *start2;     /* [n] and at surface.x0 */
    ct_real *w;          /* scratch of the distances */
    int32_t *feature;    /* scratch of the distances */
} cti_barrier_list;
enum { CTI_BARRIER_VF, CTI_BARRIER_EE, CTI_BARRIER_VE, CTI_BARRIER_VV, CTI_BARRIER_LISTS };

/* cti_barrier_rub -- friction of a contact, with the normal force and the directions of an earlier solve. */
typedef struct cti_barrier_rub {
    int32_t n, v[4];
    ct_real c[4], t[2][3];
    ct_real load; /* h^2 mu times the normal force [kg m] */
} cti_barrier_rub;

/* cti_contact_rub -- a rub's force on its point a, and the Hessian by the displacement there. */
typedef struct cti_contact_rub {
    ct_real f[3], K[9];
} cti_contact_rub;

/* cti_barrier_term -- an active pair: nearer than its dhat. */
typedef struct cti_barrier_term {
    int32_t kind, n, n_a, v[4], plane;
    ct_real hat, d2;
} cti_barrier_term;

/* cti_barrier_factors -- of B as it was in an earlier iteration or step: the preconditioner of the conjugate gradients. */
typedef struct cti_barrier_factors {
    cti_symbolic symbolic;
    cti_gather gather;
    cti_factor32 lagged;
    cti_factor64 exact;  /* of B itself, where float does not do */
    int known;           /* 1: lagged is a factor */
    int analyzed;        /* 1: symbolic is that of B's pattern as it is */
    double excess;       /* iterations since it was computed */
    float *x32;
    double *x64, *work64;
    float *work32;
    ct_real *vectors;    /* [5][3 n]: right side, and those of the conjugate gradients */
} cti_barrier_factors;

/* cti_barrier -- of CT_STEPPER_BARRIER; made when the world is prepared, but for what the comments say. */
typedef struct cti_barrier {
    int n;                        /* blocks */
    int32_t *block_of;            /* [state blocks] first block; -1: the angular block of a rigid body */
    cti_affine *affines;          /* [rigids] */
    cti_barrier_attach *attach;   /* [n_moving + 1] as of the surface */
    ct_real *hat;                 /* [surface bodies] dhat */
    ct_real *y, *y0, *y_hat;      /* [3 n] iterate; start of the step; y0 + h u + h^2 M^-1 f */
    ct_real *y_try, *dy, *g;      /* [3 n] */
    ct_real *goal;                /* [3 n] where scripts want constrained blocks at the end of the step */
    ct_real *x_state;             /* [3 state blocks] scratch of cti_barrier_place */
    ct_real *damping;             /* [3 state blocks] scratch */
    ct_real *script;              /* [3 n_moving] where the script wants the surface at the end of the step */
    ct_real *x_start;             /* [3 nv] surface at the start of the step */
    ct_real *x_last;              /* [3 nv] surface at the end of the last step; empty: none */
    ct_real *lo, *hi;             /* [6 n_moving] boxes that the lists cover, see cti_detect */
    int covered;                  /* 1: they and the lists are known */
    cti_barrier_list list[CTI_BARRIER_LISTS];
    int32_t *planes;              /* [2 m] vertex, plane: within reach in the boxes */
    cti_barrier_term *terms;      /* active pairs at the iterate */
    cti_barrier_rub *rubs;
    ct_real *toi, *least;         /* scratch of the step filter */
    int32_t *tested;              /* scratch of the step filter */
    cti_bsr B;                    /* Hessian */
    int32_t *slot_of;             /* [blocks of A] slot in B */
    int32_t *elastic;             /* [2 m] block pairs without contacts */
    int32_t *wanted;              /* [2 m] scratch: elastic and contacts' block pairs */
    int pattern;                  /* 1: B has a pattern */
    int contact_blocks;           /* block pairs of contacts in it */
    cti_barrier_factors factors;
    int32_t *all;                 /* [n] 0, 1, 2, ... */
    ct_real h;                    /* [s] of the step at hand */
    int exact;                    /* 1: elasticity's part of the next Hessian is not projected */
    ct_real sigma;                /* times M that is added to it then */
    double force;                 /* [N] scale of the barriers; kept over steps, 0: not known */
    double force_least;           /* [N] */
    int touched;                  /* touches of the step's earlier substeps */
    ct_real *x_begin;             /* [3 nv] surface at the start of the whole step */
    double loss_friction, energy_contact; /* [J] */
} cti_barrier;

/* cti_barrier_own -- the stepper's data of a state. */
CTI_INLINE cti_barrier *cti_barrier_own(const cti_state *s) { return (cti_barrier *)s->own; }

/* ---- barrier_layout.c ---- */

/* cti_barrier_prepare -- as cti_stepper.prepare; cti_barrier_free -- as its release. */
CTI_FN int cti_barrier_prepare(cti_state *s, const cti_stepper_body *bodies);
CTI_FN void cti_barrier_free(cti_state *s);
/* cti_barrier_load -- y0 and y_hat of a step of h from the state. */
CTI_FN void cti_barrier_load(cti_state *s, ct_real h);
/* cti_barrier_place -- out [3 nv]: the surface at y; scripted vertices are those of s->surface.script. */
CTI_FN void cti_barrier_place(cti_state *s, const ct_real *y, ct_real *out);
/* cti_barrier_store -- the state at the end of a step: positions, velocities, poses, the surface. */
CTI_FN void cti_barrier_store(cti_state *s);
/* cti_barrier_speed -- largest entry of a change of y as a speed [m/s]. */
CTI_FN ct_real cti_barrier_speed(const cti_state *s, const ct_real *dy);
/* cti_barrier_of -- the attachment of vertex v. */
CTI_INLINE const cti_barrier_attach *cti_barrier_of(const cti_state *s, const cti_barrier *b, int v)
{
    const cti_surface_body *body = &s->surface.bodies[s->surface.body_of[v]];
    return &b->attach[body->moves ? v + body->shift : s->surface.n_moving];
}

/* ---- barrier_pairs.c ---- */

/* cti_barrier_cover -- lists that are complete for the motion of the surface from x0 to x1. 0: out of memory. */
CTI_FN int cti_barrier_cover(cti_state *s, const ct_real *x1);
/* cti_barrier_find -- terms: the active pairs at the surface positions x, which the lists cover. 0: out of memory. */
CTI_FN int cti_barrier_find(cti_state *s, const ct_real *x);
/* cti_barrier_filter -- the largest step in [0, 1] along surface.x0 -> x1 that keeps every pair at this share of its distance at least;
   below 0: out of memory. */
CTI_FN ct_real cti_barrier_filter(cti_state *s, const ct_real *x1, ct_real share);
/* cti_barrier_arrive -- surface.x0 has become the positions that active pairs were last found at. */
CTI_FN void cti_barrier_arrive(cti_state *s);
/* cti_barrier_law -- the potential of a term, in h^2 J. */
CTI_FN void cti_barrier_law(const cti_state *s, const cti_barrier_term *t, cti_potential *out);
/* cti_barrier_eval -- a term's potential at surface positions x. */
CTI_FN int cti_barrier_eval(const cti_state *s, const cti_barrier_term *t, const ct_real *x, int want, cti_potential_terms *out);
/* cti_barrier_crosses -- 1 when the surface intersects itself at surface.x0: s->step.limit is a pair that does; 0: none; -1: out of memory. */
CTI_FN int cti_barrier_crosses(cti_state *s);

/* ---- barrier_energy.c: the objective in h^2 J ---- */

/* cti_barrier_energy -- of y, with the surface at x, whose active pairs are `terms`; *size: what its rounding is of. */
CTI_FN double cti_barrier_energy(cti_state *s, const ct_real *y, const ct_real *x, double *size);
/* cti_barrier_assemble -- g and B at cti_barrier_own(s)->y and surface.x0. shift [3 nv]: how far the surface's scripted vertices are to move, or NULL: the
   contacts' part of that is added to g. 0: out of memory. */
CTI_FN int cti_barrier_assemble(cti_state *s, const ct_real *shift, ct_step_report *r);
/* cti_barrier_contact_energy -- of the barriers and of friction, with the surface at x; *size += their rounding's. 0: out of memory. */
CTI_FN int cti_barrier_contact_energy(cti_state *s, const ct_real *x, double *barriers, double *friction, double *size);
/* cti_barrier_contacts -- the contacts' part of cti_barrier_assemble. 0: out of memory. */
CTI_FN int cti_barrier_contacts(cti_state *s, const ct_real *shift);
/* cti_barrier_lag -- rubs: friction with the normal forces at surface.x0. 0: out of memory. */
CTI_FN int cti_barrier_lag(cti_state *s);
/* cti_barrier_loss -- dissipated by damping from y0 to y [J]. */
CTI_FN double cti_barrier_loss(cti_state *s);
/* cti_barrier_slide -- tangential displacement [2] of a contact since the start of the step, with the surface at x. */
CTI_FN void cti_barrier_slide(const cti_state *s, const cti_barrier_rub *q, const ct_real *x, ct_real out[2]);

/* ---- barrier_system.c ---- */

/* cti_barrier_pattern -- B's pattern holds the blocks of all bodies, of `terms` and of `rubs`, and B is zero. 0: out of memory. */
CTI_FN int cti_barrier_pattern(cti_state *s);
/* cti_barrier_add -- B(i, j) += m [9], scaled. Of i and j a term or a rub has both. */
CTI_FN void cti_barrier_add(cti_barrier *b, int i, int j, const ct_real *m, ct_real scale);
/* cti_barrier_constrain -- after an assembly: g and B of constrained blocks, which are on their way to the goal. 0: out of memory. */
CTI_FN int cti_barrier_constrain(cti_state *s);
/* cti_barrier_shift_mass -- B += by M of deformable nodes, after cti_barrier_constrain. */
CTI_FN void cti_barrier_shift_mass(cti_state *s, ct_real by);
/* cti_barrier_solve -- dy = -B^-1 g, up to CTI_BARRIER_INEXACT; *definite 0: B is not positive definite, and dy is no direction. 0: out of memory. */
CTI_FN int cti_barrier_solve(cti_state *s, int *definite, ct_step_report *r);
CTI_FN void cti_barrier_factors_free(cti_mem *mem, cti_barrier_factors *f);

/* ---- barrier.c ---- */

/* cti_barrier_once -- one minimization of a step or substep of h, which becomes the state; start [3]: energies at its start, of the
   bodies, of contacts, of gravity alone. CT_ERR_DOMAIN as of cti_barrier_step. */
CTI_FN ct_code cti_barrier_once(cti_state *s, ct_real h, double *start, ct_step_report *r);
/* cti_barrier_gains -- 1 where a step of dt gained energy by its report. */
CTI_FN int cti_barrier_gains(const cti_state *s, ct_real dt, const double *start, const ct_step_report *r);

/* ---- barrier_step.c ---- */

/* cti_barrier_step -- as cti_step; CT_ERR_DOMAIN where the surface intersects itself when the step begins: s->step.limit is one of the pairs. */
CTI_FN ct_code cti_barrier_step(cti_state *s, ct_real dt, ct_step_report *r);

/* ---- barrier_stepper.c ---- */

CTI_FN const cti_stepper *cti_stepper_barrier(void);

#endif /* CTI_BARRIER_H */
