/* ica_state.h -- the state of a solve by iterative constraint anticipation. */
#ifndef CTI_ICA_STATE_H
#define CTI_ICA_STATE_H

#include "anderson.h"
#include "ica.h"
#include "law.h"
#include "nodes.h"

enum { CTI_ICA_PACE = 12 }; /* [outer iterations] over which the convergence rate is measured */

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
    int own;         /* 1: all of its clusters are nodes, and A couples clusters: it can be solved inside the sweep over nodes */
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
    int alone;        /* 1: A couples other clusters, but not this one, and its inverse is exact: most iterations update v only at its
                         ports */
    const cti_cluster *hook;
} cti_ica_cluster;

typedef struct cti_ica_need { /* a run's condition: so many earlier runs of this cluster are done */
    int32_t cluster;
    uint32_t count;
} cti_ica_need;

typedef struct cti_ica {
    const cti_problem *p;
    const ct_solver_desc *desc;
    cti_arena *arena;
    int32_t *cluster_of, *port_of; /* [n] */
    cti_ica_cluster *clusters;
    int n_clusters, max_blocks;
    int budget;  /* [sweeps] over the contacts, where A couples no clusters */
    int grouped; /* clusters that are not single nodes */
    int coupled; /* 1: A couples different clusters */
    int jointed; /* some rows are equations */
    int n_own, fused; /* contacts with `own`; 1: they are solved inside the sweep over nodes */
    ct_real mark; /* smallest change at the last time that it had halved, */
    int marked;   /* and the iteration of that */
    ct_real pace[CTI_ICA_PACE]; /* smallest changes so far, after each of the last iterations */
    int correcting;             /* p->correction is applied after sweeps */
    int renewed;                /* factors asked of it in this solve */
    int idle;                   /* corrections in a row with little effect (CTI_ICA_IDLE) */
    ct_real corrected;          /* largest entry of the last correction */
    ct_real nearest;            /* smallest change since the last new factor */
    ct_real worth;              /* change, relative to velocity_scale, below which the residual of an iteration is computed */
    ct_real tight;              /* factor on the change at which sweeps over contacts end; smaller after a residual above the tolerance */
    ct_real left;               /* change of the last sweep over contacts */
    ct_real *work;              /* [6 n] of the judge, or NULL */
    int cold;    /* 1: the start v need not solve A v = b for clusters without contacts */
    cti_ica_contact *contacts;
    cti_ica_leg *legs;
    cti_ica_term *terms;
    float *W, *du;
    size_t n_du;
    /* Runs of consecutive contacts between the same clusters, distributed over workers. Runs that share a cluster keep their order
       (ica_parts.c). */
    int n_runs, n_parts;     /* n_parts 0: one run after the other on one thread */
    int32_t *run_at;         /* [n_runs + 1] starts in contacts */
    ct_real *run_change;     /* [n_runs] of a sweep */
    int32_t *part_at, *part_runs; /* [n_parts + 1] starts in part_runs; [n_runs] */
    int32_t *need_at;        /* [n_runs + 1] starts in needs */
    cti_ica_need *needs;     /* the conditions under which a run may begin */
    uint32_t *done;          /* [n_clusters] runs of a cluster that are done */
    uint32_t *heads;         /* [16 n_parts] next run of each part */
    double sweep_us;         /* [us] estimated time of a sweep */
    ct_real *cluster_change; /* [n_clusters] largest change in each, of a sweep over uncoupled clusters */
    ct_real *f, *x; /* b + J' r; scratch of each worker, [6 max_blocks]: the local residual and solution */
    ct_real *predicted;             /* [3 n] velocities of eq. 10 of blocks with contacts, or NULL */
    ct_real *z, *z_old, *weight; /* [3 n + 3 rows] velocities and multipliers; their values before an outer iteration; square root of their
                                    metric's diagonal */
    ct_real *drift;              /* [3 n + 3 rows] change of z in the last iteration */
    int strode, astray;          /* 1: the last iteration ended with an extrapolation along the drift; extrapolations that were undone */
    ct_real *z_best;             /* z of the smallest change: the result when the budget ends an accelerated loop */
    ct_real *v, *r, *r_old;      /* the two parts of z, [3 n] and [3 rows]; multipliers before a sweep */
    int32_t *at_node, *of_node;  /* [nodes.n + 1] starts in of_node; contacts that are solved after each node */
    cti_nodes nodes;             /* clusters of one block without hooks */
    cti_anderson inner, outer;   /* inner: of sweeps over contacts; outer: of outer iterations, where A couples clusters */
} cti_ica;

CTI_INLINE int cti_ica_is_node(const cti_ica_cluster *q) { return q->n == 1 && !(q->hook && q->hook->solve); }

/* cti_ica_setup -- clusters, ports, contacts and vectors for s->p from the start v. 0 when memory ran out. */
CTI_FN int cti_ica_setup(cti_ica *s, const ct_real *v);

/* cti_ica_make_parts -- finds the runs of contacts and distributes them over workers, where A couples no clusters. 0 when memory ran
   out. */
CTI_FN int cti_ica_make_parts(cti_ica *s);
/* cti_ica_each_run -- fn(s, run) for all runs of contacts, with the result of calling it in turn: a run begins after all earlier runs that
   it shares a cluster with. us: estimated time of all of them [us]. */
typedef void cti_ica_run_fn(cti_ica *s, int run);
CTI_FN void cti_ica_each_run(cti_ica *s, cti_ica_run_fn *fn, double us);

#endif /* CTI_ICA_STATE_H */
