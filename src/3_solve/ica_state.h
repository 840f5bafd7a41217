/* ica_state.h -- the state of a solve by iterative constraint anticipation. */
#pragma once

#include "anderson.h"
#include "ica.h"
#include "law.h"
#include "nodes.h"
#include "solve_policy.h"

typedef struct cti_ica_term {
    float G[10]; /* block velocity to contact frame, column by column, and a zero */
    int32_t at;  /* offset of the block's velocity change in du */
} cti_ica_term;

typedef struct cti_ica_leg { /* a contact's part in one cluster */
    int32_t cluster, ld;
    size_t w;  /* D^-1 J' of this leg: three columns of ld floats */
    size_t du; /* of the cluster */
} cti_ica_leg;

typedef struct cti_ica_contact {
    int32_t leg0, n_legs, term0, n_terms;
    int single; /* 1: its clusters are nodes that no other contact touches: a second visit would change its friction only */
    int own;         /* 1: all of its clusters are nodes, and A couples clusters: it is solved inside the sweep over nodes */
    ct_real base[3]; /* u at the v of the outer iteration */
    cti_law local; /* its law, with its block of J D^-1 J' */
} cti_ica_contact;

typedef struct cti_ica_cluster {
    const int32_t *blocks;
    int n, n_ports, ld;
    int32_t *ports;   /* positions in blocks */
    float *C;         /* [3 n_ports][ld] */
    float *inverse;   /* dense D^-1, [3 n][ld_inverse]; NULL for single nodes, and where the hooks solve */
    int ld_inverse;
    size_t du;        /* velocity change of the ports in this inner loop */
    const cti_cluster *hook;
} cti_ica_cluster;

typedef struct cti_ica_need { /* a run's condition: so many earlier runs of this cluster are done */
    int32_t cluster;
    uint32_t count;
} cti_ica_need;

/* where blocks, clusters and contacts are */
typedef struct cti_ica_map {
    int32_t *cluster_of, *port_of; /* [n] of a block */
    int32_t *at_node, *of_node;    /* [nodes.n + 1] starts in of_node; contacts that are solved after each node */
    int n_own;                     /* contacts with `own` */
    int max_blocks;                /* of a cluster */
    int grouped;                   /* clusters that are not single nodes */
    int jointed;                   /* 1: some rows are equations */
    int cold;                      /* 1: the start v need not solve A v = b for clusters without contacts */
} cti_ica_map;

typedef struct cti_ica_tiles { /* D^-1 J' of all contacts */
    cti_ica_leg *legs;
    cti_ica_term *terms;
    float *W;
    size_t n_du; /* length of du */
} cti_ica_tiles;

/* Runs of consecutive contacts between the same clusters, distributed over workers. Runs that share a cluster keep their order
   (ica_parts.c). */
typedef struct cti_ica_runs {
    int n, n_parts;               /* n_parts 0: one run after the other on one thread */
    int32_t *at;                  /* [n + 1] starts in contacts */
    ct_real *change;              /* [n] of a sweep */
    int32_t *part_at, *part_runs; /* [n_parts + 1] starts in part_runs; [n] */
    int32_t *need_at;             /* [n + 1] starts in needs */
    cti_ica_need *needs;          /* the conditions under which a run may begin */
    uint32_t *done;               /* [n_clusters] runs of a cluster that are done */
    uint32_t *heads;              /* next run of each part, each in a cache line of its own */
    double sweep_us;              /* [us] estimated time of a sweep */
} cti_ica_runs;

/* iterates and what extrapolates them; z = (v, r) has [3 n + 3 rows] entries, as have the others of its kind */
typedef struct cti_ica_mix {
    ct_real *z, *z_old, *z_best; /* z; before an outer iteration; of the smallest change, the result when the budget ends a coupled loop */
    ct_real *weight;             /* square root of the diagonal of their metric */
    ct_real *r_old;              /* [3 rows] multipliers before a sweep */
    cti_anderson inner, outer;   /* of sweeps over contacts; of outer iterations, where A couples clusters */
} cti_ica_mix;

/* how far the outer loop is; a change is the largest one of an entry of v, or of a contact's velocity */
typedef struct cti_ica_progress {
    ct_real best, last;              /* smallest change since the fixed-point map last changed (cti_ica_new_map); change of the last iteration */
    ct_real restarted;               /* `best` at the last restart: from the same iterate a solve would diverge again */
    ct_real worth;                   /* change, relative to velocity_scale, below which the residual of an iteration is computed */
    ct_real needed;                  /* [m/s] change at which the residual would be the tolerance, by the last one above it; 0: there was none */
    ct_real tight;                   /* factor on the change at which sweeps over contacts end; smaller after a residual above the tolerance */
    ct_real opened;                  /* change of the first iteration */
    ct_real midway;                  /* smallest change when half of the budget was used up */
    int longer;                      /* 1: it has a second budget */
    int outpaced;                    /* 1: the last loop of sweeps, or the outer one, needs more time than `rival` */
    ct_real left;                    /* change of the last sweep over contacts */
} cti_ica_progress;

typedef struct cti_ica_correction { /* see cti_problem.split.correction */
    int active;                     /* 1: it is applied after sweeps */
    int renewed;                    /* factors asked of it in this solve */
    int idle;                       /* corrections in a row with little effect */
    ct_real largest;                /* entry of the last correction */
    ct_real nearest;                /* smallest change since the last new factor */
} cti_ica_correction;

typedef struct cti_ica_scratch {
    ct_real *x;         /* of each worker, [6 max_blocks]: the local residual and solution */
    ct_real *predicted; /* [3 n] velocities of eq. 9 of blocks with contacts, or NULL */
    ct_real *work;      /* [6 n] of the judge, or NULL */
    ct_real *change;    /* [n_clusters] largest change in each, of a sweep over uncoupled clusters */
} cti_ica_scratch;

typedef struct cti_ica {
    const cti_problem *p;
    const ct_solver_desc *desc;
    cti_arena *arena;
    int budget; /* [sweeps] over the contacts, where A couples no clusters */
    double price; /* [units] of an outer iteration besides its sweeps (frame.h) */
    int n_clusters;
    int coupled; /* 1: A couples different clusters */
    double rival; /* [us] time of another solver: at least, or where `priced` its estimate; 0: there is none */
    int priced;
    cti_ica_cluster *clusters;
    cti_nodes nodes; /* clusters of one block without hooks */
    cti_ica_contact *contacts;
    ct_real *v, *r; /* [3 n] velocities, [3 rows] multipliers: the two parts of mix.z */
    ct_real *f;     /* [3 n] b + J' r */
    float *du;      /* velocity changes of ports in this inner loop */
    cti_ica_map map;
    cti_ica_tiles tiles;
    cti_ica_runs runs;
    cti_ica_mix mix;
    cti_ica_progress progress;
    cti_ica_correction correction;
    cti_ica_scratch scratch;
} cti_ica;

CTI_INLINE int cti_ica_is_node(const cti_ica_cluster *q) { return q->n == 1 && !(q->hook && q->hook->solve); }

/* 1 where a cluster is a node, which cti_nodes_sweep solves, or where it has no contact and keeps its free motion */
CTI_INLINE int cti_ica_is_left(const cti_ica *s, const cti_ica_cluster *q)
{
    return cti_ica_is_node(q) || !(s->coupled || q->n_ports || s->map.cold);
}

/* cti_ica_setup -- clusters, ports, contacts and vectors for s->p from the start v. 0 when memory ran out. */
CTI_FN int cti_ica_setup(cti_ica *s, const ct_real *v);

/* cti_ica_make_parts -- finds the runs of contacts and distributes them over workers, where A couples no clusters. 0 when memory ran
   out. */
CTI_FN int cti_ica_make_parts(cti_ica *s);
/* cti_ica_each_run -- fn(s, run) for all runs of contacts, with the result of calling it in turn: a run begins after all earlier runs that
   it shares a cluster with. us: estimated time of all of them [us]. */
typedef void cti_ica_run_fn(cti_ica *s, int run);
CTI_FN void cti_ica_each_run(cti_ica *s, cti_ica_run_fn *fn, double us);
/* cti_ica_has_rival -- 1 where another solver's whole solve is in reach, so that sweeps only begin what it would end. */
CTI_FN int cti_ica_has_rival(cti_ica *s);
/* cti_ica_is_outpaced -- 1 where sweeps, whose change has fallen from `first` to `best` so far, need more time to `stop` than the other solver. */
CTI_FN int cti_ica_is_outpaced(cti_ica *s, int sweeps, ct_real first, ct_real best, ct_real stop);
/* cti_ica_publish -- copies the multipliers to the rows. */
CTI_FN void cti_ica_publish(const cti_ica *s);
/* cti_ica_rhs -- f = b + J' r of the rows' multipliers. */
CTI_FN void cti_ica_rhs(cti_ica *s);
/* cti_ica_refine_apart -- eq. 12 where A couples no clusters: each independently. Returns the largest change. */
CTI_FN ct_real cti_ica_refine_apart(cti_ica *s);

/* cti_ica_refine_cluster -- eq. 12 of one cluster, v_c += D_c^-1 (f - A v)_c. Returns the largest change of an entry. */
CTI_FN ct_real cti_ica_refine_cluster(cti_ica *s, const cti_ica_cluster *q, int worker);

/* ---- accelerations (ica_accelerate.c). now: the iteration's change; below 0: memory ran out ---- */

/* cti_ica_begin -- before the first outer iteration. */
CTI_FN void cti_ica_begin(cti_ica *s);
/* cti_ica_begin_iteration -- returns the times of contacts and clusters in it. */
CTI_FN int cti_ica_begin_iteration(cti_ica *s, int iteration);
/* cti_ica_after_node -- solves the contacts whose last node in a sweep is node i of the list. Returns their largest change. */
CTI_FN ct_real cti_ica_after_node(void *ctx, int i);
/* cti_ica_correct -- applies a correction. Returns the larger of now and its own change, which is above the tolerance where another
   iteration must follow. */
CTI_FN ct_real cti_ica_correct(cti_ica *s, int iteration, ct_real now);
/* cti_ica_correct_again -- where half a budget does not reach the change that is needed: a correction with a new factor, for the multipliers at hand.
   Others follow. 0: out of memory. */
CTI_FN int cti_ica_correct_again(cti_ica *s);
/* cti_ica_restart -- 1 where a loop that diverged goes on from its best iterate. */
CTI_FN int cti_ica_restart(cti_ica *s);
/* cti_ica_extrapolate -- stores an iterate that is the best so far, and moves z to where the next iteration starts. */
CTI_FN void cti_ica_extrapolate(cti_ica *s, ct_real now);
/* cti_ica_take_best -- the best iterate is the result. now: change of the last one, which a bound of the frame may have ended before it was noted. */
CTI_FN void cti_ica_take_best(cti_ica *s, ct_real now);

/* ---- the end (ica_judge.c) ---- */

/* cti_ica_judge -- info->status of an iteration: OK by the residual, DIVERGED or SLOW by its change, BUDGET: the loop goes on. 0: memory
   ran out. */
CTI_FN int cti_ica_judge(cti_ica *s, ct_real now, cti_solve_info *info);
