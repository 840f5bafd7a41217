/* inspect.c -- checks a step's guarantees after every step if CONTACT_VALIDATE is 1; otherwise none of this runs. Method: numbers are
   finite. The surface is where the unknowns put it, bit for bit. Rows refer to existing features. Contacts do not pull. A stepper that
   guarantees to end without intersections has left only those that its report counts. */
#include "inspect.h"
#include "../0_base/log.h"

#if CONTACT_VALIDATE
static ct_code cti_inspect_fail(ct_world *w, int64_t element, double value, const char *text)
{
    const cti_logger log = cti_world_logger(w);
    cti_logger_write(&log, CT_LOG_ERROR, "CONTACT_VALIDATE: %s (element %lld, value %g)", text, (long long)element, value);
    CTI_ASSERT(!"CONTACT_VALIDATE: what a step promises does not hold");
    return cti_world_refuse(w, CT_ERR_DOMAIN, element, value, text);
}

/* the first number that is not finite, or -1 */
static int64_t cti_inspect_numbers(const ct_real *x, int64_t n)
{
    int64_t i;
    for (i = 0; i < n; i++)
        if (!cti_finite(x[i]))
            return i;
    return -1;
}

static ct_code cti_inspect_state(ct_world *w)
{
    const cti_state *s = &w->state;
    int64_t n = 3 * (int64_t)s->n, bad;
    if (CTI_LEN(s->x) < n || CTI_LEN(s->v) < n)
        return cti_inspect_fail(w, -1, (double)n, "CONTACT_VALIDATE: positions and velocities are fewer than the blocks");
    bad = cti_inspect_numbers(s->x, n);
    if (bad >= 0)
        return cti_inspect_fail(w, bad / 3, (double)s->x[bad], "CONTACT_VALIDATE: a position is not finite");
    bad = cti_inspect_numbers(s->v, n);
    if (bad >= 0)
        return cti_inspect_fail(w, bad / 3, (double)s->v[bad], "CONTACT_VALIDATE: a velocity is not finite");
    bad = cti_inspect_numbers(s->surface.x0, 3 * (int64_t)s->surface.nv);
    if (bad >= 0)
        return cti_inspect_fail(w, bad / 3, (double)s->surface.x0[bad], "CONTACT_VALIDATE: a surface position is not finite");
    return CT_OK;
}

/* vertices moved by blocks: x0 must equal the result of body_point */
static ct_code cti_inspect_surface(ct_world *w)
{
    int i, k;
    for (i = 0; i < CTI_LEN(w->surface_slot); i++) {
        const cti_body *b = &w->bodies[w->surface_slot[i]];
        const cti_soup_body *range = &w->state.surface.ranges[i];
        if (!w->state.surface.bodies[i].dynamic)
            continue;
        for (k = 0; k < CTI_LEN(b->surface_nodes); k++) {
            cti_v3 p = cti_body_point(w, b, b->surface_nodes[k]);
            const ct_real *x = w->state.surface.x0 + 3 * (range->v0 + k);
            if (p.x != x[0] || p.y != x[1] || p.z != x[2])
                return cti_inspect_fail(w, range->v0 + k, (double)(p.x - x[0]), "CONTACT_VALIDATE: a surface vertex is not where its body puts it");
        }
    }
    return CT_OK;
}

static ct_code cti_inspect_rows(ct_world *w)
{
    const cti_state *s = &w->state;
    int i, k;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        const cti_pair *p = &s->contact.origins[i].pair;
        for (k = 0; k < p->n; k++)
            if (p->v[k] < 0 || p->v[k] >= s->surface.nv)
                return cti_inspect_fail(w, i, p->v[k], "CONTACT_VALIDATE: a contact has a vertex that does not exist");
        if (row->equations)
            continue;
        if (!cti_finite(row->r[0]) || !cti_finite(row->r[1]) || !cti_finite(row->r[2]) || row->r[0] < 0)
            return cti_inspect_fail(w, i, (double)row->r[0], "CONTACT_VALIDATE: a contact pulls, or its impulse is not finite");
    }
    return CT_OK;
}

CTI_FN ct_code cti_inspect(ct_world *w, const ct_step_report *report)
{
    ct_pair *pairs;
    ct_code code = cti_inspect_state(w);
    int n;
    CTI_THEN(code, cti_inspect_surface(w));
    CTI_THEN(code, cti_inspect_rows(w));
    if (code != CT_OK || !(cti_steppers_of(w)->traits & CTI_STEPPER_ENDS_APART))
        return code;
    /* pairs that intersected when the step began may still do so at its end */
    w->busy = 0; /* this call is the library's own, not one from a callback */
    code = ct_world_validate(w, &pairs, &n);
    w->busy = 1;
    if (code == CT_OK && n > 0 && report->tangled == 0)
        code = cti_inspect_fail(w, pairs[0].vertices_a[0], (double)n, "CONTACT_VALIDATE: bodies intersect at the end of a step that began without");
    return code;
}
#else
CTI_FN ct_code cti_inspect(ct_world *w, const ct_step_report *report)
{
    CTI_UNUSED(w), CTI_UNUSED(report);
    return CT_OK;
}
#endif
