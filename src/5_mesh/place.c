/* place.c -- placement of a mesh: scale, rotation, translation. Method: the matrix of a quaternion of any length, in double; a point is
   rounded once. Only +, -, *, / and square roots, so that all machines give the same bits. */
#include "place.h"
#include "../0_base/fpenv.h"
#include "../0_base/log.h"
#include <math.h>

/* R = I + 2 / |q|^2 ((v v' - v'v I) + w [v]x), q = (w, v) */
static void cti_place_rotate(const double *q, double *R)
{
    double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / (w * w + x * x + y * y + z * z);
    R[0] = 1 - s * (y * y + z * z), R[1] = s * (x * y - w * z), R[2] = s * (x * z + w * y);
    R[3] = s * (x * y + w * z), R[4] = 1 - s * (x * x + z * z), R[5] = s * (y * z - w * x);
    R[6] = s * (x * z - w * y), R[7] = s * (y * z + w * x), R[8] = 1 - s * (x * x + y * y);
}

/* 1 where M is the identity and t is 0 */
static int cti_place_rests(const cti_place *p)
{
    int i, rests = p->t[0] == 0 && p->t[1] == 0 && p->t[2] == 0;
    for (i = 0; i < 9; i++)
        rests = rests && p->M[i] == (i % 4 == 0 ? 1 : 0);
    return rests;
}

CTI_FN const char *cti_place_make(const ct_real *rotation, const ct_real *position, cti_place *out)
{
    static const double none[4] = {1, 0, 0, 0};
    double q[4], most = 0, length = 0;
    int k;
    for (k = 0; k < 4; k++) {
        q[k] = rotation ? (double)rotation[k] : none[k];
        if (!cti_finite64(q[k]))
            return "rotation must be finite (a quaternion w x y z)";
        most = fabs(q[k]) > most ? fabs(q[k]) : most;
    }
    if (!(most > 0))
        return "rotation is the zero quaternion, which turns to nowhere; 1 0 0 0 (w x y z) is no turn";
    for (k = 0; k < 3; k++) {
        out->t[k] = position ? (double)position[k] : 0;
        if (!cti_finite64(out->t[k]))
            return "position must be finite";
    }
    /* after scaling to components of at most 1, squares neither overflow nor all underflow */
    for (k = 0; k < 4; k++) {
        q[k] /= most;
        length += q[k] * q[k];
    }
    for (k = 0; k < 4; k++)
        out->q[k] = q[k] / sqrt(length);
    cti_place_rotate(q, out->M);
    out->moves = !cti_place_rests(out);
    return NULL;
}

CTI_FN void cti_place_of(const double *R, const double *t, cti_place *out)
{
    double square[4], length = 0, *q = out->q;
    int k, i = 0;
    /* four times the squares of w, x, y, z; the largest is divided by (Shepperd, Quaternion from rotation matrix, 1978) */
    square[0] = 1 + R[0] + R[4] + R[8], square[1] = 1 + R[0] - R[4] - R[8];
    square[2] = 1 - R[0] + R[4] - R[8], square[3] = 1 - R[0] - R[4] + R[8];
    for (k = 1; k < 4; k++)
        i = square[k] > square[i] ? k : i;
    q[0] = i == 0 ? square[0] : i == 1 ? R[7] - R[5] : i == 2 ? R[2] - R[6] : R[3] - R[1];
    q[1] = i == 1 ? square[1] : i == 0 ? R[7] - R[5] : i == 2 ? R[1] + R[3] : R[2] + R[6];
    q[2] = i == 2 ? square[2] : i == 0 ? R[2] - R[6] : i == 1 ? R[1] + R[3] : R[5] + R[7];
    q[3] = i == 3 ? square[3] : i == 0 ? R[3] - R[1] : i == 1 ? R[2] + R[6] : R[5] + R[7];
    for (k = 0; k < 4; k++)
        length += q[k] * q[k];
    for (k = 0; k < 4; k++)
        q[k] /= sqrt(length);
    for (k = 0; k < 3; k++)
        out->t[k] = t[k];
    cti_place_rotate(q, out->M);
    out->moves = 1;
}

CTI_FN void cti_place_undo(const cti_place *place, const ct_real *in, int n, ct_real *out)
{
    const double *M = place->M;
    int i, k;
    for (i = 0; i < n; i++) {
        double p[3];
        for (k = 0; k < 3; k++)
            p[k] = (double)in[3 * i + k] - place->t[k];
        for (k = 0; k < 3; k++)
            out[3 * i + k] = (ct_real)(M[k] * p[0] + M[3 + k] * p[1] + M[6 + k] * p[2]);
    }
}

CTI_FN int cti_place_apply(const cti_place *place, const ct_real *in, int n, ct_real *out)
{
    const double *M = place->M;
    int i, k, bad = -1;
    for (i = 0; i < n; i++) {
        double x = (double)in[3 * (size_t)i], y = (double)in[3 * (size_t)i + 1], z = (double)in[3 * (size_t)i + 2];
        for (k = 0; k < 3; k++) {
            ct_real c = (ct_real)(M[3 * k] * x + M[3 * k + 1] * y + M[3 * k + 2] * z + place->t[k]);
            if (!cti_finite(c) && bad < 0)
                bad = i;
            out[3 * (size_t)i + (size_t)k] = c;
        }
    }
    return bad;
}

/* M = R diag(scale) */
static ct_code cti_place_scale(cti_place *p, const ct_real *scale, ct_error_info *error)
{
    int i;
    for (i = 0; i < 3; i++)
        if (!cti_finite(scale[i]) || scale[i] == 0)
            return cti_error_set(error, CT_ERR_ARGUMENT, i, (double)scale[i], "scale has to be finite and not 0 (element: axis)");
    for (i = 0; i < 9; i++)
        p->M[i] *= (double)scale[i % 3];
    p->moves = !cti_place_rests(p);
    return CT_OK;
}

/* a mirrored mesh is inside out: reverses the orientation of its elements */
static void cti_place_turn_elements(int32_t *list, int n, int per)
{
    int i;
    for (i = 0; i < n; i++) {
        int32_t *e = list + (size_t)per * (size_t)i, last = e[per - 1];
        e[per - 1] = e[per - 2];
        e[per - 2] = last;
    }
}

static ct_code cti_place_mesh(ct_mesh *mesh, const ct_real *scale, const ct_real *rotation, const ct_real *position, ct_error_info *error)
{
    cti_place place;
    const char *text;
    ct_code code = CT_OK;
    int i;
    if (!mesh || mesh->n_positions < 0 || (mesh->n_positions > 0 && !mesh->positions) || (mesh->n_tets > 0 && !mesh->tets) ||
        (mesh->n_triangles > 0 && !mesh->triangles))
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, 0, "mesh is NULL, or has a count without an array");
    text = cti_place_make(rotation, position, &place);
    if (text)
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, 0, "%s", text);
    if (scale)
        code = cti_place_scale(&place, scale, error);
    if (code != CT_OK)
        return code;
    /* first all checks that can fail, then the change in place */
    for (i = 0; i < mesh->n_positions; i++) {
        ct_real moved[3];
        if (cti_place_apply(&place, mesh->positions + 3 * (size_t)i, 1, moved) >= 0)
            return cti_error_set(error, CT_ERR_MESH, i, 0, "vertex %d is not finite, or would not be", i);
    }
    if (place.moves)
        cti_place_apply(&place, mesh->positions, mesh->n_positions, mesh->positions);
    if (scale && (scale[0] < 0) != ((scale[1] < 0) != (scale[2] < 0))) {
        cti_place_turn_elements(mesh->tets, mesh->n_tets, 4);
        cti_place_turn_elements(mesh->triangles, mesh->n_triangles, 3);
    }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_mesh_transform(ct_mesh *mesh, const ct_real scale[3], const ct_real rotation[4], const ct_real position[3],
                                          ct_error_info *out_error)
{
    CTI_FPENV_RETURN(cti_place_mesh(mesh, scale, rotation, position, out_error))
}
