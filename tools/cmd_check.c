/* cmd_check.c -- contact check FILE...: intersections of all triangles of a file with each other. A mesh of tets has the triangles of its surface. */
#include "../src/public/api.h"
#include "cli.h"
#include <stdlib.h>
#include <string.h>

#define CHECK_SHOWN 5

/* a triangle of the file, or a face of a tet, with its corners in order to compare it */
typedef struct check_face {
    int32_t corners[3], sorted[3];
    int is_of_tet;
} check_face;

static int check_compare(const void *p, const void *q)
{
    const check_face *a = (const check_face *)p, *b = (const check_face *)q;
    int k;
    for (k = 0; k < 3; k++)
        if (a->sorted[k] != b->sorted[k])
            return a->sorted[k] < b->sorted[k] ? -1 : 1;
    return a->is_of_tet - b->is_of_tet;
}

static void check_push(check_face *f, int32_t a, int32_t b, int32_t c, int is_of_tet)
{
    int32_t *s = f->sorted, t;
    f->corners[0] = s[0] = a, f->corners[1] = s[1] = b, f->corners[2] = s[2] = c, f->is_of_tet = is_of_tet;
    if (s[0] > s[1])
        t = s[0], s[0] = s[1], s[1] = t;
    if (s[1] > s[2])
        t = s[1], s[1] = s[2], s[2] = t;
    if (s[0] > s[1])
        t = s[0], s[0] = s[1], s[1] = t;
}

int32_t *cli_surface(const ct_mesh *m, int *out_n)
{
    int n = 4 * m->n_tets + m->n_triangles, i, same, of_tets, kept = 0;
    check_face *f = (check_face *)cli_alloc((size_t)n, sizeof *f);
    int32_t *out = (int32_t *)cli_alloc((size_t)n, 3 * sizeof *out);
    for (i = 0; i < m->n_tets; i++) {
        const int32_t *t = m->tets + 4 * i;
        check_push(&f[4 * i], t[0], t[2], t[1], 1), check_push(&f[4 * i + 1], t[0], t[1], t[3], 1);
        check_push(&f[4 * i + 2], t[1], t[2], t[3], 1), check_push(&f[4 * i + 3], t[0], t[3], t[2], 1);
    }
    for (i = 0; i < m->n_triangles; i++)
        check_push(&f[4 * m->n_tets + i], m->triangles[3 * i], m->triangles[3 * i + 1], m->triangles[3 * i + 2], 0);
    qsort(f, (size_t)n, sizeof *f, check_compare);
    for (i = 0; i < n; i += same) {
        for (same = of_tets = 0; i + same < n && !memcmp(f[i + same].sorted, f[i].sorted, sizeof f[i].sorted); same++)
            of_tets += f[i + same].is_of_tet;
        if (of_tets < 2) /* the face of the tet, else the triangle */
            memcpy(out + 3 * kept++, f[i + same - 1].corners, sizeof f[i].corners);
    }
    free(f);
    *out_n = kept;
    return out;
}

static int check_file(const char *path)
{
    ct_mesh mesh, surface;
    ct_error_info e;
    int32_t *pairs = NULL, *own = NULL;
    int n = 0, i, k;
    char text[320];
    ct_code code;
    memset(&mesh, 0, sizeof mesh);
    memset(&e, 0, sizeof e);
    code = cli_mesh_read(path, &mesh, &e);
    if (code == CT_ERR_FILE && strstr(e.text, "cannot open"))
        return cli_no_file(path, "a mesh");
    if (code != CT_OK)
        return cli_fail("%s: %s", path, cli_error_text(code, &e, text, sizeof text));
    surface = mesh;
    if (mesh.n_tets)
        surface.triangles = own = cli_surface(&mesh, &surface.n_triangles);
    code = ct_mesh_intersections(&surface, &pairs, &n, &e);
    if (code != CT_OK) {
        free(own);
        ct_mesh_free(&mesh);
        return cli_fail("%s: %s", path, cli_error_text(code, &e, text, sizeof text));
    }
    printf("%s: %d vertices, %d triangles, %d intersections\n", path, mesh.n_positions, surface.n_triangles, n);
    for (i = 0; i < n && i < CHECK_SHOWN; i++) {
        const int32_t *a = surface.triangles + 3 * pairs[2 * i], *b = surface.triangles + 3 * pairs[2 * i + 1];
        printf("  an edge of triangle %d (vertices", (int)pairs[2 * i]);
        for (k = 0; k < 3; k++)
            printf(" %d", (int)a[k]);
        printf(") passes through triangle %d (vertices", (int)pairs[2 * i + 1]);
        for (k = 0; k < 3; k++)
            printf(" %d", (int)b[k]);
        printf(")\n");
    }
    if (n > CHECK_SHOWN)
        printf("  and %d more\n", n - CHECK_SHOWN);
    ct_free(pairs);
    free(own);
    ct_mesh_free(&mesh);
    return n ? CLI_BROKEN : CLI_DONE;
}

int cmd_check(int argc, char **argv)
{
    int i, worst = CLI_DONE;
    if (argc < 2)
        return cli_fail("check: expected the name of a mesh file");
    for (i = 1; i < argc; i++) {
        int code;
        if (argv[i][0] == '-')
            return cli_unknown_option("check", argv[i]);
        code = check_file(argv[i]);
        /* bad input is reported rather than an intersection, since not all files were tested */
        if (code == CLI_BAD_INPUT || worst == CLI_DONE)
            worst = code;
    }
    return worst;
}
