/* memory.c -- a world with its own allocator: books balance, and the C library's is not called by a world. The linker's --wrap counts those calls. */
#define CONTACT_IMPLEMENTATION
#include "../../contact.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
void *__real_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_calloc(size_t n, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void __wrap_free(void *block);
#ifdef __cplusplus
}
#endif

static long outside;
void *__wrap_malloc(size_t size) { return outside++, __real_malloc(size); }
void *__wrap_realloc(void *block, size_t size) { return outside++, __real_realloc(block, size); }
void *__wrap_calloc(size_t n, size_t size) { return outside++, __real_calloc(n, size); }
void __wrap_free(void *block) { outside++, __real_free(block); }

typedef struct books {
    long calls, blocks, wrong;
    size_t live;
} books;

/* every block carries its size in front */
static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    books *b = (books *)user;
    char *raw = block ? (char *)block - 16 : NULL, *fresh = NULL;
    size_t have = 0;
    if (raw)
        memcpy(&have, raw, sizeof have);
    b->calls++, b->wrong += have != old_size;
    if (new_size) {
        fresh = (char *)__real_malloc(new_size + 16);
        if (!fresh)
            return NULL;
        memcpy(fresh, &new_size, sizeof new_size);
        memcpy(fresh + 16, raw ? raw + 16 : fresh + 16, have < new_size ? have : new_size);
    }
    b->blocks += (fresh != NULL) - (raw != NULL), b->live += new_size - have;
    __real_free(raw);
    return fresh ? fresh + 16 : NULL;
}

/* boxes and a sheet on a floor, taken through what a world can do; 0 when all went well */
static int world(ct_world *w, const ct_mesh *box, const ct_mesh *sheet)
{
    ct_static_desc fd = ct_static_desc_default();
    ct_soft_desc sd = ct_soft_desc_default();
    ct_cloth_desc cd = ct_cloth_desc_default();
    ct_rigid_desc rd = ct_rigid_desc_default();
    const ct_contact *contacts;
    ct_body_id id, first;
    ct_pair *pairs;
    int i, n;
    sd.mesh = box, cd.mesh = sheet, rd.mesh = box;
    if (ct_body_add_static(w, &fd, &id) != CT_OK || ct_body_add_soft(w, &sd, &first) != CT_OK || ct_body_add_cloth(w, &cd, &id) != CT_OK)
        return 1;
    for (i = 0; i < 30; i++)
        if (ct_world_step(w, (ct_real)0.01, NULL) != CT_OK)
            return 2;
    if (ct_world_contacts(w, &contacts, &n) != CT_OK || n == 0 || ct_world_validate(w, &pairs, &n) != CT_OK || n != 0)
        return 3;
    if (ct_body_remove(w, first) != CT_OK || ct_world_step(w, (ct_real)0.01, NULL) != CT_OK)
        return 4;
    return 0;
}

int main(void)
{
    const ct_real size[3] = {(ct_real)0.1, (ct_real)0.1, (ct_real)0.1}, plane[2] = {(ct_real)0.3, (ct_real)0.3};
    const int cells[3] = {2, 2, 2}, grid[2] = {6, 6};
    ct_world_desc d = ct_world_desc_default();
    ct_mesh box, sheet;
    ct_world *w = NULL;
    books b;
    long before;
    int i, bad;
    memset(&b, 0, sizeof b);
    if (ct_mesh_box(size, cells, 1, &box, NULL) != CT_OK || ct_mesh_grid(plane, grid, &sheet, NULL) != CT_OK)
        return printf("no meshes\n");
    for (i = 0; i < box.n_positions; i++)
        box.positions[3 * i + 1] += (ct_real)0.06;
    for (i = 0; i < sheet.n_positions; i++)
        sheet.positions[3 * i + 1] += (ct_real)0.13;
    d.allocator.resize = resize, d.allocator.user = &b;
    before = outside;
    bad = ct_world_create(&d, &w, NULL) != CT_OK ? 9 : world(w, &box, &sheet);
    ct_world_destroy(w);
    if (bad || outside != before || !before || b.calls < 100 || b.wrong || b.blocks || b.live)
        return printf("stage %d, %ld calls outside, %ld inside, %ld wrong sizes, %ld blocks and %ld bytes left\n", bad, outside - before, b.calls,
                      b.wrong, b.blocks, (long)b.live);
    ct_mesh_free(&box), ct_mesh_free(&sheet);
    return 0;
}
