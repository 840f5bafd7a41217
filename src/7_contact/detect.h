/* detect.h -- candidate pairs over a linear motion, near pairs at its start, and collisions during it. */
#pragma once

#include "candidates.h"
#include "own.h"
#include "rows.h"

/* [thickness] a pair nearer than this at the start of a step gets a row, unless it is culled (detect.c, duplicates.h, flat_patches.h) */
#define CTI_DETECT_NEAR CTI_R(1.25)
/* [thickness] pairs that come nearer in their room are candidates: with less the report would lack some. The motion that gives a farther pair its
   row lies in the room. With 4 skirt takes 1.16 times as long, since most neighbours are within 4 thicknesses, letters 1.06 times, S1 as long */
#define CTI_DETECT_REACH CTI_R(2)
/* [thickness] distance that rows of flat edges keep. It is less than the distance that the rows of their end vertices keep for them
   (flats.c), so that at rest the vertices' rows carry the load. With 0.95 both kinds of rows carry it, and a fifth of the steps of S1 ends
   on the sweep budget. */
#define CTI_DETECT_KEEP CTI_R(0.91)
#define CTI_DETECT_KEEP_RIGID CTI_R(0.95) /* [thickness] the same between rigid bodies, whose faces do not bulge: a stack of ten boxes moves
                                             less than with 0.91 (test_rigid) */

#define CTI_DETECT_SEP CTI_R(0.25) /* [thickness] separation that CCD keeps */

typedef struct cti_hit {
    cti_pair pair;  /* weights at the time of impact */
    cti_v3 normal;
    ct_real toi;
    ct_real keep;   /* [m] distance that the row keeps; 0: the pair's thickness. Less for flat edges; more where flats.h raises it */
    uint64_t before; /* key of the pair by which the last step had this contact, where that is another one; else 0 */
    int flat;       /* 1: edge-edge with a flat edge; it adds no information while vertex-face pairs of the same surfaces collide, too */
} cti_hit;

/* cti_hits_take -- compacts hits [n], a dynamic array, to those with keep [n] set, in their order. */
CTI_FN void cti_hits_take(cti_hit *hits, const uint8_t *keep);

/* cti_detect_edge_cone -- 1 when the closest point of an edge, seen from a point that lies off it in the unit direction n, is not inside
   one of the edge's faces. The point belongs to a feature with the vertices other [2] (-1: none). A face with one of these vertices is not
   tested: it is joined to the feature, so that the two make no pair, which could replace this one. Otherwise, in a sharp fold every pair
   near the crease would be dropped in favour of one still nearer to the crease. */
CTI_FN int cti_detect_edge_cone(const cti_surface *s, int edge, cti_v3 n, const int32_t *other);
/* cti_detect_flat -- 1 for an edge whose two faces are nearly in one plane. */
CTI_FN int cti_detect_flat(const cti_surface *s, int edge);

/* cti_detect_keep -- distance [m] that the row of a pair of flat edges keeps. */
CTI_FN ct_real cti_detect_keep(const cti_surface *s, const cti_pair *pair);

typedef struct cti_detect {
    cti_candidates vf, ee;   /* hat: the bodies' thickness */
    int32_t *ve, *vv;        /* codimensional candidates [2 n] */
    cti_own own;             /* those of them within one body */
    int32_t *others[CTI_OWN_KINDS]; /* and those of two bodies */
    int32_t *spare[CTI_OWN_KINDS];  /* scratch */
    cti_room room;           /* the latter are complete while the surface stays in it */
    ct_real *measured;       /* [3 n_moving] positions of what moves at which the lists' distances are */
    ct_real *toi;            /* scratch [n] */
    int32_t *maybe;          /* scratch [n]: candidates that may be near */
    ct_real *tested;         /* [3 n_moving] ends of the last motion of what moves that was tested for collisions */
    uint8_t *moved;          /* [nv] 1: the vertex was in one of those; in the next test also: it has another end */
    uint8_t *left;           /* scratch [surface bodies] 1: the body has left its room */
    uint8_t *tangled;        /* [nv] 1: the vertex is in `tangles`, the list of intersections */
    uint64_t *tangles;       /* sorted: vertex << 32 | body << 1 | 1 where the vertex is inside the body or behind the plane, 0 where one of
                                its edges or faces intersects the body's surface */
    int n_tangled;           /* number of intersecting vertices; > 0: each step starts with a search for intersecting pairs */
    int valid;               /* 1: the lists belong to the present topology */
    int is_measured;         /* 1: `measured` is set */
    int is_tested;           /* 1: `tested` is of a motion that began where this one does; set by the caller */
    int n_queries;           /* broad-phase queries in this step */
} cti_detect;

/* cti_detect_free -- what belongs to the present surface. Pairs of one body are kept for the next one. */
CTI_FN void cti_detect_free(cti_mem *mem, cti_detect *d);

/* cti_detect_sep -- distance [m] that CCD keeps candidate i of a list apart: a quarter of the pair's thickness, or half of its distance at x0 where
   that is less. */
CTI_INLINE ct_real cti_detect_sep(const cti_candidates *l, int i) { return cti_min(CTI_DETECT_SEP * l->hat[i], cti_sqrt(l->d2[i]) / 2); }

/* cti_detect_tangle -- 0: vertex and body do not intersect; 1: an edge or face of the vertex intersects the body's surface; 2: it is
   inside. */
CTI_FN int cti_detect_tangle(const cti_detect *d, int vertex, int body);
/* cti_detect_is_tangled -- 1 when a pair of features v[0 .. n_a) and v[n_a .. n) is excluded: one of its vertices is inside the other
   side's body, or each side has a vertex whose edges or faces intersect the other's body. All other pairs of the same bodies are kept. */
CTI_FN int cti_detect_is_tangled(const cti_detect *d, const cti_surface *s, const int32_t *v, int n_a, int n);

/* cti_detect_still -- sets the inflation of the trees' boxes for bodies that never move. */
CTI_FN void cti_detect_still(cti_surface *s);

/* cti_detect_cover -- makes the lists complete for the motion x0 -> x1 of the surface. The trees are queried only when some vertex leaves
   the room of the last query. *out_changed 1 when the lists are new. 0 when memory ran out. */
CTI_FN int cti_detect_cover(cti_mem *mem, cti_detect *d, cti_surface *s, const ct_real *x1, int *out_changed);

/* cti_detect_distances -- distances of vf and ee at x0. */
CTI_FN void cti_detect_distances(cti_detect *d, const cti_surface *s);

/* cti_detect_near -- appends to *out the pairs within 1.25 thicknesses (CTI_DETECT_NEAR), and pairs up to 4 thicknesses apart (CTI_DETECT_TRUST) that
   by x1 will be within their thickness along the normal and come within 2 on the way (CTI_DETECT_REACH; of one body within 1.25), where the normal
   at x0 is reliable: not at edges, whose direction changes on the way. It makes one pair of each geometric contact at a shared feature
   (duplicates.h treats near duplicates), and every pair that carried load in `memory`. 0 when memory ran out. */
CTI_FN int cti_detect_near(cti_mem *mem, cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, cti_hit **out);

/* cti_detect_collisions -- appends to *out every candidate that comes nearer than cti_detect_sep during the motion from x0 to x1. Normal and
   weights are those at the time of impact. With is_tested, pairs that the last test found clear and that end as they did there are not tested again.
   0 when memory ran out. */
CTI_FN int cti_detect_collisions(cti_mem *mem, cti_detect *d, const cti_surface *s, const ct_real *x1, cti_hit **out);

/* cti_detect_is_owner -- 1 when this face owns the feature (dist.h) on which the closest point lies. cti_detect_above -- distance of a vertex from
   plane k, as cti_pair_closest has it. */
CTI_FN int cti_detect_is_owner(const cti_surface *s, int face, int feature);
CTI_FN ct_real cti_detect_above(const cti_surface *s, int k, const ct_real *x, int vertex);

/* cti_nearness -- how near surfaces are to each other. */
typedef struct cti_nearness {
    ct_real distance; /* [m] smallest of all pairs */
    ct_real share;    /* smallest distance over the pair's own thickness, at most 2 */
    int too_near;     /* pairs that are nearer than half of their own thickness */
} cti_nearness;

/* cti_detect_nearness -- of the candidates and planes at x0, whose distances are known; the distance is at most cap. */
CTI_FN void cti_detect_nearness(const cti_detect *d, const cti_surface *s, ct_real cap, cti_nearness *out);
