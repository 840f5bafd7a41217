/* files_write.c -- meshes to files: OBJ, Gmsh MSH 2.2 (ASCII), legacy VTK (ASCII). Method: the mesh is checked first; a new file replaces
   an old one only when it is complete (cti_file_write). Numbers have 17 digits and a decimal point in every locale, so that reading gives
   the same bits. Positions that no element uses are written as points. Based on: the formats' descriptions named in the readers. */
#include "files.h"
#include "../5_mesh/mesh.h"

#if CONTACT_WITH_FILES
#include <locale.h>
#include <stdio.h>

typedef struct cti_write {
    FILE *f;
    int format; /* in cti_write_formats */
    const ct_mesh *mesh;
    const int32_t *triangles; /* the triangles to write */
    int n_triangles;
    uint8_t *used; /* [n_positions] 1: an element uses it */
    int n_points;  /* number of positions that no element uses */
} cti_write;

/* ---- text ---- */

CTI_FN void cti_write_real(FILE *f, double x)
{
    char text[64], *c;
    const char *point = localeconv()->decimal_point;
    size_t n = strlen(point);
    snprintf(text, sizeof text, " %.17g", x);
    c = n > 0 ? strstr(text, point) : NULL;
    if (c) {
        *c = '.';
        memmove(c + 1, c + n, strlen(c + n) + 1);
    }
    fputs(text, f);
}

/* Writes `count` lines, one an element: the text `front`, then its indices plus `first`. If number is not NULL, it is counted up and
   written first. */
static void cti_write_elements(FILE *f, const char *front, const int32_t *list, int count, int k, int first, int *number)
{
    int i, j;
    for (i = 0; i < count; i++) {
        if (number)
            fprintf(f, "%d ", ++*number);
        fputs(front, f);
        for (j = 0; j < k; j++)
            fprintf(f, " %d", (int)list[(size_t)k * (size_t)i + (size_t)j] + first);
        fputc('\n', f);
    }
}

static void cti_write_points(const cti_write *w, const char *front, int first, int *number)
{
    int i;
    for (i = 0; i < w->mesh->n_positions; i++) {
        int32_t v = (int32_t)i;
        if (!w->used[i])
            cti_write_elements(w->f, front, &v, 1, 1, first, number);
    }
}

static void cti_write_positions(const cti_write *w, const char *front, int number)
{
    int i, k;
    for (i = 0; i < w->mesh->n_positions; i++) {
        if (number)
            fprintf(w->f, "%d", i + 1);
        fputs(front, w->f);
        for (k = 0; k < 3; k++)
            cti_write_real(w->f, (double)w->mesh->positions[3 * (size_t)i + (size_t)k]);
        fputc('\n', w->f);
    }
}

static void cti_write_obj(const cti_write *w)
{
    cti_write_positions(w, "v", 0);
    cti_write_elements(w->f, "f", w->triangles, w->n_triangles, 3, 1, NULL);
    cti_write_elements(w->f, "l", w->mesh->segments, w->mesh->n_segments, 2, 1, NULL);
    cti_write_points(w, "p", 1, NULL);
}

static void cti_write_msh(const cti_write *w)
{
    const ct_mesh *m = w->mesh;
    int number = 0;
    fprintf(w->f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", m->n_positions);
    cti_write_positions(w, "", 1);
    fprintf(w->f, "$EndNodes\n$Elements\n%lld\n", (long long)m->n_segments + m->n_triangles + m->n_tets + w->n_points);
    cti_write_points(w, "15 2 0 1", 1, &number);
    cti_write_elements(w->f, "1 2 0 1", m->segments, m->n_segments, 2, 1, &number);
    cti_write_elements(w->f, "2 2 0 1", w->triangles, w->n_triangles, 3, 1, &number);
    cti_write_elements(w->f, "4 2 0 1", m->tets, m->n_tets, 4, 1, &number);
    fputs("$EndElements\n", w->f);
}

static void cti_write_vtk(const cti_write *w)
{
    const ct_mesh *m = w->mesh;
    const int counts[4] = {w->n_points, m->n_segments, m->n_triangles, m->n_tets}, types[4] = {1, 3, 5, 10};
    int64_t cells = 0, size = 0;
    int i, k;
    for (k = 0; k < 4; k++)
        cells += counts[k], size += (int64_t)counts[k] * (k + 2);
    fprintf(w->f, "# vtk DataFile Version 3.0\ncontact.h mesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n", m->n_positions);
    cti_write_positions(w, "", 0);
    fprintf(w->f, "CELLS %lld %lld\n", (long long)cells, (long long)size);
    cti_write_points(w, "1", 0, NULL);
    cti_write_elements(w->f, "2", m->segments, m->n_segments, 2, 0, NULL);
    cti_write_elements(w->f, "3", m->triangles, m->n_triangles, 3, 0, NULL);
    cti_write_elements(w->f, "4", m->tets, m->n_tets, 4, 0, NULL);
    fprintf(w->f, "CELL_TYPES %lld\n", (long long)cells);
    for (k = 0; k < 4; k++)
        for (i = 0; i < counts[k]; i++)
            fprintf(w->f, "%d\n", types[k]);
}

/* ---- the file ---- */

static void cti_write_mark(cti_write *w, const int32_t *list, int64_t n)
{
    int64_t i;
    for (i = 0; i < n; i++)
        w->used[list[i]] = 1;
}

typedef struct cti_write_format {
    const char *extension;
    void (*write)(const cti_write *w);
} cti_write_format;
static const cti_write_format cti_write_formats[] = {{".obj", cti_write_obj}, {".msh", cti_write_msh}, {".vtk", cti_write_vtk}};

static ct_code cti_write_text(FILE *f, void *user)
{
    cti_write *w = (cti_write *)user;
    w->f = f;
    cti_write_formats[w->format].write(w);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_mesh_write(const char *path, const ct_mesh *mesh, ct_error_info *out_error)
{
    cti_mem mem, own;
    cti_write w;
    int32_t *surface = NULL;
    ct_code code;
    int i;
    if (!path || !mesh)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, 0, "path and mesh may not be NULL");
    memset(&w, 0, sizeof w);
    while (w.format < CTI_COUNT(cti_write_formats) && !cti_file_has_extension(path, cti_write_formats[w.format].extension))
        w.format++;
    if (w.format == CTI_COUNT(cti_write_formats))
        return cti_error_set(out_error, CT_ERR_UNSUPPORTED, -1, 0,
                              "file name must end in .obj, .msh or .vtk (mesh formats that are written)");
    if (mesh->n_positions < 1)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, mesh->n_positions, "a mesh needs at least one position, and counts may not be negative");
    code = cti_mesh_check(mesh, CTI_MESH_ANY, out_error);
    if (code != CT_OK)
        return code;
    cti_mem_init(&mem, NULL), cti_mem_open(&own, &mem);
    w.mesh = mesh, w.triangles = mesh->triangles, w.n_triangles = mesh->n_triangles;
    code = CTI_RESIZE(&own, w.used, mesh->n_positions) ? CT_OK : CT_ERR_MEMORY;
    if (code == CT_OK && cti_write_formats[w.format].write == cti_write_obj && mesh->n_tets && !mesh->n_triangles) {
        /* OBJ has no tets: their boundary is written instead */
        code = cti_mesh_boundary(&own, mesh->tets, mesh->n_tets, mesh->n_positions, &surface) ? CT_OK : CT_ERR_MEMORY;
        w.triangles = surface, w.n_triangles = CTI_LEN(surface) / 3;
    }
    if (code == CT_OK) {
        cti_write_mark(&w, mesh->tets, 4 * (int64_t)mesh->n_tets);
        cti_write_mark(&w, mesh->triangles, 3 * (int64_t)mesh->n_triangles);
        cti_write_mark(&w, mesh->segments, 2 * (int64_t)mesh->n_segments);
        for (i = 0; i < mesh->n_positions; i++)
            w.n_points += !w.used[i];
        code = cti_file_write(&own, path, cti_write_text, &w, out_error);
    } else {
        cti_error_set(out_error, code, -1, 0, "out of memory for the file");
    }
    cti_mem_release(&own);
    return code;
}

#else

CONTACT_API_DEF ct_code ct_mesh_write(const char *path, const ct_mesh *mesh, ct_error_info *out_error)
{
    CTI_UNUSED(path);
    CTI_UNUSED(mesh);
    return CTI_ERROR_UNBUILT(out_error, "files", CONTACT_WITH_FILES);
}

#endif
