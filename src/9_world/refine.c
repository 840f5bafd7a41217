/* refine.c -- one level of refinement of elements in regions of contact, for CT_STEPPER_EXPLICIT.
   Method: before a step, surface triangles of soft bodies that are near another body, or will be on a straight way within the step, are found. The
   tetrahedra that own them are split: their edges at the middles (divide.c), so that the mesh stays conforming. Only tetrahedra of the user's
   mesh are split, and they stay so: there is one level, and no coarsening. The user's vertices and nodes keep their numbers; middles are
   nodes behind them, which the interface does not show.
   A middle gets the mean position and velocity of its ends, at rest, too: displacements that are linear in an element stay so. The masses are those
   of the new elements. Lumped masses of smaller elements have less inertia about their centre; a rigid motion, the smallest, is added to the
   body so that its momentum and angular momentum are kept. What this changes in the energy is reported (rk.work_refine).
   Edges between two pinned nodes are not split, nor are bodies with an embedded surface, or with a piece that rounding would make flat.
   A body's mesh, masses and velocities before are kept until the step is done: a step that fails takes its refinement back.
   based on: Hong et al. 2006, sec. 6 (future work). */
#include "world.h"
#include "../8_explicit/explicit.h"
#include "../4_geom/dist.h"
#include "../5_mesh/divide.h"

/* [mean edges of the user's surfaces] distance at which another body is near. A ball on a slab: half and double add 0.75 and 1.31 times as many tets,
   and change its force by 5e-4. Two cylinders: half leaves 1.16 times the error of positions */
#define CTI_REFINE_REACH CTI_R(1.0)
#define CTI_REFINE_MOMENTS 4 /* [1] places on the straight way of a step at which distances are measured; not tuned */

#if CONTACT_WITH_EXPLICIT
/* data of one search */
typedef struct cti_refine {
    ct_world *w;
    ct_real *x1;     /* [3 nv] surface after the step's straight motion */
    ct_real reach;   /* [m] */
    uint8_t *faces;  /* [nf] near another body */
    uint8_t *points; /* [nv] */
    double before;   /* [J] energy before the first body was refined */
} cti_refine;

static int cti_refine_admits(const cti_body *b) { return b->kind == CTI_BODY_SOFT && !b->attach; }

static const int32_t *cti_refine_triangles(const cti_body *b) { return b->split.triangles ? b->split.triangles : b->triangles; }

/* mean edge of the user's surfaces at rest; 0: there is nothing to refine */
static ct_real cti_refine_edge(const ct_world *w)
{
    double sum = 0, n = 0;
    int i, k;
    for (i = 0; i < CTI_LEN(w->bodies); i++) {
        const cti_body *b = &w->bodies[i];
        const int32_t *t = cti_refine_triangles(b);
        for (k = 0; cti_refine_admits(b) && k < CTI_LEN(t); k++, n += 1)
            sum += (double)cti_v3_norm(cti_v3_sub(cti_v3_at(b->rest, t[k]), cti_v3_at(b->rest, t[k % 3 == 2 ? k - 2 : k + 1])));
    }
    return n > 0 ? (ct_real)(sum / n) : 0;
}

/* ---- regions ---- */

static cti_v3 cti_refine_at(const cti_refine *q, int v, int moment)
{
    cti_v3 a = cti_v3_at(q->w->state.surface.x0, v);
    return cti_v3_mad(a, cti_v3_sub(cti_v3_at(q->x1, v), a), (ct_real)moment / CTI_REFINE_MOMENTS);
}

/* marks vertex and face, where they are near at a moment */
static int cti_refine_pair(cti_refine *q, int v, int face, int moment)
{
    const int32_t *t = q->w->state.surface.faces + 3 * face;
    ct_real x[12], weights[3];
    int k, feature;
    cti_v3_put(x, 0, cti_refine_at(q, v, moment));
    for (k = 0; k < 3; k++)
        cti_v3_put(x, 1 + k, cti_refine_at(q, t[k], moment));
    if (!(cti_dist_pt(x, x + 3, x + 6, x + 9, weights, &feature) < q->reach * q->reach))
        return 0;
    q->faces[face] = q->points[v] = 1;
    return 1;
}

static int cti_refine_same(const cti_surface *f, const int32_t *a, const int32_t *b)
{
    int p = f->body_of[a[0]], q = f->body_of[f->faces[3 * (size_t)a[1]]], r = f->body_of[b[0]], s = f->body_of[f->faces[3 * (size_t)b[1]]];
    return (p == r && q == s) || (p == s && q == r);
}

/* features of two bodies that are near at the first moment at which some are. 0: out of memory */
static int cti_refine_pairs(cti_refine *q)
{
    cti_surface *f = &q->w->state.surface;
    cti_mem *m = &q->w->mem;
    const int32_t *vf;
    int i, begin, end, moment, found;
    CTI_CLEAR(q->w->refined.vf);
    for (i = 0; i < f->n_bodies; i++)
        f->ranges[i].swept = CTI_SWEPT_BOX, f->ranges[i].inflate = q->reach / 2;
    if (!cti_broad_update(m, &f->broad, &f->soup, f->x0, q->x1) || !cti_broad_pairs(m, &f->broad, &f->soup, &q->w->refined.vf, NULL, NULL, NULL))
        return 0;
    vf = q->w->refined.vf;
    for (begin = 0; begin < CTI_LEN(vf); begin = end) {
        for (end = begin; end < CTI_LEN(vf) && cti_refine_same(f, vf + begin, vf + end); end += 2)
            ;
        for (moment = 0, found = 0; moment <= CTI_REFINE_MOMENTS && !found; moment++)
            for (i = begin; i < end; i += 2)
                found |= cti_refine_pair(q, vf[i], vf[i + 1], moment);
    }
    return 1;
}

/* the same for planes and bodies */
static void cti_refine_planes(cti_refine *q)
{
    const cti_surface *f = &q->w->state.surface;
    int p, b, v, moment, found;
    for (p = 0; p < f->n_planes; p++)
        for (b = 0; b < f->n_bodies; b++)
            for (moment = 0, found = 0; moment <= CTI_REFINE_MOMENTS && !found && cti_surface_meets(f, p, b); moment++)
                for (v = f->ranges[b].v0; v < f->ranges[b].v1; v++)
                    if (cti_plane_gap(&f->planes[p], cti_refine_at(q, v, moment)) < q->reach)
                        found = q->points[v] = 1;
}

/* marks faces of the surface; arrays are in the world's arena. 0: out of memory */
static int cti_refine_find(cti_refine *q, ct_real dt)
{
    ct_world *w = q->w;
    const cti_surface *f = &w->state.surface;
    int b, i, k, ok;
    q->x1 = CTI_ARENA_NEW(&w->arena, ct_real, 3 * f->nv + 1);
    q->faces = CTI_ARENA_ZERO(&w->arena, uint8_t, f->nf + 1), q->points = CTI_ARENA_ZERO(&w->arena, uint8_t, f->nv + 1);
    if (!q->x1 || !q->faces || !q->points)
        return 0;
    for (b = 0; b < f->n_bodies; b++) {
        const cti_body *body = &w->bodies[w->surface_slot[b]];
        for (i = f->ranges[b].v0; i < f->ranges[b].v1; i++) {
            cti_v3 v = cti_body_velocity(w, body, body->surface_nodes[i - f->ranges[b].v0]);
            cti_v3_put(q->x1, i, cti_v3_mad(cti_v3_at(f->x0, i), v, dt));
        }
    }
    ok = cti_refine_pairs(q);
    cti_refine_planes(q);
    for (i = 0; i < f->nf; i++)
        for (k = 0; k < 3; k++)
            q->faces[i] |= q->points[f->faces[3 * (size_t)i + (size_t)k]];
    return ok;
}

/* ---- the body's tets ---- */

/* lists the user's tets, and which of them owns each triangle: these are in the order of the tets. 0: out of memory */
static int cti_refine_list(ct_world *w, cti_body *b)
{
    int n = b->model.tets.n, nt = CTI_LEN(b->triangles) / 3, i, k, t = 0;
    if (b->split.tets)
        return 1;
    if (!CTI_RESIZE(&w->mem, b->split.owner, nt) || !CTI_RESIZE(&w->mem, b->split.tets, 4 * n))
        return 0;
    for (i = 0; i < 4 * n; i++)
        b->split.tets[i] = b->model.tets.node[i] - b->block0;
    for (i = 0; i < n; i++)
        for (;; t++) {
            int common = 0;
            for (k = 0; k < 12 && t < nt; k++)
                common += b->triangles[3 * t + k / 4] == b->split.tets[4 * i + k % 4];
            if (common < 3)
                break;
            b->split.owner[t] = i;
        }
    return 1;
}

/* nodes that a pin, which has not ended, or a direction pin holds; held [n_blocks]. Returns their number */
static int cti_refine_held(const ct_world *w, const cti_body *b, uint8_t *held)
{
    const cti_scripts *c = &w->state.scripts;
    int i, n = 0;
    for (i = 0; i < CTI_LEN(c->pins); i++)
        if (c->pins[i].block >= b->block0 && c->pins[i].block < b->block0 + b->n_blocks && c->pins[i].axes &&
            !(c->pins[i].until >= 0 && w->state.step.time >= c->pins[i].until))
            held[c->pins[i].block - b->block0] = 1, n++;
    for (i = 0; i < CTI_LEN(c->directions); i++)
        if (c->directions[i].block >= b->block0 && c->directions[i].block < b->block0 + b->n_blocks)
            held[c->directions[i].block - b->block0] = 1, n++;
    return n;
}

static void cti_refine_free(cti_mem *m, cti_body *b)
{
    CTI_FREE(m, b->rest), CTI_FREE(m, b->triangles), CTI_FREE(m, b->order);
    CTI_FREE_SPAN(m, b->surface_nodes, b->node_surface);
    CTI_FREE_SPAN(m, b->split.edges, b->split.keys);
    CTI_FREE(m, b->split.parent);
    cti_topology_free(m, &b->topology);
    cti_model_free(m, &b->model);
}

/* model and surface of a body whose edges `next->split.edges` are split. 0: out of memory; -1: a piece is flat to rounding */
static int cti_refine_build(ct_world *w, const cti_body *b, cti_body *next)
{
    cti_mem *m = &w->mem;
    const int32_t *edges = next->split.edges, *triangles = cti_refine_triangles(b);
    int32_t *tets = NULL, *unused = NULL;
    int64_t bad;
    double value;
    cti_divide q;
    int n = CTI_LEN(edges) / 2, i, ok;
    memset(&q, 0, sizeof q);
    ok = CTI_RESIZE(m, next->rest, 3 * (b->n + n)) && cti_divide_open(m, &q, b->rest, b->n, edges, n);
    if (!ok)
        return 0;
    memcpy(next->rest, b->rest, sizeof(ct_real) * 3 * (size_t)b->n);
    for (i = 0; i < n; i++)
        cti_v3_put(next->rest, b->n + i, cti_v3_mul(cti_v3_add(cti_v3_at(b->rest, edges[2 * i]), cti_v3_at(b->rest, edges[2 * i + 1])), CTI_R(0.5)));
    ok = cti_divide_all(m, &q, 4, b->split.tets, CTI_LEN(b->split.tets) / 4, &tets, &unused) &&
         cti_divide_all(m, &q, 3, triangles, CTI_LEN(triangles) / 3, &next->triangles, &next->split.parent);
    next->split.keys = q.keys, q.keys = NULL;
    cti_divide_close(m, &q);
    if (ok) {
        const cti_rest_mesh rest = cti_rest_mesh_of(next->rest, b->n + n, tets, CTI_LEN(tets) / 4, b->block0);
        ok = cti_model_init_soft(m, &next->model, &b->material, &rest, &bad, &value);
        ok = ok > 0 ? cti_bodies_surface(w, next, 0) == CT_OK : ok;
    }
    CTI_FREE(m, tets), CTI_FREE(m, unused);
    return ok;
}

/* ---- the state ---- */

/* mass, centre, momentum, and angular momentum and inertia about `about` */
typedef struct cti_refine_motion {
    ct_real mass, inertia[9];
    cti_v3 center, momentum, spin;
} cti_refine_motion;

static void cti_refine_measure(const cti_state *s, int begin, int end, cti_v3 about, cti_refine_motion *out)
{
    int i, k;
    memset(out, 0, sizeof *out);
    for (i = begin; i < end; i++) {
        ct_real m = s->bodies.mass[i];
        cti_v3 r = cti_v3_sub(cti_v3_at(s->x, i), about), v = cti_v3_at(s->v, i);
        ct_real d[3];
        cti_v3_put(d, 0, r);
        out->mass += m, out->center = cti_v3_mad(out->center, r, m), out->momentum = cti_v3_mad(out->momentum, v, m);
        out->spin = cti_v3_mad(out->spin, cti_v3_cross(r, v), m);
        for (k = 0; k < 9; k++)
            out->inertia[k] += m * ((k % 4 == 0 ? cti_v3_norm2(r) : 0) - d[k / 3] * d[k % 3]);
    }
    out->center = cti_v3_mad(about, out->center, 1 / out->mass);
}

/* adds the rigid motion after which blocks [begin, end) have the momenta of `before`, which are about its centre */
static void cti_refine_restore(cti_state *s, int begin, int end, const cti_refine_motion *before)
{
    cti_refine_motion now, own;
    cti_v3 a, L, omega = cti_v3_zero();
    ct_real inverse[9];
    int i;
    cti_refine_measure(s, begin, end, before->center, &now);
    cti_refine_measure(s, begin, end, now.center, &own);
    a = cti_v3_mul(cti_v3_sub(before->momentum, now.momentum), 1 / now.mass);
    L = cti_v3_sub(cti_v3_sub(before->spin, now.spin), cti_v3_mul(cti_v3_cross(cti_v3_sub(now.center, before->center), a), now.mass));
    if (cti_m3_inverse(own.inertia, inverse))
        omega = cti_m3_mul_v(inverse, L);
    for (i = begin; i < end; i++)
        cti_v3_addto(s->v, i, cti_v3_add(a, cti_v3_cross(omega, cti_v3_sub(cti_v3_at(s->x, i), now.center))));
}

/* state of the nodes of a body whose last `add` nodes are new */
static void cti_refine_state(cti_state *s, const cti_body *b, int add)
{
    int begin = b->block0, end = b->block0 + b->n_blocks, i;
    for (i = end - add; i < end; i++) {
        const int32_t *ends = b->split.edges + 2 * (i - begin - b->n);
        int p = begin + ends[0], q = begin + ends[1];
        cti_v3_put(s->x, i, cti_v3_mul(cti_v3_add(cti_v3_at(s->x, p), cti_v3_at(s->x, q)), CTI_R(0.5)));
        cti_v3_put(s->v, i, cti_v3_mul(cti_v3_add(cti_v3_at(s->v, p), cti_v3_at(s->v, q)), CTI_R(0.5)));
        s->bodies.alpha[i] = s->bodies.alpha[p], s->history.dt_prev[i] = s->history.dt_prev[p];
    }
    for (i = begin; i < end; i++)
        s->bodies.mass[i] = 0;
    cti_model_mass(&b->model, s->bodies.mass);
    for (i = begin; i < end; i++)
        s->bodies.inv_mass[i] = s->bodies.mass[i] > 0 ? 1 / s->bodies.mass[i] : 0;
}

/* mesh and model of a body become those of `from` */
static void cti_refine_take(cti_body *b, const cti_body *from)
{
    b->n_blocks = from->n_blocks;
    b->rest = from->rest, b->triangles = from->triangles, b->surface_nodes = from->surface_nodes, b->node_surface = from->node_surface;
    b->topology = from->topology, b->model = from->model, b->order = from->order;
    b->split.edges = from->split.edges, b->split.keys = from->split.keys, b->split.parent = from->split.parent;
}

/* room for the body as it is now. 0: out of memory */
static int cti_refine_remember(ct_world *w, const cti_body *b, cti_refine_past *out)
{
    const cti_state *s = &w->state;
    size_t n = (size_t)b->n_blocks, at = (size_t)b->block0;
    memset(out, 0, sizeof *out);
    if (!CTI_RESIZE(&w->mem, out->nodes, 5 * n) || !CTI_RESERVE(&w->mem, w->refined.past, CTI_LEN(w->refined.past) + 1)) {
        CTI_FREE(&w->mem, out->nodes);
        return 0;
    }
    out->slot = (int)(b - w->bodies), out->body = *b;
    memcpy(out->nodes, s->v + 3 * at, sizeof(ct_real) * 3 * n);
    memcpy(out->nodes + 3 * n, s->bodies.mass + at, sizeof(ct_real) * n);
    memcpy(out->nodes + 4 * n, s->bodies.inv_mass + at, sizeof(ct_real) * n);
    return 1;
}

/* `next`, built by cti_refine_build, becomes the body's mesh; `past` has what it was */
static void cti_refine_commit(ct_world *w, cti_body *b, const cti_body *next, const cti_refine_past *past, int is_held)
{
    cti_state *s = &w->state;
    int add = next->n_blocks - b->n_blocks, end = b->block0 + b->n_blocks;
    cti_refine_motion before;
    cti_refine_measure(s, b->block0, end, cti_v3_zero(), &before);
    cti_refine_measure(s, b->block0, end, before.center, &before);
    w->refined.tets += next->model.tets.n - b->model.tets.n;
    CTI_PUSH(&w->mem, w->refined.past, *past);
    cti_blocks_shift(w, end, add);
    cti_refine_take(b, next);
    if (!b->split.triangles)
        b->split.triangles = past->body.triangles; /* the list that the user has */
    cti_refine_state(s, b, add);
    if (!is_held)
        cti_refine_restore(s, b->block0, b->block0 + b->n_blocks, &before);
}

/* the body as it was: the last one of the past */
static void cti_refine_take_back(ct_world *w, const cti_refine_past *p)
{
    cti_state *s = &w->state;
    cti_body *b = &w->bodies[p->slot], now = *b;
    size_t n = (size_t)p->body.n_blocks, at = (size_t)b->block0;
    cti_blocks_shift(w, b->block0 + p->body.n_blocks, p->body.n_blocks - b->n_blocks);
    cti_refine_take(b, &p->body);
    b->split.triangles = p->body.split.triangles;
    memcpy(s->v + 3 * at, p->nodes, sizeof(ct_real) * 3 * n);
    memcpy(s->bodies.mass + at, p->nodes + 3 * n, sizeof(ct_real) * n);
    memcpy(s->bodies.inv_mass + at, p->nodes + 4 * n, sizeof(ct_real) * n);
    cti_refine_free(&w->mem, &now);
}

static void cti_refine_close(ct_world *w, int done)
{
    int i, n = CTI_LEN(w->refined.past);
    for (i = n - 1; i >= 0; i--) { /* the last one first: its blocks were added last */
        cti_refine_past *p = &w->refined.past[i];
        if (!done)
            cti_refine_take_back(w, p);
        else {
            if (!p->body.split.triangles)
                p->body.triangles = NULL; /* the user has it */
            cti_refine_free(&w->mem, &p->body);
        }
        CTI_FREE(&w->mem, p->nodes);
    }
    CTI_CLEAR(w->refined.past);
    w->refined.tets = 0, w->refined.work = 0;
    if (n > 0 && !done) {
        cti_world_unprepare(w);
        w->contacts_ready = 1; /* the list that was kept before */
    }
}

/* makes the refined mesh of a body, of which some tets that are marked have edges to be split. 1: done; 0: a piece is flat; -1: out of memory */
static int cti_refine_split(cti_refine *q, cti_body *b, const uint8_t *marks, const uint8_t *held, int pinned)
{
    ct_world *w = q->w;
    cti_body next;
    cti_refine_past past;
    int old = CTI_LEN(b->split.edges), ok;
    memset(&next, 0, sizeof next);
    memset(&past, 0, sizeof past);
    next.kind = b->kind, next.n = b->n, next.block0 = b->block0;
    ok = CTI_RESIZE(&w->mem, next.split.edges, old);
    if (ok && old)
        memcpy(next.split.edges, b->split.edges, sizeof *b->split.edges * (size_t)old);
    ok = ok && cti_divide_edges(&w->mem, b->split.tets, CTI_LEN(b->split.tets) / 4, marks, held, &next.split.edges);
    if (ok)
        ok = cti_refine_build(w, b, &next);
    next.n_blocks = b->n_blocks + (CTI_LEN(next.split.edges) - old) / 2;
    if (ok > 0)
        ok = cti_blocks_resize(&w->state, CTI_BLOCKS_OF_STEPS, w->state.n + next.n_blocks - b->n_blocks) && cti_refine_remember(w, b, &past);
    if (ok <= 0) { /* a body with a piece that is flat stays as it is */
        cti_refine_free(&w->mem, &next);
        return ok ? 0 : -1;
    }
    if (CTI_LEN(w->refined.past) == 0)
        q->before = cti_explicit_energy(&w->state, NULL);
    cti_refine_commit(w, b, &next, &past, pinned > 0);
    return 1;
}

/* splits the tets of surface body k that own marked faces. 1: some; 0: none; -1: out of memory */
static int cti_refine_body(cti_refine *q, int k)
{
    ct_world *w = q->w;
    cti_body *b = &w->bodies[w->surface_slot[k]];
    const cti_soup_body *range = &w->state.surface.ranges[k];
    uint8_t *marks = CTI_ARENA_ZERO(&w->arena, uint8_t, b->model.tets.n + 1), *held = CTI_ARENA_ZERO(&w->arena, uint8_t, b->n_blocks + 1);
    int i, pinned;
    if (!marks || !held || !cti_refine_list(w, b))
        return -1;
    for (i = range->f0; i < range->f1; i++)
        if (q->faces[i])
            marks[b->split.owner[b->split.parent ? b->split.parent[i - range->f0] : i - range->f0]] = 1;
    pinned = cti_refine_held(w, b, held);
    if (!cti_divide_wants(b->split.tets, CTI_LEN(b->split.tets) / 4, marks, held, b->split.keys, CTI_LEN(b->split.keys)))
        return 0;
    return cti_refine_split(q, b, marks, held, pinned);
}

static ct_code cti_refine_open(ct_world *w, ct_real dt)
{
    cti_state *s = &w->state;
    cti_refine q;
    int k, done = 0;
    memset(&q, 0, sizeof q);
    q.w = w, q.reach = CTI_REFINE_REACH * cti_refine_edge(w);
    if (!(q.reach > 0))
        return CT_OK;
    cti_arena_reset(&w->arena);
    if (cti_world_keep_contacts(w) != CT_OK || !cti_refine_find(&q, dt)) /* contacts refer to the surface as it is */
        return CT_ERR_MEMORY;
    for (k = 0; k < s->surface.n_bodies && done >= 0; k++)
        if (cti_refine_admits(&w->bodies[w->surface_slot[k]]))
            done = cti_refine_body(&q, k);
    if (done < 0)
        return CT_ERR_MEMORY;
    if (w->refined.tets == 0)
        return CT_OK;
    cti_world_unprepare(w);
    if (cti_world_prepare(w) != CT_OK)
        return CT_ERR_MEMORY;
    w->refined.work = cti_explicit_energy(s, NULL) - q.before;
    return CT_OK;
}
#endif

CTI_FN const cti_remesher *cti_refine_remesher(const ct_world_desc *d)
{
#if CONTACT_WITH_EXPLICIT
    static const cti_remesher remesher = {cti_refine_open, cti_refine_close};
    return d->stepper == CT_STEPPER_EXPLICIT && d->rk.refine == CT_REFINE_ELEMENTS ? &remesher : NULL;
#else
    CTI_UNUSED(d);
    return NULL;
#endif
}
