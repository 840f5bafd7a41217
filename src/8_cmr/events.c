/* events.c -- ends substeps where features first meet.
   Method: the earliest meeting (events.h) in the motion that known contacts allow ends the substep: it is tried again up to that time, and the next
   substep starts with this near pair, which then has a row from the start. A first meeting within event_least is not worth a cut: its row stops it at
   most that much too early. Based on: Otaduy's lecture notes, contact generation (a time step limited by CCD). differs: an impact ends the substep of
   all active components, not of its island; those that fail are cut by part (parts.h). */
#include "events.h"
#include "../8_step/policy_numbers.h"
#include "../4_geom/ccd.h"

/* 1 if the pair was apart at the start and was no contact of the last step */
static int cti_events_is_new(const cti_state *s, const cti_row_context *c, const cti_pair *pair)
{
    cti_pair q = *pair;
    int feature;
    if (cti_pair_closest(&s->surface, s->surface.x0, &q, &feature) <= CTI_DETECT_NEAR * cti_pair_thickness(&s->surface, pair))
        return 0;
    return !c->memory || !cti_memory_find(c->memory, cti_pair_key(&s->surface, pair));
}

/* share of the motion at which the pair is first as near as a part of its thickness; > 1: never */
static ct_real cti_events_share(const cti_state *s, const cti_pair *pair, ct_real part)
{
    const cti_surface *f = &s->surface;
    ct_real h = part * cti_pair_thickness(f, pair), g0, g1;
    cti_pair q = *pair;
    int feature;
    if (pair->kind != CT_PAIR_PLANE)
        return cti_vertices_toi(pair->kind, pair->v, pair->n, h, f->x0, f->x1);
    g0 = cti_pair_closest(f, f->x0, &q, &feature), g1 = cti_pair_closest(f, f->x1, &q, &feature);
    return g1 < h ? (g0 > h ? (g0 - h) / (g0 - g1) : 0) : 2;
}

CTI_FN int cti_events_is_stepped(const cti_state *s, const cti_pair *pair)
{
    int k;
    for (k = 0; k < pair->n; k++) {
        int c = cti_state_component(s, pair->v[k]);
        if (c >= 0 && s->factors.components[c].substep.part)
            return 0;
    }
    return 1;
}

CTI_FN void cti_events_defer(cti_state *s, const cti_row_context *c)
{
    int i, n = 0;
    if (!(s->step.event_least > 0) || !(c->dt >= 2 * s->step.event_least) || CTI_LEN(s->contact.hits) == 0)
        return;
    for (i = 0; i < CTI_LEN(s->contact.hits); i++) {
        const cti_pair *pair = &s->contact.hits[i].pair;
        if (!cti_events_is_stepped(s, pair) || !cti_events_is_new(s, c, pair) ||
            cti_events_share(s, pair, 1) * c->dt <= s->step.event_least)
            s->contact.hits[n++] = s->contact.hits[i];
    }
    stbds_header(s->contact.hits)->length = (size_t)n;
}

/* cti_events_search -- the earliest meeting that has been found so far. */
typedef struct cti_events_search {
    const cti_row_context *c;
    ct_real share; /* of the motion; > 1: none */
    cti_pair pair;
} cti_events_search;

/* takes a pair that comes nearer than substep.meet of its own thickness, which is smaller than the bodies' for features that are near at rest */
static void cti_events_consider(const cti_state *s, const cti_pair *pair, cti_events_search *first)
{
    ct_real share;
    if (!cti_events_is_stepped(s, pair) || cti_events_share(s, pair, cti_step_tuned.substep.meet) > 1 ||
        !cti_events_is_new(s, first->c, pair))
        return;
    share = cti_events_share(s, pair, 1);
    if (share < first->share)
        first->share = share, first->pair = *pair;
}

/* searches the candidates of one kind. 0: out of memory */
static int cti_events_search_list(cti_state *s, const cti_candidates *l, cti_events_search *first)
{
    int n = cti_candidates_len(l), i;
    cti_arena_point mark = cti_arena_mark(s->arena);
    ct_real *meet = CTI_ARENA_NEW(s->arena, ct_real, n), *toi = CTI_ARENA_NEW(s->arena, ct_real, n);
    cti_pair pair;
    if (n == 0)
        return 1;
    if (!meet || !toi)
        return 0;
    /* sep is a quarter of the thickness unless the pair starts near */
    for (i = 0; i < n; i++)
        meet[i] = cti_detect_sep(l, i) * (4 * cti_step_tuned.substep.meet);
    (l->kind == CT_PAIR_VF ? cti_ccd_vf_batch : cti_ccd_ee_batch)(s->surface.x0, s->surface.x1, l->quads, n, meet, toi);
    for (i = 0; i < n; i++) {
        if (toi[i] > 1 || cti_detect_is_tangled(&s->detect, &s->surface, l->quads + 4 * (size_t)i, cti_kind_first(l->kind), 4))
            continue;
        cti_pair_make(&s->surface, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &pair);
        cti_events_consider(s, &pair, first);
    }
    cti_arena_rewind(s->arena, mark);
    return 1;
}

/* searches vertices and planes */
static void cti_events_search_planes(const cti_state *s, cti_events_search *first)
{
    const cti_surface *f = &s->surface;
    int i, k;
    cti_pair pair;
    for (k = 0; k < f->n_planes; k++)
        for (i = cti_surface_facing(f, k, 0); i < f->nv; i = cti_surface_facing(f, k, i + 1)) {
            if (cti_detect_tangle(&s->detect, i, f->planes[k].body))
                continue;
            cti_pair_make(f, CT_PAIR_PLANE, i, k, &pair);
            pair.w[0] = 1;
            cti_events_consider(s, &pair, first);
        }
}

/* searches edges and points without faces */
static void cti_events_search_thin(const cti_state *s, cti_events_search *first)
{
    int i, k;
    cti_pair pair;
    for (k = 0; k < 2; k++) {
        const int32_t *list = k ? s->detect.vv : s->detect.ve;
        for (i = 0; i < CTI_LEN(list) / 2; i++) {
            cti_pair_make(&s->surface, k ? CT_PAIR_VV : CT_PAIR_VE, list[2 * i], list[2 * i + 1], &pair);
            if (!cti_detect_is_tangled(&s->detect, &s->surface, pair.v, pair.n_a, pair.n))
                cti_events_consider(s, &pair, first);
        }
    }
}

CTI_FN int cti_events_first(cti_state *s, const cti_row_context *c, ct_real *out_time, cti_pair *out_pair)
{
    cti_events_search first;
    *out_time = 0;
    if (!(s->step.event_least > 0) || !(c->dt >= 2 * s->step.event_least))
        return 1;
    memset(&first, 0, sizeof first);
    first.c = c, first.share = 2;
    if (!cti_events_search_list(s, &s->detect.vf, &first) || !cti_events_search_list(s, &s->detect.ee, &first))
        return 0;
    cti_events_search_planes(s, &first);
    cti_events_search_thin(s, &first);
    if (first.share > 1 || first.share * c->dt > c->dt - s->step.event_least)
        return 1;
    *out_time = cti_max(first.share * c->dt, CTI_R(0.5) * s->step.event_least); /* > 0: there is one */
    *out_pair = first.pair;
    return 1;
}

CTI_FN ct_real cti_events_cut(const cti_state *s, ct_real dt, ct_real time)
{
    return cti_clamp(time, s->step.event_least, dt - s->step.event_least);
}
