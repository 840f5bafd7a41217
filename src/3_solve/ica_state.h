/* ica_state.h -- what a solve by iterative constraint anticipation works on. */
#ifndef CTI_ICA_STATE_H
#define CTI_ICA_STATE_H

#include "anderson.h"
#include "ica.h"
#include "law.h"
#include "nodes.h"

enum { CTI_ICA_PACE = 12 }; /* outer iterations that tell how fast a solve converges */

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
    int single; /* no other contact touches its clusters, which are nodes: a second visit would only polish its friction */
    int own;         /* all of its clusters are nodes that others are coupled with: it can be visited in their sweep */
    ct_real base[3]; /* u at the v of the outer iteration */
    cti_law local; /* its law, and J D^-1 J' of it */
} cti_ica_contact;

typedef struct cti_ica_cluster {
    const int32_t *blocks;
    int n, n_ports, ld;
    int32_t *ports;   /* positions in blocks */
    float *C;         /* [3 n_ports][ld] */
    float *inverse;   /* own dense D^-1, [3 n][ld_inverse]; NULL where hooks solve and for single nodes */
    int ld_inverse;
    size_t du;        /* velocity change of the ports in this inner loop */
    int alone;        /* A couples it to no other cluster, others are coupled, and its inverse is exact: v is only kept up to date at its ports */
    const cti_cluster *hook;
} cti_ica_cluster;

typedef struct cti_ica_need { /* how many earlier runs a cluster has to have seen */
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
    int budget;  /* sweeps over the contacts where clusters are not coupled */
    int grouped; /* clusters that are not single nodes */
    int coupled; /* clusters see each other through A */
    int jointed; /* some rows are equations */
    int n_own, fused; /* contacts with nodes of their own; 1: they are visited in the sweep over nodes */
    ct_real mark; /* smallest change when it had halved last, */
    int marked;   /* before this iteration */
    ct_real pace[CTI_ICA_PACE]; /* smallest changes up to each of the last iterations */
    int correcting;             /* p->correction is applied after sweeps */
    int renewed;                /* times it was asked for a new factor */
    int idle;                   /* corrections in a row that brought little */
    ct_real corrected;          /* largest entry of the last one */
    ct_real nearest;            /* smallest change since the last new factor */
    ct_real worth;              /* change, relative to velocity_scale, below which the residual of an iteration is computed, */
    ct_real tight;              /* factor on the change at which sweeps over contacts end; smaller after a residual above the tolerance */
    ct_real left;               /* change of the last sweep over contacts */
    ct_real *work;              /* [6 n] of the judge, or NULL */
    int cold;    /* v did not solve A v = b for clusters without contacts */
    cti_ica_contact *contacts;
    cti_ica_leg *legs;
    cti_ica_term *terms;
    float *W, *du;
    size_t n_du;
    /* runs of contacts between the same clusters, in parts, one for each worker; what shares a cluster keeps its order (ica_parts.c) */
    int n_runs, n_parts;     /* n_parts 0: in turn */
    int32_t *run_at;         /* [n_runs + 1] starts in contacts */
    ct_real *run_change;     /* [n_runs] of a sweep */
    int32_t *part_at, *part_runs; /* [n_parts + 1] starts in part_runs; [n_runs] */
    int32_t *need_at;        /* [n_runs + 1] starts in needs */
    cti_ica_need *needs;     /* when a run may begin */
    uint32_t *done;          /* [n_clusters] runs of a cluster that are done */
    uint32_t *heads;         /* [16 n_parts] next run of each part */
    double sweep_us;         /* [us] about what a sweep takes */
    ct_real *cluster_change; /* [n_clusters] of a sweep over clusters that are not coupled */
    ct_real *f, *x; /* b + J' r; [6 max_blocks] of each worker: local right side */
    ct_real *predicted;             /* [3 n] of blocks with contacts, or NULL */
    ct_real *z, *z_old, *weight; /* [3 n + 3 rows] velocities and multipliers, those before an outer iteration, metric of both */
    ct_real *drift;              /* like z: what the last iteration changed */
    int strode, astray;          /* 1: it ended in a stride; strides that went wrong */
    ct_real *z_best;             /* those of the smallest change: what stands when the budget ends an accelerated loop */
    ct_real *v, *r, *r_old;      /* parts of z: [3 n], [3 rows]; multipliers before a sweep */
    int32_t *at_node, *of_node;  /* [nodes.n + 1] starts in of_node, contacts that are visited after a node */
    cti_nodes nodes;             /* clusters of one block without hooks */
    cti_anderson inner, outer;   /* outer: where clusters see each other through A */
} cti_ica;

CTI_INLINE int cti_ica_is_node(const cti_ica_cluster *q) { return q->n == 1 && !(q->hook && q->hook->solve); }

/* cti_ica_setup -- clusters, ports, contacts and vectors for s->p from the start v. 0 when memory ran out. */
CTI_FN int cti_ica_setup(cti_ica *s, const ct_real *v);

/* cti_ica_make_parts -- runs of contacts, and their parts, where clusters are not coupled. 0 when memory ran out. */
CTI_FN int cti_ica_make_parts(cti_ica *s);
/* cti_ica_each_run -- fn(s, run) for all runs of contacts, as if in turn: a run comes behind all earlier ones that it shares a cluster with.
   us: about what all of it takes [us]. */
typedef void cti_ica_run_fn(cti_ica *s, int run);
CTI_FN void cti_ica_each_run(cti_ica *s, cti_ica_run_fn *fn, double us);

#endif /* CTI_ICA_STATE_H */
