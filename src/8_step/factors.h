/* factors.h -- components of the elastic matrix, their factors and patches, and the free solve. */
#pragma once

#include "../0_base/archive.h"
#include "island.h"

/* cti_factors_init -- components of A's graph, shared analyses, patches. Once per topology; memory is in f->mem and, where a component of the same
   body may take it over after the next change of bodies, in f->lasting. bodies [n]: ids of the blocks' bodies. 0 when memory ran out.
   cti_factors_retire -- before f->mem is released: keeps analyses and caches of components for the next cti_factors_init. */
CTI_FN int cti_factors_init(cti_factors *f, cti_arena *arena, const cti_bsr *A, const uint64_t *bodies);
CTI_FN void cti_factors_retire(cti_factors *f);
/* cti_factors_of_other -- the factors of a body, by its id as above, are of another shape than it has now: they are computed anew. */
CTI_FN void cti_factors_of_other(cti_factors *f, uint64_t body);
/* cti_factors_estrange -- before the next preparation: a body gets another pattern, and keeps no analysis. */
CTI_FN void cti_factors_estrange(cti_factors *f, uint64_t body);
/* cti_factors_rename -- of what is kept until bodies are prepared: body ids[i] of slot i has id to[i] from now on; all others are gone. */
CTI_FN void cti_factors_rename(cti_factors *f, const uint64_t *ids, const uint64_t *to, int n);

/* cti_factors_ask -- asks for a new factor of a component, which is computed when factors are next renewed. */
CTI_FN void cti_factors_ask(cti_component *q);
/* cti_factors_drift -- some block of the component may have moved by a further `way` [m] since the factor was computed. */
CTI_FN void cti_factors_drift(cti_component *q, ct_real way);
/* cti_factors_relinearize -- the component's part of A has changed within a step: its factor belongs to another matrix, and a new one is
   asked for. */
CTI_FN void cti_factors_relinearize(cti_component *q);
/* cti_factors_renew -- computes a component's factor again if cti_policy_factor_is_due says so. A is the world's. 0 when memory ran out. */
CTI_FN int cti_factors_renew(cti_factors *f, cti_component *q, const cti_bsr *A, ct_real dt);
/* cti_factors_prepare -- the part of a renewal that allocates. If it sets q->cache.is_due, cti_factors_refill must follow, which may run on
   any thread. 0 when memory ran out. */
CTI_FN int cti_factors_prepare(cti_factors *f, cti_component *q, ct_real dt);
CTI_FN void cti_factors_refill(cti_component *q, const cti_bsr *A, ct_real dt);
/* cti_factors_room -- scratch for solves with a factor, for every worker. 0 when memory ran out. */
CTI_FN int cti_factors_room(cti_factors *f, const cti_factor32 *factor);
/* cti_factors_archive -- factors with their ages, and what solves remember, in an archive. */
CTI_FN void cti_factors_archive(cti_archive *a, cti_factors *f);
/* cti_factors_reserve -- what a component's factor in double, its two grids or its factor in float take. 0 when memory ran out. */
CTI_FN int cti_factors_reserve(cti_factors *f, cti_component *q, int exact, int grid);
/* cti_factors_age -- a new matrix, once an attempt: the ages of active components' factors grow by one. */
CTI_FN void cti_factors_age(cti_factors *f);
/* cti_factors_begin -- cti_factors_age for an attempt of dt of the world, with what decides when factors are due: how far active components may
   move, and which of them were free. */
CTI_FN void cti_factors_begin(cti_state *s, ct_real dt);
/* cti_factors_share_grid -- the component's two grids take over A, unless they have it. Then their inverse of A is computed before its next use. */
CTI_FN void cti_factors_share_grid(cti_component *q, const cti_bsr *A);
/* cti_factors_costs -- flops of a factorization, and nonzeros that a solve with it reads; of two grids what takes as long. */
CTI_FN void cti_factors_costs(const cti_component *q, double *flops, double *nonzeros);
/* cti_factors_charge -- records the iterations of a free solve: those with a new factor are the reference, any excess over them is the cost of the
   factor's age. */
CTI_FN void cti_factors_charge(cti_factor_stamp *t, int iterations);
/* cti_factors_price -- units (frame.h) of so many factorizations of a component, and solves with its factor. */
CTI_FN double cti_factors_price(const cti_component *q, double factors, double solves);
/* cti_factors_is_cheap -- 1 if a factor costs at most 20 solves (factors.cheap over factors.solve). */
CTI_FN int cti_factors_is_cheap(const cti_component *q);
/* cti_factors_exact -- gives the open island's problem exact factors of its bodies, computed once for each matrix; their list is in the
   arena. A is the world's. 0 when memory ran out. */
CTI_FN int cti_factors_exact(cti_factors *f, cti_arena *arena, const cti_bsr *A, cti_island *island);
/* cti_factors_mark -- asks for new factors of the island's components whose factor lags. Returns how many were marked. */
CTI_FN int cti_factors_mark(cti_factors *f, const cti_island *island);

/* cti_factors_lag -- 1 when some factor of the island is of an earlier matrix. */
CTI_FN int cti_factors_lag(const cti_factors *f, const cti_island *island);

/* cti_free_motion -- A x = b of the world's n blocks, the motion without contacts. */
typedef struct cti_free_motion {
    const cti_bsr *A;
    const ct_real *b;  /* [3 n] */
    ct_real *x, *work; /* [3 n] in: start, out: solution; [12 n] */
    ct_real dt;        /* [s] time step that A is of */
} cti_free_motion;

/* cti_factors_free_solve -- A x = b on one component by conjugate gradients, preconditioned by its factor. It ends when sqrt(r' D^-1 r) <=
   tol, immediately if x is good enough. Only the component's blocks of x, b and work are used. If a factor of an earlier matrix is slower than
   a new one (cti_policy_factor_is_slow), that is computed in place, without an allocation. worker: see ct_task_fn. Returns the iterations. */
CTI_FN int cti_factors_free_solve(cti_factors *f, cti_component *c, const cti_free_motion *m, double tol, int max_it, int worker);

/* cti_factors_residual -- r = b - A x on one component, whose blocks are `blocks` in A. */
CTI_FN void cti_factors_residual(const cti_component *q, const int32_t *blocks, const cti_bsr *A, const ct_real *b, const ct_real *x, ct_real *r);

/* cti_factors_apply -- z = D^-1 r on one component by one of its factors; `blocks` are its blocks in r and z. */
CTI_FN void cti_factors_apply(cti_factors *f, const cti_component *q, const cti_factor32 *factor, const int32_t *blocks, const ct_real *r,
                              ct_real *z, int worker);

/* cti_factors_by_grid -- z = M^-1 r, nearly, on one component by its two grids, M the matrix that `by` was made of; NULL: z = A r, as exact as floats
   are. */
CTI_FN void cti_factors_by_grid(cti_factors *f, const cti_component *q, const cti_twogrid_inverse *by, const int32_t *blocks, const ct_real *r,
                                ct_real *z, int worker);

/* cti_factors_islands -- island [n_rows]: rows that share components, directly or through others, get the same number, 0 .. *out_n - 1 in
   the order of their first rows. 0 when memory ran out. */
CTI_FN int cti_factors_islands(cti_factors *f, cti_arena *arena, const cti_row *rows, int n_rows, int32_t *island, int *out_n);

/* cti_factors_solve -- x = D^-1 x [3 blocks] by the factor of a component, to which ctx points: the `solve` hook of a cluster. */
CTI_FN void cti_factors_solve(void *ctx, ct_real *x, int worker);
