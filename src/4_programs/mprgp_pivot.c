/* mprgp_pivot.c -- the face guessed by block pivoting, for MPRGP under bounds with the factor in the face.
   Method: the minimum in the current face is computed without regard to the other bounds. Then all unknowns outside their bounds are put on
   them, and all whose gradient points away from their bound become free, at once. When no unknown changes, the point is the solution. If
   the number of changes stops falling, pivoting ends without a result. MPRGP then continues from its own point; it accepts a result only if
   that lowers the objective. If faces are singular, a small multiple of the squared distance to MPRGP's point is added to the objective.
   Such a result is a proximal step, which lowers the objective, and the next one begins there. Based on: Judice, Pires: A block principal
   pivoting algorithm for large-scale strictly monotone linear complementarity problems (1994). */
#include "mprgp.h"

/* pivoting that cycles shows as turns without fewer changes; not tuned */
enum {
    CTI_PIVOT_TURNS = 200,
    CTI_PIVOT_PATIENCE = 10
};                                       /* most turns; turns without fewer changes, after which one row changes at a time */
enum { CTI_PIVOT_ITERATIONS = 2000000 }; /* most of the method, which its judge ends much earlier */
#define CTI_PIVOT_SHIFT 1e-11            /* least shift of a preconditioner: a singular face has a factor */
#define CTI_PIVOT_APART 1e-12            /* of the largest |x|: rounding of a bound */
#define CTI_PIVOT_SLOPE 1e-13            /* of the largest |b|: rounding of a gradient */

/* updates the faces from x and g; entries at a bound are put there exactly. With `single` only the row of highest number changes. Returns
   the number of changes */
static int cti_mprgp_pivot_faces(cti_mprgp_set *set, double *x, const double *g, double eps_x, double eps_g, int single)
{
    int i, changes = 0, last = -1, pass;
    for (pass = 0; pass < 2; pass++)
        for (i = 0; i < set->n; i++) {
            uint8_t face = set->face[i], next = face;
            if (face == CTI_FACE_FREE)
                next = x[i] < set->lo[i] - eps_x ? CTI_FACE_LOWER : (x[i] > set->hi[i] + eps_x ? CTI_FACE_UPPER : CTI_FACE_FREE);
            else if ((face == CTI_FACE_LOWER && g[i] < -eps_g) || (face == CTI_FACE_UPPER && g[i] > eps_g))
                next = CTI_FACE_FREE;
            if (pass == 0) {
                changes += next != face;
                last = next != face ? i : last;
            } else if (!single || i == last) {
                set->face[i] = next;
            }
            if (pass && set->face[i] != CTI_FACE_FREE)
                x[i] = set->face[i] == CTI_FACE_UPPER ? set->hi[i] : set->lo[i];
        }
    return changes;
}

CTI_FN int cti_mprgp_pivot(cti_mprgp_task *q, const double *near_to, double shift, double *x, double *g, double *z)
{
    int i, k, turn, changes, least = q->n + 1, patience = CTI_PIVOT_PATIENCE, n = q->n;
    cti_mprgp_set *set = q->set;
    double size_b = cti_mprgp_most(n, q->b);
    if (q->precondition->shift != cti_fmax(shift, CTI_PIVOT_SHIFT))
        q->precondition->shift = cti_fmax(shift, CTI_PIVOT_SHIFT), q->precondition->stale = 1;
    for (turn = 0; turn < CTI_PIVOT_TURNS; turn++) {
        if (turn) {
            changes = cti_mprgp_pivot_faces(set, x, g, CTI_PIVOT_APART * cti_mprgp_most(n, x), CTI_PIVOT_SLOPE * size_b, patience <= 0);
            if (changes == 0)
                return 1;
            patience = changes < least ? CTI_PIVOT_PATIENCE : patience - 1;
            least = cti_min_int(least, changes);
            if (patience < -CTI_PIVOT_PATIENCE ||
                !cti_effort_goes_on(q->effort, q->answer->iterations, CTI_PIVOT_ITERATIONS, q->answer->x, q->answer->r))
                return 0;
        }
        q->answer->iterations++, q->count->pivots++;
        if (cti_mprgp_preconditioner_renew(q->effort->mem, q->precondition) < 0)
            return 0;
        for (k = 0; k < 3; k++) { /* the second solve removes the error of the factor's shift, the third computes g */
            q->multiply(q->multiply_ctx, x, g);
            q->count->products++;
            for (i = 0; i < n; i++)
                g[i] += shift * (x[i] - near_to[i]) - q->b[i];
            if (k == 2)
                break;
            for (i = 0; i < n; i++)
                z[i] = set->face[i] == CTI_FACE_FREE ? g[i] : 0;
            cti_mprgp_preconditioner_apply(q->precondition, z, z + n);
            for (i = 0; i < n; i++)
                x[i] -= z[n + i];
        }
    }
    return 0;
}
