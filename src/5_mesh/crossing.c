/* crossing.c -- whole surfaces tested for intersections. Method: edge-face candidates from the trees, each tested exactly.
   A surface intersects another, or itself away from shared vertices, exactly when an edge of one meets a face of the other. */
#include "../0_base/log.h"
#include "../1_math/exact.h"
#include "../4_geom/intersect.h"
#include "mesh.h"
#include "pairs.h"

CTI_FN int cti_intersect_soup(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x, int32_t **out_pairs)
{
    int i, m = 0, n;
    int32_t *p;
    if (!cti_broad_edge_faces(mem, broad, soup, out_pairs))
        return 0;
    p = *out_pairs;
    n = CTI_LEN(p) / 2;
    for (i = 0; i < n; i++) {
        const int32_t *e = soup->edges + 2 * (size_t)p[2 * i], *f = soup->faces + 3 * (size_t)p[2 * i + 1];
        int hit = cti_intersect_edge_triangle(x + 3 * (size_t)e[0], x + 3 * (size_t)e[1], x + 3 * (size_t)f[0], x + 3 * (size_t)f[1],
                                              x + 3 * (size_t)f[2]);
        p[2 * m] = p[2 * i], p[2 * m + 1] = p[2 * i + 1];
        m += hit != 0;
    }
    return CTI_RESIZE(mem, *out_pairs, 2 * (size_t)m);
}

static ct_code cti_crossing_all(const ct_mesh *mesh, int32_t **out_pairs, int *out_n, ct_error_info *out_error)
{
    cti_mem mem;
    cti_topology topology;
    cti_broad broad;
    cti_soup soup;
    cti_soup_body body;
    int32_t *pairs = NULL;
    ct_code code;
    int i, ok;
    if (!mesh || !out_pairs || !out_n)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, 0, "mesh, out_pairs and out_n may not be NULL");
    if ((code = cti_mesh_check(mesh, CTI_EXACT_MOST, out_error)) != CT_OK)
        return code;
    cti_mem_init(&mem, NULL);
    memset(&topology, 0, sizeof topology);
    memset(&broad, 0, sizeof broad);
    memset(&soup, 0, sizeof soup);
    memset(&body, 0, sizeof body);
    ok = cti_topology_build(&mem, &topology, mesh->n_positions, mesh->triangles, mesh->n_triangles, NULL, 0);
    soup.edges = topology.edges, soup.faces = mesh->triangles, soup.bodies = &body, soup.n_bodies = 1;
    soup.nv = body.v1 = mesh->n_positions, soup.ne = body.e1 = topology.n_edges, soup.nf = body.f1 = mesh->n_triangles;
    body.dynamic = body.self = 1;
    ok = ok && cti_broad_build(&mem, &broad, &soup, mesh->positions) &&
         cti_broad_update(&mem, &broad, &soup, mesh->positions, mesh->positions) &&
         cti_intersect_soup(&mem, &broad, &soup, mesh->positions, &pairs);
    /* an edge is taken only by the smallest face that contains it */
    for (i = 0; ok && i < CTI_LEN(pairs) / 2; i++)
        pairs[2 * i] = topology.edge_owner[pairs[2 * i]];
    cti_broad_free(&mem, &broad);
    cti_topology_free(&mem, &topology);
    if (!ok) {
        CTI_FREE(&mem, pairs);
        return cti_error_set(out_error, CT_ERR_MEMORY, -1, 0, "out of memory for an intersection test");
    }
    *out_pairs = pairs;
    *out_n = CTI_LEN(pairs) / 2;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_mesh_intersections(const ct_mesh *mesh, int32_t **out_pairs, int *out_n, ct_error_info *out_error)
{
    CTI_FPENV_RETURN(cti_crossing_all(mesh, out_pairs, out_n, out_error))
}
