/* mesh_medit.c -- MEDIT meshes, .mesh (text) and .meshb (binary), as Gmsh, TetWild, fTetWild and Mmg write them: vertices, edges,
   triangles, quadrilaterals, tets. Method: keyword by keyword. A list of another kind is passed over: in text up to the next word, in
   binary by the position of the next keyword. Elements of more corners are refused, since leaving them out would tear holes. based on:
   Frey, MEDIT: An interactive mesh visualization software, 2001; libMeshb's description of its file format. */
#include "mesh_in.h"
#include <limits.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEDIT_DIMENSION = 3,
    MEDIT_VERTICES,
    MEDIT_EDGES,
    MEDIT_TRIANGLES,
    MEDIT_QUADS,
    MEDIT_TETS,
    MEDIT_PRISMS,
    MEDIT_HEXES,
    MEDIT_PYRAMIDS = 49,
    MEDIT_END = 54
};

typedef struct medit {
    mesh_in *m;
    size_t at;
    int binary, big, version, dimension;
    int64_t line;
    const char *word; /* [length] the last field of a text */
    size_t length;
} medit;

static int medit_fail(medit *d, ct_code code, const char *format, const char *what)
{
    return mesh_in_fail(d->m, code, d->binary ? "byte" : "line", d->binary ? (int64_t)d->at : d->line, format, what);
}

/* the next field of a text; 0 at its end */
static int medit_word(medit *d)
{
    const char *t = (const char *)d->m->data;
    while (d->at < d->m->n && (isspace((unsigned char)t[d->at]) || t[d->at] == '#' || !t[d->at])) {
        if (t[d->at] == '#')
            while (d->at < d->m->n && t[d->at] != '\n')
                d->at++;
        if (d->at < d->m->n)
            d->line += t[d->at++] == '\n';
    }
    d->word = t + d->at;
    while (d->at < d->m->n && !isspace((unsigned char)t[d->at]) && t[d->at] != '#' && t[d->at])
        d->at++;
    d->length = (size_t)(t + d->at - d->word);
    return d->length > 0;
}

static int medit_is(const medit *d, const char *word) { return strlen(word) == d->length && memcmp(d->word, word, d->length) == 0; }

static const unsigned char *medit_bytes(medit *d, size_t n, const char *what)
{
    if (d->m->n - d->at < n) {
        medit_fail(d, CT_ERR_FORMAT, "the file ends, expected %s", what);
        return NULL;
    }
    d->at += n;
    return d->m->data + d->at - n;
}

/* a whole number: a field, or a value of 4 or 8 bytes */
static int64_t medit_whole(medit *d, int size, const char *what)
{
    const unsigned char *b;
    char *end;
    int64_t x;
    if (d->m->code != CT_OK)
        return 0;
    if (d->binary) {
        b = medit_bytes(d, (size_t)size, what);
        return !b ? 0 : size == 4 ? (int64_t)(int32_t)mesh_in_bits(b, 4, d->big) : (int64_t)mesh_in_bits(b, 8, d->big);
    }
    if (!medit_word(d))
        return medit_fail(d, CT_ERR_FORMAT, "the file ends, expected %s", what);
    x = d->length < 20 ? strtoll(d->word, &end, 10) : 0;
    if (d->length >= 20 || end != d->word + d->length)
        return medit_fail(d, CT_ERR_FORMAT, "expected %s, a whole number", what);
    return x;
}

static int64_t medit_index(medit *d, const char *what) { return medit_whole(d, d->version > 3 ? 8 : 4, what); }

static double medit_real(medit *d)
{
    static const char what[] = "a coordinate of a vertex";
    const unsigned char *b;
    char *end;
    double x;
    int size = d->version > 1 ? 8 : 4;
    if (d->m->code != CT_OK)
        return 0;
    if (d->binary) {
        b = medit_bytes(d, (size_t)size, what);
        return !b ? 0 : size == 8 ? mesh_in_f64(mesh_in_bits(b, 8, d->big)) : mesh_in_f32(mesh_in_bits(b, 4, d->big));
    }
    if (!medit_word(d))
        return (double)medit_fail(d, CT_ERR_FORMAT, "the file ends, expected %s", what);
    x = strtod(d->word, &end);
    if (end != d->word + d->length || x - x != 0)
        return (double)medit_fail(d, CT_ERR_FORMAT, "expected %s, a finite number", what);
    return x;
}

static void medit_vertices(medit *d)
{
    int64_t n = medit_index(d, "the number of vertices"), i;
    int k;
    if (d->m->mesh.n_positions)
        medit_fail(d, CT_ERR_FORMAT, "a second list of %s", "vertices");
    if (n < 0)
        medit_fail(d, CT_ERR_FORMAT, "a negative number of %s", "vertices");
    for (i = 0; i < n && d->m->code == CT_OK; i++) {
        double x[3] = {0, 0, 0};
        for (k = 0; k < d->dimension; k++)
            x[k] = medit_real(d);
        medit_index(d, "the reference of a vertex");
        if (d->m->code == CT_OK)
            mesh_in_point(d->m, x);
    }
}

static void medit_elements(medit *d, int n_corners, int is_volume, const char *what)
{
    int64_t n = medit_index(d, what), i, c[4];
    int k;
    if (n < 0)
        medit_fail(d, CT_ERR_FORMAT, "a negative number: %s", what);
    for (i = 0; i < n && d->m->code == CT_OK; i++) {
        for (k = 0; k < n_corners; k++) {
            c[k] = medit_index(d, "a vertex of an element") - 1;
            if (d->m->code == CT_OK && (c[k] < 0 || c[k] >= d->m->mesh.n_positions))
                medit_fail(d, CT_ERR_FORMAT, "an element names a vertex that is not there: they are counted from 1, and %s",
                           "their list comes before elements");
        }
        medit_index(d, "the reference of an element");
        if (d->m->code != CT_OK)
            return;
        if (is_volume)
            mesh_in_tet(d->m, c);
        else if (n_corners == 2)
            mesh_in_segment(d->m, c);
        else
            mesh_in_polygon(d->m, c, n_corners);
    }
}

/* what the keyword with this number begins; 0: another one */
static int medit_list(medit *d, int keyword)
{
    switch (keyword) {
    case MEDIT_DIMENSION:
        d->dimension = (int)medit_whole(d, 4, "the dimension");
        if (d->dimension != 2 && d->dimension != 3)
            medit_fail(d, CT_ERR_FORMAT, "expected the dimension 2 or 3%s", "");
        return 1;
    case MEDIT_VERTICES:
        medit_vertices(d);
        return 1;
    case MEDIT_EDGES:
        medit_elements(d, 2, 0, "the number of edges");
        return 1;
    case MEDIT_TRIANGLES:
        medit_elements(d, 3, 0, "the number of triangles");
        return 1;
    case MEDIT_QUADS:
        medit_elements(d, 4, 0, "the number of quadrilaterals");
        return 1;
    case MEDIT_TETS:
        medit_elements(d, 4, 1, "the number of tetrahedra");
        return 1;
    case MEDIT_PRISMS:
    case MEDIT_HEXES:
    case MEDIT_PYRAMIDS:
        medit_fail(d, CT_ERR_UNSUPPORTED, "%s are not read; mesh the volume with tetrahedra", "prisms, hexahedra and pyramids");
        return 1;
    default:
        return 0;
    }
}

static void medit_text(medit *d)
{
    static const struct {
        const char *word;
        int keyword;
    } keywords[] = {{"Dimension", MEDIT_DIMENSION},  {"Vertices", MEDIT_VERTICES}, {"Edges", MEDIT_EDGES},   {"Triangles", MEDIT_TRIANGLES},
                    {"Quadrilaterals", MEDIT_QUADS}, {"Tetrahedra", MEDIT_TETS},   {"Prisms", MEDIT_PRISMS}, {"Hexahedra", MEDIT_HEXES},
                    {"Hexaedra", MEDIT_HEXES},       {"Pyramids", MEDIT_PYRAMIDS}, {"End", MEDIT_END}};
    size_t k;
    if (!medit_word(d) || !medit_is(d, "MeshVersionFormatted"))
        medit_fail(d, CT_ERR_FORMAT, "the file does not begin with %s: is it a MEDIT mesh?", "MeshVersionFormatted");
    d->version = 2;
    medit_whole(d, 4, "the version");
    while (d->m->code == CT_OK && medit_word(d)) {
        for (k = 0; k < sizeof keywords / sizeof *keywords && !medit_is(d, keywords[k].word); k++)
            ;
        if (k == sizeof keywords / sizeof *keywords) {
            /* a list of another kind: its numbers are passed over; words are keywords */
            if (!isalnum((unsigned char)d->word[0]) && !strchr("+-.", d->word[0]))
                medit_fail(d, CT_ERR_FORMAT, "expected a keyword such as %s", "Vertices, Triangles or Tetrahedra");
            continue;
        }
        if (keywords[k].keyword == MEDIT_END)
            return;
        medit_list(d, keywords[k].keyword);
    }
    medit_fail(d, CT_ERR_FORMAT, "the file ends without its last word, %s", "End");
}

static void medit_binary(medit *d)
{
    int64_t next, keyword, one;
    d->big = d->m->n > 3 && d->m->data[0] == 0;
    d->version = 1;
    one = medit_whole(d, 4, "the number 1 that tells the order of bytes");
    d->version = (int)medit_whole(d, 4, "the version");
    if (one != 1 || d->version < 1 || d->version > 4)
        medit_fail(d, CT_ERR_FORMAT, "the file does not begin with 1 and a version from 1 to 4: is it %s?", "a binary MEDIT mesh (.meshb)");
    while (d->m->code == CT_OK) {
        keyword = medit_whole(d, 4, "a keyword");
        next = medit_whole(d, d->version > 2 ? 8 : 4, "the position of the next keyword");
        if (keyword == MEDIT_END || d->m->code != CT_OK)
            return;
        if (!medit_list(d, (int)keyword) && (next <= (int64_t)d->at || next > (int64_t)d->m->n))
            medit_fail(d, CT_ERR_FORMAT, "the next keyword is not behind this one%s", "");
        else if (next > (int64_t)d->at && next <= (int64_t)d->m->n)
            d->at = (size_t)next;
    }
}

void mesh_in_medit(mesh_in *m, int is_binary)
{
    medit d;
    memset(&d, 0, sizeof d);
    d.m = m, d.binary = is_binary, d.line = 1, d.dimension = 3;
    if (is_binary)
        medit_binary(&d);
    else
        medit_text(&d);
}
