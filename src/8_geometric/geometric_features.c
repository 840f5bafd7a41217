/* geometric_features.c -- which features of a pair its closest points are in, and whether these are each other's nearest.
   Method: a vertex collides with the face, edge or vertex in whose Voronoi region it is, so that each pair of closest points belongs to one pair of
   features. A vertex that is above one side of a valley collides with the other side's plane, too. That collision begins where the motion is
   about to need it; where the vertex comes above that side, it may be inside of the thickness already. The direction of a pair of edges or
   vertices must be within the normal cones of both, but for a small angle: outside of them a face or an edge beside is nearer.
   based on: Volino, Magnenat-Thalmann 2000, sec. 2.1 and 2.2. */
#include "geometric.h"

/* returns 1 where p is in the Voronoi region of an edge of a face, whose closest point is c: not above the other face there */
static int cti_geometric_at_edge(const cti_surface *f, int face, int edge, cti_v3 p, cti_v3 c)
{
    int other = cti_surface_beside(f, face, edge);
    int32_t tip;
    ct_real foot;
    return f->edge_owner[edge] == face &&
           (other < 0 || cti_v3_dot(cti_v3_sub(p, c), cti_surface_across(f, other, edge, &tip, &foot)) <= 0);
}

/* returns 1 where p is in the Voronoi region of vertex u of a face */
static int cti_geometric_at_vertex(const cti_surface *f, int face, int u, cti_v3 p)
{
    cti_v3 c = cti_v3_at(f->x0, u), to = cti_v3_sub(p, c);
    int k;
    if (f->vertex_owner[u] != face)
        return 0;
    for (k = f->vertex_start[u]; k < f->vertex_start[u + 1]; k++)
        if (cti_v3_dot(to, cti_v3_sub(cti_v3_at(f->x0, f->vertex_next[k]), c)) > 0)
            return 0;
    return 1;
}

/* returns 1 where the sine up / |way| of an angle is too large */
static int cti_geometric_is_oblique(ct_real up, cti_v3 way)
{
    return up > 0 && up * up > cti_geometric_tuned.find.oblique * cti_geometric_tuned.find.oblique * cti_v3_norm2(way);
}

/* returns 1 where no face beside an edge is nearer to what lies in the unit direction n. Faces that have a vertex of the other edge do not count */
static int cti_geometric_edge_is_nearest(const cti_surface *f, int edge, cti_v3 n, const int32_t *other)
{
    int k;
    for (k = 0; k < 2; k++) {
        cti_v3 in;
        ct_real up, foot;
        int32_t tip;
        if (f->edge_faces[2 * edge + k] < 0)
            continue;
        in = cti_surface_across(f, f->edge_faces[2 * edge + k], edge, &tip, &foot), up = cti_v3_dot(n, in);
        if (tip != other[0] && tip != other[1] && cti_geometric_is_oblique(up, in))
            return 0;
    }
    return 1;
}

CTI_FN int cti_geometric_is_nearest(const cti_surface *f, const int32_t *edges, const cti_pair *p)
{
    cti_v3 n = cti_v3_unit(cti_pair_offset(f, f->x0, p), cti_v3_zero()), at = cti_v3_at(f->x0, p->v[0]);
    int k;
    if (p->kind == CT_PAIR_EE)
        return cti_geometric_edge_is_nearest(f, edges[1], n, p->v) &&
               cti_geometric_edge_is_nearest(f, edges[0], cti_v3_mul(n, -1), p->v + 2);
    for (k = f->vertex_start[p->v[0]]; k < f->vertex_start[p->v[0] + 1]; k++) {
        int32_t next = f->vertex_next[k];
        cti_v3 way = cti_v3_sub(cti_v3_at(f->x0, next), at);
        ct_real up = -cti_v3_dot(n, way);
        if (next != p->v[1] && (p->kind == CT_PAIR_VV || next != p->v[2]) && cti_geometric_is_oblique(up, way))
            return 0;
    }
    return 1;
}

CTI_FN int cti_geometric_reduce(const cti_surface *f, int face, cti_pair *p, int feature)
{
    int e;
    cti_v3 c;
    if (p->kind == CT_PAIR_EE)
        return feature == 0;
    if (p->kind != CT_PAIR_VF || feature == 6)
        return 1;
    c = cti_pair_point(f->x0, p, 1);
    if (feature >= 3 && f->face_edges[3 * face + feature - 3] < 0) /* a vertex that is listed twice */
        feature -= 3;
    if (feature < 3) {
        int u = p->v[1 + feature];
        if (!cti_geometric_at_vertex(f, face, u, cti_v3_at(f->x0, p->v[0])))
            return 0;
        p->kind = CT_PAIR_VV, p->n = 2, p->v[1] = u, p->w[1] = -1;
        p->v[2] = p->v[3] = 0, p->w[2] = p->w[3] = 0;
        return 1;
    }
    e = f->face_edges[3 * face + feature - 3];
    if (!cti_geometric_at_edge(f, face, e, cti_v3_at(f->x0, p->v[0]), c))
        return 0;
    {
        int a = feature - 3, b = (a + 1) % 3;
        int32_t va = p->v[1 + a], vb = p->v[1 + b];
        ct_real wa = p->w[1 + a], wb = p->w[1 + b];
        p->kind = CT_PAIR_VE, p->n = 3, p->v[1] = va, p->v[2] = vb, p->w[1] = wa, p->w[2] = wb;
        p->v[3] = 0, p->w[3] = 0;
    }
    return 1;
}
