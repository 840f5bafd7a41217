/* draw.c -- draws a world by the caller's functions, to look at what it does. Nothing of its state is changed. */
#include "world.h"
#include "../0_base/sets.h"
#include "../8_step/joints.h"

/* colours by kind, in the order of cti_body_kind, and of what is no body */
static const uint32_t cti_draw_kinds[] = {0, 0x5f9e6e, 0x8a7fc0, 0x8c8c8c, 0x5a5a5a, 0xc9a24b, 0x4f8fc0, 0xb0654f, 0xc8b88a};
enum { CTI_DRAW_STICKS = 0x20c020, CTI_DRAW_SLIDES = 0xe07020, CTI_DRAW_JOINT = 0x40c0e0, CTI_DRAW_LIMIT = 0xff0000, CTI_DRAW_BOX = 0x909090 };

typedef struct cti_draw {
    const ct_draw *d;
    const ct_world *w;
    int32_t *islands; /* [slots] sets of bodies that contacts and joints connect */
    cti_box all;      /* around all bodies but planes */
} cti_draw;

static void cti_draw_line(const cti_draw *q, cti_v3 a, cti_v3 b, uint32_t color)
{
    ct_real x[6];
    cti_v3_put(x, 0, a), cti_v3_put(x, 1, b);
    if (q->d->line)
        q->d->line(x, x + 3, color, q->d->user);
}

static void cti_draw_triangle(const cti_draw *q, cti_v3 a, cti_v3 b, cti_v3 c, uint32_t color)
{
    ct_real x[9];
    cti_v3_put(x, 0, a), cti_v3_put(x, 1, b), cti_v3_put(x, 2, c);
    if (q->d->triangle)
        q->d->triangle(x, x + 3, x + 6, color, q->d->user);
}

static void cti_draw_point(const cti_draw *q, cti_v3 p, ct_real radius, uint32_t color)
{
    ct_real x[3];
    cti_v3_put(x, 0, p);
    if (q->d->point)
        q->d->point(x, radius, color, q->d->user);
}

static cti_v3 cti_draw_vertex(const cti_draw *q, const cti_body *b, int i)
{
    const ct_real *x = cti_body_stored(q->w, b);
    return x ? cti_v3_at(x, i) : cti_body_point(q->w, b, i);
}

/* a colour by kind, or by island: its number, scattered */
static uint32_t cti_draw_color(const cti_draw *q, int slot)
{
    const cti_body *b = &q->w->bodies[slot];
    if (!q->islands || cti_body_is_scripted(b))
        return cti_draw_kinds[b->kind];
    return 0x404040u | ((uint32_t)cti_sets_root(q->islands, slot) + 1) * 0x9e3779b1u >> 8;
}

/* the edges of a box */
static void cti_draw_box(const cti_draw *q, const cti_box *box)
{
    int i, k;
    for (i = 0; i < 8; i++)
        for (k = 0; k < 3; k++) {
            cti_v3 a = cti_v3_make(i & 1 ? box->hi.x : box->lo.x, i & 2 ? box->hi.y : box->lo.y, i & 4 ? box->hi.z : box->lo.z), b = a;
            if (k == 0)
                b.x = box->hi.x;
            else if (k == 1)
                b.y = box->hi.y;
            else
                b.z = box->hi.z;
            if (!(i >> k & 1))
                cti_draw_line(q, a, b, CTI_DRAW_BOX);
        }
}

static void cti_draw_body(cti_draw *q, int slot)
{
    const cti_body *b = &q->w->bodies[slot];
    const int32_t *t = b->split.triangles ? b->split.triangles : b->triangles, *s = b->segments;
    cti_box box = cti_box_empty();
    uint32_t color = cti_draw_color(q, slot);
    int i;
    for (i = 0; i < b->n; i++)
        cti_box_add(&box, cti_draw_vertex(q, b, i));
    cti_box_add(&q->all, box.lo), cti_box_add(&q->all, box.hi);
    for (i = 0; q->d->surfaces && i < CTI_LEN(t) / 3; i++)
        cti_draw_triangle(q, cti_draw_vertex(q, b, t[3 * i]), cti_draw_vertex(q, b, t[3 * i + 1]), cti_draw_vertex(q, b, t[3 * i + 2]), color);
    for (i = 0; q->d->surfaces && i < CTI_LEN(s) / 2; i++)
        cti_draw_line(q, cti_draw_vertex(q, b, s[2 * i]), cti_draw_vertex(q, b, s[2 * i + 1]), color);
    for (i = 0; q->d->surfaces && !t && !s && i < b->n; i++)
        cti_draw_point(q, cti_draw_vertex(q, b, i), b->thickness / 2, color);
    if (q->d->boxes)
        cti_draw_box(q, &box);
}

/* the part of a plane that is below all other bodies, and as large as their box is long */
static void cti_draw_plane(const cti_draw *q, int slot)
{
    const cti_body *b = &q->w->bodies[slot];
    cti_v3 n = cti_v3_at(b->plane_normal, 0), c = cti_v3_zero(), u, v, x[4];
    ct_real half = 1;
    int i;
    if (q->all.lo.x <= q->all.hi.x) {
        c = cti_v3_mul(cti_v3_add(q->all.lo, q->all.hi), CTI_R(0.5));
        half = cti_v3_norm(cti_v3_sub(q->all.hi, q->all.lo));
    }
    c = cti_v3_mad(c, n, b->plane_offset - cti_v3_dot(n, c));
    cti_v3_tangents(n, &u, &v);
    for (i = 0; i < 4; i++)
        x[i] = cti_v3_mad(cti_v3_mad(c, u, i == 1 || i == 2 ? half : -half), v, i >= 2 ? half : -half);
    cti_draw_triangle(q, x[0], x[1], x[2], cti_draw_kinds[CTI_BODY_PLANE]);
    cti_draw_triangle(q, x[0], x[2], x[3], cti_draw_kinds[CTI_BODY_PLANE]);
}

static void cti_draw_contact(const cti_draw *q, const ct_contact *c)
{
    uint32_t color = c->sticking ? CTI_DRAW_STICKS : CTI_DRAW_SLIDES;
    cti_v3 p = cti_v3_at(c->point, 0), r = cti_v3_mul(cti_v3_at(c->normal, 0), c->impulse_normal);
    r = cti_v3_mad(cti_v3_mad(r, cti_v3_at(c->tangent[0], 0), c->impulse_tangent[0]), cti_v3_at(c->tangent[1], 0), c->impulse_tangent[1]);
    cti_draw_point(q, p, 0, color);
    cti_draw_line(q, p, cti_v3_mad(p, r, q->d->impulse_scale), color);
}

/* the pair that limited the last step: from every vertex of one feature to every one of the other, and along each */
static void cti_draw_limit(const cti_draw *q)
{
    const cti_pair *p = &q->w->state.step.limit;
    int i, j;
    for (i = 0; i < p->n; i++) {
        cti_draw_point(q, cti_v3_at(q->w->state.surface.x0, p->v[i]), 0, CTI_DRAW_LIMIT);
        for (j = 0; j < i; j++)
            cti_draw_line(q, cti_v3_at(q->w->state.surface.x0, p->v[j]), cti_v3_at(q->w->state.surface.x0, p->v[i]), CTI_DRAW_LIMIT);
    }
}

/* sets of bodies that move and that contacts or joints connect. 0: out of memory */
static int cti_draw_islands(cti_draw *q, ct_world *w)
{
    int i;
    if (!q->d->islands)
        return 1;
    if (!CTI_RESIZE(&w->mem, q->islands, CTI_LEN(w->bodies)))
        return 0;
    cti_sets_init(q->islands, CTI_LEN(w->bodies));
    for (i = 0; i < CTI_LEN(w->contacts); i++) {
        int a = (int)w->contacts[i].body_a.index1 - 1, b = (int)w->contacts[i].body_b.index1 - 1;
        if (!cti_body_is_scripted(&w->bodies[a]) && !cti_body_is_scripted(&w->bodies[b]))
            cti_sets_join(q->islands, a, b);
    }
    for (i = 0; i < CTI_LEN(w->joints); i++) {
        const int *slot = w->joints[i].slot;
        if (cti_joint_acts(&w->joints[i]) && slot[0] >= 0 && slot[1] >= 0 && !cti_body_is_scripted(&w->bodies[slot[0]]) &&
            !cti_body_is_scripted(&w->bodies[slot[1]]))
            cti_sets_join(q->islands, slot[0], slot[1]);
    }
    return 1;
}

static void cti_draw_all(cti_draw *q, ct_world *w)
{
    const cti_state *s = &w->state;
    int i;
    q->all = cti_box_empty();
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE && w->bodies[i].kind != CTI_BODY_PLANE)
            cti_draw_body(q, i);
    for (i = 0; q->d->surfaces && i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind == CTI_BODY_PLANE)
            cti_draw_plane(q, i);
    for (i = 0; q->d->contacts && i < CTI_LEN(w->contacts); i++)
        cti_draw_contact(q, &w->contacts[i]);
    for (i = 0; q->d->joints && i < CTI_JOINTS(s); i++) {
        const cti_joint *j = &s->bodies.joints[i];
        cti_v3 a = cti_joints_place(s, &j->a, 0, s->step.time, NULL), b = cti_joints_place(s, &j->b, 0, s->step.time, NULL);
        cti_draw_point(q, a, 0, CTI_DRAW_JOINT), cti_draw_point(q, b, 0, CTI_DRAW_JOINT);
        cti_draw_line(q, a, b, CTI_DRAW_JOINT);
    }
    if (q->d->limit)
        cti_draw_limit(q);
}

static ct_code cti_draw_world(ct_world *w, const ct_draw *d)
{
    cti_draw q;
    ct_code code = cti_bodies_open(w, d ? &d->cookie : NULL, "desc was not made by ct_draw_default");
    if (code == CT_OK && !cti_finite(d->impulse_scale))
        code = cti_world_refuse(w, CT_ERR_ARGUMENT, -1, (double)d->impulse_scale, "impulse_scale must be finite");
    CTI_THEN(code, cti_world_prepare(w));
    CTI_THEN(code, cti_world_keep_contacts(w));
    if (code != CT_OK)
        return code;
    memset(&q, 0, sizeof q);
    q.d = d, q.w = w;
    w->busy = 1;
    if (cti_draw_islands(&q, w))
        cti_draw_all(&q, w);
    else
        code = cti_world_refuse(w, CT_ERR_MEMORY, -1, 0, "out of memory while drawing islands");
    w->busy = 0;
    CTI_FREE(&w->mem, q.islands);
    w->mem.failed = 0;
    return code;
}

CONTACT_API_DEF ct_draw ct_draw_default(void)
{
    ct_draw d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.surfaces = d.contacts = d.joints = d.limit = 1;
    d.impulse_scale = 1;
    return d;
}

CONTACT_API_DEF ct_code ct_world_draw(ct_world *w, const ct_draw *d)
{
    CTI_FPENV_RETURN(cti_draw_world(w, d))
}
