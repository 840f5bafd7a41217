/* wind.c -- drag and lift of air on triangles.
   Method: each corner of a triangle has a third of its area, A, and the velocity u of the air relative to the corner. With e = u / |u|, n the normal
   with c = e . n >= 0, the force is
       F = rho A / 2 c |u|^2 (c_d e + c_l (n - c e)),
   whose drag is along u and whose lift, of size c_l sin(t) cos(t), is across it in the plane of u and n. The step uses F + C (v0 - v): the force is
   exact where velocities are steady, whatever the step is. C is symmetric, so that A stays so: with q = rho A / 2 c |u|, the unit vector l of lift
   and sin = |n - c e|,
       C = q c_d I + q c_l sin (e e' - e l' - l e' + 2 l l').
   Under it the speed of a corner relative to the air never grows by F alone, however strong the wind and however light the corner is: in
   (m + h C) d = h F, u - d is at most as long as u. F's own derivative is not symmetric, and F explicit gains without bound where h q c_d > 2 m.
   Based on: Keckeisen, Kimmerle, Thomaszewski, Wacker 2004, Modelling effects of wind fields in cloth animations; NvCloth (coefficients). differs: C;
   velocities are those of corners, and a third of each triangle's force is on each: so C couples no nodes but those of one vertex. */
#include "wind.h"
#include "integrate.h"

/* F and C [9] of a corner with the area vector `area`, in air of the velocity u relative to it */
static cti_v3 cti_wind_force(const ct_air *air, cti_v3 area, cti_v3 u, ct_real *C)
{
    ct_real size = cti_v3_norm(area), speed = cti_v3_norm(u), c, q, sine, e[3], l[3];
    cti_v3 n, side;
    int i, j;
    memset(C, 0, 9 * sizeof *C);
    if (!(size > 0) || !(speed > 0))
        return cti_v3_zero();
    n = cti_v3_mul(area, 1 / size), u = cti_v3_mul(u, 1 / speed);
    c = cti_v3_dot(n, u);
    n = c < 0 ? cti_v3_mul(n, -1) : n, c = cti_abs(c);
    q = air->density / 2 * size * c * speed;
    side = cti_v3_mad(n, u, -c), sine = cti_v3_norm(side);
    cti_v3_put(e, 0, u), cti_v3_put(l, 0, cti_v3_unit(side, cti_v3_zero()));
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            C[3 * i + j] = q * air->drag * (ct_real)(i == j) + q * air->lift * sine * (e[i] * e[j] - e[i] * l[j] - l[i] * e[j] + 2 * l[i] * l[j]);
    return cti_v3_mul(cti_v3_mad(cti_v3_mul(u, air->drag), side, air->lift), q * speed);
}

/* the velocity of an attached vertex at velocities v */
static cti_v3 cti_wind_velocity(const cti_attach *a, const ct_real *v)
{
    cti_v3 sum = cti_v3_zero();
    int k;
    for (k = 0; k < a->n; k++)
        sum = cti_v3_mad(sum, cti_v3_at(v, a->block[k]), a->weight[k]);
    return sum;
}

/* adds a corner's F + C v0 to b and C to A, for a time f */
static void cti_wind_add(cti_state *s, const cti_attach *a, cti_v3 F, const ct_real *C, ct_real f)
{
    int i, j, k;
    for (i = 0; i < a->n; i++) {
        cti_v3_addto(s->system.b, a->block[i], cti_v3_mul(F, f * a->weight[i]));
        for (j = 0; j < a->n; j++) {
            ct_real *D = s->system.A.val + 9 * (size_t)cti_bsr_slot(&s->system.A, a->block[i], a->block[j]);
            for (k = 0; k < 9; k++)
                D[k] += f * a->weight[i] * a->weight[j] * C[k];
        }
    }
}

/* all corners of one body: into A and b, or into the impulses */
static void cti_wind_blow(cti_state *s, const cti_wind_body *q, ct_real dt, int ends)
{
    const cti_surface *f = &s->surface;
    const cti_soup_body *r = &f->ranges[q->body];
    const int first = cti_surface_attach(f, r->v0)->block[0];
    ct_real span = dt, C[9];
    cti_scheme c;
    int i, k, m;
    if (cti_state_is_inactive(s, first))
        return;
    if (!cti_integrate_is_plain(s, first))
        cti_integrate_scheme(s, first, dt, &c), span = c.f_;
    for (i = r->f0; i < r->f1; i++) {
        cti_v3 area = cti_v3_mul(cti_surface_area(f, f->x0, i), CTI_R(1.0) / 6);
        for (k = 0; k < 3; k++) {
            const int v = f->faces[3 * i + k];
            const cti_attach *a = cti_surface_attach(f, v);
            cti_v3 v0 = cti_wind_velocity(a, s->v), F, u = cti_v3_sub(cti_v3_at(s->wind.air, q->first + v - r->v0), v0);
            if (q->closed && cti_v3_dot(area, u) > 0) /* the lee side of a closed surface */
                continue;
            F = cti_wind_force(&q->air, area, u, C);
            if (!ends) {
                cti_wind_add(s, a, cti_v3_add(F, cti_m3_mul_v(C, v0)), C, span);
                continue;
            }
            F = cti_v3_add(F, cti_m3_mul_v(C, cti_v3_sub(v0, cti_wind_velocity(a, s->end.v))));
            for (m = 0; m < a->n; m++)
                cti_v3_addto(s->wind.impulse, a->block[m], cti_v3_mul(F, dt * a->weight[m]));
        }
    }
}

CTI_FN void cti_wind_assemble(cti_state *s, ct_real dt)
{
    int i;
    for (i = 0; i < CTI_LEN(s->wind.bodies); i++)
        cti_wind_blow(s, &s->wind.bodies[i], dt, 0);
}

CTI_FN void cti_wind_end(cti_state *s, ct_real dt)
{
    int i;
    if (CTI_LEN(s->wind.bodies))
        memset(s->wind.impulse, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < CTI_LEN(s->wind.bodies); i++)
        cti_wind_blow(s, &s->wind.bodies[i], dt, 1);
}

CTI_FN double cti_wind_work(const cti_state *s)
{
    double sum = 0;
    int i;
    for (i = 0; CTI_LEN(s->wind.bodies) && i < s->n; i++)
        sum += (double)cti_v3_dot(cti_v3_at(s->wind.impulse, i), cti_v3_at(s->end.v, i));
    return sum;
}
