/* problem.c -- rows of the contact problem: gather, scatter, cones. Based on: Otaduy 2009, sec. 3.2-3.4; lecture notes 4.1.1.1 (rigid and
   deformable Jacobians). */
#include "problem.h"

CTI_FN void cti_row_velocity(const cti_row *row, const ct_real *v, ct_real *u)
{
    cti_v3 s = cti_v3_zero();
    int k;
    /* sum of weight v + v x arm over both attachments */
    for (k = 0; k < row->n; k++) {
        const cti_term *t = &row->term[k];
        cti_v3 vb = cti_v3_at(v, t->block);
        s = cti_v3_mad(s, vb, t->weight);
        s = cti_v3_add(s, cti_v3_cross(vb, cti_v3_at(t->arm, 0)));
    }
    s = cti_m3_mul_v(row->frame, s);
    u[0] = s.x + row->w[0], u[1] = s.y + row->w[1], u[2] = s.z + row->w[2];
}

CTI_FN void cti_row_scatter(const cti_problem *p, const cti_row *row, const ct_real *r, ct_real *f)
{
    cti_v3 F = cti_m3_mul_tv(row->frame, cti_v3_make(r[0], r[1], r[2]));
    int k;
    /* weight F + arm x F on every block, projected where the block is constrained */
    for (k = 0; k < row->n; k++) {
        const cti_term *t = &row->term[k];
        cti_v3 q = cti_v3_mad(cti_v3_cross(cti_v3_at(t->arm, 0), F), F, t->weight);
        if (p->filter && p->filter[t->block] >= 0)
            q = cti_m3_mul_v(p->projectors + 9 * (size_t)p->filter[t->block], q);
        cti_v3_addto(f, t->block, q);
    }
}

CTI_FN int cti_row_bound(ct_real most, ct_real *r)
{
    ct_real size = most > 0 ? cti_v3_norm(cti_v3_at(r, 0)) : 0;
    if (!(size > most))
        return 0;
    cti_v3_put(r, 0, cti_v3_mul(cti_v3_at(r, 0), most / size));
    return 1;
}

CTI_FN void cti_row_map(const cti_row *row, int k, ct_real *G)
{
    const cti_term *t = &row->term[k];
    ct_real c[9];
    cti_m3 g;
    /* cross(v, arm) = -[arm]x v */
    c[0] = t->weight, c[1] = t->arm[2], c[2] = -t->arm[1];
    c[3] = -t->arm[2], c[4] = t->weight, c[5] = t->arm[0];
    c[6] = t->arm[1], c[7] = -t->arm[0], c[8] = t->weight;
    g = cti_m3_mul(row->frame, c);
    memcpy(G, g.m, sizeof g.m);
}

CTI_FN void cti_row_map_t(const cti_problem *p, const cti_row *row, int k, ct_real *Gt)
{
    ct_real G[9], T[9];
    int i, j, b = row->term[k].block;
    cti_row_map(row, k, G);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            T[3 * i + j] = G[3 * j + i];
    if (p->filter && p->filter[b] >= 0) {
        cti_m3 s = cti_m3_mul(p->projectors + 9 * (size_t)p->filter[b], T);
        memcpy(Gt, s.m, sizeof s.m);
    } else
        memcpy(Gt, T, sizeof T);
}

CTI_FN void cti_problem_rhs(const cti_problem *p, ct_real *f)
{
    int i;
    memcpy(f, p->b, sizeof(ct_real) * 3 * (size_t)p->A->n);
    for (i = 0; i < p->n_rows; i++)
        cti_row_scatter(p, &p->rows[i], p->rows[i].r, f);
}

/* nearest point of |g1| + |g2| <= bound */
static void cti_problem_project_l1(double bound, double *g1, double *g2)
{
    double a = fabs(*g1), b = fabs(*g2), s = (a + b - bound) / 2;
    if (s <= 0)
        return;
    a -= s, b -= s;
    if (a < 0)
        a = 0, b = bound;
    else if (b < 0)
        b = 0, a = bound;
    *g1 = *g1 < 0 ? -a : a;
    *g2 = *g2 < 0 ? -b : b;
}

CTI_FN void cti_cone_project64(ct_cone cone, double bound, double *g1, double *g2)
{
    if (cone == CT_CONE_BOX) {
        *g1 = *g1 < -bound ? -bound : (*g1 > bound ? bound : *g1);
        *g2 = *g2 < -bound ? -bound : (*g2 > bound ? bound : *g2);
    } else if (cone == CT_CONE_PYRAMID) {
        cti_problem_project_l1(bound, g1, g2);
    } else {
        double n2 = *g1 * *g1 + *g2 * *g2;
        if (n2 > bound * bound) {
            double s = bound / sqrt(n2);
            *g1 *= s, *g2 *= s;
        }
    }
}

CTI_FN void cti_cone_project(ct_cone cone, ct_real bound, ct_real *g1, ct_real *g2)
{
    double a = (double)*g1, b = (double)*g2;
    cti_cone_project64(cone, (double)bound, &a, &b);
    *g1 = (ct_real)a, *g2 = (ct_real)b;
}

CTI_FN cti_term *cti_row_term(cti_row *row, int first, int block)
{
    int i;
    for (i = first; i < row->n; i++)
        if (row->term[i].block == block)
            return &row->term[i];
    row->term[row->n].block = block;
    return &row->term[row->n++];
}
