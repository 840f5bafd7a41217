/* mesh.h -- combinatorial surfaces: the boundary of a tet mesh, and edges, adjacency and owners of a triangle and segment mesh. Indices
   must lie in [0, n_vertices). Degenerate and non-manifold elements are allowed and flagged. */
#pragma once

#include "../0_base/array.h"
#include "../0_base/fpenv.h"
#include "pairsort.h"

#define CTI_MESH_ANY 1.7976931348623157e308 /* every finite number */
/* cti_mesh_check -- counts, arrays, positions (finite, at most `most` in size) and indices of a caller's mesh: CT_OK, CT_ERR_ARGUMENT,
   CT_ERR_MESH. */
CTI_FN ct_code cti_mesh_check(const ct_mesh *mesh, double most, ct_error_info *error);

/* cti_mesh_boundary -- faces that belong to one tet only, oriented outward (counter-clockwise seen from outside for positive tets), in the
   order of the tets. *out_triangles is a growable array [3 n] of length CTI_LEN; old contents are replaced. 1, or 0 when memory ran out. */
CTI_FN int cti_mesh_boundary(cti_mem *mem, const int32_t *tets, int n_tets, int n_vertices, int32_t **out_triangles);

/* cti_mesh_firsts -- (*out_first)[i] = the first of the n elements that has the same vertices as element i, in any order; i itself where there
   is none before it. per: vertices of an element, 2 to 4. *out_first is a growable array [n]; old contents are replaced. 0: memory ran out. */
CTI_FN int cti_mesh_firsts(cti_mem *mem, const int32_t *elements, int n, int per, int32_t **out_first);

/* cti_mesh_cell_tets -- the five tets of a lattice cell as corner numbers 0..7 (bits x, y, z). odd 1: the mirror image, for cells with odd
   x + y + z, so that the faces of neighbours match. */
CTI_FN void cti_mesh_cell_tets(int odd, int corners[20]);

/* Edge flags. An edge of two consistently oriented faces, which run along it in opposite directions, has no flag. */
enum {
    CTI_EDGE_LOOSE = 1,       /* it belongs to a segment and to no face */
    CTI_EDGE_BOUNDARY = 2,    /* in one face */
    CTI_EDGE_NONMANIFOLD = 4, /* in more than two faces; edge_faces holds the first two */
    CTI_EDGE_TWISTED = 8,     /* in two faces that run along it in the same direction */
    CTI_EDGE_SEGMENT = 16     /* it was given as a segment (may come with the flags above) */
};

/* cti_topology -- zero it, build it, free it. All arrays are growable arrays. Edge k of face f joins its vertices k and k + 1 (mod 3). */
typedef struct cti_topology {
    int n_vertices, n_edges, n_faces;
    int32_t *edges;           /* [2 ne] unique, low < high, sorted */
    int32_t *edge_faces;      /* [2 ne] adjacent faces, ascending, -1: none */
    int32_t *face_edges;      /* [3 nf], -1 where the two vertices are the same */
    int32_t *edge_owner;      /* [ne] lowest adjacent face, -1: the edge is loose */
    int32_t *vertex_owner;    /* [nv] lowest face that contains the vertex, -1: none */
    int32_t *first_edge;      /* [nv + 1] edges whose low vertex is v: first_edge[v] .. first_edge[v + 1] */
    uint8_t *edge_flags;      /* [ne] CTI_EDGE_* */
    uint8_t *vertex_is_point; /* [nv] 1: the vertex is in no edge and no face */
    int n_loose, n_boundary, n_nonmanifold, n_twisted, n_degenerate; /* edges by flag; faces with a repeated vertex */
    int closed; /* 1: there are faces, and every edge has exactly two that run along it in opposite directions */
} cti_topology;

/* cti_topology_build -- old contents are replaced, their memory is reused. triangles [3 nt], segments [2 ns]. 1, or 0 when memory ran out
   (the topology is then empty). */
CTI_FN int cti_topology_build(cti_mem *mem, cti_topology *topology, int n_vertices, const int32_t *triangles, int n_triangles,
                              const int32_t *segments, int n_segments);
CTI_FN void cti_topology_free(cti_mem *mem, cti_topology *topology);
/* cti_topology_edge -- number of the edge between a and b, or -1. */
CTI_FN int cti_topology_edge(const cti_topology *topology, int a, int b);
