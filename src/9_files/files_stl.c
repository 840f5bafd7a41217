/* files_stl.c -- STL, ASCII and binary. Method: a binary file says at byte 80 how many triangles follow, so that its size is known. A file
   of exactly that size is binary, whatever its header says: in a text these four bytes are characters, which would mean more than a hundred
   million triangles. Corners are collected first, then welded: corners with equal coordinates become one vertex (weld.h).
   Vertices keep the order of their first use. Based on: 3D Systems, StereoLithography interface specification. */
#include "files.h"
#include "../5_mesh/weld.h"

#if CONTACT_WITH_FILES
#include <stdio.h>

typedef struct cti_stl {
    cti_scan scan;
    ct_real *corners; /* [9 n] */
} cti_stl;

/* ---- ASCII ---- */

/* The next field must be this word. */
static int cti_stl_word(cti_stl *s, const char *word)
{
    const char *t;
    int n;
    if (!cti_scan_word(&s->scan, &t, &n))
        return cti_scan_fail(&s->scan, CT_ERR_FORMAT, "the file ends, expected %s", word);
    return cti_scan_like(t, n, word) ? 1 : cti_scan_fail(&s->scan, CT_ERR_FORMAT, "expected %s", word);
}

/* The rest of a "facet" line; the normal is not used and may be anything. */
static int cti_stl_facet(cti_stl *s)
{
    int i;
    cti_scan_line(&s->scan);
    if (!cti_stl_word(s, "outer") || !cti_stl_word(s, "loop"))
        return 0;
    for (i = 0; i < 3; i++) {
        if (!cti_stl_word(s, "vertex") || !cti_scan_point(&s->scan, &s->corners, "three coordinates of vertex"))
            return 0;
    }
    if (CTI_LEN(s->corners) > 9 * (INT32_MAX / 36))
        return cti_scan_fail(&s->scan, CT_ERR_UNSUPPORTED, "too many triangles", NULL);
    return cti_stl_word(s, "endloop") && cti_stl_word(s, "endfacet");
}

static int cti_stl_ascii(cti_stl *s)
{
    const char *t;
    int n, inside = 0;
    while (cti_scan_word(&s->scan, &t, &n)) {
        if (!inside && cti_scan_like(t, n, "solid")) {
            inside = 1;
            cti_scan_line(&s->scan);
        } else if (inside && cti_scan_like(t, n, "facet")) {
            if (!cti_stl_facet(s))
                return 0;
        } else if (inside && cti_scan_like(t, n, "endsolid")) {
            inside = 0;
            cti_scan_line(&s->scan);
        } else {
            return cti_scan_fail(&s->scan, CT_ERR_FORMAT, inside ? "expected facet or endsolid" : "expected solid", NULL);
        }
    }
    return !inside || cti_scan_fail(&s->scan, CT_ERR_FORMAT, "the file ends, expected facet or endsolid", NULL);
}

/* ---- binary: 80 bytes of anything, the number of triangles, and for each a normal, three corners, two bytes of anything ---- */

static int64_t cti_stl_count(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes + 80;
    return (int64_t)b[0] | (int64_t)b[1] << 8 | (int64_t)b[2] << 16 | (int64_t)b[3] << 24;
}

static int cti_stl_binary(cti_stl *s, const char *bytes, size_t size)
{
    int64_t count, i;
    int k;
    ct_real x;
    s->scan.start = bytes;
    if (size < 84) {
        s->scan.at = s->scan.end;
        return cti_scan_fail(&s->scan, CT_ERR_FORMAT, "the file ends, expected solid, or 84 bytes in front of binary triangles", NULL);
    }
    count = cti_stl_count(bytes);
    s->scan.at = bytes + 80;
    if (count > (int64_t)(size - 84) / 50) {
        char text[120];
        snprintf(text, sizeof text, "%lld triangles need %lld bytes, the file has %lld", (long long)count, (long long)(84 + 50 * count),
                 (long long)size);
        return cti_scan_fail(&s->scan, CT_ERR_FORMAT, "%s", text);
    }
    if (count > INT32_MAX / 36)
        return cti_scan_fail(&s->scan, CT_ERR_UNSUPPORTED, "too many triangles", NULL);
    if (!CTI_RESERVE(s->scan.mem, s->corners, (int)(9 * count)))
        return cti_scan_memory(&s->scan);
    for (i = 0; i < count; i++) {
        s->scan.at = bytes + 84 + 50 * i + 12;
        for (k = 0; k < 9; k++) {
            if (!cti_scan_raw_real(&s->scan, CTI_PLY_SCALAR_F32, &x, "a coordinate of a corner"))
                return 0;
            if (!CTI_PUSH(s->scan.mem, s->corners, x))
                return cti_scan_memory(&s->scan);
        }
    }
    s->scan.at = bytes + 84 + 50 * count;
    return 1;
}

/* Welds the corners: one vertex for equal coordinates; -0 counts as 0. */
static int cti_stl_weld(cti_stl *s, ct_mesh *mesh)
{
    cti_mem *mem = s->scan.mem;
    int n = CTI_LEN(s->corners) / 3, i, k, v = 0, ok;
    ok = CTI_RESIZE(mem, mesh->triangles, n) && cti_weld_map(mem, s->corners, n, 0, mesh->triangles) >= 0;
    for (i = 0; ok && i < n; i++)
        if (mesh->triangles[i] == v)
            for (k = 0, v++; ok && k < 3; k++)
                ok = CTI_PUSH(mem, mesh->positions, s->corners[3 * i + k] + 0);
    return ok ? cti_mesh_finish(&s->scan, mesh) : cti_scan_memory(&s->scan);
}

/* Returns 1 when the text begins with "solid" and goes on as text. */
static int cti_stl_is_ascii(const char *bytes, size_t size)
{
    cti_scan scan;
    const char *t;
    size_t i;
    int n;
    if (size >= 84 && (int64_t)(size - 84) == 50 * cti_stl_count(bytes))
        return 0;
    memset(&scan, 0, sizeof scan);
    scan.at = bytes, scan.end = bytes + size;
    if (!cti_scan_word(&scan, &t, &n) || !cti_scan_like(t, n, "solid"))
        return 0;
    /* the next line begins with "facet", or at least has no binary bytes */
    cti_scan_line(&scan);
    if (cti_scan_word(&scan, &t, &n) && (cti_scan_like(t, n, "facet") || cti_scan_like(t, n, "endsolid")))
        return 1;
    for (i = 0; i < size && i < 84; i++)
        if ((unsigned char)bytes[i] < 9 || bytes[i] == 127)
            return 0;
    return 1;
}

CTI_FN ct_code cti_read_stl(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_stl s;
    int ok;
    memset(&s, 0, sizeof s);
    s.scan.at = bytes, s.scan.end = bytes + n, s.scan.line = 1, s.scan.mem = mem, s.scan.error = error;
    ok = cti_stl_is_ascii(bytes, n) ? cti_stl_ascii(&s) : cti_stl_binary(&s, bytes, n);
    if (ok && CTI_LEN(s.corners) == 0)
        ok = cti_scan_fail(&s.scan, CT_ERR_FORMAT, "the file has no triangle", NULL);
    if (ok)
        cti_stl_weld(&s, mesh);
    CTI_FREE(mem, s.corners);
    return s.scan.code;
}

#endif
