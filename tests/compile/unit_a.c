/* unit_a.c -- the unit with the implementation, in a project that uses stb_ds with its short names and implementation. */
#define STB_DS_IMPLEMENTATION
#if defined(__has_include)
#if __has_include("stb_ds.h")
#include "stb_ds.h"
#else
#include <stb/stb_ds.h>
#endif
#else
#include "stb_ds.h"
#endif
#define CONTACT_IMPLEMENTATION
#include "../../contact.h"

int unit_a_array_length(void);
int unit_a_array_length(void)
{
    /* the user's arrlen works on what the library hands out */
    ct_mesh mesh;
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {1, 1, 1}, n, *own = NULL;
    if (ct_mesh_box(size, cells, 0, &mesh, NULL) != CT_OK)
        return -1;
    n = arrlen(mesh.positions) == 3 * mesh.n_positions ? (int)arrlen(mesh.triangles) / 3 : -2;
    ct_mesh_free(&mesh);
    arrput(own, 1);
    arrfree(own);
    return n;
}
