/* shell.c -- a step in substeps, which the judge may refuse.
   Method: a substep that asks for shorter ones is tried again as equal parts of what is left. A step that the judge refuses is taken back and divided
   into 2, 4, up to refusal.parts substeps. What it still refuses loses its gain from the velocities; what has not as much there is held where the
   step began, and the rest of the world moves around it. Based on: no paper. */
#include "shell.h"
#include "coarse.h"
#include "report.h"
#include "snapshot.h"

static void cti_shell_back(cti_state *s, const cti_shell *q)
{
    cti_snapshot_restore(s, q->contacts, &s->step.start);
    s->contact.is_solved = 0;
    if (q->back)
        q->back(s);
}

/* the surface is known to be free of intersections where it is. 0: out of memory */
static int cti_shell_place(cti_surface *f, cti_mem *mem)
{
    if (!CTI_RESIZE(mem, f->x_last, 3 * f->nv))
        return 0;
    if (f->nv)
        memcpy(f->x_last, f->x0, sizeof *f->x0 * 3 * (size_t)f->nv);
    return 1;
}

/* CT_OK where a step may begin; CT_ERR_DOMAIN, CT_ERR_MEMORY */
static ct_code cti_shell_test(cti_state *s, const cti_shell *q, ct_real dt)
{
    int crosses = 0;
    cti_step_open(s, dt);
    if (!q->crosses || s->n == 0 || cti_surface_is_at(&s->surface, s->surface.x_last))
        return CT_OK;
    crosses = q->crosses(s);
    return crosses > 0 ? CT_ERR_DOMAIN : crosses == 0 && cti_shell_place(&s->surface, s->mem) ? CT_OK : CT_ERR_MEMORY;
}

/* a try in `parts` substeps. 0: out of memory */
static int cti_shell_try(cti_state *s, const cti_shell *q, ct_real dt, int parts, ct_step_report *r)
{
    ct_real left = dt, least = dt / (ct_real)cti_max_int(q->cuts, parts), h = dt / (ct_real)parts;
    s->step.parts = parts;
    cti_judge_open(s);
    if (q->open && !q->open(s, r))
        return 0;
    while (left > 0) {
        ct_real need = 1;
        int end;
        h = left - h < cti_step_tuned.substep.end * dt ? left : h;
        s->step.left = left;
        end = q->substep(s, h, h > least + 2 * cti_step_tuned.substep.end * dt, &need, r);
        if (end == 0)
            return 0;
        if (end < 0) {
            h = cti_max(left / (ct_real)(1 + (int)(left / h * cti_min(need, 1000))), least);
            continue;
        }
        left -= h;
        r->substeps++;
    }
    s->step.time = s->step.until;
    s->contact.memory_dt = dt;
    if (!q->contacts)
        cti_memory_clear(&s->contact.memory);
    if (!q->finish(s, dt, r))
        return 0;
    if (r->substeps > 1)
        cti_step_status(r, CT_STATUS_SUBSTEPPED);
    if (s->judge.coarse)
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    return 1;
}

CTI_FN ct_code cti_shell_step(cti_state *s, const cti_shell *q, ct_real dt, ct_step_report *r)
{
    int parts = 1;
    ct_step_report last;
    ct_code code = cti_shell_test(s, q, dt);
    cti_report_blank(s, r);
    if (code != CT_OK)
        return code;
    cti_judge_begin(s);
    for (cti_report_blank(s, &last);; last = *r) {
        cti_report_blank(s, r);
        cti_step_open(s, dt);
        s->step.dt = dt;
        cti_coarse_begin(&s->factors);
        if (!cti_snapshot_save(s, q->contacts, &s->step.start) || (q->keep && !q->keep(s)))
            return CT_ERR_MEMORY;
        if (s->n == 0) {
            return cti_step_empty(s, dt) ? CT_OK : CT_ERR_MEMORY;
        }
        r->substeps = 0;
        cti_report_cost(&last, r);
        if (!cti_shell_try(s, q, dt, parts, r))
            return cti_shell_back(s, q), CT_ERR_MEMORY;
        if (!s->judge.refused && !s->judge.coarse)
            break;
        if (2 * parts <= q->parts && !s->judge.spent)
            parts *= 2;
        else if (!s->judge.refused || cti_judge_calm(s, dt, r) || !cti_judge_hold(s))
            break;
        cti_shell_back(s, q);
    }
    if (!cti_step_told(s))
        return cti_shell_back(s, q), CT_ERR_MEMORY;
    cti_judge_close(s, dt, r);
    if (q->crosses)
        cti_shell_place(&s->surface, s->mem);
    cti_impulses_swap(s);
    return CT_OK;
}
