/* files_stl.c -- STL, ASCII and binary. Method: a binary file says at byte 80 how many triangles follow, so that its size is known. A file
   of exactly that size is binary, whatever its header says: in a text these four bytes are characters, which would mean more than a hundred
   million triangles. Corners are collected first, then welded: corners with equal coordinates become one vertex (weld.h).
   Vertices keep the order of their first use. Based on: 3D Systems, StereoLithography interface specification. */
#include "files.h"
#include "../5_mesh/weld.h"

#if CONTACT_WITH_FILES
#include <stdio.h>

/* ---- ASCII ---- */

/* The next field must be this word. */
static void cti_stl_word(cti_scan *s, const char *word)
{
    if (!cti_scan_word(s))
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected %s", word);
    else if (!cti_scan_like(s, word))
        cti_scan_fail(s, CT_ERR_FORMAT, "expected %s", word);
}

/* The rest of a "facet" line; the normal is not used and may be anything. */
static void cti_stl_facet(cti_scan *s)
{
    int i;
    cti_scan_line(s);
    cti_stl_word(s, "outer"), cti_stl_word(s, "loop");
    for (i = 0; i < 3; i++)
        cti_stl_word(s, "vertex"), cti_scan_point(s, "three coordinates of vertex");
    if (CTI_LEN(s->mesh->positions) > 9 * (INT32_MAX / 36))
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many triangles", NULL);
    cti_stl_word(s, "endloop"), cti_stl_word(s, "endfacet");
}

static void cti_stl_ascii(cti_scan *s)
{
    int inside = 0;
    while (cti_scan_word(s)) {
        if (inside && cti_scan_like(s, "facet")) {
            cti_stl_facet(s);
        } else if (cti_scan_like(s, inside ? "endsolid" : "solid")) {
            inside = !inside;
            cti_scan_line(s);
        } else {
            cti_scan_fail(s, CT_ERR_FORMAT, inside ? "expected facet or endsolid" : "expected solid", NULL);
        }
    }
    if (inside)
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected facet or endsolid", NULL);
}

/* ---- binary: 80 bytes of anything, the number of triangles, and for each a normal, three corners, two bytes of anything ---- */

static int64_t cti_stl_count(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes + 80;
    return (int64_t)b[0] | (int64_t)b[1] << 8 | (int64_t)b[2] << 16 | (int64_t)b[3] << 24;
}

static void cti_stl_binary(cti_scan *s, const char *bytes, size_t size)
{
    int64_t count = size < 84 ? 0 : cti_stl_count(bytes), i;
    int k;
    s->start = bytes, s->at = size < 84 ? s->end : bytes + 80;
    if (size < 84)
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected solid, or 84 bytes in front of binary triangles", NULL);
    if (size >= 84 && count > (int64_t)(size - 84) / 50) {
        char text[120];
        snprintf(text, sizeof text, "%lld triangles need %lld bytes, the file has %lld", (long long)count, (long long)(84 + 50 * count),
                 (long long)size);
        cti_scan_fail(s, CT_ERR_FORMAT, "%s", text);
    }
    if (count > INT32_MAX / 36)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many triangles", NULL);
    if (cti_scan_ok(s) && !CTI_RESERVE(s->mem, s->mesh->positions, (int)(9 * count)))
        cti_scan_memory(s);
    for (i = 0; i < count && cti_scan_ok(s); i++) {
        s->at = bytes + 84 + 50 * i + 12;
        for (k = 0; k < 9 && cti_scan_ok(s); k++) {
            ct_real x = cti_scan_value_real(s, CTI_SCALAR_F32, "a coordinate of a corner");
            CTI_SCAN_PUSH(s, s->mesh->positions, x);
        }
    }
    if (cti_scan_ok(s))
        s->at = bytes + 84 + 50 * count;
}

/* Welds the corners: one vertex for equal coordinates; -0 counts as 0. */
static void cti_stl_weld(cti_scan *s)
{
    ct_mesh *mesh = s->mesh;
    int n = CTI_LEN(mesh->positions) / 3, i, k, v = 0;
    if (!CTI_RESIZE(s->mem, mesh->triangles, n) || cti_weld_map(&s->own, mesh->positions, n, 0, mesh->triangles) < 0) {
        cti_scan_memory(s);
        return;
    }
    for (i = 0; i < n; i++)
        if (mesh->triangles[i] == v)
            for (k = 0, v++; k < 3; k++)
                mesh->positions[3 * (v - 1) + k] = mesh->positions[3 * i + k] + 0;
    stbds_header(mesh->positions)->length = 3 * (size_t)v;
}

/* Returns 1 when the text begins with "solid" and goes on as text. */
static int cti_stl_is_ascii(const char *bytes, size_t size)
{
    cti_scan s;
    size_t i;
    if (size >= 84 && (int64_t)(size - 84) == 50 * cti_stl_count(bytes))
        return 0;
    cti_scan_open(&s, NULL, bytes, size, NULL, NULL);
    if (!cti_scan_word(&s) || !cti_scan_like(&s, "solid"))
        return 0;
    /* the next line begins with "facet", or at least has no binary bytes */
    cti_scan_line(&s);
    if (cti_scan_word(&s) && (cti_scan_like(&s, "facet") || cti_scan_like(&s, "endsolid")))
        return 1;
    for (i = 0; i < size && i < 84; i++)
        if ((unsigned char)bytes[i] < 9 || bytes[i] == 127)
            return 0;
    return 1;
}

CTI_FN ct_code cti_read_stl(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_scan s;
    cti_scan_open(&s, mem, bytes, n, mesh, error);
    if (cti_stl_is_ascii(bytes, n))
        cti_stl_ascii(&s);
    else
        cti_stl_binary(&s, bytes, n);
    if (CTI_LEN(mesh->positions) == 0)
        cti_scan_fail(&s, CT_ERR_FORMAT, "the file has no triangle", NULL);
    if (cti_scan_ok(&s))
        cti_stl_weld(&s);
    cti_mesh_finish(&s);
    return cti_scan_close(&s);
}

#endif
