/* run.c -- a random world runs: steps, and what is tested after each. Method: positions are read through the public functions only; all
   edges against all faces of bodies that may meet (exact.c), vertices against planes, and one vertex of each body against the insides of
   closed ones. What two bodies have in common at the end of a step and had not at its start is an intersection: it has to be named by the
   report, and it may only be there where scripts leave no room. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* [s] of processor that a step may take under the sanitizers: per substep and block */
#define WORK_STEP 1.0
#define WORK_BLOCK 0.1
#define WORLD_CPU 3.0 /* [s] of processor after which a world ends */

static const char *const verdicts[SOAK_VERDICTS] = {"fine",
                                                    "not finite",
                                                    "unreported intersection",
                                                    "validate disagrees",
                                                    "work above its bound",
                                                    "wrong code",
                                                    "unreported depth",
                                                    "other bits",
                                                    "wrong events",
                                                    "crash",
                                                    "hang"};
static const char *const sets[SOAK_SETS] = {"mixed", "rods", "barrier", "penalty", "layers", "explicit", "geometric"};
const char *soak_set_text(soak_set set) { return (int)set >= 0 && set < SOAK_SETS ? sets[set] : "?"; }
const char *soak_verdict_text(soak_verdict v) { return (int)v >= 0 && v < SOAK_VERDICTS ? verdicts[v] : "?"; }

void soak_fail(soak_run *u, soak_verdict v, const char *text, ...)
{
    va_list list;
    if (u->failed)
        return;
    u->failed = 1, u->out->verdict = v, u->out->step = u->out->steps;
    va_start(list, text);
    vsnprintf(u->out->text, sizeof u->out->text, text, list);
    va_end(list);
}

static int is_finite(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

/* ---- items ---- */

/* edges of triangles and segments, each once */
static void make_edges(soak_item *q, const int32_t *segments, int ns)
{
    int i, k, j, n = 0;
    q->edges = (int32_t *)malloc(sizeof(int32_t) * 2 * (size_t)(3 * q->nt + ns + 1));
    for (i = 0; i < 3 * q->nt + ns; i++) {
        int a = i < 3 * q->nt ? q->triangles[i] : segments[2 * (i - 3 * q->nt)];
        int b = i < 3 * q->nt ? q->triangles[i % 3 == 2 ? i - 2 : i + 1] : segments[2 * (i - 3 * q->nt) + 1];
        for (k = 0, j = 0; k < n && !j; k++)
            j = (q->edges[2 * k] == a && q->edges[2 * k + 1] == b) || (q->edges[2 * k] == b && q->edges[2 * k + 1] == a);
        if (!j && a != b)
            q->edges[2 * n] = a, q->edges[2 * n + 1] = b, n++;
    }
    q->ne = n;
}

/* every edge in two triangles, once each way */
static int is_closed(const soak_item *q)
{
    int i, j, n;
    for (i = 0; i < 3 * q->nt; i++) {
        int a = q->triangles[i], b = q->triangles[i % 3 == 2 ? i - 2 : i + 1], back = 0, same = 0;
        for (j = 0; j < 3 * q->nt; j++) {
            int c = q->triangles[j], d = q->triangles[j % 3 == 2 ? j - 2 : j + 1];
            back += c == b && d == a, same += c == a && d == b;
        }
        if (back != 1 || same != 1)
            return 0;
    }
    for (n = 0, i = 0; i < q->points; i++)
        n += is_finite(q->x[3 * i]);
    return q->nt > 0 && n > 0;
}

/* 1 where the surface that collides may have more triangles than the user's */
static int is_split(const soak_run *u) { return u->desc.stepper == CT_STEPPER_EXPLICIT && u->desc.rk.refine == CT_REFINE_ELEMENTS; }

static void read_item(soak_run *u, soak_item *q)
{
    int n = 0, i;
    if (q->kind == 'p')
        return;
    if (is_split(u) && q->kind == 's' && soak_split_mesh(u, q)) {
        free(q->edges);
        make_edges(q, NULL, 0);
        for (i = 0; i < 2 * q->ne; i++)
            q->used[q->edges[i]] = 1;
        u->out->split++;
    }
    if (ct_body_get_positions(u->world, q->id, q->x, CT_SCALAR_DOUBLE, 3 * sizeof(double), &n) != CT_OK || n != q->n)
        soak_fail(u, SOAK_CODE, "positions of body %d: %s", q->number, ct_world_error(u->world)->text);
    if (q->points > q->n)
        soak_split_positions(u, q);
    for (i = 0; i < 3 * q->points; i++)
        if (!is_finite(q->x[i])) {
            soak_fail(u, SOAK_NAN, "body %d (%c): vertex %d is not finite", q->number, q->kind, i / 3);
            return;
        }
}

void soak_item_join(soak_run *u, soak_item *q, const ct_mesh *m)
{
    const int32_t *t = NULL;
    int n = 0;
    q->alive = 1;
    q->deformable = q->kind == 's' || q->kind == 'c' || q->kind == 'l' || q->kind == 'g', q->dynamic = q->deformable || q->kind == 'r';
    q->n = q->points = ct_body_vertex_count(u->world, q->id);
    if (ct_body_get_triangles(u->world, q->id, &t, &n) != CT_OK)
        n = 0;
    q->nt = n;
    q->triangles = (int32_t *)malloc(sizeof(int32_t) * 3 * (size_t)(n + 1));
    if (n)
        memcpy(q->triangles, t, sizeof(int32_t) * 3 * (size_t)n);
    q->x = (double *)calloc(3 * (size_t)(q->n + 1), sizeof(double)), q->used = (uint8_t *)calloc((size_t)q->n + 1, 1);
    if (q->kind == 's' && m->n_positions == q->n && m->n_tets) {
        q->tets = (int32_t *)malloc(sizeof(int32_t) * 4 * (size_t)m->n_tets), q->n_tets = m->n_tets;
        memcpy(q->tets, m->tets, sizeof(int32_t) * 4 * (size_t)m->n_tets);
    }
    make_edges(q, m->segments, q->kind == 't' || q->kind == 'k' || q->kind == 'l' ? m->n_segments : 0);
    for (n = 0; n < 2 * q->ne; n++)
        q->used[q->edges[n]] = 1;
    if (q->kind == 'g' || (q->ne == 0 && q->nt == 0)) /* single positions collide where a mesh has no elements */
        memset(q->used, 1, (size_t)q->n);
    read_item(u, q);
    q->closed = q->kind != 'c' && is_closed(q) && soak_winding(q->x, q->triangles, q->nt, q->x) >= -1;
    u->scripts |= q->kind == 'k';
    u->out->blocks += q->deformable ? ct_body_node_count(u->world, q->id) : (q->kind == 'r' ? 2 : 0);
}

/* ---- what intersects ---- */

typedef struct found {
    int hits[SOAK_BODIES][SOAK_BODIES];   /* edge-face pairs, or vertices behind a plane */
    int inside[SOAK_BODIES][SOAK_BODIES]; /* the first vertex of i is inside of j */
    int total;
    double depth[SOAK_BODIES][SOAK_BODIES]; /* EXPLICIT: [m] of contact nodes of i inside of j; 0 where that cannot be told */
} found;

/* edges of a through faces of b */
static int count_hits(const soak_item *a, const soak_item *b)
{
    int e, f, n = 0;
    for (e = 0; e < a->ne; e++)
        for (f = 0; f < b->nt; f++) {
            const int32_t *v = a->edges + 2 * (size_t)e, *t = b->triangles + 3 * (size_t)f;
            if (a == b && (v[0] == t[0] || v[0] == t[1] || v[0] == t[2] || v[1] == t[0] || v[1] == t[1] || v[1] == t[2]))
                continue;
            n += soak_edge_meets_triangle(a->x + 3 * v[0], a->x + 3 * v[1], b->x + 3 * t[0], b->x + 3 * t[1], b->x + 3 * t[2]);
        }
    return n;
}

/* vertices behind a plane, by more than rounding can tell */
static int count_behind(const soak_item *a, const soak_item *plane)
{
    double eps = sizeof(ct_real) == 4 ? 1e-6 : 2e-15;
    int i, k, n = 0;
    for (i = 0; i < a->points; i++) {
        double s = -plane->offset, size = fabs(plane->offset);
        for (k = 0; k < 3; k++)
            s += plane->normal[k] * a->x[3 * i + k], size += fabs(a->x[3 * i + k]);
        n += a->used[i] && s < -eps * size;
    }
    return n;
}

static int boxes_meet(const soak_item *a, const soak_item *b)
{
    int i, k;
    for (k = 0; k < 3; k++) {
        double la = INFINITY, ha = -INFINITY, lb = INFINITY, hb = -INFINITY;
        for (i = 0; i < a->points; i++)
            la = fmin(la, a->x[3 * i + k]), ha = fmax(ha, a->x[3 * i + k]);
        for (i = 0; i < b->points; i++)
            lb = fmin(lb, b->x[3 * i + k]), hb = fmax(hb, b->x[3 * i + k]);
        if (la > hb || lb > ha)
            return 0;
    }
    return 1;
}

/* vertices of a inside of b that tell whether a is: one of what is connected, all points */
static int count_inside(const soak_item *a, const soak_item *b)
{
    int v, n = 0;
    if (a->kind != 'g')
        return a->nt + a->ne > 0 && fabs(soak_winding(b->x, b->triangles, b->nt, a->x + 3 * (a->ne ? a->edges[0] : 0))) > 0.5;
    for (v = 0; v < a->n; v++)
        n += fabs(soak_winding(b->x, b->triangles, b->nt, a->x + 3 * v)) > 0.5;
    return n;
}

/* 1 where a tet has turned inside out: such a body has no inside that could be told; of an embedded surface's tets nothing is known here */
static int is_turned(const soak_item *q)
{
    int t, k, i;
    if (q->kind == 's' && !q->n_tets)
        return 1;
    for (t = 0; t < q->n_tets; t++) {
        double d[3][3];
        for (k = 0; k < 3; k++)
            for (i = 0; i < 3; i++)
                d[k][i] = q->x[3 * q->tets[4 * t + k + 1] + i] - q->x[3 * q->tets[4 * t] + i];
        if (!(d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                  d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]) >
              0))
            return 1;
    }
    return 0;
}

/* depth of the deepest contact node of a inside of b: vertices, with rk.refine SURFACE also the middles of edges */
static double depth_of(const soak_run *u, const soak_item *a, const soak_item *b)
{
    int middles = u->desc.rk.refine == CT_REFINE_SURFACE ? a->ne : 0, v, k;
    double deepest = 0;
    for (v = 0; v < a->points + middles; v++) {
        const int32_t *e = a->edges + 2 * (size_t)(v < a->points ? 0 : v - a->points);
        double x[3];
        for (k = 0; k < 3; k++)
            x[k] = v < a->points ? a->x[3 * v + k] : (a->x[3 * e[0] + k] + a->x[3 * e[1] + k]) / 2;
        if ((v >= a->points || a->used[v]) && soak_winding(b->x, b->triangles, b->nt, x) > 0.9)
            deepest = fmax(deepest, soak_distance(b->x, b->triangles, b->nt, x));
    }
    return deepest;
}

static void find(const soak_run *u, found *out)
{
    int i, j;
    memset(out, 0, sizeof *out);
    for (i = 0; i < u->n_items; i++)
        for (j = 0; j < u->n_items; j++) {
            const soak_item *a = &u->items[i], *b = &u->items[j];
            if (!a->alive || !b->alive || a->kind == 'p' || !soak_meet(u, a, b))
                continue;
            if (b->kind == 'p') {
                out->hits[i][j] = count_behind(a, b);
            } else if (boxes_meet(a, b)) {
                out->hits[i][j] = count_hits(a, b);
                out->inside[i][j] = i != j && b->closed && count_inside(a, b) > 0;
                if (u->desc.stepper == CT_STEPPER_EXPLICIT && a->dynamic && b->closed && !is_turned(a) && !is_turned(b))
                    out->depth[i][j] = depth_of(u, a, b);
            }
            out->total += out->hits[i][j];
        }
}

static int plane_hits(const soak_run *u, const found *f)
{
    int i, j, n = 0;
    for (i = 0; i < u->n_items; i++)
        for (j = 0; j < u->n_items; j++)
            n += u->items[j].kind == 'p' ? f->hits[i][j] : 0;
    return n;
}

/* the library's own exact test against this one */
static void compare(soak_run *u, const found *f)
{
    ct_pair *pairs = NULL;
    int n = 0, i, planes = 0, mine = plane_hits(u, f);
    if (ct_world_validate(u->world, &pairs, &n) != CT_OK) {
        soak_fail(u, SOAK_CODE, "validate: %s", ct_world_error(u->world)->text);
        return;
    }
    for (i = 0; i < n; i++)
        planes += pairs[i].kind == CT_PAIR_PLANE;
    if (n - planes != f->total - mine)
        soak_fail(u, SOAK_DISAGREES, "validate names %d edge-face pairs, there are %d", n - planes, f->total - mine);
    if (planes < mine)
        soak_fail(u, SOAK_DISAGREES, "validate names %d vertices behind planes, there are %d", planes, mine);
}

/* 1 where a vertex is behind a plane, -1 where rounding decides */
static int behind(const soak_item *a, const soak_item *plane)
{
    soak_item nearer = *plane;
    int n = count_behind(a, plane), i;
    for (i = 0; i < 3 * a->points; i++) /* the plane, shifted by more than rounding */
        nearer.offset = fmax(nearer.offset, plane->offset + (sizeof(ct_real) == 4 ? 1e-5 : 1e-14) * (fabs(plane->offset) + 3 * fabs(a->x[i])));
    return n > 0 ? 1 : count_behind(a, &nearer) > 0 ? -1 : 0;
}

/* 1 where a sensor and another body overlap; -1: a vertex is so near to a surface that rounding decides */
static int overlap(const soak_run *u, const soak_item *a, const soak_item *b)
{
    const soak_item *p[2];
    int k, v, sure = 1;
    if (is_split(u))
        return -1;
    if (a->kind == 'p' || b->kind == 'p')
        return behind(a->kind == 'p' ? b : a, a->kind == 'p' ? a : b);
    if (!boxes_meet(a, b))
        return 0;
    if (count_hits(a, b) + count_hits(b, a) > 0)
        return 1;
    p[0] = a, p[1] = b;
    for (k = 0; k < 2; k++)
        for (v = 0; p[!k]->closed && v < p[k]->n; v++) {
            double w = fabs(soak_winding(p[!k]->x, p[!k]->triangles, p[!k]->nt, p[k]->x + 3 * v));
            if (p[k]->used[v] && w > 0.9)
                return 1;
            sure &= !p[k]->used[v] || w < 0.1;
        }
    return sure ? 0 : -1;
}

/* steppers that refuse a start with intersections, and keep scripts from making one */
static int keeps_apart(const soak_run *u) { return u->desc.stepper == CT_STEPPER_BARRIER || u->desc.stepper == CT_STEPPER_LAYERS; }

/* 1 when the two were tangled before: what they had in common is not protected */
static int was_tangled(const found *f, int i, int j) { return f->hits[i][j] || f->hits[j][i] || f->inside[i][j] || f->inside[j][i]; }

static void judge(soak_run *u, const found *before, const found *now, const ct_step_report *r)
{
    int i, j;
    for (i = 0; i < u->n_items; i++)
        for (j = 0; j < u->n_items; j++) {
            int crossed = now->hits[i][j] > 0, entered = now->inside[i][j];
            if ((!crossed && !entered) || was_tangled(before, i, j))
                continue;
            /* springs keep nothing apart: intersections are said, or are depths; the geometric stepper promises to say so */
            if ((u->desc.stepper == CT_STEPPER_GEOMETRIC && r->status == CT_STATUS_NOT_CONVERGED && r->tangled > 0) ||
                (u->desc.stepper == CT_STEPPER_PENALTY &&
                 (u->desc.penalty.depth == CT_PENALTY_INSIDE ||
                  (r->status == CT_STATUS_NOT_CONVERGED && (r->tangled > 0 || r->limit.vertices_a[0] >= 0))))) {
                u->out->crossing_reported++;
                return;
            }
            /* the barrier stepper's scripts wait where there is no room */
            if (u->scripts && !keeps_apart(u) && r->status == CT_STATUS_NOT_CONVERGED &&
                (r->limit.vertices_a[0] >= 0 || r->tangled > 0)) {
                u->out->crossing_reported++;
                return;
            }
            soak_fail(u, SOAK_CROSSING, "body %d (%c) %s body %d (%c)%s; status %s, tangled %d, %s", u->items[i].number, u->items[i].kind,
                      crossed ? "crosses" : "is inside of", u->items[j].number, u->items[j].kind,
                      before->total ? ", others were tangled" : "", ct_status_text(r->status), r->tangled,
                      u->scripts ? "with scripts" : "no scripts");
            return;
        }
    /* pairs count as tangled; what is behind a plane is a depth */
    if (u->desc.stepper == CT_STEPPER_PENALTY && u->desc.penalty.depth == CT_PENALTY_INSIDE)
        return;
    if (before->total && now->total && r->tangled == 0 && !(r->penetration > 0) && r->status < CT_STATUS_NOT_CONVERGED)
        soak_fail(u, SOAK_CROSSING, "%d pairs intersected at the start, %d do now, and the report says 0 tangled", before->total,
                  now->total);
}

static int is_thin(const soak_item *q) { return q->alive && (q->kind == 'l' || q->kind == 'g'); }

/* 1 where two vertices of rods and points are in one place: of one body, or of twins in a world whose bodies are placed anywhere */
static int has_doubles(const soak_run *u)
{
    int i, j, v, w;
    for (i = 0; i < u->n_items; i++)
        for (j = 0; is_thin(&u->items[i]) && j <= i; j++)
            for (v = 0; is_thin(&u->items[j]) && soak_meet(u, &u->items[i], &u->items[j]) && (j < i || u->items[i].kind == 'g') &&
                        v < u->items[i].n; v++)
                for (w = 0; w < (j < i ? u->items[j].n : v); w++)
                    if (memcmp(u->items[i].x + 3 * v, u->items[j].x + 3 * w, 3 * sizeof(double)) == 0)
                        return 1;
    return 0;
}

/* distance of two edges of rods; with a common vertex, which only a body with itself may have, that of their other ends */
static double rods_distance(const soak_item *a, const int32_t *e, const soak_item *b, const int32_t *f)
{
    double best = INFINITY;
    int k;
    if (a != b || !(e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]))
        return soak_edges_distance(a->x + 3 * e[0], a->x + 3 * e[1], b->x + 3 * f[0], b->x + 3 * f[1]);
    for (k = 0; k < 2; k++) {
        if (e[k] != f[0] && e[k] != f[1])
            best = fmin(best, soak_edges_distance(a->x + 3 * e[k], a->x + 3 * e[k], a->x + 3 * f[0], a->x + 3 * f[1]));
        if (f[k] != e[0] && f[k] != e[1])
            best = fmin(best, soak_edges_distance(a->x + 3 * f[k], a->x + 3 * f[k], a->x + 3 * e[0], a->x + 3 * e[1]));
    }
    return best;
}

/* 1 where rods, or branches of one, are nearer than coordinates of the world resolve: no stepper needs to tell them apart */
static int has_touching_rods(const soak_run *u)
{
    const double least = 64 * 2.3e-16 * (u->size + fabs(u->origin[0]) + fabs(u->origin[1]) + fabs(u->origin[2]));
    int i, j, v, w;
    for (i = 0; i < u->n_items; i++)
        for (j = 0; u->items[i].alive && u->items[i].kind == 'l' && j <= i; j++) {
            const soak_item *a = &u->items[i], *b = &u->items[j];
            for (v = 0; b->alive && b->kind == 'l' && (j == i || soak_meet(u, a, b)) && v < a->ne; v++)
                for (w = 0; w < (j < i ? b->ne : v); w++)
                    if (rods_distance(a, a->edges + 2 * v, b, b->edges + 2 * w) < least)
                        return 1;
        }
    return 0;
}

/* depth of the deepest vertex of a moving body inside of another, by this program's own winding numbers and distances; but for bodies that were
   wholly inside before, if `before` is given: it may be that they belong there */
static double deepest_inside(const soak_run *u, const found *before, int *at, int *in)
{
    double deepest = 0;
    int i, j, v;
    *at = *in = 0;
    for (i = 0; i < u->n_items; i++)
        for (j = 0; j < u->n_items; j++) {
            const soak_item *a = &u->items[i], *b = &u->items[j];
            if (i == j || !a->alive || !b->alive || !a->dynamic || !b->closed || !soak_meet(u, a, b) || !boxes_meet(a, b) || is_turned(a) ||
                is_turned(b) || (before && before->inside[i][j] && !before->hits[i][j] && !before->hits[j][i]))
                continue;
            for (v = 0; v < a->points; v++)
                if (a->used[v] && soak_winding(b->x, b->triangles, b->nt, a->x + 3 * v) > 0.9) {
                    double d = soak_distance(b->x, b->triangles, b->nt, a->x + 3 * v);
                    if (d > deepest)
                        deepest = d, *at = i, *in = j;
                }
        }
    return deepest;
}

/* the discrete stepper: no deep vertex without a depth */
static void judge_depth(soak_run *u, const ct_step_report *r)
{
    int at, in;
    double deepest = deepest_inside(u, NULL, &at, &in);
    if (deepest > 1e-3 * u->size && (double)r->penetration < 0.1 * deepest)
        soak_fail(u, SOAK_DEPTH, "a vertex of body %d (%c) is %g m inside of body %d (%c), the report says %g", u->items[at].number,
                  u->items[at].kind, deepest, u->items[in].number, u->items[in].kind, (double)r->penetration);
}

/* depth of the deepest vertex behind a plane */
static double deepest_behind(const soak_run *u)
{
    double deepest = 0;
    int i, j, v, k;
    for (i = 0; i < u->n_items; i++)
        for (j = 0; j < u->n_items; j++) {
            const soak_item *a = &u->items[i], *b = &u->items[j];
            for (v = 0; a->alive && b->alive && a->dynamic && b->kind == 'p' && soak_meet(u, a, b) && v < a->points; v++) {
                double d = b->offset;
                for (k = 0; k < 3; k++)
                    d -= b->normal[k] * a->x[3 * v + k];
                deepest = a->used[v] ? fmax(deepest, d) : deepest;
            }
        }
    return deepest;
}

/* [mean edges] depth up to which the explicit stepper finds a contact (docs/explicit.md); what was deeper when the step began may stay so */
#define REACH 0.4

/* a step that is OK leaves no contact node deeper than the legal penetration, elements split or not */
static void judge_legal(soak_run *u, const found *before, const found *now, double behind)
{
    double edge = soak_split_edge(u), size = 0, legal;
    int i, j;
    for (i = 0; i < u->n_items; i++)
        for (j = 0; u->items[i].alive && j < 3 * u->items[i].points; j++)
            size = fmax(size, fabs(u->items[i].x[j]));
    legal = 1.001 * (double)u->desc.rk.penetration * edge + (sizeof(ct_real) == 4 ? 4e-6 : 8e-15) * size;
    if (edge > 0 && behind > legal)
        soak_fail(u, SOAK_DEPTH, "the step is ok, and a node is %g m behind a plane: %g edges", behind, behind / edge);
    for (i = 0; i < u->n_items; i++)
        for (j = 0; j < u->n_items && edge > 0; j++)
            if (now->depth[i][j] > legal && before->depth[i][j] < REACH * edge && !before->inside[i][j])
                soak_fail(u, SOAK_DEPTH, "the step is ok, and a node of body %d (%c) is %g edges inside of body %d (%c); it was %g before",
                          u->items[i].number, u->items[i].kind, now->depth[i][j] / edge, u->items[j].number, u->items[j].kind,
                          before->depth[i][j] / edge);
}

/* the explicit stepper: pairs that intersect are counted, all of them; a vertex that is deep has a depth, or its surface is among the pairs; what
   is behind a plane has its depth */
static void judge_explicit(soak_run *u, const found *before, const found *now, const ct_step_report *r)
{
    int at, in, crossed = now->total - plane_hits(u, now);
    double deepest, behind = deepest_behind(u);
    if (crossed != r->tangled) {
        soak_fail(u, SOAK_CROSSING, "%d pairs intersect, the report says %d; status %s", crossed, r->tangled, ct_status_text(r->status));
        return;
    }
    if (behind > 1e-3 * u->size && (double)r->penetration < 0.9 * behind)
        soak_fail(u, SOAK_DEPTH, "a vertex is %g m behind a plane, the report says %g; status %s", behind, (double)r->penetration,
                  ct_status_text(r->status));
    deepest = deepest_inside(u, before, &at, &in);
    if (deepest > 1e-3 * u->size && (double)r->penetration < 0.1 * deepest && r->tangled == 0 && r->status < CT_STATUS_BUDGET)
        soak_fail(u, SOAK_DEPTH, "a vertex of body %d (%c) is %g m inside of body %d (%c), the report says %g; status %s", u->items[at].number,
                  u->items[at].kind, deepest, u->items[in].number, u->items[in].kind, (double)r->penetration, ct_status_text(r->status));
    if (r->status == CT_STATUS_OK)
        judge_legal(u, before, now, behind);
}

/* ---- a step ---- */

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check_numbers(soak_run *u, const ct_step_report *r)
{
    const ct_contact *c = NULL;
    double x[18];
    int i, k, n = 0;
    x[0] = (double)r->residual, x[1] = (double)r->min_distance, x[2] = (double)r->penetration, x[3] = (double)r->momentum_lost;
    x[4] = (double)r->joint_error, x[5] = r->energy_kinetic, x[6] = r->energy_elastic, x[7] = r->energy_gravity;
    for (k = 0; k < 3; k++)
        x[8 + k] = r->center_of_mass[k];
    for (k = 0; k < 11; k++)
        if (!is_finite(x[k]))
            soak_fail(u, SOAK_NAN, "number %d of the report is not finite", k);
    if (ct_world_contacts(u->world, &c, &n) != CT_OK)
        soak_fail(u, SOAK_CODE, "contacts: %s", ct_world_error(u->world)->text);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            if (!is_finite((double)c[i].point[k]) || !is_finite((double)c[i].normal[k]) || !is_finite((double)c[i].impulse_normal) ||
                !is_finite((double)c[i].gap) || !is_finite((double)c[i].impulse_tangent[k & 1]))
                soak_fail(u, SOAK_NAN, "contact %d is not finite", i);
    for (i = 0; i < u->n_items; i++) {
        soak_item *q = &u->items[i];
        if (!q->alive || q->kind == 'p')
            continue;
        if (ct_body_get_velocities(u->world, q->id, q->x, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL) != CT_OK)
            soak_fail(u, SOAK_CODE, "velocities of body %d: %s", q->number, ct_world_error(u->world)->text);
        for (k = 0; k < 3 * q->n; k++)
            if (!is_finite(q->x[k]))
                soak_fail(u, SOAK_NAN, "body %d (%c): velocity %d is not finite", q->number, q->kind, k / 3);
        read_item(u, q);
    }
}

/* processor time and counts of a step against what its size allows */
static void check_work(soak_run *u, const ct_step_report *r, double seconds)
{
    int paper = u->desc.solver.termination == CT_TERMINATION_PAPER; /* which sets its own halvings, rounds and linearizations */
    int most = u->desc.stepper == CT_STEPPER_DCD ? u->desc.dcd.max_substeps : 1 << (paper ? 2 : u->desc.max_halvings);
    int tries;
    double bound, pieces = most;
    if (u->desc.stepper == CT_STEPPER_PENALTY) /* each with up to so many iterations */
        most = u->desc.penalty.form == CT_PENALTY_EXPLICIT ? u->desc.penalty.max_substeps : 8, pieces = most * u->desc.penalty.iterations / 4.0;
    if (u->desc.stepper == CT_STEPPER_GEOMETRIC)
        pieces = most = u->desc.geometric.max_substeps;
    if (u->desc.stepper == CT_STEPPER_BARRIER)
        most = 32, pieces = 1 + u->desc.barrier.newton_iterations / 10.0; /* a step that gains energy is repeated in 2, 4, ... 32 parts */
    bound = (WORK_STEP + WORK_BLOCK * u->out->blocks) * sqrt(pieces);
    u->out->cpu += seconds, u->out->worst_cpu = fmax(u->out->worst_cpu, seconds);
    u->out->worst_share = fmax(u->out->worst_share, seconds / bound);
    if (seconds > bound)
        soak_fail(u, SOAK_WORK, "a step of %d blocks took %.1f s, at most %.1f: %d substeps, %d rounds, %d iterations, %d sweeps, %d zones",
                  u->out->blocks, seconds, bound, r->substeps, r->cmr_rounds, r->solver_iterations, r->solver_sweeps, r->zones);
    /* steps that are divided count, and so do tries with bodies that are held; each is minimized once more where points or rods would
       pass each other */
    tries = 2 * r->substeps - 1 + (r->frozen ? r->substeps * u->n_items : 0);
    if (u->desc.stepper == CT_STEPPER_BARRIER && r->newton_iterations > 2 * tries * u->desc.barrier.newton_iterations)
        soak_fail(u, SOAK_WORK, "%d Newton iterations in %d substeps, at most %d in each", r->newton_iterations, r->substeps,
                  u->desc.barrier.newton_iterations);
    if (r->substeps > most + 1 || r->substeps < 1)
        soak_fail(u, SOAK_WORK, "%d substeps, at most %d", r->substeps, most);
    most = paper ? 6 + 8 : (u->desc.cmr_rounds + 1 + 8) * u->desc.newton_iterations;
    if (u->desc.stepper == CT_STEPPER_CMR && r->cmr_rounds > most)
        soak_fail(u, SOAK_WORK, "%d rounds, at most %d", r->cmr_rounds, most);
}

/* energy against the first step's and what gravity has done since */
static void check_energy(soak_run *u, const ct_step_report *r, int fresh, double *gravity)
{
    double e = r->energy_kinetic + r->energy_elastic, m;
    if (fresh)
        u->explained = fmax(u->explained, e);
    else
        u->explained += fabs(r->energy_gravity - *gravity);
    *gravity = r->energy_gravity;
    m = e / (u->explained + 1e-12);
    if (!u->scripts && !u->tangled && m > u->out->energy_ratio)
        u->out->energy_ratio = m, u->out->energy_step = u->out->steps;
}

/* ---- snapshots ---- */

/* a snapshot of the first run, which the second one takes over */
static struct {
    void *data;
    size_t n;
    int step, second;
} carried;

/* a snapshot in memory of malloc, or NULL where the world has none */
static void *snapshot(soak_run *u, size_t *n)
{
    void *data = NULL;
    ct_code code = ct_world_snapshot_size(u->world, n);
    if (code == CT_OK) {
        data = malloc(*n);
        code = ct_world_snapshot_save(u->world, data, *n, n);
    }
    if (code != CT_OK && code != CT_ERR_UNSUPPORTED)
        soak_fail(u, SOAK_CODE, "a snapshot: %s", ct_world_error(u->world)->text);
    return data;
}

static void take_back(soak_run *u, const void *data, size_t n)
{
    if (ct_world_snapshot_restore(u->world, data, n) != CT_OK)
        soak_fail(u, SOAK_CODE, "a snapshot is refused: %s", ct_world_error(u->world)->text);
}

/* before a step, now and then: the same step, which a snapshot takes back. 1: *hash is that of the world after it */
static int rehearse(soak_run *u, double dt, uint64_t *hash)
{
    uint64_t before = ct_world_hash(u->world);
    int at = u->out->steps;
    size_t n = 0;
    void *data;
    if (at == carried.step && carried.second && carried.data)
        take_back(u, carried.data, carried.n);
    if (at == carried.step && !carried.second)
        carried.data = snapshot(u, &carried.n);
    if ((u->seed + (uint64_t)at) % 6 != 0 || u->failed)
        return 0;
    data = snapshot(u, &n);
    if (data) {
        ct_world_step(u->world, (ct_real)dt, NULL);
        *hash = ct_world_hash(u->world);
        take_back(u, data, n);
        if (!u->failed && ct_world_hash(u->world) != before)
            soak_fail(u, SOAK_BITS, "a world that is taken back has other bits");
    }
    free(data);
    return data != NULL;
}

/* where a body is, to the last bit */
static uint64_t place_of(const soak_item *q)
{
    uint64_t h = 14695981039346656037ull, bits;
    int i;
    for (i = 0; i < 3 * q->n; i++)
        memcpy(&bits, q->x + i, sizeof bits), h = (h ^ bits) * 1099511628211ull;
    return h;
}

static void before_step(soak_run *u)
{
    int i;
    for (i = 0; i < u->n_items; i++)
        if (u->items[i].alive)
            u->items[i].slept = ct_body_is_asleep(u->world, u->items[i].id), u->items[i].rest = place_of(&u->items[i]);
}

static void after_step(soak_run *u)
{
    int i;
    soak_observe(u, overlap);
    for (i = 0; i < u->n_items; i++) {
        soak_item *q = &u->items[i];
        if (!q->alive || !q->slept || !ct_body_is_asleep(u->world, q->id))
            continue;
        u->out->slept++;
        if (place_of(q) != q->rest)
            soak_fail(u, SOAK_EVENTS, "body %d (%c) sleeps, and moves", q->number, q->kind);
    }
}

/* bodies that a joint kept apart may meet once it is broken. Returns 1 if one broke in the last step */
static int breaks(soak_run *u)
{
    ct_events e;
    int i, k;
    if (ct_world_events(u->world, &e) != CT_OK)
        return 0;
    for (i = 0; i < e.n_joint_break; i++)
        for (k = 0; k < u->n_joints; k++)
            if (u->joints[k].id.index1 == e.joint_break[i].joint.index1)
                u->joints[k].apart = 0;
    return e.n_joint_break > 0;
}

/* one step; 0: the world is at its end */
static int step(soak_run *u, double dt, found *at, int fresh, double *gravity)
{
    ct_step_report r;
    found now;
    ct_real tolerance;
    uint64_t rehearsed = 0, before = ct_world_hash(u->world);
    int same = rehearse(u, dt, &rehearsed);
    double t0 = cpu_now(), seconds;
    ct_code code;
    before_step(u);
    code = ct_world_step(u->world, (ct_real)dt, &r);
    if (same && ct_world_hash(u->world) != rehearsed)
        soak_fail(u, SOAK_BITS, "a step after a restored snapshot has other bits than before it");
    seconds = cpu_now() - t0;
    if (keeps_apart(u) && (code == CT_ERR_DOMAIN) != (at->total > 0 || has_doubles(u)) &&
        !(code == CT_ERR_DOMAIN && has_touching_rods(u))) {
        soak_fail(u, SOAK_CODE, "%d pairs intersect, and the step ends with code %d: %s", at->total, (int)code, ct_world_error(u->world)->text);
        return 0;
    }
    if (code != CT_OK) {
        int start = keeps_apart(u) && code == CT_ERR_DOMAIN;
        int unstable = u->desc.stepper == CT_STEPPER_EXPLICIT && u->desc.rk.fixed_step > 0 && code == CT_ERR_UNSUPPORTED;
        u->out->left = !start && !unstable, u->out->stopped = start, u->out->unstable = unstable;
        if ((code != CT_ERR_MESH && !start && !unstable) || ct_world_hash(u->world) != before)
            soak_fail(u, SOAK_CODE, "step ends with code %d: %s", (int)code, ct_world_error(u->world)->text);
        return 0;
    }
    u->out->steps++;
    if ((int)r.status < 0 || r.status >= CT_STATUS_COUNT_) {
        soak_fail(u, SOAK_CODE, "status %d", (int)r.status);
        return 0;
    }
    tolerance = u->desc.stepper == CT_STEPPER_BARRIER  ? u->desc.barrier.newton_tolerance
                : u->desc.stepper == CT_STEPPER_LAYERS ? (ct_real)5e-3
                                                       : u->desc.solver.tolerance;
    if (u->desc.stepper == CT_STEPPER_GEOMETRIC) /* its own, of linear solves (geometric_implicit.c) */
        tolerance = (ct_real)1.01e-4;
    if (r.status <= CT_STATUS_ZONES && !(r.residual <= tolerance)) { /* a status that is not true */
        soak_fail(u, SOAK_CODE, "status %s with a residual of %.3g above the tolerance %.3g", ct_status_text(r.status), (double)r.residual,
                  (double)tolerance);
        return 0;
    }
    u->out->touching += r.contacts > 0, u->out->status[r.status]++, u->out->zones += r.zones, u->out->frozen += r.frozen, u->out->substeps += r.substeps;
    check_work(u, &r, seconds);
    check_numbers(u, &r);
    if (!u->options->quiet)
        soak_ask(u, u->out->steps);
    if (u->failed)
        return 0;
    check_energy(u, &r, fresh, gravity);
    after_step(u);
    find(u, &now);
    if (u->desc.stepper == CT_STEPPER_DCD)
        judge_depth(u, &r);
    else if (u->desc.stepper == CT_STEPPER_EXPLICIT)
        judge_explicit(u, at, &now, &r);
    else
        judge(u, at, &now, &r);
    if (breaks(u))
        find(u, &now);
    compare(u, &now);
    if (u->options->verbose)
        printf(
            "  step %d dt %g: %s, %d substeps, %d rounds, %d iterations, %d sweeps, %d linearizations, %d contacts, zones %d, frozen %d, "
            "tangled %d, crossing %d, "
            "residual %.2g, kinetic %.3g, elastic %.3g, %.3f s\n",
            u->out->steps, dt, ct_status_text(r.status), r.substeps, r.cmr_rounds, r.solver_iterations, r.solver_sweeps,
            r.newton_iterations, r.contacts, r.zones, r.frozen, r.tangled, now.total, (double)r.residual, r.energy_kinetic,
            r.energy_elastic, seconds);
    *at = now;
    return !u->failed;
}

/* what was refused at creation: thickness and such stay in range, so nothing may be */
static int create(soak_run *u)
{
    ct_error_info e;
    ct_world_desc d = u->desc;
    soak_rng r = soak_stream(u->seed, 7);
    memset(&e, 0, sizeof e);
    u->live = soak_chance(&r, 0.6);
    if (d.solver.solver != CT_SOLVER_ICA && u->desc.stepper == CT_STEPPER_CMR)
        d.solver.cone = CT_CONE_CONE;
    if (u->live && soak_chance(&r, 0.3))
        d.may_meet = soak_may_meet;
    if (u->live && d.stepper == CT_STEPPER_CMR && soak_chance(&r, 0.5))
        d.sleep_time = u->dt * soak_decades(&r, 0.6, 1), d.sleep_speed = (ct_real)(u->size / u->dt * soak_decades(&r, -4, 1));
    d.hit_speed = (ct_real)(u->size * soak_decades(&r, -2, 1));
    if (d.stepper == CT_STEPPER_CMR && d.solver.termination != CT_TERMINATION_PAPER && soak_chance(&r, 0.2))
        d.frame_work = soak_decades(&r, 0, 5); /* from nothing to more than most steps take */
    u->desc = d;
    if (ct_world_create(&u->desc, &u->world, &e) == CT_OK)
        return 1;
    soak_fail(u, SOAK_CODE, "a world is refused: %s", e.text);
    return 0;
}

static void describe(soak_run *u)
{
    char kinds[SOAK_BODIES + 1];
    int i;
    for (i = 0; i < u->n_items; i++)
        kinds[i] = u->items[i].kind;
    kinds[i] = 0;
    snprintf(u->out->what, sizeof u->out->what,
             "%s %s %s, size %.3g m, %.3g m from the origin, dt %.3g, thickness %.3g, bodies %s, %d blocks%s",
             ct_stepper_text(u->desc.stepper), keeps_apart(u) ? "-" : ct_solver_text(u->desc.solver.solver),
             ct_integrator_text(u->desc.integrator), u->size,
             fabs(u->origin[0]) + fabs(u->origin[1]) + fabs(u->origin[2]), u->dt, u->thickness, kinds, u->out->blocks,
             u->tangled ? ", tangled" : "");
}

/* the calls of a game, after which bodies may be elsewhere */
static void happen(soak_run *u, int step)
{
    int i;
    soak_live(u, step);
    for (i = 0; i < u->n_items; i++)
        if (u->items[i].alive)
            read_item(u, &u->items[i]);
}

static void run_steps(soak_run *u, soak_rng *r)
{
    int n = 5 + soak_below(r, 26), k, fresh;
    double gravity = 0, dt = u->dt;
    found at;
    if (u->options->max_steps > 0 && n > u->options->max_steps)
        n = u->options->max_steps;
    find(u, &at);
    compare(u, &at);
    u->out->tangled_start = at.total > 0;
    if (at.total > 0 && u->desc.stepper == CT_STEPPER_CMR && soak_chance(r, 0.4)) {
        int freed = 0, left = 0, i;
        if (ct_world_repair(u->world, &freed, &left) != CT_OK)
            soak_fail(u, SOAK_CODE, "repair: %s", ct_world_error(u->world)->text);
        for (i = 0; i < u->n_items; i++)
            if (u->items[i].alive)
                read_item(u, &u->items[i]);
        find(u, &at);
        compare(u, &at);
        if (left < at.total - plane_hits(u, &at))
            soak_fail(u, SOAK_CROSSING, "repair says %d left, there are %d", left, at.total);
    }
    for (k = 0; k < n && !u->failed; k++) {
        double was = u->explained;
        if (u->out->cpu > WORLD_CPU) {
            u->out->cut = 1;
            return;
        }
        fresh = k == 0;
        if (k > 0 && !u->options->calm) {
            u->explained = 0;
            soak_between(u, k);
            if (u->live && !u->failed)
                happen(u, k);
            fresh = u->explained < 0; /* something was changed */
            u->explained = fresh ? was : was + u->explained;
            if (fresh)
                find(u, &at);
        }
        if (soak_chance(r, 0.05))
            dt = u->dt * soak_decades(r, -1, 0.5);
        if (!u->failed && !step(u, dt, &at, fresh, &gravity))
            break;
    }
}

/* ---- across processes ---- */

enum { ACROSS_STEPS = 60 };

void soak_across_file(const soak_options *o, char *out, size_t size)
{
    snprintf(out, size, "/tmp/soak_%s_%llu_%ld.snapshot", soak_set_text(o->set), (unsigned long long)o->seed, (long)getpid());
}

/* The first process makes some steps, in which everything happens but what a world is made of, then a file and sixty steps. The other one has made the
   same world and no step. It goes on from the file, for as many steps */
static void run_across(soak_run *u, soak_rng *r)
{
    const soak_options *o = u->options;
    int n = 1 + soak_below(r, 12), most = o->load ? o->max_steps : ACROSS_STEPS, k;
    char file[160];
    ct_code code;
    double t0 = cpu_now();
    u->same = 1;
    for (k = 0; k < n && !o->load && !u->failed && cpu_now() - t0 < WORLD_CPU; k++) {
        ct_world_step(u->world, (ct_real)u->dt, NULL);
        if (u->live)
            happen(u, k);
    }
    soak_across_file(o, file, sizeof file);
    code = o->load ? ct_world_snapshot_read(u->world, o->load) : ct_world_snapshot_write(u->world, file);
    if (code != CT_OK) {
        if (code != CT_ERR_UNSUPPORTED)
            soak_fail(u, SOAK_CODE, "a snapshot %s: %s", o->load ? "is refused" : "is not written", ct_world_error(u->world)->text);
        return;
    }
    t0 = cpu_now();
    for (k = 0; k < most && (o->load || cpu_now() - t0 < WORLD_CPU); k++) {
        if (o->verbose)
            printf("  %d: %llx\n", k, (unsigned long long)ct_world_hash(u->world));
        u->out->steps += ct_world_step(u->world, (ct_real)u->dt, NULL) == CT_OK;
    }
    u->out->step = k;
}

static void once(const soak_options *o, soak_result *out)
{
    soak_run *u = (soak_run *)calloc(1, sizeof *u);
    soak_rng r = soak_stream(o->seed, 1);
    int i, n;
    memset(out, 0, sizeof *out);
    u->seed = o->seed, u->options = o, u->out = out;
    soak_make_desc(u, &r);
    u->young = soak_decades(&r, 3, 9);
    if (u->meet)
        soak_make_meeting(u, &r);
    u->tangled = soak_chance(&r, 0.25);
    n = 1 + soak_below(&r, 7);
    if (create(u)) {
        for (i = 0; i < n && !u->failed && out->blocks < SOAK_BLOCKS; i++)
            soak_add(u, i);
        describe(u);
        if (o->verbose)
            printf("seed %llu: %s\n", (unsigned long long)o->seed, out->what);
        if (!o->calm && !u->failed) {
            soak_between(u, -1);
            if (u->live && !u->failed)
                happen(u, -1);
            u->explained = 0;
        }
        if (!u->failed)
            (o->across ? run_across : run_steps)(u, &r);
        out->hash = ct_world_hash(u->world);
        out->bodies = u->n_items, out->joints = u->n_joints;
        ct_world_destroy(u->world);
    }
    for (i = 0; i < u->n_items; i++)
        free(u->items[i].triangles), free(u->items[i].edges), free(u->items[i].x), free(u->items[i].used), free(u->items[i].tets);
    free(u);
}

void soak_world(const soak_options *o, soak_result *out)
{
    soak_result twin;
    memset(&carried, 0, sizeof carried);
    carried.step = o->seed % 8 == 0 && !o->once && !o->across ? (int)(o->seed / 8 % 7) : -1;
    once(o, out);
    carried.second = 1;
    if (out->verdict == SOAK_FINE && !o->once && !o->across && o->seed % 8 == 0) {
        soak_options quiet = *o;
        quiet.verbose = 0, quiet.quiet = 1;
        once(&quiet, &twin);
        if (!out->cut && !twin.cut && twin.hash != out->hash) { /* what ended early ended where its time was over */
            out->verdict = SOAK_BITS;
            snprintf(out->text, sizeof out->text, "the second run ends with other bits");
        }
        if (out->verdict == SOAK_FINE && twin.verdict != SOAK_FINE)
            out->verdict = twin.verdict, memcpy(out->text, twin.text, sizeof out->text);
    }
    free(carried.data);
}
