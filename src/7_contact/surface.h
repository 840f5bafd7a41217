/* surface.h -- the layer between bodies and contact: surface vertices, edges and faces of all bodies in common arrays. Detection and CCD
   see only their positions at the two ends of a linear motion. A row reaches the unknowns through a vertex's attachment. */
#pragma once

#include "../3_solve/problem.h"
#include "../5_mesh/nearest.h"
#include "../5_mesh/pairs.h"

/* cti_attach -- the map from blocks to a surface vertex: x = sum weight x_block. frame >= 0: the vertex of a rigid body, x = x_block[0] + R
   weight[0..2], n 2. n 0: a vertex that does not move, or that only a script moves. */
typedef struct cti_attach {
    int32_t n;
    int32_t frame;
    int32_t block[4];
    ct_real weight[4];
} cti_attach;

typedef struct cti_surface_body {
    ct_real thickness, friction, restitution;
    ct_real spin_friction[2]; /* [m] torsional, rolling */
    ct_contact_material contact; /* springs of contacts; -1: the world's */
    int dynamic;  /* has unknowns */
    int moves;    /* dynamic or scripted */
    ct_real belt[3]; /* [m/s] ct_body_set_surface_velocity */
    int shift;    /* of a moving body: vertex v is entry v + shift of the arrays that only moving vertices have */
    int is_cloth; /* 1: a surface without an inside */
    int solid;    /* 1: a closed surface around a volume */
    uint64_t id;  /* unique to the body for its whole life */
} cti_surface_body;

typedef struct cti_plane {
    ct_real normal[3], offset; /* free space: dot(normal, x) >= offset */
    int32_t body;
} cti_plane;

typedef struct cti_surface {
    int nv, ne, nf, n_bodies, n_planes;
    int n_moving;            /* vertices of bodies that move; the others' positions are set when the bodies are prepared */
    int32_t *runs;           /* [3 n] consecutive runs of them: first vertex, end, number of moving vertices before it */
    int has_still;
    ct_combine friction_combine, restitution_combine;
    int has_belts;           /* 1: some body's surface moves along itself */
    int has_spins;           /* 1: some body has torsional or rolling friction */
    ct_real still_lo[3], still_hi[3]; /* box of the vertices that never move */
    cti_attach *attach;      /* [n_moving + 1] see cti_surface_attach; the last one belongs to all vertices that never move */
    int32_t *body_of;        /* [nv] */
    int32_t *edges, *faces;  /* [2 ne], [3 nf] */
    int32_t *face_edges;     /* [3 nf] edges 01, 12, 20 */
    int32_t *edge_faces;     /* [2 ne] -1: none */
    int32_t *vertex_start, *vertex_next; /* [nv + 1], [2 ne]: vertices joined to vertex v by an edge are vertex_next[vertex_start[v] ..] */
    int32_t *vertex_owner, *edge_owner; /* the face that represents a shared feature; -1: none */
    uint8_t *is_point;       /* [nv] 1: a single point, without edges and faces */
    ct_real *rest;           /* [3 nv] */
    ct_real *x0, *x1;        /* [3 nv] both ends of the motion */
    ct_real *x_last;         /* [3 nv] where it was last known to be free of intersections (shell.h); empty: nowhere */
    ct_real *script;         /* [3 n_moving] end positions of vertices without blocks */
    cti_surface_body *bodies;
    cti_soup_body *ranges;   /* [n_bodies] */
    cti_plane *planes;
    uint8_t *meets;          /* [n_planes n_bodies] 1: a dynamic body that meets the plane */
    int32_t *apart;          /* of the soup */
    cti_soup soup;
    cti_broad broad;
} cti_surface;

CTI_FN void cti_surface_free(cti_mem *mem, cti_surface *s);

/* cti_surface_neighbours -- vertex_start, vertex_next from the edges. 0: out of memory. */
CTI_FN int cti_surface_neighbours(cti_mem *mem, cti_surface *s);

/* cti_surface_find_still -- computes n_moving, runs and the box of all vertices that never move, and sets their positions at both ends.
   Such vertices cost nothing in a step: loops over the surface's vertices go by runs or by bodies. 0: out of memory. */
CTI_FN int cti_surface_find_still(cti_mem *mem, cti_surface *s);

/* cti_surface_attach -- the attachment of vertex v; cti_surface_script -- the scripted position of a moving vertex. */
CTI_INLINE const cti_attach *cti_surface_attach(const cti_surface *s, int v)
{
    const cti_surface_body *b = &s->bodies[s->body_of[v]];
    return &s->attach[b->moves ? v + b->shift : s->n_moving];
}
CTI_INLINE ct_real *cti_surface_script(const cti_surface *s, int v) { return s->script + 3 * (size_t)(v + s->bodies[s->body_of[v]].shift); }

/* cti_surface_place -- out [3 nv]: positions of the moving surface at block positions q [3 n], rigid frames R [9 each], and the script. The one
   code path from unknowns to positions. */
CTI_FN void cti_surface_place(const cti_surface *s, const ct_real *q, const ct_real *frames, ct_real *out);
/* cti_surface_dynamic -- the first vertex of a dynamic body at or after v; nv: none. */
CTI_INLINE int cti_surface_dynamic(const cti_surface *s, int v)
{
    while (v < s->nv && !s->bodies[s->body_of[v]].dynamic)
        v = s->ranges[s->body_of[v]].v1;
    return v;
}
/* cti_surface_filter -- `meets` from the soup. cti_surface_meets -- 1 for a dynamic body that meets plane p. cti_surface_facing -- the first vertex
   of one at or after v; nv: none. */
CTI_FN void cti_surface_filter(cti_surface *s);
CTI_INLINE int cti_surface_meets(const cti_surface *s, int p, int body) { return s->meets[(size_t)p * (size_t)s->n_bodies + (size_t)body]; }
CTI_INLINE int cti_surface_facing(const cti_surface *s, int p, int v)
{
    while (v < s->nv && !cti_surface_meets(s, p, s->body_of[v]))
        v = s->ranges[s->body_of[v]].v1;
    return v;
}

/* cti_surface_area -- normal of a face at x times twice its area. cti_surface_normal -- of length 1; `flat` for a face without area. */
CTI_INLINE cti_v3 cti_surface_area(const cti_surface *s, const ct_real *x, int face)
{
    const int32_t *t = s->faces + 3 * (size_t)face;
    cti_v3 p = cti_v3_at(x, t[0]);
    return cti_v3_cross(cti_v3_sub(cti_v3_at(x, t[1]), p), cti_v3_sub(cti_v3_at(x, t[2]), p));
}
CTI_INLINE cti_v3 cti_surface_normal(const cti_surface *s, const ct_real *x, int face, cti_v3 flat)
{
    return cti_v3_unit(cti_surface_area(s, x, face), flat);
}
/* cti_surface_is_at -- 1 if the start of the motion is x, an array of [3 nv]: where nobody has moved the surface since x was copied from it. */
CTI_INLINE int cti_surface_is_at(const cti_surface *s, const ct_real *x)
{
    size_t n = 3 * (size_t)s->nv;
    return CTI_LEN(x) == (int)n && (n == 0 || memcmp(x, s->x0, n * sizeof(ct_real)) == 0);
}

/* cti_surface_box -- of a body's vertices at x. */
CTI_FN cti_box cti_surface_box(const cti_surface *s, const ct_real *x, int body);
/* cti_surface_commit -- copies the end of the motion, x1, to its start, x0. */
CTI_FN void cti_surface_commit(cti_surface *s);
/* cti_attach_point -- the position of one attachment with n > 0, as cti_surface_place computes it. */
CTI_FN cti_v3 cti_attach_point(const cti_attach *a, const ct_real *q, const ct_real *frames);

/* cti_plane_gap -- signed distance of x from a plane; its sign is that of dot(normal, x) - offset in exact arithmetic. */
CTI_FN ct_real cti_plane_gap(const cti_plane *p, cti_v3 x);

/* cti_surface_pair_thickness -- (h_a + h_b) / 2 of two bodies. */
CTI_FN ct_real cti_surface_pair_thickness(const cti_surface *s, int body_a, int body_b);

/* cti_pair -- a feature pair with signed weights: p_a - p_b = sum w[k] x[v[k]]; the first n_a belong to a. PLANE: v[0] and plane. EF: an
   edge that goes through a face, with two and three vertices, and weights at the intersection point. */
typedef struct cti_pair {
    int32_t kind; /* ct_pair_kind */
    int32_t n_a, n;
    int32_t v[5];
    int32_t plane;
    ct_real w[5];
} cti_pair;

/* cti_pair_is_inside -- 1 for a plane, and for a pair inside of a face, whose direction is the only one that its features allow. */
CTI_INLINE int cti_pair_is_inside(const cti_pair *p)
{
    return p->kind == CT_PAIR_PLANE || (p->kind == CT_PAIR_VF && p->w[1] != 0 && p->w[2] != 0 && p->w[3] != 0);
}
/* cti_pair_make -- from candidate lists: features a, b are vertex/face, edge/edge, vertex/edge, vertex/vertex numbers. Weights unset. */
CTI_FN void cti_pair_make(const cti_surface *s, ct_pair_kind kind, int a, int b, cti_pair *out);
/* cti_pair_weigh -- weights from the numbers t of a closest point, as dist.h has them for each kind. */
CTI_FN void cti_pair_weigh(cti_pair *pair, const ct_real *t);
/* cti_pair_closest -- sets the weights at positions x; returns the distance; *out_feature as in dist.h. */
CTI_FN ct_real cti_pair_closest(const cti_surface *s, const ct_real *x, cti_pair *pair, int *out_feature);
/* cti_pair_offset -- p_a - p_b at positions x with the pair's weights. */
CTI_FN cti_v3 cti_pair_offset(const cti_surface *s, const ct_real *x, const cti_pair *pair);
/* cti_pair_face -- unit normal of the face of a vertex-face pair; 0 where it has none. */
CTI_FN cti_v3 cti_pair_face(const ct_real *x, const cti_pair *pair);
/* cti_pair_normal -- its direction; `none` for an offset of 0. Inside of a face it is the face's normal, which the difference of two points that are
   a thickness apart has to a few digits in float. */
CTI_FN cti_v3 cti_pair_normal(const cti_surface *s, const ct_real *x, const cti_pair *pair, cti_v3 none);
/* cti_pair_way -- how far p_a moves against p_b from x0 to x1, scripts included; a plane does not move. */
CTI_FN cti_v3 cti_pair_way(const cti_surface *s, const cti_pair *pair);
/* cti_pair_with_belts -- u, a motion of p_a against p_b in h seconds, and that of belts along the surface with normal n. */
CTI_FN cti_v3 cti_pair_with_belts(const cti_surface *s, const cti_pair *pair, cti_v3 n, ct_real h, cti_v3 u);
/* cti_surface_across -- from an edge to the vertex *tip of a face beside it, across the edge, at x0; *foot: the vertex's place along the edge.
   cti_surface_beside -- the face beside an edge that is not this one; -1: none.
   cti_pair_valley -- 1 where the vertex of a VF pair, whose closest point is in `feature`, is above the face beside this one, and both are sides of
   a valley: the sine of the angle by which one rises over the other is above `shallow`. The pair's weights become those of its place on the
   face's plane, of which one is beyond [0, 1], and *distance [m] is that from the plane. */
CTI_FN cti_v3 cti_surface_across(const cti_surface *f, int face, int edge, int32_t *tip, ct_real *foot);
CTI_FN int cti_surface_beside(const cti_surface *f, int face, int edge);
CTI_FN int cti_pair_valley(const cti_surface *f, int face, int feature, ct_real shallow, cti_pair *p, ct_real *distance);
/* cti_pair_point -- the point of a pair on side 0 or 1 at positions x; not of planes. */
CTI_FN cti_v3 cti_pair_point(const ct_real *x, const cti_pair *pair, int side);
/* cti_vertices_approach -- bound on how much nearer two features come from x0 to x1: relative motions of their vertices q [n], the first n_a of which
   are of one. x0 NULL: x1 are the motions. cti_vertices_toi -- time at which the features of a pair, of vertices q [n], are at a distance `least`;
   else CTI_CCD_NONE. */
CTI_FN ct_real cti_vertices_approach(const int32_t *q, int n_a, int n, const ct_real *x0, const ct_real *x1);
CTI_FN ct_real cti_vertices_toi(int kind, const int32_t *q, int n, ct_real least, const ct_real *x0, const ct_real *x1);
/* cti_pair_key -- a key from bodies and vertex numbers within them: it does not change while both bodies live, whatever bodies are added or
   removed. */
CTI_FN uint64_t cti_pair_key(const cti_surface *s, const cti_pair *pair);
CTI_FN int cti_pair_body_a(const cti_surface *s, const cti_pair *pair);
CTI_FN int cti_pair_body_b(const cti_surface *s, const cti_pair *pair);
/* cti_combine -- ct_combine of two coefficients. cti_pair_friction, cti_pair_restitution -- those of a pair. */
CTI_FN ct_real cti_combine(ct_combine rule, ct_real a, ct_real b);
CTI_FN ct_real cti_pair_friction(const cti_surface *s, const cti_pair *pair);
CTI_FN ct_real cti_pair_restitution(const cti_surface *s, const cti_pair *pair);
/* cti_pair_thickness -- distance that the pair keeps; within one body at most half of its rest distance, except between loose points. */
CTI_FN ct_real cti_pair_thickness(const cti_surface *s, const cti_pair *pair);
