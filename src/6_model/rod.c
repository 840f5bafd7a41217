/* rod.c -- bending and twist of rods.
   Between segments with tangents t0, t1 and directors d_k, c_k = t_k x d_k, the curvature vector is kb = 2 t0 x t1 / (1 + t0 . t1), of length
   2 tan(angle / 2). In either frame k its parts are q1 = kb . c_k and q2 = -kb . d_k; the twist m is the angle about t1 from P d0 to d1, where P
   transports from t0 to t1. E = 1/2 sum_k (B1 (q1 - q1')^2 + B2 (q2 - q2')^2) / (2 l) + C (m - m')^2 / (2 l), l half the length of both segments.
   Gradients: a frame turns by t x dt + phi t, phi = c . (dp - (p . t) dt) / r for a node at p from the segment's middle and at r from its line.
       d(kb . a) = dt0 . (2 t1 x a - q t1) / X + dt1 . (2 a x t0 - q t0) / X,  X = 1 + t0 . t1,  and kb . (w_k x a) for the turn w_k of frame k
       dm = phi1 - phi0 + kb . (dt0 + dt1) / 2
   differs: near a closed fold |kb| continues along its tangent line over the angle, h(a), in kb's own direction u, the unit of t0 x t1. There
       d(kb . a) = h' da (u . a) + h / sin a (dt0 . (t1 x z) + dt1 . (z x t0)), z = a - (u . a) u, da = dt1 . (u x t1) - dt0 . (u x t0)
   based on: Bergou, Wardetzky, Robinson, Audoly, Grinspun, Discrete elastic rods, 2008 (energies, curvature vector); Bergou, Audoly, Vouga,
   Wardetzky, Grinspun, Discrete viscous threads, 2010 (gradient of the twist); Umetani, Schmidt, Stam, Position-based elastic rods, 2014 (a
   point that carries the frame). differs: the point has no weight and no bending energy of its own, see rod.h. */
#include "rod.h"
#include "../1_math/elem.h"
#include "../1_math/vec.h"

/* [1] 1 + cos below which |kb| continues along its tangent line: a fold within 3.6 degrees of closed, where tan grows without bound. There |kb|
   is 63.2 and grows by 1000 a radian, to 126.5 in a closed fold: four times the energy. Half and double give twice the energy and half of it */
#define CTI_ROD_FOLD CTI_R(2e-3)
/* [1] least sine that the turn of a fold's plane is divided by. A closed fold has no plane, so that turning it would have infinite stiffness; with
   this one it is 4e5 times that of the fold's opening. Nearer than that, 0.006 degrees, the force across the plane is less than the energy's:
   with double test_rod finds that at 179.99 degrees, half passes, too, and makes that stiffness twice as large */
#define CTI_ROD_FOLD_SINE CTI_R(1e-4)
/* [s^2] 16 roundings of a step of 10 ms. In float rods of 4 to 20 segments (E 1e7, 2 cm thick) lie still on a slope with it, and with half and
   double */
#define CTI_ROD_SPIN CTI_R(16e-4)
#define CTI_ROD_STRAIGHT CTI_R(0.8660254) /* [cosine] 30 degrees */

/* ---- strands ---- */

/* partner [2 ns]: 2 segment + end that end k of a segment continues in, or -1 */
typedef struct cti_rod_graph {
    const ct_real *X;
    const int32_t *segments;
    int *start;         /* [n_nodes + 2] */
    int32_t *around;    /* [2 ns] 2 segment + end at each node, ascending */
    int32_t *partner;
} cti_rod_graph;

/* unit direction away from the node at which a segment has its end k */
static cti_v3 cti_rod_leaves(const cti_rod_graph *g, int32_t at)
{
    const int32_t *s = g->segments + 2 * (size_t)(at / 2);
    return cti_v3_unit(cti_v3_sub(cti_v3_at(g->X, s[1 - at % 2]), cti_v3_at(g->X, s[at % 2])), cti_v3_zero());
}

/* the end that continues end i of list [n] best, within 30 degrees: its place, or -1 */
static int cti_rod_best(const cti_rod_graph *g, const int32_t *list, int n, int i)
{
    cti_v3 in = cti_v3_mul(cti_rod_leaves(g, list[i]), -1);
    ct_real most = CTI_ROD_STRAIGHT;
    int k, found = -1;
    for (k = 0; k < n; k++) {
        ct_real cosine = k == i ? -1 : cti_v3_dot(in, cti_rod_leaves(g, list[k]));
        if (cosine > most)
            most = cosine, found = k;
    }
    return found;
}

static void cti_rod_pair(cti_rod_graph *g, int n_nodes)
{
    int v, i, k;
    for (v = 0; v < n_nodes; v++) {
        const int32_t *list = g->around + g->start[v];
        int n = g->start[v + 1] - g->start[v];
        for (i = 0; i < n; i++) {
            k = n == 2 ? 1 - i : cti_rod_best(g, list, n, i);
            if (k >= 0 && (n == 2 || cti_rod_best(g, list, n, k) == i))
                g->partner[list[i]] = list[k];
        }
    }
}

/* segment ends at each node. 0: out of memory */
static int cti_rod_around(cti_mem *mem, cti_rod_graph *g, int n_nodes, int ns)
{
    int i;
    if (!CTI_ZEROS(mem, g->start, (size_t)n_nodes + 2) || !CTI_RESIZE(mem, g->around, 2 * (size_t)ns) ||
        !CTI_RESIZE(mem, g->partner, 2 * (size_t)ns))
        return 0;
    for (i = 0; i < 2 * ns; i++)
        g->start[g->segments[i] + 2]++, g->partner[i] = -1;
    for (i = 2; i < n_nodes + 2; i++)
        g->start[i] += g->start[i - 1];
    for (i = 0; i < 2 * ns; i++)
        g->around[g->start[g->segments[i] + 1]++] = i;
    return 1;
}

/* where the strand of segment s begins: 2 segment + the end at which it is entered */
static int cti_rod_begin(const cti_rod_graph *g, int s)
{
    int at = 2 * s, back;
    while ((back = g->partner[at]) >= 0 && back / 2 != s)
        at = back ^ 1;
    return at;
}

CTI_FN int cti_rod_strands(cti_mem *mem, const ct_real *X, int n_nodes, const int32_t *segments, int ns, int32_t **out_segments,
                           int32_t **out_joints)
{
    cti_rod_graph g;
    uint8_t *seen = NULL;
    int s, at, ok;
    memset(&g, 0, sizeof g);
    g.X = X, g.segments = segments;
    CTI_CLEAR(*out_joints);
    ok = cti_rod_around(mem, &g, n_nodes, ns) && CTI_RESIZE(mem, seen, ns) && CTI_RESIZE(mem, *out_segments, 2 * (size_t)ns);
    if (ok)
        memset(seen, 0, (size_t)ns), cti_rod_pair(&g, n_nodes);
    for (s = 0; ok && s < ns; s++)
        for (at = seen[s] ? -1 : cti_rod_begin(&g, s); ok && at >= 0 && !seen[at / 2]; at = g.partner[at ^ 1]) {
            int t = at / 2;
            seen[t] = 1;
            (*out_segments)[2 * t] = segments[at], (*out_segments)[2 * t + 1] = segments[at ^ 1];
            if (g.partner[at ^ 1] >= 0)
                ok = CTI_PUSH(mem, *out_joints, t) && CTI_PUSH(mem, *out_joints, g.partner[at ^ 1] / 2);
        }
    CTI_FREE(mem, g.start);
    CTI_FREE(mem, g.around);
    CTI_FREE(mem, g.partner);
    CTI_FREE(mem, seen);
    return ok;
}

/* ---- frames ---- */

/* a segment: tangent, directors, length, the frame node's distance from its line and place along it */
typedef struct cti_rod_frame {
    cti_v3 t, d, c;
    ct_real l, r, along;
} cti_rod_frame;

static cti_rod_frame cti_rod_frame_at(const ct_real *x, int a, int b, int g)
{
    cti_rod_frame f;
    cti_v3 e = cti_v3_sub(cti_v3_at(x, b), cti_v3_at(x, a)), p = cti_v3_mad(cti_v3_sub(cti_v3_at(x, g), cti_v3_at(x, a)), e, CTI_R(-0.5)), u;
    f.l = cti_max(cti_v3_norm(e), CTI_R(1e-30));
    f.t = cti_v3_mul(e, 1 / f.l);
    f.along = cti_v3_dot(p, f.t);
    u = cti_v3_mad(p, f.t, -f.along);
    f.r = cti_max(cti_v3_norm(u), CTI_R(1e-30));
    f.d = cti_v3_mul(u, 1 / f.r);
    f.c = cti_v3_cross(f.t, f.d);
    return f;
}

/* v, perpendicular to t0, transported from t0 to t1: the least rotation that takes one to the other */
static cti_v3 cti_rod_transport(cti_v3 t0, cti_v3 t1, cti_v3 v)
{
    cti_v3 w = cti_v3_cross(t0, t1), u = w;
    ct_real cosine = cti_v3_dot(t0, t1), s = 1 / cti_max(1 + cosine, CTI_ROD_FOLD);
    if (1 + cosine < CTI_ROD_FOLD)
        u = cti_v3_unit(w, cti_v3_unit(cti_v3_cross(t0, v), cti_v3_zero())), s = 1 - cosine;
    return cti_v3_add(cti_v3_mad(cti_v3_mul(v, cosine), u, cti_v3_dot(u, v) * s), cti_v3_cross(w, v));
}

/* v's part perpendicular to t; 0 where it is less than 1e-3 of v, which a direction of three written digits may be by accident */
static cti_v3 cti_rod_across(cti_v3 t, cti_v3 v)
{
    cti_v3 u = cti_v3_mad(v, t, -cti_v3_dot(v, t));
    return cti_v3_norm2(u) > CTI_R(1e-6) * cti_v3_norm2(v) ? u : cti_v3_zero();
}

/* a unit vector perpendicular to t, next to v; next to an axis where v is 0 */
static cti_v3 cti_rod_director(cti_v3 t, cti_v3 v)
{
    cti_v3 u = cti_rod_across(t, v), b;
    if (cti_v3_norm2(u) > 0)
        return cti_v3_unit(u, cti_v3_zero());
    cti_v3_tangents(t, &u, &b);
    return u;
}

static cti_v3 cti_rod_tangent(const ct_real *X, const int32_t *s)
{
    return cti_v3_unit(cti_v3_sub(cti_v3_at(X, s[1]), cti_v3_at(X, s[0])), cti_v3_zero());
}

CTI_FN void cti_rod_frames(const cti_rod_law *law, const ct_real *X, const int32_t *segments, int ns, const int32_t *joints, int nj, ct_real *out)
{
    cti_v3 want = cti_v3_at(law->direction, 0);
    int i;
    for (i = 0; i < ns; i++)
        cti_v3_put(out, i, cti_rod_director(cti_rod_tangent(X, segments + 2 * (size_t)i), want));
    /* joints are in the order of their strands; the one that closes a strand turns its first frame, and what twist is left there is at rest */
    for (i = 0; i < nj && !(cti_v3_norm2(want) > 0); i++) {
        const int32_t *q = joints + 2 * (size_t)i;
        cti_v3 t0 = cti_rod_tangent(X, segments + 2 * (size_t)q[0]), t1 = cti_rod_tangent(X, segments + 2 * (size_t)q[1]);
        cti_v3_put(out, q[1], cti_rod_director(t1, cti_rod_transport(t0, t1, cti_v3_at(out, q[0]))));
    }
    for (i = 0; i < ns; i++) {
        const int32_t *s = segments + 2 * (size_t)i;
        cti_v3 e = cti_v3_sub(cti_v3_at(X, s[1]), cti_v3_at(X, s[0]));
        cti_v3_put(out, i, cti_v3_mad(cti_v3_mad(cti_v3_at(X, s[0]), e, CTI_R(0.5)), cti_v3_at(out, i), cti_v3_norm(e)));
    }
}

/* A millionth of the segment's mass (in float a hundred-thousandth), and what resolves a spin of the whole rod beside the stiffness C of its
   twist: inertia m l^2 against C t^2 / l, t a step. Without it the matrix is singular to rounding in float, frames chatter, and a rod creeps
   on a slope (test_rod_contact). The weight of this mass twists the rod by an angle that C does not change. At most a hundredth of the
   segment's mass: a rod has that much inertia of its own if its radius is a seventh of l */
CTI_FN ct_real cti_rod_frame_mass(const cti_rod_law *law, ct_real l)
{
    ct_real m = law->line_density * l, resolved = CTI_ROD_SPIN * CTI_EPS * law->torsion / (l * l * l);
    return cti_min((ct_real)(CONTACT_REAL == 32 ? 1e-5 : 1e-6) * m + resolved, CTI_R(1e-2) * m);
}

static ct_real cti_rod_length(const cti_rod_desc *d, int i)
{
    const int32_t *s = d->segments + 2 * (size_t)i;
    return cti_v3_norm(cti_v3_sub(cti_v3_at(d->X, s[1]), cti_v3_at(d->X, s[0])));
}

CTI_FN ct_real cti_rod_joint_length(const cti_rod_desc *d, int j)
{
    return (cti_rod_length(d, d->joints[2 * j]) + cti_rod_length(d, d->joints[2 * j + 1])) / 2;
}

CTI_FN int cti_rod_along(const cti_rod_desc *d)
{
    cti_v3 want = cti_v3_at(d->law->direction, 0);
    int i;
    for (i = 0; i < d->n_segments && cti_v3_norm2(want) > 0; i++)
        if (!(cti_v3_norm2(cti_rod_across(cti_rod_tangent(d->X, d->segments + 2 * (size_t)i), want)) > 0))
            return i;
    return -1;
}

/* ---- measures and their gradients ---- */

/* what a measure changes by: sum over the two segments of T . dt + P . dp */
typedef struct cti_rod_slope {
    cti_v3 T[2], P[2];
} cti_rod_slope;

/* adds s phi of frame f, the turn about its tangent */
static void cti_rod_spin(const cti_rod_frame *f, ct_real s, int k, cti_rod_slope *out)
{
    out->P[k] = cti_v3_mad(out->P[k], f->c, s / f->r);
    out->T[k] = cti_v3_mad(out->T[k], f->c, -s * f->along / f->r);
}

/* a joint's curvature vector kb, and what its gradient is made from */
typedef struct cti_rod_turn {
    cti_v3 kb, u;      /* u: kb's direction where the joint is a fold */
    ct_real X, sine;   /* 1 + t0 . t1; |t0 x t1|, at least what is divided by */
    int is_fold;
} cti_rod_turn;

static cti_rod_turn cti_rod_turn_of(const cti_rod_frame f[2])
{
    cti_rod_turn c;
    cti_v3 w = cti_v3_cross(f[0].t, f[1].t);
    ct_real cosine = cti_v3_dot(f[0].t, f[1].t), sine, beyond;
    c.X = 1 + cosine, c.sine = 1, c.u = cti_v3_zero(), c.is_fold = c.X < CTI_ROD_FOLD;
    c.kb = cti_v3_mul(w, 2 / cti_max(c.X, CTI_ROD_FOLD));
    if (c.is_fold) {
        /* exactly closed, it is one across the first frame */
        c.u = cti_v3_unit(w, f[0].c);
        sine = cti_sqrt(CTI_ROD_FOLD * (2 - CTI_ROD_FOLD)); /* where the tangent line begins */
        beyond = cti_atan2(cti_v3_norm(w), cosine) - cti_atan2(sine, CTI_ROD_FOLD - 1);
        c.kb = cti_v3_mul(c.u, 2 / CTI_ROD_FOLD * (sine + beyond));
        c.sine = cti_max(cti_v3_norm(w), CTI_ROD_FOLD_SINE);
    }
    return c;
}

/* the gradient of kb . a, a at rest */
static void cti_rod_curve_slope(const cti_rod_frame f[2], const cti_rod_turn *c, cti_v3 a, cti_v3 T[2])
{
    ct_real q = cti_v3_dot(c->kb, a), along = cti_v3_dot(c->u, a), s;
    cti_v3 z = cti_v3_mad(a, c->u, -along);
    if (!c->is_fold) {
        T[0] = cti_v3_mul(cti_v3_mad(cti_v3_mul(cti_v3_cross(f[1].t, a), 2), f[1].t, -q), 1 / c->X);
        T[1] = cti_v3_mul(cti_v3_mad(cti_v3_mul(cti_v3_cross(a, f[0].t), 2), f[0].t, -q), 1 / c->X);
        return;
    }
    s = cti_v3_dot(c->kb, c->u) / c->sine, along *= 2 / CTI_ROD_FOLD;
    T[0] = cti_v3_mad(cti_v3_mul(cti_v3_cross(f[1].t, z), s), cti_v3_cross(c->u, f[0].t), -along);
    T[1] = cti_v3_mad(cti_v3_mul(cti_v3_cross(z, f[0].t), s), cti_v3_cross(c->u, f[1].t), along);
}

/* kb . a, a fixed in frame k */
static ct_real cti_rod_curve(const cti_rod_frame f[2], const cti_rod_turn *c, cti_v3 a, int k, cti_rod_slope *out)
{
    cti_v3 w = cti_v3_cross(a, c->kb);
    memset(out, 0, sizeof *out);
    cti_rod_curve_slope(f, c, a, out->T);
    out->T[k] = cti_v3_add(out->T[k], cti_v3_cross(w, f[k].t));
    cti_rod_spin(&f[k], cti_v3_dot(f[k].t, w), k, out);
    return cti_v3_dot(c->kb, a);
}

/* the five measures of a joint, and with slopes not NULL their gradients g [15] */
static void cti_rod_joint(const ct_real *x, const int32_t *node, cti_rod_frame f[2], ct_real q[CTI_ROD_MEASURES], cti_rod_slope *slopes)
{
    cti_rod_slope none, *s = slopes ? slopes : &none;
    cti_rod_turn c;
    cti_v3 u;
    int k, step = slopes != NULL;
    f[0] = cti_rod_frame_at(x, node[0], node[1], node[3]);
    f[1] = cti_rod_frame_at(x, node[1], node[2], node[4]);
    c = cti_rod_turn_of(f);
    for (k = 0; k < 2; k++) {
        q[2 * k] = cti_rod_curve(f, &c, f[k].c, k, s), s += step;
        q[2 * k + 1] = cti_rod_curve(f, &c, cti_v3_mul(f[k].d, -1), k, s), s += step;
    }
    u = cti_rod_transport(f[0].t, f[1].t, f[0].d);
    q[4] = cti_atan2(cti_v3_dot(cti_v3_cross(u, f[1].d), f[1].t), cti_v3_dot(u, f[1].d));
    memset(s, 0, sizeof *s);
    /* transport turns by 2 tan(angle / 2), in a fold too: tan(angle / 2) = (1 - cos) / sin */
    s->T[0] = s->T[1] = c.is_fold ? cti_v3_mul(c.u, (2 - c.X) / c.sine) : cti_v3_mul(c.kb, CTI_R(0.5));
    cti_rod_spin(&f[0], -1, 0, s);
    cti_rod_spin(&f[1], 1, 1, s);
}

/* adds a slope's part of segment k to the gradients of its begin, end and frame */
static void cti_rod_spread(const cti_rod_frame *f, cti_v3 T, cti_v3 P, ct_real *begin, ct_real *end, ct_real *frame)
{
    cti_v3 V = cti_v3_mul(cti_v3_mad(T, f->t, -cti_v3_dot(T, f->t)), 1 / f->l), half = cti_v3_mul(P, CTI_R(-0.5));
    cti_v3_addto(begin, 0, cti_v3_sub(half, V));
    cti_v3_addto(end, 0, cti_v3_add(half, V));
    cti_v3_addto(frame, 0, P);
}

/* the slope as a gradient g [15] */
static void cti_rod_gradient(const cti_rod_frame f[2], const cti_rod_slope *s, ct_real *g)
{
    memset(g, 0, sizeof *g * 15);
    cti_rod_spread(&f[0], s->T[0], s->P[0], g, g + 3, g + 9);
    cti_rod_spread(&f[1], s->T[1], s->P[1], g + 3, g + 6, g + 12);
}

CTI_FN ct_real cti_rod_measures(const ct_real *x, const int32_t *node, ct_real q[CTI_ROD_MEASURES])
{
    cti_rod_frame f[2];
    cti_rod_joint(x, node, f, q, NULL);
    return (f[0].l + f[1].l) / 2;
}

/* stiffness of measure k */
static ct_real cti_rod_stiff(const ct_real *rest, int k) { return rest[k == 4 ? 2 : k % 2]; }

/* an angle within (-3 pi, 3 pi) in (-pi, pi] */
static ct_real cti_rod_wrap(ct_real a)
{
    const ct_real pi = CTI_R(3.14159265358979324);
    return a > pi ? a - 2 * pi : (a <= -pi ? a + 2 * pi : a);
}

/* how far measure k is from rest; twist in (-pi, pi] */
static ct_real cti_rod_off(const ct_real *rest, const ct_real *q, int k)
{
    ct_real d = q[k] - rest[3 + k];
    return k == 4 ? cti_rod_wrap(d) : d;
}

/* the two measures that hold a frame: its place along the segment, its distance less the one at rest; g [2][9] their gradients */
static void cti_rod_held(const ct_real *x, const int32_t *node, ct_real distance, ct_real q[2], ct_real g[2][9])
{
    cti_rod_frame f = cti_rod_frame_at(x, node[0], node[1], node[2]);
    memset(g, 0, sizeof(ct_real) * 18);
    q[0] = f.along, q[1] = f.r - distance;
    cti_rod_spread(&f, cti_v3_mul(f.d, f.r), f.t, g[0], g[0] + 3, g[0] + 6);
    cti_rod_spread(&f, cti_v3_mul(f.d, -f.along), f.d, g[1], g[1] + 3, g[1] + 6);
}

/* ---- the batch ---- */

/* stiffness [N/m] that holds frames: that of twist at both joints, at the frame's lever, so that a frame's block of K is about isotropic */
static void cti_rod_hold(cti_rod_batch *t, const cti_rod_desc *d)
{
    int i;
    for (i = 0; i < t->n; i++) {
        ct_real l = cti_rod_length(d, i);
        t->hold[2 * i] = 2 * d->law->torsion / (l * l * l), t->hold[2 * i + 1] = l;
    }
}

static void cti_rod_rest(cti_rod_batch *t, const cti_rod_desc *d, int node_offset)
{
    const cti_rod_law *law = d->law;
    int32_t local[5];
    int j, k;
    for (j = 0; j < t->n_joints; j++) {
        ct_real *rest = t->rest + CTI_ROD_REST * (size_t)j, l;
        for (k = 0; k < 5; k++)
            local[k] = t->joint_node[5 * j + k] - node_offset;
        l = cti_rod_measures(d->X, local, rest + 3);
        rest[0] = law->bend[0] / (2 * l), rest[1] = law->bend[1] / (2 * l), rest[2] = law->torsion / l;
        for (k = 3; k < 7; k++)
            rest[k] *= law->curvature;
        rest[7] = cti_rod_wrap(rest[7] + law->twist * l);
    }
}

CTI_FN int cti_rod_batch_init(cti_mem *mem, cti_rod_batch *t, const cti_rod_desc *d, int node_offset, int64_t *out_bad, double *out_value)
{
    int i, ns = d->n_segments, nj = d->n_joints;
    t->n = ns, t->n_joints = nj, t->damping_stiffness = d->material->damping_stiffness;
    if (!CTI_RESIZE(mem, t->node, 3 * (size_t)ns) || !CTI_RESIZE(mem, t->joint_node, 5 * (size_t)nj) || !CTI_RESIZE(mem, t->hold, 2 * (size_t)ns) ||
        !CTI_RESIZE(mem, t->rest, CTI_ROD_REST * (size_t)nj))
        return 0;
    for (i = 0; i < ns; i++) {
        t->node[3 * i] = d->segments[2 * i] + node_offset, t->node[3 * i + 1] = d->segments[2 * i + 1] + node_offset;
        t->node[3 * i + 2] = d->n_nodes + i + node_offset;
        *out_value = (double)cti_rod_length(d, i), *out_bad = i;
        if (!(*out_value > 0))
            return -1;
    }
    for (i = 0; i < nj; i++) {
        const int32_t *a = t->node + 3 * (size_t)d->joints[2 * i], *b = t->node + 3 * (size_t)d->joints[2 * i + 1];
        int32_t *q = t->joint_node + 5 * (size_t)i;
        q[0] = a[0], q[1] = a[1], q[2] = b[1], q[3] = a[2], q[4] = b[2];
    }
    cti_rod_hold(t, d);
    cti_rod_rest(t, d, node_offset);
    return 1;
}

CTI_FN void cti_rod_batch_shift(cti_rod_batch *t, int by)
{
    int i;
    for (i = 0; i < CTI_LEN(t->node); i++)
        t->node[i] += by;
    for (i = 0; i < CTI_LEN(t->joint_node); i++)
        t->joint_node[i] += by;
}

/* K += s g g' of nn nodes; the upper triangle, so that the sum is symmetric to the last bit */
static void cti_rod_outer(ct_real *K, const ct_real *g, int nn, ct_real s)
{
    int i, j;
    for (i = 0; i < 3 * nn; i++)
        for (j = i; j < 3 * nn; j++)
            K[3 * nn * i + j] += s * g[i] * g[j];
}

static void cti_rod_scatter(ct_real *val, const int32_t *slot, int nn, const ct_real *K)
{
    int i, j, n = 3 * nn;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            val[9 * (size_t)slot[i / 3 * nn + j / 3] + (size_t)(3 * (i % 3) + j % 3)] += i <= j ? K[n * i + j] : K[n * j + i];
}

static void cti_rod_push(ct_real *force, const int32_t *node, int nn, const ct_real *g, ct_real s)
{
    int a;
    for (a = 0; a < nn; a++)
        cti_v3_addto(force, node[a], cti_v3_mul(cti_v3_at(g, a), s));
}

static void cti_rod_assemble_joint(const cti_rod_batch *t, const ct_real *x, int j, ct_real dt, ct_real *force, ct_real *val, double *out_energy)
{
    const ct_real *rest = t->rest + CTI_ROD_REST * (size_t)j;
    const int32_t *node = t->joint_node + 5 * (size_t)j;
    cti_rod_frame f[2];
    cti_rod_slope slopes[CTI_ROD_MEASURES];
    ct_real q[CTI_ROD_MEASURES], g[15], K[225];
    int k;
    cti_rod_joint(x, node, f, q, slopes);
    if (val)
        memset(K, 0, sizeof K);
    for (k = 0; k < CTI_ROD_MEASURES; k++) {
        ct_real stiff = cti_rod_stiff(rest, k), off = cti_rod_off(rest, q, k);
        if (out_energy)
            *out_energy += 0.5 * (double)stiff * (double)off * (double)off;
        if (!force && !val)
            continue;
        cti_rod_gradient(f, &slopes[k], g);
        if (force)
            cti_rod_push(force, node, 5, g, -stiff * off);
        if (val)
            cti_rod_outer(K, g, 5, stiff * (dt * dt + dt * t->damping_stiffness));
    }
    if (val)
        cti_rod_scatter(val, t->joint_slot + 25 * (size_t)j, 5, K);
}

static void cti_rod_assemble_frame(const cti_rod_batch *t, const ct_real *x, int i, ct_real dt, ct_real *force, ct_real *val, double *out_energy)
{
    const int32_t *node = t->node + 3 * (size_t)i;
    ct_real q[2], g[2][9], K[81], stiff = t->hold[2 * i];
    int k;
    cti_rod_held(x, node, t->hold[2 * i + 1], q, g);
    if (val)
        memset(K, 0, sizeof K);
    for (k = 0; k < 2; k++) {
        if (out_energy)
            *out_energy += 0.5 * (double)stiff * (double)q[k] * (double)q[k];
        if (force)
            cti_rod_push(force, node, 3, g[k], -stiff * q[k]);
        if (val)
            cti_rod_outer(K, g[k], 3, stiff * dt * dt);
    }
    if (val)
        cti_rod_scatter(val, t->slot + 9 * (size_t)i, 3, K);
}

CTI_FN void cti_rod_batch_assemble(const cti_rod_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, double *out_energy)
{
    int i;
    for (i = 0; i < t->n_joints; i++)
        cti_rod_assemble_joint(t, x, i, dt, force, val, out_energy);
    for (i = 0; i < t->n; i++)
        cti_rod_assemble_frame(t, x, i, dt, force, val, out_energy);
}

CTI_FN void cti_rod_batch_damping(const cti_rod_batch *t, const ct_real *x, const ct_real *v, ct_real *out)
{
    int j, k, a;
    for (j = 0; t->damping_stiffness > 0 && j < t->n_joints; j++) {
        const int32_t *node = t->joint_node + 5 * (size_t)j;
        cti_rod_frame f[2];
        cti_rod_slope slopes[CTI_ROD_MEASURES];
        ct_real q[CTI_ROD_MEASURES], g[15];
        cti_rod_joint(x, node, f, q, slopes);
        for (k = 0; k < CTI_ROD_MEASURES; k++) {
            ct_real rate = 0;
            cti_rod_gradient(f, &slopes[k], g);
            for (a = 0; a < 5; a++)
                rate += cti_v3_dot(cti_v3_at(g, a), cti_v3_at(v, node[a]));
            cti_rod_push(out, node, 5, g, t->damping_stiffness * cti_rod_stiff(t->rest + CTI_ROD_REST * (size_t)j, k) * rate);
        }
    }
}
