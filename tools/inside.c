/* inside.c -- containment test. Method: without edge-face intersections a connected part of a surface is wholly on one side of every closed
   surface, so it is enough to test one of its vertices. The side is the winding number, summed solid angles (Van Oosterom and Strackee
   1983). Parts are found once, from the vertices that elements share. */
#include "inside.h"
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct inside_part {
    int body, vertex;
} inside_part;

struct inside_state {
    inside_part *parts;
    int n_parts, n_bodies, tangled;
    unsigned char *closed; /* [n_bodies] */
    unsigned char *apart;  /* [n_bodies n_bodies] 1: a joint lets them overlap */
    unsigned char **used;  /* [n_bodies] of each vertex: its surface has it; NULL: a plane */
    unsigned char *start;  /* [n_parts * n_bodies] side at the start */
    double *lo, *hi;       /* [3 n_bodies] */
};

static void inside_join(int *parent, int a, int b)
{
    int r = sim_root(parent, a), q = sim_root(parent, b);
    parent[r < q ? q : r] = r < q ? r : q;
}

/* parts of a body that elements connect: triangles, segments, single points */
static void inside_split(inside_state *s, const sim *m, int body)
{
    const sim_body *b = &m->bodies[body];
    int *parent = (int *)cli_alloc((size_t)b->n_vertices, sizeof *parent), i;
    unsigned char *used = (unsigned char *)cli_alloc((size_t)b->n_vertices, 1);
    for (i = 0; i < b->n_vertices; i++)
        parent[i] = i, used[i] = b->type == SCENE_POINTS;
    for (i = 0; i < 3 * b->n_triangles; i++)
        inside_join(parent, b->triangles[i / 3 * 3], b->triangles[i]), used[b->triangles[i]] = 1;
    for (i = 0; i < 2 * b->n_segments; i++)
        inside_join(parent, b->segments[i / 2 * 2], b->segments[i]), used[b->segments[i]] = 1;
    for (i = 0; i < b->n_vertices; i++)
        if (used[i] && sim_root(parent, i) == i) {
            s->parts = (inside_part *)cli_grow(s->parts, (size_t)s->n_parts + 1, sizeof *s->parts);
            s->parts[s->n_parts].body = body;
            s->parts[s->n_parts++].vertex = i;
        }
    s->used[body] = used;
    free(parent);
}

static int inside_compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int inside_is_closed(const sim_body *b)
{
    int64_t *edges = (int64_t *)cli_alloc((size_t)b->n_triangles * 3, 2 * sizeof *edges), *opposite;
    int i, k, n = b->n_triangles * 3, closed = n > 0;
    opposite = edges + n;
    for (i = 0; i < b->n_triangles; i++)
        for (k = 0; k < 3; k++) {
            int64_t p = b->triangles[3 * i + k], q = b->triangles[3 * i + (k + 1) % 3];
            edges[3 * i + k] = p << 32 | q;
            opposite[3 * i + k] = q << 32 | p;
        }
    qsort(edges, (size_t)n, sizeof *edges, inside_compare);
    qsort(opposite, (size_t)n, sizeof *edges, inside_compare);
    for (i = 0; i < n && closed; i++)
        closed = edges[i] == opposite[i] && (i == 0 || edges[i] != edges[i - 1]);
    free(edges);
    return closed;
}

static void inside_boxes(inside_state *s, const sim *m)
{
    int b, i, k;
    for (b = 0; b < m->n_bodies; b++) {
        for (k = 0; k < 3; k++)
            s->lo[3 * b + k] = HUGE_VAL, s->hi[3 * b + k] = -HUGE_VAL;
        for (i = 0; i < m->bodies[b].n_vertices; i++)
            for (k = 0; k < 3; k++) {
                double x = m->bodies[b].positions[3 * i + k];
                s->lo[3 * b + k] = fmin(s->lo[3 * b + k], x);
                s->hi[3 * b + k] = fmax(s->hi[3 * b + k], x);
            }
    }
}

/* tan(angle / 2) = det(a, b, c) / (abc + (a.b) c + (b.c) a + (c.a) b) summed over the triangles, over 4 pi */
static double inside_winding(const sim_body *b, const double *p)
{
    double sum = 0, r[3][3], len[3];
    int i, j, k;
    for (i = 0; i < b->n_triangles; i++) {
        double det, den;
        for (j = 0; j < 3; j++) {
            for (k = 0; k < 3; k++)
                r[j][k] = b->positions[3 * b->triangles[3 * i + j] + k] - p[k];
            len[j] = sqrt(r[j][0] * r[j][0] + r[j][1] * r[j][1] + r[j][2] * r[j][2]);
        }
        det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) - r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
              r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
        den = len[0] * len[1] * len[2];
        for (j = 0; j < 3; j++) {
            const double *u = r[j], *v = r[(j + 1) % 3];
            den += (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) * len[(j + 2) % 3];
        }
        sum += 2 * atan2(det, den);
    }
    return sum / (4 * 3.14159265358979323846);
}

static int inside_side(const inside_state *s, const sim *m, int part, int body)
{
    const inside_part *p = &s->parts[part];
    const double *x = m->bodies[p->body].positions + 3 * p->vertex;
    int k;
    for (k = 0; k < 3; k++)
        if (x[k] < s->lo[3 * body + k] || x[k] > s->hi[3 * body + k])
            return 0;
    return inside_winding(&m->bodies[body], x) > 0.5;
}

static int inside_is_deformable(const sim_body *b)
{
    return b->type != SCENE_RIGID && b->type != SCENE_STATIC && b->type != SCENE_KINEMATIC;
}

/* marks the pairs of bodies that a joint keeps from colliding, as ct_joint_desc.collide says */
static void inside_joints(inside_state *s, const sim *m, const scene *from)
{
    int i, k, b, body[2], deformable;
    for (i = 0; i < from->n_joints; i++) {
        const scene_joint *j = &from->joints[i];
        for (deformable = k = 0; k < 2; k++)
            for (body[k] = -1, b = 0; b < m->n_bodies; b++)
                if (j->body[k] && !strcmp(m->bodies[b].name, j->body[k]))
                    body[k] = b, deformable += inside_is_deformable(&m->bodies[b]);
        if (body[0] < 0 || body[1] < 0)
            continue;
        if (j->collide >= 0 ? j->collide : (deformable == 2 ? j->kind == CT_JOINT_STITCH || j->compliance > 0 : deformable == 1))
            continue;
        for (k = 0; k < 2; k++)
            s->apart[(size_t)body[k] * (size_t)m->n_bodies + (size_t)body[1 - k]] = 1;
    }
}

inside_state *inside_create(const sim *m, const scene *from, int tangled)
{
    inside_state *s = (inside_state *)cli_alloc(1, sizeof *s);
    int b, p;
    s->n_bodies = m->n_bodies;
    s->tangled = tangled;
    s->closed = (unsigned char *)cli_alloc((size_t)m->n_bodies, 1);
    s->apart = (unsigned char *)cli_alloc((size_t)m->n_bodies, (size_t)m->n_bodies);
    s->used = (unsigned char **)cli_alloc((size_t)m->n_bodies, sizeof *s->used);
    inside_joints(s, m, from);
    s->lo = (double *)cli_alloc((size_t)m->n_bodies * 3, sizeof *s->lo);
    s->hi = (double *)cli_alloc((size_t)m->n_bodies * 3, sizeof *s->hi);
    for (b = 0; b < m->n_bodies; b++)
        if (!m->bodies[b].is_plane) {
            inside_split(s, m, b);
            s->closed[b] = (unsigned char)inside_is_closed(&m->bodies[b]);
        }
    inside_boxes(s, m);
    s->start = (unsigned char *)cli_alloc((size_t)s->n_parts, (size_t)s->n_bodies);
    for (p = 0; p < s->n_parts; p++)
        for (b = 0; b < s->n_bodies; b++)
            if (s->closed[b] && b != s->parts[p].body)
                s->start[(size_t)p * (size_t)s->n_bodies + (size_t)b] = (unsigned char)inside_side(s, m, p, b);
    return s;
}

/* vertices behind planes: of surfaces, or inner ones */
static long inside_planes(const inside_state *s, const sim *m, int inner, char *text, size_t size, long found)
{
    long n = 0;
    int b, c, i;
    for (b = 0; b < m->n_bodies; b++) {
        const sim_body *plane = &m->bodies[b];
        if (!plane->is_plane)
            continue;
        for (c = 0; c < m->n_bodies; c++) {
            const sim_body *o = &m->bodies[c];
            if (o->type == SCENE_STATIC)
                continue;
            for (i = 0; i < o->n_vertices; i++) {
                const double *x = o->positions + 3 * i;
                if (!s->used[c] || s->used[c][i] == inner)
                    continue;
                if (plane->normal[0] * x[0] + plane->normal[1] * x[1] + plane->normal[2] * x[2] >= plane->offset)
                    continue;
                if (!found && !n)
                    snprintf(text, size, inner ? "inner node of %s is behind %s: elements there are inverted (node %d)" : "%s is behind %s (vertex %d)",
                             o->name, plane->name, i);
                n++;
            }
        }
    }
    return n;
}

static int inside_is_scripted(const sim_body *b) { return b->type == SCENE_STATIC || b->type == SCENE_KINEMATIC; }

long inside_count(inside_state *s, const sim *m, char *text, size_t size)
{
    long n = 0;
    unsigned char *was;
    int p, b, now;
    inside_boxes(s, m);
    for (p = 0; p < s->n_parts; p++)
        for (b = 0; b < s->n_bodies; b++) {
            const inside_part *part = &s->parts[p];
            if (!s->closed[b] || b == part->body || s->apart[(size_t)b * (size_t)s->n_bodies + (size_t)part->body] || (inside_is_scripted(&m->bodies[b]) && inside_is_scripted(&m->bodies[part->body])))
                continue;
            was = &s->start[(size_t)p * (size_t)s->n_bodies + (size_t)b];
            now = inside_side(s, m, p, b);
            /* a part that starts on the wrong side may leave, and must not return */
            if (s->tangled && *was && !now)
                *was = 0;
            if (now == *was)
                continue;
            if (!n)
                snprintf(text, size, "%s (part of vertex %d) changed sides of %s", m->bodies[part->body].name, part->vertex,
                         m->bodies[b].name);
            n++;
        }
    return n + inside_planes(s, m, 0, text, size, n);
}

long inside_inverted(const inside_state *s, const sim *m, char *text, size_t size) { return inside_planes(s, m, 1, text, size, 0); }

void inside_free(inside_state *s)
{
    int b;
    if (!s)
        return;
    for (b = 0; b < s->n_bodies; b++)
        free(s->used[b]);
    free(s->used);
    free(s->apart);
    free(s->parts);
    free(s->closed);
    free(s->start);
    free(s->lo);
    free(s->hi);
    free(s);
}
