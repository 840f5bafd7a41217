/* cc -O2 matrices.c -lm -o matrices -- a solver of your own on the matrices of a step. A cube lies on a floor; its last contact problem,
       A v = b + J'r,   u = J v + w,   Coulomb's law between u and r,
   is solved by projected gradients: r <- P_K(r - step u^), where u^ is u with mu |u_t| added to its normal part (De Saxce and Feng 1991).
   The velocity for an r comes from conjugate gradients on A. The sum of the normal impulses is the world's. */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void multiply(const ct_csr *M, const double *x, double *y, int transposed)
{
    for (int i = 0; i < (transposed ? M->cols : M->rows); i++)
        y[i] = 0;
    for (int i = 0; i < M->rows; i++)
        for (int k = M->p[i]; k < M->p[i + 1]; k++)
            y[transposed ? M->i[k] : i] += M->x[k] * x[transposed ? i : M->i[k]];
}
static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* A v = f, from the v that is there; work [3 n] */
static void solve(const ct_csr *A, const double *f, double *v, double *work)
{
    int n = A->rows;
    double *r = work, *p = work + n, *q = work + 2 * n, rr, old, most = 1e-20 * dot(n, f, f);
    multiply(A, v, q, 0);
    for (int i = 0; i < n; i++)
        p[i] = r[i] = f[i] - q[i];
    for (rr = dot(n, r, r); rr > most; ) {
        multiply(A, p, q, 0);
        double alpha = rr / dot(n, p, q);
        for (int i = 0; i < n; i++)
            v[i] += alpha * p[i], r[i] -= alpha * q[i];
        old = rr, rr = dot(n, r, r);
        for (int i = 0; i < n; i++)
            p[i] = r[i] + rr / old * p[i];
    }
}

/* u = J A^-1 (b + J'r) + w; without b and w: u = W r */
static void velocities(const ct_problem_desc *d, const double *r, double *v, double *u, double *work, int linear)
{
    double *f = work + 3 * d->A.rows;
    multiply(&d->J, r, f, 1);
    for (int i = 0; i < d->A.rows && !linear; i++)
        f[i] += d->b[i];
    solve(&d->A, f, v, work);
    multiply(&d->J, v, u, 0);
    for (int i = 0; i < d->J.rows && !linear; i++)
        u[i] += d->w[i];
}

int main(void)
{
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {2, 2, 2};
    ct_mesh mesh;
    ct_world *world;
    ct_problem *problem;
    ct_problem_desc d;
    ct_soft_desc cube = ct_soft_desc_default();
    if (ct_mesh_box(size, cells, 1, &mesh, NULL) || ct_world_create(NULL, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 1;
    cube.mesh = &mesh, cube.position[1] = (ct_real)0.51, cube.velocity[0] = 1;
    if (ct_body_add_soft(world, &cube, NULL))
        return 1;
    for (int i = 0; i < 20; i++)
        ct_world_step(world, (ct_real)0.01, NULL);
    if (ct_world_get_problem(world, &problem) || ct_problem_get(problem, &d) || d.kind != CT_PROBLEM_GLOBAL)
        return puts(ct_world_error(world)->text), 1;

    int n = d.A.rows, m = d.J.rows;
    double *r = calloc((size_t)(2 * m + 5 * n), sizeof *r), *u = r + m, *v = u + m, *work = v + n, length = 0, mine = 0, worlds = 0;
    for (int i = 0; i < m; i++)
        r[i] = 1.0 / (i + 1);
    for (int k = 0; k < 30; k++) { /* the power method: the largest eigenvalue of W bounds the step */
        velocities(&d, r, v, u, work, 1);
        length = sqrt(dot(m, u, u));
        for (int i = 0; i < m; i++)
            r[i] = u[i] / length;
    }
    for (int i = 0; i < m; i++)
        r[i] = 0;
    for (int k = 0; k < 2000; k++) {
        velocities(&d, r, v, u, work, 0);
        for (int c = 0; c < m / 3; c++) {
            double *rc = r + 3 * c, *uc = u + 3 * c, slide = sqrt(uc[1] * uc[1] + uc[2] * uc[2]);
            rc[0] -= (uc[0] + d.mu[c] * slide) / length, rc[1] -= uc[1] / length, rc[2] -= uc[2] / length;
            ct_cone_project(d.mu[c], rc, rc);
        }
    }
    for (int c = 0; c < m / 3; c++)
        mine += r[3 * c], worlds += d.r_ref[3 * c];
    printf("%d contacts, %d unknowns: normal impulses %.4f N s, the world's %.4f N s\n", m / 3, n, mine, worlds);
    free(r), ct_problem_free(problem), ct_world_destroy(world), ct_mesh_free(&mesh);
    return fabs(mine - worlds) < 1e-3 * worlds ? 0 : 1;
}
