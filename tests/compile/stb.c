/* stb.c -- a user's own stb_ds.h with its implementation in the file that has contact.h's. STB_ORDER: 1 stb_ds.h first, 2 after, 3 its header
   first and its implementation after, 4 STB_DS_IMPLEMENTATION defined first, the include after. STB_LONG_NAMES: the user wants no short ones. */
#if STB_ORDER == 1 || STB_ORDER == 4
#define STB_DS_IMPLEMENTATION
#endif
#ifdef STB_LONG_NAMES
#define STBDS_NO_SHORT_NAMES
#endif
#if STB_ORDER == 1 || STB_ORDER == 3
#include "stb_ds.h"
#endif

#define CONTACT_IMPLEMENTATION
#include "../../contact.h"

#if STB_ORDER == 2 || STB_ORDER == 3
#define STB_DS_IMPLEMENTATION
#endif
#if STB_ORDER != 1
#ifndef STB_DS_IMPLEMENTATION
#error "the user's STB_DS_IMPLEMENTATION is lost"
#endif
#include "stb_ds.h"
#endif
#ifdef STB_LONG_NAMES
#ifdef arrput
#error "short names are defined"
#endif
#define arrput stbds_arrput
#define arrlen stbds_arrlen
#define arrfree stbds_arrfree
#endif
#include <stdio.h>

int main(void)
{
    const ct_real size[3] = {1, 1, 1};
    const int cells[3] = {1, 1, 1};
    ct_mesh mesh;
    int *list = NULL, i;
    for (i = 0; i < 100; i++)
        arrput(list, i * i);
    if (!stbds_hash_string((char *)"contact", 1)) /* of stb_ds's implementation */
        return 3;
    if (arrlen(list) != 100 || list[99] != 99 * 99 || ct_mesh_box(size, cells, 0, &mesh, NULL) != CT_OK)
        return 1;
    /* the user's arrlen and arrput work on what the library hands out */
    if (arrlen(mesh.positions) != 3 * mesh.n_positions || mesh.n_positions != 8)
        return printf("arrlen of positions is %d\n", (int)arrlen(mesh.positions));
    arrput(mesh.triangles, 0);
    if (arrlen(mesh.triangles) != 3 * mesh.n_triangles + 1)
        return 2;
    ct_mesh_free(&mesh);
    arrfree(list);
    return 0;
}
