/* geometric_regions.c -- the hierarchies of regions of the bodies that may meet themselves, in the place of their box trees. See regions.h. */
#include "geometric.h"

CTI_FN void cti_geometric_regions_free(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    int i;
    for (i = 0; i < CTI_LEN(g->detection.regions); i++)
        cti_regions_free(s->mem, &g->detection.regions[i]);
    CTI_FREE(s->mem, g->detection.regions);
}

CTI_FN int cti_geometric_regions_prepare(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_surface *f = &s->surface;
    int b, n = 0;
    for (b = 0; b < f->n_bodies && s->desc.geometric.regions; b++) {
        if (!f->ranges[b].dynamic || !f->ranges[b].self || !cti_regions_usable(f, b))
            continue;
        if (!CTI_RESIZE(s->mem, g->detection.regions, n + 1) || !cti_regions_build(s->mem, &g->detection.regions[n], f, b))
            return 0;
        n++;
    }
    return 1;
}

CTI_FN int cti_geometric_regions_pairs(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_surface *f = &s->surface;
    cti_region_motion m;
    int i;
    m.f = f, m.x0 = f->x0, m.x1 = f->x1;
    for (i = 0; i < CTI_LEN(g->detection.regions); i++) {
        cti_regions *r = &g->detection.regions[i];
        ct_real thick = f->bodies[r->tree.body].thickness;
        r->rule.margin = cti_geometric_tuned.find.margin * thick / 2;
        r->rule.inflate = (g->scope.wide ? thick : r->rule.margin) + cti_geometric_tuned.find.slack * thick;
        r->rule.reach = cti_geometric_tuned.find.margin * thick, r->rule.ratio = cti_geometric_tuned.find.ratio;
        r->rule.cosine = cti_geometric_tuned.find.cone, r->rule.criterion = 2;
        cti_regions_dops(r, f->x0, f->x1);
        cti_regions_cones(r, &m);
        if (!cti_regions_self(s->mem, r, &m, &g->list[CTI_LIST_VF].pairs, &g->list[CTI_LIST_EE].pairs))
            return 0;
    }
    return 1;
}

CTI_FN int cti_geometric_regions_hold(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_region_motion m;
    int i, hold = 1;
    m.f = &s->surface, m.x0 = s->surface.x0, m.x1 = s->surface.x1;
    for (i = 0; i < CTI_LEN(g->detection.regions) && hold > 0; i++)
        hold = cti_regions_hold(s->mem, &g->detection.regions[i], &m);
    return hold;
}
