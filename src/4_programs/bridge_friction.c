/* bridge_friction.c -- solvers without friction on the world's problem: normals with friction held fixed, and friction contact by contact.
   Based on: Li et al. 2015, section 5 (normals by MPRGP, then friction by iterative constraint anticipation); Bridson, Marino and Fedkiw
   2003, section 4 (friction after the normals, each contact independently). */
#include "bridge.h"

CTI_FN void cti_bridge_normals(const cti_problem *p, const ct_solver_desc *desc, ct_solver solver, ct_real loose, cti_mem *mem,
                               cti_arena *arena, ct_real *v, cti_solve_info *info)
{
    cti_arena_point mark = cti_arena_mark(arena);
    cti_problem q = *p;
    size_t n3 = 3 * (size_t)p->A->n;
    ct_real *b = CTI_ARENA_NEW(arena, ct_real, n3);
    int i;
    q.rows = CTI_ARENA_NEW(arena, cti_row, p->n_rows);
    memset(info, 0, sizeof *info);
    if (!b || !q.rows) {
        info->status = CTI_SOLVE_MEMORY;
    } else {
        memcpy(b, p->b, sizeof *b * n3);
        memcpy(q.rows, p->rows, sizeof *q.rows * (size_t)p->n_rows);
        q.b = b;
        for (i = 0; i < p->n_rows; i++) {
            cti_row *row = &q.rows[i];
            ct_real r[3];
            if (row->equations)
                continue;
            r[0] = 0, r[1] = row->r[1], r[2] = row->r[2];
            cti_row_scatter(p, row, r, b);
            row->mu = row->r[1] = row->r[2] = 0;
        }
        cti_bridge_solve(&q, desc, solver, loose, mem, arena, v, info);
        for (i = 0; i < p->n_rows; i++) {
            p->rows[i].r[0] = q.rows[i].r[0];
            if (q.rows[i].equations)
                memcpy(p->rows[i].r, q.rows[i].r, sizeof q.rows[i].r);
        }
    }
    cti_arena_rewind(arena, mark);
}

/* mean tangential compliance of a row by its blocks, as if these were uncoupled */
static ct_real cti_bridge_slide(const cti_problem *p, const cti_row *row)
{
    ct_real d = (row->compliance[1] + row->compliance[2]) / 2;
    int k, a, j, l;
    for (k = 0; k < row->n; k++) {
        ct_real G[9], Gt[9], inverse[9];
        if (!cti_m3_inverse(p->A->val + 9 * (size_t)p->A->diag[row->term[k].block], inverse))
            continue;
        cti_row_map(row, k, G), cti_row_map_t(p, row, k, Gt);
        for (a = 1; a < 3; a++)
            for (j = 0; j < 3; j++)
                for (l = 0; l < 3; l++)
                    d += G[3 * a + j] * inverse[3 * j + l] * Gt[3 * l + a] / 2;
    }
    return d;
}

CTI_FN void cti_bridge_rub(const cti_problem *p, const ct_real *v)
{
    int i;
    for (i = 0; i < p->n_rows; i++) {
        cti_row *row = &p->rows[i];
        ct_real u[3], d, t, r;
        if (row->equations)
            continue;
        row->r[1] = row->r[2] = 0;
        if (!(row->mu > 0) || !(row->r[0] > 0))
            continue;
        cti_row_velocity(row, v, u);
        d = cti_bridge_slide(p, row), t = cti_sqrt(u[1] * u[1] + u[2] * u[2]);
        if (!(t > 0) || !(d > 0))
            continue;
        r = cti_min(row->mu * row->r[0], t / d);
        row->r[1] = -r * u[1] / t, row->r[2] = -r * u[2] / t;
    }
}
