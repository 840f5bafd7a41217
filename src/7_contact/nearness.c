/* nearness.c -- how near surfaces are to each other, for the report. Method: the distances that detection has, feature by feature; a
   feature shared by several faces counts once. */
#include "detect.h"

/* records a pair at its distance */
static void cti_detect_enter(const cti_surface *s, const cti_pair *pair, ct_real dist, cti_nearness *out)
{
    ct_real share = dist / cti_pair_thickness(s, pair);
    out->share = cti_min(out->share, share);
    out->too_near += share < CTI_R(0.5);
}

/* records the pairs of a list; a feature shared by several faces counts once */
static void cti_detect_nearness_list(const cti_candidates *l, const cti_surface *s, cti_nearness *out)
{
    ct_real best2 = out->distance * out->distance;
    cti_pair pair;
    int i, edges = l->kind == CT_PAIR_EE;
    for (i = 0; i < CTI_LEN(l->d2); i++) {
        best2 = cti_min(best2, l->d2[i]);
        if (l->d2[i] >= l->hat[i] * l->hat[i])
            continue;
        if (edges ? l->feature[i] != 0 && s->edge_faces[2 * l->pairs[2 * i]] >= 0 && s->edge_faces[2 * l->pairs[2 * i + 1]] >= 0
                  : !cti_detect_is_owner(s, l->pairs[2 * i + 1], l->feature[i]))
            continue;
        cti_pair_make(s, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &pair);
        cti_detect_enter(s, &pair, cti_sqrt(l->d2[i]), out);
    }
    out->distance = cti_min(out->distance, cti_sqrt(best2));
}

CTI_FN void cti_detect_nearness(const cti_detect *d, const cti_surface *s, ct_real cap, cti_nearness *out)
{
    int i, k, f;
    cti_pair pair;
    out->distance = cap, out->share = 2, out->too_near = 0;
    cti_detect_nearness_list(&d->vf, s, out);
    cti_detect_nearness_list(&d->ee, s, out);
    for (k = 0; k < 2; k++) {
        const int32_t *list = k ? d->vv : d->ve;
        for (i = 0; i < CTI_LEN(list) / 2; i++) {
            ct_real dist;
            cti_pair_make(s, k ? CT_PAIR_VV : CT_PAIR_VE, list[2 * i], list[2 * i + 1], &pair);
            dist = cti_pair_closest(s, s->x0, &pair, &f);
            out->distance = cti_min(out->distance, dist);
            cti_detect_enter(s, &pair, dist, out);
        }
    }
    for (k = 0; k < s->n_planes; k++)
        for (i = cti_surface_facing(s, k, 0); i < s->nv; i = cti_surface_facing(s, k, i + 1)) {
            ct_real dist = cti_detect_above(s, k, s->x0, i);
            if (dist > 2 * cti_surface_pair_thickness(s, s->body_of[i], s->planes[k].body))
                continue;
            out->distance = cti_min(out->distance, dist);
            cti_pair_make(s, CT_PAIR_PLANE, i, k, &pair);
            cti_detect_enter(s, &pair, dist, out);
        }
}
