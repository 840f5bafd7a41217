/* layers_pairs.c -- candidate pairs of the layers, and their distances.
   Method: the trees find all pairs that may come within the thickness while each vertex is within a reach of a straight line. These serve while all
   vertices are there: a kinetic data structure whose certificates are capsules around the lines. based on: Harmon et al. 2009. */
#include "layers.h"
#include "../5_mesh/pairs.h"
#include "../7_contact/potential.h"
#include "../8_step/impulses.h"

/* ---- motion ---- */

/* bounds how far vertex i goes from the line that candidates are complete for, in span seconds from x0 on, with its deviation from its own [m] */
static ct_real cti_layers_deviation_of(const cti_layers_surface *p, const ct_real *x0, int i, double span)
{
    cti_v3 a = cti_v3_at(p->line_start, i), e = cti_v3_sub(cti_v3_at(p->line_end, i), a), x = cti_v3_at(x0, i);
    ct_real most = 0, l2 = cti_v3_norm2(e);
    int end;
    for (end = 0; end < 2; end++) {
        cti_v3 r = cti_v3_sub(cti_v3_mad(x, cti_v3_at(p->velocity, i), end ? (ct_real)span : 0), a);
        ct_real t = l2 > 0 ? cti_clamp(cti_v3_dot(r, e) / l2, 0, 1) : 0;
        most = cti_max(most, cti_v3_norm(cti_v3_mad(r, e, -t)));
    }
    return most + p->deviation[i] + 8 * CTI_EPS * (cti_abs(x.x) + cti_abs(x.y) + cti_abs(x.z));
}

CTI_FN int cti_layers_is_covered(const cti_state *s, double span)
{
    const cti_layers_surface *p = &cti_layers_own(s)->surface;
    const cti_surface *f = &s->surface;
    int i, j;
    if (!p->covered)
        return 0;
    for (j = 0; j < CTI_LEN(f->runs); j += 3)
        for (i = f->runs[j]; i < f->runs[j + 1]; i++)
            if (!(cti_layers_deviation_of(p, f->x0, i, span) <= p->reach[f->body_of[i]]))
                return 0;
    return 1;
}

/* sets the lines of all vertices for span seconds, and their reach */
static void cti_layers_lines_ahead(cti_state *s, double span)
{
    cti_layers_surface *p = &cti_layers_own(s)->surface;
    cti_surface *f = &s->surface;
    int i, b;
    for (b = 0; b < f->n_bodies; b++) {
        cti_soup_body *r = &f->ranges[b];
        ct_real off = 0;
        if (!f->bodies[b].moves)
            continue;
        for (i = r->v0; i < r->v1; i++) {
            cti_v3 x = cti_v3_at(f->x0, i);
            cti_v3_put(p->line_start, i, x);
            cti_v3_put(p->line_end, i, cti_v3_mad(x, cti_v3_at(p->velocity, i), (ct_real)span));
            off = cti_max(off, p->deviation[i] + 16 * CTI_EPS * (cti_abs(x.x) + cti_abs(x.y) + cti_abs(x.z)));
        }
        p->reach[b] = 2 * off + cti_layers_tuned.window.slack * f->bodies[b].thickness;
        r->swept = CTI_SWEPT_BOX;
        r->inflate = f->bodies[b].thickness / 2 + p->reach[b];
    }
}

/* ---- lists ---- */

/* returns the inverse mass of a vertex [1/kg] */
static double cti_layers_inverse_mass(const cti_state *s, int v)
{
    const cti_attach *a = cti_surface_attach(&s->surface, v);
    double sum = 0;
    int k;
    for (k = 0; k < a->n; k++) {
        double w = a->n > 1 ? (double)a->weight[k] : 1;
        sum += w * w * cti_layers_own(s)->nodes.inverse_mass[a->block[k]];
    }
    return sum;
}

/* returns k_1 = w^2 m, m the least effective mass of the pair's points */
static ct_real cti_layers_stiffness(const cti_state *s, const int32_t *v, int n_a, int n)
{
    double side[2] = {0, 0}, w = cti_layers_own(s)->frequency;
    int k;
    for (k = 0; k < n; k++)
        side[k >= n_a] = cti_fmax(side[k >= n_a], cti_layers_inverse_mass(s, v[k]));
    return side[0] + side[1] > 0 ? (ct_real)(w * w / (side[0] + side[1])) : 0;
}

static int cti_layers_resize(cti_mem *m, cti_layers_list *l, int n)
{
    return CTI_RESIZE(m, l->stiffness, n) && CTI_RESIZE(m, l->width, l->c.kind == CT_PAIR_EE ? n : 0) && CTI_ZEROS(m, l->active, n) &&
           CTI_RESIZE(m, l->deviation_most, n) && CTI_ZEROS(m, l->impulse, 3 * n) && CTI_RESIZE(m, l->weights, 4 * n) && CTI_ZEROS(m, l->load, n);
}

/* sets vertices, thickness and stiffness of each pair; the thickness of a pair within a body is at most half of the distance at rest */
static int cti_layers_complete(cti_state *s, cti_layers_list *l)
{
    const cti_surface *f = &s->surface;
    int n = cti_candidates_len(&l->c), i, k;
    if (!cti_candidates_complete(&s->prepared, &l->c, f, NULL) || !cti_layers_resize(&s->prepared, l, n))
        return 0;
    for (i = 0; i < n; i++)
        l->stiffness[i] = cti_layers_stiffness(s, l->c.quads + 4 * (size_t)i, cti_kind_first(l->c.kind), cti_kind_corners(l->c.kind));
    cti_candidates_rest(&l->c, f);
    for (i = 0; l->c.kind == CT_PAIR_EE && i < n; i++) {
        ct_real x[12];
        for (k = 0; k < 4; k++)
            cti_v3_put(x, k, cti_v3_at(f->rest, l->c.quads[4 * i + k]));
        l->width[i] = cti_mollifier_width(x);
    }
    return 1;
}

/* appends the vertices and planes that may come within the thickness. 0: out of memory */
static int cti_layers_list_planes(cti_state *s)
{
    const cti_surface *f = &s->surface;
    const cti_layers_surface *b = &cti_layers_own(s)->surface;
    cti_layers_list *l = &cti_layers_own(s)->list[CTI_LAYERS_PLANES];
    int p, v;
    for (p = 0; p < f->n_planes; p++)
        for (v = cti_surface_facing(f, p, 0); v < f->nv; v = cti_surface_facing(f, p, v + 1)) {
            const cti_plane *q = &f->planes[p];
            ct_real gap = cti_min(cti_plane_gap(q, cti_v3_at(b->line_start, v)), cti_plane_gap(q, cti_v3_at(b->line_end, v)));
            gap -= b->reach[f->body_of[v]];
            if (gap < CTI_R(1.001) * cti_surface_pair_thickness(f, f->body_of[v], q->body) &&
                (!CTI_PUSH(&s->prepared, l->c.pairs, v) || !CTI_PUSH(&s->prepared, l->c.pairs, p)))
                return 0;
        }
    return 1;
}

CTI_FN int cti_layers_cover(cti_state *s, double span)
{
    cti_layers *y = cti_layers_own(s);
    cti_surface *f = &s->surface;
    int k;
    if (!cti_layers_flush(s))
        return 0;
    y->surface.covered = 0;
    cti_layers_lines_ahead(s, span);
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        CTI_CLEAR(y->list[k].c.pairs);
    if (!cti_broad_update(&s->prepared, &f->broad, &f->soup, y->surface.line_start, y->surface.line_end) ||
        !cti_broad_pairs(&s->prepared, &f->broad, &f->soup, &y->list[CTI_LAYERS_VF].c.pairs, &y->list[CTI_LAYERS_EE].c.pairs, NULL, NULL) ||
        !cti_layers_list_planes(s))
        return 0;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        if (!cti_layers_complete(s, &y->list[k]))
            return 0;
    y->surface.covered = 1;
    return 1;
}

CTI_FN void cti_layers_distances(cti_state *s)
{
    int k;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        cti_candidates_measure(&cti_layers_own(s)->list[k].c, &s->surface, s->surface.x0);
}

CTI_FN double cti_layers_mollifier(const ct_real *x, const int32_t *v, ct_real width, ct_real *out_gradient)
{
    cti_v3 a = cti_v3_sub(cti_v3_at(x, v[1]), cti_v3_at(x, v[0])), b = cti_v3_sub(cti_v3_at(x, v[3]), cti_v3_at(x, v[2])), ga, gb;
    double c = (double)cti_v3_norm2(cti_v3_cross(a, b)), first, second, m = cti_mollifier_value(c, (double)width, &first, &second);
    ct_real ab = cti_v3_dot(a, b), g = (ct_real)(2 * first);
    if (!out_gradient)
        return m;
    ga = cti_v3_mul(cti_v3_mad(cti_v3_mul(a, cti_v3_norm2(b)), b, -ab), g);
    gb = cti_v3_mul(cti_v3_mad(cti_v3_mul(b, cti_v3_norm2(a)), a, -ab), g);
    cti_v3_put(out_gradient, 0, cti_v3_mul(ga, -1));
    cti_v3_put(out_gradient, 1, ga);
    cti_v3_put(out_gradient, 2, cti_v3_mul(gb, -1));
    cti_v3_put(out_gradient, 3, gb);
    return m;
}

CTI_FN double cti_layers_energy(cti_state *s, ct_step_report *r)
{
    cti_layers *y = cti_layers_own(s);
    double sum = 0, e;
    int i, k;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < cti_candidates_len(&y->list[k].c); i++) {
            const cti_layers_list *l = &y->list[k];
            ct_real d = cti_candidates_distance(&l->c, i), hat = l->c.hat[i];
            if (r && l->stiffness[i] > 0) {
                r->thickness_kept = cti_min(r->thickness_kept, d / hat);
                r->too_near += d < hat / 2;
                if (d < r->min_distance) {
                    r->min_distance = d;
                    cti_pair_make(&s->surface, l->c.kind, l->c.pairs[2 * i], l->c.pairs[2 * i + 1], &s->step.limit);
                }
            }
            if (!(d < hat))
                continue;
            cti_layers_force((double)(d / hat), 1, s->desc.layers.max_layers, &e);
            if (l->c.kind == CT_PAIR_EE)
                e *= cti_layers_mollifier(s->surface.x0, l->c.quads + 4 * (size_t)i, l->width[i], NULL);
            sum += (double)(l->stiffness[i] * hat * hat) * e;
        }
    return sum;
}

/* ---- impulses ---- */

CTI_FN int cti_layers_flush(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    int i, k, j;
    for (k = 0; k < CTI_LAYERS_LISTS; k++) {
        cti_layers_list *l = &y->list[k];
        for (i = 0; i < cti_candidates_len(&l->c); i++) {
            cti_touch t;
            cti_pair pair;
            cti_v3 J = cti_v3_at(l->impulse, i), n;
            if (!l->load[i])
                continue;
            cti_pair_make(&s->surface, l->c.kind, l->c.pairs[2 * i], l->c.pairs[2 * i + 1], &pair);
            for (j = 0; j < pair.n; j++)
                pair.w[j] = l->weights[4 * i + j];
            n = k == CTI_LAYERS_PLANES ? cti_v3_at(s->surface.planes[pair.plane].normal, 0)
                                       : cti_v3_unit(cti_pair_offset(&s->surface, s->surface.x0, &pair), cti_v3_unit(J, cti_v3_make(0, 1, 0)));
            cti_impulses_of(&s->surface, &pair, n, J, &t);
            t.thickness = l->c.hat[i], t.sticking = l->load[i] == 3;
            if (!CTI_PUSH(s->mem, s->step.impulses.touches, t))
                return 0;
            l->load[i] = 0;
            cti_v3_put(l->impulse, i, cti_v3_zero());
        }
    }
    return 1;
}
