/* cmd_check.c -- contact check FILE...: intersections of all triangles of a file with each other. */
#include "../src/public/api.h"
#include "cli.h"
#include <string.h>

#define CHECK_SHOWN 5

static int check_file(const char *path)
{
    ct_mesh mesh;
    ct_error_info e;
    int32_t *pairs = NULL;
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
    code = ct_mesh_intersections(&mesh, &pairs, &n, &e);
    if (code != CT_OK) {
        ct_mesh_free(&mesh);
        return cli_fail("%s: %s", path, cli_error_text(code, &e, text, sizeof text));
    }
    printf("%s: %d vertices, %d triangles, %d intersections\n", path, mesh.n_positions, mesh.n_triangles, n);
    for (i = 0; i < n && i < CHECK_SHOWN; i++) {
        const int32_t *a = mesh.triangles + 3 * pairs[2 * i], *b = mesh.triangles + 3 * pairs[2 * i + 1];
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
